package dev.spur.cli.scontrol;

import dev.spur.api.client.ControllerException;
import dev.spur.api.v1.HoldJobsRequest;
import dev.spur.api.v1.Job;
import dev.spur.api.v1.JobActionOutcome;
import dev.spur.api.v1.JobActionReply;
import dev.spur.api.v1.JobActionResult;
import dev.spur.api.v1.ListJobsRequest;
import dev.spur.api.v1.ReleaseJobsRequest;
import dev.spur.api.v1.RequeueJobsRequest;
import dev.spur.api.v1.ResumeJobsRequest;
import dev.spur.api.v1.SuspendJobsRequest;
import dev.spur.api.v1.TopJobsRequest;
import dev.spur.cli.format.Brackets;
import dev.spur.cli.squeue.JobText;
import dev.spur.model.ErrorCode;
import dev.spur.model.JobSelector;
import dev.spur.model.notation.NotationException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;

/// Verbs that do something to named jobs.
final class JobActions {
    private JobActions() {}

    static int hold(Session session, List<String> words) {
        return hold(session, "hold", words, false);
    }

    static int userHold(Session session, List<String> words) {
        return hold(session, "uhold", words, true);
    }

    private static int hold(Session session, String verb, List<String> words, boolean isByUser) {
        return act(
                session,
                verb,
                words,
                ids -> {
                    var request =
                            HoldJobsRequest.newBuilder()
                                    .setRequestId(session.in().newRequestId())
                                    .addAllIds(ids)
                                    .setUserHold(isByUser)
                                    .build();
                    return session.controller().call(controller -> controller.holdJobs(request));
                });
    }

    static int release(Session session, List<String> words) {
        return act(
                session,
                "release",
                words,
                ids -> {
                    var request =
                            ReleaseJobsRequest.newBuilder()
                                    .setRequestId(session.in().newRequestId())
                                    .addAllIds(ids)
                                    .build();
                    return session.controller().call(controller -> controller.releaseJobs(request));
                });
    }

    static int requeue(Session session, List<String> words) {
        return requeue(session, "requeue", words, false);
    }

    static int requeueAndHold(Session session, List<String> words) {
        return requeue(session, "requeuehold", words, true);
    }

    /// `State=SpecialExit` (of those that are held) and `Incomplete` may stand before the jobs.
    private static int requeue(Session session, String verb, List<String> words, boolean isHeld) {
        var jobs = new ArrayList<>(words);
        var options = new TreeSet<RequeueOption>();
        while (!jobs.isEmpty() && RequeueOption.of(jobs.getFirst(), isHeld).isPresent()) {
            options.add(RequeueOption.of(jobs.removeFirst(), isHeld).orElseThrow());
        }
        return act(
                session,
                verb,
                jobs,
                ids -> {
                    var request =
                            RequeueJobsRequest.newBuilder()
                                    .setRequestId(session.in().newRequestId())
                                    .addAllIds(ids)
                                    .setHold(isHeld)
                                    .setSpecialExit(options.contains(RequeueOption.SPECIAL_EXIT))
                                    .setIncompleteOnly(options.contains(RequeueOption.INCOMPLETE))
                                    .build();
                    return session.controller().call(controller -> controller.requeueJobs(request));
                });
    }

    private enum RequeueOption {
        SPECIAL_EXIT,
        INCOMPLETE;

        static Optional<RequeueOption> of(String word, boolean isHeld) {
            var lower = word.toLowerCase(Locale.ROOT);
            if (isHeld && lower.startsWith("state=") && lower.length() > "state=".length()) {
                return "specialexit".startsWith(lower.substring("state=".length()))
                        ? Optional.of(SPECIAL_EXIT)
                        : Optional.empty();
            }
            return lower.length() >= 3 && "incomplete".startsWith(lower)
                    ? Optional.of(INCOMPLETE)
                    : Optional.empty();
        }
    }

    static int suspend(Session session, List<String> words) {
        return act(
                session,
                "suspend",
                words,
                ids -> {
                    var request =
                            SuspendJobsRequest.newBuilder()
                                    .setRequestId(session.in().newRequestId())
                                    .addAllIds(ids)
                                    .build();
                    return session.controller().call(controller -> controller.suspendJobs(request));
                });
    }

    static int resume(Session session, List<String> words) {
        return act(
                session,
                "resume",
                words,
                ids -> {
                    var request =
                            ResumeJobsRequest.newBuilder()
                                    .setRequestId(session.in().newRequestId())
                                    .addAllIds(ids)
                                    .build();
                    return session.controller().call(controller -> controller.resumeJobs(request));
                });
    }

    static int top(Session session, List<String> words) {
        return act(
                session,
                "top",
                words,
                ids -> {
                    var request =
                            TopJobsRequest.newBuilder()
                                    .setRequestId(session.in().newRequestId())
                                    .addAllIds(ids)
                                    .build();
                    return session.controller().call(controller -> controller.topJobs(request));
                });
    }

    /// @param action makes its request once: it is the same however often the controller is asked
    private static int act(
            Session session,
            String verb,
            List<String> words,
            Function<List<String>, JobActionReply> action) {
        if (words.isEmpty()) {
            return Verbs.tooFew(session, verb);
        }
        var ids = new ArrayList<String>();
        for (var word : words) {
            ids.addAll(named(session, word));
        }
        for (var id : ids) {
            if (!isId(id)) {
                return session.fail("Invalid job id specified for job " + id);
            }
        }
        try {
            return ids.isEmpty() ? 1 : report(session, action.apply(List.copyOf(ids)));
        } catch (ControllerException refusal) {
            return session.fail(
                    "%s for job %s".formatted(Verbs.told(refusal), String.join(",", ids)));
        }
    }

    /// The jobs of `12,13`, `JobId=12`, or of the caller's that are called so: `Name=sim`.
    private static List<String> named(Session session, String word) {
        var pair = Pair.of(word);
        if (!pair.hasValue()) {
            return Brackets.split(word);
        }
        if (!pair.key().toLowerCase(Locale.ROOT).matches("(job)?name")) {
            return Brackets.split(pair.value());
        }
        var request =
                ListJobsRequest.newBuilder()
                        .addUsers(Long.toString(session.in().caller().uid()))
                        .addAllNames(List.of(pair.value().split(",")))
                        .build();
        var ids = new ArrayList<String>();
        session.controller()
                .each(
                        controller -> controller.listJobs(request),
                        page -> page.getJobsList().forEach(job -> ids.add(id(job))));
        return ids;
    }

    private static String id(Job job) {
        return Long.toString(JobText.unsigned(job.getJobId()));
    }

    static boolean isId(String text) {
        try {
            JobSelector.parse(text);
            return true;
        } catch (NotationException _) {
            return false;
        }
    }

    /// Says what went wrong with each job, as `Invalid user id for job 49`.
    static int report(Session session, JobActionReply reply) {
        var exitCode = 0;
        for (var result : reply.getResultsList()) {
            if (result.getOutcome() != JobActionOutcome.JOB_ACTION_DONE) {
                exitCode = session.fail("%s for job %s".formatted(why(result), result.getId()));
            }
        }
        return exitCode;
    }

    private static String why(JobActionResult result) {
        return switch (result.getOutcome()) {
            case JOB_ACTION_DONE -> "";
            case JOB_ACTION_NOT_FOUND -> ErrorCode.INVALID_JOB.text();
            case JOB_ACTION_ALREADY_ENDED -> ErrorCode.ALREADY_DONE.text();
            case JOB_ACTION_DENIED -> code(result).orElse(ErrorCode.ACCESS_DENIED).text();
            case JOB_ACTION_REFUSED, UNRECOGNIZED ->
                    code(result)
                            .filter(code -> code != ErrorCode.INVALID_REQUEST)
                            .map(ErrorCode::text)
                            .orElse(result.getMessage());
        };
    }

    private static Optional<ErrorCode> code(JobActionResult result) {
        return Arrays.stream(ErrorCode.values())
                .filter(code -> code.slurmErrno() == result.getSlurmErrno())
                .findFirst();
    }
}
