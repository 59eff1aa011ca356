package dev.spur.agent.io;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.spur.agent.launch.Launches;
import dev.spur.agent.launch.NodeProfile;
import dev.spur.agent.launch.StepPlanner;
import dev.spur.agent.registration.AgentSession;
import dev.spur.agent.registration.EpochFence;
import dev.spur.agent.registration.NodeFacts;
import dev.spur.agent.registration.NodeLoad;
import dev.spur.agent.step.EndedJobs;
import dev.spur.agent.step.NodeSteps;
import dev.spur.agent.step.Outbox;
import dev.spur.agent.step.StepGoneException;
import dev.spur.api.v1.AttachStep;
import dev.spur.api.v1.ControllerMessage;
import dev.spur.api.v1.IoData;
import dev.spur.api.v1.StepInput;
import dev.spur.api.v1.StepOutput;
import dev.spur.api.v1.TaskOffsets;
import dev.spur.api.v1.Welcome;
import dev.spur.runtime.process.MemoryGuard;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a caller of srun's hears of a step.
final class StepCallTest {
    private static final IOException NO_DESCRIPTORS = new IOException("Too many open files");

    @TempDir Path directory;
    private final ScriptedLauncher launcher = new ScriptedLauncher();
    private final StepCaller caller = new StepCaller();
    private MemoryGuard.Reading heap = new MemoryGuard.Reading(0, 1_000);
    private Instant now = Instant.now();
    private NodeSteps steps;
    private StepStreams streams;

    @BeforeEach
    void registered() throws Exception {
        InstantSource clock = () -> now;
        var outbox = new Outbox(0);
        steps = new NodeSteps(launcher, outbox, EndedJobs.inMemory(clock), clock, Runnable::run);
        var planner =
                new StepPlanner(
                        new NodeProfile("node1", "", "", true, "inherit", 0, List.of()),
                        _ -> Optional.empty());
        var facts =
                NodeFacts.of(
                        "node1",
                        "127.0.0.1:1",
                        new NodeFacts.Hardware(8, 1, 8, 1, 16_000, 1_000),
                        List.of(),
                        Map.of());
        var session =
                new AgentSession(
                        facts,
                        "1",
                        () -> new NodeLoad(0, 0, ""),
                        steps,
                        outbox,
                        planner,
                        EpochFence.open(directory.resolve("epoch")),
                        clock);
        session.received(
                ControllerMessage.newBuilder()
                        .setEpoch(1)
                        .setWelcome(
                                Welcome.newBuilder()
                                        .setNodeKey(ByteString.copyFrom(Launches.KEY.reveal())))
                        .build());
        streams =
                new StepStreams(
                        session,
                        steps,
                        planner,
                        new MemoryGuard(() -> heap, () -> {}, clock, "nobody is served"));
    }

    private void run() {
        caller.confirming(streams.run(caller))
                .onNext(
                        StepInput.newBuilder()
                                .setRun(Launches.run(Launches.step(7, 0, 1), "true"))
                                .build());
    }

    private static String output(List<StepOutput> heard) {
        var text = new StringBuilder();
        for (var each : heard) {
            text.append(each.getStdout().getData().toStringUtf8());
        }
        return text.toString();
    }

    @Test
    void outputThatCannotBeReachedFailsTheCallInsteadOfEndingIt() throws Exception {
        for (var i = 0; i < 100; i++) {
            launcher.troubles.add(NO_DESCRIPTORS);
        }

        run();

        assertThat(caller.heard().getLast().getFailed())
                .isEqualTo("its output cannot be reached: Too many open files");
        assertThat(caller.heard()).noneMatch(StepOutput::hasStepEnded);
    }

    @Test
    void outputThatCannotBeReachedForAMomentIsTriedAgain() throws Exception {
        launcher.troubles.add(NO_DESCRIPTORS);

        run();

        assertThat(output(caller.heard())).isEqualTo("hi");
        assertThat(caller.heard().getLast().hasStepEnded()).isTrue();
    }

    @Test
    void aStepThatHasEndedAndIsGoneTellsItsExitOnly() throws Exception {
        launcher.endsAtOnce = true;
        launcher.troubles.add(gone());

        run();

        assertThat(caller.heard()).anyMatch(StepOutput::hasTaskEnded);
        assertThat(caller.heard().getLast().hasStepEnded()).isTrue();
    }

    @Test
    void aStepThatIsGoneWithoutAnEndIsNotTakenForEnded() throws Exception {
        for (var i = 0; i < 100; i++) {
            launcher.troubles.add(gone());
        }

        run();

        assertThat(caller.heard().getLast().getFailed()).startsWith("its output cannot be reached");
    }

    @Test
    void outputThatBreaksOffIsFetchedByACallerThatComesBack() throws Exception {
        launcher.breaks = 1;

        run();
        var first = caller.heard();
        assertThat(first).noneMatch(StepOutput::hasStepEnded);
        assertThat(caller.error()).hasMessageContaining("UNAVAILABLE");

        var back = comeBack(first);
        assertThat(output(first) + output(back.heard())).isEqualTo("hi");
        assertThat(back.heard().getLast().hasStepEnded()).isTrue();
    }

    @Test
    void outputThatBrokeOffAndIsGoneIsNotTakenForAll() throws Exception {
        launcher.breaks = 1;
        run();
        var first = caller.heard();

        launcher.troubles.add(gone());
        var back = comeBack(first);

        assertThat(back.heard()).noneMatch(StepOutput::hasStepEnded);
        assertThat(back.heard().getLast().getFailed())
                .isEqualTo(
                        "its output cannot be reached: the end of it was lost with the step supervisor");
    }

    /// What was sent may have been on its way to a door that was just being killed.
    @Test
    void outputIsKeptUntilItsCallerSaysThatItHasIt() throws Exception {
        streams.run(caller)
                .onNext(
                        StepInput.newBuilder()
                                .setRun(Launches.run(Launches.step(7, 0, 1), "true"))
                                .build());
        caller.awaitStepEnded();
        caller.vanish();
        acknowledgeEverything();
        now = now.plus(Duration.ofMinutes(4));
        steps.tick();

        var back = comeBack(caller.heardSoFar());

        assertThat(back.heard().getLast().hasStepEnded()).isTrue();
    }

    @Test
    void nothingIsKeptOfAStepWhoseCallerHasEverything() throws Exception {
        run();
        assertThat(caller.heard().getLast().hasStepEnded()).isTrue();

        acknowledgeEverything();

        var back = comeBack(caller.heard());
        assertThat(back.heard().getLast().getFailed())
                .isEqualTo("the step is not on this node any more");
    }

    private void acknowledgeEverything() {
        steps.acknowledged(1);
        steps.acknowledged(2);
    }

    @Test
    void outputIsNotDroppedByAnInterruptWhileItsCallerDoesNotRead() throws Exception {
        caller.reads = false;
        run();
        var reader = launcher.readers.take();
        awaitWaiting(reader);

        reader.interrupt();
        awaitWaiting(reader);
        caller.readsAgain();

        assertThat(output(caller.heard())).isEqualTo("hi");
    }

    private static void awaitWaiting(Thread thread) {
        while (thread.isAlive() && thread.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
    }

    /// As srun does with what it was given by the first call.
    private StepCaller comeBack(List<StepOutput> heard) {
        var back = new StepCaller();
        var cookie =
                heard.stream()
                        .filter(StepOutput::hasStarted)
                        .findFirst()
                        .orElseThrow()
                        .getStarted()
                        .getCookie();
        back.confirming(streams.run(back))
                .onNext(
                        StepInput.newBuilder()
                                .setAttach(
                                        AttachStep.newBuilder()
                                                .setJobId(7)
                                                .setStepId(0)
                                                .setCookie(cookie)
                                                .addOffsets(
                                                        TaskOffsets.newBuilder()
                                                                .setTask(0)
                                                                .setOutOffset(
                                                                        output(heard).length())))
                                .build());
        return back;
    }

    @Test
    void nobodyWaitsForACallerWhoseStepIsLost() throws Exception {
        caller.reads = false;
        run();
        var reader = launcher.readers.take();

        launcher.lose();

        assertThat(caller.heard().getLast().getFailed())
                .isEqualTo("the step supervisor was killed");
        assertThat(reader.join(Duration.ofSeconds(10))).isTrue();
    }

    @Test
    void inputThatTheTasksDoNotReadIsTakenToAMeasureAlsoIfItIsEmpty() {
        caller.reads = false;
        var call = streams.run(caller);
        call.onNext(
                StepInput.newBuilder()
                        .setRun(Launches.run(Launches.step(7, 0, 1), "true"))
                        .build());
        call.onNext(input(new byte[64 << 10]));
        var before = caller.requested.get();

        for (var i = 0; i < 50_000; i++) {
            call.onNext(input(new byte[0]));
        }

        assertThat(caller.requested.get() - before).isLessThan(20_000);
    }

    private static StepInput input(byte[] data) {
        return StepInput.newBuilder()
                .setStdin(IoData.newBuilder().setTask(-1).setData(ByteString.copyFrom(data)))
                .build();
    }

    @Test
    void anAgentWithoutMemoryAsksFurtherCallersToComeAgain() throws Exception {
        heap = new MemoryGuard.Reading(990, 1_000);

        run();

        assertThat(caller.error()).hasMessageContaining("UNAVAILABLE");
    }

    private static IOException gone() {
        return new StepGoneException("No such file or directory");
    }
}
