package dev.spur.rest.own;

import dev.spur.api.client.ControllerClient;
import dev.spur.api.view.EntityTable;
import dev.spur.api.view.JsonText;
import dev.spur.api.view.PlainLayout;
import dev.spur.api.view.Surroundings;
import dev.spur.rest.caller.Caller;
import dev.spur.rest.cluster.Cluster;
import dev.spur.rest.http.Body;
import dev.spur.rest.http.Refusal;
import dev.spur.rest.http.Reply;
import dev.spur.rest.http.Request;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/// A request to a route, with what it takes to answer it.
final class OwnCall {
    private final Request request;
    private final Caller caller;
    private final Cluster cluster;

    OwnCall(Request request, Caller caller, Cluster cluster) {
        this.request = request;
        this.caller = caller;
        this.cluster = cluster;
    }

    Request request() {
        return request;
    }

    /// Who asks; routes that are open to strangers do not want to know.
    Caller.Known caller() {
        return switch (caller) {
            case Caller.Known known -> known;
            case Caller.Stranger(var because) ->
                    throw Refusal.stranger(because, "Send a token: Authorization: Bearer …");
        };
    }

    Cluster cluster() {
        return cluster;
    }

    ControllerClient client() {
        return cluster.as(caller());
    }

    Surroundings surroundings(long nowMicros) {
        return cluster.surroundings(caller(), nowMicros);
    }

    /// What a request carries; nothing is an empty object.
    Body body() {
        return Body.of(request);
    }

    /// The name by which the cluster knows a repetition of this request.
    String requestId() {
        var key = request.header("idempotency-key");
        if (key.isPresent() && !key.get().matches("[\\x21-\\x7e]{1,64}")) {
            throw Refusal.badQuery("Idempotency-Key must be 1 to 64 visible letters of ASCII");
        }
        return key.orElseGet(() -> UUID.randomUUID().toString());
    }

    <M> Reply one(EntityTable<M> table, M message, long nowMicros) {
        var json = new JsonText();
        layout(table).write(message, json, surroundings(nowMicros));
        return Reply.json(200, json);
    }

    /// The fields that were asked for, or all.
    <M> PlainLayout<M> layout(EntityTable<M> table) {
        var names = request.list("fields");
        if (names.isEmpty()) {
            return PlainLayout.of(table);
        }
        return PlainLayout.of(names.stream().map(name -> field(table, name)).toList());
    }

    static <M> dev.spur.api.view.Field<M> field(EntityTable<M> table, String name) {
        return table.byName(name)
                .orElseThrow(() ->
                        Refusal.badQuery(
                                "a %s has no field \"%s\"; it has %s"
                                        .formatted(table.noun(), name, names(table))));
    }

    private static <M> String names(EntityTable<M> table) {
        return String.join(
                ", ", table.plain().stream().map(dev.spur.api.view.Field::name).toList());
    }

    /// A page of what there is: chosen, sorted and cut as the query says.
    <M> Reply page(String key, EntityTable<M> table, List<M> all, long nowMicros) {
        return page(key, table, all, nowMicros, Set.of());
    }

    /// @param done parameters by which was chosen before
    <M> Reply page(
            String key, EntityTable<M> table, List<M> all, long nowMicros, Set<String> done) {
        return page(key, table, all, surroundings(nowMicros), done);
    }

    <M> Reply page(
            String key,
            EntityTable<M> table,
            List<M> all,
            Surroundings surroundings,
            Set<String> done) {
        return new Page<>(this, table, all, surroundings, done).reply(key);
    }
}
