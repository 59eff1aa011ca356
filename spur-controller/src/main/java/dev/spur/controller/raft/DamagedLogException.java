package dev.spur.controller.raft;

import java.nio.file.Path;

/// The state on disk is not what was acknowledged. Starting with it would lose jobs silently, so we
/// do not.
public final class DamagedLogException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public DamagedLogException(Path file, String what) {
        super(
                """
                the replicated log is damaged: %s: %s.
                Nothing was changed. Restore the state directory from a backup, or, if other controllers are healthy, \
                move this one's raft directory aside and start again: it will copy the state from them.\
                """
                        .formatted(file, what));
    }
}
