package dev.spur.api.client;

import dev.spur.model.ErrorCode;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Pattern;

/// The controller said no, or could not be asked.
public final class ControllerException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /// What a caller may do about it.
    public enum Kind {
        /// No controller answered: later, it may.
        UNREACHABLE,
        /// It answered that it has too much to do.
        BUSY,
        /// It was asked to change something and nobody could say whether it has.
        OUTCOME_UNKNOWN,
        /// It will give the same answer next time.
        REFUSED
    }

    /// `finishConnect(..) failed with error(-111): Connection refused`: people know the last part.
    private static final Pattern SYSTEM_CALL =
            Pattern.compile("^\\w+\\(\\.\\.\\) failed(?: with error\\(-?\\d+\\))?: ");

    private static final String BROKEN = "the connection broke";

    private final Kind kind;
    private final Status.Code status;
    private final String code;
    private final int errno;

    private ControllerException(
            Kind kind, Status.Code status, String code, int errno, String message, Throwable why) {
        super(message, why);
        this.kind = kind;
        this.status = status;
        this.code = code;
        this.errno = errno;
    }

    public static ControllerException of(StatusRuntimeException e) {
        var code = code(e);
        return new ControllerException(
                kind(e),
                e.getStatus().getCode(),
                code.map(ErrorCode::name).orElse(""),
                errno(e),
                description(e),
                e);
    }

    static ControllerException unreachable(String message, StatusRuntimeException why) {
        return new ControllerException(
                Kind.UNREACHABLE,
                why.getStatus().getCode(),
                code(why).map(ErrorCode::name).orElse(""),
                errno(why),
                message,
                why);
    }

    static ControllerException outcomeUnknown(StatusRuntimeException why) {
        return new ControllerException(
                Kind.OUTCOME_UNKNOWN,
                why.getStatus().getCode(),
                ErrorCode.OUTCOME_UNKNOWN.name(),
                ErrorCode.OUTCOME_UNKNOWN.slurmErrno(),
                "no controller has confirmed it, so it may or may not have happened. "
                        + "Look before you ask again: squeue --me, or scontrol show",
                why);
    }

    /// What our own code says of the refusal; empty when it came from somewhere below.
    static Optional<ErrorCode> code(StatusRuntimeException e) {
        var name = e.getTrailers() == null ? null : e.getTrailers().get(CallerHeaders.ERROR_CODE);
        return Arrays.stream(ErrorCode.values())
                .filter(code -> code.name().equals(name))
                .findFirst();
    }

    private static int errno(StatusRuntimeException e) {
        var errno = e.getTrailers() == null ? null : e.getTrailers().get(CallerHeaders.ERRNO);
        return errno == null ? 0 : Integer.parseInt(errno);
    }

    private static String description(StatusRuntimeException e) {
        if (isTooLate(e)) {
            return "the controller did not answer in time";
        }
        var said = e.getStatus().getDescription();
        return cause(e).orElse(said == null ? e.getStatus().getCode().name() : said);
    }

    /// gRPC's own words for a broken connection are "io exception"; the system's help more.
    private static Optional<String> cause(StatusRuntimeException e) {
        var told = Optional.<String>empty();
        for (var cause = e.getStatus().getCause(); cause != null; cause = cause.getCause()) {
            if (cause instanceof IOException) {
                told = Optional.ofNullable(cause.getMessage()).or(() -> Optional.of(BROKEN));
            }
        }
        return told.map(said -> SYSTEM_CALL.matcher(said).replaceFirst(""));
    }

    private static boolean isTooLate(StatusRuntimeException e) {
        return e.getStatus().getCode() == Status.Code.DEADLINE_EXCEEDED;
    }

    private static Kind kind(StatusRuntimeException e) {
        return switch (code(e).orElse(null)) {
            case null ->
                    ControllerClient.mayPass(e) || isTooLate(e) ? Kind.UNREACHABLE : Kind.REFUSED;
            case NOT_LEADER, NO_MAJORITY -> Kind.UNREACHABLE;
            case BUSY -> Kind.BUSY;
            case OUTCOME_UNKNOWN -> Kind.OUTCOME_UNKNOWN;
            default -> Kind.REFUSED;
        };
    }

    public Kind kind() {
        return kind;
    }

    public Status.Code status() {
        return status;
    }

    /// Name of the `ErrorCode`, empty when the answer came from no Spur code.
    public String code() {
        return code;
    }

    /// Slurm's error number, 0 when there is none.
    public int errno() {
        return errno;
    }
}
