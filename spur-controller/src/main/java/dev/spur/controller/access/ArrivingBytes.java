package dev.spur.controller.access;

import dev.spur.model.SpurException;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.ServerStreamTracer;
import org.jspecify.annotations.Nullable;

/// Counts what has come of a request, also while it is incomplete: gRPC keeps the pieces of a
/// message until the last is here.
public final class ArrivingBytes extends ServerStreamTracer.Factory {
    static final Context.Key<Count> CURRENT = Context.key("arriving-bytes");

    @Override
    public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
        return new Count();
    }

    /// Told of one call.
    interface Listener {
        void came(long bytes);

        /// They were the last of a message.
        void messageIsComplete();
    }

    /// Of one call. The first bytes may come before anybody wants to know.
    static final class Count extends ServerStreamTracer {
        private long early;
        private volatile long total; // written by the connection's thread alone
        private @Nullable Listener told;
        private volatile @Nullable SpurException refusal;

        @Override
        public Context filterContext(Context context) {
            return context.withValue(CURRENT, this);
        }

        @Override
        public void inboundWireSize(long bytes) {
            total += bytes;
            Listener to;
            synchronized (this) {
                to = told;
                if (to == null) {
                    early += bytes;
                    return;
                }
            }
            to.came(bytes);
        }

        @Override
        public void inboundMessageRead(int number, long wireSize, long size) {
            Listener to;
            synchronized (this) {
                early = 0;
                to = told;
            }
            if (to != null) {
                to.messageIsComplete();
            }
        }

        /// All that has come so far.
        long total() {
            return total;
        }

        /// Its message is not to be looked at.
        void refuse(SpurException why) {
            refusal = why;
        }

        @Nullable SpurException refusal() {
            return refusal;
        }

        void tell(Listener to) {
            long before;
            synchronized (this) {
                told = to;
                before = early;
            }
            to.came(before);
        }
    }
}
