package dev.spur.agent.launch;

import com.google.protobuf.ByteString;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The variables of a process. They are bytes, which need not be text in any encoding: every char
/// of a name or value in here is one byte.
final class Environment {
    private final Map<String, String> variables = new LinkedHashMap<>();

    /// `NAME=value`, each ended by a NUL.
    static Environment parse(ByteString block) {
        var environment = new Environment();
        for (var variable : block.toString(StandardCharsets.ISO_8859_1).split("\0", -1)) {
            var equals = variable.indexOf('=');
            if (equals > 0) {
                environment.variables.put(
                        variable.substring(0, equals), variable.substring(equals + 1));
            }
        }
        return environment;
    }

    Environment put(String name, String value) {
        variables.put(name, bytes(value));
        return this;
    }

    Environment put(String name, long value) {
        variables.put(name, Long.toString(value));
        return this;
    }

    Environment putIf(boolean condition, String name, String value) {
        return condition ? put(name, value) : this;
    }

    Environment putIfAbsent(String name, String value) {
        variables.putIfAbsent(name, bytes(value));
        return this;
    }

    /// Before what is there, once.
    Environment prepend(String name, String directory) {
        var others = variables.getOrDefault(name, "");
        var first = bytes(directory);
        if (!others.equals(first) && !others.startsWith(first + ":")) {
            variables.put(name, others.isEmpty() ? first : first + ":" + others);
        }
        return this;
    }

    Environment remove(String name) {
        variables.remove(name);
        return this;
    }

    boolean has(String name) {
        return variables.containsKey(name);
    }

    List<String> toList() {
        var list = new ArrayList<String>(variables.size());
        variables.forEach((name, value) -> list.add(name + "=" + value));
        return list;
    }

    /// A text as the bytes of its UTF-8 form.
    private static String bytes(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }
}
