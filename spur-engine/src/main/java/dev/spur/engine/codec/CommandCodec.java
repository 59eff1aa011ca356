package dev.spur.engine.codec;

import dev.spur.engine.state.Command;
import dev.spur.model.notation.Text;
import java.util.ArrayList;
import java.util.List;

/// Bytes of commands, as they are in the log. The same commands always give the same bytes.
public final class CommandCodec {
    private static final int VERSION = 3;
    private static final int RECENT_TEXTS = 512;
    private static final Format<Command> FORMAT = CompiledFormat.of(Command.class);

    private CommandCodec() {}

    public static byte[] encode(List<Command> commands) {
        var out = new Output(new RecentTexts(RECENT_TEXTS));
        out.writeByte(VERSION);
        out.writeUnsigned(commands.size());
        for (var command : commands) {
            FORMAT.write(command, out);
        }
        return out.toBytes();
    }

    /// The commands that were encoded.
    ///
    /// @throws CodecException if the bytes are damaged, or a newer release wrote them
    public static List<Command> decode(byte[] bytes) {
        var in = new Input(bytes, 0, bytes.length, new RecentTexts(RECENT_TEXTS));
        var version = in.readByte();
        if (version != VERSION) {
            throw new CodecException(
                    Text.of(
                            "commands of format %d, this release reads format %d: %s",
                            version,
                            VERSION,
                            version < VERSION
                                    ? "they were written before the first release. Let its jobs end, then begin with an empty state directory"
                                    : "the bytes are damaged, or a newer release wrote them"));
        }
        var count = in.readCount();
        var commands = new ArrayList<Command>(count);
        for (var i = 0; i < count; i++) {
            commands.add(FORMAT.read(in));
        }
        if (!in.isAtEnd()) {
            throw in.damaged("there is more than the commands");
        }
        return List.copyOf(commands);
    }
}
