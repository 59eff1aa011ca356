package dev.spur.accounting.ingest;

import dev.spur.accounting.account.AccountRepository;
import dev.spur.accounting.account.TransactionRepository;
import dev.spur.accounting.amount.Times;
import dev.spur.accounting.cluster.ClusterRepository;
import dev.spur.accounting.cluster.Position;
import dev.spur.accounting.job.HoursToRoll;
import dev.spur.accounting.job.JobKey;
import dev.spur.accounting.job.JobRepository;
import dev.spur.accounting.job.JobRow;
import dev.spur.accounting.job.Months;
import dev.spur.accounting.job.PayerRepository;
import dev.spur.accounting.job.TouchedHours;
import dev.spur.accounting.node.NodeEventRepository;
import dev.spur.accounting.reservation.ReservationRepository;
import dev.spur.api.v1.Record;
import dev.spur.api.v1.RecordBatch;
import dev.spur.api.v1.StepRecord;
import java.time.InstantSource;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/// Stores batches of records, each in one transaction together with its position: what was
/// committed is known to be here, what was not comes again, and a record that comes again is told
/// by its number.
///
/// ```
/// batch ─► begin ─► hold the cluster's row ─► leave out what is here ─► rows ─► position ─► commit ─► acknowledge
/// ```
///
/// For one cluster and one thread.
public final class RecordStore {
    private final Jdbi jdbi;
    private final Months months;
    private final InstantSource clock;
    private final String cluster;
    private final String identity;
    private final PayerRepository payers = new PayerRepository();

    public RecordStore(Jdbi jdbi, Months months, InstantSource clock, String cluster) {
        this(jdbi, months, clock, cluster, "");
    }

    /// @param identity of the cluster; empty: whichever has the name
    public RecordStore(
            Jdbi jdbi, Months months, InstantSource clock, String cluster, String identity) {
        this.jdbi = jdbi;
        this.months = months;
        this.clock = clock;
        this.cluster = cluster;
        this.identity = identity;
    }

    /// The last record that is stored.
    public Position position() {
        return cluster().position();
    }

    /// Where it stores.
    ClusterRepository.Cluster cluster() {
        return jdbi.inTransaction(handle -> new ClusterRepository(handle).hold(cluster, identity));
    }

    /// @return the last record that is stored now
    public Position store(RecordBatch batch) {
        try {
            return storeAll(batch);
        } catch (RuntimeException e) {
            months.forget(); // somebody may have purged one meanwhile
            throw e;
        }
    }

    private Position storeAll(RecordBatch batch) {
        months.prepare(submitTimes(batch));
        var pending = new PayerRepository.Pending[1];
        var position =
                jdbi.inTransaction(handle -> {
                    var held = new ClusterRepository(handle).hold(cluster, identity);
                    pending[0] = payers.in(handle, held.id());
                    return new Transaction(handle, held, pending[0]).store(batch);
                });
        pending[0].committed();
        return position;
    }

    private static List<OffsetDateTime> submitTimes(RecordBatch batch) {
        var times = new ArrayList<OffsetDateTime>();
        for (var record : batch.getRecordsList()) {
            if (record.hasJob()) {
                times.add(Times.exact(record.getJob().getSubmitMicros()));
            } else if (record.hasStep()) {
                times.add(Times.exact(record.getStep().getSubmitMicros()));
            }
        }
        return times;
    }

    private record StepKey(JobKey job, int step) {}

    private final class Transaction {
        private final Handle handle;
        private final ClusterRepository.Cluster held;
        private final PayerRepository.Pending pending;
        private final JobRepository repository;
        private final @Nullable TouchedHours touched;
        private final Map<JobKey, JobRow> jobs = new LinkedHashMap<>();
        private final Map<StepKey, StepRecord> steps = new LinkedHashMap<>();

        Transaction(
                Handle handle, ClusterRepository.Cluster held, PayerRepository.Pending pending) {
            this.handle = handle;
            this.held = held;
            this.pending = pending;
            this.repository = new JobRepository(handle, held.id());
            this.touched =
                    held.rolledUntil() == null
                            ? null
                            : new TouchedHours(held.rolledUntil(), held.rawFrom());
        }

        Position store(RecordBatch batch) {
            var last = held.position();
            var until = held.storedUntil();
            for (var file : batch.getFilesList()) {
                repository.storeFile(
                        file.getSha256().toByteArray(),
                        file.getContent().toByteArray(),
                        Times.at(clock.instant()));
            }
            for (var record : batch.getRecordsList()) {
                var position = Position.of(record);
                if (position.compareTo(last) > 0) {
                    take(record);
                    last = position;
                    until = Times.exact(record.getAtMicros());
                }
            }
            storeJobs();
            repository.storeSteps(steps.values());
            if (touched != null) {
                new HoursToRoll(handle).add(held.id(), touched.hours());
            }
            if (until != null && (last.compareTo(held.position()) > 0 || batch.getGap())) {
                new ClusterRepository(handle).stored(held.id(), last, until, batch.getGap());
            }
            return last;
        }

        private void take(Record record) {
            var at = Times.second(record.getAtMicros());
            switch (record.getRecordCase()) {
                case JOB -> {
                    var row = JobRow.of(record.getJob());
                    jobs.put(row.key(), row);
                    suspended(row);
                }
                case STEP -> {
                    var step = record.getStep();
                    steps.put(new StepKey(JobKey.of(step), step.getStepId()), step);
                }
                case NODE ->
                        touch(
                                new NodeEventRepository(handle)
                                        .changed(held.id(), at, record.getNode()));
                case ACCOUNTS -> {
                    // What was there when the recording began, nobody has just changed.
                    if (!record.getAccounts().getAction().isEmpty()) {
                        new TransactionRepository(handle)
                                .add(
                                        held.id(),
                                        Times.exact(record.getAtMicros()),
                                        record.getAccounts());
                    }
                    new AccountRepository(handle, held.id()).changed(at, record.getAccounts());
                }
                case CLUSTER -> {
                    new ClusterRepository(handle).has(held.id(), at, record.getCluster());
                    touch(at);
                }
                case RESERVATION ->
                        touch(
                                new ReservationRepository(handle)
                                        .changed(held.id(), at, record.getReservation()));
                case RECORD_NOT_SET -> throw new UnknownRecordException(Position.of(record));
            }
        }

        private void suspended(JobRow row) {
            var record = row.record();
            if (record.getSuspendedSinceMicros() != 0 || record.getSuspendedSeconds() != 0) {
                touch(repository.suspended(row));
            }
        }

        private void touch(@Nullable OffsetDateTime from) {
            if (touched != null && from != null) {
                touched.add(from, Times.NEVER);
            }
        }

        private void storeJobs() {
            if (touched != null) {
                var early =
                        jobs.values().stream()
                                .filter(row -> row.reachesInto(touched.rolledUntil()))
                                .toList();
                if (!early.isEmpty()) {
                    var known = repository.known(early.stream().map(JobRow::key).toList());
                    early.forEach(row -> touched.changed(known.get(row.key()), row));
                }
            }
            repository.store(jobs.values(), pending::of);
        }
    }
}
