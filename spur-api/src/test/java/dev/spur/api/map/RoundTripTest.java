package dev.spur.api.map;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import dev.spur.api.v1.GresAllocation;
import dev.spur.api.v1.JobSpec;
import dev.spur.api.v1.NodeAllocation;
import dev.spur.api.v1.Register;
import dev.spur.api.v1.ResourceRequest;
import dev.spur.api.v1.TimeLimit;
import dev.spur.model.GresShare;
import dev.spur.model.IndexSet;
import dev.spur.model.NodeShare;
import dev.spur.model.Owner;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Every field has a value of its own, made from its description: one that a mapper does not know
/// comes back empty.
class RoundTripTest {
    private static final Set<String> MEMORY =
            Set.of("mem_per_node_mb", "mem_per_cpu_mb", "mem_per_gpu_mb");

    @ParameterizedTest
    @ValueSource(strings = {"mem_per_node_mb", "mem_per_cpu_mb", "mem_per_gpu_mb"})
    void noFieldOfAResourceRequestGetsLost(String memory) {
        var wire = filled(ResourceRequest.newBuilder(), memory).build();

        assertThat(ResourceRequestMapper.toWire(ResourceRequestMapper.toModel(wire, true)))
                .isEqualTo(wire);
        assertThat(ResourceRequestMapper.toModel(wire, true).overcommit()).isTrue();
    }

    @Test
    void noFieldOfAJobGetsLost() {
        var filled = filled(JobSpec.newBuilder(), "").clearComponents();
        // A session has the name of its owner, whoever that is.
        filled.getSessionBuilder().setUnixName(filled.getUserName());
        var wire = filled.build();
        var owner =
                new Owner(wire.getUid(), wire.getGid(), wire.getUserName(), wire.getGroupsList());
        var asked = wire.toBuilder().addComponents(ResourceRequest.getDefaultInstance()).build();

        assertThat(JobSpecMapper.toWire(JobSpecMapper.toModel(asked, owner))).isEqualTo(wire);
    }

    /// All set at once, two that were mistaken for each other would look right.
    @Test
    void noYesOrNoOfAJobIsTakenForAnother() {
        var owner = new Owner(0, 0, "", List.of());
        for (var field : yesOrNo(JobSpec.getDescriptor())) {
            var wire =
                    JobSpec.newBuilder()
                            .setField(field, true)
                            .addComponents(ResourceRequest.getDefaultInstance())
                            .build();

            var back = JobSpecMapper.toWire(JobSpecMapper.toModel(wire, owner));

            assertThat(
                            yesOrNo(JobSpec.getDescriptor()).stream()
                                    .filter(each -> (Boolean) back.getField(each)))
                    .containsExactly(field);
        }
        for (var field : yesOrNo(ResourceRequest.getDescriptor())) {
            var wire = ResourceRequest.newBuilder().setField(field, true).build();

            var back = ResourceRequestMapper.toWire(ResourceRequestMapper.toModel(wire, false));

            assertThat(back).isEqualTo(wire);
        }
    }

    /// `node` and what runs there are told beside the report.
    @Test
    void everyFieldOfARegistrationReachesTheReport() {
        var beside = Set.of("node", "jobs", "highest_epoch");
        var empty = NodeReportMapper.toModel(Register.getDefaultInstance());
        var all = filled(Register.newBuilder(), "");
        for (var field : Register.getDescriptor().getFields()) {
            var one = Register.newBuilder().setField(field, all.getField(field)).build();

            assertThat(NodeReportMapper.toModel(one).equals(empty))
                    .as(field.getName())
                    .isEqualTo(beside.contains(field.getName()));
        }
    }

    @Test
    void aShareOfANodeIsToldWithEveryCpuAndDevice() {
        var share =
                new NodeShare(
                        "node7",
                        IndexSet.of(0, 1, 2, 8),
                        4_000,
                        List.of(new GresShare("gpu", "mi300", 2, IndexSet.of(1, 5))));

        var wire = NodeShareMapper.toWire(share, 3, "node7:6818");

        assertThat(wire)
                .isEqualTo(
                        NodeAllocation.newBuilder()
                                .setNode("node7")
                                .setCpus(4)
                                .setCpuIds("0-2,8")
                                .setMemMb(4_000)
                                .setTasks(3)
                                .setAddress("node7:6818")
                                .addGres(
                                        GresAllocation.newBuilder()
                                                .setName("gpu")
                                                .setType("mi300")
                                                .addIndices(1)
                                                .addIndices(5))
                                .build());
    }

    @Test
    void instantsComeBackToTheMicrosecondAndNoneStaysNone() {
        var moment = Instant.parse("2026-11-15T12:00:00.123456Z");
        var longAgo = Instant.parse("1901-01-01T00:00:00.000001Z");

        assertThat(InstantMapper.ofMicros(InstantMapper.toMicros(moment))).isEqualTo(moment);
        assertThat(InstantMapper.ofMicros(InstantMapper.toMicros(longAgo))).isEqualTo(longAgo);
        assertThat(InstantMapper.ofMicros(InstantMapper.toMicros(null))).isNull();
    }

    @Test
    void anEmptyJobStaysEmpty() {
        var owner = new Owner(0, 0, "", List.of());
        var wire = JobSpecMapper.toWire(JobSpecMapper.toModel(JobSpec.getDefaultInstance(), owner));

        assertThat(wire.hasPriority()).isFalse();
        assertThat(wire.hasRequeue()).isFalse();
        assertThat(TimeLimitMapper.toModel(wire.getTimeLimit())).isNull();
    }

    @Test
    void limitsComeBackAsTheyWere() {
        for (var limit :
                List.of(
                        TimeLimit.getDefaultInstance(),
                        TimeLimit.newBuilder().setMinutes(90).build(),
                        TimeLimit.newBuilder().setUnlimited(true).build())) {
            assertThat(TimeLimitMapper.toWire(TimeLimitMapper.toModel(limit))).isEqualTo(limit);
        }
    }

    private static List<FieldDescriptor> yesOrNo(Descriptor message) {
        return message.getFields().stream()
                .filter(field -> field.getJavaType() == FieldDescriptor.JavaType.BOOLEAN)
                .toList();
    }

    private static <B extends Message.Builder> B filled(B builder, String memory) {
        for (var field : builder.getDescriptorForType().getFields()) {
            if (MEMORY.contains(field.getName()) && !field.getName().equals(memory)) {
                continue;
            }
            var oneof = field.getRealContainingOneof();
            if (oneof != null && builder.hasOneof(oneof)) {
                continue;
            }
            if (field.isRepeated()) {
                builder.addRepeatedField(field, value(builder, field, 1));
                builder.addRepeatedField(field, value(builder, field, 2));
            } else {
                builder.setField(field, value(builder, field, 0));
            }
        }
        return builder;
    }

    private static Object value(Message.Builder of, FieldDescriptor field, int salt) {
        var number = field.getNumber() * 10 + salt + 1;
        return switch (field.getJavaType()) {
            case STRING -> field.getName() + "-" + number;
            case INT -> number;
            case LONG -> (long) number;
            case BOOLEAN -> true;
            case ENUM -> last(field.getEnumType());
            case MESSAGE -> filled(of.newBuilderForField(field), "mem_per_cpu_mb").build();
            case FLOAT, DOUBLE, BYTE_STRING ->
                    throw new IllegalArgumentException(
                            "no field has been a " + field.getJavaType());
        };
    }

    private static Object last(EnumDescriptor type) {
        return type.getValues().getLast();
    }
}
