package dev.spur.runtime.postgres;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.time.Duration;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.jdbi.v3.core.Jdbi;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A daemon's database: a bounded pool of connections, its tables up to date, and Jdbi for the
/// repositories.
///
/// Every wait ends: for a free connection, for a connection to be made, for a lock, for a
/// statement, for a transaction whose thread has lost interest.
public final class Database implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Database.class);
    private static final Duration FREE_WITHIN = Duration.ofSeconds(5);
    private static final Duration STATEMENT = Duration.ofSeconds(30);
    private static final Duration LOCK = Duration.ofSeconds(10);
    private static final Duration IDLE_IN_TRANSACTION = Duration.ofSeconds(60);

    /// Longer than any statement: nobody answers any more, and the network does not say so.
    private static final Duration SILENCE = Duration.ofSeconds(60);

    private static final int OLDEST_SERVER = 15;

    private final DatabaseAddress address;
    private final HikariDataSource pool;
    private final Jdbi jdbi;

    private Database(DatabaseAddress address, Use use) {
        this.address = address;
        this.pool = pool(address, use);
        this.jdbi = Jdbi.create(pool);
    }

    /// Whose database it is.
    ///
    /// @param program shown in the server's list of connections
    /// @param migrations where the SQL files are on the class path, as in
    ///   `dev/spur/accounting/sql`; they make tables and change them, and put no rows in: import
    ///   wants to find none
    /// @param connections the most at a time
    public record Use(String program, String migrations, int connections) {}

    /// Brings the tables up to date and opens the pool.
    public static Database open(DatabaseAddress address, Use use) {
        requireServer(address, use.program());
        migrate(address, use, "latest");
        return new Database(address, use);
    }

    /// A further pool on the same database, for work that must not wait until others have read
    /// their answers. To be closed by itself.
    public Database beside(Use use) {
        return new Database(address, use);
    }

    /// @param target a version, or `latest`
    static void migrate(DatabaseAddress address, Use use, String target) {
        try {
            var done =
                    Flyway.configure()
                            .dataSource(address.plain(use.program()))
                            .locations("classpath:" + use.migrations())
                            .failOnMissingLocations(true)
                            .validateMigrationNaming(true)
                            .cleanDisabled(true)
                            .connectRetries(0)
                            .loggers("slf4j")
                            .target(target)
                            .load()
                            .migrate();
            LOG.atInfo()
                    .addKeyValue("database", address)
                    .addKeyValue("migrations", done.migrationsExecuted)
                    .addKeyValue("version", done.targetSchemaVersion)
                    .log("tables are up to date");
        } catch (FlywayException e) {
            throw new PostgresException(
                    "the tables of %s could not be brought up to date".formatted(address), e);
        }
    }

    private static void requireServer(DatabaseAddress address, String program) {
        try (var connection = address.plain(program).getConnection()) {
            var major = connection.getMetaData().getDatabaseMajorVersion();
            if (major < OLDEST_SERVER) {
                throw new PostgresException(
                        "%s is a PostgreSQL %d; Spur needs %d or newer"
                                .formatted(address, major, OLDEST_SERVER));
            }
        } catch (SQLException e) {
            throw new PostgresException("cannot connect to the database " + address, e);
        }
    }

    private static HikariDataSource pool(DatabaseAddress address, Use use) {
        var config = new HikariConfig();
        config.setPoolName(use.program());
        config.setJdbcUrl(address.url());
        config.setDataSourceProperties(address.properties(use.program()));
        if (address.socket() == null) {
            config.addDataSourceProperty("socketTimeout", String.valueOf(SILENCE.toSeconds()));
        }
        config.addDataSourceProperty(
                "options",
                "-c statement_timeout=%d -c lock_timeout=%d -c idle_in_transaction_session_timeout=%d -c TimeZone=UTC"
                        .formatted(
                                STATEMENT.toMillis(),
                                LOCK.toMillis(),
                                IDLE_IN_TRANSACTION.toMillis()));
        config.setMaximumPoolSize(use.connections());
        config.setMinimumIdle(1);
        config.setConnectionTimeout(FREE_WITHIN.toMillis());
        config.setValidationTimeout(Duration.ofSeconds(2).toMillis());
        config.setIdleTimeout(Duration.ofMinutes(1).toMillis());
        config.setMaxLifetime(Duration.ofMinutes(30).toMillis());
        return new HikariDataSource(config);
    }

    public Jdbi jdbi() {
        return jdbi;
    }

    /// Whether a statement gets its answer now.
    public boolean answers() {
        try (var connection = pool.getConnection()) {
            return connection.isValid((int) FREE_WITHIN.toSeconds());
        } catch (SQLException e) {
            LOG.atDebug().setCause(e).log("the database does not answer");
            return false;
        }
    }

    @Override
    public void close() {
        pool.close();
    }
}
