package dev.spur.agent.step;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.agent.cgroup.Cgroups;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/// What the C supervisor does when something comes too late, breaks between two lines, or is not as
/// usual; with real processes.
@EnabledIf(value = "isRoot", disabledReason = "needs root, to run tasks as another user")
@Timeout(60)
final class SupervisorTroubleTest {
    @TempDir Path directory;
    private Supervision supervision;
    private Path output;

    static boolean isRoot() throws IOException {
        return SupervisedStepTest.isRoot();
    }

    @BeforeEach
    void open() {
        supervision = Supervision.in(directory.resolve("spool"), Cgroups.none());
        output = directory.resolve("out");
    }

    @AfterEach
    void close() {
        supervision.close();
    }

    private static void await(String what, Path file, Predicate<String> wanted) throws IOException {
        var end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (!Files.exists(file) || !wanted.test(Files.readString(file))) {
            assertThat(System.nanoTime()).as(what).isLessThan(end);
            Thread.onSpinWait();
        }
    }

    @Test
    void sleepsThoughItsLimitsRunOutAfterItsEnd() throws Exception {
        var started = supervision.start(StepPlans.command("echo", "word").streamed().plan());
        var ended = started.await(StepStatus::hasEnded);

        try (var orders =
                FrameConnection.open(supervision.directory(ended.key()).resolve("control"))) {
            for (var type : List.of('H', 'T', 'Q')) {
                orders.send(type, new byte[Long.BYTES]);
                assertThat(orders.receive().type()).isEqualTo('k');
            }
            await(
                    "the supervisor has nothing to do and sleeps",
                    Path.of("/proc/%d/stat".formatted(ended.supervisor())),
                    stat -> stat.substring(stat.lastIndexOf(')')).startsWith(") S"));
        }
    }

    @Test
    void isFoundAsLostWhenItsSupervisorDiesBeforeItHasSaidAnything() throws Exception {
        var plan = StepPlans.script("echo $PPID; exec sleep 1000").outputTo(output).plan();

        try (var _ = supervision.delaying("rename", Duration.ofSeconds(2))) {
            supervision.launchUnheard(plan);
            await("the task has begun", output, text -> text.endsWith("\n"));
            var supervisor =
                    ProcessHandle.of(Long.parseLong(Files.readString(output).strip()))
                            .orElseThrow();
            supervisor.destroyForcibly();
            supervisor.onExit().get();
        }

        assertThat(supervision.launcher().find())
                .singleElement()
                .isInstanceOf(StepLauncher.FoundStep.Lost.class);
    }

    @Test
    void isLostAndNotLaunchedInVainWhenItsSupervisorDiesBeforeItHasSaidAnything() throws Exception {
        var plan = StepPlans.script("echo $PPID; exec sleep 1000").outputTo(output).plan();

        try (var _ = supervision.delaying("rename", Duration.ofSeconds(2))) {
            var launch = new FutureTask<>(() -> supervision.start(plan));
            Thread.ofVirtual().start(launch);
            await("the task has begun", output, text -> text.endsWith("\n"));
            ProcessHandle.of(Long.parseLong(Files.readString(output).strip()))
                    .orElseThrow()
                    .destroyForcibly();

            assertThat(launch.get().awaitLoss()).isEqualTo("the step supervisor was killed");
        }
    }

    /// As when no descriptor is left at that moment: whether it began is not known until it can be
    /// read.
    @Test
    void isNotLaunchedInVainWhenItCannotBeReadForAWhileWhetherItBegan() throws Exception {
        var plan = StepPlans.script("echo $PPID; exec sleep 1000").outputTo(output).plan();
        var status = supervision.directory(plan.key()).resolve("status");

        try (var _ = supervision.delaying("rename", Duration.ofSeconds(2))) {
            var launch = new FutureTask<>(() -> supervision.start(plan));
            var launching = Thread.ofPlatform().start(launch);
            await("the task has begun", output, text -> text.endsWith("\n"));
            var kept = makeUnreadable(status);
            ProcessHandle.of(Long.parseLong(Files.readString(output).strip()))
                    .orElseThrow()
                    .destroyForcibly();
            awaitState(launching, Thread.State.TIMED_WAITING);

            Files.move(kept, status, StandardCopyOption.ATOMIC_MOVE);

            assertThat(launch.get().awaitLoss()).isEqualTo("the step supervisor was killed");
        }
    }

    @Test
    void isNotLostWhenTheEndItLeftCannotBeReadForAWhile() throws Exception {
        var started = supervision.start(StepPlans.script("exec sleep 1000").plan());
        var running = started.await(one -> one.state() == StepStatus.State.RUNNING);
        var status = supervision.directory(running.key()).resolve("status");
        var kept = makeUnreadable(status);
        var end =
                Files.writeString(
                        kept,
                        Files.readString(kept).replace("state running", "state ended\nended 7"));

        ProcessHandle.of(running.supervisor()).orElseThrow().destroyForcibly();
        awaitState(supervision.lastReader(), Thread.State.TIMED_WAITING);
        Files.move(end, status, StandardCopyOption.ATOMIC_MOVE);

        assertThat(started.await(StepStatus::hasEnded).endedMillis()).isEqualTo(7);
    }

    /// @return where it is meanwhile
    private Path makeUnreadable(Path status) throws IOException {
        var kept = Files.move(status, directory.resolve("kept"));
        Files.createSymbolicLink(status, status);
        return kept;
    }

    private static void awaitState(Thread thread, Thread.State wanted) {
        var end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (thread.getState() != wanted) {
            assertThat(thread.isAlive()).as("it asks on").isTrue();
            assertThat(System.nanoTime()).as("%s", thread.getState()).isLessThan(end);
            Thread.onSpinWait();
        }
    }

    /// The next agent comes while the supervisor is about to begin.
    @Test
    void isNotForgottenWhenItIsFoundBetweenItsClaimAndItsFirstTask() throws Exception {
        var plan = StepPlans.script("exec sleep 1000").outputTo(output).plan();

        try (var _ = supervision.delaying("fcntl", Duration.ofMillis(500))) {
            supervision.launchUnheard(plan);
            await("it is claimed", supervision.directory(plan.key()).resolve("claim"), _ -> true);

            var found = supervision.launcher().find();

            assertThat(found).singleElement().isInstanceOf(StepLauncher.FoundStep.Running.class);
            supervision.adopt(((StepLauncher.FoundStep.Running) found.getFirst()).status());
        }
    }

    @Test
    void isLostWhenItsStatusCannotBeReadAnyMore() throws Exception {
        var started = supervision.start(StepPlans.script("exec sleep 1000").plan());
        var running = started.await(status -> status.state() == StepStatus.State.RUNNING);
        ProcessHandle.of(running.supervisor()).orElseThrow().destroyForcibly();
        started.awaitLoss();

        Files.writeString(supervision.directory(running.key()).resolve("status"), "");

        assertThat(supervision.launcher().find())
                .singleElement()
                .isEqualTo(
                        new StepLauncher.FoundStep.Lost(
                                running.key(), 0, "the step's status cannot be read"));
    }

    @Test
    void isLostWhenItsStatusIsNotEvenText() throws Exception {
        var started = supervision.start(StepPlans.script("exec sleep 1000").plan());
        var running = started.await(status -> status.state() == StepStatus.State.RUNNING);
        Files.write(
                supervision.directory(running.key()).resolve("status"), new byte[] {-1, -2, -3});

        var supervisor = ProcessHandle.of(running.supervisor()).orElseThrow();
        supervisor.destroyForcibly();
        assertThat(started.awaitLoss()).isEqualTo("the step supervisor was killed");
        supervisor.onExit().get();

        assertThat(supervision.launcher().find())
                .singleElement()
                .isInstanceOf(StepLauncher.FoundStep.Lost.class);
    }

    @Test
    void isLostOnlyWhenNothingOfItIsLeft() throws Exception {
        var groups = new StubbornCgroups(3);
        try (var stubborn = Supervision.in(directory.resolve("stubborn"), groups)) {
            var started = stubborn.start(StepPlans.script("exec sleep 1000").plan());
            var running = started.await(status -> status.state() == StepStatus.State.RUNNING);

            ProcessHandle.of(running.supervisor()).orElseThrow().destroyForcibly();
            started.awaitLoss();

            assertThat(groups.left()).isZero();
        }
    }

    @Test
    void runsNoTaskWhoseStreamsCannotBeMade() throws Exception {
        var plan = StepPlans.script("touch " + output).streamed().plan();

        try (var _ = supervision.failing("pipe2", "EMFILE")) {
            var status = supervision.run(plan);

            assertThat(status.tasks())
                    .singleElement()
                    .extracting(StepStatus.Task::code)
                    .isEqualTo(1);
            assertThat(status.error())
                    .isEqualTo("cannot make a stream for the task: Too many open files");
            assertThat(status.nodeFault()).isFalse();
        }
        assertThat(output).doesNotExist();
    }

    @Test
    void goesOnWithATaskThatLetsItselfBeTraced() throws Exception {
        var traced =
                """
                my $ptrace = `uname -m` =~ /aarch64/ ? 117 : 101;
                syscall($ptrace, 0, 0, 0, 0);
                exec "sh", "-c", "kill -USR1 \\$\\$; exit 3";
                """;

        var status =
                supervision.run(
                        StepPlans.command("perl", "-e", "$SIG{USR1} = 'IGNORE';" + traced).plan());

        assertThat(status.tasks()).singleElement().extracting(StepStatus.Task::code).isEqualTo(3);
    }

    @Test
    void warnsAtOnceWhenTheWarningIsDueLongerBeforeTheEndThanThereIsTime() throws Exception {
        var plan =
                StepPlans.command("sleep", "1000")
                        .timeLimit(Duration.ofSeconds(50))
                        .warning(new StepPlan.Warning(10, Duration.ofDays(100_000), false))
                        .plan();

        var status = supervision.run(plan);

        assertThat(status.timedOut()).isFalse();
        assertThat(status.tasks())
                .singleElement()
                .extracting(StepStatus.Task::signal)
                .isEqualTo(10);
    }

    @Test
    void takesTheEnvironmentOfALoginThatLeavesSomethingRunning() throws Exception {
        var home = Files.createDirectory(directory.resolve("home"));
        Files.writeString(home.resolve(".bash_profile"), "sleep 1000 &\nexport FROM_LOGIN=1\n");
        var login =
                new StepPlan.Login(
                        "/bin/bash",
                        Duration.ofSeconds(20),
                        List.of("HOME=" + home, "PATH=/usr/bin:/bin"));

        supervision.run(StepPlans.script("echo $FROM_LOGIN").login(login).outputTo(output).plan());

        assertThat(output).content().isEqualTo("1\n");
    }
}
