package dev.spur.agent;

import io.grpc.BindableService;
import io.grpc.HandlerRegistry;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import org.jspecify.annotations.Nullable;

/// Lets the server listen before its services are made: the node's address, which they tell, has
/// the port that listening chose.
final class LateServices extends HandlerRegistry {
    private volatile @Nullable ServerServiceDefinition service;

    void open(BindableService ready) {
        service = ready.bindService();
    }

    @Override
    public @Nullable ServerMethodDefinition<?, ?> lookupMethod(
            String method, @Nullable String authority) {
        var open = service;
        return open == null ? null : open.getMethod(method);
    }
}
