package dev.spur.cli.submission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.api.client.CallerHeaders;
import dev.spur.api.client.ControllerException;
import dev.spur.model.ErrorCode;
import io.grpc.Metadata;
import io.grpc.Status;
import org.junit.jupiter.api.Test;

class RefusedTest {
    @Test
    void wordsThatSayOnlyThatSomethingIsWrongAreFollowedByWhatItIs() {
        var refusal =
                refusal(ErrorCode.DISK_FULL, "the controller's disk is full: try again later");

        assertThat(Refused.text(refusal))
                .isEqualTo(
                        "No space left on device: the controller's disk is full: try again later");
    }

    @Test
    void wordsThatScriptsMatchOnStandAlone() {
        var refusal = refusal(ErrorCode.INVALID_PARTITION, "there is no partition gpu");

        assertThat(Refused.text(refusal)).isEqualTo("Invalid partition name specified");
    }

    private static ControllerException refusal(ErrorCode code, String message) {
        var trailers = new Metadata();
        trailers.put(CallerHeaders.ERROR_CODE, code.name());
        return ControllerException.of(
                Status.FAILED_PRECONDITION.withDescription(message).asRuntimeException(trailers));
    }
}
