package dev.spur.accounting.archive;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.util.Locale;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;

/// Writes old records other than jobs to files: each row of the table is a line of JSON, for people
/// and their tools. Unlike jobs they are not read again.
public final class RowArchive {
    private static final int FETCHED_AT_ONCE = 1_000;

    private final Jdbi jdbi;

    public RowArchive(Jdbi jdbi) {
        this.jdbi = jdbi;
    }

    /// @return empty if nothing is so old
    public Optional<Path> write(Path directory, Retention.Kind kind, OffsetDateTime before) {
        ArchiveFile.requireDirectory(directory);
        var file = ArchiveFile.named(directory, word(kind), before, "json.gz");
        return ArchiveFile.write(file, out -> write(out, old(kind), before)) > 0
                ? Optional.of(file)
                : Optional.empty();
    }

    private static String word(Retention.Kind kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }

    /// What {@link Purge} removes, and no less.
    private static String old(Retention.Kind kind) {
        return switch (kind) {
            case JOB -> throw new IllegalArgumentException("jobs have an archive of their own");
            case EVENT ->
                    "select to_jsonb(node_event)::text from node_event where until_at < :before";
            case RESV ->
                    "select to_jsonb(reservation)::text from reservation where until_at < :before";
            case STEP ->
                    """
                    select to_jsonb(step)::text from step join job using (cluster_id, job_id, submitted_at, attempt)
                     where ended_at < :before
                    """;
            case TXN -> "select to_jsonb(transaction)::text from transaction where at < :before";
            case USAGE ->
                    """
                    select to_jsonb(usage)::text from usage where from_at < :before
                     union all
                    select to_jsonb(cluster_usage)::text from cluster_usage where from_at < :before
                    """;
        };
    }

    private long write(OutputStream out, String sql, OffsetDateTime before) throws IOException {
        try {
            return rows(out, sql, before);
        } catch (UncheckedIOException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private long rows(OutputStream out, String sql, OffsetDateTime before) {
        return jdbi.inTransaction(handle -> {
            handle.execute("set transaction isolation level repeatable read read only");
            handle.execute("set local statement_timeout = '10min'");
            var rows = new long[1];
            handle.createQuery(sql)
                    .bind("before", before)
                    .setFetchSize(FETCHED_AT_ONCE)
                    .mapTo(String.class)
                    .forEach(line -> {
                        try {
                            out.write(line.getBytes(StandardCharsets.UTF_8));
                            out.write('\n');
                            rows[0]++;
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    });
            return rows[0];
        });
    }
}
