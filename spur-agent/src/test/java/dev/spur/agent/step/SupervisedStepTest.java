package dev.spur.agent.step;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.spur.agent.cgroup.Cgroups;
import dev.spur.agent.step.SupervisedStep.StreamPosition;
import dev.spur.api.v1.LaunchFault;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/// What the C supervisor promises, with real processes.
@EnabledIf(value = "isRoot", disabledReason = "needs root, to run tasks as another user")
final class SupervisedStepTest {
    private static final int PIPE_BYTES = 64 << 10;

    @TempDir Path directory;
    private Supervision supervision;

    static boolean isRoot() throws IOException {
        return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
    }

    @BeforeEach
    void open() {
        supervision = Supervision.in(directory.resolve("spool"), Cgroups.none());
    }

    @AfterEach
    void close() {
        supervision.close();
    }

    @Test
    void runsAScriptAsTheUserWithItsArguments() throws Exception {
        var output = directory.resolve("out");

        var status =
                supervision.run(
                        StepPlans.script("echo $1; id -u; id -g; id -G; exit 3")
                                .arguments("word")
                                .outputTo(output)
                                .plan());

        assertThat(status.tasks()).singleElement().extracting(StepStatus.Task::code).isEqualTo(3);
        assertThat(output).content().isEqualTo("word\n54321\n54321\n54321 54322\n");
        assertThat(Files.getAttribute(output, "unix:uid")).isEqualTo(StepPlans.UID);
    }

    @Test
    void givesATaskNothingButItsOwnEnvironmentAndFiles() throws Exception {
        var output = directory.resolve("out");
        var plan =
                StepPlans.command("sh", "-c", "env; ls /proc/self/fd | wc -l; umask; pwd")
                        .environment("OWN=1")
                        .outputTo(output)
                        .plan();

        supervision.run(plan);

        // Three standard files and the directory that ls reads.
        assertThat(
                        Files.readAllLines(output).stream()
                                .filter(line -> !line.startsWith("SLURM_TASK_PID=")))
                .containsExactlyInAnyOrder(
                        "PATH=/usr/bin:/bin",
                        "OWN=1",
                        "SLURM_PROCID=0",
                        "PWD=/tmp",
                        "4",
                        "0022",
                        "/tmp");
    }

    @Test
    void removesTheScriptWhenTheStepHasEnded() throws Exception {
        var status = supervision.run(StepPlans.script("true").plan());

        assertThat(supervision.directory(status.key()).resolve("slurm_script")).doesNotExist();
    }

    @Test
    void tellsTheSignalThatKilledATask() throws Exception {
        var status = supervision.run(StepPlans.script("kill -SEGV $$").plan());

        assertThat(status.tasks())
                .singleElement()
                .extracting(StepStatus.Task::signal)
                .isEqualTo(11);
    }

    @Test
    void goesToTmpWhenTheWorkingDirectoryIsMissing() throws Exception {
        var output = directory.resolve("out");

        supervision.run(StepPlans.script("pwd").in("/no/such/place").outputTo(output).plan());

        assertThat(output)
                .content()
                .isEqualTo(
                        "slurmstepd-node1: error: couldn't chdir to `/no/such/place': No such file or directory: going to /tmp instead\n/tmp\n");
    }

    @Test
    void endsWithSignal53WhenTheOutputCannotBeOpened() throws Exception {
        var status =
                supervision.run(
                        StepPlans.script("true").outputTo(Path.of("/no/such/place/out")).plan());

        assertThat(status.tasks())
                .singleElement()
                .extracting(StepStatus.Task::signal)
                .isEqualTo(53);
        assertThat(status.error())
                .isEqualTo(
                        "Could not open stdout file /no/such/place/out: No such file or directory");
    }

    @Test
    void opensFilesWithTheUsersPermissionsOnly() throws Exception {
        var forbidden = Files.createFile(directory.resolve("root-only"));

        var status = supervision.run(StepPlans.script("true").outputTo(forbidden).plan());

        assertThat(status.error()).endsWith("Permission denied");
    }

    @Test
    void exitsWithTheErrorNumberWhenTheCommandIsMissing() throws Exception {
        var output = directory.resolve("out");

        var status = supervision.run(StepPlans.command("no-such-command").outputTo(output).plan());

        assertThat(status.tasks()).singleElement().extracting(StepStatus.Task::code).isEqualTo(2);
        assertThat(output)
                .content()
                .isEqualTo(
                        "slurmstepd-node1: error: execve(): no-such-command: No such file or directory\n");
    }

    @Test
    void killsATaskThatIgnoresTheEndOfItsTimeLimit() throws Exception {
        var output = directory.resolve("out");
        var plan =
                StepPlans.script("trap 'echo asked' TERM; sleep 100; sleep 100; sleep 100")
                        .outputTo(output)
                        .timeLimit(Duration.ofMillis(200))
                        .killWait(Duration.ofMillis(300))
                        .job(12)
                        .plan();

        var status = supervision.run(plan);

        assertThat(status.timedOut()).isTrue();
        assertThat(status.tasks()).singleElement().extracting(StepStatus.Task::signal).isEqualTo(9);
        assertThat(Files.readString(output))
                .containsPattern(
                        "slurmstepd-node1: error: \\*\\*\\* JOB 12 ON node1 CANCELLED AT [-0-9T:]+ DUE TO TIME LIMIT \\*\\*\\*")
                .contains("asked");
    }

    /// The limit is over when the task has just been forked, and its first system call is made to
    /// take longer than that.
    @Test
    void losesNoSignalThatComesWhileATaskIsBeingStarted() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/strace")), "strace is not installed");
        var plan =
                StepPlans.command("sleep", "1000")
                        .timeLimit(Duration.ZERO)
                        .killWait(Duration.ofSeconds(10))
                        .plan();

        try (var _ = supervision.delaying("setsid", Duration.ofMillis(300))) {
            var status = supervision.run(plan);

            assertThat(status.tasks())
                    .singleElement()
                    .extracting(StepStatus.Task::signal)
                    .isEqualTo(15);
        }
    }

    @Test
    void warnsTheBatchShellBeforeTheTimeLimitEnds() throws Exception {
        var output = directory.resolve("out");
        var plan =
                StepPlans.script("trap 'echo warned; exit 7' USR1; while :; do sleep 0.05; done")
                        .outputTo(output)
                        .timeLimit(Duration.ofSeconds(60))
                        .warning(new StepPlan.Warning(10, Duration.ofMillis(59_500), true))
                        .plan();

        var status = supervision.run(plan);

        assertThat(status.tasks()).singleElement().extracting(StepStatus.Task::code).isEqualTo(7);
        assertThat(output).content().isEqualTo("warned\n");
    }

    @Test
    void leavesNothingRunningThatADeadTaskHasStarted() throws Exception {
        var output = directory.resolve("out");

        supervision.run(
                StepPlans.script(
                                "(setsid sleep 1000 & echo $! ) ; (nohup sleep 1000 >/dev/null & echo $!)")
                        .outputTo(output)
                        .plan());

        assertThat(Files.readAllLines(output))
                .hasSize(2)
                .allMatch(pid -> !Files.exists(Path.of("/proc", pid)));
    }

    @Test
    void endsTheOtherTasksWhenOneFailsIfAskedTo() throws Exception {
        var output = directory.resolve("out");
        var plan =
                StepPlans.command("sh", "-c", "test $SLURM_PROCID = 1 && exit 4; exec sleep 100")
                        .tasks(3)
                        .outputTo(output)
                        .killOnBadExit()
                        .killWait(Duration.ofSeconds(5))
                        .plan();

        var status = supervision.run(plan);

        assertThat(status.tasks())
                .extracting(StepStatus.Task::code, StepStatus.Task::signal)
                .containsExactly(tuple(0, 15), tuple(4, 0), tuple(0, 15));
        assertThat(Files.readString(output)).containsPattern("CANCELLED AT [-0-9T:]+ \\*\\*\\*");
    }

    @Test
    void broadcastsInputAndStreamsOutputOfEveryTask() throws Exception {
        var step =
                supervision.start(
                        StepPlans.command("sh", "-c", "sed s/^/$SLURM_PROCID:/")
                                .tasks(2)
                                .streamed()
                                .plan());
        var recorder = new StreamRecorder();

        var attachment = step.step().attach(List.of(), recorder);
        attachment.input(
                StepAttachment.EVERY_RANK, 0, "one\ntwo\n".getBytes(StandardCharsets.UTF_8));
        attachment.endInput(StepAttachment.EVERY_RANK);

        assertThat(recorder.whole(0)).isEqualTo("0:one\n0:two\n");
        assertThat(recorder.whole(1)).isEqualTo("1:one\n1:two\n");
    }

    @Test
    void holdsBackATaskWhoseOutputNobodyTakes() throws Exception {
        var done = directory.resolve("done");
        var plan =
                StepPlans.command("sh", "-c", "yes | head -c 3000000; touch " + done)
                        .streamed()
                        .plan();
        var step = supervision.start(plan);
        var idle = new StreamRecorder();
        var attachment = step.step().attach(List.of(), idle);
        idle.awaitText(0, "y\n".repeat(128 * 1024)); // as much as the supervisor keeps

        assertThat(done).doesNotExist();

        attachment.close();
        var eager = new StreamRecorder();
        eager.acknowledgeTo(step.step().attach(List.of(), eager));
        assertThat(eager.whole(0)).hasSize(3_000_000);
        assertThat(done).exists();
    }

    @Test
    void givesOutputAgainFromAnOffset() throws Exception {
        var step =
                supervision.start(
                        StepPlans.command("sh", "-c", "echo 0123456789; read x").streamed().plan());
        var first = new StreamRecorder();
        var attachment = step.step().attach(List.of(), first);
        first.awaitText(0, "0123456789\n");
        attachment.close();

        var second = new StreamRecorder();
        step.step()
                .attach(List.of(new StreamPosition(0, 1, 7)), second)
                .endInput(StepAttachment.EVERY_RANK);

        assertThat(second.whole(0)).isEqualTo("789\n");
    }

    @Test
    void givesATaskATerminalThatCanChangeItsSize() throws Exception {
        var step =
                supervision.start(
                        StepPlans.command(
                                        "bash",
                                        "-c",
                                        "stty -echo; stty size; tty >/dev/null && read x; stty size; id -u")
                                .onTerminal(24, 80)
                                .plan());
        var recorder = new StreamRecorder();
        var attachment = step.step().attach(List.of(), recorder);
        recorder.awaitText(0, "24 80\r\n");

        attachment.resize(50, 132);
        attachment.input(StepAttachment.EVERY_RANK, 0, "\n".getBytes(StandardCharsets.UTF_8));

        assertThat(recorder.whole(0)).isEqualTo("24 80\r\n50 132\r\n54321\r\n");
    }

    @Test
    void whoLooksOnSeesAndTypesBesideTheCaller() throws Exception {
        var step = supervision.start(StepPlans.command("cat").streamed().plan());
        var caller = new StreamRecorder();
        var viewer = new StreamRecorder();
        var ofCaller = step.step().attach(List.of(), caller);
        var ofViewer = step.step().lookOn(List.of(), viewer);

        ofCaller.input(StepAttachment.EVERY_RANK, 0, "a\n".getBytes(StandardCharsets.UTF_8));
        viewer.awaitText(0, "a\n");
        ofViewer.type(StepAttachment.EVERY_RANK, "b\n".getBytes(StandardCharsets.UTF_8));
        caller.awaitText(0, "b\n");
        ofCaller.input(StepAttachment.EVERY_RANK, 2, "c\n".getBytes(StandardCharsets.UTF_8));
        ofCaller.endInput(StepAttachment.EVERY_RANK);

        assertThat(caller.whole(0)).isEqualTo("a\nb\nc\n");
        assertThat(viewer.whole(0)).isEqualTo("a\nb\nc\n");
    }

    @Test
    void nothingWaitsForWhoLooksOn() throws Exception {
        var step = supervision.start(StepPlans.command("seq", "1", "200000").streamed().plan());
        var caller = new StreamRecorder();
        var viewer = new StreamRecorder(); // that acknowledges nothing
        var _ = step.step().lookOn(List.of(), viewer);
        var ofCaller = step.step().attach(List.of(), caller);
        caller.acknowledgeTo(ofCaller);

        assertThat(caller.whole(0)).endsWith("\n200000\n");
    }

    @Test
    void lastingTerminalWaitsForNoReaderAndShowsItsLastOutputToWhoComesLater() throws Exception {
        var step =
                supervision.start(
                        StepPlans.command(
                                        "bash",
                                        "-c",
                                        "stty -echo -onlcr; seq 1 100000; read x; echo bye")
                                .onLastingTerminal(64 << 10)
                                .plan());
        var first = new StreamRecorder();
        var _ = step.step().lookOn(List.of(), first);
        first.awaitText(0, "\n100000\n");

        var second = new StreamRecorder();
        var later = step.step().lookOn(List.of(), second);
        second.awaitText(0, "\n99990\n");
        later.type(StepAttachment.EVERY_RANK, "\n".getBytes(StandardCharsets.UTF_8));

        assertThat(second.whole(0)).endsWith("\n100000\nbye\n").hasSizeLessThan(70_000);
    }

    @Test
    void survivesTheAgentAndTheZygoteAndIsAdopted() throws Exception {
        var output = directory.resolve("out");
        var pipe = directory.resolve("pipe");
        makePipe(pipe);
        var started =
                supervision.start(
                        StepPlans.script("read line < " + pipe + "; echo $line")
                                .outputTo(output)
                                .plan());
        started.await(status -> status.state() == StepStatus.State.RUNNING);
        supervision.vanish();
        supervision.launcher().stopZygote();

        var found = supervision.launcher().find();
        assertThat(found).singleElement().isInstanceOf(StepLauncher.FoundStep.Running.class);
        var adopted =
                supervision.adopt(((StepLauncher.FoundStep.Running) found.getFirst()).status());
        Files.writeString(pipe, "still here\n");

        adopted.await(StepStatus::hasEnded);
        assertThat(output).content().isEqualTo("still here\n");
    }

    @Test
    void leavesItsExitStatusForTheNextAgent() throws Exception {
        var started = supervision.start(StepPlans.script("exit 5").plan());
        var key = started.await(status -> true).key();
        supervision.vanish();

        var ended = awaitEnd();
        assertThat(ended.tasks()).singleElement().extracting(StepStatus.Task::code).isEqualTo(5);
        assertThat(ended.key()).isEqualTo(key);
    }

    @Test
    void endsItselfWhenItsLeaseIsOverEvenIfTheAgentIsDead() throws Exception {
        var output = directory.resolve("out");
        var plan = StepPlans.script("exec sleep 1000").outputTo(output).job(12).plan();
        supervision.start(plan, plan.killWait().plusMillis(200));
        supervision.vanish();

        var ended = awaitEnd();

        assertThat(ended.leaseOver()).isTrue();
        assertThat(ended.tasks()).singleElement().extracting(StepStatus.Task::signal).isEqualTo(15);
        assertThat(output).content().contains("JOB 12 ON node1 CANCELLED AT", "NODE FAILURE");
    }

    @Test
    void beginsToEndAsMuchBeforeItsLeaseAsItsProcessesMayTake() throws Exception {
        var plan = StepPlans.script("exec sleep 1000").killWait(Duration.ofHours(1)).plan();
        var started = supervision.start(plan, Duration.ofHours(1).plusMillis(200));

        assertThat(started.await(StepStatus::hasEnded).leaseOver()).isTrue();
    }

    /// A host that was suspended wakes up after its lease: the job runs elsewhere then.
    @Test
    void countsItsLeaseByAClockThatGoesOnWhileTheHostSleeps() throws Exception {
        var clockBoottime = 7;
        var started =
                supervision.start(StepPlans.script("exec sleep 1000").plan(), Duration.ofHours(1));
        var running = started.await(status -> status.state() == StepStatus.State.RUNNING);

        assertThat(timersOf(running.supervisor(), clockBoottime))
                .singleElement()
                .satisfies(left ->
                        assertThat(left).isBetween(Duration.ofMinutes(50), Duration.ofHours(1)));
    }

    /// What is left on the running timers of a process.
    private static List<Duration> timersOf(long pid, int clock) throws IOException {
        var found = new ArrayList<Duration>();
        try (var descriptors = Files.list(Path.of("/proc/%d/fdinfo".formatted(pid)))) {
            for (var descriptor : descriptors.toList()) {
                var text = Files.readString(descriptor);
                var value = Pattern.compile("it_value: \\((\\d+),").matcher(text);
                if (text.contains("clockid: %d\n".formatted(clock)) && value.find()) {
                    found.add(Duration.ofSeconds(Long.parseLong(value.group(1))));
                }
            }
        }
        return found;
    }

    @Test
    void leavesNothingWhenItsLeaseEndsThoughItsKillWaitIsLonger() throws Exception {
        var pipe = directory.resolve("pipe");
        makePipe(pipe);
        var plan =
                StepPlans.script(
                                "trap '' TERM; echo deaf > %s; while :; do sleep 1; done"
                                        .formatted(pipe))
                        .killWait(Duration.ofHours(1))
                        .plan();
        var started = supervision.start(plan);
        assertThat(Files.readString(pipe)).isEqualTo("deaf\n");

        started.step().lease(Duration.ofMillis(300));

        var ended = started.await(StepStatus::hasEnded);

        assertThat(ended.leaseOver()).isTrue();
        assertThat(ended.tasks()).singleElement().extracting(StepStatus.Task::signal).isEqualTo(9);
    }

    @Test
    void goesOnAsLongAsItsLeaseIsRenewed() throws Exception {
        var pipe = directory.resolve("pipe");
        makePipe(pipe);
        var started =
                supervision.start(
                        StepPlans.script("read line < " + pipe).plan(), Duration.ofSeconds(50));
        started.step().lease(Duration.ofDays(1));
        started.step().lease(null);
        started.await(status -> status.state() == StepStatus.State.RUNNING);
        Files.writeString(pipe, "done\n");

        assertThat(started.await(StepStatus::hasEnded).leaseOver()).isFalse();
    }

    private StepStatus awaitEnd() {
        while (true) {
            if (supervision.launcher().find().getFirst()
                    instanceof StepLauncher.FoundStep.Ended(var status)) {
                return status;
            }
            Thread.onSpinWait();
        }
    }

    @Test
    void takesItsTasksAlongWhenTheSupervisorIsKilled() throws Exception {
        var started = supervision.start(StepPlans.script("exec sleep 1000").plan());
        var running = started.await(status -> status.state() == StepStatus.State.RUNNING);
        var task = ProcessHandle.of(running.tasks().getFirst().pid()).orElseThrow();

        ProcessHandle.of(running.supervisor()).orElseThrow().destroyForcibly();

        assertThat(started.awaitLoss()).isEqualTo("the step supervisor was killed");
        task.onExit().get();
        assertThat(supervision.launcher().find())
                .singleElement()
                .isInstanceOf(StepLauncher.FoundStep.Lost.class);
    }

    @Test
    void reportsAStepOfAnEarlierBootAsLost() throws Exception {
        var started = supervision.start(StepPlans.script("exec sleep 1000").plan());
        var running = started.await(status -> status.state() == StepStatus.State.RUNNING);
        var supervisor = ProcessHandle.of(running.supervisor()).orElseThrow();
        supervisor.destroyForcibly();
        supervisor.onExit().get();
        started.awaitLoss();

        var rebooted = Supervision.in(directory.resolve("spool"), Cgroups.none(), "another boot");

        assertThat(rebooted.launcher().find())
                .singleElement()
                .isEqualTo(
                        new StepLauncher.FoundStep.Lost(
                                running.key(), running.startedMillis(), "the node was restarted"));
        rebooted.close();
    }

    /// It may be about to answer when it is dismissed and hung up on: what was said before counts.
    @Test
    void goesWhenItIsDismissedThoughNobodyHearsItsAnswers() throws Exception {
        for (var job = 1; job <= 30; job++) {
            supervision.start(StepPlans.command("yes").streamed().job(job).plan());
        }

        supervision.close();

        assertThat(supervision.launcher().find())
                .noneMatch(StepLauncher.FoundStep.Running.class::isInstance);
    }

    @Test
    void refusesALaunchThatNoNodeCouldRunAsItsOwnFault() throws Exception {
        var nonsense = StepPlans.script("true").arguments("a\0b").plan();

        assertThatThrownBy(() -> supervision.start(nonsense))
                .isInstanceOfSatisfying(
                        LaunchException.class,
                        e -> assertThat(e.fault()).isEqualTo(LaunchFault.FAULT_LAUNCH))
                .hasMessage("a text of the launch holds a NUL");
        assertThat(supervision.launcher().find()).isEmpty();
    }

    @Test
    void blamesTheNodeForAControlGroupThatTakesNoProcess() throws Exception {
        var broken = new BrokenCgroups(directory.resolve("no-such-group"));
        try (var here = Supervision.in(directory.resolve("other"), broken)) {
            var status = here.run(StepPlans.script("true").plan());

            assertThat(status.nodeFault()).isTrue();
            assertThat(status.error()).startsWith("cannot join cgroup");
        }
    }

    @Test
    void blamesNobodyButTheJobForFilesThatCannotBeOpened() throws Exception {
        var status =
                supervision.run(
                        StepPlans.script("true").outputTo(Path.of("/no/such/place/out")).plan());

        assertThat(status.nodeFault()).isFalse();
    }

    @Test
    void endsAtItsOwnLimitHoweverMuchTimeItsJobHas() throws Exception {
        var output = directory.resolve("out");
        var step =
                supervision.start(
                        StepPlans.command("sleep", "1000")
                                .outputTo(output)
                                .timeLimit(Duration.ofHours(1))
                                .stepLimit(Duration.ofMillis(300))
                                .job(12)
                                .plan());
        step.step().limitTime(Duration.ofHours(2));

        var status = step.await(StepStatus::hasEnded);

        assertThat(status.tasks())
                .singleElement()
                .extracting(StepStatus.Task::signal)
                .isEqualTo(15);
        assertThat(output)
                .content()
                .matches(
                        "slurmstepd-node1: error: \\*\\*\\* STEP 12.0 ON node1 CANCELLED AT [-0-9T:]+ DUE TO TIME LIMIT \\*\\*\\*\n");
    }

    private StepPlan.Login login(Duration patience, String profile) throws IOException {
        var home = Files.createDirectories(directory.resolve("home"));
        Files.writeString(home.resolve(".bash_profile"), profile);
        return new StepPlan.Login(
                "/bin/bash",
                patience,
                List.of("HOME=" + home, "USER=alice", "PATH=/usr/bin:/bin", "ACCOUNT=1"));
    }

    @Test
    void beginsWithTheEnvironmentOfALoginAndLetsTheJobsOwnWin() throws Exception {
        var output = directory.resolve("out");
        var login =
                login(
                        Duration.ofSeconds(30),
                        """
                        echo a profile may be talkative
                        export FROM_LOGIN="two
                        lines" OWN=login WHO=$(id -u)
                        export PATH=$PATH:/opt/bin
                        """);

        supervision.run(
                StepPlans.script("echo $FROM_LOGIN/$OWN/$WHO/${PATH##*:}/$ACCOUNT/$USER/$SHLVL")
                        .withoutEnvironment()
                        .environment("OWN=job")
                        .login(login)
                        .outputTo(output)
                        .plan());

        assertThat(output).content().isEqualTo("two lines/job/54321//opt/bin/1/alice/1\n");
    }

    @Test
    void runsWithWhatItHasWhenTheLoginShellDoesNotAnswer() throws Exception {
        var output = directory.resolve("out");

        var status =
                supervision.run(
                        StepPlans.script("echo $OWN/$ACCOUNT")
                                .environment("OWN=job")
                                .login(login(Duration.ofMillis(500), "sleep 1000"))
                                .outputTo(output)
                                .plan());

        assertThat(status.tasks()).singleElement().extracting(StepStatus.Task::code).isEqualTo(0);
        assertThat(output)
                .content()
                .isEqualTo(
                        "slurmstepd-node1: error: Unable to get user's local environment, running only with passed environment\njob/1\n");
    }

    @Test
    void namesAnInterpreterThatIsMissing() throws Exception {
        var output = directory.resolve("out");

        supervision.run(StepPlans.raw("#!/bin/nosuch -x\ntrue\n").outputTo(output).plan());

        assertThat(output)
                .content()
                .isEqualTo(
                        "slurmstepd-node1: error: execve(): bad interpreter(/bin/nosuch): No such file or directory\n");
    }

    @Test
    void bindsATaskToItsProcessorsAndSaysSo() throws Exception {
        var output = directory.resolve("out");

        supervision.run(
                StepPlans.command("sh", "-c", "grep Cpus_allowed_list /proc/self/status")
                        .binding(new TaskPlan.Binding("0", "cpu-bind=MAP "))
                        .outputTo(output)
                        .plan());

        assertThat(Files.readString(output))
                .matches(
                        "cpu-bind=MAP  - node1, task  0  0 \\[\\d+\\]: mask 0x1 set\nCpus_allowed_list:\t0\n");
    }

    /// A named pipe that somebody holds open, and that takes not one byte more.
    private RandomAccessFile fullPipe(Path path) throws Exception {
        makePipe(path);
        var holder = new RandomAccessFile(path.toFile(), "rw");
        holder.write(new byte[PIPE_BYTES]);
        return holder;
    }

    private static void makePipe(Path path) throws Exception {
        new ProcessBuilder("mkfifo", "-m", "666", path.toString()).start().waitFor();
    }

    @Test
    void endsAtItsTimeLimitThoughItsOutputTakesNothing() throws Exception {
        var pipe = directory.resolve("pipe");
        try (var _ = fullPipe(pipe)) {
            var status =
                    supervision.run(
                            StepPlans.script("exec sleep 1000")
                                    .outputTo(pipe)
                                    .timeLimit(Duration.ofMillis(200))
                                    .plan());

            assertThat(status.timedOut()).isTrue();
            assertThat(status.tasks())
                    .singleElement()
                    .extracting(StepStatus.Task::signal)
                    .isEqualTo(15);
        }
    }

    @Test
    void isKilledOnRequestThoughItsOutputTakesNothing() throws Exception {
        var pipe = directory.resolve("pipe");
        try (var _ = fullPipe(pipe)) {
            var deaf = directory.resolve("deaf");
            makePipe(deaf);
            var step =
                    supervision.start(
                            StepPlans.script(
                                            "trap '' TERM; echo >%s; while :; do sleep 1; done"
                                                    .formatted(deaf))
                                    .outputTo(pipe)
                                    .plan());
            var _ = Files.readString(deaf); // returns when it has been written

            step.step().terminate(Duration.ofMillis(100), "-");

            assertThat(step.await(StepStatus::hasEnded).tasks())
                    .singleElement()
                    .extracting(StepStatus.Task::signal)
                    .isEqualTo(9);
        }
    }

    @Test
    void obeysThoughItsTasksReadNothingOfTheirInput() throws Exception {
        var step = supervision.start(StepPlans.command("sleep", "1000").streamed().plan());
        var recorder = new StreamRecorder();
        var attachment = step.step().attach(List.of(), recorder);
        attachment.input(StepAttachment.EVERY_RANK, 0, new byte[512 << 10]);
        recorder.awaitTaken(PIPE_BYTES); // the rest waits in the supervisor

        step.step().signal(9, false, "");

        assertThat(step.await(StepStatus::hasEnded).tasks())
                .singleElement()
                .extracting(StepStatus.Task::signal)
                .isEqualTo(9);
    }

    @Test
    void passesOnAllInputHoweverSlowlyItIsRead() throws Exception {
        var pipe = directory.resolve("pipe");
        makePipe(pipe);
        var plan = StepPlans.command("sh", "-c", "read x < " + pipe + "; wc -c").streamed().plan();
        var step = supervision.start(plan);
        var recorder = new StreamRecorder();
        var attachment = step.step().attach(List.of(), recorder);
        var sender =
                Thread.startVirtualThread(() -> {
                    var piece = new byte[64 << 10];
                    for (var offset = 0; offset < 640 << 10; offset += piece.length) {
                        attachment.input(StepAttachment.EVERY_RANK, offset, piece);
                    }
                    attachment.endInput(StepAttachment.EVERY_RANK);
                });
        Files.writeString(pipe, "go\n");
        sender.join();

        assertThat(recorder.whole(0).strip()).isEqualTo(Integer.toString(640 << 10));
    }

    @Test
    void givesALimitOnlyAsFarAsTheNodeHasItItself() throws Exception {
        var output = directory.resolve("out");

        supervision.run(
                StepPlans.script("ulimit -Hn; ulimit -Sn")
                        .softLimit("NOFILE=1073741816")
                        .outputTo(output)
                        .plan());

        var own = limit("Max open files");
        assertThat(output).content().isEqualTo("%s\n%s\n".formatted(own, own));
    }

    @Test
    void lowersTheHardLimitWhereTheNodeSaysSo() throws Exception {
        var output = directory.resolve("out");

        supervision.run(
                StepPlans.script("ulimit -Hl; ulimit -Sl")
                        .softLimit("MEMLOCK=1048576")
                        .nodeLimit("MEMLOCK=2048")
                        .outputTo(output)
                        .plan());

        assertThat(output).content().isEqualTo("2\n2\n");
    }

    /// This process's own hard limit, which the zygote has from it.
    private static String limit(String name) throws IOException {
        var line =
                Files.readAllLines(Path.of("/proc/self/limits")).stream()
                        .filter(each -> each.startsWith(name))
                        .findFirst()
                        .orElseThrow();
        return line.substring(name.length()).strip().split(" +")[1];
    }

    /// A directory where the file should go stands for a disk that takes nothing more.
    @Test
    void staysWithAnEndThatTheDiskDoesNotTakeUntilItDoes() throws Exception {
        var pipe = directory.resolve("pipe");
        makePipe(pipe);
        var step = supervision.start(StepPlans.script("read x < " + pipe + "; exit 5").plan());
        var key = step.await(status -> status.state() == StepStatus.State.RUNNING).key();
        var inTheWay = Files.createDirectory(supervision.directory(key).resolve("status.new"));
        Files.writeString(pipe, "go\n");

        assertThat(step.await(StepStatus::hasEnded).unsaved()).isEqualTo("Is a directory");
        supervision.vanish();
        assertThat(supervision.launcher().find())
                .singleElement()
                .isInstanceOf(StepLauncher.FoundStep.Running.class);

        Files.delete(inTheWay);
        assertThat(awaitEnd().tasks())
                .singleElement()
                .extracting(StepStatus.Task::code)
                .isEqualTo(5);
    }

    @Test
    void doesNotStayWithAnEndThatNobodyWantsToKnowOf() throws Exception {
        var pipe = directory.resolve("pipe");
        makePipe(pipe);
        var begun = directory.resolve("begun");
        makePipe(begun);
        var step =
                supervision.start(
                        StepPlans.script("echo > %s; read x < %s".formatted(begun, pipe)).plan());
        var _ = Files.readString(begun); // its script is in the directory that goes
        var running = step.await(status -> status.state() == StepStatus.State.RUNNING);
        var supervisor = ProcessHandle.of(running.supervisor()).orElseThrow();
        try (var files = Files.walk(supervision.directory(running.key()))) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
        supervision.vanish();

        Files.writeString(pipe, "go\n");

        assertThat(supervisor.onExit()).succeedsWithin(Duration.ofSeconds(30));
    }

    @Test
    void startsTheSameStepOnlyOnce() throws Exception {
        var plan = StepPlans.script("exec sleep 1000").plan();
        supervision.start(plan);

        assertThatThrownBy(() -> supervision.start(plan)).isInstanceOf(LaunchException.class);
    }
}
