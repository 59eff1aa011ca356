package dev.spur.engine.site;

import dev.spur.model.hostlist.Hostlist;
import dev.spur.model.notation.NotationException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;

/// `Nodes` of a partition, which can be set, added to and taken from.
final class PartitionNodes {
    private PartitionNodes() {}

    /// @param text a list; `+` before it adds, `-` takes away
    static String changed(String before, String text) {
        if (text.equalsIgnoreCase("ALL")) {
            return "ALL";
        }
        var sign = sign(text);
        var named = Hostlist.parse(sign == ' ' ? text : text.substring(1)).hosts();
        if (before.equalsIgnoreCase("ALL")) {
            switch (sign) {
                case '+' -> {
                    return before;
                }
                case '-' ->
                        throw new NotationException(
                                text,
                                "nodes that can be taken from ALL",
                                "name the nodes that the partition is to have");
                default -> {}
            }
        }
        if (sign == ' ') {
            return Hostlist.compress(new ArrayList<>(new LinkedHashSet<>(named)));
        }
        var hosts = new LinkedHashSet<String>(Hostlist.parse(before).hosts());
        if (sign == '+') {
            hosts.addAll(named);
        } else {
            named.forEach(hosts::remove);
        }
        return sorted(hosts);
    }

    static boolean isRelative(String text) {
        return sign(text) != ' ';
    }

    /// What several changes, one after the other, come to: all that adds, then all that takes away.
    static List<String> inOne(List<String> changes) {
        var added = new LinkedHashSet<String>();
        var taken = new LinkedHashSet<String>();
        for (var change : changes) {
            var named = Hostlist.parse(change.substring(1)).hosts();
            var isAdded = sign(change) == '+';
            (isAdded ? added : taken).addAll(named);
            named.forEach((isAdded ? taken : added)::remove);
        }
        var all = new ArrayList<String>();
        if (!added.isEmpty()) {
            all.add("+" + sorted(added));
        }
        if (!taken.isEmpty()) {
            all.add("-" + sorted(taken));
        }
        return all;
    }

    private static char sign(String text) {
        return text.startsWith("+") || text.startsWith("-") ? text.charAt(0) : ' ';
    }

    private static String sorted(Collection<String> hosts) {
        return Hostlist.compress(new Hostlist(List.copyOf(hosts)).sorted().hosts());
    }
}
