package dev.spur.api.port;

import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerSocketChannel;
import java.util.List;

/// A listening socket whose connections are counted from the moment they are accepted: before the
/// first byte of a handshake, which may never come.
public final class CountedServerChannel extends NioServerSocketChannel {
    private final Connections connections;

    public CountedServerChannel(Connections connections) {
        this.connections = connections;
    }

    @Override
    protected int doReadMessages(List<Object> accepted) throws Exception {
        var before = accepted.size();
        var count = super.doReadMessages(accepted);
        for (var each : accepted.subList(before, accepted.size())) {
            var channel = (Channel) each;
            var from = channel.remoteAddress();
            if (from != null) {
                connections.opened(from, channel::close);
                channel.closeFuture().addListener(_ -> connections.closed(from));
            }
        }
        return count;
    }
}
