package dev.spur.engine.rules;

import static dev.spur.engine.fixture.Heart.ADMIN;
import static dev.spur.engine.fixture.Heart.ALICE;
import static dev.spur.engine.fixture.Heart.BOB;
import static dev.spur.model.fixture.JobFixture.job;
import static dev.spur.model.fixture.NodeFixture.node;
import static dev.spur.model.fixture.RulesFixture.rules;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.engine.fixture.Heart;
import dev.spur.engine.job.JobChange;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Result;
import dev.spur.model.Actor;
import dev.spur.model.BlobRef;
import dev.spur.model.ErrorCode;
import dev.spur.model.JobId;
import dev.spur.model.JobSpec;
import dev.spur.model.fixture.JobFixture;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class HoldingsTest {
    private static final int PLACES = 1_000;

    private final Heart cluster = Heart.with(1, node(), rules().maxJobCount(10 * PLACES).build());

    @Test
    void oneUserCannotTakeThePlacesOfAll() {
        for (var i = 0; i < PLACES; i++) {
            cluster.submit(job().held());
        }

        assertRefused(cluster.trySubmit(job().held()), "you have 1000 jobs");
        assertSubmitted(submit(BOB, job().of(BOB.uid(), "bob").spec(), null));
        assertSubmitted(submit(ADMIN, job().held().spec(), null));
    }

    @Test
    void jobsThatHaveEndedMakePlace() {
        JobId last = null;
        for (var i = 0; i < PLACES; i++) {
            last = cluster.submit(job().held());
        }
        cluster.cancel(String.valueOf(last), ALICE);

        assertSubmitted(cluster.trySubmit(job().held()));
        assertRefused(cluster.trySubmit(job().held()), "you have 1000 jobs");
    }

    @Test
    void longDescriptionsOfOneUserAreBoundedTogetherUntilTheyAreForgotten() {
        var id = cluster.submit(lengthy());
        var before = 1;
        while (cluster.trySubmit(lengthy()) instanceof Result.Submitted) {
            before++;
        }

        assertThat(before * 100_000L).isBetween(60_000_000L, 70_000_000L);
        assertRefused(cluster.trySubmit(lengthy()), "the descriptions of your jobs");
        assertSubmitted(submit(BOB, lengthy().of(BOB.uid(), "bob").spec(), null));
        cluster.cancel(id.toString(), ALICE);
        assertRefused(cluster.trySubmit(lengthy()), "the descriptions of your jobs");
        cluster.advance(Duration.ofHours(1));
        assertSubmitted(cluster.trySubmit(lengthy()));
    }

    @Test
    void scriptsOfOneUserAreBoundedTogether() {
        var script = new BlobRef("00", 4 << 20);
        for (var i = 0; i < 256; i++) {
            assertSubmitted(submit(ALICE, job().held().spec(), script));
        }

        assertRefused(submit(ALICE, job().held().spec(), script), "scripts and environments");
        assertSubmitted(submit(BOB, job().of(BOB.uid(), "bob").spec(), script));
    }

    @Test
    void changesCannotMakeDescriptionsLongerThanSubmissionsMay() {
        var dependency = "afterany" + ":1234567".repeat(8_000);
        var refused = 0;
        for (var i = 0; i < 200; i++) {
            var id = cluster.submit(job().held());
            var answer = cluster.update(id, ALICE, new JobChange.SetDependency(dependency));
            refused += answer.code() == ErrorCode.LIMIT_REACHED ? 1 : 0;
        }

        assertThat(refused).isBetween(100, 150);
    }

    private static JobFixture lengthy() {
        return job().held().on("node1,".repeat(8_333));
    }

    private Result submit(Actor actor, JobSpec spec, @Nullable BlobRef script) {
        return cluster.apply(new Command.SubmitJob(cluster.now(), "", actor, spec, script, null));
    }

    private static void assertSubmitted(Result result) {
        assertThat(result).isInstanceOf(Result.Submitted.class);
    }

    private static void assertRefused(Result result, String why) {
        assertThat(result)
                .isInstanceOfSatisfying(
                        Result.Refused.class,
                        refused -> {
                            assertThat(refused.code()).isEqualTo(ErrorCode.LIMIT_REACHED);
                            assertThat(refused.message()).contains(why);
                        });
    }
}
