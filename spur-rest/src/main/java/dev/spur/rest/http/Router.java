package dev.spur.rest.http;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Finds the route of a path. A slash at the end changes nothing.
public final class Router<C> {
    private final List<Compiled<C>> routes = new ArrayList<>();

    private record Compiled<C>(Route<C> route, List<String> segments) {}

    /// What was found.
    public sealed interface Match<C> {}

    public record Found<C>(Route<C> route, Map<String, String> values) implements Match<C> {}

    public record NoSuchPath<C>() implements Match<C> {}

    /// @param allowed methods that there are, for the header `Allow`
    public record NoSuchMethod<C>(String allowed) implements Match<C> {}

    public Router(List<Route<C>> routes) {
        routes.forEach(route -> this.routes.add(new Compiled<>(route, segments(route.path()))));
    }

    public List<Route<C>> routes() {
        return routes.stream().map(Compiled::route).toList();
    }

    public Match<C> find(String method, String path) {
        var segments = segments(path);
        var allowed = new TreeSet<String>();
        Found<C> best = null;
        for (var candidate : routes) {
            var values = values(candidate.segments(), segments);
            if (values == null) {
                continue;
            }
            allowed.add(candidate.route().method());
            var isBetter = best == null || values.size() < best.values().size();
            if (candidate.route().method().equals(method) && isBetter) {
                best = new Found<>(candidate.route(), values);
            }
        }
        if (best != null) {
            return best;
        }
        return allowed.isEmpty()
                ? new NoSuchPath<>()
                : new NoSuchMethod<>(String.join(", ", allowed));
    }

    private static @Nullable Map<String, String> values(
            List<String> template, List<String> segments) {
        if (template.size() != segments.size()) {
            return null;
        }
        var values = new HashMap<String, String>();
        for (var i = 0; i < template.size(); i++) {
            var wanted = template.get(i);
            if (wanted.startsWith("{")) {
                values.put(wanted.substring(1, wanted.length() - 1), segments.get(i));
            } else if (!wanted.equals(segments.get(i))) {
                return null;
            }
        }
        return values;
    }

    private static List<String> segments(String path) {
        var segments = new ArrayList<String>();
        for (var segment : path.split("/", -1)) {
            if (!segment.isEmpty()) {
                segments.add(segment);
            }
        }
        return segments;
    }
}
