package dev.spur.cloud.sessions;

import com.google.protobuf.ByteString;
import dev.spur.api.client.ControllerClient;
import dev.spur.api.client.ControllerException;
import dev.spur.api.reach.OutputClient;
import dev.spur.api.reach.OutputException;
import dev.spur.api.reach.OutputRange;
import dev.spur.api.v1.CancelJobsRequest;
import dev.spur.api.v1.GetPlanReply;
import dev.spur.api.v1.GetPlanRequest;
import dev.spur.api.v1.GetStepUsageRequest;
import dev.spur.api.v1.JobActionOutcome;
import dev.spur.api.v1.JobActionReply;
import dev.spur.api.v1.JobKind;
import dev.spur.api.v1.JobSpec;
import dev.spur.api.v1.ListJobsReply;
import dev.spur.api.v1.ListJobsRequest;
import dev.spur.api.v1.ListNodesRequest;
import dev.spur.api.v1.Node;
import dev.spur.api.v1.OpenMode;
import dev.spur.api.v1.OutputPosition;
import dev.spur.api.v1.RequeueJobsRequest;
import dev.spur.api.v1.ResourceRequest;
import dev.spur.api.v1.Session;
import dev.spur.api.v1.SubmitJobRequest;
import dev.spur.api.v1.TimeLimit;
import dev.spur.api.v1.UpdateJobsRequest;
import dev.spur.api.v1.WatchReply;
import dev.spur.api.v1.WatchRequest;
import dev.spur.cloud.cluster.ClusterClients;
import dev.spur.cloud.cluster.UnixAccount;
import dev.spur.cloud.config.ServerSection;
import dev.spur.model.notation.GresRequest;
import dev.spur.runtime.host.ThisHost;
import dev.spur.runtime.host.Users;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;

/// Sessions as batch jobs on the cluster's own nodes: a script that prepares what the template says
/// and then waits until its time is over or somebody ends it. Whoever works in the session comes in
/// beside it, as steps.
public final class NativeBackend implements Backend {
    /// The image of those who ask for none: the node as it is.
    public static final String NO_IMAGE = "native";

    private static final int LISTED_AT_ONCE = 500;
    private static final int PACE_MILLIS = 300;
    private static final String OUTPUT = ".session-%j.log";
    private static final Set<String> SERVING = Set.of("IDLE", "MIXED", "ALLOCATED");
    private static final Set<String> CLOSED =
            Set.of("DRAIN", "DOWN", "NOT_RESPONDING", "FAIL", "MAINT", "POWERED_DOWN");

    private final ClusterClients clients;

    public NativeBackend(ClusterClients clients) {
        this.clients = clients;
    }

    @Override
    public ServerSection.Backend kind() {
        return ServerSection.Backend.NATIVE;
    }

    @Override
    public Optional<String> refusal(String image) {
        return image.isEmpty() || image.equals(NO_IMAGE)
                ? Optional.empty()
                : Optional.of(
                        "Sessions run on the nodes themselves here, which run no container images such as %s."
                                .formatted(image));
    }

    @Override
    public Submitted submit(Submission submission) {
        var request =
                SubmitJobRequest.newBuilder()
                        .setRequestId(submission.key())
                        .setSpec(spec(submission))
                        .setScript(ByteString.copyFromUtf8(script(submission)))
                        .setEnvironment(environment(submission))
                        .build();
        try {
            var reply = as(submission.account()).call(stub -> stub.submitJob(request));
            return new Accepted(Integer.toUnsignedLong(reply.getJobId()));
        } catch (ControllerException e) {
            if (e.kind() == ControllerException.Kind.REFUSED) {
                return new Refused(String.valueOf(e.getMessage()));
            }
            throw away(e);
        }
    }

    private static JobSpec spec(Submission wanted) {
        var resources =
                ResourceRequest.newBuilder()
                        .setMinNodes(1)
                        .setMaxNodes(1)
                        .setTasks(1)
                        .setTasksGiven(true)
                        .setCpusPerTask(wanted.cpus())
                        .setCpusPerTaskGiven(true)
                        .setTmpDiskMb(wanted.diskMb());
        if (wanted.memoryMb() > 0) {
            resources.setMemPerNodeMb(wanted.memoryMb());
        }
        if (wanted.gpuCount() > 0) {
            resources.setGresPerNode("gpu:%s:%d".formatted(wanted.gpuType(), wanted.gpuCount()));
        }
        var home = home(wanted.account());
        var spec =
                JobSpec.newBuilder()
                        .setName(JobStates.NAME_PREFIX + wanted.key())
                        .setKind(JobKind.JOB_KIND_BATCH)
                        .setAccount(wanted.accountName())
                        .setComment(wanted.name())
                        .addComponents(resources)
                        .setTimeLimit(TimeLimit.newBuilder().setMinutes(wanted.minutes()))
                        .setRequeue(true)
                        .setHold(wanted.held())
                        .setWorkDir(home)
                        .setSubmitDir(home)
                        .setStdOut(OUTPUT)
                        .setOpenMode(OpenMode.OPEN_MODE_APPEND)
                        .setUmask(077)
                        .setCommand("session")
                        .setSubmitHost(ThisHost.shortName())
                        .setSubmitLine("spur cloud launch")
                        .setSession(Session.newBuilder().setUnixName(wanted.account().name()));
        if (wanted.partition() != null) {
            spec.addPartitions(wanted.partition());
        }
        return spec.build();
    }

    /// Of accounts of the cloud the cluster knows the home, and the node makes it.
    private static String home(UnixAccount account) {
        if (!account.linked()) {
            return "";
        }
        return Users.byUid(account.uid())
                .map(user -> user.home())
                .filter(home -> home.startsWith("/"))
                .orElse("/tmp");
    }

    /// A setup that fails ends the session with its status; its output says why.
    private static String script(Submission wanted) {
        var setup =
                wanted.setup().isBlank() ? "" : "set -e\n" + wanted.setup().strip() + "\nset +e\n";
        return "#!/bin/bash\n" + setup + "exec sleep infinity\n";
    }

    private static ByteString environment(Submission wanted) {
        var all = new LinkedHashMap<String, String>();
        all.put("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
        all.put("LANG", "C.UTF-8");
        all.put("SHELL", "/bin/bash");
        all.put("USER", wanted.account().name());
        all.put("LOGNAME", wanted.account().name());
        all.putAll(new TreeMap<>(wanted.environment()));
        all.put("GPUAAS_SESSION_ID", wanted.key());
        all.put("SPUR_SESSION_ID", wanted.key());
        var text = new StringBuilder();
        all.forEach((name, value) -> text.append(name).append('=').append(value).append('\0'));
        return ByteString.copyFrom(text.toString(), StandardCharsets.UTF_8);
    }

    @Override
    public void cancel(UnixAccount account, long job) {
        var request =
                CancelJobsRequest.newBuilder()
                        .setRequestId(newKey())
                        .addIds(Long.toString(job))
                        .build();
        asked(() -> as(account).call(stub -> stub.cancelJobs(request)));
    }

    private static String newKey() {
        return java.util.UUID.randomUUID().toString();
    }

    @Override
    public Changed requeue(UnixAccount account, long job, String key) {
        var request =
                RequeueJobsRequest.newBuilder()
                        .setRequestId(key)
                        .addIds(Long.toString(job))
                        .build();
        return changed(() -> as(account).call(stub -> stub.requeueJobs(request)));
    }

    @Override
    public Changed limit(UnixAccount account, long job, int minutes, String key) {
        var request =
                UpdateJobsRequest.newBuilder()
                        .setRequestId(key)
                        .addIds(Long.toString(job))
                        .putChanges("TimeLimit", Integer.toString(minutes))
                        .build();
        return changed(() -> clients.asCloud().call(stub -> stub.updateJobs(request)));
    }

    private static Changed changed(Supplier<JobActionReply> request) {
        try {
            for (var result : request.get().getResultsList()) {
                if (result.getOutcome() != JobActionOutcome.JOB_ACTION_DONE) {
                    return new NotDone(
                            result.getMessage().isEmpty()
                                    ? "The cluster refused it."
                                    : result.getMessage());
                }
            }
            return new Done();
        } catch (ControllerException e) {
            if (e.kind() == ControllerException.Kind.REFUSED) {
                return new NotDone(String.valueOf(e.getMessage()));
            }
            throw away(e);
        }
    }

    @Override
    public List<Observed> list(Collection<Long> jobs) {
        var found = new ArrayList<Observed>();
        var ids = jobs.stream().sorted().map(id -> Long.toString(id)).toList();
        for (var from = 0; from < ids.size(); from += LISTED_AT_ONCE) {
            var some = ids.subList(from, Math.min(ids.size(), from + LISTED_AT_ONCE));
            var request = ListJobsRequest.newBuilder().addAllIds(some).addStates("ALL").build();
            try {
                clients.asCloud()
                        .<ListJobsReply>each(
                                stub -> stub.listJobs(request),
                                page ->
                                        page.getJobsList()
                                                .forEach(
                                                        job -> found.add(JobStates.observed(job))));
            } catch (ControllerException e) {
                if (!isUnknownJob(e)) {
                    throw away(e);
                }
            }
        }
        return found;
    }

    /// Of a single job that is not there, the controller says so instead of nothing.
    private static boolean isUnknownJob(ControllerException e) {
        return e.code().equals("INVALID_JOB");
    }

    @Override
    public Map<Long, Place> queue() {
        var places = new HashMap<Long, Place>();
        asked(() -> {
            clients.asCloud()
                    .<GetPlanReply>each(
                            stub -> stub.getPlan(GetPlanRequest.getDefaultInstance()),
                            page ->
                                    page.getJobsList()
                                            .forEach(job ->
                                                    places.put(
                                                            Integer.toUnsignedLong(job.getJobId()),
                                                            new Place(
                                                                    job.getPlace() == 0
                                                                            ? null
                                                                            : job.getPlace(),
                                                                    JobStates.instant(
                                                                            job.getStartMicros()),
                                                                    job.getReason()
                                                                            + job
                                                                                    .getReasonDetail()))));
            return true;
        });
        return places;
    }

    @Override
    public void follow(String cursor, Follower follower) throws InterruptedException {
        var request =
                WatchRequest.newBuilder()
                        .setJobs(true)
                        .setCursor(cursor)
                        .setPaceMillis(PACE_MILLIS)
                        .build();
        try {
            clients.asCloud()
                    .<WatchReply>each(stub -> stub.watch(request), reply -> tell(reply, follower));
        } catch (ControllerException e) {
            if (Thread.interrupted()) {
                throw new InterruptedException("no longer followed");
            }
            throw away(e);
        }
    }

    private static void tell(WatchReply reply, Follower follower) {
        var jobs =
                reply.getJobsList().stream()
                        .filter(job -> job.getName().startsWith(JobStates.NAME_PREFIX))
                        .map(JobStates::observed)
                        .toList();
        follower.changed(jobs, reply.getBeginsAnew(), reply.getIsCurrent(), reply.getCursor());
    }

    @Override
    public List<NodeOffer> nodes() {
        var reply =
                asked(() ->
                        clients.asCloud()
                                .call(stub ->
                                        stub.listNodes(ListNodesRequest.getDefaultInstance())));
        return reply.getNodesList().stream()
                .map(NativeBackend::offer)
                .sorted(Comparator.comparing(NodeOffer::name))
                .toList();
    }

    private static NodeOffer offer(Node node) {
        var isClosed = node.getFlagsList().stream().anyMatch(CLOSED::contains);
        var totals = gpus(node.getGres());
        var taken = gpus(node.getGresUsed().replaceAll("\\(IDX:[^)]*\\)", ""));
        var gpus = new TreeMap<String, NodeOffer.Gpus>();
        totals.forEach((type, count) ->
                gpus.put(type, new NodeOffer.Gpus(count, taken.getOrDefault(type, 0))));
        return new NodeOffer(
                node.getName(),
                word(node, isClosed),
                SERVING.contains(node.getState()) && !isClosed,
                node.getPartitionsList(),
                node.getCpus(),
                node.getMemoryMb(),
                node.getTmpMb(),
                Math.max(0, node.getCpus() - node.getAllocCpus()),
                Math.max(0, node.getMemoryMb() - node.getAllocMemMb()),
                gpus);
    }

    private static String word(Node node, boolean isClosed) {
        if (node.getFlagsList().contains("DRAIN")) {
            return node.getAllocCpus() > 0 ? "draining" : "drained";
        }
        return isClosed && SERVING.contains(node.getState())
                ? "down"
                : node.getState().toLowerCase(Locale.ROOT);
    }

    private static Map<String, Integer> gpus(String gres) {
        var counts = new TreeMap<String, Integer>();
        for (var item : GresRequest.parse(gres).items()) {
            if (item.name().equals("gpu")) {
                counts.merge(
                        item.type() == null ? "gpu" : item.type(),
                        Math.toIntExact(item.count()),
                        Integer::sum);
            }
        }
        return counts;
    }

    @Override
    public void output(UnixAccount account, long job, OutputWish wish, OutputStream to)
            throws IOException, InterruptedException {
        var range =
                wish.lastLines() > 0
                        ? OutputRange.lastLines(wish.lastLines())
                        : OutputRange.bytes(wish.offset(), wish.bytes());
        try {
            new OutputClient(as(account))
                    .read(
                            new OutputClient.Output(Long.toString(job), wish.error()),
                            wish.follow() ? range.following() : range,
                            (byte[] bytes, OutputPosition _) -> {
                                to.write(bytes);
                                to.flush();
                            });
        } catch (ControllerException e) {
            throw away(e);
        } catch (OutputException e) {
            throw new BackendAwayException(String.valueOf(e.getMessage()), e);
        }
    }

    @Override
    public Map<Long, Use> usage(UnixAccount account, Collection<Long> jobs) {
        var request =
                GetStepUsageRequest.newBuilder()
                        .addAllIds(jobs.stream().map(id -> Long.toString(id)).toList())
                        .setAllSteps(true)
                        .build();
        var reply = asked(() -> as(account).call(stub -> stub.getStepUsage(request)));
        var uses = new HashMap<Long, Use>();
        for (var step : reply.getStepsList()) {
            var used = step.getUsage();
            uses.merge(
                    Integer.toUnsignedLong(step.getJobId()),
                    new Use(
                            (used.getUserMicros() + used.getSystemMicros()) / 1e6,
                            used.getTotalRssKb() * 1024),
                    (one, other) ->
                            new Use(
                                    one.cpuSeconds() + other.cpuSeconds(),
                                    one.memoryBytes() + other.memoryBytes()));
        }
        return uses;
    }

    private ControllerClient as(UnixAccount account) {
        return asked(() -> clients.as(account, false));
    }

    private static <T> T asked(Supplier<T> question) {
        try {
            return question.get();
        } catch (ControllerException e) {
            throw away(e);
        }
    }

    private static BackendAwayException away(ControllerException e) {
        return new BackendAwayException(String.valueOf(e.getMessage()), e);
    }
}
