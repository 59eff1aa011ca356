package dev.spur.cli.testing;

import static dev.spur.cli.testing.RecordedJobs.micros;

import com.google.protobuf.ByteString;
import dev.spur.api.v1.AccountsGrpc;
import dev.spur.api.v1.GetJobFileReply;
import dev.spur.api.v1.GetJobFileRequest;
import dev.spur.api.v1.HistoryGrpc;
import dev.spur.api.v1.JobHistory;
import dev.spur.api.v1.JobRecord;
import dev.spur.api.v1.ListJobHistoryReply;
import dev.spur.api.v1.ListJobHistoryRequest;
import dev.spur.api.v1.ListRecordsReply;
import dev.spur.api.v1.ListRecordsRequest;
import dev.spur.api.v1.RecordQuery;
import dev.spur.api.v1.StepRecord;
import dev.spur.api.v1.StepUsage;
import dev.spur.api.v1.TresView;
import dev.spur.model.StepId;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// What the accounting of the recorded cluster knows: some jobs are in the database, some only the
/// controller has.
public final class RecordedHistory {
    public static final Map<Integer, String> TRES =
            Map.of(
                    1,
                    "cpu",
                    2,
                    "mem",
                    4,
                    "node",
                    5,
                    "billing",
                    1001,
                    "gres/gpu",
                    1002,
                    "gres/gpu:tesla");

    private final List<JobHistory> stored = new ArrayList<>();
    private final List<JobHistory> known = new ArrayList<>();
    private RecordQuery asked = RecordQuery.getDefaultInstance();
    private boolean databaseIsAway;

    /// spurdbd has this.
    public RecordedHistory stored(JobHistory... jobs) {
        stored.addAll(List.of(jobs));
        return this;
    }

    /// The controller knows this.
    public RecordedHistory known(JobHistory... jobs) {
        known.addAll(List.of(jobs));
        return this;
    }

    public RecordedHistory withoutDatabase() {
        databaseIsAway = true;
        return this;
    }

    public RecordQuery asked() {
        return asked;
    }

    public HistoryGrpc.HistoryImplBase history() {
        return new HistoryGrpc.HistoryImplBase() {
            @Override
            public void listJobs(
                    ListJobHistoryRequest request, StreamObserver<ListJobHistoryReply> reply) {
                asked = request.getQuery();
                if (databaseIsAway) {
                    reply.onError(Status.UNAVAILABLE.asRuntimeException());
                    return;
                }
                RecordedCluster.answer(
                        reply,
                        ListJobHistoryReply.newBuilder()
                                .setCluster("anchor0")
                                .addAllTres(tres())
                                .addAllJobs(wanted(stored, request.getQuery()))
                                .build());
            }

            @Override
            public void getJobFile(
                    GetJobFileRequest request, StreamObserver<GetJobFileReply> reply) {
                RecordedCluster.answer(
                        reply,
                        GetJobFileReply.newBuilder()
                                .setContent(
                                        ByteString.copyFromUtf8(
                                                """
                                                #!/bin/bash
                                                #SBATCH --job-name=hello
                                                #SBATCH --time=5
                                                #SBATCH --ntasks=2
                                                #SBATCH --output=hello-%j.out
                                                echo start
                                                srun -n2 hostname
                                                srun -n1 --job-name=mystep sleep 1
                                                """))
                                .build());
            }
        };
    }

    public AccountsGrpc.AccountsImplBase accounts() {
        return new AccountsGrpc.AccountsImplBase() {
            @Override
            public void listRecords(
                    ListRecordsRequest request, StreamObserver<ListRecordsReply> reply) {
                RecordedCluster.answer(
                        reply,
                        ListRecordsReply.newBuilder()
                                .setCluster("anchor0")
                                .addAllTres(tres())
                                .addAllJobs(wanted(known, request.getQuery()))
                                .build());
            }
        };
    }

    private static List<TresView> tres() {
        var views = new ArrayList<TresView>();
        TRES.forEach((id, name) -> {
            var slash = name.indexOf('/');
            views.add(
                    TresView.newBuilder()
                            .setId(id)
                            .setType(slash < 0 ? name : name.substring(0, slash))
                            .setName(slash < 0 ? "" : name.substring(slash + 1))
                            .build());
        });
        return views;
    }

    private static List<JobHistory> wanted(List<JobHistory> all, RecordQuery query) {
        return all.stream()
                .filter(each ->
                        query.getIdsCount() == 0
                                || query.getIdsList()
                                        .contains(Integer.toString(each.getJob().getJobId()))
                                || query.getIdsList()
                                        .contains(Integer.toString(each.getJob().getArrayJobId())))
                .filter(each ->
                        query.getStatesCount() == 0
                                || query.getStatesList().contains(each.getJob().getState()))
                .map(each -> query.getSteps() ? each : each.toBuilder().clearSteps().build())
                .toList();
    }

    /// A job of alice's that ran on one CPU of node1 in the second of its submission.
    public static JobRecord.Builder job(int id, String name, String state) {
        return JobRecord.newBuilder()
                .setJobId(id)
                .setSubmitMicros(micros("2026-11-15T18:48:13") + id)
                .setEligibleMicros(micros("2026-11-15T18:48:13"))
                .setStartMicros(micros("2026-11-15T18:48:14"))
                .setEndMicros(micros("2026-11-15T18:48:14"))
                .setName(name)
                .setUid(1002)
                .setUserName("alice")
                .setAccount("physics")
                .setPartition("debug")
                .setState(state)
                .setNodeList("node1")
                .setNodeCount(1)
                .setReqCpus(1)
                .setAllocCpus(1);
    }

    public static StepRecord.Builder step(JobRecord.Builder job, StepId id, String name) {
        return StepRecord.newBuilder()
                .setJobId(job.getJobId())
                .setStepId(id.value())
                .setName(name)
                .setState(job.getState())
                .setStartMicros(job.getStartMicros())
                .setEndMicros(job.getEndMicros())
                .setNodeList(job.getNodeList())
                .setNodeCount(job.getNodeCount())
                .setTasks(1)
                .setCpus(job.getAllocCpus());
    }

    public static StepUsage.Builder processorTime(int milliseconds) {
        return StepUsage.newBuilder().setUserMicros(milliseconds * 1000L).setAveCpuMicros(0);
    }

    public static JobHistory of(JobRecord.Builder job, StepRecord.Builder... steps) {
        var history = JobHistory.newBuilder().setCluster("anchor0").setJob(job);
        List.of(steps).forEach(history::addSteps);
        return history.build();
    }
}
