package dev.spur.cli.sinfo;

import dev.spur.api.v1.Node;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/// The state of a node in Slurm's words: one base state and any flags, of which one word and at
/// most one sign are shown.
record NodeState(String base, List<String> flags) {
    private static final String DRAIN = "DRAIN";
    private static final String COMPLETING = "COMPLETING";
    private static final String NOT_RESPONDING = "NOT_RESPONDING";
    private static final String PLANNED = "PLANNED";

    private static final List<String> BASES =
            List.of("UNKNOWN", "DOWN", "IDLE", "ALLOCATED", "ERROR", "MIXED", "FUTURE");

    /// Slurm's bits of the flags, by which listings sort.
    private static final Map<String, Integer> BITS =
            Map.ofEntries(
                    Map.entry("RESERVED", 5),
                    Map.entry("CLOUD", 7),
                    Map.entry(DRAIN, 9),
                    Map.entry(COMPLETING, 10),
                    Map.entry(NOT_RESPONDING, 11),
                    Map.entry("POWERED_DOWN", 12),
                    Map.entry("FAIL", 13),
                    Map.entry("POWERING_UP", 14),
                    Map.entry("MAINTENANCE", 15),
                    Map.entry("REBOOT_REQUESTED", 16),
                    Map.entry("POWERING_DOWN", 18),
                    Map.entry("REBOOT_ISSUED", 20),
                    Map.entry(PLANNED, 21),
                    Map.entry("INVALID_REG", 22),
                    Map.entry("POWER_DOWN", 23));

    /// Signs behind the word; the first that applies is shown.
    private record Sign(String flag, char sign) {}

    private static final List<Sign> SIGNS =
            List.of(
                    new Sign("MAINTENANCE", '$'),
                    new Sign("REBOOT_ISSUED", '^'),
                    new Sign("REBOOT_REQUESTED", '@'),
                    new Sign("POWERING_UP", '#'),
                    new Sign("POWERING_DOWN", '%'),
                    new Sign("POWERED_DOWN", '~'),
                    new Sign("POWER_DOWN", '!'),
                    new Sign(NOT_RESPONDING, '*'));

    /// A word in its long and its short form.
    private record Word(String full, String compact) {}

    private static final Map<String, Word> BASE_WORDS =
            Map.of(
                    "UNKNOWN", new Word("unknown", "unk"),
                    "DOWN", new Word("down", "down"),
                    "IDLE", new Word("idle", "idle"),
                    "ALLOCATED", new Word("allocated", "alloc"),
                    "ERROR", new Word("error", "err"),
                    "MIXED", new Word("mixed", "mix"),
                    "FUTURE", new Word("future", "futr"));

    /// What users may ask for with `-t`, beside the base words.
    private static final List<String> SELECTABLE =
            List.of(
                    "alloc",
                    "allocated",
                    "comp",
                    "completing",
                    "down",
                    "drain",
                    "drained",
                    "draining",
                    "drng",
                    "err",
                    "error",
                    "fail",
                    "failing",
                    "futr",
                    "future",
                    "idle",
                    "maint",
                    "mix",
                    "mixed",
                    "no_respond",
                    "npc",
                    "perfctrs",
                    "plnd",
                    "planned",
                    "power_down",
                    "powered_down",
                    "powering_down",
                    "powering_up",
                    "reserved",
                    "resv",
                    "unk",
                    "unknown");

    static NodeState of(Node node) {
        return new NodeState(
                node.getState(),
                node.getFlagsList().stream()
                        .map(flag -> flag.equals("MAINT") ? "MAINTENANCE" : flag)
                        .toList());
    }

    String full() {
        var word = word();
        return word.full() + sign(word);
    }

    String compact() {
        var word = word();
        return word.compact() + sign(word);
    }

    /// Every flag, as `scontrol` joins them: `idle+drain`.
    String complete() {
        var all = new StringBuilder(base);
        flags.forEach(flag -> all.append('+').append(flag));
        return all.toString().toLowerCase(Locale.ROOT);
    }

    /// Slurm's number, by which listings sort.
    long number() {
        long number = Math.max(0, BASES.indexOf(base));
        for (var flag : flags) {
            number |= 1L << BITS.getOrDefault(flag, 4);
        }
        return number;
    }

    boolean isDraining() {
        return has(DRAIN);
    }

    boolean isDown() {
        return base.equals("DOWN");
    }

    boolean isIdle() {
        return base.equals("IDLE") && !isBusy();
    }

    boolean isResponding() {
        return !has(NOT_RESPONDING);
    }

    /// Whether something runs on the node or is being cleaned up.
    boolean isBusy() {
        return has(COMPLETING) || base.equals("ALLOCATED") || base.equals("MIXED");
    }

    /// The word of `-t` that a text means, if it is one.
    static Optional<String> selectable(String text) {
        var word = text.strip().toLowerCase(Locale.ROOT);
        return SELECTABLE.contains(word) || word.equals("all")
                ? Optional.of(word)
                : Optional.empty();
    }

    static String listing() {
        return String.join(",", SELECTABLE).toUpperCase(Locale.ROOT);
    }

    /// Whether `-t word` selects a node in this state.
    boolean matches(String word) {
        return switch (word) {
            case "all" -> true;
            case "drain" -> isDraining();
            case "drained" -> isDraining() && !isBusy();
            case "draining", "drng" -> isDraining() && isBusy();
            case "comp", "completing" -> has(COMPLETING);
            case "fail", "failing" -> has("FAIL");
            case "maint" -> has("MAINTENANCE");
            case "no_respond" -> has(NOT_RESPONDING);
            case "plnd", "planned" -> has(PLANNED);
            case "power_down" -> has("POWER_DOWN");
            case "powered_down" -> has("POWERED_DOWN");
            case "powering_down" -> has("POWERING_DOWN");
            case "powering_up" -> has("POWERING_UP");
            case "resv", "reserved" -> has("RESERVED");
            case "npc", "perfctrs" -> false;
            case "idle" -> base.equals("IDLE");
            case "alloc" -> base.equals("ALLOCATED");
            case "mix" -> base.equals("MIXED");
            case "futr" -> base.equals("FUTURE");
            case "unk" -> base.equals("UNKNOWN");
            case "err" -> base.equals("ERROR");
            default -> base.equalsIgnoreCase(word);
        };
    }

    private boolean has(String flag) {
        return flags.contains(flag);
    }

    private Word word() {
        if (has("MAINTENANCE") && !isDraining() && !isDown() && !isBusy()) {
            return new Word("maint", "maint");
        }
        if (has("REBOOT_ISSUED") && !isDraining() && !isBusy()) {
            return new Word("reboot", "boot");
        }
        if (isDraining()) {
            return isBusy() ? new Word("draining", "drng") : new Word("drained", "drain");
        }
        if (has("FAIL")) {
            return isBusy() ? new Word("failing", "failg") : new Word("fail", "fail");
        }
        if (has("INVALID_REG")) {
            return new Word("inval", "inval");
        }
        if (has(COMPLETING) && !base.equals("ALLOCATED") && !isDown()) {
            return new Word("completing", "comp");
        }
        if (base.equals("IDLE") && has("RESERVED")) {
            return new Word("reserved", "resv");
        }
        if (base.equals("IDLE") && has(PLANNED)) {
            return new Word("planned", "plnd");
        }
        var lower = base.toLowerCase(Locale.ROOT);
        return BASE_WORDS.getOrDefault(base, new Word(lower, lower));
    }

    private String sign(Word word) {
        if (word.full().equals("maint")) {
            return isResponding() ? "" : "*";
        }
        for (var sign : SIGNS) {
            if (has(sign.flag())) {
                return String.valueOf(sign.sign());
            }
        }
        if (has(COMPLETING) && word.full().equals("allocated")) {
            return "+";
        }
        return has(PLANNED) && !word.full().equals("planned") ? "-" : "";
    }
}
