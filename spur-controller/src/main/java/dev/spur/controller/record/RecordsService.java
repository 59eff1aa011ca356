package dev.spur.controller.record;

import dev.spur.api.v1.IdentifyReply;
import dev.spur.api.v1.IdentifyRequest;
import dev.spur.api.v1.RecordBatch;
import dev.spur.api.v1.RecordsGrpc;
import dev.spur.api.v1.RecordsSeen;
import dev.spur.controller.access.Failures;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import org.jspecify.annotations.Nullable;

/// spurdbd on gRPC: what it has comes in, what happened goes out.
public final class RecordsService extends RecordsGrpc.RecordsImplBase {
    private final RecordLink link;
    private final Identification identification;

    public RecordsService(RecordLink link, Identification identification) {
        this.link = link;
        this.identification = identification;
    }

    @Override
    public void identify(IdentifyRequest request, StreamObserver<IdentifyReply> reply) {
        Failures.answer(reply, () -> identification.identify(request));
    }

    @Override
    public StreamObserver<RecordsSeen> follow(StreamObserver<RecordBatch> toDatabase) {
        return new Connection((ServerCallStreamObserver<RecordBatch>) toDatabase);
    }

    private final class Connection implements StreamObserver<RecordsSeen>, RecordChannel {
        private final ServerCallStreamObserver<RecordBatch> toDatabase;
        private volatile @Nullable RecordStream stream;
        private boolean ended;

        Connection(ServerCallStreamObserver<RecordBatch> toDatabase) {
            this.toDatabase = toDatabase;
            toDatabase.setOnReadyHandler(this::databaseReads);
            toDatabase.setOnCancelHandler(this::gone);
        }

        @Override
        public void onNext(RecordsSeen seen) {
            var open = stream;
            if (open != null) {
                open.acknowledge(RecordLink.number(seen));
                return;
            }
            try {
                stream = link.open(seen, this);
            } catch (RuntimeException e) {
                end(Failures.toStatus(e));
            }
        }

        @Override
        public void onError(Throwable cause) {
            gone();
        }

        @Override
        public void onCompleted() {
            gone();
            end(null);
        }

        private void databaseReads() {
            var open = stream;
            if (open != null) {
                open.wake();
            }
        }

        private void gone() {
            var open = stream;
            if (open != null) {
                link.closed(open);
            }
        }

        @Override
        public boolean isReady() {
            return toDatabase.isReady();
        }

        @Override
        public synchronized void send(RecordBatch batch) {
            if (!ended && !toDatabase.isCancelled()) {
                toDatabase.onNext(batch);
            }
        }

        @Override
        public synchronized void end(@Nullable Throwable failure) {
            if (ended || toDatabase.isCancelled()) {
                return;
            }
            ended = true;
            if (failure == null) {
                toDatabase.onCompleted();
            } else {
                toDatabase.onError(
                        failure instanceof io.grpc.StatusRuntimeException
                                ? failure
                                : failure instanceof RuntimeException
                                        ? Failures.toStatus(failure)
                                        : Status.UNAVAILABLE
                                                .withDescription(
                                                        String.valueOf(failure.getMessage()))
                                                .asRuntimeException());
            }
        }
    }
}
