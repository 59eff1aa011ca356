package dev.spur.cli.sattach;

import dev.spur.cli.Failure;

/// One task, `all` or `none` of them.
///
/// @param task -1: all, -2: none
record TaskFilter(int task) {
    static final TaskFilter ALL = new TaskFilter(-1);
    private static final TaskFilter NONE = new TaskFilter(-2);

    static TaskFilter parse(String option, String text) {
        return switch (text) {
            case "all" -> ALL;
            case "none" -> NONE;
            default -> {
                if (!text.matches("\\d{1,9}")) {
                    throw new Failure(
                            "%s takes the number of a task, all or none, not \"%s\""
                                    .formatted(option, text));
                }
                yield new TaskFilter(Integer.parseInt(text));
            }
        };
    }

    boolean isNone() {
        return equals(NONE);
    }

    boolean admits(int rank) {
        return equals(ALL) || task == rank;
    }
}
