package dev.spur.engine.scheduling;

import dev.spur.engine.state.Command;
import dev.spur.engine.state.JobPhase;
import dev.spur.engine.state.Snapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Decisions as commands to propose: the starts, and what is new about the jobs that wait.
public final class PlanCommands {
    /// Expected starts that moved by less are not worth a log entry.
    private static final Duration NOTABLE = Duration.ofSeconds(60);

    private PlanCommands() {}

    /// Empty if nothing has to be proposed.
    public static List<Command> of(Snapshot cluster, List<Decision> decisions, Instant at) {
        var starts = new ArrayList<Command.JobStart>();
        var expectations = new ArrayList<Command.Expectation>();
        for (var decision : decisions) {
            switch (decision) {
                case Decision.Start(var job, var placement) ->
                        starts.add(new Command.JobStart(job, placement));
                case Decision.Wait wait -> {
                    if (isNews(cluster, wait)) {
                        expectations.add(
                                new Command.Expectation(
                                        wait.job(),
                                        wait.reason(),
                                        wait.expectedStart(),
                                        wait.expectedNodes()));
                    }
                }
            }
        }
        var commands = new ArrayList<Command>();
        if (!starts.isEmpty()) {
            commands.add(new Command.StartJobs(at, starts));
        }
        if (!expectations.isEmpty()) {
            commands.add(new Command.RememberPlan(at, expectations));
        }
        return commands;
    }

    private static boolean isNews(Snapshot cluster, Decision.Wait wait) {
        var job = cluster.job(wait.job()).orElse(null);
        return job != null
                && job.phase() instanceof JobPhase.Pending pending
                && (!pending.reason().equals(wait.reason())
                        || isElsewhen(pending.expectedStart(), wait.expectedStart()));
    }

    private static boolean isElsewhen(@Nullable Instant before, @Nullable Instant after) {
        if (before == null || after == null) {
            return before != after;
        }
        return Duration.between(before, after).abs().compareTo(NOTABLE) > 0;
    }
}
