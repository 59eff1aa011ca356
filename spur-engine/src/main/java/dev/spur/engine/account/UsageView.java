package dev.spur.engine.account;

import dev.spur.engine.table.TableView;
import java.time.Instant;

/// The usage as it was published.
///
/// @param associations by number
/// @param qos by number
public record UsageView(
        Instant countedAt, TableView<PastUsage> associations, TableView<PastUsage> qos)
        implements UsageBook {
    @Override
    public PastUsage ofAssociation(int id) {
        var known = associations.get(id);
        return known == null ? PastUsage.none(id) : known;
    }

    @Override
    public PastUsage ofQos(int id) {
        var known = qos.get(id);
        return known == null ? PastUsage.none(id) : known;
    }
}
