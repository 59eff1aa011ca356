package dev.spur.agent.step;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What runs steps on this machine.
public interface StepLauncher {
    /// Starts a step. It may end before this returns; the listener hears of every change from the
    /// first on, one after another.
    ///
    /// @param lease see [SupervisedStep#lease]
    /// @throws LaunchException if nothing was started
    SupervisedStep launch(StepPlan plan, @Nullable Duration lease, StepListener listener)
            throws LaunchException;

    /// What an earlier life of this agent left: running, ended, or lost.
    List<FoundStep> find();

    /// Goes on watching a step that was found running.
    SupervisedStep adopt(StepStatus status, StepListener listener) throws LaunchException;

    /// Forgets a step that has ended: its directory and what it had of the machine's resources.
    void remove(StepKey key);

    /// Frees what all steps of one run of a job shared.
    void removeJob(int job, int attempt);

    /// Returns when nothing runs any more of a step that was found lost.
    default void reap(StepKey key) {}

    /// A step that an earlier life of this agent started.
    sealed interface FoundStep {
        StepKey key();

        /// Its supervisor lives.
        record Running(StepStatus status) implements FoundStep {
            @Override
            public StepKey key() {
                return status.key();
            }
        }

        /// It ended while nobody listened.
        record Ended(StepStatus status) implements FoundStep {
            @Override
            public StepKey key() {
                return status.key();
            }
        }

        /// It was running, but its supervisor is gone: the machine was restarted, or somebody
        /// killed it.
        record Lost(StepKey key, long startedMillis, String because) implements FoundStep {}
    }
}
