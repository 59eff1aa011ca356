package dev.spur.controller.access;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.api.client.CallerHeaders;
import dev.spur.controller.raft.BusyException;
import dev.spur.controller.raft.NotLeaderException;
import dev.spur.controller.raft.UnknownOutcomeException;
import dev.spur.model.ErrorCode;
import dev.spur.model.SpurException;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FailuresTest {
    @ParameterizedTest
    @EnumSource(ErrorCode.class)
    void everyCodeReachesTheClientWithItsNameNumberAndWords(ErrorCode code) {
        var status = Failures.toStatus(new SpurException(code, "because"));

        assertThat(code(status)).isEqualTo(code.name());
        assertThat(requireNonNull(status.getTrailers()).get(CallerHeaders.ERRNO))
                .isEqualTo(Integer.toString(code.slurmErrno()));
        assertThat(status.getStatus().getCode().name()).isEqualTo(code.grpcStatus());
        assertThat(status.getStatus().getDescription()).isEqualTo("because");
    }

    @Test
    void anUnknownOutcomeIsAnAnswerOfItsOwnAndNoFault() {
        var status = Failures.toStatus(new UnknownOutcomeException("the log is slow", null));

        assertThat(code(status)).isEqualTo("OUTCOME_UNKNOWN");
        assertThat(status.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
        assertThat(status).hasMessageContaining("the log is slow; it may or may not have happened");
    }

    @Test
    void busyIsAnAnswerOfItsOwn() {
        var status = Failures.toStatus(new BusyException());

        assertThat(code(status)).isEqualTo("BUSY");
        assertThat(status.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
    }

    @Test
    void aFollowerNamesItsLeader() {
        var status = Failures.toStatus(new NotLeaderException("ctl2:6817"));

        assertThat(code(status)).isEqualTo("NOT_LEADER");
        assertThat(requireNonNull(status.getTrailers()).get(CallerHeaders.LEADER))
                .isEqualTo("ctl2:6817");
    }

    @Test
    void aFaultTellsTheUserNothingOfItsInside() {
        var status = Failures.toStatus(new IllegalStateException("/var/spool/spur/keys"));

        assertThat(code(status)).isEqualTo("INTERNAL");
        assertThat(status).hasMessageNotContaining("/var/spool");
    }

    private static String code(StatusRuntimeException status) {
        return requireNonNull(requireNonNull(status.getTrailers()).get(CallerHeaders.ERROR_CODE));
    }
}
