package dev.spur.testkit.bench;

import java.util.HashMap;
import java.util.Map;

/// `--name value` pairs of a command line.
record Settings(Map<String, String> values) {
    Settings {
        values = Map.copyOf(values);
    }

    static Settings of(String... arguments) {
        if (arguments.length % 2 != 0) {
            throw new IllegalArgumentException("every option needs a value: --name value");
        }
        var values = new HashMap<String, String>();
        for (var i = 0; i < arguments.length; i += 2) {
            if (!arguments[i].startsWith("--")) {
                throw new IllegalArgumentException("not an option: " + arguments[i]);
            }
            values.put(arguments[i].substring(2), arguments[i + 1]);
        }
        return new Settings(values);
    }

    String required(String name) {
        var value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("--%s is needed".formatted(name));
        }
        return value;
    }

    int number(String name, int otherwise) {
        var value = values.get(name);
        return value == null ? otherwise : Integer.parseInt(value);
    }
}
