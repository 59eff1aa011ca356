package dev.spur.cli.submission;

import dev.spur.api.client.ControllerException;
import dev.spur.cli.options.Arguments;
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
            case BUSY, REFUSED ->
                    code(refusal).map(ErrorCode::text).orElseGet(() -> message(refusal));
        };
    }

    private static String unreachable(ControllerException refusal) {
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

    /// Says why a job was not accepted, after the line that names the culprit where Slurm has one.
    ///
    /// @param what the tool's own beginning: `Batch job submission failed: `
    public static void explain(
            Voice voice, String what, Arguments arguments, ControllerException refusal) {
        if (is(refusal, ErrorCode.INVALID_GRES)) {
            voice.error(ErrorCode.INVALID_GRES.text());
            return;
        }
        if (is(refusal, ErrorCode.INVALID_PARTITION)) {
            voice.error(
                    "invalid partition specified: "
                            + arguments.get(JobOptions.PARTITION, "(default)"));
        }
        if (is(refusal, ErrorCode.NODE_CONFIG_UNAVAILABLE)
                && message(refusal).toLowerCase(java.util.Locale.ROOT).contains("memory")) {
            voice.error("Memory specification can not be satisfied");
        }
        voice.error(what + text(refusal));
        if (!message(refusal).equals(text(refusal))) {
            voice.mention(message(refusal));
        }
    }
}
