package dev.spur.engine.state;

import dev.spur.engine.account.AffectedEntity;
import dev.spur.engine.step.Step;
import dev.spur.model.ErrorCode;
import dev.spur.model.JobId;
import dev.spur.model.JobSelector;
import java.util.List;

/// What the proposer of a command is told once it is applied.
public sealed interface Result {
    Result DONE = new Done();

    record Done() implements Result {}

    record Submitted(JobId job, List<String> warnings) implements Result {
        public Submitted {
            warnings = List.copyOf(warnings);
        }
    }

    /// Nothing was done.
    ///
    /// @param message says what happened, why, and what to do
    record Refused(ErrorCode code, String message) implements Result {
        public static Refused of(ErrorCode code) {
            return new Refused(code, code.text());
        }
    }

    /// One answer per selector, in order.
    record PerJob(List<Answer> answers) implements Result {
        public PerJob {
            answers = List.copyOf(answers);
        }
    }

    record Answer(JobSelector job, Verdict verdict, ErrorCode code, String message) {}

    enum Verdict {
        DONE,
        ALREADY_ENDED,
        NOT_FOUND,
        DENIED,
        REFUSED
    }

    /// @param attempt of the job: the next one has steps of the same numbers
    record StepCreated(JobId job, Step step, int attempt) implements Result {}

    /// The step fits the job, but not now.
    record StepBusy(String why) implements Result {}

    /// Which starts took place; an array's task has its own id here.
    record Started(List<JobId> jobs, List<String> ignored) implements Result {
        public Started {
            jobs = List.copyOf(jobs);
            ignored = List.copyOf(ignored);
        }
    }

    /// Which accounts, users, associations and QOS are other than before. None: it was so already.
    record AccountsChanged(List<AffectedEntity> affected) implements Result {
        public AccountsChanged {
            affected = List.copyOf(affected);
        }
    }

    /// What it is called.
    record ReservationCreated(String name) implements Result {}

    /// Who typed the code that the cloud shows.
    record CloudUserLinked(int uid, String userName) implements Result {}

    /// The command no longer fits the state and changed nothing.
    record Ignored(String why) implements Result {}
}
