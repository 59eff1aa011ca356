package dev.spur.engine.priority;

import static dev.spur.engine.fixture.Lab.association;
import static dev.spur.engine.fixture.Lab.ofAccount;
import static dev.spur.engine.fixture.Lab.ofQos;
import static dev.spur.engine.fixture.Lab.ofUser;
import static dev.spur.model.fixture.JobFixture.job;
import static dev.spur.model.fixture.NodeFixture.node;
import static dev.spur.model.fixture.PartitionFixture.partition;
import static dev.spur.model.fixture.RulesFixture.rules;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.engine.account.AccountSetting;
import dev.spur.engine.account.Shares;
import dev.spur.engine.fixture.Heart;
import dev.spur.engine.fixture.Lab;
import dev.spur.engine.job.JobChange;
import dev.spur.model.ClusterConfig;
import dev.spur.model.JobId;
import dev.spur.model.NodeSpec;
import dev.spur.model.PriorityRules;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The numbers are those of a real Slurm 22.05 with the same configuration.
class MultifactorTest {
    private static final PriorityRules WEIGHTS =
            new PriorityRules(
                    true,
                    1000,
                    10_000,
                    1000,
                    1000,
                    1000,
                    0,
                    Map.of("cpu", 100L, "mem", 10L, "gres/gpu", 100L),
                    Duration.ofDays(7),
                    false);

    private Heart cluster;

    @BeforeEach
    void start() {
        var shape = node().cpus(8).memory(4000).gpus("tesla", 4);
        cluster =
                Lab.set(
                        Heart.configured(
                                new ClusterConfig(
                                        "test",
                                        List.of(
                                                partition("debug").spec(),
                                                partition("batch")
                                                        .notDefault()
                                                        .priorityJobFactor(10)
                                                        .spec()),
                                        List.of(NodeSpec.of("node[1-8]", shape.shape())),
                                        rules().priority(WEIGHTS).build())));
        for (var i = 1; i <= 8; i++) {
            cluster.register("node" + i, shape);
        }
        cluster.accounts(ofQos("short", new AccountSetting.SetQosPriority(10)));
    }

    private Factors factors(JobId id) {
        var job = cluster.job(id);
        return ((Multifactor) PriorityPolicy.of(cluster.snapshot()))
                .at(cluster.snapshot(), cluster.now())
                .factors(job, job.terms().partitions().getFirst());
    }

    private double share(String account, String user) {
        return cluster.snapshot().fairShare().of(association(cluster, account, user).id()).factor();
    }

    private void use(String user, int uid) {
        var id = cluster.run(job().of(uid, user));
        cluster.advance(Duration.ofSeconds(92));
        cluster.finish(id, 0);
    }

    @Test
    void fairTreeRanksAsSlurmDoes() {
        use("alice", 1002);

        assertThat(share("root", "root")).isEqualTo(1.0);
        assertThat(share("chem", "bob")).isEqualTo(1.0);
        assertThat(share("physics", "sadmin")).isEqualTo(0.5);
        assertThat(share("physics", "alice")).isEqualTo(0.25);
        var physics = cluster.snapshot().fairShare().of(association(cluster, "physics", "").id());
        assertThat(physics.normShares()).isEqualTo(1 / 3.0);
        assertThat(physics.effectiveUsage()).isEqualTo(1.0);
    }

    @Test
    void priorityIsTheSumOfWhatTheFactorsAreWorth() {
        use("alice", 1002);

        var inDebug = cluster.submit(job());
        var inBatch = cluster.submit(job().in("batch"));
        var brief = cluster.submit(job().qos("short"));
        var bobs = cluster.submit(job().of(1003, "bob"));

        assertThat(cluster.priority(inDebug)).isEqualTo(2671);
        assertThat(cluster.priority(inBatch)).isEqualTo(3571);
        assertThat(cluster.priority(brief)).isEqualTo(3671);
        assertThat(cluster.priority(bobs)).isEqualTo(10171);
        assertThat(factors(inDebug).worth().jobSize()).isEqualTo(70.3125);
        assertThat(factors(inDebug).worth().partition()).isEqualTo(100);
        assertThat(factors(inDebug).worth().tres()).containsEntry("cpu", 100 / 64.0);
    }

    @Test
    void ageCountsFromWhenTheJobMayRunAndHasAMost() {
        var id = cluster.submit(job());

        cluster.advance(Duration.ofHours(84));
        assertThat(factors(id).age()).isEqualTo(0.5);
        cluster.advance(Duration.ofDays(30));

        assertThat(factors(id).age()).isEqualTo(1);
    }

    @Test
    void whoHasUsedLessGoesFirst() {
        use("alice", 1002);
        var alices = cluster.submit(job().nodes(8).tasksPerNode(8));
        var bobs = cluster.submit(job().of(1003, "bob").nodes(8).tasksPerNode(8));

        cluster.schedule();

        assertThat(cluster.job(bobs).hasNodes()).isTrue();
        assertThat(cluster.job(alices).hasNodes()).isFalse();
    }

    @Test
    void shareOfNothingIsLastAndShareOfTheParentIsTheParents() {
        cluster.accounts(
                ofUser("alice", new AccountSetting.SetShares(Shares.of(0))),
                ofAccount("chem", new AccountSetting.SetShares(Shares.OF_PARENT)));

        assertThat(share("physics", "alice")).isLessThan(share("physics", "sadmin"));
        assertThat(share("chem", "bob")).isEqualTo(share("root", "root"));
    }

    @Test
    void priorityThatWasSetByHandStays() {
        var id = cluster.submit(job());
        cluster.update(id, Heart.ADMIN, new JobChange.SetPriority(7));

        assertThat(cluster.priority(id)).isEqualTo(7);
    }

    @Test
    void niceStepsBack() {
        var id = cluster.submit(job().of(1003, "bob"));
        var before = cluster.priority(id);
        cluster.update(id, Heart.BOB, new JobChange.SetNice(100));

        assertThat(cluster.priority(id)).isEqualTo(before - 100);
    }
}
