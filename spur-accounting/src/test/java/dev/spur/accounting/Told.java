package dev.spur.accounting;

import dev.spur.accounting.amount.Times;
import dev.spur.api.v1.ClusterRecord;
import dev.spur.api.v1.JobRecord;
import dev.spur.api.v1.NodeRecord;
import dev.spur.api.v1.Record;
import dev.spur.api.v1.RecordBatch;
import dev.spur.api.v1.TimeLimit;
import dev.spur.api.v1.TresView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// What controllers tell in tests: records numbered in the order in which they are told.
public final class Told {
    public static final String CLUSTER = "anchor";
    public static final Instant NOON = Instant.parse("2026-03-10T12:00:00Z");

    private final List<Record> records = new ArrayList<>();

    public static long micros(Instant time) {
        return Times.micros(time);
    }

    /// A job of alice that was submitted at noon and waits.
    public static JobRecord.Builder job(int id) {
        return JobRecord.newBuilder()
                .setJobId(id)
                .setSubmitMicros(micros(NOON))
                .setEligibleMicros(micros(NOON))
                .setAttempt(1)
                .setName("train")
                .setUid(1001)
                .setGid(1001)
                .setUserName("alice")
                .setGroupName("alice")
                .setAccount("physics")
                .setAssociationId(7)
                .setQos("normal")
                .setPartition("debug")
                .setState("PENDING")
                .setReqCpus(2)
                .setTimeLimit(TimeLimit.newBuilder().setMinutes(60))
                .putTresRequested(1, 2);
    }

    /// The same, running.
    public static JobRecord.Builder running(int id, Instant start) {
        return job(id).setState("RUNNING")
                .setStartMicros(micros(start))
                .setAllocCpus(2)
                .setNodeList("n1")
                .setNodeCount(1)
                .putTresAllocated(1, 2)
                .putTresAllocated(2, 100)
                .putTresAllocated(4, 1);
    }

    public static JobRecord.Builder ended(int id, Instant start, Instant end) {
        return running(id, start).setState("COMPLETED").setEndMicros(micros(end));
    }

    public Told job(Instant at, JobRecord.Builder job) {
        return add(at, Record.newBuilder().setJob(job));
    }

    public Told node(Instant at, NodeRecord.Builder node) {
        return add(at, Record.newBuilder().setNode(node));
    }

    /// What the cluster has from now on.
    public Told capacity(Instant at, long cpus) {
        return add(
                at,
                Record.newBuilder()
                        .setCluster(
                                ClusterRecord.newBuilder()
                                        .setName(CLUSTER)
                                        .setNodes("n[1-4]")
                                        .putTres(1, cpus)
                                        .addRegistry(tres(1, "cpu", ""))
                                        .addRegistry(tres(2, "mem", ""))
                                        .addRegistry(tres(4, "node", ""))
                                        .addRegistry(tres(1001, "gres", "gpu"))));
    }

    private static TresView tres(int id, String type, String name) {
        return TresView.newBuilder().setId(id).setType(type).setName(name).build();
    }

    public Told add(Instant at, Record.Builder record) {
        records.add(
                record.setEntry(records.size() / 3 + 1L)
                        .setOrdinal(records.size() % 3)
                        .setAtMicros(micros(at))
                        .build());
        return this;
    }

    public List<Record> records() {
        return records;
    }

    public RecordBatch all() {
        return batch(0, records.size());
    }

    public RecordBatch batch(int from, int until) {
        return RecordBatch.newBuilder()
                .setCluster(CLUSTER)
                .addAllRecords(records.subList(from, until))
                .build();
    }
}
