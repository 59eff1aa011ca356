package dev.spur.cli;

import java.util.Optional;

/// The signals a command can ask to be told of instead of dying by them. Numbers are Linux's.
public enum ProcessSignal {
    HUP(1),
    INT(2),
    QUIT(3),
    USR1(10),
    USR2(12),
    ALRM(14),
    TERM(15),
    CONT(18),
    TSTP(20),
    WINCH(28);

    private final int number;

    ProcessSignal(int number) {
        this.number = number;
    }

    public int number() {
        return number;
    }

    public static Optional<ProcessSignal> of(int number) {
        for (var signal : values()) {
            if (signal.number == number) {
                return Optional.of(signal);
            }
        }
        return Optional.empty();
    }
}
