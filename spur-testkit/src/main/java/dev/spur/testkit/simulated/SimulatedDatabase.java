package dev.spur.testkit.simulated;

import dev.spur.api.v1.Record;
import dev.spur.api.v1.RecordBatch;
import dev.spur.api.v1.RecordsSeen;
import dev.spur.engine.state.RecordNumber;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// spurdbd and its database: keeps what it is sent, is away now and then, and dies over batches
/// that it has committed and not acknowledged, or not even that. What it gets goes on exactly where
/// it was, whichever controller sends it.
final class SimulatedDatabase {
    private static final Duration LOOKS_EVERY = Duration.ofSeconds(5);
    private static final Duration LONGEST_AWAY = Duration.ofMinutes(20);
    private static final Duration SLOWEST_COMMIT = Duration.ofSeconds(3);
    private static final int DIES_ONE_OF = 12;

    private final SimulatedTime time;
    private final SimulatedNetwork network;
    private final List<SimulatedController> controllers;
    private final List<Record> stored = new ArrayList<>();
    private RecordNumber last = RecordNumber.NONE;
    private @Nullable Link link;
    private Instant awayUntil = Instant.MIN;
    private boolean fails = true;

    SimulatedDatabase(
            SimulatedTime time, SimulatedNetwork network, List<SimulatedController> controllers) {
        this.time = time;
        this.network = network;
        this.controllers = controllers;
        look();
    }

    List<Record> stored() {
        return stored;
    }

    /// From now on it does not fail any more.
    void calm() {
        fails = false;
        awayUntil = Instant.MIN;
    }

    private void look() {
        var open = link;
        if (open != null && !open.controller.isAlive()) {
            link = null;
        }
        if (link == null && !time.instant().isBefore(awayUntil)) {
            var lives =
                    controllers.stream().flatMap(controller -> controller.life().stream()).toList();
            if (!lives.isEmpty()) {
                link = new Link(lives.get(time.random().nextInt(lives.size())));
                link.connect();
            }
        }
        time.after(LOOKS_EVERY, this::look);
    }

    private void received(Link from, RecordBatch batch) {
        if (link != from) {
            return; // that life is over
        }
        if (batch.getGap()) {
            throw new AssertionError("records before %s are gone".formatted(last));
        }
        var dies = fails && time.random().nextInt(DIES_ONE_OF) == 0;
        if (dies && time.random().nextBoolean()) {
            die(from); // before it has committed
            return;
        }
        for (var record : batch.getRecordsList()) {
            var number = new RecordNumber(record.getEntry(), record.getOrdinal());
            if (!number.isAfter(last)) {
                throw new AssertionError("record %s came after %s".formatted(number, last));
            }
            last = number;
            stored.add(record);
        }
        if (dies) {
            die(from); // before it could say so
        } else {
            from.say(seen());
            from.hasRead();
        }
    }

    private void die(Link from) {
        time.tell("the database dies at %s", last);
        link = null;
        awayUntil = time.instant().plus(time.between(Duration.ZERO, LONGEST_AWAY));
        from.breakDown();
    }

    private RecordsSeen seen() {
        return RecordsSeen.newBuilder()
                .setEntry(last.entry())
                .setOrdinal(last.ordinal())
                .setName("db")
                .setAddress("db:6819")
                .build();
    }

    /// A stream to one controller. What is said arrives later, in order, or not at all.
    private final class Link extends ServerCallStreamObserver<RecordBatch> {
        private final SimulatedController.Life controller;
        private @Nullable StreamObserver<RecordsSeen> toController;
        private Runnable onReady = () -> {};
        private Runnable onCancel = () -> {};
        private Instant lastUp = Instant.MIN;
        private Instant lastDown = Instant.MIN;
        private boolean unread;
        private boolean isCancelled;

        Link(SimulatedController.Life controller) {
            this.controller = controller;
        }

        void connect() {
            up(() -> toController = controller.records().follow(this));
            say(seen());
        }

        void say(RecordsSeen seen) {
            up(() -> {
                if (toController != null && !isCancelled) {
                    toController.onNext(seen);
                }
            });
        }

        void hasRead() {
            up(() -> {
                unread = false;
                onReady.run();
            });
        }

        void breakDown() {
            up(() -> {
                isCancelled = true;
                onCancel.run();
            });
        }

        private void up(Runnable arrival) {
            lastUp = after(lastUp);
            time.at(lastUp, () -> controller.process().run(arrival));
        }

        private void down(Runnable arrival) {
            lastDown = after(lastDown);
            time.at(lastDown, arrival);
        }

        private Instant after(Instant before) {
            var arrival = time.instant().plus(network.delay());
            return arrival.isAfter(before) ? arrival : before;
        }

        @Override
        public void onNext(RecordBatch batch) {
            unread = true;
            down(() ->
                    time.after(
                            time.between(Duration.ZERO, SLOWEST_COMMIT),
                            () -> received(this, batch)));
        }

        @Override
        public void onError(Throwable why) {
            over();
        }

        @Override
        public void onCompleted() {
            over();
        }

        private void over() {
            down(() -> {
                if (link == this) {
                    link = null;
                }
            });
        }

        @Override
        public boolean isReady() {
            return !unread;
        }

        @Override
        public void setOnReadyHandler(Runnable handler) {
            onReady = handler;
        }

        @Override
        public boolean isCancelled() {
            return isCancelled;
        }

        @Override
        public void setOnCancelHandler(Runnable handler) {
            onCancel = handler;
        }

        @Override
        public void setOnCloseHandler(Runnable handler) {}

        @Override
        public void setCompression(String compression) {}

        @Override
        public void disableAutoInboundFlowControl() {}

        @Override
        public void request(int count) {}

        @Override
        public void setMessageCompression(boolean enable) {}
    }
}
