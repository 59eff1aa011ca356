package dev.spur.cli.top;

import dev.spur.api.v1.Job;
import dev.spur.api.v1.Node;
import dev.spur.api.v1.PlannedJob;
import dev.spur.api.v1.WatchReply;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The cluster as a watch has told it so far. Jobs that have ended leave at once.
final class Picture {
    private static final List<String> LIVE =
            List.of("PENDING", "RUNNING", "SUSPENDED", "COMPLETING", "CONFIGURING", "SPECIAL_EXIT");

    private final Map<Integer, Row> jobs = new LinkedHashMap<>();
    private final Map<Integer, PlannedJob> plan = new LinkedHashMap<>();
    private final Map<String, Node> nodes = new TreeMap<>();
    private boolean isCurrent;
    private String cursor = "";
    private long revision;

    /// @param toldMicros when the controller said so, by its clock: what runs goes on since
    record Row(Job job, long toldMicros) {}

    synchronized void tell(WatchReply reply) {
        if (reply.getBeginsAnew()) {
            jobs.clear();
            plan.clear();
            nodes.clear();
            isCurrent = false;
        }
        for (var job : reply.getJobsList()) {
            if (LIVE.contains(job.getState())) {
                jobs.put(job.getJobId(), new Row(job, reply.getNowMicros()));
            } else {
                jobs.remove(job.getJobId());
            }
            if (!job.getState().equals("PENDING")) {
                plan.remove(job.getJobId());
            }
        }
        reply.getPlanList().forEach(planned -> plan.put(planned.getJobId(), planned));
        reply.getGoneJobsList()
                .forEach(id -> {
                    jobs.remove(id);
                    plan.remove(id);
                });
        reply.getNodesList().forEach(node -> nodes.put(node.getName(), node));
        reply.getGoneNodesList().forEach(nodes::remove);
        if (!reply.getCursor().isEmpty()) {
            cursor = reply.getCursor();
        }
        isCurrent |= reply.getIsCurrent();
        revision++;
    }

    /// Whether everything was told once.
    synchronized boolean isCurrent() {
        return isCurrent;
    }

    /// Where a watch goes on that was interrupted.
    synchronized String cursor() {
        return cursor;
    }

    /// Counts what was told.
    synchronized long revision() {
        return revision;
    }

    /// Jobs with what is planned for those that wait.
    synchronized List<Shown> jobs(long nowMicros) {
        var all = new ArrayList<Shown>();
        jobs.forEach(
                (id, row) -> all.add(new Shown(row.job(), plan.get(id), seconds(row, nowMicros))));
        return all;
    }

    private static long seconds(Row row, long nowMicros) {
        var since = Math.max(0, nowMicros - row.toldMicros()) / 1_000_000;
        return row.job().getRunSeconds() + (row.job().getState().equals("RUNNING") ? since : 0);
    }

    /// @param runSeconds by now
    record Shown(Job job, @Nullable PlannedJob plan, long runSeconds) {}

    synchronized List<Node> nodes() {
        return List.copyOf(nodes.values());
    }
}
