package dev.spur.accounting;

import dev.spur.runtime.config.Secret;
import dev.spur.runtime.postgres.Database;
import dev.spur.runtime.postgres.DatabaseAddress;
import dev.spur.runtime.postgres.EmbeddedPostgres;
import dev.spur.runtime.postgres.PostgresHome;
import dev.spur.runtime.process.Running;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The accounting daemon: its database, and what serves from it.
final class Accounting implements Running {
    private static final Logger LOG = LoggerFactory.getLogger(Accounting.class);
    static final String DATABASE = "spur";
    private static final int CONNECTIONS = 10;

    static final Database.Use USE =
            new Database.Use("spurdbd", "dev/spur/accounting/sql", CONNECTIONS);

    private final @Nullable EmbeddedPostgres postgres;
    private final Database database;
    private final CountDownLatch closed = new CountDownLatch(1);

    private Accounting(@Nullable EmbeddedPostgres postgres, Database database) {
        this.postgres = postgres;
        this.database = database;
    }

    /// With a database elsewhere.
    static Accounting start(Secret url) {
        return new Accounting(null, Database.open(DatabaseAddress.parse(url), USE)).ready();
    }

    /// With a PostgreSQL of its own.
    static Accounting start(PostgresHome home) {
        var postgres = EmbeddedPostgres.open(home, List.of(DATABASE));
        try {
            var database = Database.open(postgres.database(DATABASE), USE);
            return new Accounting(postgres, database).ready();
        } catch (RuntimeException e) {
            postgres.close();
            throw e;
        }
    }

    private Accounting ready() {
        LOG.atInfo().log("accounting serves");
        return this;
    }

    /// Whether it can do its work now.
    boolean isHealthy() {
        return database.answers();
    }

    @Override
    public void awaitTermination() throws InterruptedException {
        if (postgres != null) {
            postgres.awaitTermination();
        }
        closed.await();
    }

    @Override
    public void close() {
        database.close();
        if (postgres != null) {
            postgres.close();
        }
        closed.countDown();
    }
}
