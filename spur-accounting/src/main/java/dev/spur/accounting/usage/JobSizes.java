package dev.spur.accounting.usage;

import dev.spur.accounting.access.Viewer;
import dev.spur.accounting.account.AccountRepository;
import dev.spur.accounting.cluster.ClusterRepository;
import dev.spur.accounting.job.Months;
import dev.spur.api.v1.ReportReply;
import dev.spur.api.v1.ReportRequest;
import dev.spur.api.v1.ReportRow;
import dev.spur.model.ErrorCode;
import dev.spur.model.SpurException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jdbi.v3.core.Handle;

/// `sreport job SizesBy…`: what jobs of which size used in a window. Sizes are by the resource that
/// is asked for.
final class JobSizes {
    private static final List<String> USUAL = List.of("50", "250", "500", "1000");

    private record Key(String account, String wckey) {}

    private static final class Line {
        final long[] seconds;
        final long[] jobs;

        Line(int buckets) {
            seconds = new long[buckets];
            jobs = new long[buckets];
        }
    }

    private final Handle handle;
    private final ClusterRepository.Cluster cluster;
    private final ReportRequest request;
    private final Viewer viewer;
    private final Window window;
    private final long[] bounds;

    JobSizes(
            Handle handle,
            ClusterRepository.Cluster cluster,
            ReportRequest request,
            Viewer viewer,
            Window window) {
        this.handle = handle;
        this.cluster = cluster;
        this.request = request;
        this.viewer = viewer;
        this.window = window;
        this.bounds =
                bounds(request.getGroupingList().isEmpty() ? USUAL : request.getGroupingList());
    }

    private static long[] bounds(List<String> texts) {
        try {
            return texts.stream().mapToLong(Long::parseLong).sorted().toArray();
        } catch (NumberFormatException e) {
            throw new SpurException(
                    ErrorCode.INVALID_REQUEST,
                    "a grouping is numbers with commas, as in 50,250,500, not \"%s\""
                            .formatted(String.join(",", texts)));
        }
    }

    void addTo(ReportReply.Builder reply, Map<Integer, String> tres) {
        tres.forEach((id, name) -> {
            var lines = lines(id);
            lines.forEach((key, line) -> {
                var row =
                        ReportRow.newBuilder()
                                .setCluster(cluster.name())
                                .setTres(name)
                                .setAccount(key.account())
                                .setWckey(key.wckey());
                for (var i = 0; i < line.seconds.length; i++) {
                    row.addBuckets(line.seconds[i]).addBucketJobs(line.jobs[i]);
                    row.setJobs(row.getJobs() + line.jobs[i]);
                }
                reply.addRows(row);
            });
        });
    }

    private Map<Key, Line> lines(int tres) {
        var tree =
                new AccountTree(
                        new AccountRepository(handle, cluster.id()).associations(window.until()));
        var byAccount = !request.getKind().endsWith("sizesbywckey");
        var byWckey = request.getKind().endsWith("wckey");
        var lines =
                new TreeMap<Key, Line>(
                        java.util.Comparator.comparing(Key::account).thenComparing(Key::wckey));
        handle.createQuery(
                        """
                        select payer.account, payer.wckey, payer.user_name, t.amount, job.record,
                               greatest(0, extract(epoch from least(job.ended_at, :until) - greatest(job.started_at, :from)))::bigint
                               - coalesce((select sum(greatest(0, extract(epoch from least(pause.until_at, job.ended_at, :until)
                                                                            - greatest(pause.from_at, job.started_at, :from))))::bigint
                                             from suspension pause
                                            where pause.cluster_id = job.cluster_id and pause.job_id = job.job_id
                                              and pause.submitted_at = job.submitted_at and pause.attempt = job.attempt), 0) as seconds
                          from job join payer using (payer_id)
                         cross join lateral unnest(job.tres, job.amounts) as t (tres_id, amount)
                         where job.cluster_id = :cluster and t.tres_id = :tres
                           and job.started_at < :until and job.ended_at > :from
                           and job.submitted_at >= :first and job.submitted_at < :until
                        """)
                .setFetchSize(1_000)
                .bind("cluster", cluster.id())
                .bind("tres", tres)
                .bind("from", window.from())
                .bind("until", window.until())
                .bind("first", Months.firstInUse(handle, window.from()))
                .map((rows, _) -> {
                    var account = rows.getString("account");
                    var wckey = rows.getString("wckey");
                    if (isAsked(account, wckey, rows.getString("user_name"), tree)) {
                        var shown = byAccount ? shown(account, tree) : "";
                        var line =
                                lines.computeIfAbsent(
                                        new Key(shown, byWckey ? wckey : ""),
                                        _ -> new Line(bounds.length + 1));
                        var amount = rows.getLong("amount");
                        var bucket = bucket(amount);
                        line.seconds[bucket] += amount * rows.getLong("seconds");
                        line.jobs[bucket]++;
                    }
                    return true;
                })
                .forEach(_ -> {});
        return lines;
    }

    private boolean isAsked(String account, String wckey, String user, AccountTree tree) {
        return viewer.seesUsage(account, user)
                && (request.getUsersList().isEmpty() || request.getUsersList().contains(user))
                && (request.getWckeysList().isEmpty() || request.getWckeysList().contains(wckey))
                && (request.getAccountsList().isEmpty()
                        || tree.isBelow(account, request.getAccountsList()));
    }

    /// The accounts below the root, or below those asked for; each by itself in a flat view.
    private String shown(String account, AccountTree tree) {
        if (request.getFlatView()) {
            return account;
        }
        var path = List.copyOf(tree.upwards(account));
        for (var each : path) {
            if (request.getAccountsList().contains(each)) {
                return each;
            }
        }
        return path.size() < 2 ? account : path.get(path.size() - 2);
    }

    private int bucket(long amount) {
        var bucket = 0;
        while (bucket < bounds.length && amount >= bounds[bucket]) {
            bucket++;
        }
        return bucket;
    }
}
