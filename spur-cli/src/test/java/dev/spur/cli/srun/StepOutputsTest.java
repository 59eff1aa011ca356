package dev.spur.cli.srun;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.spur.api.v1.IoData;
import dev.spur.cli.OfAnEarlierDoor;
import dev.spur.cli.RememberingInvocation;
import dev.spur.cli.submission.Remembered;
import dev.spur.model.notation.FileNamePattern;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class StepOutputsTest {
    private final OfAnEarlierDoor memory = new OfAnEarlierDoor();
    private final RememberingInvocation in =
            RememberingInvocation.of("srun", "-n2", "--label", "hostname").memory(memory);

    @Test
    void whatTheCallerGetsIsRememberedWhicheverNodePassesItOn() throws Exception {
        withOutputs(outputs -> {
            outputs.accept(StepOutputs.OUTPUT, line(0, "of the first node\n"));
            outputs.accept(StepOutputs.OUTPUT, line(1, "of the second\n"));
            outputs.flush(); // the second node's thread comes first
        });

        assertThat(in.printed()).isEqualTo("0: of the first node\n1: of the second\n");
        assertThat(rememberedOffset(0)).isEqualTo("of the first node\n".length());
        assertThat(rememberedOffset(1)).isEqualTo("of the second\n".length());
    }

    @Test
    void nothingReachesTheCallerBeforeItCanBeRemembered() throws Exception {
        withOutputs(outputs -> {
            outputs.accept(StepOutputs.OUTPUT, line(0, "x".repeat(100_000) + "\n"));

            assertThat(in.printed()).isEmpty();
        });
    }

    @FunctionalInterface
    private interface Work {
        void accept(StepOutputs outputs) throws Exception;
    }

    private void withOutputs(Work work) throws Exception {
        SrunOptions.TABLE.run(
                in,
                arguments -> {
                    var values =
                            new FileNamePattern.Values(
                                    7, null, 0, "node1", 0, 0, "alice", "hostname", 0);
                    try (var streams = StandardStreams.of(in, arguments, 2, _ -> values)) {
                        work.accept(new StepOutputs(streams, memory, arguments, 2));
                    }
                    return 0;
                });
    }

    private static IoData line(int task, String text) {
        return IoData.newBuilder().setTask(task).setData(ByteString.copyFromUtf8(text)).build();
    }

    private long rememberedOffset(int rank) {
        return ByteBuffer.wrap(
                        memory.recall(Remembered.output(rank, StepOutputs.OUTPUT)).orElseThrow())
                .getLong();
    }
}
