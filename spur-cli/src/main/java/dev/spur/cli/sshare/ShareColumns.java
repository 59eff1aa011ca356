package dev.spur.cli.sshare;

import dev.spur.api.v1.AssociationUsage;
import dev.spur.api.v1.AssociationView;
import dev.spur.cli.account.AccountBook;
import dev.spur.cli.format.RuledColumn;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;

/// What sshare can show of an association.
final class ShareColumns {
    static final String USUAL = "Account,User,RawShares,NormShares,RawUsage,EffectvUsage,FairShare";
    static final String LONG =
            "Account,User,RawShares,NormShares,RawUsage,NormUsage,EffectvUsage,FairShare,LevelFS,"
                    + "GrpTRESMins,TRESRunMins";
    static final String WITH_PARTITION =
            "Account,User,Partition,RawShares,NormShares,RawUsage,EffectvUsage,FairShare";

    private static final int SECONDS_A_MINUTE = 60;

    private ShareColumns() {}

    static List<RuledColumn<AccountBook.Placed>> of(AccountBook book) {
        return List.of(
                RuledColumn.text(
                        "Account",
                        -20,
                        (one, _) -> " ".repeat(one.depth()) + one.view().getAccount()),
                text("Cluster", 10, _ -> book.cluster()),
                number("EffectvUsage", 13, one -> decimal(usage(one).getEffective())),
                number(
                        "FairShare",
                        10,
                        one -> isUser(one) ? decimal(usage(one).getFairShare()) : ""),
                text(
                        "GrpTRESMins",
                        30,
                        one -> book.amounts(one.getLimits().getGrpTresMinutesMap())),
                text("GrpTRESRaw", 30, one -> raw(book, one)),
                number("ID", 6, one -> Integer.toUnsignedString(one.getId())),
                number("LevelFS", 10, one -> isRoot(one) ? "" : level(usage(one).getLevelFs())),
                number(
                        "NormShares",
                        11,
                        one -> decimal(isRoot(one) ? 0 : usage(one).getNormShares())),
                number("NormUsage", 11, one -> decimal(usage(one).getNormalized())),
                text("Partition", 12, AssociationView::getPartition),
                number("RawShares", 10, ShareColumns::shares),
                number("RawUsage", 11, one -> Long.toString((long) usage(one).getRaw())),
                text("TRESRunMins", 30, one -> running(book, one)),
                text("User", 10, AssociationView::getUser));
    }

    private static RuledColumn<AccountBook.Placed> text(
            String name, int width, Function<AssociationView, String> cell) {
        return RuledColumn.text(name, width, (one, _) -> cell.apply(one.view()));
    }

    private static RuledColumn<AccountBook.Placed> number(
            String name, int width, Function<AssociationView, String> cell) {
        return RuledColumn.number(name, width, (one, _) -> cell.apply(one.view()));
    }

    private static AssociationUsage usage(AssociationView one) {
        return one.getUsage();
    }

    private static boolean isUser(AssociationView one) {
        return !one.getUser().isEmpty();
    }

    /// It has everything, so a share of it means nothing.
    private static boolean isRoot(AssociationView one) {
        return one.getParentId() == 0 && !isUser(one);
    }

    private static String shares(AssociationView one) {
        if (isRoot(one)) {
            return "";
        }
        var limits = one.getLimits();
        return limits.getSharesOfParent() ? "parent" : Integer.toUnsignedString(limits.getShares());
    }

    private static String decimal(double value) {
        return String.format(Locale.ROOT, "%.6f", value);
    }

    private static String level(double value) {
        return Double.isInfinite(value) ? "inf" : decimal(value);
    }

    private static String raw(AccountBook book, AssociationView one) {
        return inOrder(book, name -> (long) one.getUsage().getTresSecondsOrDefault(name, 0));
    }

    private static String running(AccountBook book, AssociationView one) {
        return inOrder(
                book,
                name -> one.getUsage().getTresRunSecondsOrDefault(name, 0) / SECONDS_A_MINUTE);
    }

    /// Of every resource there is.
    private static String inOrder(AccountBook book, Function<String, Long> amount) {
        return book.tresNames().stream()
                .sorted(Comparator.comparing(book::number))
                .map(name -> name + "=" + amount.apply(name))
                .collect(Collectors.joining(","));
    }
}
