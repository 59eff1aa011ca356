package dev.spur.cli.submission;

import dev.spur.api.client.ControllerException;
import dev.spur.model.ErrorCode;
import java.util.Arrays;
import java.util.Optional;

/// Slurm's words for what the controller refused. Scripts match on them, so the controller's own,
/// more helpful sentence is added only for those who ask with `--verbose`, or where Slurm has no
/// words.
public final class Refused {
    private Refused() {}

    /// The error text that Slurm has for it, or else what the controller said.
    public static String text(ControllerException refusal) {
        return switch (refusal.kind()) {
            case UNREACHABLE -> unreachable(refusal);
            case OUTCOME_UNKNOWN -> ErrorCode.OUTCOME_UNKNOWN.text() + ": " + message(refusal);
            case BUSY, REFUSED ->
                    code(refusal)
                            .map(code -> text(code, refusal))
                            .orElseGet(() -> message(refusal));
        };
    }

    /// Words of Slurm's that say only that something is wrong are followed by what it is.
    private static String text(ErrorCode code, ControllerException refusal) {
        return switch (code) {
            case TEXT_TOO_LONG, INVALID_REQUEST, BUSY, DISK_FULL, ACCESS_DENIED, NOT_SUPPORTED ->
                    message(refusal).equals(code.text())
                            ? code.text()
                            : code.text() + ": " + message(refusal);
            default -> code.text();
        };
    }

    private static String unreachable(ControllerException refusal) {
        if (is(refusal, ErrorCode.NO_MAJORITY)) {
            return "%s: %s".formatted(ErrorCode.NO_MAJORITY.text(), message(refusal));
        }
        return code(refusal)
                .map(ErrorCode::text)
                .orElse("Unable to contact slurm controller (connect failure)");
    }

    public static Optional<ErrorCode> code(ControllerException refusal) {
        return Arrays.stream(ErrorCode.values())
                .filter(code -> code.name().equals(refusal.code()))
                .findFirst();
    }

    /// Slurm's words for its error number, or else the controller's own.
    public static String text(int errno, String message) {
        return Arrays.stream(ErrorCode.values())
                .filter(code -> code.slurmErrno() == errno)
                .findFirst()
                .map(ErrorCode::text)
                .orElse(message);
    }

    public static boolean is(ControllerException refusal, ErrorCode code) {
        return refusal.code().equals(code.name());
    }

    public static String message(ControllerException refusal) {
        return String.valueOf(refusal.getMessage());
    }

    /// A limit of an association or a QOS is named by its word, as in `AssocMaxSubmitJobLimit`.
    private static boolean isWord(String text) {
        return text.chars().allMatch(Character::isLetter);
    }

    /// Says why a job was not accepted, after the line that names the culprit where Slurm has one.
    ///
    /// @param what the tool's own beginning: `Batch job submission failed: `
    public static void explain(Voice voice, String what, ControllerException refusal) {
        if (is(refusal, ErrorCode.INVALID_GRES)) {
            if (!message(refusal).equals(text(refusal))) {
                voice.error(message(refusal));
            }
            voice.error(ErrorCode.INVALID_GRES.text());
            return;
        }
        var namesCulprit =
                is(refusal, ErrorCode.INVALID_PARTITION)
                        || is(refusal, ErrorCode.LIMIT_REACHED) && isWord(message(refusal))
                        || is(refusal, ErrorCode.NODE_CONFIG_UNAVAILABLE)
                                && message(refusal).endsWith(" can not be satisfied");
        if (namesCulprit) {
            voice.error(message(refusal));
        }
        voice.error(what + text(refusal));
        if (!namesCulprit && !message(refusal).equals(text(refusal))) {
            voice.mention(message(refusal));
        }
    }
}
