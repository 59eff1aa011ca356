package dev.spur.controller.raft;

import java.io.DataInput;
import java.io.DataInputStream;
import java.io.DataOutput;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// Remembers every word it was given and answers with how many there are.
class CountingReplica implements Replica<String, Integer> {
    static final EntryCodec<String> CODEC =
            new EntryCodec<>() {
                @Override
                public void write(String proposal, DataOutput out) throws IOException {
                    out.writeUTF(proposal);
                }

                @Override
                public String read(DataInput in) throws IOException {
                    return in.readUTF();
                }
            };

    final List<String> words = new CopyOnWriteArrayList<>();
    volatile int entries;
    volatile int restored;

    /// No snapshot can be written any more: what is on disk stays as a crash leaves it.
    volatile boolean crashed;

    @Override
    public List<Integer> apply(long index, List<String> entry) {
        entries++;
        var answers = new ArrayList<Integer>();
        for (var word : entry) {
            words.add(word);
            answers.add(words.size());
        }
        return answers;
    }

    @Override
    public Image image() {
        var frozen = List.copyOf(words);
        return new Image() {
            @Override
            public void writeTo(OutputStream out) throws IOException {
                if (crashed) {
                    throw new IOException("crashed");
                }
                var data = new DataOutputStream(out);
                data.writeInt(frozen.size());
                for (var word : frozen) {
                    data.writeUTF(word);
                }
            }

            @Override
            public void linkFiles(Path directory) {}
        };
    }

    @Override
    public void restore(InputStream in, Path files) throws IOException {
        var data = new DataInputStream(in);
        words.clear();
        restored = data.readInt();
        for (var i = 0; i < restored; i++) {
            words.add(data.readUTF());
        }
    }
}
