package dev.spur.cli.sstat;

import dev.spur.api.v1.GetStepUsageReply;
import dev.spur.api.v1.GetStepUsageRequest;
import dev.spur.cli.Connector;
import dev.spur.cli.Failure;
import dev.spur.cli.Invocation;
import dev.spur.cli.Tool;
import dev.spur.cli.format.RuledTable;
import dev.spur.cli.format.Units;
import dev.spur.cli.format.View;
import dev.spur.cli.options.Arguments;
import java.util.ArrayList;
import java.util.List;

/// `sstat`: what steps that run use now. As with Slurm's, a job of which nothing runs is told and
/// is no failure.
public final class Sstat implements Tool {
    private final Connector connector;

    public Sstat(Connector connector) {
        this.connector = connector;
    }

    @Override
    public int run(Invocation in) throws Exception {
        return SstatOptions.TABLE.run(in, arguments -> show(in, arguments));
    }

    private int show(Invocation in, Arguments arguments) {
        if (arguments.has(SstatOptions.HELP_FORMAT)) {
            in.out().print(RuledTable.names(SstatColumns.ALL));
            return 0;
        }
        if (!arguments.operands().isEmpty()) {
            throw new Failure("Unrecognized option: " + arguments.operands().getFirst());
        }
        var columns = RuledTable.choose(SstatColumns.ALL, format(arguments), Sstat::unknown);
        var ids = ids(arguments);
        var byNode = arguments.has(SstatOptions.PID_FORMAT);
        var reply =
                connector
                        .connect(in)
                        .call(controller ->
                                controller.getStepUsage(
                                        GetStepUsageRequest.newBuilder()
                                                .addAllIds(ids)
                                                .setAllSteps(arguments.has(SstatOptions.ALL_STEPS))
                                                .setPids(
                                                        columns.stream()
                                                                .anyMatch(column ->
                                                                        column.name()
                                                                                .equals("Pids")))
                                                .build()));
        var units = arguments.has(SstatOptions.NO_CONVERT) ? Units.NONE : Units.EXACT;
        var rows = new ArrayList<StepRow>();
        for (var step : reply.getStepsList()) {
            rows.addAll(byNode ? StepRow.ofNodes(step, units) : List.of(StepRow.of(step, units)));
        }
        var style =
                RuledTable.Style.of(
                        arguments.has(SstatOptions.PARSABLE),
                        arguments.has(SstatOptions.PARSABLE2),
                        "|",
                        !arguments.has(SstatOptions.NO_HEADER));
        new RuledTable<>(columns, style).print(in.out(), View.of(in, 0), rows);
        complain(in, reply);
        return 0;
    }

    private static String format(Arguments arguments) {
        if (arguments.has(SstatOptions.PID_FORMAT)) {
            return SstatColumns.PIDS;
        }
        var wanted = new ArrayList<String>();
        arguments.all(SstatOptions.FORMAT).forEach(wanted::addAll);
        return wanted.isEmpty() ? SstatColumns.USUAL : String.join(",", wanted);
    }

    private static Failure unknown(String name) {
        return new Failure("Invalid field requested: \"" + name + "\"");
    }

    private static List<String> ids(Arguments arguments) {
        var ids = new ArrayList<String>();
        arguments.all(SstatOptions.JOBS).forEach(ids::addAll);
        if (ids.isEmpty()) {
            throw new Failure("You didn't give me any jobs to stat.");
        }
        return ids;
    }

    private static void complain(Invocation in, GetStepUsageReply reply) {
        reply.getUnknownList()
                .forEach(id -> complain(in, "couldn't get steps for job " + jobOf(id)));
        reply.getDeniedList()
                .forEach(id ->
                        complain(
                                in,
                                "couldn't get steps for job %s: Access/permission denied"
                                        .formatted(jobOf(id))));
        // Of a step that has ended Slurm's says nothing at all.
        reply.getIdleList().stream()
                .filter(id -> !id.contains("."))
                .forEach(id -> complain(in, "no steps running for job " + id));
        for (var step : reply.getStepsList()) {
            if (step.getSilentNodesCount() > 0) {
                complain(
                        in,
                        "%s of StepId=%s did not answer; the numbers are those of the others"
                                .formatted(
                                        String.join(",", step.getSilentNodesList()),
                                        StepRow.of(step, Units.EXACT).id()));
            }
        }
    }

    private static String jobOf(String id) {
        var dot = id.indexOf('.');
        return dot < 0 ? id : id.substring(0, dot);
    }

    private static void complain(Invocation in, String what) {
        in.err().println(in.program() + ": error: " + what);
    }
}
