package dev.spur.accounting;

import dev.spur.accounting.access.CallCounts;
import dev.spur.accounting.access.CallerInterceptor;
import dev.spur.accounting.access.Identities;
import dev.spur.accounting.archive.JobArchive;
import dev.spur.accounting.archive.Purge;
import dev.spur.accounting.archive.RowArchive;
import dev.spur.accounting.ingest.RecordFollower;
import dev.spur.accounting.job.Months;
import dev.spur.accounting.usage.RollUp;
import dev.spur.accounting.usage.RollUpClock;
import dev.spur.api.client.CallerIdentity;
import dev.spur.api.client.Channels;
import dev.spur.api.client.ControllerClient;
import dev.spur.api.client.JoiningClient;
import dev.spur.api.client.TransportSecurity;
import dev.spur.runtime.config.Secret;
import dev.spur.runtime.identity.CertificateRenewal;
import dev.spur.runtime.postgres.Database;
import dev.spur.runtime.postgres.DatabaseAddress;
import dev.spur.runtime.postgres.EmbeddedPostgres;
import dev.spur.runtime.postgres.PostgresHome;
import dev.spur.runtime.process.Running;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The accounting daemon. Read [#serve] to learn what it is made of.
final class Accounting implements Running {
    private static final Logger LOG = LoggerFactory.getLogger(Accounting.class);
    static final String DATABASE = "spur";
    private static final Duration CONTROLLERS_ANSWER_WITHIN = Duration.ofSeconds(5);
    private static final Duration BETWEEN_ROLL_UPS = Duration.ofMinutes(1);
    private static final Duration BETWEEN_PURGES = Duration.ofHours(1);

    private final @Nullable EmbeddedPostgres postgres;
    private final Deque<AutoCloseable> parts = new ArrayDeque<>();
    private final Database database;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private volatile String address = "";
    private volatile int port;

    private Accounting(@Nullable EmbeddedPostgres postgres, Database database) {
        this.postgres = postgres;
        this.database = database;
    }

    /// With a database elsewhere.
    static Accounting start(Secret url, AccountingOptions options) throws IOException {
        return start(null, DatabaseAddress.parse(url), options);
    }

    /// With a PostgreSQL of its own.
    ///
    /// @param others databases in it for other daemons of this host
    static Accounting start(PostgresHome home, List<String> others, AccountingOptions options)
            throws IOException {
        var databases = Stream.concat(Stream.of(DATABASE), others.stream()).distinct().toList();
        var postgres = EmbeddedPostgres.open(home, databases);
        try {
            return start(postgres, postgres.database(DATABASE), options);
        } catch (IOException | RuntimeException e) {
            postgres.close();
            throw e;
        }
    }

    /// With a database that somebody else keeps running.
    static Accounting start(
            @Nullable EmbeddedPostgres postgres, DatabaseAddress address, AccountingOptions options)
            throws IOException {
        var accounting = new Accounting(postgres, Database.open(address, AccountingDatabase.USE));
        try {
            accounting.serve(options);
            return accounting;
        } catch (IOException | RuntimeException e) {
            accounting.closeParts();
            throw e;
        }
    }

    private void serve(AccountingOptions options) throws IOException {
        var clock = options.clock();
        var jdbi = AccountingDatabase.prepared(database.jdbi());
        var own =
                AccountingDatabase.prepared(
                        opened(database.beside(AccountingDatabase.RECORDS)).jdbi());
        var months = new Months(own);
        var identity = options.identity();
        var channels =
                opened(
                        new Channels(
                                identity == null
                                        ? new TransportSecurity.Plain()
                                        : new TransportSecurity.Tls(
                                                identity.keyManager(), identity.trustManager())));
        var follower =
                new RecordFollower(
                        channels::controller,
                        options.controllers(),
                        this::self,
                        options.name(),
                        own,
                        months,
                        clock,
                        options.cluster());
        var controllers =
                ControllerClient.withPatience(
                        channels,
                        options.controllers(),
                        new CallerIdentity.Host(),
                        CONTROLLERS_ANSWER_WITHIN);
        var calls = new CallCounts();
        var identities =
                new Identities(
                        request ->
                                controllers.records(
                                        records -> records.identify(request),
                                        CONTROLLERS_ANSWER_WITHIN),
                        clock);
        var rollUp = new RollUpClock(new RollUp(own, clock), clock);
        var purge = new Purge(own, months, clock);
        var service =
                new HistoryService(
                        jdbi,
                        clock,
                        purge,
                        new JobArchive(own, months),
                        new RowArchive(own),
                        rollUp,
                        calls,
                        follower::waiting);
        var listening =
                opened(
                        AccountingPort.open(
                                options.listen(),
                                identity,
                                opened(new CallerInterceptor(identities, calls)),
                                service));
        port = listening.number();
        address = options.address();
        opened(follower.start(this::broken));
        var chores = opened(new Chores());
        chores.every(BETWEEN_ROLL_UPS, "roll-up", rollUp::run);
        chores.every(BETWEEN_PURGES, "purge", () -> purge.run(options.retention()));
        if (identity != null) {
            opened(
                    CertificateRenewal.start(
                            identity,
                            JoiningClient.renewals(channels, options.controllers()),
                            channels::reconnect,
                            clock));
        }
        LOG.atInfo()
                .addKeyValue("port", port)
                .addKeyValue("controllers", options.controllers())
                .log("accounting serves");
    }

    private String self() {
        return address.contains(":")
                ? "[%s]:%d".formatted(address, port)
                : "%s:%d".formatted(address, port);
    }

    private <T extends AutoCloseable> T opened(T part) {
        parts.push(part);
        return part;
    }

    int port() {
        return port;
    }

    /// Whether it can do its work now.
    boolean isHealthy() {
        return database.answers();
    }

    /// Throws when it cannot go on: a daemon that only seems to keep records is worse than none.
    @Override
    public void awaitTermination() throws InterruptedException {
        if (postgres != null) {
            Thread.startVirtualThread(() -> watch(postgres));
        }
        try {
            ended.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("accounting cannot go on", e.getCause());
        }
    }

    private void watch(EmbeddedPostgres server) {
        try {
            server.awaitTermination();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            broken(e);
        }
    }

    private void broken(Throwable why) {
        LOG.atError().setCause(why).log("accounting cannot go on");
        ended.completeExceptionally(why);
    }

    @Override
    public void close() {
        closeParts();
        if (postgres != null) {
            postgres.close();
        }
        ended.complete(null);
    }

    /// The last one first; the database when nobody uses it any more.
    private synchronized void closeParts() {
        while (!parts.isEmpty()) {
            try {
                parts.pop().close();
            } catch (Exception e) {
                LOG.atWarn().setCause(e).log("a part did not stop in order");
            }
        }
        database.close();
    }
}
