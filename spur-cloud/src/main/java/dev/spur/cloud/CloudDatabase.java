package dev.spur.cloud;

import dev.spur.runtime.postgres.Database;
import java.sql.Types;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.argument.AbstractArgumentFactory;
import org.jdbi.v3.core.argument.Argument;
import org.jdbi.v3.core.config.ConfigRegistry;

/// How this daemon uses its database.
public final class CloudDatabase {
    private static final int CONNECTIONS = 12;

    /// Tables and pool of this daemon.
    public static final Database.Use USE =
            new Database.Use("spur-cloud-api", "dev/spur/cloud/sql", CONNECTIONS);

    private CloudDatabase() {}

    /// Teaches Jdbi the types of our columns.
    public static Jdbi prepared(Jdbi jdbi) {
        jdbi.registerArgument(new IdArguments());
        jdbi.registerArgument(new TimeArguments());
        jdbi.registerColumnMapper(
                UUID.class, (rows, column, _) -> rows.getObject(column, UUID.class));
        jdbi.registerColumnMapper(
                Instant.class,
                (rows, column, _) -> {
                    var time = rows.getObject(column, OffsetDateTime.class);
                    return time == null ? null : time.toInstant();
                });
        jdbi.registerArrayType(String.class, "text");
        jdbi.registerArrayType(UUID.class, "uuid");
        jdbi.registerArrayType(Integer.class, "int4");
        return jdbi;
    }

    private static final class IdArguments extends AbstractArgumentFactory<UUID> {
        IdArguments() {
            super(Types.OTHER);
        }

        @Override
        protected Argument build(UUID value, ConfigRegistry config) {
            return (position, statement, _) -> statement.setObject(position, value);
        }
    }

    private static final class TimeArguments extends AbstractArgumentFactory<Instant> {
        TimeArguments() {
            super(Types.TIMESTAMP_WITH_TIMEZONE);
        }

        @Override
        protected Argument build(Instant value, ConfigRegistry config) {
            return (position, statement, _) ->
                    statement.setObject(position, value.atOffset(ZoneOffset.UTC));
        }
    }
}
