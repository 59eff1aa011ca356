package dev.spur.cli.door;

import java.io.IOException;

/// The caller sent something that no stub of ours sends.
final class ProtocolException extends IOException {
    private static final long serialVersionUID = 1;

    ProtocolException(String message) {
        super(message);
    }
}
