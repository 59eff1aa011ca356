package dev.spur.engine.rules;

import dev.spur.engine.state.Command;
import dev.spur.engine.state.RememberedAnswer;
import dev.spur.engine.state.RememberedRequest;
import dev.spur.engine.state.RequestKind;
import dev.spur.engine.state.Result;
import dev.spur.engine.table.PagedTable;
import dev.spur.model.ErrorCode;
import dev.spur.model.JobSelector;
import dev.spur.model.notation.Text;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Answers already given, by user and request id, so that a retry acts once. Bounded by age, number
/// and size.
final class RememberedRequests {
    static final Duration KEPT_FOR = Duration.ofDays(1);
    private static final int MOST = 200_000;

    /// Nobody can make others' answers be forgotten.
    private static final int MOST_OF_ONE_USER = 20_000;

    private record Key(int uid, String id) {}

    final PagedTable<RememberedRequest> table = new PagedTable<>();
    private final Tables tables;
    private final Map<Key, Integer> numbers = new HashMap<>();
    private final Map<Integer, ArrayDeque<Integer>> byUser = new HashMap<>();
    private int oldest;
    private int next;

    RememberedRequests(Tables tables) {
        this.tables = tables;
    }

    /// What the same request was answered before; null if it is new. An id that its user took for
    /// something else before is refused.
    @Nullable Result answerTo(Command.Request request) {
        var number = numbers.get(keyOf(request));
        var known = number == null ? null : table.get(number);
        if (known == null) {
            return null;
        }
        if (known.kind() != RequestKind.of(request)) {
            return reused(known);
        }
        return switch (known.answer()) {
            case RememberedAnswer.InFull(var result) -> result;
            case RememberedAnswer.Verdicts verdicts -> {
                var jobs = selectorsOf(request);
                yield jobs.size() == verdicts.jobs() ? inFull(verdicts, jobs) : reused(known);
            }
            case RememberedAnswer.OfStep step -> inFull(step);
        };
    }

    private static Result reused(RememberedRequest known) {
        return new Result.Refused(
                ErrorCode.INVALID_REQUEST,
                Text.of(
                        "the request id %s was used before, to %s. Every request needs an id of its own",
                        known.requestId(), known.kind().words()));
    }

    private static Result inFull(RememberedAnswer.Verdicts verdicts, List<JobSelector> jobs) {
        var answers = new Result.Answer[jobs.size()];
        for (var group : verdicts.groups()) {
            var text = group.verdict() == Result.Verdict.DONE ? "" : group.code().text();
            group.positions()
                    .forEach(at ->
                            answers[at] =
                                    new Result.Answer(
                                            jobs.get(at), group.verdict(), group.code(), text));
        }
        return new Result.PerJob(List.of(answers));
    }

    private Result inFull(RememberedAnswer.OfStep created) {
        return tables.job(created.job())
                .filter(job -> job.attempt() == created.attempt())
                .flatMap(job -> job.steps().findEver(created.step()))
                .<Result>map(step -> new Result.StepCreated(created.job(), step, created.attempt()))
                .orElseGet(() ->
                        new Result.Refused(
                                ErrorCode.ALREADY_DONE,
                                Text.of(
                                        "step %s.%s has ended already",
                                        created.job(), created.step())));
    }

    private static List<JobSelector> selectorsOf(Command.Request request) {
        return switch (request) {
            case Command.UpdateJobs(_, _, _, var jobs, _) -> jobs;
            case Command.HoldJobs(_, _, _, var jobs, _) -> jobs;
            case Command.ReleaseJobs(_, _, _, var jobs) -> jobs;
            case Command.CancelJobs(_, _, _, var jobs) -> jobs;
            case Command.RequeueJobs(_, _, _, var jobs, _, _, _) -> jobs;
            case Command.SuspendJobs(_, _, _, var jobs, _) -> jobs;
            case Command.ResumeJobs(_, _, _, var jobs) -> jobs;
            case Command.TopJobs(_, _, _, var jobs) -> jobs;
            case Command.SubmitJob _,
                    Command.FinishAllocation _,
                    Command.CreateStep _,
                    Command.UpdateNodes _,
                    Command.ApplyConfig _,
                    Command.CreateToken _,
                    Command.RevokeToken _,
                    Command.CreateJoinToken _,
                    Command.RevokeCertificate _,
                    Command.RevokeHost _,
                    Command.ChangeAccounts _,
                    Command.CreateReservation _,
                    Command.UpdateReservation _,
                    Command.DeleteReservation _,
                    Command.CreatePartition _,
                    Command.UpdatePartition _,
                    Command.DeletePartition _,
                    Command.LinkCloudUser _,
                    Command.UnlinkCloudUser _ ->
                    List.of();
        };
    }

    void remember(Command.Request request, Result result) {
        add(
                new RememberedRequest(
                        next,
                        request.actor().uid(),
                        request.requestId(),
                        RequestKind.of(request),
                        tables.now,
                        RememberedAnswer.of(result)));
        var own = byUser.getOrDefault(request.actor().uid(), new ArrayDeque<>());
        if (own.size() > MOST_OF_ONE_USER) {
            forget(table.get(own.getFirst()));
        }
        if (table.size() > MOST) {
            forgetOldest();
        }
    }

    void forgetBefore(Instant time) {
        for (var known = oldest(); known != null && known.at().isBefore(time); known = oldest()) {
            forgetOldest();
        }
    }

    /// Also used when a state is loaded, oldest first.
    void add(RememberedRequest request) {
        if (table.size() == 0) {
            oldest = request.number();
        }
        table.put(request.number(), request);
        numbers.put(keyOf(request), request.number());
        byUser.computeIfAbsent(request.uid(), _ -> new ArrayDeque<>()).add(request.number());
        next = request.number() + 1;
    }

    void countFrom(int number) {
        next = number;
    }

    int next() {
        return next;
    }

    private static Key keyOf(Command.Request request) {
        return new Key(request.actor().uid(), request.requestId());
    }

    private static Key keyOf(RememberedRequest request) {
        return new Key(request.uid(), request.requestId());
    }

    private @Nullable RememberedRequest oldest() {
        if (table.size() == 0) {
            return null;
        }
        while (table.get(oldest) == null) {
            oldest++;
        }
        return table.get(oldest);
    }

    private void forgetOldest() {
        forget(oldest());
    }

    private void forget(@Nullable RememberedRequest known) {
        if (known == null) {
            return;
        }
        table.remove(known.number());
        numbers.remove(keyOf(known));
        var own = byUser.get(known.uid());
        if (own != null) {
            own.removeFirstOccurrence(known.number()); // the first: a user's are in order
            if (own.isEmpty()) {
                byUser.remove(known.uid());
            }
        }
    }
}
