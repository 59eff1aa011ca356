package dev.spur.cli;

import java.util.List;

/// Who called: numeric identity as the kernel states it, never as the caller does.
public record Caller(long uid, long gid, List<Long> groups, String name) {
    public Caller {
        groups = List.copyOf(groups);
    }

    public boolean isRoot() {
        return uid == 0;
    }
}
