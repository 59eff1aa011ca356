package dev.spur.engine.layout;

import static dev.spur.model.fixture.JobFixture.job;
import static dev.spur.model.fixture.NodeFixture.node;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.engine.fixture.Heart;
import dev.spur.model.IndexSet;
import dev.spur.model.fixture.JobFixture;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class TaskLayoutTest {
    @Test
    void blockKeepsNeighboursTogetherAndGivesNodesEquallyMany() {
        assertThat(layout(4, "block", 2, 2, 2)).containsExactly("0-1", "2", "3");
        assertThat(layout(7, "", 8, 8, 8)).containsExactly("0-2", "3-4", "5-6");
    }

    @Test
    void blockGivesMoreToNodesThatHaveMoreRoom() {
        assertThat(layout(8, "block", 6, 1, 1)).containsExactly("0-5", "6", "7");
        assertThat(layout(5, "block", 6, 1, 1)).containsExactly("0-2", "3", "4");
    }

    @Test
    void cyclicDealsOutInTurn() {
        assertThat(layout(5, "cyclic", 4, 4)).containsExactly("0,2,4", "1,3");
    }

    @Test
    void cyclicSkipsNodesThatAreFull() {
        assertThat(layout(5, "cyclic:block", 1, 4)).containsExactly("0", "1-4");
    }

    @Test
    void planeDealsOutBlocksInTurn() {
        assertThat(layout(8, "plane=2", 8, 8)).containsExactly("0-1,4-5", "2-3,6-7");
    }

    @Test
    void theTasksOfAJobGoWhereItsCpusAre() {
        assertThat(ofJob(job().nodes(2).tasks(8))).containsExactly(7, 1);
        assertThat(ofJob(job().nodes(2, 4))).containsExactly(1, 1, 1, 1);
        assertThat(ofJob(job().nodes(1).tasks(10).overcommit())).containsExactly(10);
    }

    @Test
    void theTasksOfAJobThatHasWholeNodesAreDealtOutEvenly() {
        assertThat(ofJob(job().nodes(2).tasks(8).exclusive())).containsExactly(4, 4);
        assertThat(ofJob(job().nodes(4).tasks(16).exclusive())).containsExactly(4, 4, 4, 4);
    }

    private static int[] ofJob(JobFixture job) {
        var heart = Heart.with(4, node());
        var started = heart.job(heart.run(job));
        return TaskLayout.ofJob(
                Objects.requireNonNull(started.phase().placementOrNull()),
                started.terms().demand());
    }

    @Test
    void unknownDistributionIsNone() {
        assertThat(Distribution.parse("sideways")).isEmpty();
        assertThat(Distribution.parse("plane=0")).isEmpty();
    }

    private static List<String> layout(int tasks, String distribution, int... room) {
        return TaskLayout.ranks(tasks, room, Distribution.parse(distribution).orElseThrow())
                .stream()
                .map(IndexSet::toString)
                .toList();
    }
}
