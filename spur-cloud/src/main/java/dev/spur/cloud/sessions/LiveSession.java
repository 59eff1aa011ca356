package dev.spur.cloud.sessions;

import dev.spur.cloud.cluster.UnixAccount;
import java.util.UUID;

/// A session as those see it who reach into it.
///
/// @param account who its processes are
/// @param job 0 until the cluster has it
/// @param node where it runs, or ran; empty until it has started
public record LiveSession(
        UUID id,
        UUID person,
        String name,
        SessionState state,
        UnixAccount account,
        long job,
        String node) {}
