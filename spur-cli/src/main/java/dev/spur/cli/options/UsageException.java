package dev.spur.cli.options;

/// The words of a command do not form a valid call. `message` is getopt's text without the program
/// name.
final class UsageException extends RuntimeException {
    UsageException(String message) {
        super(message, null, false, false);
    }

    String text() {
        return String.valueOf(getMessage());
    }
}
