package dev.spur.rest.job;

import dev.spur.rest.http.Body;
import dev.spur.rest.http.Refusal;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.Map;

/// A reservation as it is described, by the keys of `scontrol create reservation`. Instants may be
/// seconds since 1970 or texts.
public final class ReservationDescription {
    private static final Map<String, String> LISTS =
            Map.of(
                    "accounts", "Accounts",
                    "flags", "Flags",
                    "groups", "Groups",
                    "node_list", "Nodes",
                    "nodes", "Nodes",
                    "users", "Users");

    private static final Map<String, String> NUMBERS =
            Map.of("core_count", "CoreCnt", "duration", "Duration", "node_count", "NodeCnt");

    private static final Map<String, String> TEXTS =
            Map.of("features", "Features", "partition", "PartitionName");

    private static final Map<String, String> INSTANTS =
            Map.of(
                    "start_time", "StartTime",
                    "starts_at", "StartTime",
                    "end_time", "EndTime",
                    "ends_at", "EndTime");

    private ReservationDescription() {}

    public static Map<String, String> settings(Body body) {
        var settings = new LinkedHashMap<String, String>();
        for (var name : body.names()) {
            if (!body.has(name) || name.equals("name")) {
                continue;
            }
            if (LISTS.containsKey(name)) {
                settings.put(LISTS.getOrDefault(name, name), String.join(",", body.words(name)));
            } else if (NUMBERS.containsKey(name)) {
                body.number(name)
                        .ifPresent(number ->
                                settings.put(
                                        NUMBERS.getOrDefault(name, name), Long.toString(number)));
            } else if (TEXTS.containsKey(name)) {
                settings.put(TEXTS.getOrDefault(name, name), body.given(name).orElse(""));
            } else if (INSTANTS.containsKey(name)) {
                instant(body, name, settings);
            } else {
                throw Refusal.unreadable("%s of a reservation cannot be set".formatted(name));
            }
        }
        return settings;
    }

    private static void instant(Body body, String name, Map<String, String> settings) {
        var key = INSTANTS.getOrDefault(name, name);
        if (body.isObject(name) || body.given(name).orElse("").matches("[0-9]{1,12}")) {
            body.number(name)
                    .ifPresent(seconds ->
                            settings.put(key, Instant.ofEpochSecond(bounded(seconds)).toString()));
            return;
        }
        try {
            settings.put(key, Instant.parse(body.given(name).orElse("")).toString());
        } catch (DateTimeParseException e) {
            throw Refusal.unreadable(
                    "%s must be an instant, as 2026-01-31T12:00:00Z".formatted(name));
        }
    }

    private static long bounded(long seconds) {
        if (seconds < 0 || seconds > Instant.MAX.getEpochSecond() / 1000) {
            throw Refusal.unreadable(seconds + " is no time");
        }
        return seconds;
    }
}
