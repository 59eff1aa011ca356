package dev.spur.model.hostlist;

import dev.spur.model.notation.NotationException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/// Host names in order, with duplicates kept, as written in Slurm's bracket notation: `n[1-3,7]`,
/// `gpu[001-128]`, `rack[0-1]n[0-3]`, `n[1-2]-ib,login1`.
///
/// With several brackets the last one varies fastest. Compressing puts only a trailing number in
/// brackets and only runs that follow each other in the given order, so expanding gives back
/// exactly the same list.
public record Hostlist(List<String> hosts) {
    public static final Hostlist EMPTY = new Hostlist(List.of());

    /// Far above any cluster, far below what would hurt: a typing error must not eat the memory.
    public static final int MOST_HOSTS = 100_000;

    /// What DNS allows. A long name in front of a range would be long a hundred thousand times.
    private static final int LONGEST_NAME = 255;

    public Hostlist {
        hosts = List.copyOf(hosts);
    }

    public static Hostlist of(String... hosts) {
        return new Hostlist(List.of(hosts));
    }

    /// Reads a list. Commas and blanks separate; an empty text is an empty list.
    public static Hostlist parse(String text) {
        var hosts = new ArrayList<String>();
        forEach(text, hosts::add);
        return new Hostlist(hosts);
    }

    /// Reads a list and hands on host by host, without holding them all.
    public static void forEach(String text, Consumer<String> host) {
        var count = 0L;
        var patterns = patterns(text);
        for (var pattern : patterns) {
            count += pattern.count();
            if (count > MOST_HOSTS) {
                throw pattern.tooMany();
            }
        }
        patterns.forEach(pattern -> pattern.expand(0, "", host));
    }

    private static List<Pattern> patterns(String text) {
        var patterns = new ArrayList<Pattern>();
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
                patterns.add(Pattern.parse(text, text.substring(start, i)));
                start = -1;
            }
        }
        return patterns;
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

    /// One comma-separated part of a list, with any number of brackets: texts and what stands
    /// between them.
    private record Pattern(String list, List<String> texts, List<List<Range>> brackets) {
        static Pattern parse(String list, String text) {
            var texts = new ArrayList<String>();
            var brackets = new ArrayList<List<Range>>();
            var from = 0;
            while (true) {
                var open = text.indexOf('[', from);
                var close = text.indexOf(']', from);
                if (open < 0 && close < 0) {
                    texts.add(text.substring(from));
                    var letters = texts.stream().mapToInt(String::length).sum();
                    if (!brackets.isEmpty() && letters > LONGEST_NAME) {
                        throw malformed(
                                list, "its names are longer than " + LONGEST_NAME + " letters");
                    }
                    return new Pattern(list, texts, brackets);
                }
                if (open < 0 || close < open) {
                    throw malformed(list, "a bracket is not balanced");
                }
                texts.add(text.substring(from, open));
                var ranges = new ArrayList<Range>();
                for (var range : text.substring(open + 1, close).split(",", -1)) {
                    ranges.add(range(list, range));
                }
                brackets.add(ranges);
                from = close + 1;
            }
        }

        private static Range range(String list, String text) {
            var dash = text.indexOf('-');
            var low = dash < 0 ? text : text.substring(0, dash);
            var high = dash < 0 ? text : text.substring(dash + 1);
            if (!HostName.isNumber(low) || !HostName.isNumber(high)) {
                throw malformed(list, "\"" + text + "\" is not a number or a range of numbers");
            }
            var range = new Range(Long.parseLong(low), Long.parseLong(high), low.length());
            if (range.last() < range.first()) {
                throw malformed(list, "the range " + text + " ends before it begins");
            }
            return range;
        }

        /// How many hosts these are, without naming them; never much beyond what is allowed.
        long count() {
            var count = 1L;
            for (var ranges : brackets) {
                var inBracket = 0L;
                for (var range : ranges) {
                    inBracket = Math.min(inBracket + range.size(), MOST_HOSTS + 1L);
                }
                count = Math.min(count * inBracket, MOST_HOSTS + 1L);
            }
            return count;
        }

        void expand(int bracket, String prefix, Consumer<String> host) {
            var head = prefix + texts.get(bracket);
            if (bracket == brackets.size()) {
                host.accept(head);
                return;
            }
            for (var range : brackets.get(bracket)) {
                for (var number = range.first(); number <= range.last(); number++) {
                    expand(bracket + 1, head + range.padded(number), host);
                }
            }
        }

        NotationException tooMany() {
            return new NotationException(
                    list, "a host list", "it names more than " + MOST_HOSTS + " hosts");
        }

        private static NotationException malformed(String list, String why) {
            return new NotationException(
                    list,
                    "a host list",
                    why + "; write names separated by commas, with ranges as in n[1-3,7]");
        }
    }

    /// Numbers in a bracket, padded as the first one is written.
    private record Range(long first, long last, int width) {
        long size() {
            return last - first + 1;
        }

        String padded(long number) {
            var digits = Long.toString(number);
            return digits.length() >= width ? digits : "0".repeat(width - digits.length()) + digits;
        }
    }
}
