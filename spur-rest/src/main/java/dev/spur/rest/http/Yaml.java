package dev.spur.rest.http;

import java.io.ByteArrayOutputStream;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.dataformat.yaml.YAMLMapper;

/// Answers in YAML, made of those in JSON.
final class Yaml {
    static final String TYPE = "application/yaml";

    private static final JsonMapper JSON = new JsonMapper();
    private static final YAMLMapper YAML = new YAMLMapper();

    private Yaml() {}

    static byte[] of(byte[] json) {
        var out = new ByteArrayOutputStream(json.length);
        try (var parser = JSON.createParser(json);
                var generator = YAML.createGenerator(out)) {
            while (parser.nextToken() != null) {
                generator.copyCurrentEvent(parser);
            }
        }
        return out.toByteArray();
    }
}
