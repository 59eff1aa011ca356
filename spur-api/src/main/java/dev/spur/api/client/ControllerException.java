package dev.spur.api.client;

import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;

/// The controller said no, or could not be asked.
public final class ControllerException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /// What a caller may do about it.
    public enum Kind {
        /// No controller answered: later, it may.
        UNREACHABLE,
        /// It answered that it has too much to do.
        BUSY,
        /// It will give the same answer next time.
        REFUSED
    }

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
        var status = e.getStatus();
        var trailers = e.getTrailers() == null ? new Metadata() : e.getTrailers();
        var code = trailers.get(CallerHeaders.ERROR_CODE);
        var errno = trailers.get(CallerHeaders.ERRNO);
        var description =
                status.getDescription() == null ? status.getCode().name() : status.getDescription();
        return new ControllerException(
                kind(status),
                status.getCode(),
                code == null ? "" : code,
                errno == null ? 0 : Integer.parseInt(errno),
                description,
                e);
    }

    static ControllerException unreachable(String message, StatusRuntimeException why) {
        return new ControllerException(
                Kind.UNREACHABLE, why.getStatus().getCode(), "", 0, message, why);
    }

    private static Kind kind(Status status) {
        if (ControllerClient.mayPass(status)) {
            return Kind.UNREACHABLE;
        }
        return status.getCode() == Status.Code.RESOURCE_EXHAUSTED ? Kind.BUSY : Kind.REFUSED;
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
