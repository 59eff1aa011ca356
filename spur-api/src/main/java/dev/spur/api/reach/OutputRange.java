package dev.spur.api.reach;

import dev.spur.api.v1.OutputPosition;
import dev.spur.api.v1.OutputStart;

/// Which part of an output is wanted.
///
/// @param mostBytes 0: to the end
/// @param mostLines 0: to the end
/// @param follow whether to wait for what is still to come
public record OutputRange(OutputStart from, long mostBytes, long mostLines, boolean follow) {
    public static final OutputRange ALL =
            new OutputRange(OutputStart.getDefaultInstance(), 0, 0, false);

    /// So many bytes from there on.
    public static OutputRange bytes(long offset, long count) {
        return new OutputRange(OutputStart.newBuilder().setOffset(offset).build(), count, 0, false);
    }

    /// So many lines after the first few.
    public static OutputRange lines(long skipped, long count) {
        return new OutputRange(
                OutputStart.newBuilder().setSkipLines(skipped).build(), 0, count, false);
    }

    public static OutputRange lastLines(long count) {
        return new OutputRange(OutputStart.newBuilder().setLastLines(count).build(), 0, 0, false);
    }

    public static OutputRange lastBytes(long count) {
        return new OutputRange(OutputStart.newBuilder().setLastBytes(count).build(), 0, 0, false);
    }

    /// What another reading has not had any more.
    public static OutputRange after(OutputPosition position) {
        return new OutputRange(OutputStart.newBuilder().setPosition(position).build(), 0, 0, false);
    }

    public OutputRange following() {
        return new OutputRange(from, mostBytes, mostLines, true);
    }
}
