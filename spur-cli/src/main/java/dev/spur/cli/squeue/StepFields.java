package dev.spur.cli.squeue;

import static dev.spur.cli.squeue.JobText.unsigned;

import dev.spur.api.v1.Step;
import dev.spur.cli.format.Field;
import dev.spur.cli.format.FieldTable;
import dev.spur.cli.format.View;
import java.util.List;

/// What squeue can show of a step.
final class StepFields {
    static final String USUAL = "%.15i %.8j %.9P %.8u %.9M %N";

    static final FieldTable<Step> TABLE =
            new FieldTable<>(
                    "step",
                    List.of(
                            Field.of('A', "ARRAY_JOB_ID", StepFields::arrayJob, "arrayjobid"),
                            Field.of(
                                    'b',
                                    "TRES_PER_NODE",
                                    (text, step, _) ->
                                            text.append(
                                                    step.getGres().isEmpty()
                                                            ? "N/A"
                                                            : step.getGres()),
                                    "tres-per-node"),
                            Field.of(
                                    'C',
                                    "CPUS",
                                    (text, step, _) -> text.append(unsigned(step.getCpus())),
                                    "numcpus"),
                            Field.of(
                                    'D',
                                    "NODES",
                                    (text, step, _) -> text.append(unsigned(step.getNumNodes())),
                                    "numnodes"),
                            Field.of('i', "STEPID", StepText::id, "stepid"),
                            Field.of(
                                    'j',
                                    "NAME",
                                    (text, step, _) -> text.append(step.getName()),
                                    "stepname",
                                    "name"),
                            Field.<Step>of(
                                            'l',
                                            "TIME_LIMIT",
                                            (text, step, _) ->
                                                    JobText.limit(text, step.getTimeLimit()),
                                            "timelimit")
                                    .uncut(),
                            Field.<Step>of(
                                            'M',
                                            "TIME",
                                            (text, step, _) ->
                                                    JobText.seconds(text, step.getRunSeconds()),
                                            "timeused")
                                    .uncut(),
                            Field.of(
                                    'N',
                                    "NODELIST",
                                    (text, step, _) -> text.append(step.getNodeList()),
                                    "nodes",
                                    "nodelist"),
                            Field.of(
                                    'P',
                                    "PARTITION",
                                    (text, step, _) -> text.append(step.getPartition()),
                                    "partition"),
                            Field.of(
                                    'S',
                                    "START_TIME",
                                    (text, step, view) ->
                                            view.times().append(text, step.getStartMicros(), "N/A"),
                                    "starttime"),
                            Field.of(
                                    't',
                                    "STATE",
                                    (text, step, _) -> text.append(step.getState()),
                                    "stepstate",
                                    "state"),
                            Field.of(
                                    'T',
                                    "TASKS",
                                    (text, step, _) -> text.append(unsigned(step.getTasks())),
                                    "numtasks"),
                            Field.of(
                                    'u',
                                    "USER",
                                    (text, step, _) -> text.append(step.getUserName()),
                                    "username"),
                            Field.of(
                                    'U',
                                    "USER",
                                    (text, step, _) -> text.append(unsigned(step.getUid())),
                                    "userid"),
                            Field.of(
                                    "JOBID",
                                    (text, step, _) -> text.append(unsigned(step.getJobId())),
                                    "jobid"),
                            Field.of(
                                    "TRES",
                                    (text, step, _) -> text.append(step.getTres()),
                                    "tres",
                                    "tres-alloc")));

    private StepFields() {}

    private static void arrayJob(StringBuilder text, Step step, View view) {
        text.append(unsigned(step.getArrayJobId() != 0 ? step.getArrayJobId() : step.getJobId()));
    }
}
