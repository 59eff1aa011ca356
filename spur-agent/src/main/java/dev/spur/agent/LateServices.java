package dev.spur.agent;

import io.grpc.BindableService;
import io.grpc.HandlerRegistry;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Lets the server listen before its services are made: the node's address, which they tell, has
/// the port that listening chose.
final class LateServices extends HandlerRegistry {
    private volatile List<ServerServiceDefinition> services = List.of();

    void open(BindableService... ready) {
        services = Arrays.stream(ready).map(BindableService::bindService).toList();
    }

    @Override
    public @Nullable ServerMethodDefinition<?, ?> lookupMethod(
            String method, @Nullable String authority) {
        return services.stream()
                .map(service -> service.getMethod(method))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }
}
