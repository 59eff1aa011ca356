package dev.spur.model.hostlist;

import dev.spur.model.notation.NotationException;
import java.util.ArrayList;
import java.util.List;

/// Host names in order, with duplicates kept, as written in Slurm's bracket notation: `n[1-3,7]`,
/// `gpu[001-128]`, `rack[0-1]n[0-3]`, `n[1-2]-ib,login1`.
///
/// With several brackets the last one varies fastest. Compressing puts only a trailing number in
/// brackets and only runs that follow each other in the given order, so expanding gives back
/// exactly the same list.
public record Hostlist(List<String> hosts) {
    public static final Hostlist EMPTY = new Hostlist(List.of());

    /// Far above any cluster, far below what would hurt: a typing error must not eat the memory.
    public static final int MOST_HOSTS = 1_000_000;

    public Hostlist {
        hosts = List.copyOf(hosts);
    }

    public static Hostlist of(String... hosts) {
        return new Hostlist(List.of(hosts));
    }

    /// Reads a list. Commas and blanks separate; an empty text is an empty list.
    public static Hostlist parse(String text) {
        var hosts = new ArrayList<String>();
        var start = -1;
        var inBracket = false;
        for (var i = 0; i <= text.length(); i++) {
            var c = i < text.length() ? text.charAt(i) : ',';
            if (i < text.length() && c == '[') {
                inBracket = true;
            } else if (c == ']') {
                inBracket = false;
            }
            var ends =
                    i == text.length() || (!inBracket && (c == ',' || Character.isWhitespace(c)));
            if (!ends) {
                start = start < 0 ? i : start;
            } else if (start >= 0) {
                new Pattern(text, text.substring(start, i)).expandInto(hosts);
                start = -1;
            }
        }
        return new Hostlist(hosts);
    }

    public static String compress(List<String> hosts) {
        var text = new StringBuilder();
        var runs = new ArrayList<Run>();
        for (var name : hosts) {
            var host = HostName.of(name);
            var last = runs.isEmpty() ? null : runs.getLast();
            if (last != null && !last.first().sharesBracketWith(host)) {
                append(text, runs);
                runs.clear();
                last = null;
            }
            if (last != null && last.isFollowedBy(host)) {
                runs.set(runs.size() - 1, new Run(last.first(), host));
            } else {
                runs.add(new Run(host, host));
            }
        }
        append(text, runs);
        return text.toString();
    }

    public int size() {
        return hosts.size();
    }

    public boolean isEmpty() {
        return hosts.isEmpty();
    }

    /// By name as people count: `n2` before `n10`, and shorter padding before longer.
    public Hostlist sorted() {
        return new Hostlist(
                hosts.stream()
                        .map(HostName::of)
                        .sorted(HostName.NATURAL)
                        .map(HostName::toString)
                        .toList());
    }

    /// The compressed form.
    @Override
    public String toString() {
        return compress(hosts);
    }

    private static void append(StringBuilder text, List<Run> runs) {
        if (runs.isEmpty()) {
            return;
        }
        if (!text.isEmpty()) {
            text.append(',');
        }
        if (runs.size() == 1 && runs.getFirst().isSingle()) {
            text.append(runs.getFirst().first());
            return;
        }
        text.append(runs.getFirst().first().prefix()).append('[');
        for (var i = 0; i < runs.size(); i++) {
            var run = runs.get(i);
            text.append(i == 0 ? "" : ",").append(run.first().digits());
            if (!run.isSingle()) {
                text.append('-').append(run.last().digits());
            }
        }
        text.append(']');
    }

    /// Hosts whose numbers follow each other without a gap.
    private record Run(HostName first, HostName last) {
        boolean isSingle() {
            return first.equals(last);
        }

        /// Expanding pads every number of a range as its first one, so a successor joins only if
        /// that padding gives its own digits back: `099` takes `100`, `0099` does not.
        boolean isFollowedBy(HostName next) {
            var width = first.width();
            var nextWidth = next.width();
            return next.number() == last.number() + 1
                    && (next.isPadded() ? width == nextWidth : width <= nextWidth);
        }
    }

    /// One comma-separated part of a list, with any number of brackets.
    private record Pattern(String list, String text) {
        void expandInto(List<String> hosts) {
            expand(0, "", hosts);
        }

        private void expand(int from, String prefix, List<String> hosts) {
            if (hosts.size() == MOST_HOSTS) {
                throw tooMany();
            }
            if (from == text.length()) {
                hosts.add(prefix);
                return;
            }
            var open = text.indexOf('[', from);
            var close = text.indexOf(']', from);
            if (open < 0 && close < 0) {
                hosts.add(prefix + text.substring(from));
                return;
            }
            if (open < 0 || close < open) {
                throw malformed("a bracket is not balanced");
            }
            var head = prefix + text.substring(from, open);
            for (var range : text.substring(open + 1, close).split(",", -1)) {
                expandRange(range, head, close + 1, hosts);
            }
        }

        private void expandRange(String range, String head, int rest, List<String> hosts) {
            var dash = range.indexOf('-');
            var low = dash < 0 ? range : range.substring(0, dash);
            var high = dash < 0 ? range : range.substring(dash + 1);
            if (!HostName.isNumber(low) || !HostName.isNumber(high)) {
                throw malformed("\"" + range + "\" is not a number or a range of numbers");
            }
            var first = Long.parseLong(low);
            var last = Long.parseLong(high);
            if (last < first) {
                throw malformed("the range " + range + " ends before it begins");
            }
            if (last - first >= MOST_HOSTS) {
                throw tooMany();
            }
            for (var number = first; number <= last; number++) {
                expand(rest, head + padded(number, low.length()), hosts);
            }
        }

        private static String padded(long number, int width) {
            var digits = Long.toString(number);
            return digits.length() >= width ? digits : "0".repeat(width - digits.length()) + digits;
        }

        private NotationException malformed(String why) {
            return new NotationException(
                    list,
                    "a host list",
                    why + "; write names separated by commas, with ranges as in n[1-3,7]");
        }

        private NotationException tooMany() {
            return new NotationException(
                    list, "a host list", "it names more than " + MOST_HOSTS + " hosts");
        }
    }
}
