package dev.spur.rest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.api.view.IndentedText;
import dev.spur.api.view.JsonText;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.dataformat.yaml.YAMLMapper;

/// JSON retold for people and as YAML, read back by a library that knows both.
class IndentedTextTest {
    @Test
    void yamlHasALineForEachValue() {
        var json = "{\"jobs\":[{\"id\":1,\"tags\":[],\"on\":{}},{\"id\":2}],\"none\":null}";

        assertThat(told(IndentedText.Form.YAML, json, 1000))
                .isEqualTo(
                        """
                        ---
                        jobs:
                          - id: 1
                            tags: []
                            "on": {}
                          - id: 2
                        none: null
                        """);
    }

    @Test
    void jsonHasALineForEachValue() {
        assertThat(told(IndentedText.Form.JSON, "{\"a\":[1,{\"b\":\"c: [\"}],\"d\":[]}", 1000))
                .isEqualTo(
                        """
                        {
                          "a": [
                            1,
                            {
                              "b": "c: ["
                            }
                          ],
                          "d": []
                        }
                        """);
    }

    @ParameterizedTest
    @EnumSource
    void whateverIsRetoldReadsAsItWas(IndentedText.Form form) {
        ObjectMapper reader = form == IndentedText.Form.JSON ? new JsonMapper() : new YAMLMapper();
        for (var seed = 0; seed < 300; seed++) {
            var random = new Random(seed);
            var json = new JsonText();
            object(json, random, 4);

            var told = told(form, json.toString(), 1 + random.nextInt(20));

            assertThat(reader.readTree(told))
                    .as("seed %d: %s", seed, told)
                    .isEqualTo(new JsonMapper().readTree(json.toString()));
        }
    }

    /// @param cut the length of the pieces
    private static String told(IndentedText.Form form, String json, int cut) {
        var text = new IndentedText(form);
        var out = new ByteArrayOutputStream();
        var bytes = json.getBytes(StandardCharsets.UTF_8);
        for (var at = 0; at < bytes.length; at += cut) {
            out.writeBytes(
                    text.retell(Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + cut))));
        }
        out.writeBytes(text.end());
        return out.toString(StandardCharsets.UTF_8);
    }

    private static void object(JsonText json, Random random, int depth) {
        json.raw('{');
        for (var i = random.nextInt(4); i > 0; i--) {
            json.text(text(random) + i).raw(':');
            value(json, random, depth - 1);
            json.raw(',');
        }
        json.withoutLastComma().raw('}');
    }

    private static void value(JsonText json, Random random, int depth) {
        switch (random.nextInt(depth > 0 ? 7 : 5)) {
            case 0 -> json.text(text(random));
            case 1 -> json.number(random.nextInt() - 5);
            case 2 -> json.flag(random.nextBoolean());
            case 3 -> json.decimal(random.nextInt(1000) / 8.0);
            case 4 -> json.raw("null");
            case 5 -> object(json, random, depth);
            default -> {
                json.raw('[');
                for (var i = random.nextInt(4); i > 0; i--) {
                    value(json, random, depth - 1);
                    json.raw(',');
                }
                json.withoutLastComma().raw(']');
            }
        }
    }

    private static String text(Random random) {
        var text = new StringBuilder();
        var letters =
                "ab_9 :-#'\"\\\n\t{}[],&*!|>%@`\u007f\u0085\u00e9\u20ac\ud83d\ude00\u2028\u0001yesno";
        for (var i = random.nextInt(6); i > 0; i--) {
            var at =
                    letters.offsetByCodePoints(
                            0, random.nextInt(letters.codePointCount(0, letters.length())));
            text.appendCodePoint(letters.codePointAt(at));
        }
        return text.toString();
    }
}
