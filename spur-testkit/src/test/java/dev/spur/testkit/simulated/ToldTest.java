package dev.spur.testkit.simulated;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.api.v1.CreateStepReply;
import dev.spur.api.v1.CreatedStep;
import dev.spur.model.ErrorCode;
import io.grpc.Status;
import org.junit.jupiter.api.Test;

class ToldTest {
    private static final Told BUSY =
            Told.of(CreateStepReply.newBuilder().setBusy("job 19 is suspended").build());
    private static final Told WAITS = refused(ErrorCode.JOB_PENDING.text());

    @Test
    void aStepThatFoundNoRoomMayBeRefusedWhenItsJobWaitsToRunAgain() {
        assertThat(BUSY.agreesWith(WAITS)).isTrue();
        assertThat(WAITS.agreesWith(BUSY)).isTrue();
    }

    @Test
    void aStepThatFoundNoRoomMayBeMadeLater() {
        assertThat(BUSY.agreesWith(created(0))).isTrue();
    }

    @Test
    void aStepThatWasMadeMayHaveEndedButIsNeitherAnotherNorRefused() {
        assertThat(created(0).agreesWith(created(0))).isTrue();
        assertThat(created(0).agreesWith(refused("step 19.0 has ended already"))).isTrue();
        assertThat(created(0).agreesWith(created(1))).isFalse();
        assertThat(created(0).agreesWith(WAITS)).isFalse();
    }

    private static Told created(int step) {
        var created = CreatedStep.newBuilder().setJobId(19).setStepId(step);
        return Told.of(CreateStepReply.newBuilder().setCreated(created).build());
    }

    private static Told refused(String why) {
        return Told.of(Status.FAILED_PRECONDITION.withDescription(why).asRuntimeException());
    }
}
