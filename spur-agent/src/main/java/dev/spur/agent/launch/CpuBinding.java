package dev.spur.agent.launch;

import dev.spur.agent.step.TaskPlan.Binding;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/// Which processors each task of a step runs on (srun(1), `--cpu-bind`), and what the tasks are
/// told about it.
///
/// Numbers and masks count the node's processors, for each task on it in turn. Where the step has
/// processors of its own, no task leaves them.
final class CpuBinding {
    private static final int MOST_CPUS = 8192;

    private enum Kind {
        STEP,
        RANK,
        MAP,
        MASK,
        SLICE
    }

    private final Kind kind;
    private final String type;
    private final String unit;
    private final List<String> list;
    private final boolean verbose;
    private final BitSet own;
    private final int perTask;

    private CpuBinding(
            Kind kind,
            String type,
            String unit,
            List<String> list,
            boolean verbose,
            BitSet own,
            int perTask) {
        this.kind = kind;
        this.type = type;
        this.unit = unit;
        this.list = list;
        this.verbose = verbose;
        this.own = own;
        this.perTask = perTask;
    }

    /// @param wish as srun was told: `verbose,map_cpu:0,1`
    /// @param own the step's processors, `0-3,8`; empty for any
    /// @param perTask how many a task was promised
    static CpuBinding parse(String wish, String own, int perTask) {
        var verbose =
                words(wish).stream()
                        .filter(CpuBinding::isManner)
                        .reduce("", (_, last) -> last)
                        .startsWith("v");
        var rest =
                words(wish).stream()
                        .filter(word -> !isManner(word))
                        .collect(Collectors.joining(","));
        var colon = rest.indexOf(':');
        var type = (colon < 0 ? rest : rest.substring(0, colon)).toLowerCase(Locale.ROOT);
        var list = colon < 0 ? List.<String>of() : words(rest.substring(colon + 1));
        var kind =
                switch (type) {
                    case "rank" -> Kind.RANK;
                    case "map_cpu" -> Kind.MAP;
                    case "mask_cpu" -> Kind.MASK;
                    case "cores", "threads" -> Kind.SLICE;
                    default -> Kind.STEP;
                };
        var unit =
                switch (type) {
                    case "cores", "threads", "sockets", "ldoms" -> "-" + type;
                    default -> "";
                };
        return new CpuBinding(kind, type, unit, list, verbose, bits(own), Math.max(1, perTask));
    }

    private static boolean isManner(String word) {
        return switch (word) {
            case "v", "verbose", "q", "quiet" -> true;
            default -> false;
        };
    }

    private static List<String> words(String text) {
        return Arrays.stream(text.split(",")).filter(word -> !word.isEmpty()).toList();
    }

    /// `0-3,8` as bits.
    private static BitSet bits(String ranges) {
        var bits = new BitSet();
        for (var range : words(ranges)) {
            var ends = range.split("-", 2);
            var last = Math.min(Integer.parseInt(ends[ends.length - 1]), MOST_CPUS - 1);
            if (Integer.parseInt(ends[0]) <= last) {
                bits.set(Integer.parseInt(ends[0]), last + 1);
            }
        }
        return bits;
    }

    Binding of(int localTask) {
        var report =
                verbose ? "cpu-bind%s=%s".formatted(unit, isNone() ? "NONE" : reportedKind()) : "";
        return new Binding(text(chosen(localTask)), report);
    }

    private boolean isNone() {
        return type.equals("none") || type.equals("no") || type.equals("n");
    }

    private String reportedKind() {
        return switch (kind) {
            case RANK -> "RANK";
            case MAP -> "MAP ";
            case MASK, SLICE, STEP -> "MASK";
        };
    }

    private BitSet chosen(int localTask) {
        var wanted =
                switch (kind) {
                    case STEP -> new BitSet();
                    case RANK -> one(localTask);
                    case MAP -> bits(entry(localTask));
                    case MASK -> mask(entry(localTask));
                    case SLICE -> slice(localTask);
                };
        if (!own.isEmpty()) {
            wanted.and(own);
        }
        return wanted; // none of them: as the step
    }

    private String entry(int localTask) {
        return list.isEmpty() ? "" : number(list.get(localTask % list.size()));
    }

    /// Masks are hexadecimal with or without `0x`, numbers only with it.
    private String number(String entry) {
        if (kind == Kind.MASK) {
            return entry.toLowerCase(Locale.ROOT).replaceFirst("^0x", "");
        }
        return entry.startsWith("0x")
                ? Integer.toString(Integer.parseInt(entry.substring(2), 16))
                : entry;
    }

    private BitSet one(int localTask) {
        var bits = new BitSet();
        if (own.isEmpty()) {
            bits.set(localTask);
        } else {
            var all = own.stream().toArray();
            bits.set(all[localTask % all.length]);
        }
        return bits;
    }

    private BitSet slice(int localTask) {
        var all = own.stream().toArray();
        var bits = new BitSet();
        for (var i = 0; i < perTask && all.length > 0; i++) {
            bits.set(all[(localTask * perTask + i) % all.length]);
        }
        return bits;
    }

    private static BitSet mask(String hexadecimal) {
        var bytes =
                hexadecimal.isEmpty() ? new byte[0] : new BigInteger(hexadecimal, 16).toByteArray();
        var reversed = new byte[bytes.length];
        for (var i = 0; i < bytes.length; i++) {
            reversed[i] = bytes[bytes.length - 1 - i];
        }
        return BitSet.valueOf(reversed);
    }

    private static String text(BitSet bits) {
        return bits.stream().mapToObj(Integer::toString).collect(Collectors.joining(","));
    }

    /// `SLURM_CPU_BIND` and its parts, for those who asked for something.
    Map<String, String> variables() {
        if (type.isEmpty() && !verbose) {
            return Map.of();
        }
        var manner = verbose ? "verbose" : "quiet";
        var spelled =
                switch (kind) {
                    case MAP -> "map_cpu:";
                    case MASK -> "mask_cpu:";
                    case RANK, SLICE, STEP -> type;
                };
        var values = String.join(",", list);
        return Map.of(
                "SLURM_CPU_BIND",
                spelled.isEmpty() ? manner : manner + "," + spelled + values,
                "SLURM_CPU_BIND_VERBOSE",
                manner,
                "SLURM_CPU_BIND_TYPE",
                spelled,
                "SLURM_CPU_BIND_LIST",
                values);
    }
}
