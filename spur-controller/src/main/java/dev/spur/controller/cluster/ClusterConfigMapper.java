package dev.spur.controller.cluster;

import dev.spur.model.AccountingRules;
import dev.spur.model.CloudRules;
import dev.spur.model.ClusterConfig;
import dev.spur.model.ClusterRules;
import dev.spur.model.JobVisibility;
import dev.spur.model.NodeGres;
import dev.spur.model.NodeShape;
import dev.spur.model.NodeSpec;
import dev.spur.model.PartitionSpec;
import dev.spur.model.PartitionState;
import dev.spur.model.PriorityRules;
import dev.spur.model.notation.GresRequest;
import dev.spur.model.notation.MemorySize;
import dev.spur.runtime.config.AccountingConfig.Enforce;
import dev.spur.runtime.config.CloudConfig;
import dev.spur.runtime.config.NodeConfig;
import dev.spur.runtime.config.PartitionConfig;
import dev.spur.runtime.config.SchedulerConfig;
import dev.spur.runtime.config.SpurConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What of spur.conf all controllers must agree on: it enters the log as a command.
public final class ClusterConfigMapper {
    private ClusterConfigMapper() {}

    public static ClusterConfig toModel(SpurConfig config) {
        return new ClusterConfig(
                config.clusterName(),
                config.partitions().stream().map(ClusterConfigMapper::partition).toList(),
                config.nodes().stream().map(ClusterConfigMapper::node).toList(),
                rules(config),
                config.auth().admins(),
                config.auth().operators(),
                switch (config.controller().jobInfoVisibility()) {
                    case FULL -> JobVisibility.FULL;
                    case REDACTED -> JobVisibility.REDACTED;
                    case OWNER_ONLY -> JobVisibility.OWNER_ONLY;
                },
                cloud(config.cloud()));
    }

    private static @Nullable CloudRules cloud(CloudConfig config) {
        return config.hasUsers()
                ? new CloudRules(config.firstUid(), config.lastUid(), config.homeDir())
                : null;
    }

    private static PartitionSpec partition(PartitionConfig config) {
        return new PartitionSpec(
                config.name(),
                config.isDefault(),
                switch (config.state()) {
                    case UP -> PartitionState.UP;
                    case DOWN -> PartitionState.DOWN;
                    case DRAIN -> PartitionState.DRAIN;
                    case INACTIVE -> PartitionState.INACTIVE;
                },
                config.hasAllNodes() ? PartitionConfig.ALL_NODES : config.nodes().toString(),
                config.selector(),
                config.maxTime(),
                config.defaultTime(),
                config.minNodes(),
                zeroIfMissing(config.maxNodes()),
                config.allowAccounts(),
                config.denyAccounts(),
                config.allowGroups(),
                config.allowQos(),
                config.denyQos(),
                config.priorityTier(),
                config.priorityJobFactor(),
                config.preemptMode().name(),
                mebibytes(config.defMemPerCpu()),
                mebibytes(config.defMemPerNode()),
                mebibytes(config.maxMemPerCpu()),
                mebibytes(config.maxMemPerNode()),
                config.oversubscribe().toString(),
                config.hidden(),
                config.rootOnly(),
                (int) config.graceTime().toSeconds(),
                0,
                config.qos(),
                config.tresBillingWeights());
    }

    private static NodeSpec node(NodeConfig config) {
        var shape =
                new NodeShape(
                        zeroIfMissing(config.cpus()),
                        0,
                        zeroIfMissing(config.sockets()),
                        zeroIfMissing(config.coresPerSocket()),
                        zeroIfMissing(config.threadsPerCore()),
                        mebibytes(config.memory()),
                        mebibytes(config.tmp()),
                        gres(config.gres()));
        var address =
                config.address() == null
                        ? ""
                        : config.address() + (config.port() == null ? "" : ":" + config.port());
        return new NodeSpec(
                config.names().toString(),
                config.selector(),
                shape,
                config.features(),
                config.weight(),
                address);
    }

    private static List<NodeGres> gres(List<String> texts) {
        var gres = new ArrayList<NodeGres>();
        for (var text : texts) {
            for (var item : GresRequest.parse(text).items()) {
                gres.add(
                        NodeGres.of(
                                item.name(), item.type() == null ? "" : item.type(), item.count()));
            }
        }
        return gres;
    }

    private static ClusterRules rules(SpurConfig config) {
        var controller = config.controller();
        var scheduler = config.scheduler();
        var defaults = ClusterRules.DEFAULTS;
        return new ClusterRules(
                controller.killWait(),
                controller.minJobAge(),
                controller.maxArraySize(),
                controller.maxJobCount(),
                controller.maxBatchRequeue(),
                defaults.launchBackoff(),
                controller.maxLaunchBackoff(),
                (int) scheduler.defaultTimeLimit().toMinutes(),
                defaults.defaultMemoryPerCpu(),
                defaults.defaultMemoryPerNode(),
                switch (scheduler.enforcePartLimits()) {
                    case NO -> ClusterRules.EnforcePartitionLimits.NO;
                    case ANY -> ClusterRules.EnforcePartitionLimits.ANY;
                    case ALL -> ClusterRules.EnforcePartitionLimits.ALL;
                },
                switch (controller.lostNode()) {
                    case WAIT -> ClusterRules.LostNodePolicy.WAIT;
                    case LEASE_KILL -> ClusterRules.LostNodePolicy.LEASE_KILL;
                },
                controller.lease(),
                switch (controller.returnToService()) {
                    case 0 -> ClusterRules.ReturnToService.NEVER;
                    case 2 -> ClusterRules.ReturnToService.ALWAYS;
                    default -> ClusterRules.ReturnToService.IF_IT_WAS_SILENT;
                },
                scheduler.completeWait(),
                defaults.requeueByDefault(),
                defaults.killOnInvalidDependency(),
                (int) controller.firstJobId(),
                controller.holdOnPrologFail(),
                scheduler.maxUserPriority(),
                accounting(config),
                priority(scheduler));
    }

    /// Each word includes what it makes no sense without, as in Slurm.
    private static AccountingRules accounting(SpurConfig config) {
        var accounting = config.accounting();
        var limits = accounting.enforces(Enforce.LIMITS, Enforce.SAFE);
        var qos = accounting.requireQos() || accounting.enforces(Enforce.QOS);
        var wckeys = accounting.enforces(Enforce.WCKEYS);
        return new AccountingRules(
                accounting.requireAssociation()
                        || accounting.enforces(Enforce.ASSOCIATIONS)
                        || limits
                        || wckeys
                        || accounting.enforces(Enforce.QOS),
                limits,
                qos,
                accounting.enforces(Enforce.SAFE),
                wckeys,
                accounting.defaultQos(),
                accounting.fairshareRefresh(),
                config.scheduler().fairshareHalflife(),
                accounting.usageReset());
    }

    private static PriorityRules priority(SchedulerConfig scheduler) {
        var tres = new TreeMap<String, Long>();
        scheduler
                .priorityWeightTres()
                .byName()
                .forEach((name, weight) -> tres.put(name, Math.round(weight)));
        return new PriorityRules(
                scheduler.priorityType() == SchedulerConfig.PriorityType.MULTIFACTOR,
                scheduler.priorityWeightAge(),
                scheduler.priorityWeightFairshare(),
                scheduler.priorityWeightJobSize(),
                scheduler.priorityWeightPartition(),
                scheduler.priorityWeightQos(),
                scheduler.priorityWeightAssoc(),
                tres,
                scheduler.priorityMaxAge(),
                scheduler.priorityFavorSmall());
    }

    private static int zeroIfMissing(@Nullable Integer number) {
        return number == null ? 0 : number;
    }

    private static long mebibytes(@Nullable MemorySize size) {
        return size == null ? 0 : size.mebibytes();
    }
}
