package dev.spur.cloud.cluster;

/// Who a person is on nodes.
///
/// @param linked whether it is an account that the cluster's hosts know and the person has proven
///   to be; otherwise it is one that the cloud has given
public record UnixAccount(long uid, String name, boolean linked) {}
