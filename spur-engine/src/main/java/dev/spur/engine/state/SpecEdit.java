package dev.spur.engine.state;

import dev.spur.model.JobNotes;
import dev.spur.model.JobSpec;
import dev.spur.model.LaunchSpec;
import dev.spur.model.MemoryRequest;
import dev.spur.model.ResourceRequest;
import dev.spur.model.notation.TimeLimit;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Copies of a spec with one thing changed.
final class SpecEdit {
    private final JobSpec spec;
    private String name;
    private List<String> partitions;
    private String account;
    private String qos;
    private @Nullable TimeLimit timeLimit;
    private String dependency;
    private @Nullable Instant begin;
    private @Nullable Instant deadline;
    private int nice;
    private @Nullable Long priority;
    private @Nullable Boolean requeue;
    private JobNotes notes;
    private LaunchSpec launch;
    private ResourceRequest request;

    SpecEdit(JobSpec spec) {
        this.spec = spec;
        name = spec.name();
        partitions = spec.partitions();
        account = spec.account();
        qos = spec.qos();
        timeLimit = spec.timeLimit();
        dependency = spec.dependency();
        begin = spec.begin();
        deadline = spec.deadline();
        nice = spec.nice();
        priority = spec.priority();
        requeue = spec.requeue();
        notes = spec.notes();
        launch = spec.launch();
        request = spec.request();
    }

    JobSpec name(String value) {
        name = value;
        return edited();
    }

    JobSpec partitions(List<String> value) {
        partitions = value;
        return edited();
    }

    JobSpec account(String value) {
        account = value;
        return edited();
    }

    JobSpec qos(String value) {
        qos = value;
        return edited();
    }

    JobSpec timeLimit(TimeLimit value) {
        timeLimit = value;
        return edited();
    }

    JobSpec dependency(String value) {
        dependency = value;
        return edited();
    }

    JobSpec begin(@Nullable Instant value) {
        begin = value;
        return edited();
    }

    JobSpec deadline(@Nullable Instant value) {
        deadline = value;
        return edited();
    }

    JobSpec nice(int value) {
        nice = value;
        return edited();
    }

    JobSpec priority(long value) {
        priority = value;
        return edited();
    }

    JobSpec requeue(boolean value) {
        requeue = value;
        return edited();
    }

    JobSpec notes(JobNotes value) {
        notes = value;
        return edited();
    }

    JobSpec stdOut(String pattern) {
        launch =
                new LaunchSpec(
                        launch.workDir(),
                        pattern,
                        launch.stdErr(),
                        launch.stdIn(),
                        launch.openMode(),
                        launch.command(),
                        launch.scriptArgs(),
                        launch.umask(),
                        launch.rlimits(),
                        launch.exportEnv(),
                        launch.getUserEnv(),
                        launch.submitHost(),
                        launch.allocSid(),
                        launch.container(),
                        launch.cpuFrequency(),
                        launch.submitLine());
        return edited();
    }

    JobSpec stdErr(String pattern) {
        launch =
                new LaunchSpec(
                        launch.workDir(),
                        launch.stdOut(),
                        pattern,
                        launch.stdIn(),
                        launch.openMode(),
                        launch.command(),
                        launch.scriptArgs(),
                        launch.umask(),
                        launch.rlimits(),
                        launch.exportEnv(),
                        launch.getUserEnv(),
                        launch.submitHost(),
                        launch.allocSid(),
                        launch.container(),
                        launch.cpuFrequency(),
                        launch.submitLine());
        return edited();
    }

    JobSpec nodes(int least, int most) {
        return with(
                new ResourceRequest(
                        least,
                        most,
                        request.tasks(),
                        request.tasksGiven(),
                        request.cpusPerTask(),
                        request.cpusPerTaskGiven(),
                        request.tasksPerNode(),
                        request.tasksPerSocket(),
                        request.tasksPerCore(),
                        request.tasksPerGpu(),
                        request.memory(),
                        request.tmpDiskMebibytes(),
                        request.minCpusPerNode(),
                        request.gresPerNode(),
                        request.gresPerJob(),
                        request.gresPerTask(),
                        request.gresPerSocket(),
                        request.cpusPerGpu(),
                        request.constraint(),
                        request.prefer(),
                        request.nodeList(),
                        request.exclude(),
                        request.sharing(),
                        request.contiguous(),
                        request.distribution(),
                        request.socketsPerNode(),
                        request.coresPerSocket(),
                        request.threadsPerCore(),
                        request.gpuBind(),
                        request.cpuBind(),
                        request.memBind(),
                        request.hint(),
                        request.switches(),
                        request.useMinNodes(),
                        request.overcommit()));
    }

    JobSpec tasks(int count) {
        return with(
                new ResourceRequest(
                        request.minNodes(),
                        request.maxNodes(),
                        count,
                        true,
                        request.cpusPerTask(),
                        request.cpusPerTaskGiven(),
                        request.tasksPerNode(),
                        request.tasksPerSocket(),
                        request.tasksPerCore(),
                        request.tasksPerGpu(),
                        request.memory(),
                        request.tmpDiskMebibytes(),
                        request.minCpusPerNode(),
                        request.gresPerNode(),
                        request.gresPerJob(),
                        request.gresPerTask(),
                        request.gresPerSocket(),
                        request.cpusPerGpu(),
                        request.constraint(),
                        request.prefer(),
                        request.nodeList(),
                        request.exclude(),
                        request.sharing(),
                        request.contiguous(),
                        request.distribution(),
                        request.socketsPerNode(),
                        request.coresPerSocket(),
                        request.threadsPerCore(),
                        request.gpuBind(),
                        request.cpuBind(),
                        request.memBind(),
                        request.hint(),
                        request.switches(),
                        request.useMinNodes(),
                        request.overcommit()));
    }

    JobSpec cpusPerTask(int count) {
        return with(
                new ResourceRequest(
                        request.minNodes(),
                        request.maxNodes(),
                        request.tasks(),
                        request.tasksGiven(),
                        count,
                        true,
                        request.tasksPerNode(),
                        request.tasksPerSocket(),
                        request.tasksPerCore(),
                        request.tasksPerGpu(),
                        request.memory(),
                        request.tmpDiskMebibytes(),
                        request.minCpusPerNode(),
                        request.gresPerNode(),
                        request.gresPerJob(),
                        request.gresPerTask(),
                        request.gresPerSocket(),
                        request.cpusPerGpu(),
                        request.constraint(),
                        request.prefer(),
                        request.nodeList(),
                        request.exclude(),
                        request.sharing(),
                        request.contiguous(),
                        request.distribution(),
                        request.socketsPerNode(),
                        request.coresPerSocket(),
                        request.threadsPerCore(),
                        request.gpuBind(),
                        request.cpuBind(),
                        request.memBind(),
                        request.hint(),
                        request.switches(),
                        request.useMinNodes(),
                        request.overcommit()));
    }

    JobSpec memory(MemoryRequest amount) {
        return with(
                new ResourceRequest(
                        request.minNodes(),
                        request.maxNodes(),
                        request.tasks(),
                        request.tasksGiven(),
                        request.cpusPerTask(),
                        request.cpusPerTaskGiven(),
                        request.tasksPerNode(),
                        request.tasksPerSocket(),
                        request.tasksPerCore(),
                        request.tasksPerGpu(),
                        amount,
                        request.tmpDiskMebibytes(),
                        request.minCpusPerNode(),
                        request.gresPerNode(),
                        request.gresPerJob(),
                        request.gresPerTask(),
                        request.gresPerSocket(),
                        request.cpusPerGpu(),
                        request.constraint(),
                        request.prefer(),
                        request.nodeList(),
                        request.exclude(),
                        request.sharing(),
                        request.contiguous(),
                        request.distribution(),
                        request.socketsPerNode(),
                        request.coresPerSocket(),
                        request.threadsPerCore(),
                        request.gpuBind(),
                        request.cpuBind(),
                        request.memBind(),
                        request.hint(),
                        request.switches(),
                        request.useMinNodes(),
                        request.overcommit()));
    }

    JobSpec constraint(String text) {
        return with(
                new ResourceRequest(
                        request.minNodes(),
                        request.maxNodes(),
                        request.tasks(),
                        request.tasksGiven(),
                        request.cpusPerTask(),
                        request.cpusPerTaskGiven(),
                        request.tasksPerNode(),
                        request.tasksPerSocket(),
                        request.tasksPerCore(),
                        request.tasksPerGpu(),
                        request.memory(),
                        request.tmpDiskMebibytes(),
                        request.minCpusPerNode(),
                        request.gresPerNode(),
                        request.gresPerJob(),
                        request.gresPerTask(),
                        request.gresPerSocket(),
                        request.cpusPerGpu(),
                        text,
                        request.prefer(),
                        request.nodeList(),
                        request.exclude(),
                        request.sharing(),
                        request.contiguous(),
                        request.distribution(),
                        request.socketsPerNode(),
                        request.coresPerSocket(),
                        request.threadsPerCore(),
                        request.gpuBind(),
                        request.cpuBind(),
                        request.memBind(),
                        request.hint(),
                        request.switches(),
                        request.useMinNodes(),
                        request.overcommit()));
    }

    JobSpec gresPerNode(String text) {
        return with(
                new ResourceRequest(
                        request.minNodes(),
                        request.maxNodes(),
                        request.tasks(),
                        request.tasksGiven(),
                        request.cpusPerTask(),
                        request.cpusPerTaskGiven(),
                        request.tasksPerNode(),
                        request.tasksPerSocket(),
                        request.tasksPerCore(),
                        request.tasksPerGpu(),
                        request.memory(),
                        request.tmpDiskMebibytes(),
                        request.minCpusPerNode(),
                        text,
                        request.gresPerJob(),
                        request.gresPerTask(),
                        request.gresPerSocket(),
                        request.cpusPerGpu(),
                        request.constraint(),
                        request.prefer(),
                        request.nodeList(),
                        request.exclude(),
                        request.sharing(),
                        request.contiguous(),
                        request.distribution(),
                        request.socketsPerNode(),
                        request.coresPerSocket(),
                        request.threadsPerCore(),
                        request.gpuBind(),
                        request.cpuBind(),
                        request.memBind(),
                        request.hint(),
                        request.switches(),
                        request.useMinNodes(),
                        request.overcommit()));
    }

    JobSpec nodeList(String hosts) {
        return with(
                new ResourceRequest(
                        request.minNodes(),
                        request.maxNodes(),
                        request.tasks(),
                        request.tasksGiven(),
                        request.cpusPerTask(),
                        request.cpusPerTaskGiven(),
                        request.tasksPerNode(),
                        request.tasksPerSocket(),
                        request.tasksPerCore(),
                        request.tasksPerGpu(),
                        request.memory(),
                        request.tmpDiskMebibytes(),
                        request.minCpusPerNode(),
                        request.gresPerNode(),
                        request.gresPerJob(),
                        request.gresPerTask(),
                        request.gresPerSocket(),
                        request.cpusPerGpu(),
                        request.constraint(),
                        request.prefer(),
                        hosts,
                        request.exclude(),
                        request.sharing(),
                        request.contiguous(),
                        request.distribution(),
                        request.socketsPerNode(),
                        request.coresPerSocket(),
                        request.threadsPerCore(),
                        request.gpuBind(),
                        request.cpuBind(),
                        request.memBind(),
                        request.hint(),
                        request.switches(),
                        request.useMinNodes(),
                        request.overcommit()));
    }

    JobSpec exclude(String hosts) {
        return with(
                new ResourceRequest(
                        request.minNodes(),
                        request.maxNodes(),
                        request.tasks(),
                        request.tasksGiven(),
                        request.cpusPerTask(),
                        request.cpusPerTaskGiven(),
                        request.tasksPerNode(),
                        request.tasksPerSocket(),
                        request.tasksPerCore(),
                        request.tasksPerGpu(),
                        request.memory(),
                        request.tmpDiskMebibytes(),
                        request.minCpusPerNode(),
                        request.gresPerNode(),
                        request.gresPerJob(),
                        request.gresPerTask(),
                        request.gresPerSocket(),
                        request.cpusPerGpu(),
                        request.constraint(),
                        request.prefer(),
                        request.nodeList(),
                        hosts,
                        request.sharing(),
                        request.contiguous(),
                        request.distribution(),
                        request.socketsPerNode(),
                        request.coresPerSocket(),
                        request.threadsPerCore(),
                        request.gpuBind(),
                        request.cpuBind(),
                        request.memBind(),
                        request.hint(),
                        request.switches(),
                        request.useMinNodes(),
                        request.overcommit()));
    }

    private JobSpec with(ResourceRequest changed) {
        request = changed;
        return edited();
    }

    private JobSpec edited() {
        var components = new ArrayList<>(spec.components());
        components.set(0, request);
        return new JobSpec(
                name,
                spec.kind(),
                spec.owner(),
                partitions,
                account,
                qos,
                components,
                timeLimit,
                spec.timeMin(),
                spec.array(),
                dependency,
                begin,
                deadline,
                nice,
                priority,
                spec.hold(),
                requeue,
                spec.reservation(),
                spec.licenses(),
                spec.signal(),
                spec.killOnInvalidDependency(),
                spec.noKill(),
                spec.waitAllNodes(),
                spec.spread(),
                spec.delayBootSeconds(),
                spec.coreSpec(),
                launch,
                notes);
    }
}
