package dev.spur.cli.door;

import java.nio.ByteBuffer;

/// What it costs the door to hold what a caller sends, roughly and rather too much than too little:
/// a frame costs also when it is empty, and a text costs more than its bytes.
final class Cost {
    /// An object with a reference to it in some table.
    private static final int OBJECT = 96;

    /// A file is in memory as it was read, as a text, as a message and as what goes over the wire.
    private static final int COPIES_OF_A_FILE = 4;

    private Cost() {}

    static int ofFrame(ByteBuffer payload) {
        return OBJECT + payload.remaining();
    }

    /// Of texts that each end with a zero byte: gathered first, then cut.
    static int ofTexts(ByteBuffer payload) {
        var texts = 0;
        for (var i = payload.position(); i < payload.limit(); i++) {
            if (payload.get(i) == 0) {
                texts++;
            }
        }
        return OBJECT + 2 * payload.remaining() + OBJECT * texts;
    }

    static int ofFile(int bytes) {
        return COPIES_OF_A_FILE * bytes;
    }
}
