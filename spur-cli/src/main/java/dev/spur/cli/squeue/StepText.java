package dev.spur.cli.squeue;

import static dev.spur.cli.squeue.JobText.unsigned;

import dev.spur.api.v1.Step;
import dev.spur.cli.format.View;
import dev.spur.model.StepId;

/// Texts made of a step that more than one command shows.
public final class StepText {
    private StepText() {}

    /// `38.0`, `38.batch`, `40_1.0`.
    public static void id(StringBuilder text, Step step, View view) {
        if (step.hasArrayTaskId()) {
            text.append(unsigned(step.getArrayJobId()))
                    .append('_')
                    .append(unsigned(step.getArrayTaskId()));
        } else {
            text.append(unsigned(step.getJobId()));
        }
        text.append('.').append(new StepId(step.getStepId()));
    }
}
