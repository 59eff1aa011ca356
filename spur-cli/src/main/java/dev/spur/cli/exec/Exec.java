package dev.spur.cli.exec;

import dev.spur.api.client.ControllerException;
import dev.spur.api.v1.Job;
import dev.spur.api.v1.JobDetail;
import dev.spur.api.v1.ListJobsReply;
import dev.spur.api.v1.ListJobsRequest;
import dev.spur.cli.Connector;
import dev.spur.cli.Failure;
import dev.spur.cli.Invocation;
import dev.spur.cli.Terminal;
import dev.spur.cli.Tool;
import dev.spur.cli.options.Arguments;
import dev.spur.cli.options.Option;
import dev.spur.cli.options.OptionTable;
import dev.spur.cli.srun.Srun;
import dev.spur.cli.submission.Refused;
import dev.spur.model.hostlist.Hostlist;
import java.util.ArrayList;
import java.util.List;

/// `spur exec JOB [COMMAND [ARGUMENTS]]`: one more step of the job, on one of its nodes, that
/// shares what the others have. It is `srun --jobid=JOB --overlap` with what a person means by it
/// filled in.
public final class Exec implements Tool {
    private static final Option<String> NODE =
            Option.text("nodelist", "NODE")
                    .letter('w')
                    .help("on this node of the job (default: its first)");
    private static final Option<Boolean> PTY =
            Option.flag("pty").letter('t').help("with a terminal, also for a command");
    private static final Option<Boolean> NO_PTY =
            Option.flag("no-pty").letter('T').help("without a terminal");
    private static final Option<String> CHDIR =
            Option.text("chdir", "DIRECTORY")
                    .letter('D')
                    .help("begin there (default: the job's working directory)");
    private static final OptionTable TABLE =
            OptionTable.of("[OPTIONS...] JOB [COMMAND [ARGUMENTS...]]")
                    .operandsEndOptions()
                    .options(NODE, PTY, NO_PTY, CHDIR)
                    .helpLetter();

    /// The user's own shell on the node.
    private static final List<String> SHELL =
            List.of("/bin/sh", "-c", "exec \"${SHELL:-/bin/sh}\" -l");

    private final Connector connector;

    public Exec(Connector connector) {
        this.connector = connector;
    }

    @Override
    public int run(Invocation in) throws Exception {
        return TABLE.run(in, arguments -> enter(in, arguments));
    }

    private int enter(Invocation in, Arguments arguments) throws Exception {
        if (arguments.operands().isEmpty()) {
            throw new Failure("say which job, as in: spur exec 12, or spur exec 12 COMMAND");
        }
        var id = arguments.operands().getFirst();
        var command = arguments.operands().subList(1, arguments.operands().size());
        if (!command.isEmpty() && command.getFirst().equals("--")) {
            command = command.subList(1, command.size());
        }
        var job = running(in, id);
        return new Srun(connector).run(in, words(in, arguments, job, command));
    }

    private Job running(Invocation in, String id) {
        var request =
                ListJobsRequest.newBuilder()
                        .addIds(id)
                        .addStates("ALL")
                        .setDetail(JobDetail.JOB_DETAIL_FULL)
                        .build();
        var found = new ArrayList<Job>();
        try {
            connector
                    .connect(in)
                    .<ListJobsReply>each(
                            stub -> stub.listJobs(request),
                            page -> found.addAll(page.getJobsList()));
        } catch (ControllerException refusal) {
            throw new Failure("%s: %s".formatted(id, Refused.text(refusal)));
        }
        if (found.size() > 1) {
            throw new Failure("%s is an array: name one task, as in %s_1".formatted(id, id));
        }
        if (found.isEmpty()) {
            throw new Failure(id + ": Invalid job id specified");
        }
        var job = found.getFirst();
        if (job.getNodeList().isEmpty() || !job.getBaseState().equals("RUNNING")) {
            throw new Failure(
                    "job %s is %s: only beside a running job there is something to reach"
                            .formatted(id, job.getState()));
        }
        return job;
    }

    private static List<String> words(
            Invocation in, Arguments arguments, Job job, List<String> command) {
        var node =
                arguments
                        .get(NODE)
                        .orElseGet(() -> Hostlist.parse(job.getNodeList()).hosts().getFirst());
        var words = new ArrayList<String>();
        words.add("--jobid=" + Integer.toUnsignedString(job.getJobId()));
        words.add("--overlap");
        words.add("--nodes=1");
        words.add("--ntasks=1");
        words.add("--nodelist=" + node);
        words.add("--job-name=exec");
        words.add("--chdir=" + arguments.get(CHDIR).orElse(job.getWorkDir()));
        if (wantsTerminal(in, arguments, command)) {
            words.add("--pty");
        } else {
            words.add("--unbuffered");
        }
        words.addAll(command.isEmpty() ? SHELL : command);
        return words;
    }

    /// A shell has one wherever there is one; a command, whose output may go on into a pipe, on
    /// request.
    private static boolean wantsTerminal(Invocation in, Arguments arguments, List<String> command) {
        if (arguments.has(NO_PTY)) {
            return false;
        }
        return arguments.has(PTY)
                || (command.isEmpty() && in.terminal().isTerminal(Terminal.INPUT));
    }
}
