package dev.spur.cli.scontrol;

import dev.spur.api.client.ControllerException;
import dev.spur.api.v1.GetStepUsageReply;
import dev.spur.api.v1.GetStepUsageRequest;
import dev.spur.api.v1.Job;
import dev.spur.api.v1.JobDetail;
import dev.spur.api.v1.ListJobsRequest;
import dev.spur.api.v1.ListStepsRequest;
import dev.spur.model.JobSelector;
import dev.spur.model.StepId;
import dev.spur.model.notation.NotationException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// Processes of jobs: `listpids`, `pidinfo`. The nodes say which there are, so unlike Slurm's it
/// does not matter where it is asked; a node's name behind the job asks for that node alone.
final class Processes {
    private static final int MOST = 64 << 10;
    private static final Pattern GROUP = Pattern.compile("/job_(\\d+)(?:\\.\\d+)?(?:/|$)");
    private static final Pattern VARIABLE = Pattern.compile("(?:^|\0)SLURM_JOB_ID=(\\d+)\0");

    private Processes() {}

    static int list(Session session, List<String> words) {
        var wanted = words.isEmpty() || words.getFirst().equals("*") ? "" : words.getFirst();
        var node = words.size() > 1 ? words.get(1) : "";
        List<String> ids;
        try {
            ids = wanted.isEmpty() ? running(session, node) : List.of(wanted);
            if (!wanted.isEmpty()) {
                JobSelector.parse(wanted);
            }
        } catch (NotationException _) {
            return session.fail("\"%s\" does not look like a jobid".formatted(wanted));
        }
        session.out()
                .println(
                        "%-8s %-8s %-8s %-7s %-8s"
                                .formatted("PID", "JOBID", "STEPID", "LOCALID", "GLOBALID"));
        if (ids.isEmpty()) {
            return session.fail("No steps found on this node");
        }
        try {
            var request =
                    GetStepUsageRequest.newBuilder()
                            .addAllIds(ids)
                            .setAllSteps(true)
                            .setPids(true)
                            .build();
            var reply = session.controller().call(controller -> controller.getStepUsage(request));
            print(session, reply, node);
            return complain(session, reply, node);
        } catch (ControllerException refusal) {
            return session.fail("slurm_load_jobs error: " + Verbs.told(refusal));
        }
    }

    private static List<String> running(Session session, String node) {
        var request = ListStepsRequest.newBuilder();
        if (!node.isEmpty()) {
            request.addNodes(node);
        }
        return session
                .controller()
                .call(controller -> controller.listSteps(request.build()))
                .getStepsList()
                .stream()
                .map(step -> Integer.toUnsignedString(step.getJobId()))
                .distinct()
                .toList();
    }

    /// Which of several tasks a process belongs to only its node knows; a batch script has one.
    private static void print(Session session, GetStepUsageReply reply, String node) {
        for (var step : reply.getStepsList()) {
            var id = new StepId(step.getStepId());
            for (var here : step.getPidsList()) {
                if (!node.isEmpty() && !here.getNode().equals(node)) {
                    continue;
                }
                for (var i = 0; i < here.getPidsCount(); i++) {
                    var task = id.equals(StepId.BATCH) && i == 0 ? "0" : "-";
                    session.out()
                            .println(
                                    "%-8d %-8s %-8s %-7s %-8s"
                                            .formatted(
                                                    here.getPids(i),
                                                    Integer.toUnsignedString(step.getJobId()),
                                                    id,
                                                    task,
                                                    task));
                }
            }
        }
    }

    private static int complain(Session session, GetStepUsageReply reply, String node) {
        var on = node.isEmpty() ? "(null)" : node;
        var exitCode = 0;
        for (var id : reply.getUnknownList()) {
            exitCode = session.fail("There are no steps for job %s on node %s.".formatted(id, on));
        }
        for (var id : reply.getIdleList()) {
            exitCode =
                    session.fail(
                            id.contains(".")
                                    ? "StepId=%s does not exist on node %s.".formatted(id, on)
                                    : "There are no steps for job %s on node %s."
                                            .formatted(id, on));
        }
        for (var id : reply.getDeniedList()) {
            exitCode = session.fail("Access/permission denied for job " + id);
        }
        return exitCode;
    }

    /// The job of a process of this host, as its control group or its environment tells.
    static int info(Session session, List<String> words) {
        if (words.isEmpty()) {
            return session.fail("missing argument for keyword:pidinfo");
        }
        var job = jobOf(session, words.getFirst());
        if (job.isEmpty()) {
            return session.fail("Failed to locate job for requested pid");
        }
        var found = new ArrayList<Job>();
        var now = new long[1];
        var request =
                ListJobsRequest.newBuilder()
                        .addIds(job.get())
                        .setDetail(JobDetail.JOB_DETAIL_LISTING)
                        .build();
        try {
            session.controller()
                    .each(
                            controller -> controller.listJobs(request),
                            page -> {
                                found.addAll(page.getJobsList());
                                now[0] = page.getNowMicros();
                            });
        } catch (ControllerException refusal) {
            return session.fail("Failed to get job end time");
        }
        var end = found.isEmpty() ? 0 : found.getFirst().getEndMicros();
        session.out()
                .println(
                        "Slurm JobId=%s ends at %s"
                                .formatted(
                                        job.get(),
                                        end == 0
                                                ? "Unknown"
                                                : session.view(now[0])
                                                        .times()
                                                        .text(end, "Unknown")));
        session.out()
                .println(
                        "slurm_get_rem_time is %d"
                                .formatted(end == 0 ? -1 : (end - now[0]) / 1_000_000));
        return 0;
    }

    private static Optional<String> jobOf(Session session, String pid) {
        return pid.matches("[1-9]\\d{0,9}")
                ? found(session, "/proc/" + pid + "/cgroup", GROUP)
                        .or(() -> found(session, "/proc/" + pid + "/environ", VARIABLE))
                : Optional.empty();
    }

    private static Optional<String> found(Session session, String file, Pattern pattern) {
        try {
            var text =
                    new String(session.in().files().read(file, MOST), StandardCharsets.ISO_8859_1);
            var match = pattern.matcher(text);
            return match.find() ? Optional.of(match.group(1)) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty(); // it has ended, or is not the caller's
        }
    }
}
