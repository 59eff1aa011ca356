package dev.spur.controller.job;

import static dev.spur.model.fixture.JobFixture.job;
import static dev.spur.model.fixture.NodeFixture.node;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.engine.fixture.Heart;
import dev.spur.engine.job.Job;
import dev.spur.model.JobId;
import java.util.List;
import org.junit.jupiter.api.Test;

class SelectorsTest {
    private final Heart cluster = Heart.with(1, node().cpus(8));

    @Test
    void jobsAreMeantByTheirNumberTasksAlsoByTheirArray() {
        var plain = cluster.submit(job().held());
        var array = cluster.submit(job().array("0-3").held());

        assertThat(means("1,1_2", plain)).containsExactly("1");
        assertThat(means("2,1", array)).containsExactly("2");
        assertThat(means("2_3", array)).containsExactly("2_3");
        assertThat(means("2_7,3", array)).isEmpty();
    }

    @Test
    void aTaskThatStartedIsMeantByItsOwnNumberToo() {
        var array = cluster.run(job().array("0-1"));
        var task = cluster.task(array, 0);

        assertThat(meaning(List.of(array.toString()), task)).containsExactly(array.toString());
        assertThat(meaning(List.of(task.id().toString()), task))
                .containsExactly(task.id().toString());
        assertThat(meaning(List.of(array + "_0"), task)).containsExactly(array + "_0");
        assertThat(meaning(List.of(array + "_1"), task)).isEmpty();
    }

    private List<String> means(String ids, JobId id) {
        return meaning(List.of(ids.split(",")), cluster.job(id));
    }

    private static List<String> meaning(List<String> ids, Job job) {
        return Selectors.parse(ids).meaning(job).map(Object::toString).toList();
    }
}
