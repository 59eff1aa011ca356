package dev.spur.cli.squeue;

import dev.spur.cli.Failure;
import dev.spur.model.hostlist.Hostlist;
import dev.spur.model.notation.NotationException;
import java.util.List;

/// Nodes that a user named.
public final class Hosts {
    private Hosts() {}

    public static List<String> named(String list) {
        try {
            return Hostlist.parse(list).hosts();
        } catch (NotationException wrong) {
            throw new Failure(String.valueOf(wrong.getMessage()));
        }
    }
}
