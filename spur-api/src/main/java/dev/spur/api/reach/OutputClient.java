package dev.spur.api.reach;

import dev.spur.api.client.ControllerClient;
import dev.spur.api.client.ControllerException;
import dev.spur.api.v1.OutputPiece;
import dev.spur.api.v1.OutputPosition;
import dev.spur.api.v1.OutputStart;
import dev.spur.api.v1.OutputTurn;
import dev.spur.api.v1.ReachOutputReply;
import dev.spur.api.v1.ReachOutputRequest;
import dev.spur.api.v1.ReadOutputRequest;
import io.grpc.Context;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Reads what a job has written, wherever it runs.
///
/// ```
///  ReachOutput ──▶ waits ──────────────┐ ask again
///      │ ▲                             │
///      │ └─────────────────────────────┘
///      ▼            all read, the job goes on; or the agent has gone
///  read at the agent ──────────────────▶ ReachOutput
///      │ all read, and the job has ended
///      ▼
///     done
/// ```
///
/// Blocks its thread; interrupting the thread ends the reading.
public final class OutputClient {
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

    /// An agent that restarts is back by then.
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final ControllerClient controller;

    public OutputClient(ControllerClient controller) {
        this.controller = controller;
    }

    /// Which output is meant.
    ///
    /// @param id of a job, a task or a step, as squeue shows it
    public record Output(String id, boolean error) {}

    /// Hands everything in the range to the sink. When it follows: until the job has ended, also if
    /// it has not started yet, is requeued, or an agent or controller goes away in the middle.
    ///
    /// @throws OutputException if it cannot be read
    /// @throws dev.spur.api.client.ControllerException if the controller refuses
    public void read(Output output, OutputRange range, OutputSink sink)
            throws IOException, InterruptedException {
        new Reading(output, range, sink).run();
    }

    /// One reading, over as many calls as it takes.
    private final class Reading {
        private final Output output;
        private final OutputRange range;
        private final OutputSink sink;
        private OutputStart from;
        private long bytesLeft;
        private long linesLeft;
        private @Nullable Duration pause;
        private long silentSince = System.nanoTime();
        private boolean toldOfLoss;
        private String waitsFor = "";
        private String place = "";
        private int attempt;

        Reading(Output output, OutputRange range, OutputSink sink) {
            this.output = output;
            this.range = range;
            this.sink = sink;
            this.from = range.from();
            this.bytesLeft = range.mostBytes();
            this.linesLeft = range.mostLines();
        }

        void run() throws IOException, InterruptedException {
            while (true) {
                var reply = ask();
                if (!reply.hasReach()) {
                    tellOfWaiting(reply);
                    if (!range.follow()) {
                        return;
                    }
                    rest();
                    continue;
                }
                waitsFor = "";
                if (readAt(reply) && (reply.getEnded() || !range.follow() || isEnough())) {
                    return;
                }
                rest();
            }
        }

        private ReachOutputReply ask() {
            var request =
                    ReachOutputRequest.newBuilder()
                            .setId(output.id())
                            .setError(output.error())
                            .build();
            return controller.call(stub -> stub.reachOutput(request));
        }

        private void tellOfWaiting(ReachOutputReply reply) {
            var now = reply.getState() + " " + reply.getReason();
            if (!now.equals(waitsFor)) {
                waitsFor = now;
                sink.waiting(reply.getJobId(), reply.getState(), reply.getReason());
            }
        }

        private boolean isEnough() {
            return (range.mostBytes() > 0 && bytesLeft == 0)
                    || (range.mostLines() > 0 && linesLeft == 0);
        }

        /// @return whether everything was read that is there now
        private boolean readAt(ReachOutputReply reply) throws IOException, InterruptedException {
            var reach = reply.getReach();
            var here = reach.getNode() + ":" + reply.getPath();
            var isAnew = attempt != 0 && reply.getAttempt() != attempt && !reply.getAppends();
            if (isAnew || (!place.isEmpty() && !here.equals(place))) {
                from = OutputStart.getDefaultInstance();
            }
            attempt = reply.getAttempt();
            if (!here.equals(place)) {
                place = here;
                sink.reading(reach.getNode(), reply.getPath());
            }
            var request =
                    ReadOutputRequest.newBuilder()
                            .setReach(reach)
                            .setFrom(from)
                            .setMostBytes(bytesLeft)
                            .setMostLines(linesLeft)
                            .setFollow(range.follow() && !reply.getEnded())
                            .build();
            try (var context = Context.current().withCancellation()) {
                var before = context.attach();
                try {
                    var pieces =
                            controller.outputs(reach.getAddress(), reach.getNode()).read(request);
                    while (pieces.hasNext()) {
                        take(pieces.next());
                    }
                    return true;
                } finally {
                    context.detach(before);
                }
            } catch (StatusRuntimeException e) {
                judge(e, reach.getNode());
                return false;
            }
        }

        private void take(OutputPiece piece) throws IOException {
            silentSince = System.nanoTime();
            toldOfLoss = false;
            if (piece.getTurn() != OutputTurn.OUTPUT_GOES_ON) {
                sink.turned(piece.getTurn());
            }
            if (piece.getTurn() == OutputTurn.OUTPUT_MISSING) {
                return;
            }
            var bytes = piece.getData().toByteArray();
            var next =
                    OutputPosition.newBuilder()
                            .setFile(piece.getAt().getFile())
                            .setOffset(piece.getAt().getOffset() + bytes.length)
                            .build();
            if (bytes.length > 0) {
                pause = null;
                sink.data(bytes, next);
                count(bytes);
            }
            from = OutputStart.newBuilder().setPosition(next).build();
        }

        private void count(byte[] bytes) {
            if (range.mostBytes() > 0) {
                bytesLeft = Math.max(0, bytesLeft - bytes.length);
            }
            if (range.mostLines() > 0) {
                for (var each : bytes) {
                    linesLeft -= each == '\n' && linesLeft > 0 ? 1 : 0;
                }
            }
        }

        /// Returns if it is worth while to come again.
        private void judge(StatusRuntimeException e, String node) throws InterruptedException {
            if (Thread.currentThread().isInterrupted()) {
                throw new InterruptedException("the reading was interrupted");
            }
            var why = String.valueOf(ControllerException.of(e).getMessage());
            if (!mayPass(e.getStatus()) || System.nanoTime() - silentSince > PATIENCE.toNanos()) {
                throw new OutputException(
                        e.getStatus().getCode(), "node %s: %s".formatted(node, why), e);
            }
            if (!toldOfLoss) {
                toldOfLoss = true;
                sink.lost(node, why);
            }
        }

        /// From a little to more and more, anew whenever something came.
        private void rest() throws InterruptedException {
            var now = pause == null ? FIRST_PAUSE : pause;
            Thread.sleep(now);
            var twice = now.multipliedBy(2);
            pause = twice.compareTo(LONGEST_PAUSE) < 0 ? twice : LONGEST_PAUSE;
        }
    }

    private static boolean mayPass(Status status) {
        return switch (status.getCode()) {
            case UNAVAILABLE -> true;
            case CANCELLED -> status.getCause() == null;
            case UNKNOWN -> status.getCause() instanceof IOException;
            default -> false;
        };
    }
}
