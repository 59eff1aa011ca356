package dev.spur.cli.scancel;

import dev.spur.api.client.ControllerClient;
import dev.spur.api.client.ControllerException;
import dev.spur.api.v1.CancelJobsRequest;
import dev.spur.api.v1.Job;
import dev.spur.api.v1.JobActionReply;
import dev.spur.api.v1.JobActionResult;
import dev.spur.api.v1.JobFilter;
import dev.spur.api.v1.ListJobsReply;
import dev.spur.api.v1.ListJobsRequest;
import dev.spur.api.v1.SignalJobsRequest;
import dev.spur.api.v1.SignalTarget;
import dev.spur.cli.Connector;
import dev.spur.cli.Failure;
import dev.spur.cli.Invocation;
import dev.spur.cli.Tool;
import dev.spur.cli.options.Arguments;
import dev.spur.cli.options.Option;
import dev.spur.cli.options.OptionTable;
import dev.spur.cli.options.Refusal;
import dev.spur.cli.submission.JobDescription;
import dev.spur.cli.submission.JobOptions;
import dev.spur.cli.submission.Refused;
import dev.spur.cli.submission.Voice;
import dev.spur.model.ErrorCode;
import dev.spur.model.hostlist.Hostlist;
import dev.spur.model.notation.NotationException;
import dev.spur.model.notation.Signal;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/// `scancel [OPTIONS] [JOB[_TASK][.STEP]...]`
public final class Scancel implements Tool {
    private static final Option<String> ACCOUNT =
            Option.text("account", "NAME")
                    .letter('A')
                    .from("SCANCEL_ACCOUNT")
                    .help("jobs of this account");
    private static final Option<Boolean> BATCH =
            Option.flag("batch")
                    .letter('b')
                    .from("SCANCEL_BATCH")
                    .help("signal only the batch script");
    private static final Option<Boolean> CTLD =
            Option.flag("ctld").from("SCANCEL_CTLD").help("ask the controller (always so here)");
    private static final Option<Boolean> FULL =
            Option.flag("full")
                    .letter('f')
                    .from("SCANCEL_FULL")
                    .help("signal the batch script, its children and all steps");
    private static final Option<Boolean> HURRY =
            Option.flag("hurry").letter('H').from("SCANCEL_HURRY").help("stage nothing out");
    private static final Option<Boolean> INTERACTIVE =
            Option.flag("interactive")
                    .letter('i')
                    .from("SCANCEL_INTERACTIVE")
                    .help("ask before each job");
    private static final Option<Boolean> ME = Option.flag("me").help("your own jobs");
    private static final Option<String> NAME =
            Option.text("name", "NAME")
                    .letter('n')
                    .alias("jobname")
                    .from("SCANCEL_NAME")
                    .help("jobs of this name");
    private static final Option<String> NODELIST =
            Option.text("nodelist", "NODES").letter('w').help("jobs on any of these nodes");
    private static final Option<String> PARTITION =
            Option.text("partition", "NAME")
                    .letter('p')
                    .from("SCANCEL_PARTITION")
                    .help("jobs in this partition");
    private static final Option<String> QOS =
            Option.text("qos", "NAME")
                    .letter('q')
                    .from("SCANCEL_QOS")
                    .help("jobs with this quality of service");
    private static final Option<String> RESERVATION =
            Option.text("reservation", "NAME").letter('R').help("jobs in this reservation");
    private static final Option<Signal> SIGNAL =
            Option.of("signal", "SIGNAL", Scancel::signal)
                    .letter('s')
                    .help("send this signal instead of ending the job");
    private static final Option<String> STATE =
            Option.of("state", "STATE", Scancel::state)
                    .letter('t')
                    .from("SCANCEL_STATE")
                    .help("jobs in this state: PENDING, RUNNING or SUSPENDED");
    private static final Option<String> USER =
            Option.text("user", "NAME").letter('u').from("SCANCEL_USER").help("jobs of this user");
    private static final Option<String> WCKEY =
            Option.text("wckey", "KEY").from("SCANCEL_WCKEY").help("jobs with this key");

    private static final OptionTable TABLE =
            OptionTable.of("[OPTIONS...] [JOB[_TASK][.STEP]...]")
                    .options(
                            ACCOUNT,
                            BATCH,
                            CTLD,
                            FULL,
                            HURRY,
                            INTERACTIVE,
                            ME,
                            NAME,
                            NODELIST,
                            PARTITION,
                            QOS,
                            JobOptions.QUIET,
                            RESERVATION,
                            SIGNAL,
                            STATE,
                            USER,
                            JobOptions.VERBOSE.from("SCANCEL_VERBOSE"),
                            WCKEY,
                            Option.text("clusters", "NAMES")
                                    .letter('M')
                                    .from("SLURM_CLUSTERS")
                                    .unsupported(),
                            Option.text("sibling", "CLUSTER").unsupported());

    private static final Pattern JOB =
            Pattern.compile(
                    "0*[1-9]\\d{0,9}(\\+\\d+|_(\\d+|\\*|\\[\\d+(-\\d+(:\\d+)?)?(,\\d+(-\\d+(:\\d+)?)?)*]))?");
    private static final Pattern STEP = Pattern.compile("0*[1-9]\\d{0,9}(\\+\\d+|_\\d+)?\\.\\d+");

    /// What a shell sees of Slurm's 1800, "unable to contact slurm controller".
    private static final int UNREACHABLE_EXIT_CODE = 1800 & 0xff;

    private final Connector connector;

    public Scancel(Connector connector) {
        this.connector = connector;
    }

    @Override
    public int run(Invocation in) throws Exception {
        return TABLE.run(in, arguments -> new Call(in, arguments).run());
    }

    private static Signal signal(String text) {
        try {
            return Signal.parse(text);
        } catch (NotationException _) {
            throw new Refusal(1, "Unknown job signal: " + text);
        }
    }

    private static String state(String text) {
        return switch (text.toUpperCase(Locale.ROOT)) {
            case "PENDING", "PD" -> "PENDING";
            case "RUNNING", "R" -> "RUNNING";
            case "SUSPENDED", "S" -> "SUSPENDED";
            default ->
                    throw new Refusal(
                            1,
                            "Invalid job state specified: %s\nValid job states are PENDING, RUNNING, and SUSPENDED"
                                    .formatted(text));
        };
    }

    /// One call of scancel.
    private final class Call {
        private final Invocation in;
        private final Arguments arguments;
        private final Voice voice;

        Call(Invocation in, Arguments arguments) {
            this.in = in;
            this.arguments = arguments;
            this.voice = Voice.of(in, arguments);
        }

        int run() throws IOException {
            var ids = ids();
            if (ids.isEmpty() && !hasFilter()) {
                throw new Failure("No job identification provided");
            }
            var filter = filter();
            var controller = connector.connect(in);
            try {
                if (arguments.has(INTERACTIVE)) {
                    ids = confirmed(controller, ids, filter);
                    filter = JobFilter.getDefaultInstance();
                    if (ids.isEmpty()) {
                        return 0;
                    }
                }
                return report(act(controller, ids, filter), ids);
            } catch (ControllerException refusal) {
                return unanswered(ids, refusal);
            }
        }

        private List<String> ids() {
            var ids = new ArrayList<String>();
            for (var operand : arguments.operands()) {
                // a bracket holds commas of its own
                for (var id :
                        operand.indexOf('[') >= 0
                                ? List.of(operand)
                                : JobDescription.list(operand)) {
                    if (!JOB.matcher(id).matches() && !STEP.matcher(id).matches()) {
                        throw new Failure("Invalid job id " + operand);
                    }
                    ids.add(id);
                }
            }
            return ids;
        }

        private boolean hasFilter() {
            return arguments.hasAny(
                    ACCOUNT, ME, NAME, NODELIST, PARTITION, QOS, RESERVATION, STATE, USER, WCKEY);
        }

        /// Whether Slurm would look at the jobs first: then it complains of those that are not
        /// there.
        private boolean looksFirst() {
            return hasFilter() || arguments.hasAny(SIGNAL, BATCH, FULL, INTERACTIVE);
        }

        private JobFilter filter() throws IOException {
            var filter = JobFilter.newBuilder();
            arguments.get(ACCOUNT).ifPresent(filter::addAccounts);
            arguments.get(NAME).ifPresent(filter::addNames);
            arguments.get(PARTITION).ifPresent(filter::addPartitions);
            arguments.get(QOS).ifPresent(filter::addQos);
            arguments.get(RESERVATION).ifPresent(filter::setReservation);
            arguments.get(STATE).ifPresent(filter::addStates);
            arguments.get(WCKEY).ifPresent(filter::setWckey);
            if (arguments.has(ME)) {
                filter.addUsers(Long.toString(in.caller().uid()));
            }
            arguments.get(USER).ifPresent(user -> filter.addUsers(Long.toString(uid(user))));
            var nodes = arguments.get(NODELIST);
            if (nodes.isPresent()) {
                filter.addAllNodes(Hostlist.parse(JobDescription.nodes(in, nodes.get())).hosts());
            }
            return filter.build();
        }

        private long uid(String user) {
            return in.users()
                    .uid(user)
                    .orElseThrow(() -> new Failure("Invalid user name: " + user));
        }

        private JobActionReply act(
                ControllerClient controller, List<String> ids, JobFilter filter) {
            mention(ids);
            if (!arguments.hasAny(SIGNAL, BATCH, FULL)) {
                var request =
                        CancelJobsRequest.newBuilder()
                                .setRequestId(in.newRequestId())
                                .addAllIds(ids)
                                .setHurry(arguments.has(HURRY));
                narrow(filter, request::setFilter);
                return controller.call(stub -> stub.cancelJobs(request.build()));
            }
            var request =
                    SignalJobsRequest.newBuilder()
                            .setRequestId(in.newRequestId())
                            .addAllIds(ids)
                            .setSignal(arguments.get(SIGNAL, Signal.KILL).number())
                            .setTarget(target());
            narrow(filter, request::setFilter);
            return controller.call(stub -> stub.signalJobs(request.build()));
        }

        /// A filter passes over what has ended and what is not there: none is sent without need, so
        /// that each id has its answer.
        private static void narrow(JobFilter filter, Consumer<JobFilter> request) {
            if (!filter.equals(JobFilter.getDefaultInstance())) {
                request.accept(filter);
            }
        }

        private SignalTarget target() {
            if (arguments.has(FULL)) {
                return SignalTarget.SIGNAL_TARGET_FULL;
            }
            return arguments.has(BATCH)
                    ? SignalTarget.SIGNAL_TARGET_BATCH
                    : SignalTarget.SIGNAL_TARGET_STEPS;
        }

        private void mention(List<String> ids) {
            for (var id : ids) {
                var what =
                        STEP.matcher(id).matches()
                                ? "step "
                                : arguments.has(BATCH) ? "batch job " : "job ";
                voice.mention(
                        arguments.has(SIGNAL)
                                ? "Signal %d to %s%s"
                                        .formatted(
                                                arguments.get(SIGNAL, Signal.KILL).number(),
                                                what,
                                                id)
                                : "Terminating " + what + id);
            }
        }

        private int report(JobActionReply reply, List<String> ids) {
            int exitCode = 0;
            for (var result : reply.getResultsList()) {
                if (ids.isEmpty()) {
                    mention(List.of(result.getId()));
                }
                exitCode = Math.max(exitCode, report(result));
            }
            if (reply.getResultsCount() == 0 && voice.isVerbose()) {
                voice.error("No active jobs match ALL job filters, including: " + filtersInWords());
            }
            return exitCode;
        }

        private String filtersInWords() {
            var words = new StringBuilder();
            var filters =
                    List.of(
                            Map.entry("account", ACCOUNT),
                            Map.entry("job_name", NAME),
                            Map.entry("nodelist", NODELIST),
                            Map.entry("partition", PARTITION),
                            Map.entry("qos", QOS),
                            Map.entry("reservation", RESERVATION),
                            Map.entry("state", STATE),
                            Map.entry("user_name", USER),
                            Map.entry("wckey", WCKEY));
            for (var filter : filters) {
                arguments
                        .get(filter.getValue())
                        .ifPresent(value ->
                                words.append(filter.getKey())
                                        .append('=')
                                        .append(value)
                                        .append(' '));
            }
            return words.toString();
        }

        /// A job that is gone is what the caller wanted, so the plain form is silent about it, and
        /// so is a filter that found it just before.
        private int report(JobActionResult result) {
            return switch (result.getOutcome()) {
                case JOB_ACTION_DONE -> 0;
                case JOB_ACTION_ALREADY_ENDED -> gone(result, ErrorCode.ALREADY_DONE);
                case JOB_ACTION_NOT_FOUND -> gone(result, ErrorCode.INVALID_JOB);
                case JOB_ACTION_DENIED ->
                        complain(
                                result,
                                ErrorCode.ACCESS_DENIED.text(),
                                ErrorCode.ACCESS_DENIED.exitCode());
                case JOB_ACTION_REFUSED ->
                        result.getSlurmErrno() == ErrorCode.ALREADY_DONE.slurmErrno()
                                ? gone(result, ErrorCode.ALREADY_DONE)
                                : complain(
                                        result,
                                        Refused.text(result.getSlurmErrno(), result.getMessage()),
                                        Math.max(1, result.getSlurmErrno() & 0xff));
                case UNRECOGNIZED -> complain(result, result.getMessage(), 1);
            };
        }

        private int gone(JobActionResult result, ErrorCode code) {
            var isStep = STEP.matcher(result.getId()).matches();
            if (!isStep && (!looksFirst() || !ids().contains(result.getId()))) {
                if (voice.isVerbose()) {
                    complain(result, code.text(), 0);
                }
                return 0;
            }
            if (arguments.has(JobOptions.QUIET)) {
                return 0;
            }
            // Whoever looks first finds only what has not ended.
            return complain(result, ErrorCode.INVALID_JOB.text(), 1);
        }

        private int complain(JobActionResult result, String why, int exitCode) {
            var what = STEP.matcher(result.getId()).matches() ? "job step id " : "job id ";
            voice.error("Kill job error on " + what + result.getId() + ": " + why);
            return exitCode;
        }

        private int unanswered(List<String> ids, ControllerException refusal) {
            var text = Refused.text(refusal);
            if (looksFirst() || ids.isEmpty()) {
                in.err().println("slurm_load_jobs error: " + text);
                return 1;
            }
            ids.forEach(id -> voice.error("Kill job error on job id " + id + ": " + text));
            return refusal.kind() == ControllerException.Kind.UNREACHABLE
                    ? UNREACHABLE_EXIT_CODE
                    : Math.max(1, refusal.errno() & 0xff);
        }

        /// `--interactive`: the ids of the jobs to which the caller said yes.
        private List<String> confirmed(
                ControllerClient controller, List<String> ids, JobFilter filter)
                throws IOException {
            var request =
                    ListJobsRequest.newBuilder()
                            .addAllIds(
                                    ids.stream().filter(id -> !STEP.matcher(id).matches()).toList())
                            .addAllUsers(filter.getUsersList())
                            .addAllPartitions(filter.getPartitionsList())
                            .addAllStates(filter.getStatesList())
                            .addAllAccounts(filter.getAccountsList())
                            .addAllNames(filter.getNamesList())
                            .addAllQos(filter.getQosList())
                            .addAllNodes(filter.getNodesList())
                            .build();
            var jobs = new ArrayList<Job>();
            if (request.getIdsCount() > 0 || ids.isEmpty()) {
                controller.<ListJobsReply>each(
                        stub -> stub.listJobs(request), page -> jobs.addAll(page.getJobsList()));
            }
            var chosen = new ArrayList<String>();
            for (var job : jobs) {
                var id = id(job);
                if (agrees(
                        "Cancel job_id=%s name=%s partition=%s [y/n]? "
                                .formatted(id, job.getName(), job.getPartition()))) {
                    chosen.add(id);
                }
            }
            for (var id : ids) {
                if (STEP.matcher(id).matches()
                        && agrees("Cancel step_id=%s [y/n]? ".formatted(id))) {
                    chosen.add(id);
                }
            }
            return chosen;
        }

        private boolean agrees(String question) throws IOException {
            while (true) {
                in.out().print(question).flush();
                var answer = line();
                if (answer.startsWith("y") || answer.startsWith("Y")) {
                    return true;
                }
                if (answer.isEmpty() || answer.startsWith("n") || answer.startsWith("N")) {
                    return false;
                }
            }
        }

        /// One line of the answer; empty also at the end of input.
        private String line() throws IOException {
            var line = new StringBuilder();
            for (int c = in.input().read(); c >= 0 && c != '\n'; c = in.input().read()) {
                line.append((char) c);
            }
            return line.toString().strip();
        }

        private static String id(Job job) {
            if (job.hasArrayTaskId()) {
                return Integer.toUnsignedString(job.getArrayJobId()) + "_" + job.getArrayTaskId();
            }
            return Integer.toUnsignedString(job.getJobId());
        }
    }
}
