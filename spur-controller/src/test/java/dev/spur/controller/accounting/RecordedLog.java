package dev.spur.controller.accounting;

import dev.spur.api.v1.JobRecord;
import dev.spur.api.v1.NodeRecord;
import dev.spur.api.v1.Record;
import dev.spur.api.v1.StepRecord;
import dev.spur.controller.blob.BlobStore;
import dev.spur.controller.state.ClusterReplica;
import dev.spur.controller.state.EventFeed;
import dev.spur.controller.state.Proposal;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.RecordNumber;
import dev.spur.engine.state.Snapshot;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// A controller that applies a log, one command per entry, and writes its records.
final class RecordedLog implements AutoCloseable {
    private final Path directory;
    private ReplicatedState state = new ReplicatedState();
    private BlobStore blobs;
    private Spool spool;
    private ClusterReplica replica;
    private long applied;
    private long snapshotAt;
    private byte[] snapshot = {};
    private int snapshots;

    RecordedLog(Path directory) throws IOException {
        this.directory = directory;
        open();
    }

    private void open() throws IOException {
        state = new ReplicatedState();
        blobs = BlobStore.open(directory.resolve("blobs"));
        spool = Spool.open(directory.resolve("spool"));
        replica = new ClusterReplica(state, blobs, spool, new EventFeed(state, _ -> {}));
    }

    /// Those of the log that are not applied yet, several in an entry.
    void apply(List<Command> log, int inEachEntry) {
        while (applied * inEachEntry < log.size()) {
            var from = (int) applied * inEachEntry;
            var entry = log.subList(from, Math.min(log.size(), from + inEachEntry));
            applied++;
            replica.apply(applied, entry.stream().map(Proposal::of).toList());
        }
    }

    void apply(List<Command> log) {
        apply(log, 1);
    }

    void takeSnapshot() throws IOException {
        var image = replica.image();
        var out = new ByteArrayOutputStream();
        image.writeTo(out);
        image.linkFiles(Files.createDirectories(directory.resolve("files" + ++snapshots)));
        snapshot = out.toByteArray();
        snapshotAt = applied;
    }

    /// From the last snapshot.
    void restart() throws IOException {
        close();
        open();
        applied = snapshotAt;
        if (snapshots > 0) {
            replica.restore(
                    new ByteArrayInputStream(snapshot), directory.resolve("files" + snapshots));
        }
    }

    Spool spool() {
        return spool;
    }

    Snapshot state() {
        return state.snapshot();
    }

    List<Record> records() throws IOException {
        var records = new ArrayList<Record>();
        try (var reader = spool.readBehind(RecordNumber.NONE)) {
            for (var bytes : reader.next(Integer.MAX_VALUE).records()) {
                records.add(Record.parseFrom(bytes));
            }
        }
        return records;
    }

    /// What a database has in the end: the last record of each attempt of each job.
    Map<String, JobRecord> jobs() throws IOException {
        var jobs = new LinkedHashMap<String, JobRecord>();
        for (var record : records()) {
            if (record.hasJob()) {
                var job = record.getJob();
                jobs.put(job.getJobId() + "/" + job.getAttempt(), job);
            }
        }
        return jobs;
    }

    Map<String, StepRecord> steps() throws IOException {
        var steps = new LinkedHashMap<String, StepRecord>();
        for (var record : records()) {
            if (record.hasStep()) {
                var step = record.getStep();
                steps.put(
                        step.getJobId()
                                + "/"
                                + step.getAttempt()
                                + "."
                                + new dev.spur.model.StepId(step.getStepId()),
                        step);
            }
        }
        return steps;
    }

    List<NodeRecord> nodes() throws IOException {
        return records().stream().filter(Record::hasNode).map(Record::getNode).toList();
    }

    @Override
    public void close() throws IOException {
        blobs.close();
        spool.close();
    }
}
