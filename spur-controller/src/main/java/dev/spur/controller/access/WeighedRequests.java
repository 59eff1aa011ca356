package dev.spur.controller.access;

import com.google.protobuf.Message;
import dev.spur.api.bounds.WireWeight;
import dev.spur.model.ErrorCode;
import dev.spur.model.SpurException;
import io.grpc.BindableService;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.StatusRuntimeException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;

/// Services whose requests are weighed before they are parsed. Whatever cannot be parsed is refused
/// in words by [BoundsInterceptor]; gRPC would only log it.
public final class WeighedRequests {
    private WeighedRequests() {}

    public static ServerServiceDefinition of(BindableService service) {
        var definition = service.bindService();
        var described =
                ServiceDescriptor.newBuilder(definition.getServiceDescriptor().getName())
                        .setSchemaDescriptor(
                                definition.getServiceDescriptor().getSchemaDescriptor());
        var methods = definition.getMethods().stream().map(WeighedRequests::weighed).toList();
        methods.forEach(method -> described.addMethod(method.getMethodDescriptor()));
        var weighed = ServerServiceDefinition.builder(described.build());
        methods.forEach(weighed::addMethod);
        return weighed.build();
    }

    /// Agents' streams stay as they are: what they say was made by Spur.
    private static <Q, R> ServerMethodDefinition<Q, R> weighed(
            ServerMethodDefinition<Q, R> method) {
        var described = method.getMethodDescriptor();
        if (!described.getType().clientSendsOneMessage()
                || !(described.getRequestMarshaller() instanceof PrototypeMarshaller<Q> ordinary)) {
            return method;
        }
        return ServerMethodDefinition.create(
                described.toBuilder(new Weighing<>(ordinary), described.getResponseMarshaller())
                        .build(),
                method.getServerCallHandler());
    }

    private record Weighing<Q>(PrototypeMarshaller<Q> ordinary)
            implements MethodDescriptor.Marshaller<Q> {
        @Override
        public InputStream stream(Q message) {
            return ordinary.stream(message);
        }

        @Override
        public Q parse(InputStream stream) {
            var empty = Objects.requireNonNull(ordinary.getMessagePrototype());
            try {
                var bytes = stream.readAllBytes();
                WireWeight.require(((Message) empty).getDescriptorForType(), bytes);
                return ordinary.parse(new ByteArrayInputStream(bytes));
            } catch (SpurException e) {
                return refused(e, empty);
            } catch (StatusRuntimeException _) {
                return refused(
                        new SpurException(ErrorCode.INVALID_REQUEST, "the request cannot be read"),
                        empty);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private static <Q> Q refused(SpurException why, Q empty) {
            var call = ArrivingBytes.CURRENT.get();
            if (call == null) {
                throw why;
            }
            call.refuse(why);
            return empty;
        }
    }
}
