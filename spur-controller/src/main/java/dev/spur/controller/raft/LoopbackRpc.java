package dev.spur.controller.raft;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Collection;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotReplyProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionReplyProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.rpc.RpcFactory;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerRpc;
import org.apache.ratis.server.ServerFactory;

/// The transport of a controller that is alone: none. No port is open, so nobody can append to the
/// log. Public with a public constructor because Ratis makes it by its class name.
public final class LoopbackRpc implements RpcType {
    @Override
    public String name() {
        return LoopbackRpc.class.getName();
    }

    @Override
    public RpcFactory newFactory(Parameters parameters) {
        return new Factory(this);
    }

    private record Factory(RpcType type) implements ServerFactory {
        @Override
        public RpcType getRpcType() {
            return type;
        }

        @Override
        public RaftServerRpc newRaftServerRpc(RaftServer server) {
            return new Alone(type);
        }
    }

    private record Alone(RpcType type) implements RaftServerRpc {
        private static IOException alone() {
            return new IOException("this controller has no peers");
        }

        @Override
        public RpcType getRpcType() {
            return type;
        }

        @Override
        public void start() {}

        @Override
        public InetSocketAddress getInetSocketAddress() {
            return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        }

        @Override
        public void handleException(RaftPeerId server, Exception e, boolean reconnect) {}

        @Override
        public void addRaftPeers(Collection<RaftPeer> peers) {}

        @Override
        public RequestVoteReplyProto requestVote(RequestVoteRequestProto request)
                throws IOException {
            throw alone();
        }

        @Override
        public AppendEntriesReplyProto appendEntries(AppendEntriesRequestProto request)
                throws IOException {
            throw alone();
        }

        @Override
        public InstallSnapshotReplyProto installSnapshot(InstallSnapshotRequestProto request)
                throws IOException {
            throw alone();
        }

        @Override
        public StartLeaderElectionReplyProto startLeaderElection(
                StartLeaderElectionRequestProto request) throws IOException {
            throw alone();
        }

        @Override
        public void close() {}
    }
}
