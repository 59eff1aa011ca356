package dev.spur.cli.squeue;

import dev.spur.api.client.ControllerClient;
import dev.spur.api.client.ControllerException;
import dev.spur.api.v1.Job;
import dev.spur.api.v1.JobDetail;
import dev.spur.api.v1.ListJobsRequest;
import dev.spur.api.v1.ListNodesRequest;
import dev.spur.api.v1.ListPartitionsRequest;
import dev.spur.api.v1.ListStepsReply;
import dev.spur.api.v1.ListStepsRequest;
import dev.spur.api.v1.Step;
import dev.spur.api.view.JobTable;
import dev.spur.api.view.StepTable;
import dev.spur.api.view.Surroundings;
import dev.spur.cli.Connector;
import dev.spur.cli.Failure;
import dev.spur.cli.Invocation;
import dev.spur.cli.Tool;
import dev.spur.cli.format.Document;
import dev.spur.cli.format.FieldTable;
import dev.spur.cli.format.Layout;
import dev.spur.cli.format.ListingCall;
import dev.spur.cli.format.ListingOptions;
import dev.spur.cli.format.SortKeys;
import dev.spur.cli.format.StateWords;
import dev.spur.cli.options.Arguments;
import dev.spur.cli.options.Option;
import dev.spur.cli.options.Refusal;
import dev.spur.cli.submission.Refused;
import dev.spur.model.ErrorCode;
import dev.spur.model.JobSelector;
import dev.spur.model.notation.NotationException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.function.Function;

/// `squeue`: jobs and steps in the queue.
public final class Squeue implements Tool {
    /// A number that no user has: nothing of an unknown user is listed.
    private static final long NOBODY = 0xffff_fffeL;

    private static final String USUAL = "%.18i %.9P %.8j %.8u %.2t %.10M %.6D %R";
    private static final String LONG = "%.18i %.9P %.8j %.8u %.8T %.10M %.9l %.6D %R";
    private static final String STARTS = "%.18i %.9P %.8j %.8u %.2t %.19S %.6D %20Y %R";

    private final Connector connector;

    public Squeue(Connector connector) {
        this.connector = connector;
    }

    @Override
    public int run(Invocation in) throws Exception {
        return SqueueOptions.TABLE.run(in, arguments -> list(in, arguments));
    }

    private int list(Invocation in, Arguments arguments) throws InterruptedException {
        if (arguments.has(ListingOptions.HELP_FORMAT)) {
            JobFields.TABLE.names().forEach(name -> in.out().println(name));
            return 0;
        }
        if (!arguments.operands().isEmpty()) {
            throw new Failure("Unrecognized option: " + arguments.operands().getFirst());
        }
        if (Document.listsVersions(in, arguments)) {
            return 0;
        }
        try {
            new Call(in, arguments, connector.connect(in)).print();
            return 0;
        } catch (StateWords.UnknownState unknown) {
            var start = in.program() + ": error: ";
            in.err().println(start + "Invalid job state specified: " + unknown.word());
            in.err().println(start + "Valid job states include: " + StateWords.listing() + "\n");
            return 1;
        } catch (ControllerException refusal) {
            throw new Refusal(1, "slurm_load_jobs error: " + Refused.text(refusal));
        }
    }

    /// One call of squeue.
    private record Call(
            Invocation in, Arguments arguments, ControllerClient client, ListingCall listing) {
        Call(Invocation in, Arguments arguments, ControllerClient client) {
            this(in, arguments, client, new ListingCall(in, arguments, client));
        }

        void print() throws InterruptedException {
            if (Document.isWanted(arguments)) {
                listing.print(
                        arguments.has(SqueueOptions.STEPS)
                                ? this::documentSteps
                                : this::documentJobs);
            } else if (arguments.has(SqueueOptions.STEPS)) {
                listing.print(this::printSteps);
            } else if (arguments.has(ListingOptions.ITERATE)) {
                var filter = jobsRequest(JobDetail.JOB_DETAIL_QUEUE);
                try (var last = new LastListing(client, filter, in.clock())) {
                    listing.print(() -> printJobs(request -> last.unchanged(() -> jobs(request))));
                }
            } else {
                listing.print(() -> printJobs(this::jobs));
            }
        }

        private void printJobs(Function<ListJobsRequest, LastListing.Rows> asked) {
            var layout = layout(JobFields.TABLE, usualFormat());
            var sort = sort();
            var told = asked.apply(jobsRequest(JobFields.detail(layout.fields(), wantedSort())));
            var rows =
                    arguments.has(SqueueOptions.PRIORITY)
                            ? oncePerPartition(told.jobs())
                            : told.jobs();
            print(layout, sort.sorted(rows), told.nowMicros());
        }

        private void documentJobs() {
            var sort = sort();
            var told = jobs(jobsRequest(JobDetail.JOB_DETAIL_FULL));
            var cluster = listing.clusterName();
            document()
                    .list(
                            "jobs",
                            JobTable.JOBS,
                            sort.sorted(told.jobs()),
                            Surroundings.of(cluster, told.nowMicros()))
                    .instant("last_backfill", 0)
                    .instant("last_update", told.nowMicros())
                    .end(cluster);
        }

        private void documentSteps() {
            var reply = steps();
            var cluster = listing.clusterName();
            document()
                    .list(
                            "steps",
                            StepTable.STEPS,
                            reply.getStepsList(),
                            Surroundings.of(cluster, reply.getNowMicros()))
                    .instant("last_update", reply.getNowMicros())
                    .end(cluster);
        }

        private Document document() {
            return Document.of(in, arguments).orElseThrow();
        }

        private LastListing.Rows jobs(ListJobsRequest request) {
            var jobs = new ArrayList<Job>();
            var now = new long[1];
            try {
                client.each(
                        controller -> controller.listJobs(request),
                        page -> {
                            jobs.addAll(page.getJobsList());
                            now[0] = page.getNowMicros();
                        });
            } catch (ControllerException refusal) {
                // Of several ids those that are known are listed, even if that is none.
                if (request.getIdsCount() < 2 || !Refused.is(refusal, ErrorCode.INVALID_JOB)) {
                    throw refusal;
                }
            }
            return new LastListing.Rows(jobs, now[0], in.clock().millis());
        }

        private void printSteps() {
            var layout = layout(StepFields.TABLE, StepFields.USUAL);
            var sort = JobOrder.steps(arguments.get(SqueueOptions.SORT, JobOrder.USUAL_STEPS));
            var reply = steps();
            List<Step> steps = reply.getStepsList();
            print(layout, sort.sorted(steps), reply.getNowMicros());
        }

        private ListStepsReply steps() {
            var request =
                    ListStepsRequest.newBuilder()
                            .addAllIds(stepIds())
                            .addAllUsers(users())
                            .addAllPartitions(all(SqueueOptions.PARTITIONS))
                            .addAllNodes(nodes())
                            .build();
            return client.call(controller -> controller.listSteps(request));
        }

        private <R> void print(Layout<R> layout, List<R> rows, long now) {
            listing.print(layout, listing.view(now), rows);
        }

        private <R> Layout<R> layout(FieldTable<R> table, String usual) {
            return listing.layout(
                    table, SqueueOptions.NAMED_FORMAT, SqueueOptions.FORMAT, usual, this::complain);
        }

        private void complain(String what) {
            in.err().println(in.program() + ": error: " + what);
        }

        private String usualFormat() {
            if (arguments.has(SqueueOptions.START)) {
                return STARTS;
            }
            return arguments.has(ListingOptions.LONG) ? LONG : USUAL;
        }

        private String wantedSort() {
            var usual = arguments.has(SqueueOptions.START) ? JobOrder.USUAL_STARTS : JobOrder.USUAL;
            return arguments.get(SqueueOptions.SORT, usual);
        }

        private SortKeys<Job> sort() {
            var wanted = wantedSort();
            if (!wanted.contains("#P")) {
                return JobOrder.jobs(wanted);
            }
            var configured =
                    client.call(controller ->
                            controller.listPartitions(ListPartitionsRequest.getDefaultInstance()));
            return JobOrder.jobs(wanted, configured.getPartitionsList());
        }

        private ListJobsRequest jobsRequest(JobDetail detail) {
            return ListJobsRequest.newBuilder()
                    .addAllIds(jobIds())
                    .addAllUsers(users())
                    .addAllPartitions(all(SqueueOptions.PARTITIONS))
                    .addAllStates(states())
                    .addAllAccounts(all(SqueueOptions.ACCOUNTS))
                    .addAllNames(all(SqueueOptions.NAMES))
                    .addAllQos(all(SqueueOptions.QOS))
                    .addAllNodes(nodes())
                    .addAllReservations(all(SqueueOptions.RESERVATIONS))
                    .addAllLicenses(all(SqueueOptions.LICENSES))
                    .setDetail(detail)
                    .setExpandArrays(
                            arguments.hasAny(SqueueOptions.ARRAY, SqueueOptions.ARRAY_UNIQUE))
                    .setHideHidden(!namesWhatItShows())
                    .build();
        }

        /// Who names a partition or one job means it, hidden or not.
        private boolean namesWhatItShows() {
            return arguments.hasAny(SqueueOptions.ALL, SqueueOptions.PARTITIONS)
                    || all(SqueueOptions.JOBS).size() == 1;
        }

        private List<String> jobIds() {
            var ids = all(SqueueOptions.JOBS);
            ids.forEach(Call::checkId);
            return ids;
        }

        private List<String> stepIds() {
            var ids = new ArrayList<>(all(SqueueOptions.STEPS));
            ids.addAll(all(SqueueOptions.JOBS));
            ids.forEach(Call::checkId);
            return ids;
        }

        private static void checkId(String id) {
            try {
                JobSelector.parse(id);
            } catch (NotationException _) {
                throw new Failure("Invalid job id: " + id);
            }
        }

        private List<String> users() {
            var users = new ArrayList<String>();
            if (arguments.has(SqueueOptions.ME)) {
                users.add(Long.toString(in.caller().uid()));
            }
            for (var user : all(SqueueOptions.USERS)) {
                var uid = in.users().uid(user);
                if (uid.isEmpty()) {
                    complain("Invalid user: " + user + "\n");
                }
                users.add(Long.toString(uid.orElse(NOBODY)));
            }
            return users;
        }

        private List<String> states() {
            if (arguments.has(SqueueOptions.STATES)) {
                return List.copyOf(StateWords.parseList(arguments.get(SqueueOptions.STATES, "")));
            }
            return arguments.has(SqueueOptions.START) ? List.of("PENDING") : List.of();
        }

        private List<String> nodes() {
            var nodes = Hosts.named(arguments.get(SqueueOptions.NODES, ""));
            if (!nodes.isEmpty()) {
                requireKnown(nodes);
            }
            return nodes;
        }

        private void requireKnown(List<String> nodes) {
            var request = ListNodesRequest.newBuilder().addAllNames(nodes).build();
            var known = new HashSet<String>();
            client.call(controller -> controller.listNodes(request))
                    .getNodesList()
                    .forEach(node -> known.add(node.getName()));
            for (var node : nodes) {
                if (!known.contains(node)) {
                    throw new Failure("Invalid node name " + node);
                }
            }
        }

        private List<String> all(Option<List<String>> option) {
            return arguments.get(option).orElse(List.of());
        }

        private static List<Job> oncePerPartition(List<Job> jobs) {
            var rows = new ArrayList<Job>(jobs.size());
            for (var job : jobs) {
                for (var partition : job.getPartition().split(",", -1)) {
                    rows.add(job.toBuilder().setPartition(partition).build());
                }
            }
            return rows;
        }
    }
}
