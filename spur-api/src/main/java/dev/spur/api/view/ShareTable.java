package dev.spur.api.view;

import dev.spur.api.v1.AssociationView;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

/// Who has which share, and what was used of it.
public final class ShareTable {
    /// Those that are listed together.
    public record Shares(List<AssociationView> associations) {
        public Shares {
            associations = List.copyOf(associations);
        }

        private long total() {
            return associations.stream().mapToLong(each -> each.getLimits().getShares()).sum();
        }
    }

    private static final EntityTable<Map.Entry<String, Long>> WHOLE =
            EntityTable.<Map.Entry<String, Long>>of("amount", "shares_uint64_tres")
                    .text("name", "name", "resource", Map.Entry::getKey)
                    .number("value", "value", "how much", Map.Entry::getValue)
                    .build();

    private static final EntityTable<Map.Entry<String, Double>> DECIMAL =
            EntityTable.<Map.Entry<String, Double>>of("amount", "shares_float128_tres")
                    .text("name", "name", "resource", Map.Entry::getKey)
                    .decimal("value", "value", "how much", Map.Entry::getValue)
                    .build();

    private static final EntityTable<AssociationView> ASSOCIATIONS = associations();

    public static final EntityTable<Shares> SHARES =
            EntityTable.<Shares>of("shares", "shares_resp_msg")
                    .list("shares", "shares", "of whom", ASSOCIATIONS, Shares::associations)
                    .number("total_shares", "total_shares", "all of them", Shares::total)
                    .build();

    private ShareTable() {}

    private static EntityTable<AssociationView> associations() {
        var table =
                EntityTable.<AssociationView>of("share", "assoc_shares_obj_wrap")
                        .count("id", "id", "number", AssociationView::getId)
                        .field(
                                "cluster",
                                Field.Kind.TEXT,
                                "cluster",
                                "cluster",
                                (_, out) -> out.text(out.cluster()))
                        .text("name", "name", "user or account", ShareTable::name)
                        .text("parent", "parent", "account above", ShareTable::parent)
                        .text("partition", "partition", "of", AssociationView::getPartition)
                        .number(
                                "shares",
                                "shares",
                                "share among those beside it",
                                each -> each.getLimits().getShares())
                        .number(
                                "usage",
                                "usage",
                                "what was used",
                                each -> Math.round(each.getUsage().getRaw()))
                        .words(
                                "",
                                "type",
                                "",
                                each -> List.of(isUser(each) ? "USER" : "ASSOCIATION"));
        decimal(table, "shares_normalized", each -> each.getUsage().getNormShares());
        decimal(table, "effective_usage", each -> each.getUsage().getEffective());
        decimal(table, "usage_normalized", each -> each.getUsage().getNormalized());
        decimal(
                table,
                "fairshare.factor",
                each -> isUser(each) ? each.getUsage().getFairShare() : 0);
        decimal(table, "fairshare.level", each -> each.getUsage().getLevelFs());
        return table.list(
                        "",
                        "tres.run_seconds",
                        "",
                        WHOLE,
                        each -> sorted(each.getUsage().getTresRunSecondsMap()))
                .list(
                        "",
                        "tres.group_minutes",
                        "",
                        WHOLE,
                        each -> sorted(each.getLimits().getGrpTresMinutesMap()))
                .list(
                        "",
                        "tres.usage",
                        "",
                        DECIMAL,
                        each -> sorted(each.getUsage().getTresSecondsMap()))
                .build();
    }

    private static void decimal(
            EntityTable.Builder<AssociationView> table,
            String place,
            ToDoubleFunction<AssociationView> value) {
        table.field(
                "",
                Field.Kind.DECIMAL,
                place,
                "",
                (each, out) -> {
                    var number = value.applyAsDouble(each);
                    if (Double.isInfinite(number)) {
                        out.unlimited();
                    } else {
                        out.decimal(number);
                    }
                });
    }

    private static <V> List<Map.Entry<String, V>> sorted(Map<String, V> amounts) {
        return List.copyOf(new TreeMap<>(amounts).entrySet());
    }

    private static boolean isUser(AssociationView each) {
        return !each.getUser().isEmpty();
    }

    private static String name(AssociationView each) {
        return isUser(each) ? each.getUser() : each.getAccount();
    }

    private static String parent(AssociationView each) {
        return isUser(each) ? each.getAccount() : each.getParentAccount();
    }
}
