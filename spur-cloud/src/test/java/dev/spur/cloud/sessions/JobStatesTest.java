package dev.spur.cloud.sessions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.api.v1.Job;
import dev.spur.model.JobState;
import java.time.Instant;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// D10: some of the cluster's states were never reflected.
class JobStatesTest {
    private static Job.Builder job(String state, String base) {
        return Job.newBuilder()
                .setJobId(7)
                .setName("session-k")
                .setState(state)
                .setBaseState(base)
                .setReason("None")
                .setNodeList("node1")
                .setStartMicros(1_000_000)
                .setEndMicros(2_000_000);
    }

    @ParameterizedTest
    @CsvSource({
        "PENDING,PENDING,0,PENDING",
        "CONFIGURING,RUNNING,0,RUNNING",
        "REQUEUED,PENDING,0,PENDING",
        "REQUEUE_HOLD,PENDING,0,PENDING",
        "SPECIAL_EXIT,PENDING,0,PENDING",
        "RUNNING,RUNNING,0,RUNNING",
        "SUSPENDED,SUSPENDED,0,SUSPENDED",
        "COMPLETING,COMPLETED,0,STOPPING",
        "COMPLETED,COMPLETED,0,COMPLETED",
        "COMPLETED,COMPLETED,3,FAILED",
        "COMPLETED,COMPLETED,143,CANCELLED",
        "FAILED,FAILED,1,FAILED",
        "FAILED,FAILED,130,CANCELLED",
        "FAILED,FAILED,137,CANCELLED",
        "CANCELLED,CANCELLED,0,CANCELLED",
        "TIMEOUT,TIMEOUT,0,COMPLETED",
        "NODE_FAIL,NODE_FAIL,0,FAILED",
        "BOOT_FAIL,BOOT_FAIL,0,FAILED",
        "PREEMPTED,PREEMPTED,0,FAILED",
        "OUT_OF_MEMORY,OUT_OF_MEMORY,0,FAILED",
        "DEADLINE,DEADLINE,0,FAILED"
    })
    void everyStateOfAJobIsOneOfASession(
            String state, String base, int exit, SessionState expected) {
        var meaning = JobStates.meaning(job(state, base).setExitCode(exit).build());

        assertThat(meaning.state()).isEqualTo(expected);
        if (expected == SessionState.FAILED) {
            assertThat(meaning.message()).isNotBlank();
            assertThat(meaning.reason()).isNotBlank();
        }
    }

    @Test
    void noBaseStateIsForgotten() {
        Arrays.stream(JobState.values())
                .filter(JobState::isBase)
                .forEach(state ->
                        assertThat(
                                        JobStates.meaning(job(state.name(), state.name()).build())
                                                .message())
                                .as(state.name())
                                .satisfiesAnyOf(
                                        message -> assertThat(message).isNull(),
                                        message ->
                                                assertThat(message)
                                                        .doesNotContain("does not know")));
    }

    @Test
    void timesAreTheClusters() {
        var running = JobStates.observed(job("RUNNING", "RUNNING").setRestarts(2).build());
        assertThat(running.startedAt()).isEqualTo(Instant.ofEpochSecond(1));
        assertThat(running.endsAt()).isEqualTo(Instant.ofEpochSecond(2));
        assertThat(running.endedAt()).isNull();
        assertThat(running.attempt()).isEqualTo(3);
        assertThat(running.key()).isEqualTo("k");

        var ended = JobStates.observed(job("COMPLETED", "COMPLETED").build());
        assertThat(ended.endedAt()).isEqualTo(Instant.ofEpochSecond(2));
        assertThat(ended.endsAt()).isNull();

        var waiting = JobStates.observed(job("PENDING", "PENDING").clearNodeList().build());
        assertThat(waiting.startedAt()).isNull();
        assertThat(waiting.expectedStart()).isEqualTo(Instant.ofEpochSecond(1));
    }
}
