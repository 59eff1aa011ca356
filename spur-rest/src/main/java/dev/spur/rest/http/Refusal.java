package dev.spur.rest.http;

import dev.spur.model.ErrorCode;
import java.util.Optional;

/// A request that is not done, with what its sender is told. Each API puts it into words of its
/// own.
///
/// @see #code()
public final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int status;
    private final int errno;
    private final String code;
    private final String text;
    private final String remedy;
    private final int retryAfterSeconds;

    /// @param errno Slurm's number
    /// @param code our stable name
    /// @param text Slurm's words for the number, or ours
    /// @param because what it was in this case
    /// @param remedy what to do about it
    public Refusal(
            int status,
            int errno,
            String code,
            String text,
            String because,
            String remedy,
            int retryAfterSeconds) {
        super(because, null, false, false);
        this.status = status;
        this.errno = errno;
        this.code = code;
        this.text = text;
        this.remedy = remedy;
        this.retryAfterSeconds = retryAfterSeconds;
    }

    public static Refusal of(int status, ErrorCode code, String because) {
        return new Refusal(status, code.slurmErrno(), code.name(), code.text(), because, "", 0);
    }

    /// What cannot be read.
    public static Refusal unreadable(String because) {
        return new Refusal(400, 9001, "UNREADABLE", "Failure during parsing", because, "", 0);
    }

    /// A parameter or a part of the path that means nothing.
    public static Refusal badQuery(String because) {
        return new Refusal(
                400, 9000, "BAD_QUERY", "Query empty or not RFC7320 compliant", because, "", 0);
    }

    public static Refusal nothingFound(String because) {
        return new Refusal(404, 9003, "NOT_FOUND", "Nothing found with query", because, "", 0);
    }

    public static Refusal stranger(String because, String remedy) {
        return new Refusal(
                401,
                ErrorCode.UNKNOWN_TOKEN.slurmErrno(),
                ErrorCode.UNKNOWN_TOKEN.name(),
                ErrorCode.UNKNOWN_TOKEN.text(),
                because,
                remedy,
                0);
    }

    public static Refusal busy(String because, int retryAfterSeconds) {
        return new Refusal(
                429,
                ErrorCode.BUSY.slurmErrno(),
                ErrorCode.BUSY.name(),
                ErrorCode.BUSY.text(),
                because,
                "Wait %d s and ask again, with fewer requests at once".formatted(retryAfterSeconds),
                retryAfterSeconds);
    }

    public int status() {
        return status;
    }

    public int errno() {
        return errno;
    }

    public String code() {
        return code;
    }

    public String text() {
        return text;
    }

    public String because() {
        return String.valueOf(getMessage());
    }

    public Optional<String> remedy() {
        return remedy.isEmpty() ? Optional.empty() : Optional.of(remedy);
    }

    public int retryAfterSeconds() {
        return retryAfterSeconds;
    }
}
