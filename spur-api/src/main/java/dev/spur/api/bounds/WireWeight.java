package dev.spur.api.bounds;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.WireFormat;
import dev.spur.model.ErrorCode;
import dev.spur.model.SpurException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// Looks at the bytes of a request before they become objects: two bytes can be an object of
/// hundreds, so a message that is small on the wire may still fill a heap. What is counted here are
/// its parts; texts and blobs are as large as they were on the wire.
public final class WireWeight {
    private static final long MOST_OF_A_REQUEST = 16L << 20;
    private static final long MOST_OF_AN_ANSWER = 128L << 20;

    /// Of a text, a number or a place in a list.
    private static final int PART = 48;

    private static final int OBJECT = 32;
    private static final int REFERENCE = 8;
    private static final int DEEPEST = 16;

    private final CodedInputStream in;
    private final long most;
    private long weight;

    private WireWeight(CodedInputStream in, long most) {
        this.in = in;
        this.most = most;
    }

    /// Refuses a request of which there would be far more in memory than on the wire.
    public static void require(Descriptor type, byte[] message) {
        weigh(type, message, MOST_OF_A_REQUEST);
    }

    /// What the parts of an answer will take. Refuses what no controller says.
    public static long ofAnswer(Descriptor type, byte[] message) {
        return weigh(type, message, MOST_OF_AN_ANSWER);
    }

    private static long weigh(Descriptor type, byte[] message, long most) {
        var weight = new WireWeight(CodedInputStream.newInstance(message), most);
        try {
            weight.weigh(type, 0);
            return weight.weight;
        } catch (IOException e) {
            throw unreadable();
        }
    }

    private void weigh(Descriptor type, int depth) throws IOException {
        for (var tag = in.readTag(); tag != 0; tag = in.readTag()) {
            var field = type.findFieldByNumber(WireFormat.getTagFieldNumber(tag));
            switch (WireFormat.getTagWireType(tag)) {
                case WireFormat.WIRETYPE_LENGTH_DELIMITED -> weighDelimited(field, depth);
                // Nothing of ours has groups, and what is in them could not be told from the
                // outside.
                case WireFormat.WIRETYPE_START_GROUP, WireFormat.WIRETYPE_END_GROUP ->
                        throw unreadable();
                default -> {
                    add(PART);
                    in.skipField(tag);
                }
            }
        }
    }

    private void weighDelimited(@Nullable FieldDescriptor field, int depth) throws IOException {
        var length = in.readRawVarint32();
        if (field == null || field.getJavaType() != FieldDescriptor.JavaType.MESSAGE) {
            // Numbers may be packed, a byte each.
            add(field != null && field.isPackable() ? (long) REFERENCE * length : PART);
            in.skipRawBytes(length);
            return;
        }
        if (depth == DEEPEST) {
            throw unreadable();
        }
        var type = field.getMessageType();
        add(OBJECT + (long) REFERENCE * type.getFields().size());
        var outside = in.pushLimit(length);
        weigh(type, depth + 1);
        in.popLimit(outside);
    }

    private void add(long more) {
        weight += more;
        if (weight > most) {
            throw new SpurException(
                    ErrorCode.TEXT_TOO_LONG,
                    "the message has more parts than any message needs. Put long lists into files");
        }
    }

    private static SpurException unreadable() {
        return new SpurException(ErrorCode.INVALID_REQUEST, "the message cannot be read");
    }
}
