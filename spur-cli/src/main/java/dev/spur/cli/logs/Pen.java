package dev.spur.cli.logs;

import dev.spur.api.reach.OutputRange;
import dev.spur.api.reach.OutputSink;
import dev.spur.api.v1.OutputPosition;
import dev.spur.api.v1.OutputStart;
import dev.spur.api.v1.OutputTurn;
import dev.spur.cli.Invocation;
import dev.spur.cli.submission.Remembered;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/// Writes an output to the caller and leaves word there of how far it went, so that another door
/// goes on behind it.
final class Pen implements OutputSink {
    /// How far it went, and how much of a range that was.
    private record Progress(OutputPosition position, long bytes, long lines) {
        byte[] toBytes() {
            return ByteBuffer.allocate(4 * Long.BYTES)
                    .putLong(position.getFile())
                    .putLong(position.getOffset())
                    .putLong(bytes)
                    .putLong(lines)
                    .array();
        }

        static Progress of(byte[] kept) {
            var from = ByteBuffer.wrap(kept);
            var position =
                    OutputPosition.newBuilder()
                            .setFile(from.getLong())
                            .setOffset(from.getLong())
                            .build();
            return new Progress(position, from.getLong(), from.getLong());
        }
    }

    private final Invocation in;
    private final boolean follows;
    private final Optional<Progress> before;
    private long bytes;
    private long lines;
    private String waitsFor = "";

    private Pen(Invocation in, boolean follows, Optional<Progress> before) {
        this.in = in;
        this.follows = follows;
        this.before = before;
        before.ifPresent(progress -> {
            bytes = progress.bytes();
            lines = progress.lines();
        });
    }

    static Pen of(Invocation in, boolean follows) {
        return new Pen(in, follows, in.memory().recall(Remembered.LOG).map(Progress::of));
    }

    /// What of the range an earlier door has not written.
    OutputRange rest(OutputRange range) {
        if (before.isEmpty()) {
            return range;
        }
        return new OutputRange(
                OutputStart.newBuilder().setPosition(before.get().position()).build(),
                range.mostBytes() == 0 ? 0 : Math.max(1, range.mostBytes() - bytes),
                range.mostLines() == 0 ? 0 : Math.max(1, range.mostLines() - lines),
                range.follow());
    }

    @Override
    public void waiting(int jobId, String state, String reason) {
        waitsFor = reason.isEmpty() || reason.equals("None") ? state : state + ", " + reason;
        if (follows) {
            say(
                    "job %s has not started yet (%s); waiting for it"
                            .formatted(Integer.toUnsignedString(jobId), waitsFor));
        }
    }

    @Override
    public void reading(String node, String path) {
        waitsFor = "";
    }

    @Override
    public void turned(OutputTurn turn) {
        switch (turn) {
            case OUTPUT_TRUNCATED -> say("the file was emptied");
            case OUTPUT_REPLACED -> say("another file has its name now");
            case OUTPUT_MISSING -> say("there is no file yet; waiting for it");
            case OUTPUT_GOES_ON, UNRECOGNIZED -> {}
        }
    }

    @Override
    public void lost(String node, String why) {
        say("lost node %s (%s); waiting for it".formatted(node, why));
    }

    private void say(String text) {
        in.out().flush();
        in.err().println(in.program() + ": " + text);
    }

    @Override
    public void data(byte[] data, OutputPosition next) throws IOException {
        bytes += data.length;
        for (var each : data) {
            lines += each == '\n' ? 1 : 0;
        }
        in.memory()
                .atOnce(() -> {
                    in.out().write(data);
                    in.out().flush();
                    in.memory().keep(Remembered.LOG, new Progress(next, bytes, lines).toBytes());
                });
    }

    int exitCode(String id) {
        if (waitsFor.isEmpty()) {
            return 0;
        }
        in.err()
                .println(
                        "%s: error: %s: the job has not started yet (%s). Wait for it with: spur logs -f %s"
                                .formatted(in.program(), id, waitsFor, id));
        return 1;
    }
}
