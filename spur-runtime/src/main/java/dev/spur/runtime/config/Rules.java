package dev.spur.runtime.config;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a section demands of its values. Collects every broken rule, so that a person mends the
/// file once.
public final class Rules {
    private final List<Broken> broken = new ArrayList<>();

    record Broken(String key, String because) {}

    /// Thrown by a record's constructor; the binder adds section and line.
    static final class Violation extends IllegalArgumentException {
        private final List<Broken> broken;

        private Violation(List<Broken> broken) {
            super(broken.toString());
            this.broken = List.copyOf(broken);
        }

        List<Broken> broken() {
            return broken;
        }
    }

    public Rules require(boolean holds, String key, String because, @Nullable Object... values) {
        if (!holds) {
            broken.add(new Broken(key, because.formatted(values)));
        }
        return this;
    }

    public Rules between(long lowest, long value, long highest, String key) {
        return require(
                lowest <= value && value <= highest,
                key,
                "must be between %d and %d, was %d",
                lowest,
                highest,
                value);
    }

    public void check() {
        if (!broken.isEmpty()) {
            throw new Violation(broken);
        }
    }
}
