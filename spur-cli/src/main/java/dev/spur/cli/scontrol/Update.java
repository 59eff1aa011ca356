package dev.spur.cli.scontrol;

import static dev.spur.cli.scontrol.Words.word;

import dev.spur.api.client.ControllerException;
import dev.spur.api.v1.UpdateJobsRequest;
import dev.spur.api.v1.UpdateNodesRequest;
import dev.spur.cli.Failure;
import dev.spur.cli.format.Brackets;
import dev.spur.cli.submission.Refused;
import dev.spur.model.ErrorCode;
import dev.spur.model.notation.BeginTime;
import dev.spur.model.notation.NotationException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// `scontrol update JobId=… Key=Value …`
final class Update {
    private enum Entity {
        JOB,
        NODE,
        PARTITION,
        RESERVATION,
        STEP
    }

    private static final Words<Entity> ENTITIES =
            new Words<>(
                    List.of(
                            word("jobid", 3, Entity.JOB),
                            word("nodename", 4, Entity.NODE),
                            word("partitionname", 4, Entity.PARTITION),
                            word("reservationname", 4, Entity.RESERVATION),
                            word("stepid", 4, Entity.STEP)));

    private static final Words<String> JOB_KEYS =
            keys(
                    "Account:3",
                    "AdminComment:3",
                    "ArrayTaskThrottle:5",
                    "Comment:3",
                    "Contiguous:3",
                    "CpusPerTask:4",
                    "Deadline:4",
                    "Dependency:3",
                    "EligibleTime:2",
                    "ExcNodeList:3",
                    "Features:1",
                    "Gres:2",
                    "JobName:4",
                    "MinMemoryCPU:12",
                    "MinMemoryNode:12",
                    "MinNodes:5",
                    "Name:2",
                    "Nice:2",
                    "NodeList:5",
                    "NumCPUs:4",
                    "NumNodes:4",
                    "NumTasks:4",
                    "Partition:2",
                    "Priority:2",
                    "QOS:3",
                    "ReqNodeList:8",
                    "ReqNodes:8",
                    "ReqProcs:4",
                    "ReqCPUs:4",
                    "Requeue:4",
                    "ReservationName:3",
                    "StartTime:2",
                    "StdErr:4",
                    "StdOut:4",
                    "TimeLimit:5",
                    "TresPerNode:8");

    private static final Words<String> NODE_KEYS =
            keys(
                    "ActiveFeatures:3",
                    "AvailableFeatures:3",
                    "Comment:3",
                    "Features:1",
                    "Reason:1",
                    "State:1",
                    "Weight:1");

    /// Times are written in the caller's zone, which only the caller's side knows.
    private static final Set<String> TIMES = Set.of("StartTime", "EligibleTime", "Deadline");

    private Update() {}

    static int run(Session session, List<String> words) {
        var pairs = pairs(words);
        var entities =
                pairs.stream()
                        .map(pair -> ENTITIES.find(pair.key()))
                        .flatMap(Optional::stream)
                        .sorted()
                        .toList();
        if (entities.isEmpty()) {
            return session.fail(
                    "No valid entity in update command\n"
                            + "Input line must include \"JobId\" or \"NodeName\"");
        }
        return switch (entities.getFirst()) {
            case JOB -> updateJobs(session, pairs);
            case NODE -> updateNodes(session, pairs);
            case PARTITION -> PartitionVerbs.update(session, pairs);
            case RESERVATION -> ReservationVerbs.update(session, pairs);
            case STEP -> unsupported(session, "steps");
        };
    }

    private static int unsupported(Session session, String what) {
        return session.fail("scontrol: error: update of %s is not supported yet".formatted(what));
    }

    private static int updateJobs(Session session, List<Pair> pairs) {
        var request = UpdateJobsRequest.newBuilder().setRequestId(session.in().newRequestId());
        for (var pair : pairs) {
            if (request.getIdsCount() == 0
                    && ENTITIES.find(pair.key()).orElse(Entity.STEP) == Entity.JOB) {
                request.addAllIds(Brackets.split(pair.value()));
                continue;
            }
            var key = JOB_KEYS.find(pair.key());
            if (key.isEmpty()) {
                return aborted(session, pair);
            }
            request.putChanges(key.get(), value(session, key.get(), pair.value()));
        }
        for (var id : request.getIdsList()) {
            if (!JobActions.isId(id)) {
                return session.fail("Invalid job id specified for job " + id);
            }
        }
        if (request.getChangesCount() == 0) {
            return session.fail("No changes specified");
        }
        try {
            return JobActions.report(
                    session,
                    session.controller()
                            .call(controller -> controller.updateJobs(request.build())));
        } catch (ControllerException refusal) {
            return session.fail(
                    "%s for job %s"
                            .formatted(
                                    Verbs.told(refusal), String.join(",", request.getIdsList())));
        }
    }

    private static int updateNodes(Session session, List<Pair> pairs) {
        var request = UpdateNodesRequest.newBuilder().setRequestId(session.in().newRequestId());
        for (var pair : pairs) {
            if (request.getNames().isEmpty()
                    && ENTITIES.find(pair.key()).orElse(Entity.STEP) == Entity.NODE) {
                request.setNames(pair.value());
                continue;
            }
            var key = NODE_KEYS.find(pair.key());
            if (key.isEmpty()) {
                return aborted(session, pair);
            }
            request.putChanges(key.get(), pair.value());
        }
        if (request.getChangesCount() == 0) {
            return session.fail("No changes specified");
        }
        if (needsReason(request.getChangesMap())) {
            return session.fail(
                    "You must specify a reason when DOWNING or DRAINING a node. Request denied");
        }
        try {
            session.controller().call(controller -> controller.updateNodes(request.build()));
            return 0;
        } catch (ControllerException refusal) {
            return Refused.is(refusal, ErrorCode.INVALID_NODE_STATE)
                    ? session.fail(
                            "Invalid input: State=%s\nRequest aborted\nValid states are: DOWN DRAIN FAIL IDLE RESUME UNDRAIN"
                                    .formatted(request.getChangesMap().get("State")))
                    : session.fail("slurm_update error: " + Verbs.told(refusal));
        }
    }

    private static boolean needsReason(Map<String, String> changes) {
        return changes.getOrDefault("Reason", "").isBlank()
                && changes.getOrDefault("State", "")
                        .matches("(?i)(down|drain|drained|draining|fail)");
    }

    private static int aborted(Session session, Pair pair) {
        return session.fail(
                "Update of this parameter is not supported: %s=%s\nRequest aborted"
                        .formatted(pair.key(), pair.value()));
    }

    private static String value(Session session, String key, String text) {
        if (!TIMES.contains(key) || text.isEmpty() || text.equals("0")) {
            return text;
        }
        var in = session.in();
        try {
            return BeginTime.parse(text, in.clock().instant(), in.zone()).toString();
        } catch (NotationException wrong) {
            throw new Failure(String.valueOf(wrong.getMessage()));
        }
    }

    /// The entity may also stand apart from its name: `update job 12 TimeLimit=5`.
    private static List<Pair> pairs(List<String> words) {
        var pairs = new ArrayList<Pair>();
        for (var i = 0; i < words.size(); i++) {
            var pair = Pair.of(words.get(i));
            if (!pair.hasValue() && i + 1 < words.size() && ENTITIES.find(pair.key()).isPresent()) {
                pair = new Pair(pair.key(), words.get(++i), true);
            }
            pairs.add(pair);
        }
        return pairs;
    }

    /// Keys written as `Name:shortest`.
    private static Words<String> keys(String... specifications) {
        Map<String, Integer> shortest = new LinkedHashMap<>();
        for (var specification : specifications) {
            var colon = specification.indexOf(':');
            shortest.put(
                    specification.substring(0, colon),
                    Integer.parseInt(specification.substring(colon + 1)));
        }
        return new Words<>(
                shortest.entrySet().stream()
                        .map(entry ->
                                word(
                                        entry.getKey().toLowerCase(Locale.ROOT),
                                        entry.getValue(),
                                        entry.getKey()))
                        .toList());
    }
}
