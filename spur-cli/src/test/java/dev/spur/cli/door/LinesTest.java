package dev.spur.cli.door;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class LinesTest {
    private static final long EVE = 1004;
    private static final long ALICE = 1002;

    private final List<String> served = new ArrayList<>();

    @Test
    void whoComesOftenWaitsBehindHimselfOnly() throws Exception {
        var lines = new Lines(9, Duration.ofMinutes(1));
        for (var i = 0; i < 1_000; i++) {
            join(lines, EVE, "eve");
        }
        join(lines, ALICE, "alice");
        join(lines, ALICE, "alice");

        serve(lines, 5);

        assertThat(served).containsExactly("eve", "alice", "eve", "alice", "eve");
    }

    @Test
    void theNextWaitsForAPlace() throws Exception {
        var lines = new Lines(1, Duration.ofMinutes(1));
        join(lines, EVE, "eve");
        join(lines, ALICE, "alice");
        var first = lines.next().orElseThrow();
        var second = CompletableFuture.runAsync(() -> serve(lines, 1));

        first.serve();
        second.join();

        assertThat(served).containsExactly("eve", "alice");
    }

    @Test
    void whoKeepsHisPlaceKeepsNobodyOut() throws Exception {
        var lines = new Lines(1, Duration.ofMillis(1));
        join(lines, EVE, "eve");
        join(lines, ALICE, "alice");
        var kept = lines.next().orElseThrow();

        serve(lines, 1);

        assertThat(served).containsExactly("alice");
        kept.serve();
    }

    @Test
    void aTurnThatIsEndedTwiceFreesOnePlace() throws Exception {
        var lines = new Lines(1, Duration.ofMinutes(1));
        for (var i = 0; i < 3; i++) {
            join(lines, EVE, "eve");
        }
        var first = lines.next().orElseThrow();
        first.end();
        first.end();
        var second = lines.next().orElseThrow();
        var third = CompletableFuture.runAsync(() -> serve(lines, 1));

        assertThat(third).isNotDone();
        second.serve();
        assertThat(third).succeedsWithin(Duration.ofSeconds(30));
    }

    @Test
    void thoseWhoWaitAtTheCloseAreServedAndThenNobody() throws Exception {
        var lines = new Lines(1, Duration.ofMinutes(1));
        join(lines, EVE, "eve");
        join(lines, EVE, "eve");
        lines.close();

        serve(lines, 2);

        assertThat(served).hasSize(2);
        assertThat(lines.next()).isEmpty();
    }

    private void join(Lines lines, long uid, String name) {
        var _ = lines.join(uid, () -> served.add(name));
    }

    private static void serve(Lines lines, int count) {
        try {
            for (var i = 0; i < count; i++) {
                lines.next().orElseThrow().serve();
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
