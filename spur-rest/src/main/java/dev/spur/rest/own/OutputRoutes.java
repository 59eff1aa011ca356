package dev.spur.rest.own;

import dev.spur.api.reach.OutputClient;
import dev.spur.api.reach.OutputException;
import dev.spur.api.reach.OutputRange;
import dev.spur.api.reach.OutputSink;
import dev.spur.api.v1.OutputPosition;
import dev.spur.rest.http.Refusal;
import dev.spur.rest.http.Reply;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/// What jobs print.
final class OutputRoutes {
    private OutputRoutes() {}

    static List<OwnRoute> all() {
        return List.of(
                OwnRoute.get("/api/v1/jobs/{id}/output", "getOutput")
                        .says(
                                "Jobs",
                                "What a job printed; with follow also what it will print, until it ends.")
                        .text("of", "output or error; default: output")
                        .number("offset", "from this byte on")
                        .number("bytes", "so many bytes at most")
                        .number("last_bytes", "only the last bytes")
                        .number("last_lines", "only the last lines")
                        .text("follow", "go on until the job has ended")
                        .by(OutputRoutes::output));
    }

    private static Reply output(OwnCall call) {
        var of = call.request().parameter("of").orElse("output");
        if (!List.of("output", "error").contains(of)) {
            throw Refusal.badQuery("of knows output and error");
        }
        var which = new OutputClient.Output(JobRoutes.id(call), of.equals("error"));
        var range = range(call);
        var client = new OutputClient(call.client());
        return Reply.stream(
                "text/plain; charset=utf-8",
                out -> {
                    try {
                        client.read(which, range, new Copy(out));
                    } catch (OutputException e) {
                        throw told(e);
                    }
                });
    }

    private static OutputRange range(OwnCall call) {
        var lastLines = number(call, "last_lines");
        var lastBytes = number(call, "last_bytes");
        OutputRange range;
        if (lastLines > 0) {
            range = OutputRange.lastLines(lastLines);
        } else if (lastBytes > 0) {
            range = OutputRange.lastBytes(lastBytes);
        } else {
            range = OutputRange.bytes(number(call, "offset"), number(call, "bytes"));
        }
        return call.request().isSet("follow") ? range.following() : range;
    }

    private static long number(OwnCall call, String name) {
        var text = call.request().parameter(name).orElse("0");
        if (!text.matches("[0-9]{1,15}")) {
            throw Refusal.badQuery("%s must be a number".formatted(name));
        }
        return Long.parseLong(text);
    }

    private static Refusal told(OutputException e) {
        var because = String.valueOf(e.getMessage());
        return switch (e.status()) {
            case NOT_FOUND -> Refusal.nothingFound(because);
            case PERMISSION_DENIED ->
                    Refusal.of(403, dev.spur.model.ErrorCode.ACCESS_DENIED, because);
            case UNAVAILABLE ->
                    new Refusal(
                            503,
                            1800,
                            "UNREACHABLE",
                            "Unable to contact the node",
                            because,
                            "Ask again in a moment",
                            5);
            default -> Refusal.of(422, dev.spur.model.ErrorCode.INVALID_REQUEST, because);
        };
    }

    /// Nothing is held back: somebody may watch.
    private record Copy(OutputStream out) implements OutputSink {
        @Override
        public void data(byte[] bytes, OutputPosition next) throws IOException {
            out.write(bytes);
            out.flush();
        }
    }
}
