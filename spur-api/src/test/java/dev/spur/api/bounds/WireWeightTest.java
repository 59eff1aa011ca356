package dev.spur.api.bounds;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import dev.spur.api.v1.JobSpec;
import dev.spur.api.v1.ResourceRequest;
import dev.spur.api.v1.SubmitJobRequest;
import dev.spur.model.ErrorCode;
import dev.spur.model.SpurException;
import java.util.Arrays;
import java.util.Collections;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class WireWeightTest {
    @Test
    void whatARequestMayHoldIsLight() {
        var spec =
                JobSpec.newBuilder()
                        .addComponents(ResourceRequest.newBuilder().setNodeList("node[1-4]"))
                        .addAllScriptArgs(Collections.nCopies(10_000, "x"))
                        .addAllGroups(IntStream.range(0, 65_536).boxed().toList());
        var request =
                SubmitJobRequest.newBuilder()
                        .setSpec(spec)
                        .setScript(ByteString.copyFrom(new byte[4 << 20]))
                        .setEnvironment(ByteString.copyFrom(new byte[4 << 20]))
                        .build();

        assertThatCode(() -> weigh(request.toByteArray())).doesNotThrowAnyException();
    }

    @Test
    void emptyObjectsWeigh() {
        var spec =
                JobSpec.newBuilder()
                        .addAllComponents(
                                Collections.nCopies(500_000, ResourceRequest.getDefaultInstance()));

        assertTooHeavy(SubmitJobRequest.newBuilder().setSpec(spec).build().toByteArray());
    }

    @Test
    void emptyTextsWeigh() {
        var spec = JobSpec.newBuilder().addAllScriptArgs(Collections.nCopies(1_000_000, ""));

        assertTooHeavy(SubmitJobRequest.newBuilder().setSpec(spec).build().toByteArray());
    }

    @Test
    void packedNumbersWeigh() {
        var spec = JobSpec.newBuilder().addAllGroups(Collections.nCopies(4_000_000, 1));

        assertTooHeavy(SubmitJobRequest.newBuilder().setSpec(spec).build().toByteArray());
    }

    @Test
    void fieldsThatNobodyKnowsWeigh() {
        var many = UnknownFieldSet.Field.newBuilder();
        for (var i = 0; i < 1_000_000; i++) {
            many.addVarint(i);
        }
        var unknown = UnknownFieldSet.newBuilder().addField(1000, many.build()).build();

        assertTooHeavy(unknown.toByteArray());
    }

    @Test
    void groupsAreRefused() {
        var group =
                UnknownFieldSet.newBuilder()
                        .addField(
                                1000,
                                UnknownFieldSet.Field.newBuilder()
                                        .addGroup(UnknownFieldSet.getDefaultInstance())
                                        .build())
                        .build();

        assertUnreadable(group.toByteArray());
    }

    @Test
    void whatIsCutOffIsRefused() {
        var whole =
                SubmitJobRequest.newBuilder()
                        .setScript(ByteString.copyFromUtf8("#!/bin/sh"))
                        .build()
                        .toByteArray();

        assertUnreadable(Arrays.copyOf(whole, whole.length - 1));
    }

    private static void assertTooHeavy(byte[] message) {
        assertThatThrownBy(() -> weigh(message))
                .isInstanceOf(SpurException.class)
                .extracting(e -> ((SpurException) e).code())
                .isEqualTo(ErrorCode.TEXT_TOO_LONG);
    }

    private static void assertUnreadable(byte[] message) {
        assertThatThrownBy(() -> weigh(message))
                .isInstanceOf(SpurException.class)
                .extracting(e -> ((SpurException) e).code())
                .isEqualTo(ErrorCode.INVALID_REQUEST);
    }

    private static void weigh(byte[] message) {
        WireWeight.require(SubmitJobRequest.getDescriptor(), message);
    }
}
