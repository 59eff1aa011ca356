package dev.spur.cloud.reach;

import java.util.Map;

/// The job that a session is on the cluster.
///
/// @param name of the session, for people
/// @param node where it runs
/// @param environment what its owner gave it
public record SessionJob(long id, String name, String node, Map<String, String> environment) {
    public SessionJob {
        environment = Map.copyOf(environment);
    }
}
