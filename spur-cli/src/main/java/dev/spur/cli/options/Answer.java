package dev.spur.cli.options;

/// The value of an option was a question, as in `--gres=help`: the command prints the answer and
/// has done its work.
public final class Answer extends RuntimeException {
    public Answer(String text) {
        super(text, null, false, false);
    }

    String text() {
        return String.valueOf(getMessage());
    }
}
