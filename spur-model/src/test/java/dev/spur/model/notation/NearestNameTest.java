package dev.spur.model.notation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NearestNameTest {
    private static final List<String> KNOWN =
            List.of(
                    "scheduler.interval",
                    "scheduler.max_jobs",
                    "partition",
                    "nodes",
                    "ntasks-per-node");

    @ParameterizedTest
    @CsvSource({
        "scheduler.intervall, scheduler.interval",
        "shceduler.interval, scheduler.interval",
        "Partiton, partition",
        "ntasks_per_node, ntasks-per-node",
        "node, nodes",
        "scheduler.max, scheduler.max_jobs",
    })
    void slipOfTheFingerFindsTheNameThatWasMeant(String written, String meant) {
        assertThat(NearestName.suggest(written, KNOWN)).hasValue(meant);
    }

    @Test
    void somethingElseEntirelyFindsNothing() {
        assertThat(NearestName.suggest("colour", KNOWN)).isEmpty();
        assertThat(NearestName.suggest("", List.of())).isEmpty();
    }
}
