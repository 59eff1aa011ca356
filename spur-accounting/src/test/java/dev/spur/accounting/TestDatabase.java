package dev.spur.accounting;

import dev.spur.runtime.postgres.Database;
import dev.spur.runtime.postgres.DatabaseAddress;
import dev.spur.runtime.postgres.EmbeddedPostgres;
import dev.spur.runtime.postgres.TestPostgres;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jdbi.v3.core.Jdbi;

/// A database of its own for a test class, on the server that all of this JVM share.
public final class TestDatabase implements AutoCloseable {
    private static final List<String> NAMES =
            IntStream.range(0, 12).mapToObj("spur_test_%d"::formatted).toList();
    private static final AtomicInteger NEXT = new AtomicInteger();

    private final Database database;
    private final Jdbi jdbi;

    private static final class Server {
        static final EmbeddedPostgres RUNNING = EmbeddedPostgres.open(TestPostgres.home(), NAMES);
    }

    private final DatabaseAddress address;

    private TestDatabase(DatabaseAddress address) {
        this.address = address;
        this.database = Database.open(address, AccountingDatabase.USE);
        this.jdbi = AccountingDatabase.prepared(database.jdbi());
    }

    public static TestDatabase create() {
        var name = NAMES.get(NEXT.getAndIncrement());
        return new TestDatabase(Server.RUNNING.database(name));
    }

    DatabaseAddress address() {
        return address;
    }

    public Jdbi jdbi() {
        return jdbi;
    }

    /// Takes away all rows.
    public void empty() {
        jdbi.useTransaction(handle -> {
            handle.execute("delete from accounting_month");
            handle.execute(
                    """
                    truncate cluster, tres, capacity, payer, suspension, stored_file, user_uid, node_event, reservation,
                             transaction, association, account, known_user, qos, hour_to_roll, usage, cluster_usage
                    """);
        });
    }

    @Override
    public void close() {
        database.close();
    }
}
