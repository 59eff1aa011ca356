package dev.spur.api.map;

import dev.spur.api.v1.Session;
import dev.spur.model.JobKind;
import dev.spur.model.JobNotes;
import dev.spur.model.JobSpec;
import dev.spur.model.LaunchSpec;
import dev.spur.model.Owner;
import dev.spur.model.ResourceRequest;
import dev.spur.model.Rlimit;
import dev.spur.model.notation.OpenMode;
import java.util.List;
import org.jspecify.annotations.Nullable;

public final class JobSpecMapper {
    private JobSpecMapper() {}

    /// @param owner from the authenticated caller, never from the message
    public static JobSpec toModel(dev.spur.api.v1.JobSpec wire, Owner owner) {
        var components =
                wire.getComponentsCount() == 0
                        ? List.of(ResourceRequest.ONE_TASK)
                        : wire.getComponentsList().stream()
                                .map(component ->
                                        ResourceRequestMapper.toModel(
                                                component, wire.getOvercommit()))
                                .toList();
        return new JobSpec(
                wire.getName(),
                kind(wire.getKind()),
                owner,
                wire.getPartitionsList().stream().distinct().toList(),
                wire.getAccount(),
                wire.getQos(),
                components,
                TimeLimitMapper.toModel(wire.getTimeLimit()),
                TimeLimitMapper.toModel(wire.getTimeMin()),
                wire.getArray(),
                wire.getDependency(),
                InstantMapper.ofMicros(wire.getBeginMicros()),
                InstantMapper.ofMicros(wire.getDeadlineMicros()),
                wire.getNice(),
                wire.hasPriority() ? Integer.toUnsignedLong(wire.getPriority()) : null,
                wire.getHold(),
                wire.hasRequeue() ? wire.getRequeue() : null,
                wire.getReservation(),
                wire.getLicensesList(),
                wire.getSignal(),
                wire.getKillOnInvalidDependency(),
                wire.getNoKill(),
                wire.getWaitAllNodes(),
                wire.getSpreadJob(),
                wire.getDelayBootSecs(),
                wire.getCoreSpec(),
                launch(wire),
                new JobNotes(
                        wire.getComment(),
                        wire.getAdminComment(),
                        wire.getMailType(),
                        wire.getMailUser(),
                        wire.getWckey(),
                        wire.getNetwork(),
                        wire.getClusterFeatures(),
                        wire.getMcsLabel()));
    }

    /// Without the components: a job's view has them beside it.
    public static dev.spur.api.v1.JobSpec toWire(JobSpec spec) {
        var launch = spec.launch();
        var notes = spec.notes();
        var wire =
                dev.spur.api.v1.JobSpec.newBuilder()
                        .setName(spec.name())
                        .setKind(kind(spec.kind()))
                        .setUid(spec.owner().uid())
                        .setGid(spec.owner().gid())
                        .setUserName(spec.owner().userName())
                        .addAllPartitions(spec.partitions())
                        .setAccount(spec.account())
                        .setQos(spec.qos())
                        .setTimeLimit(TimeLimitMapper.toWire(spec.timeLimit()))
                        .setTimeMin(TimeLimitMapper.toWire(spec.timeMin()))
                        .setArray(spec.array())
                        .setDependency(spec.dependency())
                        .setBeginMicros(InstantMapper.toMicros(spec.begin()))
                        .setDeadlineMicros(InstantMapper.toMicros(spec.deadline()))
                        .setNice(spec.nice())
                        .setHold(spec.hold())
                        .setWorkDir(launch.workDir())
                        .setStdOut(launch.stdOut())
                        .setStdErr(launch.stdErr())
                        .setStdIn(launch.stdIn())
                        .setOpenMode(openMode(launch.openMode()))
                        .setComment(notes.comment())
                        .setAdminComment(notes.adminComment())
                        .setReservation(spec.reservation())
                        .addAllLicenses(spec.licenses())
                        .setSignal(spec.signal())
                        .setMailType(notes.mailType())
                        .setMailUser(notes.mailUser())
                        .setWckey(notes.wckey())
                        .setCommand(launch.command())
                        .addAllScriptArgs(launch.scriptArgs())
                        .setUmask(launch.umask())
                        .addAllRlimits(rlimits(launch))
                        .setExportEnv(launch.exportEnv())
                        .setSubmitHost(launch.submitHost())
                        .setAllocSid(launch.allocSid())
                        .setContainer(launch.container())
                        .setKillOnInvalidDependency(spec.killOnInvalidDependency())
                        .setNoKill(spec.noKill())
                        .setWaitAllNodes(spec.waitAllNodes())
                        .setSpreadJob(spec.spread())
                        .setCpuFreq(launch.cpuFrequency())
                        .addAllGroups(spec.owner().groups())
                        .setSubmitLine(launch.submitLine())
                        .setSubmitDir(launch.submitDir())
                        .setNetwork(notes.network())
                        .setClusterFeatures(notes.clusterFeatures())
                        .setMcsLabel(notes.mcsLabel())
                        .setDelayBootSecs(spec.delayBootSeconds())
                        .setCoreSpec(spec.coreSpec())
                        .setGetUserEnv(launch.getUserEnv())
                        .setOvercommit(spec.request().overcommit());
        var priority = spec.priority();
        if (priority != null) {
            wire.setPriority(priority.intValue());
        }
        var requeue = spec.requeue();
        if (requeue != null) {
            wire.setRequeue(requeue);
        }
        if (launch.session()) {
            wire.setSession(Session.newBuilder().setUnixName(spec.owner().userName()));
        }
        return wire.build();
    }

    public static List<dev.spur.api.v1.Rlimit> rlimits(LaunchSpec launch) {
        return launch.rlimits().stream().map(JobSpecMapper::rlimit).toList();
    }

    public static dev.spur.api.v1.OpenMode openMode(@Nullable OpenMode mode) {
        return switch (mode) {
            case null -> dev.spur.api.v1.OpenMode.OPEN_MODE_DEFAULT;
            case APPEND -> dev.spur.api.v1.OpenMode.OPEN_MODE_APPEND;
            case TRUNCATE -> dev.spur.api.v1.OpenMode.OPEN_MODE_TRUNCATE;
        };
    }

    public static dev.spur.api.v1.JobKind kind(JobKind kind) {
        return switch (kind) {
            case BATCH -> dev.spur.api.v1.JobKind.JOB_KIND_BATCH;
            case ALLOCATION -> dev.spur.api.v1.JobKind.JOB_KIND_ALLOCATION;
            case OWN_STEP -> dev.spur.api.v1.JobKind.JOB_KIND_OWN_STEP;
        };
    }

    private static JobKind kind(dev.spur.api.v1.JobKind wire) {
        return switch (wire) {
            case JOB_KIND_BATCH -> JobKind.BATCH;
            case JOB_KIND_ALLOCATION -> JobKind.ALLOCATION;
            case JOB_KIND_OWN_STEP -> JobKind.OWN_STEP;
            case UNRECOGNIZED ->
                    throw new IllegalArgumentException("this kind of job is not known here");
        };
    }

    private static LaunchSpec launch(dev.spur.api.v1.JobSpec wire) {
        return new LaunchSpec(
                wire.getWorkDir(),
                wire.getStdOut(),
                wire.getStdErr(),
                wire.getStdIn(),
                switch (wire.getOpenMode()) {
                    case OPEN_MODE_APPEND -> OpenMode.APPEND;
                    case OPEN_MODE_TRUNCATE -> OpenMode.TRUNCATE;
                    case OPEN_MODE_DEFAULT, UNRECOGNIZED -> null;
                },
                wire.getCommand(),
                wire.getScriptArgsList(),
                wire.getUmask(),
                wire.getRlimitsList().stream().map(JobSpecMapper::rlimit).toList(),
                wire.getExportEnv(),
                wire.getGetUserEnv(),
                wire.getSubmitHost(),
                wire.getAllocSid(),
                wire.getContainer(),
                wire.getCpuFreq(),
                wire.getSubmitLine(),
                wire.getSubmitDir(),
                wire.hasSession());
    }

    private static Rlimit rlimit(dev.spur.api.v1.Rlimit wire) {
        return new Rlimit(wire.getName(), wire.getSoft(), wire.getUnlimited());
    }

    private static dev.spur.api.v1.Rlimit rlimit(Rlimit limit) {
        return dev.spur.api.v1.Rlimit.newBuilder()
                .setName(limit.name())
                .setSoft(limit.soft())
                .setUnlimited(limit.unlimited())
                .build();
    }
}
