package dev.spur.cli.history;

import dev.spur.api.client.ControllerClient;
import dev.spur.api.client.ControllerException;
import dev.spur.api.v1.JobHistory;
import dev.spur.api.v1.ListJobHistoryRequest;
import dev.spur.api.v1.ListRecordsRequest;
import dev.spur.api.v1.RecordQuery;
import dev.spur.api.v1.StepRecord;
import dev.spur.cli.Failure;
import dev.spur.cli.Invocation;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Jobs, whether they ended years ago or were submitted this second: those that spurdbd has and
/// those that the controller knows, each once.
///
/// The controller tells of everything that spurdbd cannot have yet, so a job is there the moment
/// that `sbatch` has answered. When one of the two is away, the other's jobs are what there is, and
/// a line says so.
public final class JobHistories {
    private static final Comparator<JobHistory> ORDER =
            Comparator.comparingLong((JobHistory each) -> each.getJob().getSubmitMicros())
                    .thenComparingLong(each -> lead(each) & 0xffff_ffffL)
                    // What is left of an array follows its tasks.
                    .thenComparing(each -> !each.getJob().getArrayPending().isEmpty())
                    .thenComparing(each -> each.getJob().getHetOffset())
                    .thenComparingLong(each -> each.getJob().getJobId() & 0xffff_ffffL)
                    .thenComparingInt(each -> each.getJob().getAttempt());

    private final Invocation in;
    private final ControllerClient client;
    private final Map<Key, JobHistory> found = new LinkedHashMap<>();
    private final Map<Integer, String> tres = new TreeMap<>();
    private String cluster = "";

    private record Key(String cluster, int job, long submitted, int attempt) {
        static Key of(JobHistory each) {
            var job = each.getJob();
            return new Key(
                    each.getCluster(), job.getJobId(), job.getSubmitMicros(), job.getAttempt());
        }
    }

    /// @param tres names of resources by number
    public record Found(List<JobHistory> jobs, Map<Integer, String> tres, String cluster) {
        public Found {
            jobs = List.copyOf(jobs);
            tres = Map.copyOf(tres);
        }
    }

    private JobHistories(Invocation in, ControllerClient client) {
        this.in = in;
        this.client = client;
    }

    public static Found find(Invocation in, ControllerClient client, RecordQuery query) {
        var histories = new JobHistories(in, client);
        var recorded = histories.recorded(query);
        var known = histories.known(query);
        if (recorded != null && known != null) {
            throw known;
        }
        if (recorded != null) {
            histories.warn("%s.\nOnly jobs that the controller still knows are shown.", recorded);
        } else if (known != null) {
            histories.warn("%s.\nJobs of the last seconds may be missing or out of date.", known);
        }
        return histories.result(query.getDuplicates());
    }

    private void warn(String text, RuntimeException why) {
        in.err().println(in.program() + ": " + text.formatted(why.getMessage()));
    }

    /// From spurdbd; why not, if it could not be asked.
    private @Nullable RuntimeException recorded(RecordQuery query) {
        try {
            var request = ListJobHistoryRequest.newBuilder().setQuery(query).build();
            AccountingService.of(in, client)
                    .each(
                            service -> service.listJobs(request),
                            page -> {
                                page.getTresList()
                                        .forEach(each ->
                                                tres.put(
                                                        each.getId(),
                                                        Amounts.name(
                                                                each.getType(), each.getName())));
                                page.getJobsList().forEach(this::add);
                                if (!page.getCluster().isEmpty()) {
                                    cluster = page.getCluster();
                                }
                            });
            return null;
        } catch (ControllerException e) {
            if (e.kind() == ControllerException.Kind.REFUSED) {
                throw e;
            }
            return e;
        } catch (AccountingService.NotThereException e) {
            return e;
        }
    }

    /// From the controller, whose word is never older.
    private @Nullable ControllerException known(RecordQuery query) {
        try {
            var request = ListRecordsRequest.newBuilder().setQuery(query).build();
            client.eachOfAccounts(
                    accounts -> accounts.listRecords(request),
                    page -> {
                        if (!page.getCluster().isEmpty()) {
                            cluster = page.getCluster();
                        }
                        page.getTresList()
                                .forEach(each ->
                                        tres.put(
                                                each.getId(),
                                                Amounts.name(each.getType(), each.getName())));
                        page.getJobsList().forEach(this::add);
                    });
            return null;
        } catch (ControllerException e) {
            if (e.kind() == ControllerException.Kind.REFUSED) {
                throw e;
            }
            return e;
        }
    }

    private void add(JobHistory each) {
        found.merge(Key.of(each), each, JobHistories::merged);
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

    private Found result(boolean duplicates) {
        var jobs = new ArrayList<>(found.values());
        jobs.sort(ORDER);
        return new Found(duplicates ? jobs : latest(jobs), tres, cluster);
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

    /// The one job that is meant, for commands about one.
    public static JobHistory one(Found found, String id) {
        if (found.jobs().isEmpty()) {
            throw new Failure("no job " + id + " is known, or it is not yours to see");
        }
        return found.jobs().getLast();
    }
}
