package dev.spur.cli.door;

import dev.spur.cli.Terminal;

/// The stub's terminal.
final class StubTerminal implements Terminal {
    private final Stub stub;
    private final int terminals;

    StubTerminal(Stub stub, int terminals) {
        this.stub = stub;
        this.terminals = terminals;
    }

    @Override
    public boolean isTerminal(int descriptor) {
        return (terminals >> descriptor & 1) != 0;
    }

    @Override
    public Size size() {
        return stub.size();
    }

    @Override
    public RawMode raw() {
        stub.writer().send(Frame.RAW, 0, new byte[] {1});
        return () -> {
            if (!stub.isGone()) {
                stub.writer().send(Frame.RAW, 0, new byte[] {0});
            }
        };
    }
}
