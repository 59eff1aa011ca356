package dev.spur.accounting.archive;

import dev.spur.accounting.access.Viewer;
import dev.spur.accounting.amount.Times;
import dev.spur.accounting.cluster.ClusterRepository;
import dev.spur.accounting.job.JobKey;
import dev.spur.accounting.job.JobRepository;
import dev.spur.accounting.job.JobRow;
import dev.spur.accounting.job.JobSearch;
import dev.spur.accounting.job.Months;
import dev.spur.accounting.job.PayerRepository;
import dev.spur.api.records.RecordFilter;
import dev.spur.api.v1.JobHistory;
import dev.spur.api.v1.RecordQuery;
import dev.spur.model.ErrorCode;
import dev.spur.model.SpurException;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.zip.GZIPInputStream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/// Writes jobs that are old, with their steps, to files, and reads them again. A file is a sequence
/// of `JobHistory` messages, each with its length before it, compressed by gzip; it has its name
/// when it is whole and on disk.
public final class JobArchive {
    private static final int AT_ONCE = 500;
    private static final Viewer EVERYTHING = new Viewer(0, "", Viewer.Level.ADMIN, Set.of(), true);

    private final Jdbi jdbi;
    private final Months months;

    public JobArchive(Jdbi jdbi, Months months) {
        this.jdbi = jdbi;
        this.months = months;
    }

    /// One file for each cluster that has such jobs.
    public List<Path> write(Path directory, OffsetDateTime before) {
        ArchiveFile.requireDirectory(directory);
        return jdbi.inTransaction(handle -> {
            handle.execute("set transaction isolation level repeatable read read only");
            var files = new ArrayList<Path>();
            for (var cluster : new ClusterRepository(handle).all()) {
                var file = ArchiveFile.named(directory, cluster.name() + "_job", before, "gz");
                if (ArchiveFile.write(file, out -> new Writing(handle, cluster, out).write(before))
                        > 0) {
                    files.add(file);
                }
            }
            return files;
        });
    }

    private static final class Writing {
        private final ClusterRepository.Cluster cluster;
        private final JobSearch search;
        private final OutputStream out;
        private final List<JobSearch.Found> part = new ArrayList<>();
        private long jobs;

        Writing(Handle handle, ClusterRepository.Cluster cluster, OutputStream out) {
            this.cluster = cluster;
            this.out = out;
            var query = RecordQuery.getDefaultInstance();
            this.search =
                    new JobSearch(
                            handle, cluster.id(), query, RecordFilter.of(query, 0), EVERYTHING);
        }

        long write(OffsetDateTime before) throws IOException {
            var failure = new IOException[1];
            search.each(job -> {
                var end = job.record().getEndMicros();
                if (end != 0 && Times.second(end).isBefore(before)) {
                    part.add(job);
                }
                try {
                    if (part.size() == AT_ONCE) {
                        writePart();
                    }
                    return true;
                } catch (IOException e) {
                    failure[0] = e;
                    return false;
                }
            });
            if (failure[0] != null) {
                throw failure[0];
            }
            if (!part.isEmpty()) {
                writePart();
            }
            return jobs;
        }

        private void writePart() throws IOException {
            var steps = search.steps(part.stream().map(JobSearch.Found::key).toList());
            for (var job : part) {
                JobHistory.newBuilder()
                        .setJob(job.record())
                        .setCluster(cluster.name())
                        .setDbIndex(job.index())
                        .addAllSteps(steps.getOrDefault(job.key(), List.of()))
                        .build()
                        .writeDelimitedTo(out);
            }
            jobs += part.size();
            part.clear();
        }
    }

    /// Reads a file that {@link #write} made. What is in the database already stays as it is, and
    /// usage is not counted again.
    ///
    /// @return how many jobs were read
    public long load(Path file) {
        var read = 0L;
        try (var in = new GZIPInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
            var part = new ArrayList<JobHistory>();
            for (var next = JobHistory.parseDelimitedFrom(in);
                    next != null;
                    next = JobHistory.parseDelimitedFrom(in)) {
                part.add(next);
                read++;
                if (part.size() == AT_ONCE) {
                    store(part);
                    part.clear();
                }
            }
            store(part);
            return read;
        } catch (IOException e) {
            throw new SpurException(
                    ErrorCode.INVALID_REQUEST,
                    "%s cannot be read as an archive of jobs: %s".formatted(file, e.getMessage()),
                    e);
        }
    }

    private void store(List<JobHistory> part) {
        months.prepare(part.stream().map(each -> JobKey.of(each.getJob()).submitted()).toList());
        for (var cluster : part.stream().map(JobHistory::getCluster).distinct().toList()) {
            jdbi.useTransaction(handle -> {
                var held = new ClusterRepository(handle).hold(cluster);
                var jobs = new JobRepository(handle, held.id());
                var rows =
                        new ArrayList<>(
                                part.stream()
                                        .filter(each -> each.getCluster().equals(cluster))
                                        .map(each -> JobRow.of(each.getJob()))
                                        .toList());
                var known = jobs.known(rows.stream().map(JobRow::key).toList());
                rows.removeIf(row -> known.containsKey(row.key()));
                var payers = new PayerRepository().in(handle, held.id());
                jobs.store(rows, payers::of);
                jobs.storeSteps(
                        part.stream()
                                .filter(each -> !known.containsKey(JobKey.of(each.getJob())))
                                .flatMap(each -> each.getStepsList().stream())
                                .toList());
            });
        }
    }
}
