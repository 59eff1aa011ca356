package dev.spur.runtime.http;

import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// One line of an API: what it is called, who may call it, what goes in and comes out, and what is
/// done. Requests are routed and the OpenAPI document is written from the same line.
///
/// @param <C> who calls
/// @param path with names in braces, as in `/api/sessions/{id}`
/// @param name of the operation, unique in the API
/// @param needs what the caller must be or have; the daemon's {@link Gate} knows the words; empty:
///   open to everybody
/// @param query parameters after the question mark
/// @param body what the request carries; null: nothing
/// @param answers by status what the answer carries; {@link Void} stands for nothing
/// @param errors statuses of problems beyond those that every endpoint may answer
public record Endpoint<C>(
        String method,
        String path,
        String name,
        String tag,
        String summary,
        List<String> needs,
        List<Parameter> query,
        @Nullable Type body,
        Map<Integer, Type> answers,
        List<Integer> errors,
        Handler<C> handler) {

    /// A parameter of the query: a text, a whole number, true or false, or an instant, as its type
    /// says.
    public record Parameter(String name, Class<?> type, String meaning) {}

    /// Does what is asked.
    @FunctionalInterface
    public interface Handler<C> {
        Answer handle(Call<C> call) throws Exception;
    }

    public Endpoint {
        needs = List.copyOf(needs);
        query = List.copyOf(query);
        errors = List.copyOf(errors);
        if (!path.startsWith("/")) {
            throw new IllegalArgumentException("a path begins with /: " + path);
        }
    }

    /// Whether anybody may call it.
    public boolean isOpen() {
        return needs.isEmpty();
    }

    /// The path as a pattern whose groups are the names in braces.
    Pattern pattern() {
        return Pattern.compile(path.replaceAll("\\{([a-z]+)}", "(?<$1>[^/]{1,200})"));
    }

    public static <C> Draft<C> get(String path, String name) {
        return new Draft<>("GET", path, name);
    }

    public static <C> Draft<C> post(String path, String name) {
        return new Draft<>("POST", path, name);
    }

    public static <C> Draft<C> put(String path, String name) {
        return new Draft<>("PUT", path, name);
    }

    public static <C> Draft<C> patch(String path, String name) {
        return new Draft<>("PATCH", path, name);
    }

    public static <C> Draft<C> delete(String path, String name) {
        return new Draft<>("DELETE", path, name);
    }

    /// An endpoint being written down.
    public static final class Draft<C> {
        private final String method;
        private final String path;
        private final String name;
        private String tag = "";
        private String summary = "";
        private List<String> needs = List.of();
        private final List<Parameter> query = new ArrayList<>();
        private @Nullable Type body;
        private final Map<Integer, Type> answers = new LinkedHashMap<>();
        private List<Integer> errors = List.of();

        private Draft(String method, String path, String name) {
            this.method = method;
            this.path = path;
            this.name = name;
        }

        public Draft<C> tag(String word) {
            tag = word;
            return this;
        }

        public Draft<C> says(String sentence) {
            summary = sentence;
            return this;
        }

        public Draft<C> needs(String... words) {
            needs = List.of(words);
            return this;
        }

        public Draft<C> query(String parameter, Class<?> type, String meaning) {
            query.add(new Parameter(parameter, type, meaning));
            return this;
        }

        public Draft<C> takes(Type type) {
            body = type;
            return this;
        }

        public Draft<C> answers(int status, Type type) {
            answers.put(status, type);
            return this;
        }

        public Draft<C> refuses(Integer... statuses) {
            errors = List.of(statuses);
            return this;
        }

        public Endpoint<C> by(Handler<C> handler) {
            return new Endpoint<>(
                    method, path, name, tag, summary, needs, query, body, answers, errors, handler);
        }
    }
}
