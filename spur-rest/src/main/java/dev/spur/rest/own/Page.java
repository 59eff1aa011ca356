package dev.spur.rest.own;

import dev.spur.api.view.EntityTable;
import dev.spur.api.view.FieldValue;
import dev.spur.api.view.JsonText;
import dev.spur.api.view.Surroundings;
import dev.spur.rest.http.Refusal;
import dev.spur.rest.http.Reply;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/// A part of a list: whose fields have the values that the query names, in the order it names, so
/// many from there on.
final class Page<M> {
    static final int MOST = 10_000;
    static final int USUAL = 1_000;

    /// Parameters that are no fields.
    private static final Set<String> RESERVED = Set.of("fields", "sort", "limit", "after");

    private final OwnCall call;
    private final EntityTable<M> table;
    private final List<M> all;
    private final Surroundings surroundings;
    private final Set<String> done;

    /// @param done parameters by which was chosen before
    Page(
            OwnCall call,
            EntityTable<M> table,
            List<M> all,
            Surroundings surroundings,
            Set<String> done) {
        this.call = call;
        this.done = Set.copyOf(done);
        this.table = table;
        this.all = all;
        this.surroundings = surroundings;
    }

    Reply reply(String key) {
        var chosen = sorted(chosen());
        var from = Math.min(start(), chosen.size());
        var to = Math.min(from + limit(call), chosen.size());
        var json = new JsonText().raw('{').text(key).raw(':');
        call.layout(table).writeAll(chosen.subList(from, to), json, surroundings);
        json.raw(",\"next\":");
        if (to < chosen.size()) {
            json.text(Integer.toString(to));
        } else {
            json.raw("null");
        }
        json.raw(",\"total\":").number(chosen.size()).raw('}');
        return Reply.json(200, json);
    }

    private List<M> chosen() {
        var chosen = all;
        for (var name : call.request().query().keySet()) {
            var field = table.byName(name);
            if (RESERVED.contains(name) || done.contains(name)) {
                continue;
            }
            if (field.isEmpty()) {
                throw Refusal.badQuery("a %s has no field \"%s\"".formatted(table.noun(), name));
            }
            var wanted = call.request().list(name);
            chosen =
                    chosen.stream()
                            .filter(one ->
                                    wanted.stream()
                                            .anyMatch(
                                                    FieldValue.of(field.get(), one, surroundings)
                                                            ::matches))
                            .toList();
        }
        return chosen;
    }

    private List<M> sorted(List<M> chosen) {
        var keys = call.request().list("sort");
        if (keys.isEmpty()) {
            return chosen;
        }
        Comparator<M> order = (_, _) -> 0;
        for (var key : keys) {
            var isDown = key.startsWith("-");
            var next =
                    FieldValue.order(
                            OwnCall.field(table, isDown ? key.substring(1) : key), surroundings);
            order = order.thenComparing(isDown ? Collections.reverseOrder(next) : next);
        }
        var sorted = new ArrayList<>(chosen);
        sorted.sort(order);
        return sorted;
    }

    private int start() {
        return call.request()
                .parameter("after")
                .map(text -> number("after", text, Integer.MAX_VALUE))
                .orElse(0);
    }

    static int limit(OwnCall call) {
        return call.request()
                .parameter("limit")
                .map(text -> Math.max(1, number("limit", text, MOST)))
                .orElse(USUAL);
    }

    private static int number(String name, String text, int most) {
        if (!text.matches("[0-9]{1,9}") || Integer.parseInt(text) > most) {
            throw Refusal.badQuery("%s must be a number up to %d".formatted(name, most));
        }
        return Integer.parseInt(text);
    }
}
