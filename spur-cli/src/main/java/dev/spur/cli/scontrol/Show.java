package dev.spur.cli.scontrol;

import static dev.spur.cli.scontrol.Words.word;

import dev.spur.api.client.ControllerException;
import dev.spur.api.v1.GetConfigRequest;
import dev.spur.api.v1.Job;
import dev.spur.api.v1.JobDetail;
import dev.spur.api.v1.ListJobsRequest;
import dev.spur.api.v1.ListNodesRequest;
import dev.spur.api.v1.ListPartitionsReply;
import dev.spur.api.v1.ListPartitionsRequest;
import dev.spur.api.v1.ListStepsRequest;
import dev.spur.api.v1.Node;
import dev.spur.api.view.JobTable;
import dev.spur.api.view.NodeTable;
import dev.spur.api.view.PartitionTable;
import dev.spur.api.view.StepTable;
import dev.spur.cli.cluster.Survey;
import dev.spur.cli.format.View;
import dev.spur.cli.squeue.JobText;
import dev.spur.cli.submission.Refused;
import dev.spur.model.ErrorCode;
import dev.spur.model.hostlist.Hostlist;
import dev.spur.model.notation.NotationException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.function.Consumer;

/// `scontrol show ENTITY [NAME]`
final class Show {
    private static final int LARGEST_HOST_FILE = 16 << 20;

    private static final Words<Verbs.Verb> ENTITIES =
            new Words<>(
                    List.of(
                            word("config", 1, (session, _) -> config(session)),
                            word(
                                    "hostlistsorted",
                                    9,
                                    (session, names) ->
                                            hosts(
                                                    session,
                                                    names,
                                                    list ->
                                                            print(
                                                                    session,
                                                                    Hostlist.parse(list)
                                                                            .sorted()))),
                            word(
                                    "hostlist",
                                    5,
                                    (session, names) ->
                                            hosts(
                                                    session,
                                                    names,
                                                    list -> print(session, Hostlist.parse(list)))),
                            word(
                                    "hostnames",
                                    5,
                                    (session, names) ->
                                            hosts(
                                                    session,
                                                    names,
                                                    list ->
                                                            Hostlist.forEach(
                                                                    list, session.out()::println))),
                            word("jobs", 1, Show::jobs),
                            word("jobid", 4, Show::jobs),
                            word("licenses", 2, (session, _) -> licenses(session)),
                            word("nodes", 1, Show::nodes),
                            word("partitions", 1, Show::partitions),
                            word("reservations", 1, ReservationVerbs::show),
                            word("steps", 2, Show::steps)));

    /// Those that are shown with `--json`, too.
    private static final Words<Boolean> FOR_PROGRAMS =
            new Words<>(
                    List.of(
                            word("jobs", 1, true),
                            word("jobid", 4, true),
                            word("licenses", 2, true),
                            word("nodes", 1, true),
                            word("partitions", 1, true),
                            word("reservations", 1, true),
                            word("steps", 2, true)));

    private static final List<String> LATER =
            List.of(
                    "aliases",
                    "bbstat",
                    "burstbuffer",
                    "daemons",
                    "dwstat",
                    "federation",
                    "frontend",
                    "slurmd",
                    "topology");

    private Show() {}

    static int run(Session session, List<String> words) throws Exception {
        if (words.isEmpty()) {
            return Verbs.tooFew(session, "show");
        }
        var entity = Pair.of(words.getFirst());
        var names = new ArrayList<>(words.subList(1, words.size()));
        if (entity.hasValue()) {
            names.addFirst(entity.value());
        }
        if (entity.key().length() > 1
                && "assoc_mgr".startsWith(entity.key().toLowerCase(Locale.ROOT))) {
            return AssociationManager.show(session, names);
        }
        if (names.size() > 1) {
            return session.fail("too many arguments for keyword:show");
        }
        var found = ENTITIES.find(entity.key());
        if (found.isPresent()
                && session.document().isPresent()
                && FOR_PROGRAMS.find(entity.key()).isEmpty()) {
            return Verbs.notForPrograms(session);
        }
        if (found.isPresent()) {
            return found.get().run(session, names);
        }
        if (LATER.stream().anyMatch(later -> later.startsWith(entity.key()))) {
            return session.fail(
                    "scontrol: error: show %s is not supported yet".formatted(entity.key()));
        }
        return session.fail("invalid entity:%s for keyword:show ".formatted(entity.key()));
    }

    private static int jobs(Session session, List<String> names) {
        if (names.equals(List.of("0"))) {
            return jobs(session, List.of()); // as Slurm's, which takes it for no number
        }
        if (!names.stream().allMatch(JobActions::isId)) {
            return session.fail("scontrol_print_job error: " + ErrorCode.INVALID_JOB.text());
        }
        var request =
                ListJobsRequest.newBuilder()
                        .addAllIds(names)
                        .addStates("ALL")
                        .setDetail(JobDetail.JOB_DETAIL_FULL)
                        .build();
        var jobs = new ArrayList<Job>();
        var now = new long[1];
        try {
            session.controller()
                    .each(
                            controller -> controller.listJobs(request),
                            page -> {
                                page.getJobsList().forEach(job -> jobs.add(meant(job, names)));
                                now[0] = page.getNowMicros();
                            });
        } catch (ControllerException refusal) {
            return session.fail("slurm_load_jobs error: " + Refused.text(refusal));
        }
        if (!names.isEmpty()) {
            jobs.sort(NEWEST_TASK_FIRST);
        }
        var document = session.document();
        if (document.isPresent()) {
            return session.list(document.get(), "jobs", JobTable.JOBS, jobs, now[0]);
        }
        if (jobs.isEmpty()) {
            return none(session, "No jobs in the system");
        }
        var view = session.view(now[0]);
        jobs.forEach(job ->
                session.out()
                        .print(JobRecord.of(job, view, session.isOneLine(), session.isDetailed())));
        return 0;
    }

    /// Of an array that waits, the one task that was asked for.
    private static Job meant(Job job, List<String> names) {
        var task = names.isEmpty() ? -1 : names.getFirst().indexOf('_');
        if (job.getArrayPending().isEmpty() || task < 0) {
            return job;
        }
        var index = names.getFirst().substring(task + 1);
        return index.matches("\\d{1,9}")
                ? job.toBuilder()
                        .clearArrayPending()
                        .setArrayTaskId(Integer.parseInt(index))
                        .build()
                : job;
    }

    /// Of one array Slurm shows first what waits, or the task that was the last to wait and has the
    /// array's own number, then the other tasks from the last that started.
    private static final Comparator<Job> NEWEST_TASK_FIRST =
            Comparator.<Job, Boolean>comparing(
                            job -> job.hasArrayTaskId() && job.getJobId() != job.getArrayJobId())
                    .thenComparing(
                            Comparator.comparingLong((Job job) ->
                                            job.hasArrayTaskId()
                                                    ? JobText.unsigned(job.getJobId())
                                                    : 0)
                                    .reversed());

    private static int nodes(Session session, List<String> names) {
        List<String> wanted;
        try {
            wanted = names.isEmpty() ? List.of() : Hostlist.parse(names.getFirst()).hosts();
        } catch (NotationException wrong) {
            return session.fail("scontrol: error: " + wrong.getMessage());
        }
        var found = new HashMap<String, Node>();
        try {
            var request = ListNodesRequest.newBuilder().addAllNames(wanted).build();
            var reply = session.controller().call(controller -> controller.listNodes(request));
            reply.getNodesList().forEach(node -> found.put(node.getName(), node));
            var document = session.document();
            var missing = wanted.stream().filter(name -> !found.containsKey(name)).findFirst();
            if (document.isPresent()) {
                return missing.isPresent()
                        ? session.fail("Node %s not found".formatted(missing.get()))
                        : session.list(
                                document.get(),
                                "nodes",
                                NodeTable.NODES,
                                reply.getNodesList(),
                                reply.getNowMicros());
            }
            var view = session.view(reply.getNowMicros());
            if (wanted.isEmpty()) {
                reply.getNodesList().forEach(node -> print(session, node, view));
                return reply.getNodesCount() == 0 ? none(session, "No nodes in the system") : 0;
            }
            var exitCode = 0;
            for (var name : wanted) {
                var node = found.get(name);
                if (node == null) {
                    exitCode = session.missing("Node %s not found".formatted(name));
                } else {
                    print(session, node, view);
                }
            }
            return exitCode;
        } catch (ControllerException refusal) {
            return session.fail("slurm_load_node error: " + Refused.text(refusal));
        }
    }

    private static void print(Session session, Node node, View view) {
        session.out().print(NodeRecord.of(node, view, session.isOneLine(), session.isDetailed()));
    }

    private static int partitions(Session session, List<String> names) {
        ListPartitionsReply reply;
        try {
            reply =
                    session.controller()
                            .call(controller ->
                                    controller.listPartitions(
                                            ListPartitionsRequest.getDefaultInstance()));
        } catch (ControllerException refusal) {
            return session.fail("slurm_load_partitions error: " + Refused.text(refusal));
        }
        var shown =
                reply.getPartitionsList().stream()
                        .filter(partition ->
                                names.isEmpty()
                                        ? session.showsAll() || !partition.getHidden()
                                        : partition.getName().equals(names.getFirst()))
                        .toList();
        var document = session.document();
        if (document.isPresent()) {
            return shown.isEmpty() && !names.isEmpty()
                    ? session.fail("Partition %s not found".formatted(names.getFirst()))
                    : session.list(
                            document.get(),
                            "partitions",
                            PartitionTable.PARTITIONS,
                            shown,
                            reply.getNowMicros());
        }
        shown.forEach(partition ->
                session.out().print(PartitionRecord.of(partition, session.isOneLine())));
        if (!shown.isEmpty()) {
            return 0;
        }
        return names.isEmpty()
                ? none(session, "No partitions in the system")
                : session.missing("Partition %s not found".formatted(names.getFirst()));
    }

    private static int steps(Session session, List<String> names) {
        try {
            var request = ListStepsRequest.newBuilder().addAllIds(names).build();
            var reply = session.controller().call(controller -> controller.listSteps(request));
            var document = session.document();
            if (document.isPresent() && (reply.getStepsCount() > 0 || names.isEmpty())) {
                return session.list(
                        document.get(),
                        "steps",
                        StepTable.STEPS,
                        reply.getStepsList(),
                        reply.getNowMicros());
            }
            if (reply.getStepsCount() == 0) {
                return names.isEmpty()
                        ? none(session, "No job steps in the system")
                        : session.fail(
                                "slurm_get_job_steps error: " + ErrorCode.INVALID_JOB.text());
            }
            var view = session.view(reply.getNowMicros());
            reply.getStepsList()
                    .forEach(step ->
                            session.out().print(StepRecord.of(step, view, session.isOneLine())));
            return 0;
        } catch (ControllerException refusal) {
            return session.fail("slurm_get_job_steps error: " + Refused.text(refusal));
        }
    }

    private static int licenses(Session session) {
        var document = session.document();
        if (document.isPresent()) {
            var now = session.in().clock().millis() * 1000;
            return session.list(document.get(), "licenses", JobTable.JOBS, List.of(), now);
        }
        return none(session, "No licenses configured in Slurm.");
    }

    private static int config(Session session) {
        try {
            var reply =
                    session.controller()
                            .call(controller ->
                                    controller.getConfig(GetConfigRequest.getDefaultInstance()));
            var peers = Survey.of(session.controller()).rows();
            var now = session.in().clock().instant();
            session.out()
                    .println(
                            "Configuration data as of "
                                    + session.view(0)
                                            .times()
                                            .text(now.getEpochSecond() * 1_000_000, ""));
            var values = new TreeMap<String, String>(String.CASE_INSENSITIVE_ORDER);
            values.putAll(reply.getValuesMap());
            values.putIfAbsent("ClusterName", reply.getCluster());
            values.forEach((key, value) ->
                    session.out()
                            .println(
                                    "%-23s = %s"
                                            .formatted(key, value.isEmpty() ? "(null)" : value)));
            session.out().println();
            for (var i = 0; i < peers.size(); i++) {
                session.out().println(Verbs.standing(peers.get(i), i, peers.size()));
            }
            return 0;
        } catch (ControllerException refusal) {
            return session.fail("slurm_load_ctl_conf error: " + Refused.text(refusal));
        }
    }

    private static int hosts(Session session, List<String> names, Consumer<String> print)
            throws IOException {
        var in = session.in();
        var list = names.isEmpty() ? in.environment("SLURM_JOB_NODELIST") : names.getFirst();
        if (list == null) {
            list = in.environment("SLURM_NODELIST");
        }
        if (list == null) {
            session.fail("scontrol: error: no host list given, and SLURM_JOB_NODELIST is not set");
            return 0; // as Slurm's
        }
        if (list.startsWith("/")) {
            list = new String(in.files().read(list, LARGEST_HOST_FILE), StandardCharsets.UTF_8);
        }
        try {
            print.accept(list);
            return 0;
        } catch (NotationException _) {
            return session.fail("Invalid hostlist: " + list);
        }
    }

    private static void print(Session session, Hostlist list) {
        session.out().println(list.toString());
    }

    private static int none(Session session, String text) {
        session.out().println(text);
        return 0;
    }
}
