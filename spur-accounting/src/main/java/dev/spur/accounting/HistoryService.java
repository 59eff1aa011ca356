package dev.spur.accounting;

import com.google.protobuf.ByteString;
import dev.spur.accounting.access.Answers;
import dev.spur.accounting.access.CallCounts;
import dev.spur.accounting.access.Viewer;
import dev.spur.accounting.account.TransactionRepository;
import dev.spur.accounting.amount.Times;
import dev.spur.accounting.archive.JobArchive;
import dev.spur.accounting.archive.Purge;
import dev.spur.accounting.archive.Retention;
import dev.spur.accounting.archive.RowArchive;
import dev.spur.accounting.cluster.ClusterRepository;
import dev.spur.accounting.cluster.EventListing;
import dev.spur.accounting.job.JobFiles;
import dev.spur.accounting.job.JobHistoryListing;
import dev.spur.accounting.job.Runaways;
import dev.spur.accounting.usage.Reports;
import dev.spur.accounting.usage.RollUpClock;
import dev.spur.api.v1.ArchiveReply;
import dev.spur.api.v1.ArchiveRequest;
import dev.spur.api.v1.FixRunawaysReply;
import dev.spur.api.v1.FixRunawaysRequest;
import dev.spur.api.v1.GetJobFileReply;
import dev.spur.api.v1.GetJobFileRequest;
import dev.spur.api.v1.HistoryGrpc;
import dev.spur.api.v1.HistoryStatsReply;
import dev.spur.api.v1.HistoryStatsRequest;
import dev.spur.api.v1.ListEventsReply;
import dev.spur.api.v1.ListEventsRequest;
import dev.spur.api.v1.ListJobHistoryReply;
import dev.spur.api.v1.ListJobHistoryRequest;
import dev.spur.api.v1.ListRunawaysReply;
import dev.spur.api.v1.ListRunawaysRequest;
import dev.spur.api.v1.ListTransactionsReply;
import dev.spur.api.v1.ListTransactionsRequest;
import dev.spur.api.v1.ReportReply;
import dev.spur.api.v1.ReportRequest;
import dev.spur.model.ErrorCode;
import dev.spur.model.SpurException;
import io.grpc.stub.StreamObserver;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;
import org.jdbi.v3.core.Jdbi;

/// Answers questions about what was done. No rule lives here but who may ask.
final class HistoryService extends HistoryGrpc.HistoryImplBase {
    private static final int PART = 1_000;

    private final Jdbi jdbi;
    private final InstantSource clock;
    private final Instant since;
    private final JobHistoryListing jobs;
    private final JobFiles files;
    private final Reports reports;
    private final Runaways runaways;
    private final Purge purge;
    private final JobArchive archive;
    private final RowArchive rows;
    private final RollUpClock rollUps;
    private final CallCounts calls;
    private final LongSupplier waiting;

    /// @param waiting records that the controllers have and this has not
    HistoryService(
            Jdbi jdbi,
            InstantSource clock,
            Purge purge,
            JobArchive archive,
            RowArchive rows,
            RollUpClock rollUps,
            CallCounts calls,
            LongSupplier waiting) {
        this.jdbi = jdbi;
        this.clock = clock;
        this.since = clock.instant();
        this.jobs = new JobHistoryListing(jdbi, clock);
        this.files = new JobFiles(jdbi);
        this.reports = new Reports(jdbi, clock);
        this.runaways = new Runaways(jdbi);
        this.purge = purge;
        this.archive = archive;
        this.rows = rows;
        this.rollUps = rollUps;
        this.calls = calls;
        this.waiting = waiting;
    }

    @Override
    public void listJobs(ListJobHistoryRequest request, StreamObserver<ListJobHistoryReply> reply) {
        var viewer = Viewer.current();
        Answers.many(reply, answer -> jobs.list(request, viewer, answer));
    }

    @Override
    public void getJobFile(GetJobFileRequest request, StreamObserver<GetJobFileReply> reply) {
        var viewer = Viewer.current();
        Answers.one(
                reply,
                () ->
                        GetJobFileReply.newBuilder()
                                .setContent(ByteString.copyFrom(files.find(request, viewer)))
                                .build());
    }

    @Override
    public void report(ReportRequest request, StreamObserver<ReportReply> reply) {
        var viewer = Viewer.current();
        Answers.one(reply, () -> reports.report(request, viewer));
    }

    @Override
    public void listTransactions(
            ListTransactionsRequest request, StreamObserver<ListTransactionsReply> reply) {
        var viewer = Viewer.current();
        Answers.many(
                reply,
                answer -> {
                    requireOperator(viewer);
                    jdbi.useTransaction(handle -> {
                        var part = ListTransactionsReply.newBuilder();
                        new TransactionRepository(handle)
                                .each(
                                        request,
                                        each -> {
                                            part.addTransactions(each);
                                            if (part.getTransactionsCount() == PART) {
                                                answer.accept(part.build());
                                                part.clear();
                                            }
                                        });
                        answer.accept(part.build());
                    });
                });
    }

    @Override
    public void listEvents(ListEventsRequest request, StreamObserver<ListEventsReply> reply) {
        Answers.many(
                reply,
                answer -> {
                    var part = ListEventsReply.newBuilder();
                    new EventListing(jdbi, clock)
                            .each(
                                    request,
                                    each -> {
                                        part.addEvents(each);
                                        if (part.getEventsCount() == PART) {
                                            answer.accept(part.build());
                                            part.clear();
                                        }
                                    });
                    answer.accept(part.build());
                });
    }

    @Override
    public void listRunaways(ListRunawaysRequest request, StreamObserver<ListRunawaysReply> reply) {
        var viewer = Viewer.current();
        Answers.one(
                reply,
                () -> {
                    requireOperator(viewer);
                    return ListRunawaysReply.newBuilder().addAllJobs(runaways.notEnded()).build();
                });
    }

    @Override
    public void fixRunaways(FixRunawaysRequest request, StreamObserver<FixRunawaysReply> reply) {
        var viewer = Viewer.current();
        Answers.one(
                reply,
                () -> {
                    requireOperator(viewer);
                    return FixRunawaysReply.newBuilder()
                            .setFixed(runaways.end(request.getDbIndicesList()))
                            .build();
                });
    }

    @Override
    public void stats(HistoryStatsRequest request, StreamObserver<HistoryStatsReply> reply) {
        var viewer = Viewer.current();
        Answers.one(
                reply,
                () -> {
                    requireOperator(viewer);
                    return stats();
                });
    }

    private HistoryStatsReply stats() {
        return jdbi.withHandle(handle -> {
            var stats =
                    HistoryStatsReply.newBuilder()
                            .setSinceMicros(Times.micros(since))
                            .setNowMicros(Times.micros(clock.instant()))
                            .setLagRecords(waiting.getAsLong())
                            .addAllCalls(calls.all());
            rollUps.addTo(stats);
            new ClusterRepository(handle)
                    .all()
                    .forEach(cluster ->
                            stats.setStoredUntilMicros(
                                    Math.max(
                                            stats.getStoredUntilMicros(),
                                            Times.micros(cluster.storedUntil()))));
            // Of the last look of the server at its tables: to count millions takes seconds.
            handle.createQuery(
                            """
                            select (select coalesce(sum(n_live_tup), 0) from pg_stat_user_tables where relname like 'job\\_%') as jobs,
                                   (select coalesce(sum(n_live_tup), 0) from pg_stat_user_tables where relname like 'step\\_%') as steps,
                                   pg_database_size(current_database()) as bytes,
                                   current_setting('server_version') as version
                            """)
                    .map((rows, _) ->
                            stats.setJobs(rows.getLong("jobs"))
                                    .setSteps(rows.getLong("steps"))
                                    .setRecords(rows.getLong("jobs") + rows.getLong("steps"))
                                    .setDatabaseBytes(rows.getLong("bytes"))
                                    .setDatabaseVersion(rows.getString("version")))
                    .one();
            return stats.build();
        });
    }

    @Override
    public void archive(ArchiveRequest request, StreamObserver<ArchiveReply> reply) {
        var viewer = Viewer.current();
        Answers.one(
                reply,
                () -> {
                    if (viewer.level() != Viewer.Level.ADMIN) {
                        throw denied();
                    }
                    return archive(request);
                });
    }

    /// Files first: what could not be written is not removed.
    private ArchiveReply archive(ArchiveRequest request) {
        var reply = ArchiveReply.newBuilder();
        if (!request.getLoad().isEmpty()) {
            return reply.setRows(archive.load(Path.of(request.getLoad()))).build();
        }
        if (request.getBeforeMicros() <= 0) {
            throw new SpurException(ErrorCode.INVALID_REQUEST, "say before when records are old");
        }
        var before = Times.asked(request.getBeforeMicros());
        var kinds = request.getKindsList().stream().map(HistoryService::kind).toList();
        if (!request.getDirectory().isEmpty()) {
            var directory = Path.of(request.getDirectory());
            for (var kind : kinds) {
                if (kind == Retention.Kind.JOB) {
                    archive.write(directory, before)
                            .forEach(file -> reply.addFiles(file.toString()));
                } else {
                    rows.write(directory, kind, before)
                            .ifPresent(file -> reply.addFiles(file.toString()));
                }
            }
        }
        if (request.getPurge()) {
            rollUps.run(); // nothing goes that is not summed up
            kinds.forEach(kind -> reply.setRows(reply.getRows() + purge.remove(kind, before)));
        }
        return reply.build();
    }

    private static Retention.Kind kind(String word) {
        return Retention.Kind.of(word)
                .orElseThrow(() ->
                        new SpurException(
                                ErrorCode.INVALID_REQUEST,
                                "\"%s\" is no kind of record: event, job, resv, step, txn or usage"
                                        .formatted(word)));
    }

    private static void requireOperator(Viewer viewer) {
        if (!viewer.isOperator()) {
            throw denied();
        }
    }

    private static SpurException denied() {
        return new SpurException(ErrorCode.ACCESS_DENIED, ErrorCode.ACCESS_DENIED.text());
    }
}
