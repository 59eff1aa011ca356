package dev.spur.engine.credential;

import java.time.Instant;

/// A user of the cluster for whom the cloud may speak, because he said so himself.
///
/// @param host the cloud's, that asked
public record LinkedUser(int uid, String userName, Instant linkedAt, String host) {}
