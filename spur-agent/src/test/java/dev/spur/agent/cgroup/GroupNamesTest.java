package dev.spur.agent.cgroup;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.agent.step.StepKey;
import dev.spur.model.StepId;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GroupNamesTest {
    @TempDir Path node;

    /// The end of a run is told before its groups are removed, so the next one may be beginning.
    @Test
    void clearingAwayOneRunOfAJobLeavesTheNextOneItsGroups() throws IOException {
        var first = new StepKey(12, StepId.BATCH, 0);
        var next = new StepKey(12, StepId.BATCH, 1);
        Cgroups.make(node, first);
        var groups = Cgroups.make(node, next);

        Cgroups.removeTree(Cgroups.parts(node, first).getLast());
        Cgroups.removeTree(Cgroups.jobGroup(node, 12, 0));

        assertThat(Cgroups.parts(node, first))
                .allSatisfy(group -> assertThat(group).doesNotExist());
        assertThat(groups).allSatisfy(group -> assertThat(group).isDirectory());
    }
}
