package dev.spur.runtime.postgres;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import org.postgresql.PGConnection;

/// All rows of a database as one stream, and back: the backup, and the way to another major version
/// of PostgreSQL. The tables themselves are not in it, since the migrations make them; their
/// version is.
///
/// ```
/// spur-database 1                     the version of this format
/// migration 7
/// table "job" ("id", "name")
/// 4711⇥train                          as COPY writes rows, until a line \.
/// \.
/// sequence "job_id_seq" 4712 t
/// end 1                               rows of all tables: what does not end so was cut off
/// ```
public final class DatabaseCopy {
    private static final String FORMAT = "spur-database 1";
    private static final byte[] END_OF_TABLE = {'\\', '.'};
    private static final int BUFFER = 1 << 16;

    private DatabaseCopy() {}

    /// Writes everything as it is at one moment, while others go on reading and writing.
    ///
    /// @return the number of rows
    public static long exportTo(OutputStream stream, DatabaseAddress from, Database.Use use) {
        try (var connection = from.plain(use.program()).getConnection()) {
            connection.setAutoCommit(false);
            connection.setReadOnly(true);
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            var out = new BufferedOutputStream(stream, BUFFER);
            var rows = export(connection, out);
            out.flush();
            return rows;
        } catch (SQLException | IOException e) {
            throw new PostgresException("the export of %s failed".formatted(from), e);
        }
    }

    private static long export(Connection connection, OutputStream out)
            throws SQLException, IOException {
        line(out, FORMAT);
        line(out, "migration " + Tables.migration(connection));
        long rows = 0;
        for (var table : Tables.inOrder(connection)) {
            line(out, "table " + table.described());
            // A query, since COPY refuses the parent of partitions.
            var sql = "copy (select %s from %s) to stdout".formatted(table.columns(), table.name());
            rows += connection.unwrap(PGConnection.class).getCopyAPI().copyOut(sql, out);
            out.write(END_OF_TABLE);
            out.write('\n');
        }
        for (var sequence : Tables.sequences(connection)) {
            line(out, "sequence " + sequence);
        }
        line(out, "end " + rows);
        return rows;
    }

    private static void line(OutputStream out, String text) throws IOException {
        out.write((text + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /// Fills an empty database, all or nothing. The tables are made as they were when the export
    /// was written; opening the database brings them up to date.
    ///
    /// @return the number of rows
    public static long importFrom(InputStream stream, DatabaseAddress to, Database.Use use) {
        var in = new Lines(stream);
        try {
            in.require(FORMAT, "this is no export of a Spur database that this release can read");
            Database.migrate(to, use, in.value("migration"));
            try (var connection = to.plain(use.program()).getConnection()) {
                connection.setAutoCommit(false); // closing without commit takes all of it back
                var rows = fill(connection, in);
                connection.commit();
                return rows;
            }
        } catch (SQLException | IOException e) {
            throw new PostgresException(
                    "the import into %s failed, it is as it was".formatted(to), e);
        }
    }

    private static long fill(Connection connection, Lines in) throws SQLException, IOException {
        var tables = Tables.inOrder(connection);
        for (var table : tables) {
            if (table.hasRows(connection)) {
                throw new PostgresException(
                        "the database is not empty: table %s has rows. Import into a new one"
                                .formatted(table.name()));
            }
        }
        long rows = 0;
        for (var table : tables) {
            in.require(
                    "table " + table.described(),
                    "the export has other tables or columns than its migrations made here");
            rows += fill(connection, table, in);
        }
        for (var sequence : Tables.sequences(connection)) {
            Tables.set(connection, sequence, in.value("sequence"));
        }
        in.require("end " + rows, "the export is damaged or was cut off");
        return rows;
    }

    private static long fill(Connection connection, Tables.Table table, Lines in)
            throws SQLException, IOException {
        var sql = "copy %s (%s) from stdin".formatted(table.name(), table.columns());
        var copy = connection.unwrap(PGConnection.class).getCopyAPI().copyIn(sql);
        try {
            for (var row = in.next(); !Arrays.equals(row, END_OF_TABLE); row = in.next()) {
                copy.writeToCopy(row, 0, row.length);
                copy.writeToCopy(new byte[] {'\n'}, 0, 1);
            }
            return copy.endCopy();
        } finally {
            if (copy.isActive()) {
                copy.cancelCopy();
            }
        }
    }

    /// Rows can be as long as PostgreSQL's values, so only one is in memory at a time.
    private static final class Lines {
        private final InputStream in;

        Lines(InputStream in) {
            this.in = new BufferedInputStream(in, BUFFER);
        }

        byte[] next() throws IOException {
            var line = new ByteArrayOutputStream();
            for (int next = in.read(); next != '\n'; next = in.read()) {
                if (next < 0) {
                    throw new PostgresException("the export is damaged or was cut off");
                }
                line.write(next);
            }
            return line.toByteArray();
        }

        void require(String wanted, String otherwise) throws IOException {
            var line = text();
            if (!line.equals(wanted)) {
                throw new PostgresException(
                        "%s: expected \"%s\", found \"%.200s\"".formatted(otherwise, wanted, line));
            }
        }

        String value(String key) throws IOException {
            var line = text();
            if (!line.startsWith(key + " ")) {
                throw new PostgresException(
                        "the export is damaged: expected \"%s …\", found \"%.200s\""
                                .formatted(key, line));
            }
            return line.substring(key.length() + 1);
        }

        private String text() throws IOException {
            return new String(next(), StandardCharsets.UTF_8);
        }
    }
}
