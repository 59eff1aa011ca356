package dev.spur.engine.scheduling;

import static dev.spur.engine.fixture.Heart.START;
import static dev.spur.model.fixture.JobFixture.job;
import static dev.spur.model.fixture.NodeFixture.node;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.engine.fixture.Heart;
import dev.spur.engine.fixture.Invariants;
import dev.spur.engine.job.Job;
import dev.spur.engine.state.Result;
import dev.spur.model.JobId;
import dev.spur.model.fixture.JobFixture;
import dev.spur.model.hostlist.Hostlist;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Random queues, and what must be true of every plan.
class PlanPropertyTest {
    private static final int NODES = 5;
    private static final int CPUS = 8;
    private static final int MEMORY = 4000;
    private static final int GPUS = 4;
    private static final int JOBS = 40;

    /// What a job wants: the same on each of some nodes.
    private record Wish(int nodes, int cpus, int memory, int gpus, int minutes) {
        JobFixture job() {
            var fixture =
                    JobFixture.job()
                            .nodes(nodes)
                            .tasksPerNode(1)
                            .cpusPerTask(cpus)
                            .memoryPerNode(memory)
                            .timeLimit(Duration.ofMinutes(minutes));
            return gpus > 0 ? fixture.gpus(gpus) : fixture;
        }

        static Wish random(Random random) {
            return new Wish(
                    1 + random.nextInt(random.nextBoolean() ? 1 : NODES),
                    1 + random.nextInt(CPUS),
                    100 * (1 + random.nextInt(40)),
                    random.nextInt(GPUS + 1),
                    1 + random.nextInt(120));
        }
    }

    /// A job's place in the plan, in minutes from the start.
    private record Planned(Wish wish, List<String> nodes, long from) {
        long to() {
            return from + wish.minutes;
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void everyJobHasItsEarliestPlaceBehindThoseBeforeIt(long seed) {
        var random = new Random(seed);
        var heart = Heart.with(NODES, node().cpus(CPUS).memory(MEMORY).gpus("tesla", GPUS));
        var wishes = new HashMap<JobId, Wish>();
        for (var i = 0; i < JOBS; i++) {
            var wish = Wish.random(random);
            wishes.put(heart.submit(wish.job()), wish);
        }

        var decisions = new BackfillPass().plan(heart.snapshot(), heart.now());

        var plan = new ArrayList<Planned>();
        for (var decision : decisions) {
            var planned = planned(decision, wishes);
            assertThat(fits(plan, planned)).as("%s oversubscribes", planned).isTrue();
            assertThat(earlier(plan, planned)).as("%s could start earlier", planned).isEmpty();
            plan.add(planned);
        }
        assertThat(plan).hasSize(JOBS);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void aJobBehindChangesNothingForThoseBeforeIt(long seed) {
        var random = new Random(seed);
        var heart = Heart.with(NODES, node().cpus(CPUS).memory(MEMORY).gpus("tesla", GPUS));
        Map<JobId, Decision> before = Map.of();
        for (var i = 0; i < JOBS; i++) {
            heart.submit(any(random));

            var after = byJob(new BackfillPass().plan(heart.snapshot(), heart.now()));

            assertThat(after).containsAllEntriesOf(before);
            before = after;
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void aKeptPassDecidesAsAFreshOneDoes(long seed) {
        var random = new Random(seed);
        var heart = Heart.with(NODES, node().cpus(CPUS).memory(MEMORY).gpus("tesla", GPUS));
        var kept = new BackfillPass();
        var running = new ArrayList<JobId>();
        for (var round = 0; round < 60; round++) {
            heart.submit(any(random));
            if (!running.isEmpty() && random.nextInt(3) == 0) {
                var ends = running.remove(random.nextInt(running.size()));
                if (heart.snapshot().job(ends).filter(Job::hasNodes).isPresent()) {
                    heart.finish(ends, 0);
                }
            }
            heart.advance(Duration.ofSeconds(random.nextInt(90)));
            var snapshot = heart.snapshot();

            kept.tellAgain(); // as a fresh one, which has told nothing yet
            var decisions = kept.plan(snapshot, heart.now());

            assertThat(decisions).isEqualTo(new BackfillPass().plan(snapshot, heart.now()));
            StartCommands.of(snapshot, decisions, heart.now()).forEach(heart::apply);
            for (var decision : decisions) {
                if (decision instanceof Decision.Start start
                        && heart.job(start.job()).hasNodes()
                        && heart.job(start.job()).array() == null) {
                    running.add(start.job());
                    heart.begin(start.job());
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void startingOnWhatIsFreeStartsNothingThatAPlanWouldNot(long seed) {
        var random = new Random(seed);
        var heart = Heart.with(NODES, node().cpus(CPUS).memory(MEMORY).gpus("tesla", GPUS));
        for (var i = 0; i < JOBS; i++) {
            heart.submit(any(random));
            var snapshot = heart.snapshot();

            var now = started(new BackfillPass().startNow(snapshot, heart.now()));

            assertThat(started(new BackfillPass().plan(snapshot, heart.now()))).containsAll(now);
        }
    }

    /// Limits up to the longest that can be written, millennia, and none at all.
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void nobodyHasLessThanItAskedForHoweverLongOthersMayRun(long seed) {
        var random = new Random(seed);
        var heart = Heart.with(NODES, node().cpus(CPUS).memory(MEMORY).gpus("tesla", GPUS));
        for (var round = 0; round < 8; round++) {
            for (var i = 0; i < 10; i++) {
                var minutes =
                        1 + random.nextInt(random.nextBoolean() ? 100 : Integer.MAX_VALUE - 1);
                var job = Wish.random(random).job().timeLimit(Duration.ofMinutes(minutes));
                heart.submit(random.nextInt(8) == 0 ? job.unlimited() : job);
            }
            var snapshot = heart.snapshot();

            var commands =
                    StartCommands.of(
                            snapshot, new BackfillPass().plan(snapshot, heart.now()), heart.now());

            for (var command : commands) {
                if (heart.apply(command) instanceof Result.Started(_, var ignored)) {
                    assertThat(ignored).isEmpty();
                }
            }
            Invariants.check(heart.snapshot());
            heart.advance(Duration.ofMinutes(random.nextInt(60)));
        }
    }

    private static List<JobId> started(List<Decision> decisions) {
        return decisions.stream()
                .filter(decision -> decision instanceof Decision.Start)
                .map(Decision::job)
                .toList();
    }

    /// All kinds of jobs.
    private static JobFixture any(Random random) {
        var fixture = Wish.random(random).job();
        var nodes = 1 + random.nextInt(3);
        return switch (random.nextInt(9)) {
            case 0 -> job().tasks(1 + random.nextInt(30)).memoryPerCpu(100);
            case 1 -> job().nodes(nodes).gpusOfJob(nodes + random.nextInt(nodes * (GPUS - 1)));
            case 2 -> job().nodes(1, 1 + random.nextInt(NODES)).tasks(NODES);
            case 5 -> job().gpusOfJob(1 + random.nextInt(NODES * GPUS)).cpusPerGpu(2);
            case 6 -> job().nodes(1, nodes).tasksPerNode(2).gpus(1);
            case 7 -> fixture.atLeast(Duration.ofMinutes(1));
            case 3 -> job().exclusive().unlimited();
            case 4 -> job().array("0-5%2").cpusPerTask(3);
            default -> fixture;
        };
    }

    private static Map<JobId, Decision> byJob(List<Decision> decisions) {
        var byJob = new HashMap<JobId, Decision>();
        for (var decision : decisions) {
            // Of an array record the last word counts: it starts the same tasks in the same order.
            byJob.put(decision.job(), decision);
        }
        return byJob;
    }

    private static Planned planned(Decision decision, Map<JobId, Wish> wishes) {
        var wish = Objects.requireNonNull(wishes.get(decision.job()));
        return switch (decision) {
            case Decision.Start(_, var placement, _, _) ->
                    new Planned(wish, placement.nodeNames(), 0);
            case Decision.Wait wait -> {
                assertThat(wait.expectedStart()).as("%s of %s", wait, wish).isNotNull();
                yield new Planned(
                        wish,
                        Hostlist.parse(wait.expectedNodes()).hosts(),
                        Duration.between(START, wait.expectedStart()).toMinutes());
            }
        };
    }

    /// Whether its nodes have what it wants all the time; looked at minute by minute.
    private static boolean fits(List<Planned> plan, Planned job) {
        return job.nodes.size() == job.wish.nodes
                && job.nodes.stream().allMatch(node -> fits(plan, job.wish, node, job.from));
    }

    private static boolean fits(List<Planned> plan, Wish wish, String node, long from) {
        for (var minute = from; minute < from + wish.minutes; minute++) {
            var cpus = wish.cpus;
            var memory = wish.memory;
            var gpus = wish.gpus;
            for (var other : plan) {
                if (other.from <= minute && minute < other.to() && other.nodes.contains(node)) {
                    cpus += other.wish.cpus;
                    memory += other.wish.memory;
                    gpus += other.wish.gpus;
                }
            }
            if (cpus > CPUS || memory > MEMORY || gpus > GPUS) {
                return false;
            }
        }
        return true;
    }

    /// Times before its own at which enough nodes would have had room.
    private static List<Long> earlier(List<Planned> plan, Planned job) {
        var times = new ArrayList<Long>();
        for (var minute = 0L; minute < job.from; minute++) {
            var found = 0;
            for (var i = 1; i <= NODES; i++) {
                found += fits(plan, job.wish, "node" + i, minute) ? 1 : 0;
            }
            if (found >= job.wish.nodes) {
                times.add(minute);
            }
        }
        return times;
    }
}
