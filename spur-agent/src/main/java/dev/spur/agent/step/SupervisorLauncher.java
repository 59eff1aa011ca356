package dev.spur.agent.step;

import dev.spur.api.v1.LaunchFault;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs steps under supervisors that the zygote forks. The spool holds one directory per step;
/// whatever an agent leaves there the next one finds.
public final class SupervisorLauncher implements StepLauncher, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(SupervisorLauncher.class);

    private static final Duration ADOPTION_PAUSE = Duration.ofMillis(10);

    private final Path programs;
    private final Path steps;
    private final SessionFiles sessions;
    private final ShortPaths shortPaths;
    private final Zygote zygote;
    private final CgroupDriver cgroups;
    private final String bootId;
    private final ThreadFactory readers;

    /// @param program the zygote's program
    /// @param spool the agent's own directory
    /// @param bootId of the machine as it runs now
    /// @param readers makes the thread that listens to one step
    public SupervisorLauncher(
            Path program, Path spool, CgroupDriver cgroups, String bootId, ThreadFactory readers)
            throws IOException {
        this.programs = Objects.requireNonNullElse(program.toAbsolutePath().getParent(), program);
        this.steps = spool.resolve("steps");
        this.cgroups = cgroups;
        this.bootId = bootId;
        this.readers = readers;
        Files.createDirectories(steps);
        Files.setPosixFilePermissions(steps, PosixFilePermissions.fromString("rwx--x--x"));
        this.sessions = SessionFiles.in(spool.resolve("sessions"));
        this.shortPaths = ShortPaths.of(spool);
        this.zygote = new Zygote(program, shortPaths.shorten(spool.resolve("run")));
    }

    @Override
    public SupervisedStep launch(StepPlan plan, @Nullable Duration lease, StepListener listener)
            throws LaunchException {
        var directory = directory(plan.key());
        try {
            directory.create();
        } catch (IOException e) {
            throw new LaunchException("cannot make the step's directory", e, blame(e));
        }
        try {
            return launch(plan, lease, directory, listener);
        } catch (IOException e) {
            return settle(plan.key(), directory, listener, e);
        } catch (LaunchException e) {
            remove(plan.key());
            throw e;
        }
    }

    /// The supervisor has not answered. Whether it began all the same its directory says, sooner or
    /// later; what may have run is told as such and not as a launch that failed, which is made
    /// again.
    private SupervisedStep settle(
            StepKey key, StepDirectory directory, StepListener listener, IOException cause)
            throws LaunchException {
        switch (directory.insist(() -> look(key, directory)).orElse(null)) {
            case null ->
                    throw new LaunchException(
                            "cannot start the step supervisor", cause, blame(cause));
            case FoundStep.Running(var status) -> {
                return adoptOrLose(status, listener);
            }
            case FoundStep.Ended(var status) -> listener.changed(status);
            case FoundStep.Lost(_, _, var because) -> {
                reap(key);
                listener.lost(because);
            }
        }
        return new EndedStep();
    }

    private SupervisedStep adoptOrLose(StepStatus status, StepListener listener) {
        try {
            return adopt(status, listener);
        } catch (LaunchException _) { // it was about to die when we looked
            reap(status.key());
            listener.lost("the step supervisor was killed");
            return new EndedStep();
        }
    }

    /// A supervisor that died of this launch, or a moment without descriptors, says nothing about
    /// the next launch.
    private static LaunchFault blame(IOException e) {
        return e instanceof EOFException || Descriptors.exhausted(e)
                ? LaunchFault.FAULT_PASSING
                : LaunchFault.FAULT_NODE;
    }

    private SupervisedStep launch(
            StepPlan plan, @Nullable Duration lease, StepDirectory directory, StepListener listener)
            throws IOException, LaunchException {
        var cgroup = cgroups.create(plan.key(), plan.limits());
        var message =
                LaunchMessage.encode(
                        plan,
                        lease,
                        directory.path(),
                        sessions.file(JobAttempt.of(plan.key())),
                        cgroup,
                        programs);
        var connection = zygote.connect();
        try {
            connection.send('L', message);
            var answer = connection.receive();
            var text = StandardCharsets.UTF_8.decode(answer.payload()).toString();
            if (answer.type() == 'R') {
                throw new LaunchException(text, LaunchFault.FAULT_LAUNCH);
            }
            if (answer.type() == 'N') {
                throw new LaunchException(text, LaunchFault.FAULT_NODE);
            }
            return watch(plan.key(), connection, text, listener);
        } catch (IOException | LaunchException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    private SupervisedStep watch(
            StepKey key, FrameConnection connection, String first, StepListener told) {
        var directory = directory(key);
        var step =
                new SocketStep(
                        directory,
                        shortPaths.shorten(directory.control()),
                        connection,
                        new Executioner(key, told));
        readers.newThread(() -> step.listen(first)).start();
        return step;
    }

    /// What a killed supervisor leaves behind must not run on: the job may begin again elsewhere.
    private final class Executioner implements StepListener {
        private final StepKey key;
        private final StepListener told;

        Executioner(StepKey key, StepListener told) {
            this.key = key;
            this.told = told;
        }

        @Override
        public void changed(StepStatus status) {
            told.changed(status);
        }

        @Override
        public void lost(String because) {
            reap(key);
            told.lost(because);
        }
    }

    /// Whoever hears that a step is lost may begin it elsewhere: nothing of it may run then.
    @Override
    public void reap(StepKey key) {
        var pause = new GrowingPause();
        while (!cgroups.kill(key)) {
            if (pause.await()) {
                log.atError()
                        .addKeyValue("step", key)
                        .log("processes of a lost step do not die, though they were killed");
            }
        }
    }

    @Override
    public SupervisedStep adopt(StepStatus status, StepListener listener) throws LaunchException {
        var directory = directory(status.key());
        try {
            while (true) {
                var lives = directory.insist(directory::supervisorLives);
                try {
                    var connection =
                            FrameConnection.open(
                                    shortPaths.shorten(directory.control()),
                                    'A',
                                    new byte[] {SocketStep.WITH_STATUS});
                    return watch(status.key(), connection, "", listener);
                } catch (IOException e) {
                    if (!lives) {
                        return endedMeanwhile(directory, listener, e);
                    }
                }
                Thread.sleep(ADOPTION_PAUSE); // so young that it does not listen yet
            }
        } catch (IOException e) {
            throw new LaunchException(
                    "cannot reach the supervisor of " + status.key(), e, LaunchFault.FAULT_PASSING);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LaunchException(
                    "interrupted while adopting " + status.key(), e, LaunchFault.FAULT_PASSING);
        }
    }

    private static SupervisedStep endedMeanwhile(
            StepDirectory directory, StepListener listener, IOException cause) throws IOException {
        var last = directory.insist(directory::status);
        if (last.isEmpty() || !last.get().hasEnded()) {
            throw cause;
        }
        listener.changed(last.get());
        return new EndedStep();
    }

    @Override
    public List<FoundStep> find() {
        var found = new ArrayList<FoundStep>();
        try (var entries = Files.newDirectoryStream(steps)) {
            for (var entry : entries) {
                var key = StepKey.ofDirectoryName(String.valueOf(entry.getFileName()));
                if (key.isPresent()) {
                    look(key.get(), new StepDirectory(entry)).ifPresent(found::add);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the spool " + steps, e);
        }
        return found;
    }

    private Optional<FoundStep> look(StepKey key, StepDirectory directory) throws IOException {
        // Order matters: a launch that has not been claimed never will be now, and a supervisor
        // that ends between the two questions has written its status.
        directory.claim();
        var lives = directory.supervisorLives();
        var status = directory.status();
        if (lives) {
            return Optional.of(new FoundStep.Running(status.orElseGet(() -> beginning(key))));
        }
        if (!directory.hasBegun()) {
            remove(key);
            return Optional.empty();
        }
        return Optional.of(
                status.isPresent()
                        ? found(status.get())
                        : new FoundStep.Lost(key, 0, "the step's status cannot be read"));
    }

    private FoundStep found(StepStatus last) {
        if (last.hasEnded()) {
            return new FoundStep.Ended(last);
        }
        var rebooted = !last.boot().equals(bootId);
        return new FoundStep.Lost(
                last.key(),
                last.startedMillis(),
                rebooted ? "the node was restarted" : "the step supervisor was killed");
    }

    /// A supervisor so young that it has not written its first status.
    private StepStatus beginning(StepKey key) {
        return new StepStatus(
                key,
                bootId,
                0,
                StepStatus.State.STARTING,
                0,
                0,
                false,
                false,
                false,
                false,
                "",
                false,
                "",
                List.of(),
                StepStatus.GroupUsage.NONE);
    }

    @Override
    public void remove(StepKey key) {
        try {
            directory(key).delete();
            cgroups.remove(key);
        } catch (IOException e) {
            log.atWarn()
                    .addKeyValue("step", key)
                    .addKeyValue("cause", e.toString())
                    .log("cannot remove what an ended step left");
        }
    }

    @Override
    public void removeJob(int job, int attempt) {
        sessions.end(new JobAttempt(job, attempt));
        cgroups.removeJob(job, attempt);
    }

    /// A process that reads a user's file in the user's rights.
    public FileReader read(FileReader.UserFile file, FileReader.Listener listener)
            throws IOException {
        return FileReader.open(zygote, file, listener);
    }

    /// Starts the zygote if there is none, so that the first step need not wait for it.
    public void warmUp() {
        try {
            zygote.ensureRunning();
        } catch (IOException e) {
            log.atError()
                    .addKeyValue("cause", e.getMessage())
                    .log("no step can run here: the step launcher does not start");
        }
    }

    /// Ends the zygote, for nodes that are taken down for good. Running steps go on.
    public void stopZygote() {
        zygote.stop();
    }

    @Override
    public void close() {
        shortPaths.close();
        cgroups.close();
    }

    private StepDirectory directory(StepKey key) {
        return new StepDirectory(steps.resolve(key.directoryName()));
    }
}
