package dev.spur.controller.cluster;

import dev.spur.api.v1.ReconfigureReply;
import dev.spur.controller.access.SpurErrors;
import dev.spur.controller.raft.Membership;
import dev.spur.controller.state.Proposals;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.site.PartitionEdit;
import dev.spur.engine.site.PartitionSetting;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Result;
import dev.spur.model.Actor;
import dev.spur.model.ClusterConfig;
import dev.spur.model.ErrorCode;
import dev.spur.model.SpurException;
import dev.spur.runtime.config.ConfigException;
import dev.spur.runtime.config.SpurConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The cluster's configuration is in the log, the same for all controllers. A file enters it only
/// when it is clear whose: at the first start of a cluster, at the start of a controller that is
/// alone, and when an administrator says so (`scontrol reconfigure`, or SIGHUP at the leader). A
/// controller that takes over from another goes on with what is in force, whatever its own file
/// says.
public final class Reconfiguration {
    private static final Logger LOG = LoggerFactory.getLogger(Reconfiguration.class);

    private final Settings settings;
    private final Proposals proposals;
    private final ReplicatedState state;
    private final Membership membership;
    private boolean hasLed;

    public Reconfiguration(
            Settings settings, Proposals proposals, ReplicatedState state, Membership membership) {
        this.membership = membership;
        this.settings = settings;
        this.proposals = proposals;
        this.state = state;
    }

    /// Called whenever this controller begins to lead.
    public void begin() {
        var isStart = !hasLed;
        hasLed = true;
        var inForce = state.snapshot().config();
        var inFile = ClusterConfigMapper.toModel(settings.current());
        if (inFile.equals(inForce)) {
            return;
        }
        if (inForce.equals(ClusterConfig.EMPTY) || (isStart && isAlone())) {
            apply(settings.current(), "", Actor.CLUSTER, true);
        } else {
            var differing = differences(inForce, inFile);
            LOG.atWarn()
                    .addKeyValue("differing", differing)
                    .log(
                            "this controller's spur.conf differs from the configuration in force, which stays. Apply the file with: scontrol reconfigure");
        }
    }

    /// There is no other controller whose file could differ.
    private boolean isAlone() {
        return membership.members().size() == 1;
    }

    public ReconfigureReply reload(String requestId, Actor actor) {
        SpurConfig newer;
        try {
            newer = settings.read();
        } catch (ConfigException e) {
            throw new SpurException(ErrorCode.INVALID_REQUEST, String.valueOf(e.getMessage()), e);
        }
        var needRestart = settings.current().needsRestart(newer);
        var reply = ReconfigureReply.newBuilder().addAllNeedRestart(needRestart);
        var before = state.snapshot().config();
        var edits = state.snapshot().partitionEdits();
        apply(newer, requestId, actor, false);
        settings.apply(newer);
        var after = ClusterConfigMapper.toModel(newer);
        return reply.addAllApplied(differences(before, after))
                .addAllForgotten(forgotten(edits))
                .setController(isAlone() ? "" : membership.self().name())
                .build();
    }

    /// What was set by hand and is as in the file again, in words.
    private static List<String> forgotten(List<PartitionEdit> edits) {
        return edits.stream()
                .filter(edit -> !edit.created())
                .map(edit ->
                        "partition %s (%s)"
                                .formatted(
                                        edit.name(),
                                        edit.deleted()
                                                ? "deleted"
                                                : edit.settings().stream()
                                                        .map(PartitionSetting::toString)
                                                        .collect(Collectors.joining(", "))))
                .toList();
    }

    private static List<String> differences(ClusterConfig before, ClusterConfig after) {
        var differing = new ArrayList<String>();
        if (!before.partitions().equals(after.partitions())) {
            differing.add("partitions");
        }
        if (!before.nodes().equals(after.nodes())) {
            differing.add("nodes");
        }
        if (!before.rules().equals(after.rules())) {
            differing.add("limits and rules");
        }
        if (!before.admins().equals(after.admins())
                || !before.operators().equals(after.operators())) {
            differing.add("administrators and operators");
        }
        if (before.jobVisibility() != after.jobVisibility()) {
            differing.add("visibility of jobs");
        }
        if (!Objects.equals(before.cloud(), after.cloud())) {
            differing.add("users of the cloud");
        }
        return differing;
    }

    /// Also if nothing is new: what was changed by hand since is as configured again.
    ///
    /// @param keepsEdits but for what administrators made of partitions
    private void apply(SpurConfig config, String requestId, Actor actor, boolean keepsEdits) {
        var wanted = ClusterConfigMapper.toModel(config);
        var result =
                proposals.decide(
                        at -> new Command.ApplyConfig(at, requestId, actor, wanted, keepsEdits));
        if (!(result instanceof Result.Done)) {
            throw SpurErrors.unexpected(result);
        }
    }
}
