package dev.spur.controller.accounting;

import java.nio.file.Path;

/// Records of which a snapshot relied on are not on disk as they were written. Going on would lose
/// them silently, so we do not.
public final class DamagedSpoolException extends RuntimeException {
    private static final long serialVersionUID = 1;

    DamagedSpoolException(Path file, String what) {
        super(
                """
                the accounting records of this controller are damaged: %s: %s.
                Nothing was changed. Move the directory %s aside and start again: the controller then takes them from its \
                newest snapshot. If they are damaged there too and other controllers are healthy, move its raft \
                directory aside as well: it will copy everything from them.\
                """
                        .formatted(file, what, file.getParent()));
    }
}
