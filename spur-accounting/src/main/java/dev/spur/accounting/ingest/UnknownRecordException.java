package dev.spur.accounting.ingest;

import dev.spur.accounting.cluster.Position;

/// A newer controller tells what this daemon does not know. Nothing is left out: it waits in the
/// controllers' spool.
public final class UnknownRecordException extends RuntimeException {
    private static final long serialVersionUID = 1;

    UnknownRecordException(Position position) {
        super(
                "record %d.%d is of a kind that this spurdbd does not know: the controllers are newer. Update spurdbd; until then the records wait in their spool"
                        .formatted(position.entry(), position.ordinal()));
    }
}
