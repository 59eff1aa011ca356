package dev.spur.accounting.job;

import dev.spur.accounting.cluster.ClusterRepository;
import dev.spur.api.v1.JobHistory;
import java.util.ArrayList;
import java.util.List;
import org.jdbi.v3.core.Jdbi;

/// Jobs that never ended in the database, of which the controllers know nothing any more: their
/// ends are missing.
public final class Runaways {
    private static final int MOST = 10_000;

    private final Jdbi jdbi;

    public Runaways(Jdbi jdbi) {
        this.jdbi = jdbi;
    }

    /// All that have not ended. Most of them live.
    public List<JobHistory> notEnded() {
        return jdbi.withHandle(handle ->
                handle.createQuery(
                                """
                                select db_index, record, cluster.name as cluster_name from job join cluster using (cluster_id)
                                 where ended_at = 'infinity'
                                 order by job_id limit :most
                                """)
                        .bind("most", MOST)
                        .map((rows, _) ->
                                JobHistory.newBuilder()
                                        .setJob(JobRepository.job(rows.getBytes("record")))
                                        .setDbIndex(rows.getLong("db_index"))
                                        .setCluster(rows.getString("cluster_name"))
                                        .build())
                        .list());
    }

    private record Runaway(int cluster, JobRow row) {}

    /// Ends jobs when they began, as Slurm does: how long they ran is not known, and is not
    /// charged.
    ///
    /// @return how many there were
    public int end(List<Long> indices) {
        return jdbi.inTransaction(handle -> {
            // Whoever stores records or sums them up waits.
            var clusters = new ClusterRepository(handle);
            var held = clusters.all().stream().map(each -> clusters.hold(each.name())).toList();
            var found =
                    handle.createQuery(
                                    """
                                    select cluster_id, record from job
                                     where ended_at = 'infinity' and db_index = any(:indices)
                                    """)
                            .bindArray("indices", Long.class, indices)
                            .map((rows, _) ->
                                    new Runaway(
                                            rows.getInt("cluster_id"),
                                            JobRow.of(JobRepository.job(rows.getBytes("record")))))
                            .list();
            for (var cluster : held) {
                var payers = new PayerRepository().in(handle, cluster.id());
                var rows = new ArrayList<JobRow>();
                for (var each : found) {
                    if (each.cluster() == cluster.id()) {
                        rows.add(ended(each.row()));
                        if (cluster.rolledUntil() != null) {
                            var touched =
                                    new TouchedHours(cluster.rolledUntil(), cluster.rawFrom());
                            touched.changed(each.row(), rows.getLast());
                            new HoursToRoll(handle).add(cluster.id(), touched.hours());
                        }
                    }
                }
                new JobRepository(handle, cluster.id()).store(rows, payers::of);
            }
            return found.size();
        });
    }

    private static JobRow ended(JobRow row) {
        var record = row.record();
        var end = record.getStartMicros() != 0 ? record.getStartMicros() : record.getSubmitMicros();
        return JobRow.of(record.toBuilder().setState("COMPLETED").setEndMicros(end).build());
    }
}
