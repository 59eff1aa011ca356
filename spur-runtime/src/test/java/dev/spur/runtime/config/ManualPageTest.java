package dev.spur.runtime.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// spur.conf(5) has every key there is, with what it means. `-Dspur.man=write` brings it up to
/// date.
class ManualPageTest {
    private static final Path PAGE = Path.of("../docs/man/spur.conf.5");
    private static final String BEGIN = ".\\\" begin: keys of the records (ManualPageTest)\n";
    private static final String END = ".\\\" end\n";

    @Test
    void pageListsTheKeysOfAllSections() throws IOException {
        var page = Files.readString(PAGE);
        var expected = keys("", SpurConfig.class, SpurConfig.DEFAULTS, false);
        if ("write".equals(System.getProperty("spur.man"))) {
            page = before(page) + BEGIN + expected + END + after(page);
            Files.writeString(PAGE, page);
        }

        assertThat(page.substring(page.indexOf(BEGIN) + BEGIN.length(), page.indexOf(END)))
                .isEqualTo(expected);
    }

    private static String before(String page) {
        return page.substring(0, page.indexOf(BEGIN));
    }

    private static String after(String page) {
        return page.substring(page.indexOf(END) + END.length());
    }

    /// The plain keys of a section, then the sections below it.
    ///
    /// @param notYetUsed of all of them, since the section is not
    private static String keys(
            String path, Class<? extends Record> section, Record defaults, boolean notYetUsed) {
        var text = new StringBuilder();
        var below = new StringBuilder();
        for (var entry : Keys.of(section).entries()) {
            var type = entry.component().getType();
            var nested = entry.section();
            var unused = notYetUsed || entry.isNotYetUsed();
            if (nested == null) {
                assertThat(entry.meaning())
                        .as("the meaning of %s.%s", path, entry.key())
                        .isNotEmpty();
                text.append(
                                ".TP\n\\fB%s\\fR (%s)\n"
                                        .formatted(roff(entry.key()), marks(entry, unused)))
                        .append(roff(entry.meaning()))
                        .append(".")
                        .append(standard(entry, defaults))
                        .append("\n");
            } else {
                var name = path.isEmpty() ? entry.key() : path + "." + entry.key();
                var heading = type == List.class ? "[[%s]]" : "[%s]";
                below.append(".SS \"%s\"\n".formatted(roff(heading.formatted(name))))
                        .append(keys(name, nested, defaultsOf(nested), unused));
            }
        }
        return text.append(below).toString();
    }

    /// What holds without the key.
    private static String standard(Keys.Entry entry, Record defaults) {
        var value = entry.valueIn(defaults);
        if (entry.isRequired() || isNothing(value)) {
            return "";
        }
        var unit = value instanceof Duration ? unit(entry) : "";
        return roff(" Default: " + Effective.written(value, entry.unit()) + unit + ".");
    }

    private static boolean isNothing(@Nullable Object value) {
        return switch (value) {
            case null -> true;
            case List<?> list -> list.isEmpty();
            case Map<?, ?> map -> map.isEmpty();
            default -> value.toString().isEmpty();
        };
    }

    private static String unit(Keys.Entry entry) {
        return switch ((int) entry.unit().toMinutes()) {
            case 0 -> " seconds";
            case 1 -> " minutes";
            default -> " days";
        };
    }

    private static Record defaultsOf(Class<? extends Record> section) {
        try {
            return (Record) section.getField("DEFAULTS").get(null);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(section + " has no DEFAULTS", e);
        }
    }

    private static String marks(Keys.Entry entry, boolean unused) {
        var marks = new ArrayList<>(List.of(kind(entry)));
        if (entry.isRequired()) {
            marks.add("required");
        }
        if (entry.isLive()) {
            marks.add("live");
        }
        if (unused) {
            marks.add("not yet used");
        }
        return String.join(", ", marks);
    }

    private static String kind(Keys.Entry entry) {
        var type = entry.component().getType();
        if (type == boolean.class || type == Boolean.class) {
            return "true or false";
        }
        if (type.isPrimitive() || Number.class.isAssignableFrom(type)) {
            return "number";
        }
        return switch (type.getSimpleName()) {
            case "Duration" -> "number of" + unit(entry);
            case "List", "Set" -> "list";
            case "Map" -> "table";
            case "Path" -> "path";
            case "HostAndPort" -> "address";
            case "Secret" -> "secret text";
            default -> type.isEnum() ? words(type) : "text";
        };
    }

    private static String words(Class<?> type) {
        var words = new ArrayList<String>();
        for (var constant : type.getEnumConstants()) {
            words.add("\"" + constant.toString().toLowerCase(Locale.ROOT) + "\"");
        }
        return roff(String.join(", ", words));
    }

    private static String roff(String text) {
        return text.replace("-", "\\-");
    }
}
