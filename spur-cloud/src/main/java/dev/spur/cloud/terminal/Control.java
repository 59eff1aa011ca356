package dev.spur.cloud.terminal;

import dev.spur.cloud.reach.ProgramEnd;
import dev.spur.runtime.http.Json;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.node.ObjectNode;

/// The text frames of `spur.terminal.v1`.
final class Control {
    private static final int MOST = 1000;

    private Control() {}

    record Size(int rows, int columns) {}

    /// A size that somebody's window has; empty: something that this version does not know.
    static Optional<Size> size(String text) {
        try {
            var said = Json.MAPPER.readTree(text);
            var rows = said.path("rows").asInt(0);
            var columns = said.path("cols").asInt(0);
            var isSize =
                    "resize".equals(said.path("type").asString(""))
                            && rows >= 1
                            && rows <= MOST
                            && columns >= 1
                            && columns <= MOST;
            return isSize ? Optional.of(new Size(rows, columns)) : Optional.empty();
        } catch (JacksonException _) {
            return Optional.empty();
        }
    }

    static String opened(String shell) {
        return of("opened").put("shell", shell).toString();
    }

    static String missed(long bytes) {
        return of("missed").put("bytes", bytes).toString();
    }

    static String ended(ProgramEnd end) {
        var told = of("exit");
        switch (end) {
            case ProgramEnd.Exited(var code) -> told.put("code", code);
            case ProgramEnd.Signalled(var signal) -> told.put("signal", signal);
            case ProgramEnd.Lost(var why) -> told.put("because", why);
        }
        return told.toString();
    }

    private static ObjectNode of(String type) {
        return Json.MAPPER.createObjectNode().put("type", type);
    }
}
