package dev.spur.controller.record;

import dev.spur.api.v1.RecordBatch;
import org.jspecify.annotations.Nullable;

/// The way to whoever keeps the records.
interface RecordChannel {
    /// Whether it takes more without piling it up.
    boolean isReady();

    void send(RecordBatch batch);

    /// @param failure why; null: nothing went wrong
    void end(@Nullable Throwable failure);
}
