package dev.spur.controller.state;

import dev.spur.controller.raft.EntryCodec;
import dev.spur.engine.codec.CommandCodec;
import dev.spur.model.BlobRef;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/// A proposal in a log entry: the command, then the blobs, each with its hash.
public final class ProposalCodec implements EntryCodec<Proposal> {
    private static final int HASH = 32;

    @Override
    public void write(Proposal proposal, DataOutput out) throws IOException {
        var command = CommandCodec.encode(List.of(proposal.command()));
        out.writeInt(command.length);
        out.write(command);
        out.writeInt(proposal.blobs().size());
        for (var blob : proposal.blobs()) {
            out.write(HexFormat.of().parseHex(blob.ref().sha256()));
            out.writeInt(blob.bytes().length);
            out.write(blob.bytes());
        }
    }

    @Override
    public Proposal read(DataInput in) throws IOException {
        var command = new byte[in.readInt()];
        in.readFully(command);
        var count = in.readInt();
        var blobs = new ArrayList<Proposal.Blob>();
        for (var i = 0; i < count; i++) {
            var hash = new byte[HASH];
            in.readFully(hash);
            var bytes = new byte[in.readInt()];
            in.readFully(bytes);
            blobs.add(
                    new Proposal.Blob(
                            new BlobRef(HexFormat.of().formatHex(hash), bytes.length), bytes));
        }
        return new Proposal(CommandCodec.decode(command).getFirst(), blobs);
    }

    @Override
    public boolean isSame(Proposal written, Proposal read) {
        if (!written.command().equals(read.command())
                || written.blobs().size() != read.blobs().size()) {
            return false;
        }
        for (var i = 0; i < read.blobs().size(); i++) {
            var one = written.blobs().get(i);
            var other = read.blobs().get(i);
            if (!one.ref().equals(other.ref()) || !Arrays.equals(one.bytes(), other.bytes())) {
                return false;
            }
        }
        return true;
    }
}
