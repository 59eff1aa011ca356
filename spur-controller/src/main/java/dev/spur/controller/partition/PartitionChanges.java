package dev.spur.controller.partition;

import dev.spur.api.v1.ChangePartitionReply;
import dev.spur.api.v1.ChangePartitionRequest;
import dev.spur.api.v1.DeletePartitionRequest;
import dev.spur.controller.access.Caller;
import dev.spur.controller.access.SpurErrors;
import dev.spur.controller.state.Proposals;
import dev.spur.engine.site.PartitionKey;
import dev.spur.engine.site.PartitionSetting;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Result;
import dev.spur.model.ErrorCode;
import dev.spur.model.SpurException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// `scontrol create`, `update` and `delete partition`.
public final class PartitionChanges {
    /// What Slurm has and this release does not: the values that are so anyway are taken.
    private static final Map<String, List<String>> FIXED =
            Map.ofEntries(
                    Map.entry("allocnodes", List.of("ALL")),
                    Map.entry("alternate", List.of("", "NONE")),
                    Map.entry("cpubind", List.of("")),
                    Map.entry("disablerootjobs", List.of("NO")),
                    Map.entry("exclusiveuser", List.of("NO")),
                    Map.entry("jobdefaults", List.of("")),
                    Map.entry("lln", List.of("NO")),
                    Map.entry("oversubscribe", List.of("NO")),
                    Map.entry("overtimelimit", List.of("NONE", "0")),
                    Map.entry("powerdownonidle", List.of("NO")),
                    Map.entry("preemptmode", List.of("OFF")),
                    Map.entry("reqresv", List.of("NO")),
                    Map.entry("shared", List.of("NO")));

    private final Proposals proposals;

    public PartitionChanges(Proposals proposals) {
        this.proposals = proposals;
    }

    public ChangePartitionReply create(ChangePartitionRequest request, Caller.Person caller) {
        var settings = settings(request.getSettingsMap());
        return answer(
                proposals.decide(at ->
                        new Command.CreatePartition(
                                at,
                                request.getRequestId(),
                                caller.actor(),
                                request.getName(),
                                settings)));
    }

    public ChangePartitionReply update(ChangePartitionRequest request, Caller.Person caller) {
        var settings = settings(request.getSettingsMap());
        return answer(
                proposals.decide(at ->
                        new Command.UpdatePartition(
                                at,
                                request.getRequestId(),
                                caller.actor(),
                                request.getName(),
                                settings)));
    }

    public ChangePartitionReply delete(DeletePartitionRequest request, Caller.Person caller) {
        return answer(
                proposals.decide(at ->
                        new Command.DeletePartition(
                                at, request.getRequestId(), caller.actor(), request.getName())));
    }

    private static ChangePartitionReply answer(Result result) {
        if (!(result instanceof Result.Done)) {
            throw SpurErrors.unexpected(result);
        }
        return ChangePartitionReply.getDefaultInstance();
    }

    /// `Nodes+=node7` adds to a list.
    private static List<PartitionSetting> settings(Map<String, String> keys) {
        var settings = new ArrayList<PartitionSetting>();
        for (var entry : keys.entrySet()) {
            var sign = entry.getKey().endsWith("+") ? "+" : entry.getKey().endsWith("-") ? "-" : "";
            var name = entry.getKey().substring(0, entry.getKey().length() - sign.length());
            var value = sign + entry.getValue();
            var key = PartitionKey.find(name);
            if (key.isPresent() && (sign.isEmpty() || key.get() == PartitionKey.NODES)) {
                settings.add(new PartitionSetting(key.get(), value));
            } else if (name.equalsIgnoreCase("Priority")) {
                settings.add(new PartitionSetting(PartitionKey.PRIORITY_TIER, value));
                settings.add(new PartitionSetting(PartitionKey.PRIORITY_JOB_FACTOR, value));
            } else {
                requireFixed(name, value);
            }
        }
        settings.sort(Comparator.comparing(PartitionSetting::key));
        return settings;
    }

    private static void requireFixed(String name, String value) {
        var fixed = FIXED.get(name.toLowerCase(Locale.ROOT));
        if (fixed == null) {
            throw new SpurException(
                    ErrorCode.INVALID_REQUEST,
                    "Update of this parameter is not supported: %s=%s".formatted(name, value));
        }
        if (fixed.stream().noneMatch(value::equalsIgnoreCase)) {
            throw new SpurException(
                    ErrorCode.NOT_SUPPORTED,
                    "partitions of this release have %s=%s only"
                            .formatted(name, fixed.isEmpty() ? "" : fixed.getFirst()));
        }
    }
}
