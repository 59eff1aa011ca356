package dev.spur.cli.scontrol;

import static dev.spur.cli.squeue.JobText.unsigned;

import dev.spur.api.v1.Step;
import dev.spur.cli.format.View;
import dev.spur.cli.squeue.StepText;

/// A step as `scontrol show step` lays it out.
final class StepRecord {
    private StepRecord() {}

    static String of(Step step, View view, boolean isOneLine) {
        var id = new StringBuilder();
        StepText.id(id, step, view);
        var record = new RecordText(isOneLine);
        record.line(
                "StepId=%s UserId=%d StartTime=%s TimeLimit=%s"
                        .formatted(
                                id,
                                unsigned(step.getUid()),
                                view.times().text(step.getStartMicros(), "Unknown"),
                                JobRecord.limit(step.getTimeLimit(), "UNLIMITED")));
        record.line(
                "State=%s Partition=%s NodeList=%s"
                        .formatted(
                                step.getState(), step.getPartition(), orNull(step.getNodeList())));
        record.line(
                "Nodes=%d CPUs=%d Tasks=%d Name=%s Network=(null)"
                        .formatted(
                                unsigned(step.getNumNodes()),
                                unsigned(step.getCpus()),
                                unsigned(step.getTasks()),
                                step.getName()));
        record.line("TRES=" + orNull(step.getTres()));
        record.line("ResvPorts=(null)");
        record.line("CPUFreqReq=Default Dist=Block");
        return record.toString();
    }

    private static String orNull(String text) {
        return text.isEmpty() ? "(null)" : text;
    }
}
