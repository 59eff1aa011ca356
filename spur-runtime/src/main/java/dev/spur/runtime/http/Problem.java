package dev.spur.runtime.http;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Why a request was not done, as its sender reads it: a problem document (RFC 9457) with a stable
/// code, the reason, and what to do.
public final class Problem extends RuntimeException {
    private final int status;
    private final String code;
    private final String remedy;
    private final List<Field> fields;
    private final Map<String, String> headers;

    /// A field of the request that cannot be used, and why: the sentence goes on from its name.
    public record Field(String field, String because) {}

    /// The document.
    ///
    /// @param detail what happened and why
    /// @param remedy what to do; empty: nothing can be done
    public record Document(
            String type,
            String title,
            int status,
            String code,
            String detail,
            String remedy,
            List<Field> fields,
            String requestId) {}

    private Problem(
            int status,
            String code,
            String because,
            String remedy,
            List<Field> fields,
            Map<String, String> headers,
            @Nullable Throwable cause) {
        super(because, cause);
        this.status = status;
        this.code = code;
        this.remedy = remedy;
        this.fields = List.copyOf(fields);
        this.headers = Map.copyOf(headers);
    }

    public static Problem of(int status, String code, String because, String remedy) {
        return new Problem(status, code, because, remedy, List.of(), Map.of(), null);
    }

    /// Fields that cannot be used.
    public static Problem fields(List<Field> fields) {
        var first = fields.getFirst();
        return new Problem(
                422,
                "invalid-request",
                fields.size() == 1
                        ? "\"%s\" %s.".formatted(first.field(), first.because())
                        : "%d fields cannot be used.".formatted(fields.size()),
                "Correct the fields that are named and send the request again.",
                fields,
                Map.of(),
                null);
    }

    public static Problem field(String field, String because) {
        return fields(List.of(new Field(field, because)));
    }

    public static Problem notFound(String what) {
        return of(404, "not-found", "There is no such %s.".formatted(what), "");
    }

    public Problem with(String header, String value) {
        var more = new LinkedHashMap<>(headers);
        more.put(header, value);
        return new Problem(status, code, because(), remedy, fields, more, getCause());
    }

    public Problem causedBy(Throwable cause) {
        return new Problem(status, code, because(), remedy, fields, headers, cause);
    }

    public int status() {
        return status;
    }

    public String code() {
        return code;
    }

    public String because() {
        return String.valueOf(getMessage());
    }

    public Map<String, String> headers() {
        return headers;
    }

    Document document(String requestId) {
        return new Document(
                "about:blank", title(status), status, code, because(), remedy, fields, requestId);
    }

    private static String title(int status) {
        return switch (status) {
            case 400 -> "Bad request";
            case 401 -> "Not signed in";
            case 403 -> "Not allowed";
            case 404 -> "Not found";
            case 405 -> "Method not allowed";
            case 409 -> "Conflict";
            case 410 -> "Gone";
            case 412 -> "Precondition failed";
            case 413 -> "Too large";
            case 415 -> "Unsupported media type";
            case 422 -> "Cannot be used";
            case 429 -> "Too many requests";
            case 502 -> "Bad gateway";
            case 503 -> "Not available";
            case 504 -> "No answer in time";
            default -> status >= 500 ? "Internal error" : "Refused";
        };
    }
}
