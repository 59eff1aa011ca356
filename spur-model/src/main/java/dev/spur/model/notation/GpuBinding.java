package dev.spur.model.notation;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/// Which GPUs of its node each task of a step sees (srun(1), `--gpu-bind`): `none`, `closest`,
/// `single:2`, `per_task:2`, `map_gpu:0,1`, `mask_gpu:0x3,0xc`. Lists begin again where there are
/// more tasks than elements. GPUs are numbered as the step has them, from 0.
public sealed interface GpuBinding {
    /// Nothing was asked for: tasks see what their number of GPUs gives them.
    record Unspecified() implements GpuBinding {}

    /// Every task sees all.
    record None() implements GpuBinding {}

    /// So many tasks share each GPU, in order.
    record Single(int tasksPerGpu) implements GpuBinding {}

    /// Each task has so many of its own, in order.
    record PerTask(int gpus) implements GpuBinding {}

    /// The bits of each task's mask.
    record Masks(List<Long> masks) implements GpuBinding {
        public Masks {
            masks = List.copyOf(masks);
        }
    }

    Pattern DECIMAL = Pattern.compile("\\d{1,15}");
    Pattern HEXADECIMAL = Pattern.compile("[0-9a-f]{1,15}");
    Pattern COUNT = Pattern.compile("\\d{1,6}");

    static GpuBinding parse(String text) {
        if (text.isEmpty()) {
            return new Unspecified();
        }
        var words = text.toLowerCase(Locale.ROOT);
        var binding = words.startsWith("verbose,") ? words.substring("verbose,".length()) : words;
        var colon = binding.indexOf(':');
        var kind = colon < 0 ? binding : binding.substring(0, colon);
        var value = colon < 0 ? "" : binding.substring(colon + 1);
        return switch (kind) {
            case "none" -> new None();
            case "closest" -> new Unspecified();
            case "single" -> new Single(count(text, value));
            case "per_task" -> new PerTask(count(text, value));
            case "map_gpu" ->
                    new Masks(
                            numbers(text, value, 10).stream()
                                    .map(gpu -> gpu < Long.SIZE ? 1L << gpu : 0L)
                                    .toList());
            case "mask_gpu" -> new Masks(numbers(text, value, 16));
            default -> throw wrong(text);
        };
    }

    /// What one task sees of these GPUs.
    ///
    /// @param local the task's number on its node
    default List<Integer> visible(int local, List<Integer> gpus) {
        return switch (this) {
            case Unspecified _, None _ -> gpus;
            case Single(var tasksPerGpu) ->
                    gpus.isEmpty() ? gpus : List.of(gpus.get(local / tasksPerGpu % gpus.size()));
            case PerTask(var each) -> {
                var first = Math.min((long) local * each, gpus.size());
                yield gpus.subList((int) first, (int) Math.min(first + each, gpus.size()));
            }
            case Masks(var masks) -> {
                var mask = masks.get(local % masks.size());
                var seen = new ArrayList<Integer>();
                for (var i = 0; i < Math.min(gpus.size(), Long.SIZE); i++) {
                    if ((mask >> i & 1) != 0) {
                        seen.add(gpus.get(i));
                    }
                }
                yield seen;
            }
        };
    }

    private static int count(String text, String value) {
        if (value.isEmpty()) {
            return 1;
        }
        if (!COUNT.matcher(value).matches() || Integer.parseInt(value) == 0) {
            throw wrong(text);
        }
        return Integer.parseInt(value);
    }

    private static List<Long> numbers(String text, String value, int radix) {
        var numbers = new ArrayList<Long>();
        for (var element : value.split(",", -1)) {
            var isHexadecimal = radix == 16 || element.startsWith("0x");
            var digits = element.startsWith("0x") ? element.substring(2) : element;
            if (!(isHexadecimal ? HEXADECIMAL : DECIMAL).matcher(digits).matches()) {
                throw wrong(text);
            }
            numbers.add(Long.parseLong(digits, isHexadecimal ? 16 : 10));
        }
        return numbers;
    }

    private static NotationException wrong(String text) {
        return new NotationException(
                text,
                "a binding of GPUs",
                "give none, closest, single:N, per_task:N, map_gpu:LIST or mask_gpu:LIST");
    }
}
