package dev.spur.accounting.usage;

import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/// The tables `usage` and `cluster_usage`: what was summed up.
final class UsageRepository {
    /// Who used something: a row of `payer`.
    record Payer(int id, long association, String account, String user, String wckey) {}

    /// A resource that a payer used.
    record Use(int payer, int tres) {}

    private final Handle handle;
    private final int cluster;

    UsageRepository(Handle handle, int cluster) {
        this.handle = handle;
        this.cluster = cluster;
    }

    void replaceHours(
            Window window, List<RawUsage.Part> parts, Map<RawUsage.Cell, ClusterTime> times) {
        delete(Span.HOUR, window);
        var sums = new HashMap<HourOfUse, Long>();
        parts.forEach(part ->
                sums.merge(
                        new HourOfUse(part.hour(), part.payer(), part.tres()),
                        part.seconds(),
                        Long::sum));
        var usage =
                handle.prepareBatch(
                        """
                        insert into usage (span, from_at, payer_id, tres_id, seconds)
                        values ('hour', :hour, :payer, :tres, :seconds)
                        """);
        sums.forEach((key, seconds) ->
                usage.bind("hour", key.hour())
                        .bind("payer", key.payer())
                        .bind("tres", key.tres())
                        .bind("seconds", seconds)
                        .add());
        if (usage.size() > 0) {
            usage.execute();
        }
        var cluster =
                handle.prepareBatch(
                        """
                        insert into cluster_usage (span, from_at, cluster_id, tres_id, reported, allocated, down,
                                                   planned_down, idle, planned)
                        values ('hour', :hour, :cluster, :tres, :reported, :allocated, :down, :planned_down, :idle, :planned)
                        """);
        times.forEach((cell, time) ->
                cluster.bind("hour", cell.hour())
                        .bind("cluster", this.cluster)
                        .bind("tres", cell.tres())
                        .bind("reported", time.reported())
                        .bind("allocated", time.allocated())
                        .bind("down", time.down())
                        .bind("planned_down", time.plannedDown())
                        .bind("idle", time.idle())
                        .bind("planned", time.planned())
                        .add());
        if (cluster.size() > 0) {
            cluster.execute();
        }
    }

    private record HourOfUse(OffsetDateTime hour, int payer, int tres) {}

    private void delete(Span span, Window window) {
        for (var statement :
                List.of(
                        """
                        delete from usage using payer
                         where usage.payer_id = payer.payer_id and payer.cluster_id = :cluster
                           and span = :span and from_at >= :from and from_at < :until
                        """,
                        """
                        delete from cluster_usage
                         where cluster_id = :cluster and span = :span and from_at >= :from and from_at < :until
                        """)) {
            handle.createUpdate(statement)
                    .bind("cluster", cluster)
                    .bind("span", span.word())
                    .bind("from", window.from())
                    .bind("until", window.until())
                    .execute();
        }
    }

    /// Sums up one day or month from its parts anew.
    void sumUp(Span span, Window whole) {
        delete(span, whole);
        for (var statement :
                List.of(
                        """
                        insert into usage (span, from_at, payer_id, tres_id, seconds)
                        select :span, :from, payer_id, tres_id, sum(seconds)::bigint
                          from usage join payer using (payer_id)
                         where payer.cluster_id = :cluster and span = :parts and from_at >= :from and from_at < :until
                         group by payer_id, tres_id
                        """,
                        """
                        insert into cluster_usage (span, from_at, cluster_id, tres_id, reported, allocated, down,
                                                   planned_down, idle, planned)
                        select :span, :from, cluster_id, tres_id, sum(reported)::bigint, sum(allocated)::bigint,
                               sum(down)::bigint, sum(planned_down)::bigint, sum(idle)::bigint, sum(planned)::bigint
                          from cluster_usage
                         where cluster_id = :cluster and span = :parts and from_at >= :from and from_at < :until
                         group by cluster_id, tres_id
                        """)) {
            handle.createUpdate(statement)
                    .bind("cluster", cluster)
                    .bind("span", span.word())
                    .bind("parts", span.parts().word())
                    .bind("from", whole.from())
                    .bind("until", whole.until())
                    .execute();
        }
    }

    /// Amount times seconds in a window, by payer and resource.
    Map<Use, Long> between(Pieces pieces) {
        var sums = new HashMap<Use, Long>();
        var raw = new RawUsage(handle, cluster);
        for (var window : pieces.raw()) {
            raw.parts(window)
                    .forEach(part ->
                            sums.merge(
                                    new Use(part.payer(), part.tres()), part.seconds(), Long::sum));
        }
        pieces.summed()
                .forEach((span, windows) -> windows.forEach(window -> add(sums, span, window)));
        return sums;
    }

    private void add(Map<Use, Long> sums, Span span, Window window) {
        handle.createQuery(
                        """
                        select payer_id, tres_id, sum(seconds)::bigint as seconds
                          from usage join payer using (payer_id)
                         where payer.cluster_id = :cluster and span = :span and from_at >= :from and from_at < :until
                         group by payer_id, tres_id
                        """)
                .bind("cluster", cluster)
                .bind("span", span.word())
                .bind("from", window.from())
                .bind("until", window.until())
                .map((rows, _) ->
                        Map.entry(
                                new Use(rows.getInt("payer_id"), rows.getInt("tres_id")),
                                rows.getLong("seconds")))
                .forEach(each -> sums.merge(each.getKey(), each.getValue(), Long::sum));
    }

    /// What became of the cluster in a window, by resource.
    Map<Integer, ClusterTime> clusterBetween(Pieces pieces) {
        var sums = new HashMap<Integer, ClusterTime>();
        var raw = new RawUsage(handle, cluster);
        for (var window : pieces.raw()) {
            raw.cluster(window, raw.parts(window))
                    .forEach((cell, time) -> sums.merge(cell.tres(), time, ClusterTime::plus));
        }
        pieces.summed()
                .forEach((span, windows) ->
                        windows.forEach(window -> addCluster(sums, span, window)));
        return sums;
    }

    private void addCluster(Map<Integer, ClusterTime> sums, Span span, Window window) {
        handle.createQuery(
                        """
                        select tres_id, sum(reported)::bigint as reported, sum(allocated)::bigint as allocated,
                               sum(down)::bigint as down, sum(planned_down)::bigint as planned_down,
                               sum(idle)::bigint as idle, sum(planned)::bigint as planned
                          from cluster_usage
                         where cluster_id = :cluster and span = :span and from_at >= :from and from_at < :until
                         group by tres_id
                        """)
                .bind("cluster", cluster)
                .bind("span", span.word())
                .bind("from", window.from())
                .bind("until", window.until())
                .map((rows, _) ->
                        Map.entry(
                                rows.getInt("tres_id"),
                                new ClusterTime(
                                        rows.getLong("reported"),
                                        rows.getLong("allocated"),
                                        rows.getLong("down"),
                                        rows.getLong("planned_down"),
                                        rows.getLong("idle"),
                                        rows.getLong("planned"))))
                .forEach(each -> sums.merge(each.getKey(), each.getValue(), ClusterTime::plus));
    }

    Map<Integer, Payer> payers() {
        var payers = new HashMap<Integer, Payer>();
        handle.createQuery("select * from payer where cluster_id = :cluster")
                .bind("cluster", cluster)
                .map((rows, _) ->
                        new Payer(
                                rows.getInt("payer_id"),
                                rows.getLong("association_id"),
                                rows.getString("account"),
                                rows.getString("user_name"),
                                rows.getString("wckey")))
                .forEach(payer -> payers.put(payer.id(), payer));
        return payers;
    }

    /// When the first thing that counts happened.
    Optional<OffsetDateTime> begin() {
        return handle.createQuery(
                        """
                        select least((select min(from_at) from capacity where cluster_id = :cluster),
                                     (select min(eligible_at) from job where cluster_id = :cluster),
                                     (select min(started_at) from job where cluster_id = :cluster))
                        """)
                .bind("cluster", cluster)
                .mapTo(OffsetDateTime.class)
                .findOne();
    }
}
