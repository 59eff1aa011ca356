package dev.spur.api.client;

import com.google.protobuf.Message;
import dev.spur.api.bounds.WireWeight;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import io.grpc.StatusRuntimeException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;

/// Says how much memory an answer takes, before it is made of the bytes that came: whoever serves
/// many callers cannot hold all their answers at once.
final class ChargedAnswers implements ClientInterceptor {
    private final AnswerAccount account;

    ChargedAnswers(AnswerAccount account) {
        this.account = account;
    }

    /// Why there is no memory for an answer. gRPC ends the call and makes it the cause.
    private static final class NoMemoryException extends RuntimeException {
        private static final long serialVersionUID = 1;
        private final RuntimeException why;

        NoMemoryException(RuntimeException why) {
            super(null, why, false, false);
            this.why = why;
        }
    }

    /// Throws what was said when there was no memory, if that was it.
    static void rethrow(StatusRuntimeException e) {
        if (e.getStatus().getCause() instanceof NoMemoryException refusal) {
            throw refusal.why;
        }
    }

    @Override
    public <Q, R> ClientCall<Q, R> interceptCall(
            MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
        return method.getResponseMarshaller() instanceof PrototypeMarshaller<R> ordinary
                ? next.newCall(
                        method.toBuilder(method.getRequestMarshaller(), new Charging<>(ordinary))
                                .build(),
                        options)
                : next.newCall(method, options);
    }

    private final class Charging<R> implements MethodDescriptor.Marshaller<R> {
        private final PrototypeMarshaller<R> ordinary;

        Charging(PrototypeMarshaller<R> ordinary) {
            this.ordinary = ordinary;
        }

        @Override
        public InputStream stream(R message) {
            return ordinary.stream(message);
        }

        @Override
        public R parse(InputStream stream) {
            var type =
                    ((Message) Objects.requireNonNull(ordinary.getMessagePrototype()))
                            .getDescriptorForType();
            try {
                var bytes = stream.readAllBytes();
                account.hold(WireWeight.ofAnswer(type, bytes) + bytes.length);
                return ordinary.parse(new ByteArrayInputStream(bytes));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (StatusRuntimeException e) {
                throw e;
            } catch (RuntimeException e) {
                throw new NoMemoryException(e);
            }
        }
    }
}
