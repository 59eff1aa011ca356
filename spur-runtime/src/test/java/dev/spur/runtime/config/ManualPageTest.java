package dev.spur.runtime.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.ParameterizedType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// spur.conf(5) has every key there is. `-Dspur.man=write` brings it up to date.
class ManualPageTest {
    private static final Path PAGE = Path.of("../docs/man/spur.conf.5");
    private static final String BEGIN = ".\\\" begin: keys of the records (ManualPageTest)\n";
    private static final String END = ".\\\" end\n";

    @Test
    void pageListsTheKeysOfAllSections() throws IOException {
        var page = Files.readString(PAGE);
        var expected = keys("", SpurConfig.class);
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
    private static String keys(String path, Class<? extends Record> section) {
        var text = new StringBuilder();
        var below = new StringBuilder();
        for (var entry : Keys.of(section).entries()) {
            var type = entry.component().getType();
            var nested = nested(entry);
            if (nested == null) {
                text.append(".TP\n\\fB%s\\fR\n%s\n".formatted(roff(entry.key()), marks(entry)));
            } else {
                var name = path.isEmpty() ? entry.key() : path + "." + entry.key();
                var heading = type == List.class ? "[[%s]]" : "[%s]";
                below.append(".SS \"%s\"\n".formatted(roff(heading.formatted(name))))
                        .append(keys(name, nested));
            }
        }
        return text.append(below).toString();
    }

    private static @Nullable Class<? extends Record> nested(Keys.Entry entry) {
        var type = entry.component().getType();
        if (type.isRecord() && isSection(type)) {
            return type.asSubclass(Record.class);
        }
        if (entry.component().getGenericType() instanceof ParameterizedType list
                && type == List.class
                && list.getActualTypeArguments()[0] instanceof Class<?> element
                && element.isRecord()
                && isSection(element)) {
            return element.asSubclass(Record.class);
        }
        return null;
    }

    private static boolean isSection(Class<?> type) {
        return type.getPackageName().equals(SpurConfig.class.getPackageName());
    }

    private static String marks(Keys.Entry entry) {
        var marks = new ArrayList<>(List.of(kind(entry)));
        if (entry.isRequired()) {
            marks.add("required");
        }
        if (entry.isLive()) {
            marks.add("live");
        }
        if (entry.isNotYetUsed()) {
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
            case "Duration" -> "duration";
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
