package dev.spur.cloud.billing;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;

/// The only place that knows the table `price`. What was billed for good keeps its price: a price
/// cannot begin, change or go where it would change such a line.
public final class Prices {
    private final Jdbi db;
    private final InstantSource clock;

    public Prices(Jdbi db, InstantSource clock) {
        this.db = db;
        this.clock = clock;
    }

    /// What became of a change.
    public sealed interface Change {}

    public record Done(Price price) implements Change {}

    /// @param until lines that have ended by then are settled
    public record AlreadyBilled(Instant until) implements Change {}

    public record Unknown() implements Change {}

    /// The oldest first.
    public List<Price> all() {
        return db.withHandle(Prices::all);
    }

    private static List<Price> all(Handle handle) {
        return handle.createQuery(
                        "select id, resource, per_hour, valid_from from price order by resource, valid_from")
                .map(ConstructorMapper.of(Price.class))
                .list();
    }

    public PriceList list() {
        return new PriceList(all());
    }

    /// One that begins when another of the same resource does replaces it.
    public Change set(String resource, BigDecimal perHour, Instant from, String by) {
        return db.inTransaction(handle -> {
            var billed = billedUntil(handle, resource, from);
            if (billed.isPresent()) {
                return new AlreadyBilled(billed.get());
            }
            var price =
                    handle.createQuery(
                                    """
                                    insert into price (id, resource, per_hour, valid_from, created_at, created_by)
                                    values (:id, :resource, :perHour, :from, :now, :by)
                                    on conflict (resource, valid_from) do update
                                       set per_hour = excluded.per_hour, created_at = excluded.created_at, created_by = excluded.created_by
                                    returning id, resource, per_hour, valid_from
                                    """)
                            .bind("id", UUID.randomUUID())
                            .bind("resource", resource)
                            .bind("perHour", perHour)
                            .bind("from", from)
                            .bind("now", clock.instant())
                            .bind("by", by)
                            .map(ConstructorMapper.of(Price.class))
                            .one();
            return new Done(price);
        });
    }

    public Change remove(UUID id) {
        return db.inTransaction(handle -> {
            var known = all(handle).stream().filter(price -> price.id().equals(id)).findFirst();
            if (known.isEmpty()) {
                return new Unknown();
            }
            var price = known.get();
            var billed = billedUntil(handle, price.resource(), price.validFrom());
            if (billed.isPresent()) {
                return new AlreadyBilled(billed.get());
            }
            handle.createUpdate("delete from price where id = :id").bind("id", id).execute();
            return new Done(price);
        });
    }

    /// When the last settled line ended that a price from this time on would change.
    private static Optional<Instant> billedUntil(Handle handle, String resource, Instant from) {
        handle.execute("lock table price in share row exclusive mode");
        return handle.createQuery(
                        """
                        select max(u.ended_at) from usage_record u join settled_session using (session_id)
                         where u.ended_at > :from
                           and (:resource = 'cpu' or u.gpu_count > 0)
                           and (:resource in ('cpu', 'gpu') or :resource = 'gpu:' || u.gpu_type)
                        having max(u.ended_at) is not null
                        """)
                .bind("from", from)
                .bind("resource", resource)
                .mapTo(Instant.class)
                .findOne();
    }

    /// Puts in what the configuration says, unless it is there.
    public void offer(String resource, BigDecimal perHour, Instant from) {
        db.useHandle(handle ->
                handle.createUpdate(
                                """
                                insert into price (id, resource, per_hour, valid_from, created_at, created_by)
                                values (:id, :resource, :perHour, :from, :now, 'configuration')
                                on conflict (resource, valid_from) do nothing
                                """)
                        .bind("id", UUID.randomUUID())
                        .bind("resource", resource)
                        .bind("perHour", perHour)
                        .bind("from", from)
                        .bind("now", clock.instant())
                        .execute());
    }
}
