package dev.spur.engine.priority;

import static dev.spur.engine.fixture.Heart.ADMIN;
import static dev.spur.engine.fixture.Heart.ALICE;
import static dev.spur.model.fixture.JobFixture.job;
import static dev.spur.model.fixture.NodeFixture.node;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.engine.fixture.Heart;
import dev.spur.engine.job.JobChange;
import dev.spur.model.ErrorCode;
import org.junit.jupiter.api.Test;

/// Slurm's `priority/basic`.
class PriorityTest {
    private static final long FIRST = 4_294_901_759L;

    private final Heart cluster = Heart.with(1, node());

    @Test
    void eachJobGetsOneLessThanTheOneBefore() {
        assertThat(cluster.priority(cluster.submit(job()))).isEqualTo(FIRST);
        assertThat(cluster.priority(cluster.submit(job()))).isEqualTo(FIRST - 1);
    }

    @Test
    void jobWithAPriorityOfItsOwnTakesNoPlaceInTheOrder() {
        assertThat(cluster.priority(cluster.submit(job().priority(77)))).isEqualTo(77);
        assertThat(cluster.priority(cluster.submit(job()))).isEqualTo(FIRST);
    }

    @Test
    void niceJobStepsBackByThatMuchWheneverItIsSaid() {
        var id = cluster.submit(job());

        cluster.update(id, ALICE, new JobChange.SetNice(100));
        assertThat(cluster.priority(id)).isEqualTo(FIRST - 100);

        cluster.update(id, ADMIN, new JobChange.SetNice(-5));
        assertThat(cluster.priority(id)).isEqualTo(FIRST + 5);
    }

    @Test
    void priorityThatWasSetCountsAsItIsAndStepsBackIfTheJobBecomesNicer() {
        var id = cluster.submit(job());
        cluster.update(id, ALICE, new JobChange.SetNice(100));

        cluster.update(id, ADMIN, new JobChange.SetPriority(500));
        assertThat(cluster.priority(id)).isEqualTo(500);

        cluster.update(id, ALICE, new JobChange.SetNice(110));
        assertThat(cluster.priority(id)).isEqualTo(490);
    }

    @Test
    void fromOneEndOfWhatIsNiceToTheOtherIsFarAndNotBack() {
        var id = cluster.submit(job());
        cluster.update(id, ADMIN, new JobChange.SetNice(-2_147_483_645));
        cluster.update(id, ADMIN, new JobChange.SetPriority(500));

        cluster.update(id, ADMIN, new JobChange.SetNice(2_147_483_645));

        assertThat(cluster.priority(id)).isEqualTo(1);
    }

    @Test
    void ownerMayLowerThePriorityAndNotRaiseIt() {
        var id = cluster.submit(job());

        var raised = cluster.update(id, ALICE, new JobChange.SetPriority(FIRST + 1));
        assertThat(raised.code()).isEqualTo(ErrorCode.PRIORITY_RESET);

        cluster.update(id, ALICE, new JobChange.SetPriority(9));
        assertThat(cluster.priority(id)).isEqualTo(9);
    }

    @Test
    void heldJobShowsNoneAndHasItAgainWhenItIsReleased() {
        var id = cluster.submit(job());

        cluster.hold(id.toString(), ALICE);
        assertThat(cluster.priority(id)).isZero();

        cluster.release(id.toString(), ALICE);
        assertThat(cluster.priority(id)).isEqualTo(FIRST);
    }
}
