package dev.spur.api.bounds;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import dev.spur.api.bounds.Bound.Characters;
import dev.spur.model.ErrorCode;
import dev.spur.model.SpurException;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// The bounds of every request, in one table. A field without a line has the usual bound, so a new
/// one is bounded from its first day. The figures are Slurm's where it has some
/// (`validate_job_create_req` in its job_mgr.c); docs/user.md shows them to users.
public final class RequestBounds {
    private static final int KIB = 1 << 10;
    private static final int MIB = 1 << 20;

    /// Slurm's for nearly every text of a job.
    private static final int USUAL_TEXT = KIB;

    /// Slurm's MAXPATHLEN.
    private static final int PATH = 4 * KIB;

    private static final int HOSTS = 64 * KIB;
    private static final int USUAL_BLOB = 64 * KIB;
    private static final int USUAL_LIST = 1_000;
    private static final int NAMED_THINGS = 10_000;
    private static final int GROUPS = 65_536;

    /// A node spends some 200 bytes on each variable, however short; no program can be given half a
    /// million.
    private static final int VARIABLES = 10_000;

    /// How many bytes of a message may be left over when its scripts and environments are not
    /// counted.
    private static final int USUAL_MESSAGE = MIB;

    private static final Bound USUAL = new Bound(USUAL_TEXT, USUAL_LIST, Characters.PRINTABLE);

    /// Remembered for a day. Ours are UUIDs.
    private static final Bound REQUEST_ID = Bound.text(128);

    private static final Map<String, Bound> FIELDS =
            Map.ofEntries(
                    field("JobSpec.partitions", Bound.list(USUAL_TEXT, 100)),
                    field("JobSpec.components", Bound.list(USUAL_TEXT, 100)),
                    field("JobSpec.array", Bound.text(16 * KIB)),
                    field("JobSpec.dependency", Bound.text(64 * KIB)),
                    field("JobSpec.work_dir", Bound.text(PATH)),
                    field("JobSpec.submit_dir", Bound.text(PATH)),
                    field("JobSpec.std_out", Bound.text(PATH)),
                    field("JobSpec.std_err", Bound.text(PATH)),
                    field("JobSpec.std_in", Bound.text(PATH)),
                    field("JobSpec.command", Bound.text(PATH)),
                    field("JobSpec.script_args", Bound.list(128 * KIB, 10_000).forPrograms()),
                    field("JobSpec.export_env", Bound.text(64 * KIB).forPrograms()),
                    // Cut and cleaned by whoever keeps it.
                    field("JobSpec.submit_line", Bound.text(8 * MIB).forPrograms()),
                    field("JobSpec.groups", Bound.list(0, GROUPS)),
                    field("ResourceRequest.node_list", Bound.text(HOSTS)),
                    field("ResourceRequest.exclude", Bound.text(HOSTS)),
                    field("ResourceRequest.cpu_bind", Bound.text(16 * KIB)),
                    field("ResourceRequest.mem_bind", Bound.text(16 * KIB)),
                    field("SubmitJobRequest.script", Bound.text(4 * MIB)),
                    field("SubmitJobRequest.environment", Bound.list(4 * MIB, VARIABLES)),
                    field("CreateStepRequest.node_list", Bound.text(HOSTS)),
                    field("CreateStepRequest.exclude", Bound.text(HOSTS)),
                    field("CreateStepRequest.std_out", Bound.text(PATH)),
                    field("CreateStepRequest.std_err", Bound.text(PATH)),
                    field("CreateStepRequest.std_in", Bound.text(PATH)),
                    field("ListJobsRequest.ids", Bound.list(USUAL_TEXT, NAMED_THINGS)),
                    field("ListJobsRequest.nodes", Bound.list(USUAL_TEXT, NAMED_THINGS)),
                    field("ListStepsRequest.ids", Bound.list(USUAL_TEXT, NAMED_THINGS)),
                    field("ListStepsRequest.nodes", Bound.list(USUAL_TEXT, NAMED_THINGS)),
                    field("ListNodesRequest.names", Bound.list(HOSTS, NAMED_THINGS)),
                    field("CancelJobsRequest.ids", Bound.list(USUAL_TEXT, NAMED_THINGS)),
                    field("SignalJobsRequest.ids", Bound.list(USUAL_TEXT, NAMED_THINGS)),
                    field("HoldJobsRequest.ids", Bound.list(USUAL_TEXT, NAMED_THINGS)),
                    field("ReleaseJobsRequest.ids", Bound.list(USUAL_TEXT, NAMED_THINGS)),
                    field("RequeueJobsRequest.ids", Bound.list(USUAL_TEXT, NAMED_THINGS)),
                    field("SuspendJobsRequest.ids", Bound.list(USUAL_TEXT, NAMED_THINGS)),
                    field("ResumeJobsRequest.ids", Bound.list(USUAL_TEXT, NAMED_THINGS)),
                    field("TopJobsRequest.ids", Bound.list(USUAL_TEXT, NAMED_THINGS)),
                    field("GetPlanRequest.ids", Bound.list(USUAL_TEXT, NAMED_THINGS)),
                    field("UpdateJobsRequest.ids", Bound.list(USUAL_TEXT, NAMED_THINGS)),
                    field("UpdateJobsRequest.changes", Bound.list(USUAL_TEXT, 100)),
                    field("UpdateJobsRequest.changes.dependency", Bound.text(64 * KIB)),
                    field("UpdateJobsRequest.changes.nodelist", Bound.text(HOSTS)),
                    field("UpdateJobsRequest.changes.reqnodelist", Bound.text(HOSTS)),
                    field("UpdateJobsRequest.changes.excnodelist", Bound.text(HOSTS)),
                    field("UpdateJobsRequest.changes.stdout", Bound.text(PATH)),
                    field("UpdateJobsRequest.changes.stderr", Bound.text(PATH)),
                    field("UpdateNodesRequest.names", Bound.text(HOSTS)),
                    field("UpdateNodesRequest.changes", Bound.list(USUAL_TEXT, 100)),
                    field("ChangePartitionRequest.settings", Bound.list(USUAL_TEXT, 100)),
                    field("ChangePartitionRequest.settings.nodes", Bound.text(HOSTS)),
                    field("ChangeReservationRequest.settings", Bound.list(USUAL_TEXT, 100)),
                    field("ChangeReservationRequest.settings.nodes", Bound.text(HOSTS)),
                    field("RunStep.argv", Bound.list(128 * KIB, 100_000).forPrograms()),
                    field("RunStep.multi", Bound.list(USUAL_TEXT, 100_000)),
                    field("MultiProgram.argv", Bound.list(128 * KIB, 100_000).forPrograms()),
                    field("RunStep.environment", Bound.list(4 * MIB, VARIABLES)),
                    field("RunStep.cwd", Bound.text(PATH)),
                    field("RunStep.std_out", Bound.text(PATH)),
                    field("RunStep.std_err", Bound.text(PATH)),
                    field("RunStep.std_in", Bound.text(PATH)),
                    field("RunStep.cpu_bind", Bound.text(16 * KIB)),
                    field("RecordQuery.ids", Bound.list(USUAL_TEXT, NAMED_THINGS)),
                    field("RecordQuery.nodes", Bound.list(HOSTS, NAMED_THINGS)),
                    field("ListEventsRequest.nodes", Bound.list(HOSTS, NAMED_THINGS)),
                    field("FixRunawaysRequest.db_indices", Bound.list(0, NAMED_THINGS)),
                    field("SignedLaunch.launch", Bound.text(8 * MIB)));

    /// Of the message without its blobs and what is cut.
    private static final Map<String, Integer> MESSAGES =
            Map.of("JobSpec", 128 * KIB, "CreateStepRequest", 128 * KIB, "RunStep", 2 * MIB);

    private RequestBounds() {}

    private static Map.Entry<String, Bound> field(String name, Bound bound) {
        return Map.entry("spur.v1." + name, bound);
    }

    /// Refuses a message that holds more than anybody needs, or what cannot be shown. The refusal
    /// names the field.
    public static void require(Message message) {
        var own = message.getDescriptorForType().getName();
        var size = size(message, own);
        for (var field : message.getAllFields().entrySet()) {
            size -= check(field.getKey(), field.getValue());
        }
        var most = MESSAGES.getOrDefault(own, USUAL_MESSAGE);
        if (size > most) {
            throw new SpurException(
                    ErrorCode.TEXT_TOO_LONG,
                    "the request (%s) has %d bytes, more than the %d that it may have. Put long lists and arguments into files"
                            .formatted(own, size, most));
        }
    }

    private static long size(Message message, String own) {
        return MESSAGES.containsKey(own) || message.getSerializedSize() > USUAL_MESSAGE
                ? message.getSerializedSize()
                : 0;
    }

    /// @return how many bytes of it are not counted for the whole
    private static long check(FieldDescriptor field, Object value) {
        var usual = field.getName().equals("request_id") ? REQUEST_ID : USUAL;
        var bound = FIELDS.getOrDefault(field.getFullName(), usual);
        if (field.isMapField()) {
            checkCount(field, bound, ((List<?>) value).size());
            ((List<?>) value).forEach(pair -> checkPair(field, (Message) pair));
            return 0;
        }
        if (field.isRepeated()) {
            var values = (List<?>) value;
            checkCount(field, bound, values.size());
            if (field.getJavaType() == FieldDescriptor.JavaType.STRING) {
                values.forEach(each -> checkText(field.getName(), bound, (String) each));
            } else if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
                values.forEach(each -> require((Message) each));
            }
            return 0;
        }
        return switch (value) {
            case String text -> {
                checkText(field.getName(), bound, text);
                yield field.getName().equals("submit_line") ? bytes(text) : 0;
            }
            case ByteString bytes -> {
                checkLength(
                        field.getName(),
                        FIELDS.containsKey(field.getFullName()) ? bound.bytes() : USUAL_BLOB,
                        bytes.size());
                if (field.getName().equals("environment")) {
                    checkCount(field, bound, variables(bytes));
                }
                yield bytes.size();
            }
            case Message message -> {
                require(message);
                yield message.getSerializedSize();
            }
            default -> 0;
        };
    }

    private static void checkPair(FieldDescriptor field, Message pair) {
        var type = field.getMessageType();
        var key = String.valueOf(pair.getField(type.findFieldByNumber(1)));
        checkText(field.getName(), USUAL, key);
        var bound =
                FIELDS.getOrDefault(
                        field.getFullName() + "." + key.toLowerCase(Locale.ROOT), USUAL);
        checkText(key, bound, String.valueOf(pair.getField(type.findFieldByNumber(2))));
    }

    private static void checkCount(FieldDescriptor field, Bound bound, int count) {
        if (count > bound.elements()) {
            throw new SpurException(
                    ErrorCode.TEXT_TOO_LONG,
                    "%s has %d elements, more than the %d that it may have"
                            .formatted(field.getName(), count, bound.elements()));
        }
    }

    private static void checkText(String name, Bound bound, String text) {
        // No character of UTF-16 takes more than three bytes.
        if (text.length() > bound.bytes() / 3) {
            checkLength(name, bound.bytes(), bytes(text));
        }
        for (var i = 0; i < text.length(); i++) {
            var c = text.charAt(i);
            if (c == 0 || bound.characters() == Characters.PRINTABLE && Character.isISOControl(c)) {
                throw new SpurException(
                        ErrorCode.INVALID_REQUEST,
                        "%s has a control character (U+%04X) at position %d. Leave it out"
                                .formatted(name, (int) c, i + 1));
            }
        }
    }

    private static void checkLength(String name, int most, int has) {
        if (has > most) {
            throw new SpurException(
                    ErrorCode.TEXT_TOO_LONG,
                    "%s has %d bytes, more than the %d that it may have"
                            .formatted(name, has, most));
        }
    }

    /// Each is ended by a NUL.
    private static int variables(ByteString block) {
        var count = 0;
        for (var at = block.iterator(); at.hasNext(); ) {
            if (at.nextByte() == 0) {
                count++;
            }
        }
        return count;
    }

    private static int bytes(String text) {
        var bytes = 0;
        for (var i = 0; i < text.length(); i++) {
            var c = text.charAt(i);
            // A pair of surrogates is four bytes, two for each.
            bytes += c < 0x80 ? 1 : c < 0x800 || Character.isSurrogate(c) ? 2 : 3;
        }
        return bytes;
    }
}
