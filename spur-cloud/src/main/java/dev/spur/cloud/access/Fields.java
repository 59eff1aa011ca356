package dev.spur.cloud.access;

import dev.spur.runtime.http.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Looks at the fields of a request and tells everything that is wrong at once.
public final class Fields {
    private static final Pattern EMAIL =
            Pattern.compile("[^\\s@<>,;\"()\\\\]{1,64}@[A-Za-z0-9.-]{1,190}\\.?[A-Za-z0-9]");
    private static final Pattern USERNAME = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9._-]{0,38})");
    private static final int LONGEST_LINE = 200;

    private final List<Problem.Field> wrong = new ArrayList<>();

    public Fields require(boolean holds, String field, String because) {
        if (!holds) {
            wrong.add(new Problem.Field(field, because));
        }
        return this;
    }

    /// A line of text that people read.
    public Fields line(String field, @Nullable String text) {
        return require(
                text != null
                        && !text.isBlank()
                        && text.length() <= LONGEST_LINE
                        && text.chars().noneMatch(Character::isISOControl),
                field,
                "must be a line of 1 to %d characters".formatted(LONGEST_LINE));
    }

    public Fields email(@Nullable String text) {
        return require(
                text != null && EMAIL.matcher(text.strip()).matches(),
                "email",
                "must be an e-mail address");
    }

    public Fields username(@Nullable String text) {
        return require(
                text != null && USERNAME.matcher(text).matches(),
                "username",
                "must begin with a letter or digit and have at most 39 letters, digits, dots, hyphens and underscores");
    }

    public Fields password(@Nullable String text) {
        return require(
                text != null && text.length() >= 8 && text.length() <= 256,
                "password",
                "must have between 8 and 256 characters");
    }

    public void check() {
        if (!wrong.isEmpty()) {
            throw Problem.fields(wrong);
        }
    }

    /// Addresses that differ in case only are one.
    public static String normalized(String email) {
        return email.strip().toLowerCase(Locale.ROOT);
    }
}
