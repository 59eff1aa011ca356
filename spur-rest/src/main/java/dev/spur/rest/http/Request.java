package dev.spur.rest.http;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// One request, read to its end.
///
/// @param path without the query, decoded
/// @param pathValues what stands at the places `{name}` of the route
/// @param query all values of each parameter
/// @param headers by lower-case names
public record Request(
        String method,
        String path,
        Map<String, String> pathValues,
        Map<String, List<String>> query,
        Map<String, String> headers,
        byte[] body) {
    public Request {
        pathValues = Map.copyOf(pathValues);
        query = Map.copyOf(query);
        headers = Map.copyOf(headers);
    }

    public Request at(Map<String, String> values) {
        return new Request(method, path, values, query, headers, body);
    }

    public String value(String name) {
        return pathValues.getOrDefault(name, "");
    }

    /// The last of a parameter's values, unless it is empty.
    public Optional<String> parameter(String name) {
        return Optional.ofNullable(query.get(name))
                .filter(values -> !values.isEmpty())
                .map(List::getLast)
                .filter(value -> !value.isBlank());
    }

    /// A list by commas, or by repetition.
    public List<String> list(String name) {
        return query.getOrDefault(name, List.of()).stream()
                .flatMap(value -> List.of(value.split(",", -1)).stream())
                .map(String::strip)
                .filter(value -> !value.isEmpty())
                .toList();
    }

    /// Whether a parameter is there and says no.
    public boolean isSet(String name) {
        return parameter(name)
                .map(value -> !List.of("false", "0", "no").contains(value.toLowerCase(Locale.ROOT)))
                .orElse(query.containsKey(name));
    }

    public Optional<String> header(String name) {
        return Optional.ofNullable(headers.get(name));
    }

    public String text() {
        return new String(body, StandardCharsets.UTF_8);
    }
}
