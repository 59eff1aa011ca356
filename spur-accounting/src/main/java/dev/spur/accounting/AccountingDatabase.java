package dev.spur.accounting;

import dev.spur.runtime.postgres.Database;
import java.sql.Types;
import java.time.OffsetDateTime;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.argument.AbstractArgumentFactory;
import org.jdbi.v3.core.argument.Argument;
import org.jdbi.v3.core.config.ConfigRegistry;

/// How this daemon uses its database.
public final class AccountingDatabase {
    private static final String MIGRATIONS = "dev/spur/accounting/sql";

    /// Tables of this daemon, and the pool for questions: whoever asks holds a connection until he
    /// has read the answer.
    public static final Database.Use USE = new Database.Use("spurdbd", MIGRATIONS, 10);

    /// The pool of what must go on, however many ask and however slowly they read: records, roll-up
    /// and purge.
    static final Database.Use RECORDS = new Database.Use("spurdbd records", MIGRATIONS, 4);

    private AccountingDatabase() {}

    /// Teaches Jdbi the types of our columns.
    public static Jdbi prepared(Jdbi jdbi) {
        jdbi.registerArgument(new TimeArguments());
        jdbi.registerArgument(new TextArguments());
        jdbi.registerColumnMapper(
                OffsetDateTime.class,
                (rows, column, _) -> rows.getObject(column, OffsetDateTime.class));
        jdbi.registerArrayType(Integer.class, "integer");
        jdbi.registerArrayType(Long.class, "bigint");
        jdbi.registerArrayType(String.class, "text", AccountingDatabase::storable);
        jdbi.registerArrayType(OffsetDateTime.class, "timestamptz");
        return jdbi;
    }

    /// PostgreSQL's texts have no NUL. One that got here nevertheless must not hold up all that
    /// comes after it.
    private static String storable(String text) {
        return text.indexOf(0) < 0 ? text : text.replace('\0', '\uFFFD');
    }

    private static final class TextArguments extends AbstractArgumentFactory<String> {
        TextArguments() {
            super(Types.VARCHAR);
        }

        @Override
        protected Argument build(String value, ConfigRegistry config) {
            return (position, statement, _) -> statement.setString(position, storable(value));
        }
    }

    /// As the driver writes them, which knows `infinity`.
    private static final class TimeArguments extends AbstractArgumentFactory<OffsetDateTime> {
        TimeArguments() {
            super(Types.TIMESTAMP_WITH_TIMEZONE);
        }

        @Override
        protected Argument build(OffsetDateTime value, ConfigRegistry config) {
            return (position, statement, _) -> statement.setObject(position, value);
        }
    }
}
