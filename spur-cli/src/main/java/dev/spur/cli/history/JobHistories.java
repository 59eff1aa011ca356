package dev.spur.cli.history;

import dev.spur.api.client.ControllerClient;
import dev.spur.api.v1.JobHistory;
import dev.spur.api.v1.RecordQuery;
import dev.spur.api.v1.TresView;
import dev.spur.cli.Failure;
import dev.spur.cli.Invocation;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Jobs of the past and of the present, for the caller of a command: when spurdbd or the controller
/// is away, a line says what may be missing.
public final class JobHistories {
    private JobHistories() {}

    /// @param tres names of resources by number
    /// @param countable the resources themselves
    public record Found(
            List<JobHistory> jobs,
            Map<Integer, String> tres,
            List<TresView> countable,
            String cluster) {
        public Found {
            jobs = List.copyOf(jobs);
            tres = Map.copyOf(tres);
            countable = List.copyOf(countable);
        }
    }

    public static Found find(Invocation in, ControllerClient client, RecordQuery query) {
        var found =
                dev.spur.api.records.JobHistories.find(
                        client, () -> AccountingService.of(in, client), query);
        if (found.withoutService() != null) {
            warn(
                    in,
                    "%s.\nOnly jobs that the controller still knows are shown.",
                    found.withoutService());
        } else if (found.withoutController() != null) {
            warn(
                    in,
                    "%s.\nJobs of the last seconds may be missing or out of date.",
                    found.withoutController());
        }
        var names = new TreeMap<Integer, String>();
        found.tres()
                .forEach(each ->
                        names.put(each.getId(), Amounts.name(each.getType(), each.getName())));
        return new Found(found.jobs(), names, found.tres(), found.cluster());
    }

    private static void warn(Invocation in, String text, RuntimeException why) {
        in.err().println(in.program() + ": " + text.formatted(why.getMessage()));
    }

    /// The one job that is meant, for commands about one.
    public static JobHistory one(Found found, String id) {
        if (found.jobs().isEmpty()) {
            throw new Failure("no job " + id + " is known, or it is not yours to see");
        }
        return found.jobs().getLast();
    }
}
