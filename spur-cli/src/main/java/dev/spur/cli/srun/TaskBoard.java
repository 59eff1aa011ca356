package dev.spur.cli.srun;

import dev.spur.api.v1.TaskEnded;
import dev.spur.cli.submission.Voice;
import dev.spur.model.notation.Signal;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// What is known of each task of a step, and srun's exit code: the highest of the tasks', where a
/// task that a signal ended counts 128 and the signal. Used by several threads.
public final class TaskBoard {
    /// Slurm's made-up signal for tasks that ran out of memory, as an exit code.
    private static final int OUT_OF_MEMORY = 253;

    private static final int KILL = 9;
    private static final int TERM = 15;

    private static final String COMPLETED = "Completed";

    private enum Phase {
        STARTING("starting"),
        RUNNING("running"),
        EXITED("exited"),
        FAILED("exited abnormally");

        private final String word;

        Phase(String word) {
            this.word = word;
        }
    }

    private final String stepId;
    private final Voice voice;
    private final Phase[] phases;
    private int exitCode;
    private boolean wasKilled;

    public TaskBoard(String stepId, int tasks, Voice voice) {
        this.stepId = stepId;
        this.voice = voice;
        this.phases = new Phase[tasks];
        Arrays.fill(phases, Phase.STARTING);
    }

    public synchronized void started(List<Integer> ranks) {
        for (int rank : ranks) {
            if (phases[rank] == Phase.STARTING) {
                phases[rank] = Phase.RUNNING;
            }
        }
    }

    /// What another door needs to go on: the exit code so far and the tasks that are over.
    synchronized byte[] toBytes() {
        var over = new BitSet();
        for (int rank = 0; rank < phases.length; rank++) {
            over.set(rank, isOver(rank));
        }
        var bits = over.toByteArray();
        return ByteBuffer.allocate(1 + bits.length).put((byte) exitCode()).put(bits).array();
    }

    /// Goes on from what [#toBytes] said; nothing of it is told again.
    synchronized void restore(byte[] bytes) {
        exitCode = Byte.toUnsignedInt(bytes[0]);
        BitSet.valueOf(ByteBuffer.wrap(bytes, 1, bytes.length - 1)).stream()
                .filter(rank -> rank < phases.length)
                .forEach(rank -> phases[rank] = Phase.EXITED);
    }

    synchronized boolean isOver(int rank) {
        return phases[rank] == Phase.EXITED || phases[rank] == Phase.FAILED;
    }

    /// Takes note of tasks that ended on one node and tells of those that did not end well.
    public synchronized void ended(String node, List<TaskEnded> tasks) {
        var byOutcome = new LinkedHashMap<String, List<Integer>>();
        for (var task : tasks) {
            voice.mention(
                    "launch/slurm: _task_finish: Received task exit notification for 1 task of StepId=%s (status=0x%04x)."
                            .formatted(stepId, task.getExitCode() << 8 | task.getExitSignal()));
            exitCode = Math.max(exitCode, exitCode(task));
            wasKilled |= task.getExitSignal() == KILL || task.getExitSignal() == TERM;
            phases[task.getTask()] = wentWell(task) ? Phase.EXITED : Phase.FAILED;
            byOutcome.computeIfAbsent(outcome(task), _ -> new ArrayList<>()).add(task.getTask());
        }
        byOutcome.forEach((outcome, ranks) -> {
            var sentence = "%s: %s: %s".formatted(node, Ranks.words(ranks), outcome);
            if (outcome.equals(COMPLETED)) {
                voice.mention("launch/slurm: _task_finish: " + sentence);
            } else {
                voice.error(sentence);
            }
        });
    }

    static boolean wentWell(TaskEnded task) {
        return task.getExitCode() == 0 && task.getExitSignal() == 0 && !task.getOutOfMemory();
    }

    private static int exitCode(TaskEnded task) {
        if (task.getOutOfMemory()) {
            return OUT_OF_MEMORY;
        }
        return task.getExitSignal() != 0 ? 128 + task.getExitSignal() : task.getExitCode();
    }

    private static String outcome(TaskEnded task) {
        if (task.getOutOfMemory()) {
            return "Out Of Memory";
        }
        if (task.getExitSignal() != 0) {
            return new Signal(task.getExitSignal()).description();
        }
        return task.getExitCode() == 0 ? COMPLETED : "Exited with exit code " + task.getExitCode();
    }

    /// Something else than a task failed.
    synchronized void failed(int code) {
        exitCode = Math.max(exitCode, code);
    }

    public synchronized int exitCode() {
        return Math.min(exitCode, 255);
    }

    /// Whether somebody ended a task by one of the two signals that are meant to.
    synchronized boolean wasKilled() {
        return wasKilled;
    }

    synchronized boolean isRunning() {
        return Arrays.stream(phases)
                .anyMatch(phase -> phase == Phase.STARTING || phase == Phase.RUNNING);
    }

    /// The first Ctrl-C: which tasks are where.
    synchronized void show() {
        Map<Phase, List<Integer>> byPhase = new LinkedHashMap<>();
        for (int rank = 0; rank < phases.length; rank++) {
            byPhase.computeIfAbsent(phases[rank], _ -> new ArrayList<>()).add(rank);
        }
        byPhase.forEach((phase, ranks) ->
                voice.say("StepId=%s %s: %s".formatted(stepId, Ranks.words(ranks), phase.word)));
    }
}
