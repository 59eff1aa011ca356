package dev.spur.controller.raft;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LeaderTasksTest {
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private final List<RuntimeException> failures = new ArrayList<>();
    private final LeaderTasks tasks = new LeaderTasks(waiting::add, failures::add);
    private final List<String> happened = new ArrayList<>();

    @Test
    void aTaskRunsInEveryTermInWhichThisControllerLeads() {
        tasks.add(task("work"));

        leads(1);
        follows(2, "other:6817");
        leads(3);

        assertThat(happened).containsExactly("work begins in 1", "work ends", "work begins in 3");
        assertThat(tasks.leadership()).isEqualTo(new Leadership.Leading(3));
    }

    @Test
    void aTaskThatIsAddedWhileLeadingBeginsAtOnce() {
        leads(1);

        tasks.add(task("late"));
        runAll();

        assertThat(happened).containsExactly("late begins in 1");
    }

    @Test
    void leadershipIsKnownBeforeTheTasksHaveBegun() {
        tasks.add(task("work"));

        tasks.leads(4);

        assertThat(tasks.leadership()).isEqualTo(new Leadership.Leading(4));
        assertThat(happened).isEmpty();
    }

    @Test
    void leadershipThatComesAndGoesWhileTheFirstTaskBeginsDoesNotStick() {
        tasks.add(epoch -> {
            happened.add("first begins in " + epoch);
            tasks.follows(1, null);
            tasks.leads(2);
            tasks.follows(2, null);
            return () -> happened.add("first ends");
        });
        tasks.add(task("second"));

        leads(1);

        assertThat(tasks.leadership()).isEqualTo(new Leadership.Following(null));
        assertThat(happened).containsExactly("first begins in 1", "first ends");
    }

    @Test
    void aTermThatIsLostAndWonAgainWhileTasksBeginRunsThemUnderTheNewOne() {
        var flaps = new boolean[] {true};
        tasks.add(epoch -> {
            happened.add("first begins in " + epoch);
            if (flaps[0]) {
                flaps[0] = false;
                tasks.follows(1, null);
                tasks.leads(2);
            }
            return () -> happened.add("first ends");
        });
        tasks.add(task("second"));

        leads(1);

        assertThat(tasks.leadership()).isEqualTo(new Leadership.Leading(2));
        assertThat(happened)
                .containsExactly(
                        "first begins in 1",
                        "first ends",
                        "first begins in 2",
                        "second begins in 2");
    }

    @Test
    void newsOfAnElectionThatArrivesAfterItsEndChangesNothing() {
        tasks.add(task("work"));

        follows(5, null);
        leads(5);
        leads(4);

        assertThat(tasks.leadership()).isEqualTo(new Leadership.Following(null));
        assertThat(happened).isEmpty();
    }

    @Test
    void theEndOfAnOlderTermDoesNotEndTheNewerOne() {
        leads(7);

        follows(6, "other:6817");

        assertThat(tasks.leadership()).isEqualTo(new Leadership.Leading(7));
    }

    @Test
    void aFollowerLearnsWhoLeadsItsTerm() {
        follows(3, null);
        follows(3, "other:6817");
        follows(3, null);

        assertThat(tasks.leadership()).isEqualTo(new Leadership.Following("other:6817"));
    }

    @Test
    void whatBeganLastEndsFirst() {
        tasks.add(task("one"));
        tasks.add(task("two"));
        leads(1);
        happened.clear();

        tasks.close();
        runAll();

        assertThat(happened).containsExactly("two ends", "one ends");
    }

    @Test
    void nothingBeginsAfterTheEnd() {
        tasks.add(task("work"));
        runAll();

        tasks.close();
        leads(9);

        assertThat(tasks.leadership()).isEqualTo(new Leadership.Following(null));
        assertThat(happened).isEmpty();
    }

    @Test
    void aTaskThatCannotBeginIsTold() {
        var cause = new IllegalStateException("no thread");
        tasks.add(_ -> {
            throw cause;
        });
        runAll();

        leads(1);

        assertThat(failures).containsExactly(cause);
    }

    private LeaderTask task(String name) {
        return epoch -> {
            happened.add(name + " begins in " + epoch);
            return () -> happened.add(name + " ends");
        };
    }

    private void leads(long term) {
        tasks.leads(term);
        runAll();
    }

    private void follows(long term, @Nullable String leader) {
        tasks.follows(term, leader);
        runAll();
    }

    private void runAll() {
        for (var next = waiting.poll(); next != null; next = waiting.poll()) {
            next.run();
        }
    }
}
