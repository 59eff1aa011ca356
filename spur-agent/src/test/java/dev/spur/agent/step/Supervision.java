package dev.spur.agent.step;

import dev.spur.agent.step.CgroupDriver.StepCgroup;
import dev.spur.runtime.host.ThisHost;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// A spool, a zygote and the steps started there, for one test.
public final class Supervision implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 30;

    private final Path spool;
    private final SupervisorLauncher launcher;
    private final List<Watched> watched = new ArrayList<>();

    private final List<Thread> readers;

    private Supervision(Path spool, SupervisorLauncher launcher, List<Thread> readers) {
        this.spool = spool;
        this.launcher = launcher;
        this.readers = readers;
    }

    public static Supervision in(Path spool, CgroupDriver cgroups) {
        return in(spool, cgroups, ThisHost.bootId());
    }

    public static Supervision in(Path spool, CgroupDriver cgroups, String bootId) {
        try {
            Files.createDirectories(spool);
            var open = PosixFilePermissions.fromString("rwxrwxrwx");
            for (var path = spool;
                    path != null && path.startsWith("/tmp/");
                    path = path.getParent()) {
                Files.setPosixFilePermissions(path, open);
            }
            var readers = new CopyOnWriteArrayList<Thread>();
            return new Supervision(
                    spool,
                    new SupervisorLauncher(
                            NativeSupervisor.program(),
                            spool,
                            cgroups,
                            bootId,
                            task -> {
                                var reader = Thread.ofVirtual().unstarted(task);
                                readers.add(reader);
                                return reader;
                            }),
                    readers);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public SupervisorLauncher launcher() {
        return launcher;
    }

    /// The thread that listens to the step that was started or adopted last.
    public Thread lastReader() {
        return readers.getLast();
    }

    public Path directory(StepKey key) {
        return spool.resolve("steps").resolve(key.directoryName());
    }

    /// Starts a step.
    public Watched start(StepPlan plan) throws LaunchException {
        return start(plan, null);
    }

    public Watched start(StepPlan plan, @Nullable Duration lease) throws LaunchException {
        var statuses = new Watched();
        statuses.step = launcher.launch(plan, lease, statuses);
        watched.add(statuses);
        return statuses;
    }

    /// Starts a step and waits for its end.
    public StepStatus run(StepPlan plan) throws LaunchException {
        return start(plan).await(StepStatus::hasEnded);
    }

    /// Until closed, this system call takes so much longer in the zygote and all that it starts.
    public AutoCloseable delaying(String call, Duration pause) throws Exception {
        return injecting(call, "delay_enter=" + pause.toNanos() / 1_000);
    }

    /// Until closed, this system call fails in the zygote and all that it starts.
    public AutoCloseable failing(String call, String error) throws Exception {
        return injecting(call, "error=" + error);
    }

    private AutoCloseable injecting(String call, String what) throws Exception {
        var first = run(StepPlans.script("true").job(999).plan());
        var zygote =
                ProcessHandle.of(first.supervisor()).flatMap(ProcessHandle::parent).orElseThrow();
        watched.removeLast().step().dismiss();
        launcher.remove(first.key());
        var strace =
                new ProcessBuilder(
                                "strace",
                                "-f",
                                "-e",
                                "trace=" + call,
                                "-e",
                                "inject=%s:%s".formatted(call, what),
                                "-p",
                                Long.toString(zygote.pid()))
                        .redirectErrorStream(true)
                        .start();
        strace.inputReader().readLine(); // it says that it has attached
        return () -> {
            strace.destroy();
            strace.waitFor();
        };
    }

    /// Launches as an agent does that dies before it hears of the step.
    public void launchUnheard(StepPlan plan) throws IOException {
        launcher.warmUp();
        var directory = new StepDirectory(directory(plan.key()));
        directory.create();
        try (var connection = FrameConnection.open(spool.resolve("run").resolve("zygote"))) {
            connection.send(
                    'L',
                    LaunchMessage.encode(
                            plan,
                            null,
                            directory.path(),
                            spool.resolve("sessions").resolve("unheard"),
                            StepCgroup.NONE,
                            directory.path()));
        }
    }

    /// Goes on with what an earlier one left.
    public Watched adopt(StepStatus status) throws LaunchException {
        var statuses = new Watched();
        statuses.step = launcher.adopt(status, statuses);
        watched.add(statuses);
        return statuses;
    }

    /// As if the agent had been killed: nobody says good-bye to the supervisors.
    public void vanish() {
        watched.forEach(one -> one.step().release());
        watched.clear();
    }

    @Override
    public void close() {
        for (var one : watched) {
            one.step().signal(9, false, "");
            one.step().dismiss();
            one.step().release();
        }
        awaitEndOfSupervisors();
        launcher.stopZygote();
        launcher.close();
    }

    /// They write to the test's directory until they go.
    private void awaitEndOfSupervisors() {
        var end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (launcher.find().stream()
                .anyMatch(StepLauncher.FoundStep.Running.class::isInstance)) {
            if (System.nanoTime() > end) {
                throw new AssertionError("a supervisor stays: " + launcher.find());
            }
            Thread.onSpinWait();
        }
    }

    /// A step and what it has told.
    public static final class Watched implements StepListener {
        private final LinkedBlockingQueue<Object> told = new LinkedBlockingQueue<>();
        private volatile SupervisedStep step = new EndedStep();

        @Override
        public void changed(StepStatus status) {
            told.add(status);
        }

        @Override
        public void lost(String because) {
            told.add(because);
        }

        public SupervisedStep step() {
            return step;
        }

        public StepStatus await(Predicate<StepStatus> wanted) {
            while (true) {
                if (next() instanceof StepStatus status && wanted.test(status)) {
                    return status;
                }
            }
        }

        public String awaitLoss() {
            while (true) {
                if (next() instanceof String because) {
                    return because;
                }
            }
        }

        private Object next() {
            try {
                var next = told.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
                if (next == null) {
                    throw new AssertionError("the step said nothing for too long");
                }
                return next;
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
