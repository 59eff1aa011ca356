package dev.spur.controller.raft;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;

/// An entry on its way into the log of the controller that proposes it: its bytes, and the
/// proposals themselves, so that they need not be decoded again to be applied here.
///
/// @param handedOver whether it may be in the log from now on, whatever is answered
/// @param answers of each proposal, once it was applied here
record ProposedEntry<C, R>(
        List<EntryWriter.Waiting<C, R>> members,
        ByteString bytes,
        AtomicBoolean handedOver,
        AtomicReference<@Nullable List<R>> answers)
        implements Message {
    ProposedEntry(List<EntryWriter.Waiting<C, R>> members, ByteString bytes) {
        this(members, bytes, new AtomicBoolean(), new AtomicReference<>());
    }

    @Override
    public ByteString getContent() {
        return bytes;
    }

    List<C> proposals() {
        return members.stream().map(EntryWriter.Waiting::proposal).toList();
    }
}
