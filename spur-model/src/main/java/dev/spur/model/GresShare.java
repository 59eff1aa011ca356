package dev.spur.model;

/// Devices of one kind that a job or step has on a node.
///
/// @param indices numbers of devices of that name, see [NodeGres]
public record GresShare(String name, String type, long count, IndexSet indices) {}
