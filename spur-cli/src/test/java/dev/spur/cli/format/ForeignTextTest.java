package dev.spur.cli.format;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.api.v1.ListJobsReply;
import dev.spur.api.v1.ListJobsRequest;
import dev.spur.api.v1.ListNodesReply;
import dev.spur.api.v1.ListNodesRequest;
import dev.spur.cli.Connector;
import dev.spur.cli.Tool;
import dev.spur.cli.scontrol.Scontrol;
import dev.spur.cli.sinfo.Sinfo;
import dev.spur.cli.squeue.Squeue;
import dev.spur.cli.testing.RecordedCluster;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.util.Arrays;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What somebody else wrote reaches a terminal as letters, whatever it is.
class ForeignTextTest {
    private static final String EVIL = "x\nJobId=999 UserId=root(0)\033[31m\033]0;pwn\007\u009b2J";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "squeue -h -o %j|%k|%Z|%o",
                "squeue -h -O Name:40,Comment,WorkDir",
                "scontrol show job 38",
                "scontrol -o show job 38",
                "scontrol show node node7",
                "sinfo -R -o %100E",
                "sinfo -N -o %N|%E"
            })
    void controlCharactersOfOthersBecomeQuestionMarks(String command) throws IOException {
        var words = command.split(" ");
        try (var cluster = new ClusterOfMallory()) {
            var call = cluster.call(words[0], Arrays.copyOfRange(words, 1, words.length));

            var output = cluster.run(tool(words[0]), call);

            assertThat(output).contains("x?JobId=999").doesNotContain("\033", "\u009b", "\007");
            assertThat(output.lines()).noneMatch(line -> line.startsWith("JobId=999"));
        }
    }

    @Test
    void otherTextIsLeftAsItIs() {
        assertThat(Printable.of("größer – 訓練 😀")).isEqualTo("größer – 訓練 😀");
    }

    private static Function<Connector, Tool> tool(String name) {
        return switch (name) {
            case "squeue" -> Squeue::new;
            case "sinfo" -> Sinfo::new;
            default -> Scontrol::new;
        };
    }

    private static final class ClusterOfMallory extends RecordedCluster {
        ClusterOfMallory() throws IOException {}

        @Override
        public void listJobs(ListJobsRequest request, StreamObserver<ListJobsReply> reply) {
            super.listJobs(request, changed(reply, ClusterOfMallory::worse));
        }

        @Override
        public void listNodes(ListNodesRequest request, StreamObserver<ListNodesReply> reply) {
            super.listNodes(request, changed(reply, ClusterOfMallory::worse));
        }

        private static ListJobsReply worse(ListJobsReply reply) {
            var changed = reply.toBuilder();
            changed.getJobsBuilderList()
                    .forEach(job -> job.setName(EVIL).setComment(EVIL).setCommand(EVIL));
            return changed.build();
        }

        private static ListNodesReply worse(ListNodesReply reply) {
            var changed = reply.toBuilder();
            changed.getNodesBuilderList().forEach(node -> node.setReason(EVIL));
            return changed.build();
        }

        private static <R> StreamObserver<R> changed(StreamObserver<R> to, UnaryOperator<R> how) {
            return new StreamObserver<>() {
                @Override
                public void onNext(R value) {
                    to.onNext(how.apply(value));
                }

                @Override
                public void onError(Throwable e) {
                    to.onError(e);
                }

                @Override
                public void onCompleted() {
                    to.onCompleted();
                }
            };
        }
    }
}
