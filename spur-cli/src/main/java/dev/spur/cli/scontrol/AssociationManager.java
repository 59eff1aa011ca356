package dev.spur.cli.scontrol;

import dev.spur.api.v1.AssociationLimits;
import dev.spur.api.v1.AssociationUsage;
import dev.spur.api.v1.AssociationView;
import dev.spur.api.v1.QosView;
import dev.spur.api.v1.UserView;
import dev.spur.cli.account.AccountBook;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// `scontrol show assoc_mgr`: what the controllers hold of users, associations and QOS, each limit
/// with what counts towards it: `GrpJobs=8(3)`, or `N(3)` without one.
final class AssociationManager {
    private static final Set<String> FLAGS = Set.of("users", "assoc", "qos");

    private final Session session;
    private final AccountBook book;

    private AssociationManager(Session session, AccountBook book) {
        this.session = session;
        this.book = book;
    }

    static int show(Session session, List<String> conditions) throws Exception {
        var wanted = new HashMap<String, Set<String>>();
        for (var word : conditions) {
            var pair = Pair.of(word);
            var key = key(pair.key().toLowerCase(Locale.ROOT));
            if (key.isEmpty() || !pair.hasValue()) {
                return session.fail(
                        "invalid entity: %s for keyword:show assoc_mgr".formatted(word));
            }
            wanted.put(key, Set.of(pair.value().toLowerCase(Locale.ROOT).split(",")));
        }
        var flags = wanted.getOrDefault("flags", FLAGS);
        if (!FLAGS.containsAll(flags)) {
            return session.fail(
                    "invalid flag '%s', valid options are 'Assoc, QOS, and/or Users'"
                            .formatted(String.join(",", flags.stream().sorted().toList())));
        }
        var shown = new AssociationManager(session, AccountBook.ask(session.controller(), true));
        shown.print(wanted, flags);
        return 0;
    }

    /// Beginnings of words are enough; empty: none of them.
    private static String key(String text) {
        return Stream.of("accounts", "flags", "qos", "users")
                .filter(one -> !text.isEmpty() && one.startsWith(text))
                .findFirst()
                .orElse("");
    }

    private void print(Map<String, Set<String>> wanted, Set<String> flags) {
        var users = wanted.getOrDefault("users", Set.of());
        session.out().println("Current Association Manager state");
        if (flags.contains("users")) {
            session.out().println("\nUser Records\n");
            book.users().values().stream()
                    .filter(user -> among(users, user.getName()))
                    .forEach(user -> session.out().println(user(user)));
        }
        if (flags.contains("assoc")) {
            session.out().println("\nAssociation Records\n");
            associations(users, wanted.getOrDefault("accounts", Set.of()));
        }
        if (flags.contains("qos")) {
            session.out().println("\nQOS Records\n");
            book.qos().stream()
                    .filter(one -> among(wanted.getOrDefault("qos", Set.of()), one.getName()))
                    .forEach(one -> session.out().println(qos(one)));
        }
    }

    private static boolean among(Set<String> wanted, String name) {
        return wanted.isEmpty() || wanted.contains(name.toLowerCase(Locale.ROOT));
    }

    private String person(String name) {
        var uid = session.in().users().uid(name);
        return name + "(" + (uid.isPresent() ? Long.toString(uid.getAsLong()) : "4294967294") + ")";
    }

    private String user(UserView user) {
        return "UserName=%s DefAccount=%s DefWckey=%s AdminLevel=%s"
                .formatted(
                        person(user.getName()),
                        user.getDefaultAccount(),
                        user.getDefaultWckey().isEmpty() ? "(null)" : user.getDefaultWckey(),
                        user.getAdminLevel());
    }

    /// In the order of the tree, each with the number at which Slurm's nested sets would have it.
    private void associations(Set<String> users, Set<String> accounts) {
        var left = 0;
        var depth = -1;
        for (var placed : book.associations()) {
            // Each set that ends before this one has a number for its end.
            left += 1 + Math.max(0, depth - placed.depth() + 1);
            depth = placed.depth();
            var one = placed.view();
            if (among(accounts, one.getAccount())
                    && (one.getUser().isEmpty() || among(users, one.getUser()))) {
                session.out().println(association(one, left));
            }
        }
    }

    private String association(AssociationView one, int left) {
        var usage = one.getUsage();
        var limits = one.getLimits();
        var above = book.above(one);
        var isUser = !one.getUser().isEmpty();
        var siblings =
                above == null
                        ? limits.getShares()
                        : book.below(above).stream()
                                .mapToLong(each -> each.getLimits().getShares())
                                .sum();
        return String.join(
                "\n    ",
                "ClusterName=%s Account=%s UserName=%s Partition=%s Priority=%d ID=%d"
                        .formatted(
                                book.cluster(),
                                one.getAccount(),
                                isUser ? person(one.getUser()) : "",
                                one.getPartition(),
                                limits.getPriority(),
                                one.getId()),
                text(
                        "SharesRaw/Norm/Level/Factor=%d/%.2f/%d/%.2f",
                        limits.getShares(), usage.getNormShares(), siblings, usage.getFairShare()),
                text(
                        "UsageRaw/Norm/Efctv=%.2f/%.2f/%.2f",
                        usage.getRaw(), usage.getNormalized(), usage.getEffective()),
                text(
                        "ParentAccount=%s Lft=%d DefAssoc=%s",
                        above == null || isUser
                                ? ""
                                : above.getAccount() + "(" + above.getId() + ")",
                        left,
                        one.getIsDefault() ? "Yes" : "No"),
                "GrpJobs=" + limited(limits.hasGrpJobs(), limits.getGrpJobs(), usage.getJobs()),
                text(
                        "GrpSubmitJobs=%s GrpWall=%s",
                        limited(
                                limits.hasGrpSubmitJobs(),
                                limits.getGrpSubmitJobs(),
                                usage.getSubmitted()),
                        wall(limits.hasGrpWallMinutes(), limits.getGrpWallMinutes(), usage)),
                groups(
                        limits.getGrpTresMap(),
                        limits.getGrpTresMinutesMap(),
                        limits.getGrpTresRunMinutesMap(),
                        usage),
                most(one, limits),
                "MaxTRESPJ=" + book.amounts(limits.getMaxTresPerJobMap()),
                "MaxTRESPN=" + book.amounts(limits.getMaxTresPerNodeMap()),
                "MaxTRESMinsPJ=" + book.amounts(limits.getMaxTresMinutesPerJobMap()));
    }

    private static String most(AssociationView one, AssociationLimits limits) {
        var usage = one.getUsage();
        return text(
                "MaxJobs=%s MaxSubmitJobs=%s MaxWallPJ=%s",
                limits.hasMaxJobs() ? limited(true, limits.getMaxJobs(), usage.getJobs()) : "",
                limits.hasMaxSubmitJobs()
                        ? limited(true, limits.getMaxSubmitJobs(), usage.getSubmitted())
                        : "",
                limits.hasMaxWallMinutes() ? limits.getMaxWallMinutes() : "");
    }

    private String qos(QosView qos) {
        var usage = qos.getUsage();
        var limits = qos.getLimits();
        return String.join(
                "\n    ",
                "QOS=%s(%d)".formatted(qos.getName(), qos.getId()),
                text("UsageRaw=%.6f", usage.getRaw()),
                text(
                        "GrpJobs=%s GrpSubmitJobs=%s GrpWall=%s",
                        limited(limits.hasGrpJobs(), limits.getGrpJobs(), usage.getJobs()),
                        limited(
                                limits.hasGrpSubmitJobs(),
                                limits.getGrpSubmitJobs(),
                                usage.getSubmitted()),
                        wall(limits.hasGrpWallMinutes(), limits.getGrpWallMinutes(), usage)),
                groups(
                        limits.getGrpTresMap(),
                        limits.getGrpTresMinutesMap(),
                        limits.getGrpTresRunMinutesMap(),
                        usage),
                "MaxWallPJ=" + (limits.hasMaxWallMinutes() ? limits.getMaxWallMinutes() : ""),
                "MaxTRESPJ=" + book.amounts(limits.getMaxTresPerJobMap()),
                "MaxTRESPN=" + book.amounts(limits.getMaxTresPerNodeMap()),
                "MaxTRESMinsPJ=" + book.amounts(limits.getMaxTresMinutesPerJobMap()),
                "MinTRESPJ=" + book.amounts(limits.getMinTresPerJobMap()),
                "Priority=" + Integer.toUnsignedString(qos.getPriority()));
    }

    private String groups(
            Map<String, Long> amounts,
            Map<String, Long> minutes,
            Map<String, Long> runMinutes,
            AssociationUsage usage) {
        return String.join(
                "\n    ",
                "GrpTRES=" + tres(amounts, usage.getTresMap(), value -> value),
                "GrpTRESMins=" + tres(minutes, usage.getTresSecondsMap(), value -> value / 60),
                "GrpTRESRunMins="
                        + tres(runMinutes, usage.getTresRunSecondsMap(), value -> value / 60));
    }

    private String tres(
            Map<String, Long> limits,
            Map<String, ? extends Number> used,
            DoubleUnaryOperator shown) {
        return book.tresNames().stream()
                .sorted((one, other) -> Integer.compare(book.number(one), book.number(other)))
                .map(name -> {
                    var limit = limits.get(name);
                    Number amount = used.containsKey(name) ? used.get(name) : 0L;
                    return "%s=%s(%d)"
                            .formatted(
                                    name,
                                    limit == null ? "N" : Long.toUnsignedString(limit),
                                    (long) shown.applyAsDouble(amount.doubleValue()));
                })
                .collect(Collectors.joining(","));
    }

    private static String limited(boolean has, int limit, int used) {
        return (has ? Integer.toUnsignedString(limit) : "N")
                + "("
                + Integer.toUnsignedString(used)
                + ")";
    }

    private static String wall(boolean has, int minutes, AssociationUsage usage) {
        return (has ? Integer.toUnsignedString(minutes) : "N")
                + text("(%.2f)", usage.getWallSeconds() / 60);
    }

    private static String text(String format, Object... parts) {
        return String.format(Locale.ROOT, format, parts);
    }
}
