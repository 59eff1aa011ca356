package dev.spur.controller.node;

import dev.spur.api.v1.UpdateNodesReply;
import dev.spur.api.v1.UpdateNodesRequest;
import dev.spur.controller.access.Caller;
import dev.spur.controller.access.SpurErrors;
import dev.spur.controller.state.Proposals;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.node.Node;
import dev.spur.engine.node.NodeChange;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Result;
import dev.spur.model.Actor;
import dev.spur.model.ErrorCode;
import dev.spur.model.Role;
import dev.spur.model.SpurException;
import dev.spur.model.hostlist.Hostlist;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// `scontrol update NodeName=… State=… Reason=…`.
public final class NodeUpdates {
    private final Proposals proposals;
    private final ReplicatedState state;

    public NodeUpdates(Proposals proposals, ReplicatedState state) {
        this.proposals = proposals;
        this.state = state;
    }

    public UpdateNodesReply update(UpdateNodesRequest request, Caller caller) {
        var names = names(request.getNames());
        var changes = changes(request.getChangesMap());
        var actor = actor(caller, names, changes);
        var result =
                proposals.decide(at ->
                        new Command.UpdateNodes(at, request.getRequestId(), actor, names, changes));
        if (!(result instanceof Result.Done)) {
            throw SpurErrors.unexpected(result);
        }
        return UpdateNodesReply.getDefaultInstance();
    }

    private static Actor actor(Caller caller, List<String> names, List<NodeChange> changes) {
        return switch (caller) {
            case Caller.Person person -> person.actor();
            case Caller.RootOfHost(var peer, var root)
                    when names.equals(List.of(peer.host()))
                            && changes.stream().allMatch(NodeUpdates::isForTheNodeItself) -> {
                var known = root.actor();
                yield new Actor(
                        known.uid(), known.userName(), peer.host(), Role.OPERATOR, known.origin());
            }
            case Caller.RootOfHost(var peer, _) ->
                    throw new SpurException(
                            ErrorCode.ACCESS_DENIED,
                            "root of %s may drain and resume that node, and nothing else"
                                    .formatted(peer.host()));
            case Caller.Host _, Caller.Stranger _ -> throw SpurErrors.denied();
        };
    }

    /// Whether a node may decide it for itself: health checks and prologs do.
    private static boolean isForTheNodeItself(NodeChange change) {
        return change instanceof NodeChange.Drain
                || change instanceof NodeChange.Undrain
                || change instanceof NodeChange.Resume
                || change instanceof NodeChange.SetReason;
    }

    private List<String> names(String list) {
        if (list.equalsIgnoreCase("ALL")) {
            return state.snapshot().nodes().stream().map(Node::name).toList();
        }
        var names = Hostlist.parse(list).hosts();
        if (names.isEmpty()) {
            throw SpurErrors.of(ErrorCode.INVALID_NODE);
        }
        return names;
    }

    private static List<NodeChange> changes(Map<String, String> keys) {
        var changes = new ArrayList<NodeChange>();
        String reason = null;
        String wanted = null;
        for (var entry : keys.entrySet()) {
            var value = entry.getValue();
            switch (entry.getKey().toLowerCase(Locale.ROOT)) {
                case "state" -> wanted = value.toUpperCase(Locale.ROOT);
                case "reason" -> reason = value;
                case "weight" -> changes.add(new NodeChange.SetWeight(weight(value)));
                case "features", "availablefeatures" ->
                        changes.addFirst(new NodeChange.SetFeatures(features(value)));
                case "activefeatures" ->
                        changes.add(new NodeChange.SetActiveFeatures(features(value)));
                case "comment" -> changes.add(new NodeChange.SetComment(value));
                default ->
                        throw new SpurException(
                                ErrorCode.INVALID_REQUEST,
                                "Update of this parameter is not supported: %s=%s"
                                        .formatted(entry.getKey(), value));
            }
        }
        if (wanted != null) {
            changes.add(stateChange(wanted, reason));
        } else if (reason != null) {
            changes.add(new NodeChange.SetReason(reason));
        }
        return changes;
    }

    private static List<String> features(String value) {
        return value.isEmpty() ? List.of() : List.of(value.split(","));
    }

    private static NodeChange stateChange(String wanted, @Nullable String reason) {
        return switch (wanted) {
            case "DRAIN", "DRAINED", "DRAINING", "FAIL", "FAILING" ->
                    new NodeChange.Drain(needed(reason));
            case "UNDRAIN" -> new NodeChange.Undrain();
            case "DOWN" -> new NodeChange.Down(needed(reason));
            case "RESUME", "IDLE" -> new NodeChange.Resume();
            default ->
                    throw new SpurException(
                            ErrorCode.INVALID_NODE_STATE,
                            "Invalid node state specified: %s. Use DRAIN, RESUME, DOWN, IDLE or UNDRAIN"
                                    .formatted(wanted));
        };
    }

    private static String needed(@Nullable String reason) {
        if (reason == null || reason.isBlank()) {
            throw new SpurException(
                    ErrorCode.INVALID_REQUEST, "a reason is needed to take a node out of service");
        }
        return reason;
    }

    private static int weight(String value) {
        try {
            return Integer.parseUnsignedInt(value);
        } catch (NumberFormatException e) {
            throw new SpurException(
                    ErrorCode.INVALID_REQUEST,
                    "Weight must be a number, was \"%s\"".formatted(value),
                    e);
        }
    }
}
