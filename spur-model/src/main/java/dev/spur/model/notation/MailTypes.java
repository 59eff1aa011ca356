package dev.spur.model.notation;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/// `--mail-type`: the events of a job that its owner wants to hear of.
public record MailTypes(Set<Type> types) {
    public static final MailTypes NONE = new MailTypes(EnumSet.noneOf(Type.class));

    /// In the order in which Slurm lists them.
    public enum Type {
        /// Not an event: mail for each task of an array instead of for the array.
        ARRAY_TASKS,
        INVALID_DEPEND,
        BEGIN,
        END,
        FAIL,
        REQUEUE,
        STAGE_OUT,
        TIME_LIMIT_50,
        TIME_LIMIT_80,
        TIME_LIMIT_90,
        TIME_LIMIT
    }

    private static final Set<Type> ALL = EnumSet.range(Type.INVALID_DEPEND, Type.STAGE_OUT);

    public MailTypes {
        // An enum set keeps the order of the enum; Set.copyOf would not.
        var ordered = EnumSet.noneOf(Type.class);
        ordered.addAll(types);
        types = Collections.unmodifiableSet(ordered);
    }

    /// `NONE` anywhere in the list means no mail at all.
    public static MailTypes parse(String text) {
        var types = EnumSet.noneOf(Type.class);
        var none = false;
        var words = text.toUpperCase(Locale.ROOT).split(",", -1);
        for (var word : words) {
            switch (word) {
                case "" -> {}
                case "NONE" -> none = true;
                case "ALL" -> types.addAll(ALL);
                default -> types.add(type(text, word));
            }
        }
        if (types.isEmpty() && !none) {
            throw notAMailType(text);
        }
        return none ? NONE : new MailTypes(types);
    }

    /// As `scontrol show job` lists them.
    @Override
    public String toString() {
        return types.isEmpty()
                ? "NONE"
                : types.stream().map(Type::name).collect(Collectors.joining(","));
    }

    private static Type type(String text, String word) {
        for (var type : Type.values()) {
            if (type.name().equals(word)) {
                return type;
            }
        }
        throw notAMailType(text);
    }

    private static NotationException notAMailType(String text) {
        return new NotationException(
                text,
                "a list of mail types",
                "write NONE, ALL, BEGIN, END, FAIL, REQUEUE, INVALID_DEPEND, STAGE_OUT, TIME_LIMIT, TIME_LIMIT_90,"
                        + " TIME_LIMIT_80, TIME_LIMIT_50 or ARRAY_TASKS, separated by commas");
    }
}
