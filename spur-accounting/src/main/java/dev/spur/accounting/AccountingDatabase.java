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
    private static final int CONNECTIONS = 10;

    /// Tables and pool of this daemon.
    public static final Database.Use USE =
            new Database.Use("spurdbd", "dev/spur/accounting/sql", CONNECTIONS);

    private AccountingDatabase() {}

    /// Teaches Jdbi the types of our columns.
    public static Jdbi prepared(Jdbi jdbi) {
        jdbi.registerArgument(new TimeArguments());
        jdbi.registerColumnMapper(
                OffsetDateTime.class,
                (rows, column, _) -> rows.getObject(column, OffsetDateTime.class));
        jdbi.registerArrayType(Integer.class, "integer");
        jdbi.registerArrayType(Long.class, "bigint");
        jdbi.registerArrayType(String.class, "text");
        jdbi.registerArrayType(OffsetDateTime.class, "timestamptz");
        return jdbi;
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
