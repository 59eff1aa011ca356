package dev.spur.controller.raft;

import java.util.List;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;

/// An entry on its way into the log of the controller that proposes it: its bytes, and the
/// proposals themselves, so that they need not be decoded again to be applied here.
record ProposedEntry<C, R>(List<RatisLog.Waiting<C, R>> members, ByteString bytes)
        implements Message {
    @Override
    public ByteString getContent() {
        return bytes;
    }

    List<C> proposals() {
        return members.stream().map(RatisLog.Waiting::proposal).toList();
    }
}
