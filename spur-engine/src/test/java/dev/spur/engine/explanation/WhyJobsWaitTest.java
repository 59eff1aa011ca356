package dev.spur.engine.explanation;

import static dev.spur.engine.fixture.Heart.ALICE;
import static dev.spur.engine.fixture.Heart.START;
import static dev.spur.engine.fixture.Lab.most;
import static dev.spur.engine.fixture.Lab.ofAccount;
import static dev.spur.engine.fixture.Lab.ofQos;
import static dev.spur.engine.fixture.Lab.ofUser;
import static dev.spur.engine.fixture.ReservationFixture.reservation;
import static dev.spur.model.fixture.JobFixture.job;
import static dev.spur.model.fixture.NodeFixture.node;
import static dev.spur.model.fixture.PartitionFixture.partition;
import static dev.spur.model.fixture.RulesFixture.rules;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.engine.account.CountLimit;
import dev.spur.engine.account.TresLimit;
import dev.spur.engine.fixture.Heart;
import dev.spur.engine.fixture.Lab;
import dev.spur.engine.node.NodeChange;
import dev.spur.engine.reservation.ReservationFlag;
import dev.spur.engine.scheduling.BackfillPass;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Result;
import dev.spur.engine.step.LaunchFault;
import dev.spur.engine.tres.TresRegistry;
import dev.spur.model.ClusterConfig;
import dev.spur.model.JobId;
import dev.spur.model.JobSelector;
import dev.spur.model.JobState;
import dev.spur.model.NodeSpec;
import dev.spur.model.PartitionState;
import dev.spur.model.StepId;
import dev.spur.model.fixture.NodeFixture;
import dev.spur.model.fixture.PartitionFixture;
import dev.spur.model.notation.TimeLimit;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Situations in which a job waits: what is said of it, and that every suggestion does what it
/// promises.
class WhyJobsWaitTest {
    private static final NodeFixture NODE = node().cpus(8).memory(8000).gpus("mi300x", 4);
    private static final Duration HOUR = ofHours(1);

    /// @param reason Slurm's word
    /// @param says a part of the sentence
    /// @param helps what must be among the suggestions; nothing: there must be none
    private record Situation(
            String name,
            Setting setting,
            String reason,
            String says,
            List<String> helps,
            Heart cluster,
            JobId job) {
        @Override
        public String toString() {
            return name;
        }
    }

    /// Makes the cluster and the job that waits in it.
    private interface Setting extends Function<Heart, JobId> {}

    private static Situation when(
            String name,
            Heart cluster,
            Setting setting,
            String reason,
            String says,
            String... helps) {
        return new Situation(
                name, setting, reason, says, List.of(helps), cluster, setting.apply(cluster));
    }

    static Stream<Situation> situations() {
        return Stream.concat(
                Stream.concat(resources(), outOfTheQueue()),
                Stream.concat(Stream.concat(partitionsAndNodes(), reservations()), limits()));
    }

    private static Stream<Situation> resources() {
        return Stream.of(
                when(
                        "all nodes are in use",
                        two(),
                        heart -> {
                            heart.run(job().nodes(2).exclusive().timeLimit(HOUR));
                            return heart.run(job().nodes(1).timeLimit(HOUR));
                        },
                        "Resources",
                        "1 node with 1 CPU"),
                when(
                        "one node of two is free",
                        two(),
                        heart -> {
                            heart.run(job().exclusive().timeLimit(HOUR));
                            return heart.run(job().nodes(2).timeLimit(HOUR));
                        },
                        "Resources",
                        "2 nodes could run it",
                        "on 1 node"),
                when(
                        "a job before it needs both nodes soon",
                        two(),
                        heart -> {
                            heart.run(job().exclusive().timeLimit(HOUR));
                            heart.run(job().nodes(2).exclusive().timeLimit(HOUR));
                            return heart.run(job().timeLimit(ofHours(4)));
                        },
                        "Priority",
                        "1 job comes before it",
                        "with a time limit of 1:00:00"),
                when(
                        "half of the GPUs of a node are free",
                        one(),
                        heart -> {
                            heart.run(job().gpus(2).timeLimit(HOUR));
                            return heart.run(job().gpus(3).timeLimit(HOUR));
                        },
                        "Resources",
                        "3 gpu",
                        "with 2 gpu per node"),
                when(
                        "GPUs of the whole job are missing",
                        one(),
                        heart -> {
                            heart.run(job().gpus(3).timeLimit(HOUR));
                            return heart.run(job().gpusOfJob(4).timeLimit(HOUR));
                        },
                        "Resources",
                        "4 gpu in all",
                        "with 1 gpu in all"),
                when(
                        "memory is missing",
                        one(),
                        heart -> {
                            heart.run(job().memoryPerNode(5000).timeLimit(HOUR));
                            return heart.run(job().memoryPerNode(4000).timeLimit(HOUR));
                        },
                        "Resources",
                        "of memory",
                        "with 3000M of memory per node"),
                when(
                        "memory of each CPU is missing",
                        one(),
                        heart -> {
                            heart.run(job().memoryPerNode(5000).timeLimit(HOUR));
                            return heart.run(job().memoryPerCpu(4000).timeLimit(HOUR));
                        },
                        "Resources",
                        "of memory per CPU",
                        "with 3000M of memory per CPU"),
                when(
                        "tasks want more CPUs than are free",
                        one(),
                        heart -> {
                            heart.run(job().cpusPerTask(5).timeLimit(HOUR));
                            return heart.run(job().cpusPerTask(4).timeLimit(HOUR));
                        },
                        "Resources",
                        "4 CPUs",
                        "with 3 CPUs per task"),
                when(
                        "there are more tasks than CPUs are free",
                        one(),
                        heart -> {
                            heart.run(job().cpusPerTask(6).timeLimit(HOUR));
                            return heart.run(job().tasks(4).timeLimit(HOUR));
                        },
                        "Resources",
                        "4 CPUs",
                        "with 2 tasks"),
                when(
                        "it wants the node for itself",
                        one(),
                        heart -> {
                            heart.run(job().timeLimit(HOUR));
                            return heart.run(job().exclusive().timeLimit(HOUR));
                        },
                        "Resources",
                        "for itself alone",
                        "without nodes for itself alone"),
                when(
                        "the node that it insists on is in use",
                        two(),
                        heart -> {
                            heart.run(job().on("node1").exclusive().timeLimit(HOUR));
                            return heart.run(job().on("node1").timeLimit(HOUR));
                        },
                        "Resources",
                        "among them node1",
                        "on whatever nodes"),
                when(
                        "only nodes are free that it excludes",
                        two(),
                        heart -> {
                            heart.run(job().on("node1").exclusive().timeLimit(HOUR));
                            return heart.run(job().notOn("node2").timeLimit(HOUR));
                        },
                        "Resources",
                        "1 node could run it",
                        "on the nodes that it excludes, too"),
                when(
                        "another partition has room",
                        twoPartitions(),
                        heart -> {
                            heart.run(job().in("left").exclusive().timeLimit(HOUR));
                            return heart.run(job().in("left").timeLimit(HOUR));
                        },
                        "Resources",
                        "1 node with 1 CPU",
                        "in partition right"));
    }

    private static Stream<Situation> outOfTheQueue() {
        return Stream.of(
                when(
                        "its owner holds it",
                        one(),
                        heart -> heart.submit(job().held()),
                        "JobHeldUser",
                        "It is held",
                        "released"),
                when(
                        "an administrator holds it",
                        one(),
                        heart -> {
                            var id = heart.submit(job());
                            heart.hold(id.toString(), Heart.ADMIN);
                            return id;
                        },
                        "JobHeldAdmin",
                        "Only an administrator"),
                when(
                        "it waits for another job",
                        two(),
                        heart -> {
                            var first = heart.run(job().timeLimit(HOUR));
                            return heart.submit(job().dependency("afterok:" + first));
                        },
                        "Dependency",
                        "afterok:1(unfulfilled)",
                        "without its dependency"),
                when(
                        "it waits for what can never be",
                        two(),
                        heart -> {
                            var first = heart.run(job());
                            var id = heart.submit(job().dependency("afterok:" + first));
                            heart.finish(first, 1);
                            return id;
                        },
                        "DependencyNeverSatisfied",
                        "can never be",
                        "without its dependency"),
                when(
                        "it is not to begin yet",
                        one(),
                        heart -> heart.submit(job().begin(START.plus(ofHours(2)))),
                        "BeginTime",
                        "has not come",
                        "without its begin time"),
                when(
                        "its array may run so many tasks",
                        two(),
                        heart -> {
                            var id = heart.run(job().array("0-5%1"));
                            heart.schedule();
                            return pending(heart, id);
                        },
                        "JobArrayTaskLimit",
                        "As many tasks",
                        "with as many tasks at once as fit"),
                when(
                        "it was launched in vain too often",
                        one(),
                        heart -> {
                            var id = heart.run(job().requeue(true));
                            for (var i = 0;
                                    i < heart.snapshot().config().rules().maxRequeues();
                                    i++) {
                                failLaunch(heart, id, LaunchFault.PASSING);
                                heart.advance(ofHours(1));
                                heart.schedule();
                            }
                            return id;
                        },
                        "JobHoldMaxRequeue",
                        "in vain",
                        "released"),
                when(
                        "its last launch failed a moment ago",
                        one(),
                        heart -> {
                            var id = heart.run(job().requeue(true));
                            failLaunch(heart, id, LaunchFault.PASSING);
                            return id;
                        },
                        "BeginTime",
                        "after a pause"));
    }

    private static Stream<Situation> partitionsAndNodes() {
        return Stream.of(
                when(
                        "its time limit is longer than the partition allows",
                        configured(partition("debug").maxTime(TimeLimit.ofMinutes(60))),
                        heart -> heart.run(job().timeLimit(ofHours(2))),
                        "PartitionTimeLimit",
                        "debug allows (1:00:00)",
                        "with a time limit of 1:00:00"),
                when(
                        "its partition is down",
                        configured(
                                partition("debug").nodes("node1").state(PartitionState.DOWN),
                                partition("other").notDefault().nodes("node2")),
                        heart -> heart.run(job()),
                        "PartitionDown",
                        "(debug) is down",
                        "in partition other"),
                when(
                        "its partition became inactive",
                        configured(
                                partition("debug").nodes("node1"),
                                partition("other").notDefault().nodes("node2")),
                        heart -> {
                            var id = heart.submit(job());
                            heart.configure(
                                    config(
                                            partition("debug")
                                                    .nodes("node1")
                                                    .state(PartitionState.INACTIVE),
                                            partition("other").notDefault().nodes("node2")));
                            heart.schedule();
                            return id;
                        },
                        "PartitionInactive",
                        "inactive",
                        "in partition other"),
                when(
                        "its partition lost the nodes that could run it",
                        configured(partition("debug")),
                        heart -> {
                            var id = heart.submit(job().nodes(2));
                            heart.configure(config(partition("debug").nodes("node1")));
                            heart.schedule();
                            return id;
                        },
                        "PartitionConfig",
                        "has no nodes with what it asks for",
                        "on 1 node"),
                when(
                        "the node that it must have left the partition",
                        configured(partition("debug")),
                        heart -> {
                            var id = heart.submit(job().on("node2"));
                            heart.configure(config(partition("debug").nodes("node1")));
                            heart.schedule();
                            return id;
                        },
                        "BadConstraints",
                        "do not belong to its partition",
                        "on whatever nodes"),
                when(
                        "the node that it must have is drained",
                        two(),
                        heart -> {
                            heart.change("node2", new NodeChange.Drain("broken"));
                            return heart.run(job().on("node2"));
                        },
                        "ReqNodeNotAvail, UnavailableNodes:node2",
                        ": node2.",
                        "on whatever nodes"),
                when(
                        "the nodes that have what it asks for are down",
                        featured(),
                        heart -> {
                            heart.change("node1", new NodeChange.Drain("broken"));
                            return heart.run(job().constraint("fast"));
                        },
                        "Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions",
                        "down or drained",
                        "without its constraint"),
                when(
                        "all nodes are down",
                        one(),
                        heart -> {
                            heart.change("node1", new NodeChange.Down("broken"));
                            return heart.run(job());
                        },
                        "Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions",
                        "down or drained"));
    }

    private static Stream<Situation> reservations() {
        return Stream.of(
                when(
                        "its reservation begins later",
                        lab(),
                        heart -> {
                            heart.reserve(
                                    reservation("later")
                                            .starts(heart.now().plus(HOUR))
                                            .on("node1"));
                            return heart.run(job().reservation("later").timeLimit(ofMinutes(10)));
                        },
                        "Reservation",
                        "begins at"),
                when(
                        "it would not end with its reservation",
                        lab(),
                        heart -> {
                            heart.reserve(reservation("brief").on("node1"));
                            return heart.run(job().reservation("brief").timeLimit(ofHours(2)));
                        },
                        "Reservation",
                        "shorter limit",
                        "with a time limit of 1:00:00"),
                when(
                        "all nodes are reserved for others before it would have ended",
                        lab(),
                        heart -> {
                            heart.reserve(
                                    reservation("others")
                                            .users("bob")
                                            .starts(heart.now().plus(HOUR))
                                            .on("node[1-2]"));
                            return heart.run(job().timeLimit(ofHours(2)));
                        },
                        "ReqNodeNotAvail, May be reserved for other job",
                        "reserved for others",
                        "with a time limit of 1:00:00"),
                when(
                        "all nodes are under maintenance soon",
                        lab(),
                        heart -> {
                            heart.reserve(
                                    reservation("night")
                                            .starts(heart.now().plus(HOUR))
                                            .on("node[1-2]")
                                            .with(ReservationFlag.MAINT));
                            return heart.run(job().timeLimit(ofHours(2)));
                        },
                        "ReqNodeNotAvail, Reserved for maintenance",
                        "maintenance",
                        "with a time limit of 1:00:00"),
                when(
                        "its reservation is over",
                        lab(),
                        heart -> {
                            heart.reserve(reservation("past").on("node1"));
                            var id = heart.run(job().reservation("past").timeLimit(ofHours(2)));
                            heart.advance(ofHours(2));
                            heart.schedule();
                            return id;
                        },
                        "ReservationDeleted",
                        "Release it"),
                when(
                        "a suspended job keeps the memory of the only node that is left",
                        lab(),
                        heart -> {
                            heart.change("node2", new NodeChange.Drain("test"));
                            var id = heart.run(job().memoryPerNode(7000).timeLimit(HOUR));
                            heart.apply(
                                    new Command.SuspendJobs(
                                            heart.now(),
                                            "",
                                            Heart.ADMIN,
                                            List.of(JobSelector.of(id)),
                                            false));
                            return heart.run(job().memoryPerNode(4000).timeLimit(HOUR));
                        },
                        "Resources",
                        "memory"));
    }

    private static Stream<Situation> limits() {
        return Stream.of(
                when(
                        "its user runs as many jobs as he may",
                        lab(),
                        heart -> {
                            heart.accounts(ofUser("alice", most(CountLimit.MAX_JOBS, 1)));
                            heart.run(job());
                            return heart.run(job());
                        },
                        "AssocMaxJobsLimit",
                        "limit of its account or user"),
                when(
                        "its account has as many CPUs as it may",
                        lab(),
                        heart -> {
                            heart.accounts(
                                    ofAccount("physics", most(TresLimit.GRP, TresRegistry.CPU, 6)));
                            heart.run(job().cpusPerTask(4));
                            return heart.run(job().cpusPerTask(4));
                        },
                        "AssocGrpCpuLimit",
                        "AssocGrpCpuLimit",
                        "with 2 CPUs per task"),
                when(
                        "it runs longer than its account allows",
                        lab(),
                        heart -> {
                            var id = heart.submit(job().timeLimit(ofHours(3)));
                            heart.accounts(ofUser("alice", most(CountLimit.MAX_WALL, 60)));
                            heart.schedule();
                            return id;
                        },
                        "AssocMaxWallDurationPerJobLimit",
                        "limit of its account",
                        "with a time limit of 1:00:00"),
                when(
                        "its QOS runs as many jobs of a user as it may",
                        lab(),
                        heart -> {
                            heart.accounts(ofQos("normal", most(CountLimit.MAX_JOBS_PER_USER, 1)));
                            heart.run(job());
                            return heart.run(job());
                        },
                        "QOSMaxJobsPerUserLimit",
                        "limit of its QOS",
                        "with the QOS short"),
                when(
                        "its QOS has as many CPUs of a user as it may",
                        lab(),
                        heart -> {
                            heart.accounts(
                                    ofQos(
                                            "normal",
                                            most(TresLimit.MAX_PER_USER, TresRegistry.CPU, 5)));
                            heart.run(job().cpusPerTask(4));
                            return heart.run(job().cpusPerTask(3));
                        },
                        "QOSMaxCpuPerUserLimit",
                        "limit of its QOS",
                        "with 1 CPU per task",
                        "with the QOS short"),
                when(
                        "its QOS runs as many jobs as it may",
                        lab(),
                        heart -> {
                            heart.accounts(ofQos("normal", most(CountLimit.GRP_JOBS, 1)));
                            heart.run(job().of(1003, "bob"));
                            return heart.run(job());
                        },
                        "QOSGrpJobsLimit",
                        "limit of its QOS",
                        "with the QOS short"));
    }

    @ParameterizedTest
    @MethodSource("situations")
    void theTrueObstacleIsNamed(Situation situation) {
        var explanation = explain(situation.cluster(), situation.job());

        assertThat(explanation.reason().toString()).isEqualTo(situation.reason());
        assertThat(explanation.because()).contains(situation.says());
        assertThat(explanation.isExhausted()).isFalse();
        assertThat(explanation.suggestions().stream().map(Suggestion::text))
                .containsAll(situation.helps());
    }

    @ParameterizedTest
    @MethodSource("situations")
    void whoeverFollowsASuggestionStartsWhenItSays(Situation situation) {
        var count = explain(situation.cluster(), situation.job()).suggestions().size();
        for (var i = 0; i < count; i++) {
            var again =
                    situations()
                            .filter(other -> other.name().equals(situation.name()))
                            .findFirst()
                            .orElseThrow();
            var suggestion = explain(again.cluster(), again.job()).suggestions().get(i);

            var followed = follow(again.cluster(), again.job(), suggestion);
            again.cluster().schedule();

            if (suggestion.startsBy(again.cluster().now())) {
                assertThat(starts(again.cluster(), followed)).as(suggestion.text()).isTrue();
            } else {
                assertThat(again.cluster().planOf(followed).expectedStart())
                        .as(suggestion.text())
                        .isEqualTo(suggestion.start());
            }
        }
    }

    @Test
    void aJobOfSomebodyElseGetsNoSuggestions() {
        var heart = one();
        var id = heart.submit(job().held());

        assertThat(
                        new Explainer(BackfillPass.Bounds.DEFAULTS, Long.MAX_VALUE)
                                .explain(heart.snapshot(), heart.job(id), Heart.BOB, heart.now())
                                .suggestions())
                .isEmpty();
    }

    @Test
    void whatIsAheadAndWhoHoldsTheNodesIsTold() {
        var heart = one();
        var running = heart.run(job().exclusive().timeLimit(HOUR));
        var first = heart.run(job().exclusive().timeLimit(HOUR));
        var second = heart.run(job().exclusive().timeLimit(HOUR));

        var explanation = explain(heart, second);

        assertThat(explanation.place()).isEqualTo(2);
        assertThat(explanation.ahead()).extracting(job -> job.id()).containsExactly(first);
        assertThat(explanation.holding()).extracting(job -> job.id()).containsExactly(running);
        assertThat(explanation.start()).isEqualTo(START.plus(ofHours(2)));
        assertThat(explanation.nodes()).isEqualTo("node1");
    }

    @Test
    void noMoreIsTriedThanTheBoundsAllow() {
        var heart = two();
        heart.run(job().exclusive().timeLimit(HOUR));
        var id = heart.run(job().nodes(2).timeLimit(HOUR));

        var explanation =
                new Explainer(BackfillPass.Bounds.DEFAULTS, 1)
                        .explain(heart.snapshot(), heart.job(id), ALICE, heart.now());

        assertThat(explanation.isExhausted()).isTrue();
        assertThat(explanation.reason().word()).isEqualTo("Resources");
        assertThat(explanation.suggestions()).isEmpty();
    }

    @Test
    void askingChangesNothing() {
        var heart = two();
        heart.run(job().exclusive().timeLimit(HOUR));
        var id = heart.run(job().nodes(2).timeLimit(HOUR));
        var before = heart.snapshot();
        var jobs = before.jobs().stream().toList();

        explain(heart, id);

        assertThat(heart.snapshot()).isSameAs(before);
        assertThat(before.jobs().stream().toList()).isEqualTo(jobs);
    }

    @Test
    void longerLimitsAreFoundRatherThanShortOnes() {
        var heart = two();
        heart.run(job().exclusive().timeLimit(ofMinutes(100)));
        heart.run(job().nodes(2).exclusive().timeLimit(HOUR));
        var id = heart.run(job().timeLimit(ofHours(10)));

        assertThat(explain(heart, id).suggestions().stream().map(Suggestion::text))
                .contains("with a time limit of 1:30:00");
    }

    private static Explanation explain(Heart heart, JobId id) {
        return new Explainer(BackfillPass.Bounds.DEFAULTS, Long.MAX_VALUE)
                .explain(heart.snapshot(), heart.job(id), ALICE, heart.now());
    }

    private static JobId follow(Heart heart, JobId id, Suggestion suggestion) {
        return switch (suggestion.way()) {
            case Suggestion.Update(var change, _, _) -> {
                assertThat(heart.update(id, ALICE, change).verdict())
                        .isEqualTo(Result.Verdict.DONE);
                yield id;
            }
            case Suggestion.Release() -> {
                heart.release(id.toString(), ALICE);
                yield id;
            }
            case Suggestion.Resubmit(var spec, _) -> {
                heart.cancel(id.toString(), ALICE);
                var result =
                        heart.apply(
                                new Command.SubmitJob(heart.now(), "", ALICE, spec, null, null));
                yield ((Result.Submitted) result).job();
            }
        };
    }

    /// Of an array, one of its tasks more.
    private static boolean starts(Heart heart, JobId id) {
        var record = heart.job(id);
        return record.state() == JobState.RUNNING
                || record.array() != null
                        && heart.snapshot().jobs().stream()
                                        .filter(job -> job.state() == JobState.RUNNING)
                                        .count()
                                > 1;
    }

    /// Tasks of the array that wait.
    private static JobId pending(Heart heart, JobId array) {
        return heart.task(array, 5).id();
    }

    private static void failLaunch(Heart heart, JobId id, LaunchFault fault) {
        var job = heart.job(id);
        var on = heart.nodesOf(id).getFirst();
        heart.apply(
                new Command.LaunchFailed(
                        heart.now(), id, job.attempt(), StepId.BATCH, on, "test", fault));
        heart.clean(id);
    }

    private static Heart one() {
        return Heart.with(1, NODE);
    }

    private static Heart two() {
        return Heart.with(2, NODE);
    }

    private static Heart lab() {
        return Lab.set(Heart.with(2, NODE, rules().enforcingAccounts(false).build()));
    }

    private static Heart featured() {
        var heart = Heart.with(2, NODE);
        heart.register("node1", node().cpus(8).memory(8000).gpus("mi300x", 4).features("fast"));
        return heart;
    }

    private static Heart twoPartitions() {
        return configured(
                partition("left").nodes("node1"), partition("right").notDefault().nodes("node2"));
    }

    private static Heart configured(PartitionFixture... partitions) {
        var heart = Heart.configured(config(partitions));
        heart.register("node1", NODE);
        heart.register("node2", NODE);
        return heart;
    }

    private static ClusterConfig config(PartitionFixture... partitions) {
        return new ClusterConfig(
                "test",
                Arrays.stream(partitions).map(PartitionFixture::spec).toList(),
                List.of(NodeSpec.of("node[1-2]", NODE.shape())),
                rules().build());
    }
}
