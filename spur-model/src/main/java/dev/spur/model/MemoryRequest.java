package dev.spur.model;

/// How much memory a job wants: `--mem`, `--mem-per-cpu` and `--mem-per-gpu` exclude each other.
public sealed interface MemoryRequest {
    MemoryRequest UNSPECIFIED = new Unspecified();

    /// Nothing asked: the partition's or the cluster's default.
    record Unspecified() implements MemoryRequest {}

    /// `--mem=0`: all memory of each node.
    record WholeNode() implements MemoryRequest {}

    record PerNode(long mebibytes) implements MemoryRequest {}

    record PerCpu(long mebibytes) implements MemoryRequest {}

    record PerGpu(long mebibytes) implements MemoryRequest {}
}
