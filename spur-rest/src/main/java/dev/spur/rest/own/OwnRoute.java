package dev.spur.rest.own;

import dev.spur.api.view.EntityTable;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One line of the API: where, what for, what goes in and comes out, and who does it.
///
/// @param name of the operation, `listJobs`
/// @param parameters of the query
/// @param body what it takes, as a name among the documentation's schemas; missing: nothing
/// @param table of what it answers with; missing: a few words
/// @param key under which a list of them is; empty: one of them
record OwnRoute(
        String method,
        String path,
        String name,
        String tag,
        String summary,
        List<Parameter> parameters,
        @Nullable String body,
        @Nullable EntityTable<?> table,
        String key,
        boolean isOpen,
        Operation operation) {
    /// @param isNumber a whole number; else a text
    record Parameter(String name, boolean isNumber, String about) {}

    OwnRoute {
        parameters = List.copyOf(parameters);
    }

    static Draft get(String path, String name) {
        return new Draft("GET", path, name);
    }

    static Draft post(String path, String name) {
        return new Draft("POST", path, name);
    }

    static Draft patch(String path, String name) {
        return new Draft("PATCH", path, name);
    }

    static Draft delete(String path, String name) {
        return new Draft("DELETE", path, name);
    }

    /// A line being written.
    static final class Draft {
        private final String method;
        private final String path;
        private final String name;
        private final List<Parameter> parameters = new ArrayList<>();
        private String tag = "";
        private String summary = "";
        private @Nullable String body;
        private @Nullable EntityTable<?> table;
        private String key = "";
        private boolean isOpen;

        private Draft(String method, String path, String name) {
            this.method = method;
            this.path = path;
            this.name = name;
        }

        Draft says(String section, String sentence) {
            tag = section;
            summary = sentence;
            return this;
        }

        Draft text(String parameter, String about) {
            parameters.add(new Parameter(parameter, false, about));
            return this;
        }

        Draft number(String parameter, String about) {
            parameters.add(new Parameter(parameter, true, about));
            return this;
        }

        Draft takes(String schema) {
            body = schema;
            return this;
        }

        Draft answers(EntityTable<?> one) {
            table = one;
            return this;
        }

        /// A page of them, under a key, with what chooses, sorts and cuts it.
        Draft lists(String under, EntityTable<?> many) {
            table = many;
            key = under;
            return text("fields", "only these fields, by comma")
                    .text("sort", "fields to sort by, by comma; with - before it from the top")
                    .number("limit", "how many at most (1 to %d)".formatted(Page.MOST))
                    .text("after", "the page behind this one: \"next\" of the one before");
        }

        /// For strangers, too.
        Draft open() {
            isOpen = true;
            return this;
        }

        OwnRoute by(Operation operation) {
            return new OwnRoute(
                    method,
                    path,
                    name,
                    tag,
                    summary,
                    parameters,
                    body,
                    table,
                    key,
                    isOpen,
                    operation);
        }
    }
}
