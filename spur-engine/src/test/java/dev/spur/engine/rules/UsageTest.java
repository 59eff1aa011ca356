package dev.spur.engine.rules;

import static dev.spur.engine.fixture.Lab.account;
import static dev.spur.engine.fixture.Lab.association;
import static dev.spur.engine.fixture.Lab.ofAccount;
import static dev.spur.engine.fixture.Lab.ofQos;
import static dev.spur.engine.fixture.Lab.ofUser;
import static dev.spur.model.fixture.JobFixture.job;
import static dev.spur.model.fixture.NodeFixture.node;
import static dev.spur.model.fixture.PartitionFixture.partition;
import static dev.spur.model.fixture.RulesFixture.rules;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.spur.engine.account.AccountSetting;
import dev.spur.engine.account.UsageBook;
import dev.spur.engine.codec.SnapshotCodec;
import dev.spur.engine.fixture.Heart;
import dev.spur.engine.fixture.Lab;
import dev.spur.engine.state.Command;
import dev.spur.engine.tres.TresRegistry;
import dev.spur.model.AccountingRules;
import dev.spur.model.ClusterConfig;
import dev.spur.model.ClusterRules;
import dev.spur.model.JobSelector;
import dev.spur.model.NodeSpec;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class UsageTest {
    private Heart cluster = with(Duration.ZERO, AccountingRules.UsageReset.NONE);

    private static Heart with(Duration halfLife, AccountingRules.UsageReset reset) {
        return Lab.set(Heart.with(4, node().cpus(8).memory(4000), fading(halfLife, reset)));
    }

    private static ClusterRules fading(Duration halfLife, AccountingRules.UsageReset reset) {
        return rules().accounting(
                        new AccountingRules(
                                false,
                                false,
                                false,
                                false,
                                false,
                                "",
                                Duration.ofMinutes(5),
                                halfLife,
                                reset))
                .build();
    }

    private double billed(String account, String user) {
        var book = cluster.snapshot().usage();
        var own = association(cluster, account, user).id();
        var fading =
                UsageBook.fading(
                        book.countedAt(),
                        cluster.now(),
                        cluster.snapshot().config().rules().accounting());
        return book.ofAssociation(own).billingSeconds() * fading;
    }

    @Test
    void usageIsWhatJobsHadTimesHowLongForEverybodyAbove() {
        var id = cluster.run(job().tasks(4));
        cluster.advance(Duration.ofMinutes(7));
        cluster.finish(id, 0);

        assertThat(billed("physics", "alice")).isEqualTo(4 * 7 * 60);
        assertThat(billed("physics", "")).isEqualTo(4 * 7 * 60);
        assertThat(billed("root", "")).isEqualTo(4 * 7 * 60);
        assertThat(billed("chem", "")).isZero();
    }

    @Test
    void usageOfJobsThatRunOnIsCountedInIntervals() {
        cluster.run(job().tasks(2));
        cluster.advance(Duration.ofMinutes(12));

        assertThat(billed("physics", "alice")).isEqualTo(2 * 10 * 60);
    }

    @Test
    void nothingIsDueWhileNothingRuns() {
        var id = cluster.run(job().timeLimit(Duration.ofMinutes(30)));
        assertThat(cluster.snapshot().nextAlarm())
                .isEqualTo(cluster.now().plus(Duration.ofMinutes(5)));
        cluster.finish(id, 0);
        cluster.advance(Duration.ofMinutes(10));

        assertThat(cluster.snapshot().nextAlarm()).isNull();
    }

    @Test
    void suspendedTimeIsNotCounted() {
        var id = cluster.run(job().tasks(1).timeLimit(Duration.ofHours(10)));
        var selectors = List.of(JobSelector.of(id));
        cluster.advance(Duration.ofMinutes(3));
        cluster.apply(new Command.SuspendJobs(cluster.now(), "", Heart.ADMIN, selectors, false));
        var other = cluster.run(job().of(1003, "bob").timeLimit(Duration.ofHours(10)));
        cluster.advance(Duration.ofMinutes(17));
        cluster.apply(new Command.ResumeJobs(cluster.now(), "", Heart.ADMIN, selectors));
        cluster.advance(Duration.ofMinutes(9));
        cluster.finish(id, 0);
        cluster.finish(other, 0);

        assertThat(billed("physics", "alice")).isEqualTo(12 * 60);
        assertThat(billed("chem", "bob")).isEqualTo(26 * 60);
    }

    @Test
    void usageFadesByHalfPerHalfLifeWithoutAnythingBeingWritten() {
        cluster = with(Duration.ofDays(7), AccountingRules.UsageReset.NONE);
        var id = cluster.run(job().tasks(4));
        cluster.advance(Duration.ofMinutes(10));
        cluster.finish(id, 0);
        var before = billed("physics", "alice");

        cluster.advance(Duration.ofDays(7));

        assertThat(billed("physics", "alice")).isCloseTo(before / 2, within(1e-6));
    }

    @Test
    void usageBeginsAtZeroWithEachMonthWhereItIsSoConfigured() {
        cluster = with(Duration.ZERO, AccountingRules.UsageReset.MONTHLY);
        var id = cluster.run(job());
        cluster.advance(Duration.ofMinutes(10));
        cluster.finish(id, 0);

        cluster.advance(Duration.ofDays(10));
        assertThat(billed("physics", "alice")).isEqualTo(600);
        cluster.advance(Duration.ofDays(10));

        assertThat(billed("physics", "alice")).isZero();
    }

    @Test
    void factorOfTheQosMultipliesUsage() {
        cluster.accounts(ofQos("short", new AccountSetting.SetUsageFactor(2.5)));
        var id = cluster.run(job().qos("short"));
        cluster.advance(Duration.ofMinutes(1));
        cluster.finish(id, 0);

        assertThat(billed("physics", "alice")).isEqualTo(150);
    }

    /// A node whose partition bills memory and GPUs, too.
    private void billedBySlices() {
        var config =
                new ClusterConfig(
                        "test",
                        List.of(partition("debug").billing("CPU=1.0,Mem=1G,GRES/gpu=10").spec()),
                        List.of(
                                NodeSpec.of(
                                        "node1", node().cpus(8).memory(4096).gpus("a", 2).shape())),
                        fading(Duration.ZERO, AccountingRules.UsageReset.NONE));
        cluster = Lab.set(Heart.configured(config));
        cluster.register("node1", node().cpus(8).memory(4096).gpus("a", 2));
    }

    @Test
    void partitionSaysWhatIsBilled() {
        billedBySlices();
        var id = cluster.run(job().gpus(2).memoryPerNode(2048));
        cluster.advance(Duration.ofSeconds(10));
        cluster.finish(id, 0);

        assertThat(billed("physics", "alice")).isEqualTo(10 * (1 + 2 + 20));
        assertThat(
                        cluster.snapshot()
                                .usage()
                                .ofAssociation(association(cluster, "physics", "").id())
                                .tresSeconds())
                .containsEntry(TresRegistry.MEM, 20480.0);
    }

    @Test
    void whoMovesTakesWhatHeUsedAlong() {
        cluster.accounts(account("lasers", "physics"), Lab.user("carol", "lasers"));
        var id = cluster.run(job().of(1005, "carol"));
        cluster.advance(Duration.ofMinutes(1));
        cluster.finish(id, 0);

        cluster.accounts(ofAccount("lasers", new AccountSetting.SetParent("chem")));

        assertThat(billed("physics", "")).isZero();
        assertThat(billed("chem", "")).isEqualTo(60);
        assertThat(billed("root", "")).isEqualTo(60);
    }

    @Test
    void usageThatIsForgottenIsForgottenAbove() {
        var id = cluster.run(job());
        cluster.advance(Duration.ofMinutes(1));
        cluster.finish(id, 0);

        cluster.accounts(ofUser("alice", new AccountSetting.ForgetUsage()));

        assertThat(billed("physics", "alice")).isZero();
        assertThat(billed("root", "")).isZero();
    }

    @Test
    void stateThatIsReadBackCountsTheSame() {
        billedBySlices();
        cluster.run(job().gpus(2).memoryPerNode(2048));
        cluster.run(job().of(1003, "bob"));
        cluster.advance(Duration.ofMinutes(7));
        var bytes = new ByteArrayOutputStream();
        SnapshotCodec.write(cluster.snapshot(), bytes::write);

        var restored = SnapshotCodec.read(new ByteArrayInputStream(bytes.toByteArray())::read);

        assertThat(restored.budgets().toString())
                .isEqualTo(cluster.state().budgets().toString())
                .contains("5=23");
        assertThat(restored.publish().nextAlarm()).isEqualTo(cluster.snapshot().nextAlarm());
    }
}
