package dev.spur.controller.raft;

import dev.spur.runtime.identity.SecretFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftConfigurationProto;
import org.apache.ratis.util.ProtoUtils;

/// The last of several controllers when so many are lost for good that no majority will ever decide
/// anything again, not even to remove them. Its copy of the log says who the members are; here it
/// is made to say that it is alone. To be used while the log is closed.
public final class Survivor {
    private final Path members;
    private final RaftConfig.Peer self;

    /// @param directory as in [RaftConfig]
    public Survivor(Path directory, RaftConfig.Peer self) {
        this.members = RatisLog.storage(directory).resolve("current").resolve("raft-meta.conf");
        this.self = self;
    }

    /// Those that would be given up, by name.
    public List<RaftConfig.Peer> others() {
        return read().getConfigurationEntry().getPeersList().stream()
                .map(ProtoUtils::toRaftPeer)
                .map(RatisMembership::ofRatis)
                .filter(member -> !member.id().equals(self.id()))
                .sorted(Comparator.comparing(RaftConfig.Peer::id))
                .toList();
    }

    /// Newer than whatever the log says of its members.
    public void giveUpTheOthers() {
        var before = read();
        var alone =
                RaftConfigurationProto.newBuilder()
                        .addPeers(RatisMembership.toRatis(self, 0).getRaftPeerProto());
        var entry =
                before.toBuilder()
                        .setIndex(before.getIndex() + 1)
                        .setConfigurationEntry(alone)
                        .build();
        SecretFiles.write(members, entry.toByteArray());
    }

    private LogEntryProto read() {
        if (!Files.exists(members)) {
            throw new IllegalArgumentException(
                    "this controller has no copy of a log: there is nothing to go on with");
        }
        try {
            return LogEntryProto.parseFrom(Files.readAllBytes(members));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + members, e);
        }
    }
}
