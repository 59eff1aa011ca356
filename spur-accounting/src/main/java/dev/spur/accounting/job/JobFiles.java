package dev.spur.accounting.job;

import dev.spur.accounting.access.Viewer;
import dev.spur.accounting.cluster.ClusterRepository;
import dev.spur.api.records.RecordFilter;
import dev.spur.api.v1.GetJobFileRequest;
import dev.spur.api.v1.JobFile;
import dev.spur.api.v1.JobRecord;
import dev.spur.api.v1.RecordQuery;
import dev.spur.model.ErrorCode;
import dev.spur.model.SpurException;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/// Scripts and environments of jobs. Who sees that there was a job does not see these: they are the
/// owner's, and operators'.
public final class JobFiles {
    private final Jdbi jdbi;

    public JobFiles(Jdbi jdbi) {
        this.jdbi = jdbi;
    }

    /// Empty if the job has none.
    public byte[] find(GetJobFileRequest request, Viewer viewer) {
        var query = RecordQuery.newBuilder().addIds(request.getJob()).build();
        return jdbi.inTransaction(handle -> {
            for (var cluster : new ClusterRepository(handle).all()) {
                if (!request.getCluster().isEmpty()
                        && !request.getCluster().equals(cluster.name())) {
                    continue;
                }
                var found = new JobRecord[1];
                var filter = RecordFilter.of(query, 0);
                new JobSearch(handle, cluster.id(), query, filter, viewer)
                        .each(job -> {
                            if (filter.matches(job.record())) {
                                found[0] = job.record();
                                return false;
                            }
                            return true;
                        });
                if (found[0] != null) {
                    return content(handle, found[0], request.getFile(), viewer);
                }
            }
            throw new SpurException(ErrorCode.INVALID_JOB, ErrorCode.INVALID_JOB.text());
        });
    }

    private static byte[] content(Handle handle, JobRecord job, JobFile file, Viewer viewer) {
        if (Integer.toUnsignedLong(job.getUid()) != viewer.uid() && !viewer.isOperator()) {
            throw new SpurException(ErrorCode.ACCESS_DENIED, ErrorCode.ACCESS_DENIED.text());
        }
        var sha256 =
                file == JobFile.JOB_FILE_ENVIRONMENT
                        ? job.getEnvironmentSha256()
                        : job.getScriptSha256();
        return handle.createQuery("select content from stored_file where sha256 = :sha256")
                .bind("sha256", sha256.toByteArray())
                .mapTo(byte[].class)
                .findOne()
                .orElseGet(() -> new byte[0]);
    }
}
