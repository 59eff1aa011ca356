package dev.spur.model.notation;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Generic resources: what `--gres` asks for on each node, and what a node's configuration offers.
///
/// Accepted is a list by commas of `name`, `name:count`, `name:type` and `name:type:count`, each
/// with an optional `gres:` or `gres/` in front and `=` allowed before the count. A missing count
/// is one; counts take `K`, `M`, `G`, `T`, `P` (powers of 1024). `none` asks for nothing. The same
/// resource named twice adds up.
public record GresRequest(List<Item> items) {
    public static final GresRequest NONE = new GresRequest(List.of());

    private static final long MOST = 1L << 50;
    private static final String SUFFIXES = "KMGTP";
    private static final Pattern WORD = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.+-]*");

    /// So many of one resource; without a type any type will do.
    public record Item(String name, @Nullable String type, long count) {
        public Item {
            if (count < 0) {
                throw new IllegalArgumentException(
                        "a count of generic resources is not negative, was " + count);
            }
        }

        /// `gpu` or `gpu:tesla`.
        public String kind() {
            return type == null ? name : name + ":" + type;
        }

        @Override
        public String toString() {
            return kind() + ":" + count;
        }
    }

    public GresRequest {
        items = List.copyOf(items);
    }

    /// Reads the value of `--gres`, or of a node's `gres` in the configuration.
    public static GresRequest parse(String text) {
        if (text.isEmpty() || text.equalsIgnoreCase("none")) {
            return NONE;
        }
        return summed(text, text.split(",", -1), "");
    }

    /// Reads the value of `--gpus`, `--gpus-per-node` and their kin, where the name is understood:
    /// `2`, `tesla:2`, `tesla:2,volta:1`.
    public static GresRequest parseGpus(String text) {
        if (text.isEmpty() || text.equalsIgnoreCase("none")) {
            return NONE;
        }
        return summed(text, text.split(",", -1), "gpu:");
    }

    public boolean isEmpty() {
        return items.isEmpty();
    }

    /// How many of this resource, all types together.
    public long count(String name) {
        return items.stream().filter(item -> item.name().equals(name)).mapToLong(Item::count).sum();
    }

    /// As `TresPerNode` of `scontrol show job` prints it: `gres:gpu:tesla:2`.
    public String toTresPerNode() {
        return items.stream().map(item -> "gres:" + item).collect(Collectors.joining(","));
    }

    /// As current releases write a request: `gres/gpu:tesla:2`.
    public String toTresRequest() {
        return items.stream().map(item -> "gres/" + item).collect(Collectors.joining(","));
    }

    /// As part of a TRES string such as `AllocTRES`: `gres/gpu=3,gres/gpu:tesla=2`, the total of
    /// each name followed by its types.
    public String toTres() {
        var counts = new LinkedHashMap<String, Long>();
        for (var item : items) {
            counts.put("gres/" + item.name(), count(item.name()));
            for (var typed : items) {
                if (typed.type() != null && typed.name().equals(item.name())) {
                    counts.put("gres/" + typed.kind(), typed.count());
                }
            }
        }
        return counts.entrySet().stream()
                .map(entry -> entry.getKey() + "=" + entry.getValue())
                .collect(Collectors.joining(","));
    }

    /// As `--gres` and the configuration take it: `gpu:tesla:2`, empty for nothing.
    @Override
    public String toString() {
        return items.stream().map(Item::toString).collect(Collectors.joining(","));
    }

    private static GresRequest summed(String text, String[] parts, String impliedName) {
        var byKind = new LinkedHashMap<String, Item>();
        for (var part : parts) {
            var item = item(text, impliedName + part);
            byKind.merge(
                    item.kind(),
                    item,
                    (one, two) -> new Item(one.name(), one.type(), one.count() + two.count()));
        }
        for (var item : byKind.values()) {
            if (item.type() != null && byKind.containsKey(item.name())) {
                throw new NotationException(
                        text,
                        "a generic resource request",
                        item.name()
                                + " is named both with and without a type; name the type of each or of none");
            }
        }
        return new GresRequest(new ArrayList<>(byKind.values()));
    }

    private static Item item(String text, String part) {
        var prefixed = part.startsWith("gres:") || part.startsWith("gres/");
        var fields = (prefixed ? part.substring("gres:".length()) : part).split("[:=]", -1);
        for (var field : fields) {
            if (!isWord(field)) {
                throw notAGres(text);
            }
        }
        if (!Character.isLetter(fields[0].charAt(0))) {
            throw notAGres(text);
        }
        return switch (fields.length) {
            case 1 -> new Item(fields[0], null, 1);
            case 2 ->
                    isCount(fields[1])
                            ? new Item(fields[0], null, count(text, fields[1]))
                            : new Item(fields[0], fields[1], 1);
            case 3 -> new Item(fields[0], fields[1], count(text, fields[2]));
            default -> throw notAGres(text);
        };
    }

    private static boolean isWord(String field) {
        return WORD.matcher(field).matches();
    }

    /// Types may begin with a digit (`3090ti`), so only digits with at most one suffix are a count.
    private static boolean isCount(String field) {
        var last = Character.toUpperCase(field.charAt(field.length() - 1));
        var digits = SUFFIXES.indexOf(last) >= 0 ? field.substring(0, field.length() - 1) : field;
        return Digits.parse(digits).isPresent();
    }

    private static long count(String text, String field) {
        var suffix = SUFFIXES.indexOf(field.toUpperCase(Locale.ROOT).charAt(field.length() - 1));
        var digits = suffix >= 0 ? field.substring(0, field.length() - 1) : field;
        var count = Digits.parse(digits).orElseThrow(() -> notAGres(text));
        for (var power = 0; power <= suffix; power++) {
            count *= 1024;
            if (count > MOST) {
                throw notAGres(text);
            }
        }
        return count;
    }

    private static NotationException notAGres(String text) {
        return new NotationException(
                text,
                "a generic resource request",
                "write name, name:count or name:type:count separated by commas, as in gpu:2 or gpu:mi300x:8");
    }
}
