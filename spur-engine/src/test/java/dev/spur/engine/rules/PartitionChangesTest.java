package dev.spur.engine.rules;

import static dev.spur.engine.fixture.Heart.ADMIN;
import static dev.spur.model.fixture.JobFixture.job;
import static dev.spur.model.fixture.NodeFixture.node;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.engine.codec.SnapshotCodec;
import dev.spur.engine.fixture.Heart;
import dev.spur.engine.job.JobPhase;
import dev.spur.engine.site.Partition;
import dev.spur.engine.site.PartitionKey;
import dev.spur.engine.site.PartitionSetting;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Result;
import dev.spur.model.ErrorCode;
import dev.spur.model.PartitionSpec;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class PartitionChangesTest {
    private final Heart cluster = Heart.with(4, node());

    @Test
    void drainedPartitionTakesNoJobsAndOneThatIsDownStartsNone() {
        set("debug", PartitionKey.STATE, "DOWN");
        var id = cluster.run(job());
        assertThat(cluster.reason(id)).isEqualTo("PartitionDown");

        set("debug", PartitionKey.STATE, "up");
        cluster.schedule();
        assertThat(cluster.job(id).phase()).isInstanceOf(JobPhase.Running.class);

        set("debug", PartitionKey.STATE, "DRAIN");
        assertThat(((Result.Refused) cluster.trySubmit(job())).code())
                .isEqualTo(ErrorCode.PARTITION_NOT_AVAILABLE);
    }

    @Test
    void limitsCountForJobsThatWait() {
        var id = cluster.submit(job().timeLimit(Duration.ofHours(2)));

        set("debug", PartitionKey.MAX_TIME, "1:00:00");
        cluster.schedule();

        assertThat(cluster.reason(id)).isEqualTo("PartitionTimeLimit");
    }

    @Test
    void partitionIsMadeOfSomeNodesGrowsAndShrinks() {
        create("small", new PartitionSetting(PartitionKey.NODES, "node[1-2]"));
        assertThat(found("small").nodes().size()).isEqualTo(2);

        set("small", PartitionKey.NODES, "+node4");
        set("small", PartitionKey.NODES, "-node1");

        assertThat(found("small").spec().nodes()).isEqualTo("node[2,4]");
        assertThat(cluster.nodesOf(cluster.run(job().in("small")))).containsExactly("node2");
    }

    @Test
    void thereIsOneDefaultPartition() {
        create(
                "small",
                new PartitionSetting(PartitionKey.NODES, "ALL"),
                new PartitionSetting(PartitionKey.DEFAULT, "YES"));

        assertThat(found("small").spec().isDefault()).isTrue();
        assertThat(found("debug").spec().isDefault()).isFalse();
    }

    @Test
    void whatMakesNoSenseIsRefusedAsAWhole() {
        var result =
                change(
                        "debug",
                        new PartitionSetting(PartitionKey.MAX_NODES, "1"),
                        new PartitionSetting(PartitionKey.MIN_NODES, "2"));

        assertThat(((Result.Refused) result).code()).isEqualTo(ErrorCode.INVALID_NODE_COUNT);
        assertThat(found("debug").spec().maxNodes()).isZero();
        assertThat(change("debug", new PartitionSetting(PartitionKey.NODES, "nosuch")))
                .isInstanceOf(Result.Refused.class);
        assertThat(change("debug", new PartitionSetting(PartitionKey.STATE, "SIDEWAYS")))
                .isInstanceOf(Result.Refused.class);
        assertThat(change("nosuch", new PartitionSetting(PartitionKey.STATE, "UP")))
                .isInstanceOf(Result.Refused.class);
    }

    @Test
    void itIsNotDeletedWhileJobsAreInIt() {
        create("small", new PartitionSetting(PartitionKey.NODES, "ALL"));
        var id = cluster.run(job().in("small"));

        assertThat(((Result.Refused) delete("small")).code()).isEqualTo(ErrorCode.PARTITION_IN_USE);
        cluster.finish(id, 0);
        assertThat(delete("small")).isEqualTo(Result.DONE);
        assertThat(cluster.snapshot().partition("small")).isEmpty();
    }

    @Test
    void configurationThatIsReadAgainCountsButWhatWasMadeByHandStays() {
        create("small", new PartitionSetting(PartitionKey.NODES, "ALL"));
        set("debug", PartitionKey.MAX_TIME, "1:00:00");
        var config = cluster.snapshot().config();

        cluster.apply(new Command.ApplyConfig(cluster.now(), "", ADMIN, config, true));
        assertThat(found("debug").spec().maxTime().toString()).isEqualTo("01:00:00");

        cluster.apply(new Command.ApplyConfig(cluster.now(), "", ADMIN, config));
        assertThat(found("debug").spec()).isEqualTo(PartitionSpec.of("debug", true, "ALL"));
        assertThat(cluster.snapshot().partition("small")).isPresent();
    }

    /// A script may do that every minute for years.
    @Test
    void nodesThatComeAndGoAgainAndAgainAreRememberedOnce() {
        create("small", new PartitionSetting(PartitionKey.NODES, "node[1-2]"));
        for (var i = 0; i < 100; i++) {
            set("small", PartitionKey.NODES, "+node[3-4]");
            set("debug", PartitionKey.NODES, "+node3");
            set("small", PartitionKey.NODES, "-node[2,4]");
            set("small", PartitionKey.NODES, "+node2");
        }

        assertThat(found("small").spec().nodes()).isEqualTo("node[1-3]");
        assertThat(cluster.snapshot().partitionEdits())
                .allSatisfy(edit -> assertThat(edit.settings()).hasSizeLessThan(5));
    }

    @Test
    void whatIsTakenAwayIsMissingAlsoWhenTheConfigurationNamesIt() {
        set("debug", PartitionKey.NODES, "node[1-4]");
        set("debug", PartitionKey.NODES, "-node[1-2]");
        set("debug", PartitionKey.NODES, "+node1");

        assertThat(found("debug").spec().nodes()).isEqualTo("node[1,3-4]");
    }

    @Test
    void changesAreInTheStoredState() {
        create("small", new PartitionSetting(PartitionKey.NODES, "node[1-2]"));
        set("debug", PartitionKey.PRIORITY_TIER, "7");
        var bytes = new ByteArrayOutputStream();
        SnapshotCodec.write(cluster.snapshot(), bytes::write);

        var loaded =
                SnapshotCodec.read(new ByteArrayInputStream(bytes.toByteArray())::read).snapshot();

        assertThat(loaded.partitions()).isEqualTo(cluster.snapshot().partitions());
        assertThat(loaded.partitionEdits()).isEqualTo(cluster.snapshot().partitionEdits());
    }

    private Partition found(String name) {
        return cluster.snapshot().partition(name).orElseThrow();
    }

    private void create(String name, PartitionSetting... settings) {
        assertThat(
                        cluster.apply(
                                new Command.CreatePartition(
                                        cluster.now(), "", ADMIN, name, List.of(settings))))
                .isEqualTo(Result.DONE);
    }

    private void set(String name, PartitionKey key, String value) {
        assertThat(change(name, new PartitionSetting(key, value))).isEqualTo(Result.DONE);
    }

    private Result change(String name, PartitionSetting... settings) {
        return cluster.apply(
                new Command.UpdatePartition(cluster.now(), "", ADMIN, name, List.of(settings)));
    }

    private Result delete(String name) {
        return cluster.apply(new Command.DeletePartition(cluster.now(), "", ADMIN, name));
    }
}
