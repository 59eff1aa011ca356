package dev.spur.runtime.http;

import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// A request to an endpoint by somebody who may make it.
///
/// @param <C> who calls
public final class Call<C> {
    private final Incoming request;
    private final C caller;
    private final Map<String, String> path;
    private final @Nullable Object body;

    Call(Incoming request, C caller, Map<String, String> path, @Nullable Object body) {
        this.request = request;
        this.caller = caller;
        this.path = Map.copyOf(path);
        this.body = body;
    }

    public C caller() {
        return caller;
    }

    public Incoming request() {
        return request;
    }

    /// What stands in the path where the endpoint has this name in braces.
    public String path(String name) {
        var value = path.get(name);
        if (value == null) {
            throw new IllegalArgumentException("the path has no " + name);
        }
        return value;
    }

    /// An id in the path; one that cannot be is one that nobody has.
    public UUID id(String name, String what) {
        try {
            var text = path(name);
            var id = UUID.fromString(text);
            if (id.toString().equalsIgnoreCase(text)) {
                return id;
            }
        } catch (IllegalArgumentException _) {
            // said below
        }
        throw Problem.notFound(what);
    }

    public Optional<String> query(String name) {
        return request.query(name);
    }

    public int number(String name, int lowest, int highest, int otherwise) {
        return request.number(name, lowest, highest, otherwise);
    }

    public Optional<Instant> instant(String name) {
        return request.instant(name);
    }

    /// What the request carries.
    public <T> T body(Class<T> type) {
        return type.cast(Objects.requireNonNull(body, "this endpoint takes no body"));
    }
}
