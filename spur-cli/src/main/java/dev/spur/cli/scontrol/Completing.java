package dev.spur.cli.scontrol;

import dev.spur.api.client.ControllerException;
import dev.spur.api.v1.Job;
import dev.spur.api.v1.JobDetail;
import dev.spur.api.v1.JobUpdate;
import dev.spur.api.v1.ListJobsRequest;
import dev.spur.api.v1.ListNodesRequest;
import dev.spur.api.v1.Node;
import dev.spur.api.v1.WatchJobRequest;
import dev.spur.cli.submission.JobWatch;
import dev.spur.model.hostlist.Hostlist;
import dev.spur.model.notation.Durations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/// Jobs between two states: `completing`, `wait_job`.
final class Completing {
    private static final long MICROS = 1_000_000;

    private Completing() {}

    /// Jobs that are over whose nodes are not clean yet, with those nodes.
    static int show(Session session) {
        var jobs = new ArrayList<Job>();
        var now = new long[1];
        var request =
                ListJobsRequest.newBuilder()
                        .addStates("COMPLETING")
                        .setDetail(JobDetail.JOB_DETAIL_FULL)
                        .build();
        Map<String, Node> nodes = new HashMap<>();
        try {
            session.controller()
                    .each(
                            controller -> controller.listJobs(request),
                            page -> {
                                jobs.addAll(page.getJobsList());
                                now[0] = page.getNowMicros();
                            });
            if (!jobs.isEmpty()) {
                session.controller()
                        .call(controller ->
                                controller.listNodes(ListNodesRequest.getDefaultInstance()))
                        .getNodesList()
                        .forEach(node -> nodes.put(node.getName(), node));
            }
        } catch (ControllerException refusal) {
            return session.fail("slurm_load_jobs error: " + Verbs.told(refusal));
        }
        for (var job : jobs) {
            var hosts = Hostlist.parse(job.getNodeList()).hosts();
            var line =
                    "JobId=%s EndTime=%s CompletingTime=%s Nodes(COMPLETING)=%s"
                            .formatted(
                                    Integer.toUnsignedString(job.getJobId()),
                                    session.view(now[0])
                                            .times()
                                            .text(job.getEndMicros(), "Unknown"),
                                    Durations.padded(
                                            Duration.ofSeconds(
                                                    (now[0] - job.getEndMicros()) / MICROS)),
                                    those(
                                            hosts,
                                            nodes,
                                            node -> node.getFlagsList().contains("COMPLETING")));
            var down = those(hosts, nodes, node -> node.getState().equals("DOWN"));
            session.out().println(down.isEmpty() ? line : line + " Nodes(DOWN)=" + down);
        }
        return 0;
    }

    private static String those(
            List<String> hosts, Map<String, Node> nodes, Predicate<Node> which) {
        return Hostlist.compress(
                hosts.stream()
                        .filter(host -> nodes.containsKey(host) && which.test(nodes.get(host)))
                        .toList());
    }

    /// Returns when the job has its nodes, or will never have them.
    static int await(Session session, List<String> words) {
        if (words.isEmpty()) {
            return Verbs.tooFew(session, "wait_job");
        }
        var id = words.getFirst();
        int number;
        try {
            number = Integer.parseUnsignedInt(id);
        } catch (NumberFormatException _) {
            return session.fail("Invalid job_id " + id);
        }
        session.in().takesLong();
        var request = WatchJobRequest.newBuilder().setJobId(number).build();
        while (true) {
            try {
                session.controller()
                        .<JobUpdate>each(
                                controller -> controller.watchJob(request),
                                update -> {
                                    if (hasNodes(update.getJob())) {
                                        throw new Ready();
                                    }
                                });
                return problem(session, id);
            } catch (Ready ready) {
                session.say("scontrol: Nodes are ready for job " + id);
                return 0;
            } catch (ControllerException lost) {
                if (lost.kind() == ControllerException.Kind.REFUSED || !JobWatch.rested()) {
                    return problem(session, id);
                }
            }
        }
    }

    private static boolean hasNodes(Job job) {
        return job.getState().equals("RUNNING") || job.getState().equals("SUSPENDED");
    }

    private static int problem(Session session, String id) {
        return session.fail("scontrol: Problem running job " + id);
    }

    /// Ends the watch that has told what was wanted.
    private static final class Ready extends RuntimeException {
        Ready() {
            super("ready", null, false, false);
        }
    }
}
