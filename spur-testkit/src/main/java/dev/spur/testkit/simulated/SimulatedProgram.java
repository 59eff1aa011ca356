package dev.spur.testkit.simulated;

import com.google.protobuf.ByteString;
import dev.spur.agent.step.StepPlan;
import java.time.Duration;
import java.util.List;

/// What a job's script, or a step's command, does on a simulated machine. It travels as the script
/// itself, so the right one must arrive.
record SimulatedProgram(Duration duration, int exitCode, boolean ignoresTerm) {
    ByteString script() {
        return ByteString.copyFromUtf8("#!/bin/simulated\n" + String.join(" ", words()) + "\n");
    }

    List<String> command() {
        return words();
    }

    private List<String> words() {
        return List.of(
                Long.toString(duration.toMillis()),
                Integer.toString(exitCode),
                Boolean.toString(ignoresTerm));
    }

    static SimulatedProgram of(StepPlan plan) {
        return plan.script() == null ? of(plan.arguments()) : of(plan.script());
    }

    private static SimulatedProgram of(ByteString script) {
        var line = script.toStringUtf8().lines().skip(1).findFirst().orElseThrow();
        return of(List.of(line.split(" ", -1)));
    }

    private static SimulatedProgram of(List<String> words) {
        return new SimulatedProgram(
                Duration.ofMillis(Long.parseLong(words.get(0))),
                Integer.parseInt(words.get(1)),
                Boolean.parseBoolean(words.get(2)));
    }
}
