package dev.spur.controller.state;

import dev.spur.engine.job.Job;
import dev.spur.engine.state.Event;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.JobId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Which jobs have which nodes, kept up to date by events: looking through all jobs for each of
/// 10,000 agents that come back after a failover would take minutes.
public final class JobsByNode implements EventFeed.Listener {
    private final Map<String, Set<JobId>> jobs = new HashMap<>();
    private final Map<JobId, List<String>> nodes = new HashMap<>();

    public synchronized List<JobId> on(String node) {
        return new ArrayList<>(jobs.getOrDefault(node, Collections.emptySet()));
    }

    @Override
    public synchronized void changed(List<Event> events) {
        for (var event : events) {
            switch (event) {
                case Event.JobStarted(var job) -> add(job);
                case Event.JobEnded(var job) -> remove(job.id());
                case Event.JobRequeued(var job) -> remove(job.id());
                case Event.JobForgotten(var id) -> remove(id);
                default -> {}
            }
        }
    }

    @Override
    public synchronized void resync(Snapshot snapshot) {
        jobs.clear();
        nodes.clear();
        snapshot.jobs()
                .forEach(job -> {
                    if (job.hasNodes()) {
                        add(job);
                    }
                });
    }

    private void add(Job job) {
        var placement = job.phase().placementOrNull();
        if (placement == null) {
            return;
        }
        var names = placement.nodeNames();
        nodes.put(job.id(), names);
        names.forEach(name -> jobs.computeIfAbsent(name, _ -> new HashSet<>()).add(job.id()));
    }

    private void remove(JobId id) {
        var names = nodes.remove(id);
        if (names == null) {
            return;
        }
        for (var name : names) {
            var left = jobs.get(name);
            if (left != null && left.remove(id) && left.isEmpty()) {
                jobs.remove(name);
            }
        }
    }
}
