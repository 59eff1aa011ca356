package dev.spur.cli.process;

import dev.spur.cli.Terminal;

/// The terminal of this process, as the stub found it before it became a JVM.
record ProcessTerminal(int terminals, Terminal.Size size) implements Terminal {
    /// Reads the stub's `MASK:COLUMNS:ROWS`.
    static ProcessTerminal parse(String text) {
        var parts = text.split(":", -1);
        return new ProcessTerminal(
                Integer.parseInt(parts[0]),
                new Terminal.Size(Integer.parseInt(parts[1]), Integer.parseInt(parts[2])));
    }

    @Override
    public boolean isTerminal(int descriptor) {
        return (terminals >> descriptor & 1) != 0;
    }

    @Override
    public RawMode raw() {
        Runnable cooked = () -> ProcessChildren.run("stty", "sane");
        var restore = new Thread(cooked);
        if (isTerminal(INPUT) && ProcessChildren.run("stty", "raw", "-echo")) {
            Runtime.getRuntime().addShutdownHook(restore);
            return () -> {
                Runtime.getRuntime().removeShutdownHook(restore);
                cooked.run();
            };
        }
        return () -> {};
    }
}
