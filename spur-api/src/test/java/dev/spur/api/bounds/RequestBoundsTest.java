package dev.spur.api.bounds;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Message;
import dev.spur.api.v1.JobSpec;
import dev.spur.api.v1.ResourceRequest;
import dev.spur.api.v1.RunStep;
import dev.spur.api.v1.SubmitJobRequest;
import dev.spur.api.v1.UpdateJobsRequest;
import dev.spur.model.ErrorCode;
import dev.spur.model.SpurException;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequestBoundsTest {
    private static final int MIB = 1 << 20;

    /// Kept for the user's own programs, never shown to others.
    private static final Set<String> FOR_PROGRAMS =
            Set.of("script_args", "export_env", "submit_line", "argv");

    @ParameterizedTest
    @MethodSource("texts")
    void noTextOfAnyRequestMayBeEndlessOrHoldNul(FieldDescriptor field) {
        assertThatThrownBy(() -> RequestBounds.require(with(field, "x".repeat(9 * MIB))))
                .isInstanceOf(SpurException.class)
                .hasMessageContaining(field.getName())
                .extracting(e -> ((SpurException) e).code())
                .isEqualTo(ErrorCode.TEXT_TOO_LONG);
        assertThatThrownBy(() -> RequestBounds.require(with(field, "a\0b")))
                .hasMessageContaining(field.getName())
                .hasMessageContaining("U+0000");
    }

    @ParameterizedTest
    @MethodSource("texts")
    void whatOthersSeeHasNoControlCharacters(FieldDescriptor field) {
        for (var evil : new String[] {"a\nb", "a\033[31mb", "a\tb", "a\u009b31mb", "a\177b"}) {
            if (FOR_PROGRAMS.contains(field.getName())) {
                assertThatCode(() -> RequestBounds.require(with(field, evil)))
                        .doesNotThrowAnyException();
            } else {
                assertThatThrownBy(() -> RequestBounds.require(with(field, evil)))
                        .as("%s in %s", evil, field)
                        .hasMessageContaining(field.getName());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("lists")
    void noListOfAnyRequestMayBeEndless(FieldDescriptor field) {
        var builder = builder(field);
        var element =
                field.getJavaType() == FieldDescriptor.JavaType.MESSAGE
                        ? builder.newBuilderForField(field).build()
                        : "x";
        for (var i = 0; i < 100_001; i++) {
            builder.addRepeatedField(field, element);
        }

        assertThatThrownBy(() -> RequestBounds.require(builder.build()))
                .hasMessageContaining(field.getName())
                .hasMessageContaining("elements");
    }

    @Test
    void aTextMayHaveExactlyItsBound() {
        RequestBounds.require(JobSpec.newBuilder().setComment("c".repeat(1024)).build());

        var more = JobSpec.newBuilder().setComment("c".repeat(1025)).build();
        assertThatThrownBy(() -> RequestBounds.require(more))
                .hasMessage("comment has 1025 bytes, more than the 1024 that it may have");
    }

    @Test
    void bytesAreCountedAsUtf8() {
        RequestBounds.require(JobSpec.newBuilder().setName("ä".repeat(512)).build());
        RequestBounds.require(JobSpec.newBuilder().setName("😀".repeat(256)).build());

        var more = JobSpec.newBuilder().setName("ä".repeat(513)).build();
        assertThatThrownBy(() -> RequestBounds.require(more)).hasMessageContaining("1026 bytes");
    }

    @Test
    void manyTextsThatAreShortEnoughAreStillTooMuchTogether() {
        var spec =
                JobSpec.newBuilder()
                        .addAllScriptArgs(Collections.nCopies(200, "x".repeat(1000)))
                        .build();
        var request = SubmitJobRequest.newBuilder().setSpec(spec).build();

        assertThatThrownBy(() -> RequestBounds.require(request))
                .hasMessageContaining("JobSpec")
                .hasMessageContaining("131072");
    }

    @Test
    void whatAnHonestUserSendsIsFine() {
        var spec =
                JobSpec.newBuilder()
                        .setName("train")
                        .setComment("größer als gestern – 訓練")
                        .addAllScriptArgs(Collections.nCopies(5_000, "file-1234.dat"))
                        .addScriptArgs("one line\nanother\twith tab")
                        .setSubmitLine("sbatch --wrap 'line\nline'")
                        .addComponents(ResourceRequest.newBuilder().setNodeList("gpu[001-999]"));
        var script = ByteString.copyFromUtf8("x".repeat(4 * MIB));
        var request =
                SubmitJobRequest.newBuilder()
                        .setRequestId("5d5a2a52-7d2b-4e76-8a8a-5b8b2a5d1c55")
                        .setSpec(spec)
                        .setScript(script)
                        .setEnvironment(script)
                        .build();

        assertThatCode(() -> RequestBounds.require(request)).doesNotThrowAnyException();
    }

    @Test
    void aScriptHasSlurmsFourMebibytes() {
        var script = ByteString.copyFrom(new byte[4 * MIB + 1]);
        var request = SubmitJobRequest.newBuilder().setScript(script).build();

        assertThatThrownBy(() -> RequestBounds.require(request))
                .hasMessage("script has 4194305 bytes, more than the 4194304 that it may have");
    }

    /// Each costs a node far more than its bytes.
    @Test
    void anEnvironmentHasNoMoreVariablesThanANodeCanTake() {
        var most = ByteString.copyFromUtf8("A=\0".repeat(10_000));
        var more = most.concat(ByteString.copyFrom(new byte[1]));
        var job = SubmitJobRequest.newBuilder();
        var step = RunStep.newBuilder();

        assertThatCode(() -> RequestBounds.require(job.setEnvironment(most).build()))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> RequestBounds.require(job.setEnvironment(more).build()))
                .hasMessage("environment has 10001 elements, more than the 10000 that it may have");
        assertThatThrownBy(() -> RequestBounds.require(step.setEnvironment(more).build()))
                .hasMessage("environment has 10001 elements, more than the 10000 that it may have");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Comment", "AdminComment", "JobName", "Features", "StdErr", "Unheard"})
    void anUpdateIsBoundedAsTheJobIs(String key) {
        var update = UpdateJobsRequest.newBuilder().addIds("1");

        var large = update.clone().putChanges(key, "x".repeat(5000)).build();
        var evil = update.clone().putChanges(key, "a\nb").build();

        assertThatThrownBy(() -> RequestBounds.require(large)).hasMessageContaining(key);
        assertThatThrownBy(() -> RequestBounds.require(evil)).hasMessageContaining(key);
    }

    @Test
    void anUpdateMayNameAsManyNodesAsASubmission() {
        var nodes = "node1,".repeat(5_000);
        var update = UpdateJobsRequest.newBuilder().putChanges("NodeList", nodes).build();

        assertThatCode(() -> RequestBounds.require(update)).doesNotThrowAnyException();
    }

    private static Message.Builder builder(FieldDescriptor field) {
        return DynamicMessage.newBuilder(field.getContainingType());
    }

    private static Message with(FieldDescriptor field, String text) {
        var builder = builder(field);
        if (field.isRepeated()) {
            builder.addRepeatedField(field, text);
        } else {
            builder.setField(field, text);
        }
        return builder.build();
    }

    static Stream<FieldDescriptor> texts() {
        return fields().filter(field -> field.getJavaType() == FieldDescriptor.JavaType.STRING);
    }

    static Stream<FieldDescriptor> lists() {
        return fields().filter(FieldDescriptor::isRepeated)
                .filter(field -> !field.isMapField())
                .filter(field ->
                        field.getJavaType() == FieldDescriptor.JavaType.STRING
                                || field.getJavaType() == FieldDescriptor.JavaType.MESSAGE);
    }

    /// Of all that a client can send, whatever is added to it.
    private static Stream<FieldDescriptor> fields() {
        var types = new LinkedHashSet<Descriptor>();
        for (var service : SubmitJobRequest.getDescriptor().getFile().getServices()) {
            service.getMethods().forEach(method -> addWithParts(method.getInputType(), types));
        }
        addWithParts(RunStep.getDescriptor(), types);
        return types.stream().flatMap(type -> type.getFields().stream());
    }

    private static void addWithParts(Descriptor type, Set<Descriptor> types) {
        if (!type.getOptions().getMapEntry() && types.add(type)) {
            type.getFields().stream()
                    .filter(field -> field.getJavaType() == FieldDescriptor.JavaType.MESSAGE)
                    .forEach(field -> addWithParts(field.getMessageType(), types));
        }
    }
}
