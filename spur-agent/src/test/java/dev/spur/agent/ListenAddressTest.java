package dev.spur.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.runtime.process.Flags;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class ListenAddressTest {
    private static String listens(Map<String, String> environment, String... arguments) {
        return new Spurd(environment).listen(Flags.parse(Spurd.FLAGS, arguments), 6818).toString();
    }

    @Test
    void onlyThisHostReachesANodeOfWhichNothingElseWasSaid() {
        assertThat(listens(Map.of())).isEqualTo("127.0.0.1:6818");
    }

    @Test
    void othersReachANodeThatHasAnAddress() {
        assertThat(listens(Map.of(), "--address", "gpu001")).isEqualTo("[::]:6818");
        assertThat(listens(Map.of("SPUR_NODE_ADDRESS", "gpu001"))).isEqualTo("[::]:6818");
    }

    @Test
    void portIsTheConfiguredOneUnlessSaid() {
        var flags = Flags.parse(Spurd.FLAGS, "--address", "gpu001");

        assertThat(new Spurd(Map.of()).listen(flags, 7818)).hasToString("[::]:7818");
    }

    @Test
    void whatToListenOnCanBeSaid() {
        assertThat(listens(Map.of(), "--listen", "10.0.0.7:7000")).isEqualTo("10.0.0.7:7000");
    }
}
