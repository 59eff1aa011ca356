package dev.spur.agent.step;

import java.io.IOException;

/// Nobody is at the step's end of the line any more: its supervisor has gone.
public final class StepGoneException extends IOException {
    public StepGoneException(String message) {
        super(message);
    }
}
