package dev.spur.engine.rules;

import static dev.spur.model.fixture.JobFixture.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.engine.fixture.Heart;
import dev.spur.engine.job.Job;
import dev.spur.engine.job.SharedParts;
import dev.spur.model.fixture.JobFixture;
import dev.spur.model.fixture.NodeFixture;
import org.junit.jupiter.api.Test;

/// What jobs have in common is in memory once, and nobody can tell by their values.
class SharedPartsTest {
    private final Heart heart = Heart.with(2, NodeFixture.node());

    @Test
    void jobsThatAreAlikeShareWhatTheyAskFor() {
        var one = submitted(job().named("sweep"));
        var other = submitted(job().named("sweep"));

        assertThat(other.spec()).isSameAs(one.spec());
        assertThat(other.terms()).isSameAs(one.terms());
        assertThat(other.id()).isNotEqualTo(one.id());
    }

    @Test
    void jobsThatDifferInLittleShareTheRest() {
        var one = submitted(job().named("sweep-1"));
        var other = submitted(job().named("sweep-2"));

        assertThat(other.spec().name()).isEqualTo("sweep-2");
        assertThat(other.spec().request()).isSameAs(one.spec().request());
        assertThat(other.spec().launch()).isSameAs(one.spec().launch());
        assertThat(other.terms().demand()).isSameAs(one.terms().demand());
    }

    @Test
    void whatIsSharedHasTheValuesThatItHadAlone() {
        var parts = new SharedParts();
        for (var tasks = 1; tasks < 500; tasks++) {
            var alone = submitted(job().named("n" + tasks % 7).tasks(tasks % 40 + 1));
            assertThat(parts.share(alone)).isEqualTo(alone);
        }
    }

    private Job submitted(JobFixture job) {
        return heart.job(heart.submit(job));
    }
}
