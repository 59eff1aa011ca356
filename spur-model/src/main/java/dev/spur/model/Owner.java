package dev.spur.model;

import java.util.List;

/// In whose name a job runs.
public record Owner(int uid, int gid, String userName, List<Integer> groups) {
    public Owner {
        groups = List.copyOf(groups);
    }
}
