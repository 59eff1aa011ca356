package dev.spur.cli.efficiency;

import dev.spur.api.v1.RecordQuery;
import dev.spur.cli.Connector;
import dev.spur.cli.Failure;
import dev.spur.cli.Invocation;
import dev.spur.cli.Tool;
import dev.spur.cli.options.Arguments;
import dev.spur.cli.options.Option;
import dev.spur.cli.options.OptionTable;
import dev.spur.model.notation.Durations;
import dev.spur.model.notation.Text;
import java.time.Duration;

/// `seff JOBID`: how well a job used its cores and its memory, in the words of the script that
/// comes with Slurm.
public final class Seff implements Tool {
    private static final Option<Boolean> DEBUG =
            Option.flag("debug").letter('d').help("nothing more is said here");
    private static final OptionTable TABLE =
            OptionTable.of("[OPTIONS...] JOBID").options(DEBUG).helpLetter();
    private static final int NOT_FOUND = 2;

    private final Connector connector;

    public Seff(Connector connector) {
        this.connector = connector;
    }

    @Override
    public int run(Invocation in) throws Exception {
        return TABLE.run(in, arguments -> show(in, arguments));
    }

    private int show(Invocation in, Arguments arguments) {
        if (arguments.operands().size() != 1) {
            throw new Failure("say which job, as in: seff 12");
        }
        var id = Jobs.id(arguments.operands().getFirst());
        var found =
                new Jobs(in, connector.connect(in))
                        .find(RecordQuery.newBuilder().addIds(id).build());
        if (found.isEmpty()) {
            in.err().println("Job not found.");
            return NOT_FOUND;
        }
        found.forEach(job -> in.out().print(text(job)));
        return 0;
    }

    private static String text(JobEfficiency of) {
        var job = of.job();
        var text = new StringBuilder();
        line(text, "Job ID: %s", Integer.toUnsignedString(job.getJobId()));
        if (job.getArrayJobId() != 0) {
            line(text, "Array Job ID: %s", of.id());
        }
        line(text, "Cluster: %s", of.history().getCluster());
        line(
                text,
                "User/Group: %s/%s",
                job.getUserName(),
                job.getGroupName().isEmpty()
                        ? Integer.toUnsignedString(job.getGid())
                        : job.getGroupName());
        if (!of.hasStarted() || of.runs()) {
            line(text, "State: %s", job.getState());
        } else {
            line(text, "State: %s (exit code %d)", job.getState(), job.getExitCode());
        }
        if (of.nodes() > 1) {
            line(text, "Nodes: %d", of.nodes());
            line(text, "Cores per node: %d", of.cores() / of.nodes());
        } else {
            line(text, "Cores: %d", of.cores());
        }
        if (!of.hasStarted()) {
            line(text, "Efficiency not available for jobs in the %s state.", job.getState());
            return text.toString();
        }
        line(text, "CPU Utilized: %s", clock((long) of.cpuSeconds()));
        line(
                text,
                "CPU Efficiency: %.2f%% of %s core-walltime",
                of.cpuPercent(),
                clock(of.coreSeconds()));
        line(text, "Job Wall-clock time: %s", clock(of.seconds()));
        line(
                text,
                "Memory Utilized: %s%s",
                Sizes.kibibytes(of.memoryKib()),
                of.tasks() > 1 ? " (estimated maximum)" : "");
        line(
                text,
                "Memory Efficiency: %.2f%% of %s (%s/%s)",
                of.memoryPercent(),
                Sizes.kibibytes(of.memoryHadKib()),
                Sizes.kibibytes(
                        (double) of.memoryHadKib()
                                / (of.isPerCpu() ? Math.max(1, of.cores()) : of.nodes())),
                of.isPerCpu() ? "core" : "node");
        if (of.runs()) {
            line(text, "WARNING: Efficiency statistics may be misleading for RUNNING jobs.");
        }
        return text.toString();
    }

    private static void line(StringBuilder text, String format, Object... values) {
        text.append(Text.of(format, values)).append('\n');
    }

    private static String clock(long seconds) {
        return Durations.padded(Duration.ofSeconds(seconds));
    }
}
