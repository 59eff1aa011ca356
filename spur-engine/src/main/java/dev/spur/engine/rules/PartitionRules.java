package dev.spur.engine.rules;

import dev.spur.engine.site.PartitionEdit;
import dev.spur.engine.site.PartitionKey;
import dev.spur.engine.site.PartitionSetting;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Event;
import dev.spur.engine.state.Result;
import dev.spur.model.ErrorCode;
import dev.spur.model.PartitionSpec;
import dev.spur.model.hostlist.Hostlist;
import dev.spur.model.notation.NotationException;
import dev.spur.model.notation.Text;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Partitions changed while the cluster runs. What the configuration says of them is not touched:
/// changes lie over it until it is applied again.
final class PartitionRules {
    private static final int MOST = 1_000;
    private static final Pattern NAME = Pattern.compile("[^\\s,=\"]{1,63}");

    private final Tables tables;
    private final SiteRules site;

    PartitionRules(Tables tables, SiteRules site) {
        this.tables = tables;
        this.site = site;
    }

    Result create(Command.CreatePartition command) {
        var name = command.name();
        if (tables.partition(name).isPresent()) {
            return new Result.Refused(
                    ErrorCode.INVALID_PARTITION, Text.of("partition %s exists already", name));
        }
        if (!NAME.matcher(name).matches() || name.equalsIgnoreCase("ALL")) {
            return new Result.Refused(
                    ErrorCode.INVALID_PARTITION,
                    Text.of(
                            "a partition is called by at most 63 characters without spaces, commas, quotes and equal signs: %s",
                            name));
        }
        if (tables.partitions.size() >= MOST) {
            return new Result.Refused(
                    ErrorCode.BUSY,
                    Text.of("there are %d partitions, the most there can be. Delete one", MOST));
        }
        // One that the configuration has and that was deleted is made anew, over what that says.
        var isConfigured =
                tables.config.partitions().stream().anyMatch(spec -> spec.name().equals(name));
        return set(
                new PartitionEdit(name, !isConfigured, false, List.of()),
                PartitionSpec.of(name, false, ""),
                command.settings());
    }

    Result update(Command.UpdatePartition command) {
        var partition = tables.partition(command.name()).orElse(null);
        return partition == null
                ? unknown(command.name())
                : set(editOf(command.name()), partition.spec(), command.settings());
    }

    private static Result unknown(String name) {
        return new Result.Refused(
                ErrorCode.INVALID_PARTITION, Text.of("no partition is called %s", name));
    }

    private PartitionEdit editOf(String name) {
        return tables.partitionEdits.getOrDefault(name, PartitionEdit.none(name));
    }

    private Result set(PartitionEdit edit, PartitionSpec before, List<PartitionSetting> settings) {
        var after = before;
        for (var setting : settings) {
            try {
                after = setting.appliedTo(after);
            } catch (NotationException e) {
                return new Result.Refused(
                        code(setting.key()), setting.key().key() + ": " + e.getMessage());
            }
        }
        var refusal = refusal(after);
        if (refusal != null) {
            return refusal;
        }
        if (after.isDefault()) {
            resignOthers(after.name());
        }
        tables.partitionEdits.put(edit.name(), edit.with(settings));
        site.refillPartitions();
        tables.partition(edit.name())
                .ifPresent(
                        partition -> tables.partitionsMoved(new Event.PartitionChanged(partition)));
        return Result.DONE;
    }

    private static ErrorCode code(PartitionKey key) {
        if (key == PartitionKey.NODES) {
            return ErrorCode.INVALID_NODE;
        }
        return key == PartitionKey.MAX_TIME || key == PartitionKey.DEFAULT_TIME
                ? ErrorCode.INVALID_TIME_LIMIT
                : ErrorCode.INVALID_REQUEST;
    }

    private @Nullable Result refusal(PartitionSpec spec) {
        if (spec.maxNodes() > 0 && spec.maxNodes() < spec.minNodes()) {
            return new Result.Refused(
                    ErrorCode.INVALID_NODE_COUNT,
                    Text.of("MaxNodes=%d is below MinNodes=%d", spec.maxNodes(), spec.minNodes()));
        }
        if (spec.defaultTime() != null && spec.defaultTime().compareTo(spec.maxTime()) > 0) {
            return new Result.Refused(
                    ErrorCode.INVALID_TIME_LIMIT,
                    Text.of(
                            "DefaultTime=%s is longer than MaxTime=%s",
                            spec.defaultTime(), spec.maxTime()));
        }
        if (!spec.nodes().equalsIgnoreCase("ALL")) {
            for (var name : Hostlist.parse(spec.nodes()).hosts()) {
                if (tables.node(name).isEmpty()) {
                    return new Result.Refused(
                            ErrorCode.INVALID_NODE, Text.of("no node is called %s", name));
                }
            }
        }
        return null;
    }

    /// There is one default partition.
    private void resignOthers(String name) {
        for (var other : tables.partitions) {
            if (other.spec().isDefault() && !other.name().equals(name)) {
                tables.partitionEdits.put(
                        other.name(),
                        editOf(other.name())
                                .with(List.of(new PartitionSetting(PartitionKey.DEFAULT, "NO"))));
            }
        }
    }

    Result delete(Command.DeletePartition command) {
        var name = command.name();
        if (tables.partition(name).isEmpty()) {
            return unknown(name);
        }
        for (var job : tables.jobs.publish()) {
            if (!job.isEnded() && job.terms().partitions().contains(name)) {
                return new Result.Refused(
                        ErrorCode.PARTITION_IN_USE,
                        Text.of(
                                "job %s is in partition %s. Cancel it, or move it to another one",
                                job.id(), name));
            }
        }
        for (var reservation : tables.reservations.list()) {
            if (reservation.extent().partition().equals(name)) {
                return new Result.Refused(
                        ErrorCode.PARTITION_IN_USE,
                        Text.of(
                                "reservation %s is of partition %s. Delete it first",
                                reservation.name(), name));
            }
        }
        var edit = editOf(name);
        if (edit.created()) {
            tables.partitionEdits.remove(name);
        } else {
            tables.partitionEdits.put(name, new PartitionEdit(name, false, true, List.of()));
        }
        site.refillPartitions();
        tables.partitionsMoved(new Event.PartitionRemoved(name));
        return Result.DONE;
    }
}
