package dev.spur.model;

/// Devices of one kind that a job or step has on a node. Kinds that are only counted have no
/// indices.
public record GresShare(String name, String type, long count, IndexSet indices) {}
