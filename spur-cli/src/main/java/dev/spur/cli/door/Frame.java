package dev.spur.cli.door;

/// The protocol's numbers: the Java half of `native/spur/protocol.h`, where they are explained.
final class Frame {
    static final int MAGIC = 0x53505552;
    static final int VERSION = 2;
    static final int HEADER = 9;
    static final int PAYLOAD = 65_536;
    static final int WINDOW = 262_144;

    static final int HELLO = 1;
    static final int ARGUMENTS = 2;
    static final int ENVIRONMENT = 3;
    static final int RUN = 4;
    static final int DATA = 5;
    static final int CREDIT = 6;
    static final int SIGNAL = 7;
    static final int OPENED = 8;
    static final int CLOSED = 9;
    static final int CHILD_STARTED = 10;
    static final int CHILD_ENDED = 11;
    static final int MEMORY = 12;

    static final int REFUSED = 32;
    static final int EXIT = 33;
    static final int CATCH = 34;
    static final int OPEN = 35;
    static final int CLOSE = 36;
    static final int SPAWN = 37;
    static final int KILL = 38;
    static final int RAW = 39;
    static final int RELEASE = 40;
    static final int ADOPT = 41;

    private Frame() {}
}
