package dev.spur.engine.codec;

/// Bytes that are damaged, or that a newer release wrote. The message says which.
public final class CodecException extends RuntimeException {
    CodecException(String message) {
        super(message);
    }

    CodecException(String message, Throwable cause) {
        super(message, cause);
    }
}
