package dev.spur.agent.registration;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class NodeWatchTest {
    private long descriptors = 10_000;
    private long space = 1L << 40;
    private boolean readable = true;

    private final NodeWatch watch =
            new NodeWatch(
                    () -> {
                        if (!readable) {
                            throw new IllegalStateException("Too many open files");
                        }
                        return new NodeLoad(150, 900, "");
                    },
                    () -> descriptors,
                    () -> space,
                    Path.of("/var/spool/spurd"));

    @Test
    void aNodeThatHasWhatJobsNeedHasNoFault() {
        assertThat(watch.get()).isEqualTo(new NodeLoad(150, 900, ""));
    }

    @Test
    void aNodeOutOfDescriptorsSaysSoUntilThereAreEnoughAgain() {
        descriptors = 63;
        assertThat(watch.get().fault()).startsWith("spurd is out of file descriptors");

        descriptors = 100;
        assertThat(watch.get().fault()).isNotEmpty();

        descriptors = 128;
        assertThat(watch.get().fault()).isEmpty();
    }

    @Test
    void aNodeWhoseSpoolIsFullSaysSo() {
        space = 15L << 20;

        assertThat(watch.get().fault()).isEqualTo("the disk of /var/spool/spurd is full");
    }

    @Test
    void aNodeThatCannotReadItsLoadStillTellsItsFault() {
        watch.get();
        readable = false;
        descriptors = 0;

        assertThat(watch.get().hundredths()).isEqualTo(150);
        assertThat(watch.get().fault()).isNotEmpty();
    }

    @Test
    void thisMachineIsMeasured() {
        var load = NodeWatch.ofThisMachine(Path.of("/tmp")).get();

        assertThat(load.freeMemoryMb()).isPositive();
    }
}
