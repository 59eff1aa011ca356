package dev.spur.api.records;

import dev.spur.api.client.ControllerClient;
import dev.spur.api.client.ControllerException;
import dev.spur.api.client.HistoryClient;
import dev.spur.api.v1.JobHistory;
import dev.spur.api.v1.ListJobHistoryRequest;
import dev.spur.api.v1.ListRecordsRequest;
import dev.spur.api.v1.RecordQuery;
import dev.spur.api.v1.StepRecord;
import dev.spur.api.v1.TresView;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Jobs, whether they ended years ago or were submitted this second: those that spurdbd has and
/// those that the controller knows, each once.
///
/// The controller tells of everything that spurdbd cannot have yet, so a job is there the moment
/// that `sbatch` has answered. When one of the two is away, the other's jobs are what there is, and
/// who asked is told.
public final class JobHistories {
    private static final Comparator<JobHistory> ORDER =
            Comparator.comparingLong((JobHistory each) -> each.getJob().getSubmitMicros())
                    .thenComparingLong(each -> lead(each) & 0xffff_ffffL)
                    // What is left of an array follows its tasks.
                    .thenComparing(each -> !each.getJob().getArrayPending().isEmpty())
                    .thenComparing(each -> each.getJob().getHetOffset())
                    .thenComparingLong(each -> each.getJob().getJobId() & 0xffff_ffffL)
                    .thenComparingInt(each -> each.getJob().getAttempt());

    private final ControllerClient client;
    private final Supplier<HistoryClient> service;
    private final Map<Key, JobHistory> found = new LinkedHashMap<>();
    private final Map<Integer, TresView> tres = new TreeMap<>();
    private String cluster = "";

    private record Key(String cluster, int job, long submitted, int attempt) {
        static Key of(JobHistory each) {
            var job = each.getJob();
            return new Key(
                    each.getCluster(), job.getJobId(), job.getSubmitMicros(), job.getAttempt());
        }
    }

    /// @param withoutService why spurdbd was not asked, if it was not
    /// @param withoutController why the controller was not asked, if it was not
    public record Found(
            List<JobHistory> jobs,
            List<TresView> tres,
            String cluster,
            @Nullable RuntimeException withoutService,
            @Nullable ControllerException withoutController) {
        public Found {
            jobs = List.copyOf(jobs);
            tres = List.copyOf(tres);
        }
    }

    /// The cluster keeps no accounting.
    public static class NoAccountingException extends RuntimeException {
        private static final long serialVersionUID = 1;

        public NoAccountingException() {
            // Slurm's words: clients look for them.
            super("Slurm accounting storage is disabled", null, false, false);
        }
    }

    private JobHistories(ControllerClient client, Supplier<HistoryClient> service) {
        this.client = client;
        this.service = service;
    }

    /// @param service spurdbd; throws [NoAccountingException] where there is none
    /// @throws ControllerException if both are away, or one refuses
    public static Found find(
            ControllerClient client, Supplier<HistoryClient> service, RecordQuery query) {
        var histories = new JobHistories(client, service);
        var recorded = histories.recorded(query);
        var known = histories.known(query);
        if (recorded != null && known != null) {
            throw known;
        }
        return histories.result(query.getDuplicates(), recorded, known);
    }

    /// From spurdbd; why not, if it could not be asked.
    private @Nullable RuntimeException recorded(RecordQuery query) {
        try {
            var request = ListJobHistoryRequest.newBuilder().setQuery(query).build();
            service.get()
                    .each(
                            history -> history.listJobs(request),
                            page ->
                                    take(
                                            page.getJobsList(),
                                            page.getTresList(),
                                            page.getCluster()));
            return null;
        } catch (ControllerException e) {
            if (e.kind() == ControllerException.Kind.REFUSED) {
                throw e;
            }
            return e;
        } catch (NoAccountingException e) {
            return e;
        }
    }

    /// From the controller, whose word is never older.
    private @Nullable ControllerException known(RecordQuery query) {
        try {
            var request = ListRecordsRequest.newBuilder().setQuery(query).build();
            client.eachOfAccounts(
                    accounts -> accounts.listRecords(request),
                    page -> take(page.getJobsList(), page.getTresList(), page.getCluster()));
            return null;
        } catch (ControllerException e) {
            if (e.kind() == ControllerException.Kind.REFUSED) {
                throw e;
            }
            return e;
        }
    }

    private void take(List<JobHistory> jobs, List<TresView> resources, String name) {
        resources.forEach(each -> tres.put(each.getId(), each));
        jobs.forEach(each -> found.merge(Key.of(each), each, JobHistories::merged));
        if (!name.isEmpty()) {
            cluster = name;
        }
    }

    /// The later word counts; steps that it has forgotten are kept.
    private static JobHistory merged(JobHistory earlier, JobHistory later) {
        var steps = new LinkedHashMap<Integer, StepRecord>();
        earlier.getStepsList().forEach(step -> steps.put(step.getStepId(), step));
        later.getStepsList().forEach(step -> steps.put(step.getStepId(), step));
        return later.toBuilder()
                .clearSteps()
                .addAllSteps(steps.values())
                .setDbIndex(earlier.getDbIndex())
                .setWckeyId(earlier.getWckeyId())
                .build();
    }

    private Found result(
            boolean duplicates,
            @Nullable RuntimeException recorded,
            @Nullable ControllerException known) {
        var jobs = new ArrayList<>(found.values());
        jobs.sort(ORDER);
        return new Found(
                duplicates ? jobs : latest(jobs),
                List.copyOf(tres.values()),
                cluster,
                recorded,
                known);
    }

    /// Of several runs under one id the last.
    private static List<JobHistory> latest(List<JobHistory> jobs) {
        var last = new LinkedHashMap<String, JobHistory>();
        for (var each : jobs) {
            var id = each.getCluster() + " " + each.getJob().getJobId();
            last.remove(id);
            last.put(id, each);
        }
        return List.copyOf(last.values());
    }

    /// The job that gives a group of jobs its place in a list.
    private static int lead(JobHistory each) {
        var job = each.getJob();
        return job.getArrayJobId() != 0
                ? job.getArrayJobId()
                : job.getHetJobId() != 0 ? job.getHetJobId() : job.getJobId();
    }
}
