package dev.spur.engine.site;

import dev.spur.model.hostlist.Hostlist;
import java.util.ArrayList;
import java.util.LinkedHashSet;

/// `Nodes` of a partition, which can be set, added to and taken from.
final class PartitionNodes {
    private PartitionNodes() {}

    /// @param text a list; `+` before it adds, `-` takes away
    static String changed(String before, String text) {
        if (text.equalsIgnoreCase("ALL")) {
            return "ALL";
        }
        var sign = text.isEmpty() ? ' ' : text.charAt(0);
        var named = Hostlist.parse(sign == '+' || sign == '-' ? text.substring(1) : text).hosts();
        if (sign == '+' && before.equalsIgnoreCase("ALL")) {
            return before;
        }
        var hosts =
                new LinkedHashSet<String>(
                        sign == '+' || sign == '-' ? Hostlist.parse(before).hosts() : named);
        if (sign == '+') {
            hosts.addAll(named);
        } else if (sign == '-') {
            named.forEach(hosts::remove);
        }
        return Hostlist.compress(new ArrayList<>(hosts));
    }
}
