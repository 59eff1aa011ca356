package dev.spur.model;

/// A script or environment, named by the SHA-256 of its bytes (hexadecimal). The bytes are kept
/// outside of the state.
public record BlobRef(String sha256, int length) {}
