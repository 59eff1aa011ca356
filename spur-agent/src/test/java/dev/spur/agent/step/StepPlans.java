package dev.spur.agent.step;

import com.google.protobuf.ByteString;
import dev.spur.agent.step.TaskPlan.Stdio;
import dev.spur.model.StepId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Plans for tests: valid as they are, a test says only what matters to it.
public final class StepPlans {
    /// A user that exists on no machine by name.
    public static final int UID = 54_321;

    private int job = 1;
    private int attempt;
    private int uid = UID;
    private StepPlan.@Nullable Session session;
    private StepId step = StepId.BATCH;
    private List<String> arguments = List.of();
    private @Nullable ByteString script;
    private final List<String> environment = new ArrayList<>(List.of("PATH=/usr/bin:/bin"));
    private String workDirectory = "/tmp";
    private final List<String> softLimits = new ArrayList<>();
    private final List<String> nodeLimits = new ArrayList<>();
    private StepLimits limits = StepLimits.NONE;
    private StepPlan.@Nullable Login login;
    private @Nullable Duration timeLimit;
    private @Nullable Duration stepLimit;
    private Duration killWait = Duration.ofSeconds(30);
    private StepPlan.@Nullable Warning warning;
    private StepPlan.@Nullable Terminal terminal;
    private int kept;
    private boolean killOnBadExit;
    private int tasks = 1;
    private TaskPlan.Binding binding = TaskPlan.Binding.OF_THE_STEP;
    private Stdio input = new Stdio.Null();
    private Stdio output = new Stdio.Null();

    public static StepPlans script(String text) {
        var plans = new StepPlans();
        plans.script = ByteString.copyFromUtf8("#!/bin/bash\n" + text + "\n");
        return plans;
    }

    /// A script with a first line of its own.
    public static StepPlans raw(String text) {
        var plans = new StepPlans();
        plans.script = ByteString.copyFromUtf8(text);
        return plans;
    }

    public static StepPlans command(String... arguments) {
        var plans = new StepPlans();
        plans.arguments = List.of(arguments);
        plans.step = new StepId(0);
        return plans;
    }

    public StepPlans job(int number) {
        job = number;
        return this;
    }

    /// With a session.
    public StepPlans session(StepPlan.Session what) {
        session = what;
        return this;
    }

    public StepPlans step(int number) {
        step = new StepId(number);
        return this;
    }

    /// As another user, who is in a group of his own only.
    public StepPlans uid(int what) {
        uid = what;
        return this;
    }

    public StepPlans attempt(int number) {
        attempt = number;
        return this;
    }

    public StepPlans arguments(String... words) {
        arguments = List.of(words);
        return this;
    }

    public StepPlans withoutEnvironment() {
        environment.clear();
        return this;
    }

    public StepPlans environment(String variable) {
        environment.add(variable);
        return this;
    }

    public StepPlans in(String directory) {
        workDirectory = directory;
        return this;
    }

    public StepPlans softLimit(String limit) {
        softLimits.add(limit);
        return this;
    }

    public StepPlans nodeLimit(String limit) {
        nodeLimits.add(limit);
        return this;
    }

    public StepPlans limits(StepLimits what) {
        limits = what;
        return this;
    }

    public StepPlans timeLimit(Duration limit) {
        timeLimit = limit;
        return this;
    }

    public StepPlans stepLimit(Duration limit) {
        stepLimit = limit;
        return this;
    }

    public StepPlans binding(TaskPlan.Binding what) {
        binding = what;
        return this;
    }

    public StepPlans login(StepPlan.Login what) {
        login = what;
        return this;
    }

    public StepPlans killWait(Duration wait) {
        killWait = wait;
        return this;
    }

    public StepPlans warning(StepPlan.Warning what) {
        warning = what;
        return this;
    }

    public StepPlans killOnBadExit() {
        killOnBadExit = true;
        return this;
    }

    public StepPlans tasks(int count) {
        tasks = count;
        return this;
    }

    public StepPlans outputTo(Path file) {
        output = new Stdio.Truncate(file.toString());
        return this;
    }

    public StepPlans streamed() {
        input = new Stdio.Streamed();
        output = new Stdio.Streamed();
        return this;
    }

    /// On a terminal that waits for no reader.
    public StepPlans onLastingTerminal(int kept) {
        this.kept = kept;
        return onTerminal(24, 80);
    }

    public StepPlans onTerminal(int rows, int columns) {
        terminal = new StepPlan.Terminal(rows, columns, kept);
        input = new Stdio.Terminal();
        output = new Stdio.Terminal();
        return this;
    }

    public StepPlan plan() {
        var plans = new ArrayList<TaskPlan>();
        for (var rank = 0; rank < tasks; rank++) {
            var error = terminal == null ? new Stdio.SameAsOutput() : new Stdio.Terminal();
            plans.add(
                    new TaskPlan(
                            rank,
                            rank,
                            List.of("SLURM_PROCID=" + rank),
                            List.of(),
                            binding,
                            input,
                            output,
                            error));
        }
        return new StepPlan(
                new StepKey(job, step, attempt),
                "node1",
                new StepPlan.User(uid, uid, uid == UID ? List.of(UID + 1) : List.of()),
                arguments,
                script,
                environment,
                login,
                workDirectory,
                022,
                softLimits,
                nodeLimits,
                0,
                "",
                limits,
                timeLimit,
                stepLimit,
                killWait,
                warning,
                killOnBadExit,
                terminal,
                plans,
                session);
    }
}
