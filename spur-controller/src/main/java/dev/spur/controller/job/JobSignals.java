package dev.spur.controller.job;

import dev.spur.api.v1.JobActionResult;
import dev.spur.api.v1.SignalTarget;
import dev.spur.controller.access.Caller;

/// Sends signals to what runs. They are no commands: a signal changes no state and is not repeated.
@FunctionalInterface
public interface JobSignals {
    JobActionResult send(
            JobActions.Target target, int signal, SignalTarget to, Caller.Person caller);
}
