package dev.spur.api.view;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Slurm's REST API v0.0.42: each operation with its parameters and bodies, each structure with its
/// members in order. Read from a text beside this class:
///
/// ```
/// GET /slurm/v0.0.42/job/{job_id} slurm_get_job · job_id*(p):str; flags(q):enum ALL|DETAIL → openapi_job_info_resp
///
/// controller_ping hostname:str, responding*:bool, latency:int64
/// controller_ping_array = [controller_ping]
/// ```
public final class SlurmSchema {
    /// The version whose structures the text has.
    public static final String VERSION = "v0.0.42";

    private static final String OPTIONAL_NUMBER = "_no_val_struct";
    private static final SlurmSchema CURRENT = read("slurm-v0.0.42.txt", "commands-v0.0.42.txt");

    /// What a value may be.
    public sealed interface Type {}

    public record Text() implements Type {}

    public record Whole(boolean isLong) implements Type {}

    public record Decimal() implements Type {}

    public record Flag() implements Type {}

    /// One of these words.
    public record Words(List<String> words) implements Type {
        public Words {
            words = List.copyOf(words);
        }
    }

    public record ListOf(Type items) implements Type {}

    public record Structure(List<Member> members) implements Type {
        public Structure {
            members = List.copyOf(members);
        }

        public @Nullable Member member(String name) {
            return members.stream()
                    .filter(member -> member.name().equals(name))
                    .findFirst()
                    .orElse(null);
        }
    }

    /// `{set, infinite, number}`.
    public record OptionalNumber(boolean isDecimal) implements Type {}

    /// Another structure of the schema, by name.
    public record Named(String name) implements Type {}

    public record Member(String name, boolean isRequired, Type type) {}

    /// @param in `path` or `query`
    public record Parameter(String name, boolean isInPath, boolean isRequired, Type type) {}

    /// @param body the structure of the request's body, if it has one
    public record Operation(
            String method,
            String path,
            String id,
            List<Parameter> parameters,
            @Nullable String body,
            String answer) {
        public Operation {
            parameters = List.copyOf(parameters);
        }
    }

    private final List<Operation> operations = new ArrayList<>();
    private final Map<String, Type> structures = new LinkedHashMap<>();
    private Map<String, Type> published = Map.of();

    private SlurmSchema() {}

    public static SlurmSchema current() {
        return CURRENT;
    }

    public List<Operation> operations() {
        return List.copyOf(operations);
    }

    /// Every structure of the REST API. Commands print a few more.
    public Map<String, Type> structures() {
        return published;
    }

    public Type structure(String name) {
        return Objects.requireNonNull(structures.get(name), () -> "no structure " + name);
    }

    /// What a type is, once its name is looked up.
    public Type resolve(Type type) {
        return type instanceof Named(var name) ? resolve(structure(name)) : type;
    }

    /// How a type reads that stands alone behind a name: `{count:int32, list:str}`.
    static Type parse(String text) {
        return new Reader(text).type();
    }

    private static SlurmSchema read(String api, String commands) {
        var schema = new SlurmSchema();
        schema.addAll(api);
        schema.published = Map.copyOf(schema.structures);
        schema.addAll(commands);
        return schema;
    }

    private void addAll(String resource) {
        try (var text = SlurmSchema.class.getResourceAsStream(resource)) {
            var lines =
                    new String(
                            Objects.requireNonNull(text, resource).readAllBytes(),
                            StandardCharsets.UTF_8);
            lines.lines().filter(line -> !line.isBlank()).forEach(this::add);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + resource, e);
        }
    }

    private void add(String line) {
        var words = line.split(" ", 3);
        if (words[1].startsWith("/")) {
            operations.add(operation(words[0], words[1], words[2]));
        } else if (words[1].equals("=")) {
            structures.put(words[0], parse(words[2]));
        } else if (words[0].endsWith(OPTIONAL_NUMBER)) {
            structures.put(words[0], new OptionalNumber(words[0].startsWith("float")));
        } else {
            var members = line.substring(words[0].length() + 1);
            structures.put(words[0], parse("{" + members + "}"));
        }
    }

    private static Operation operation(String method, String path, String rest) {
        var arrow = rest.split(" → ", 2);
        var parts = arrow[0].split(" · ", -1);
        var parameters = new ArrayList<Parameter>();
        String body = null;
        for (var part : List.of(parts).subList(1, parts.length)) {
            if (part.startsWith("body ")) {
                body = part.substring("body ".length());
            } else {
                for (var each : part.split("; ", -1)) {
                    parameters.add(parameter(each));
                }
            }
        }
        return new Operation(method, path, parts[0], parameters, body, arrow[1]);
    }

    private static Parameter parameter(String text) {
        var at = text.lastIndexOf('(');
        var isRequired = text.charAt(at - 1) == '*';
        return new Parameter(
                text.substring(0, isRequired ? at - 1 : at),
                text.charAt(at + 1) == 'p',
                isRequired,
                parse(text.substring(text.indexOf(':', at) + 1)));
    }

    private static final class Reader {
        private final String text;
        private int at;

        Reader(String text) {
            this.text = text;
        }

        Type type() {
            return switch (text.charAt(at)) {
                case '[' -> {
                    at++;
                    var items = type();
                    at++;
                    yield new ListOf(items);
                }
                case '{' -> structure();
                default -> word();
            };
        }

        private Type structure() {
            var members = new ArrayList<Member>();
            at++;
            while (text.charAt(at) != '}') {
                var colon = text.indexOf(':', at);
                var name = text.substring(at, colon);
                var isRequired = name.endsWith("*");
                at = colon + 1;
                members.add(
                        new Member(
                                isRequired ? name.substring(0, name.length() - 1) : name,
                                isRequired,
                                type()));
                if (text.startsWith(", ", at)) {
                    at += 2;
                }
            }
            at++;
            return new Structure(members);
        }

        private Type word() {
            var end = at;
            while (end < text.length() && ",]}".indexOf(text.charAt(end)) < 0) {
                end++;
            }
            var word = text.substring(at, end);
            at = end;
            if (word.startsWith("enum ")) {
                return new Words(List.of(word.substring("enum ".length()).split("\\|", -1)));
            }
            return switch (word) {
                case "str", "None" -> new Text();
                case "int32" -> new Whole(false);
                case "int64" -> new Whole(true);
                case "num", "double" -> new Decimal();
                case "bool" -> new Flag();
                default -> new Named(word);
            };
        }
    }
}
