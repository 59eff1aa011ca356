package dev.spur.controller.cluster;

import dev.spur.api.v1.ReconfigureReply;
import dev.spur.controller.access.SpurErrors;
import dev.spur.controller.state.Proposals;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Result;
import dev.spur.model.Actor;
import dev.spur.model.ErrorCode;
import dev.spur.model.SpurException;
import dev.spur.runtime.config.ConfigException;
import dev.spur.runtime.config.SpurConfig;
import java.util.ArrayList;

/// `scontrol reconfigure`, SIGHUP, and the first configuration after a start: the file is what
/// counts.
public final class Reconfiguration {
    private final Settings settings;
    private final Proposals proposals;
    private final ReplicatedState state;

    public Reconfiguration(Settings settings, Proposals proposals, ReplicatedState state) {
        this.settings = settings;
        this.proposals = proposals;
        this.state = state;
    }

    /// Makes the state agree with the configuration that this process was started with.
    public void applyInitial() {
        apply(settings.current(), "", Actor.CLUSTER);
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
        apply(newer, requestId, actor);
        settings.apply(newer);
        var after = ClusterConfigMapper.toModel(newer);
        var applied = new ArrayList<String>();
        if (!before.partitions().equals(after.partitions())) {
            applied.add("partitions");
        }
        if (!before.nodes().equals(after.nodes())) {
            applied.add("nodes");
        }
        if (!before.rules().equals(after.rules())) {
            applied.add("limits and rules");
        }
        return reply.addAllApplied(applied).build();
    }

    private void apply(SpurConfig config, String requestId, Actor actor) {
        var wanted = ClusterConfigMapper.toModel(config);
        if (wanted.equals(state.snapshot().config())) {
            return;
        }
        var result = proposals.decide(at -> new Command.ApplyConfig(at, requestId, actor, wanted));
        if (!(result instanceof Result.Done)) {
            throw SpurErrors.unexpected(result);
        }
    }
}
