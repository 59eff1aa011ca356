package dev.spur.runtime.config;

/// A setting that must not appear in a log. Only {@link #reveal} gives it away.
public final class Secret {
    static final String REDACTED = "(redacted)";

    private final String value;

    private Secret(String value) {
        this.value = value;
    }

    public static Secret parse(String value) {
        return new Secret(value);
    }

    public String reveal() {
        return value;
    }

    public boolean isEmpty() {
        return value.isEmpty();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Secret secret && secret.value.equals(value);
    }

    @Override
    public int hashCode() {
        return value.hashCode();
    }

    @Override
    public String toString() {
        return value.isEmpty() ? "" : REDACTED;
    }
}
