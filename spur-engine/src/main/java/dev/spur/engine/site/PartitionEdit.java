package dev.spur.engine.site;

import dev.spur.model.PartitionSpec;
import dev.spur.model.notation.NotationException;
import java.util.ArrayList;
import java.util.List;

/// What administrators made of a partition while the cluster ran. It lies over what the
/// configuration says, so that the two can be told apart.
///
/// @param created the configuration knows nothing of it
/// @param deleted the configuration has it, and it is gone all the same
/// @param settings of each key the last one
public record PartitionEdit(
        String name, boolean created, boolean deleted, List<PartitionSetting> settings) {
    public PartitionEdit {
        settings = List.copyOf(settings);
    }

    public static PartitionEdit none(String name) {
        return new PartitionEdit(name, false, false, List.of());
    }

    public PartitionEdit with(List<PartitionSetting> more) {
        var all = new ArrayList<>(settings);
        for (var setting : more) {
            // What adds to a list or takes from it counts on what was there before.
            if (!isRelative(setting)) {
                all.removeIf(known -> known.key() == setting.key());
            }
            all.add(setting);
        }
        return new PartitionEdit(name, created, deleted, withRelativesInOne(all));
    }

    /// Nodes may be added and taken away for years.
    private static List<PartitionSetting> withRelativesInOne(List<PartitionSetting> all) {
        var changes =
                all.stream()
                        .filter(PartitionEdit::isRelative)
                        .map(PartitionSetting::value)
                        .toList();
        if (changes.size() < 2) {
            return all;
        }
        var result = new ArrayList<>(all);
        result.removeIf(PartitionEdit::isRelative);
        PartitionNodes.inOne(changes)
                .forEach(each -> result.add(new PartitionSetting(PartitionKey.NODES, each)));
        return result;
    }

    private static boolean isRelative(PartitionSetting setting) {
        return setting.key() == PartitionKey.NODES && PartitionNodes.isRelative(setting.value());
    }

    /// What becomes of what the configuration says. A setting that was right when it was made is
    /// left out if it is not any more.
    public PartitionSpec over(PartitionSpec spec) {
        var changed = spec;
        for (var setting : settings) {
            try {
                changed = setting.appliedTo(changed);
            } catch (NotationException _) {
                continue;
            }
        }
        return changed;
    }
}
