package dev.spur.accounting.usage;

import dev.spur.accounting.access.Viewer;
import dev.spur.accounting.account.AccountRepository;
import dev.spur.accounting.amount.Times;
import dev.spur.accounting.cluster.ClusterRepository;
import dev.spur.accounting.job.HoursToRoll;
import dev.spur.accounting.reservation.ReservationRepository;
import dev.spur.api.v1.ReportReply;
import dev.spur.api.v1.ReportRequest;
import dev.spur.api.v1.ReportRow;
import dev.spur.api.v1.TresView;
import dev.spur.model.ErrorCode;
import dev.spur.model.SpurException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.InstantSource;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/// `sreport`: one window, cut to whole hours of the caller's zone; what of it is over is counted.
public final class Reports {
    private static final int TOP = 10;

    private final Jdbi jdbi;
    private final InstantSource clock;

    public Reports(Jdbi jdbi, InstantSource clock) {
        this.jdbi = jdbi;
        this.clock = clock;
    }

    public ReportReply report(ReportRequest request, Viewer viewer) {
        var window = window(request);
        return jdbi.inTransaction(handle -> {
            handle.execute("set transaction isolation level repeatable read read only");
            var reply =
                    ReportReply.newBuilder()
                            .setFromMicros(Times.micros(window.from()))
                            .setUntilMicros(Times.micros(window.until()));
            for (var cluster : new ClusterRepository(handle).all()) {
                if (request.getClustersList().isEmpty()
                        || request.getClustersList().contains(cluster.name())) {
                    new OfCluster(handle, cluster, request, viewer, window, reply).add();
                }
            }
            if (request.getKind().equals("user topusage")) {
                keepTop(reply, request.getTopCount());
            }
            return reply.build();
        });
    }

    /// From the first minute of an hour to the last: half an hour and more counts as a whole one.
    /// Without times: yesterday.
    Window window(ReportRequest request) {
        var zone = zone(request.getZone());
        var now = clock.instant().atZone(zone);
        var today = now.truncatedTo(ChronoUnit.DAYS);
        var from =
                request.getFromMicros() == 0
                        ? today.minusDays(1)
                        : wholeHour(Times.asked(request.getFromMicros()).atZoneSameInstant(zone));
        var until =
                request.getUntilMicros() == 0
                        ? today
                        : wholeHour(Times.asked(request.getUntilMicros()).atZoneSameInstant(zone));
        if (!until.isAfter(from)) {
            until = from.plusHours(1);
        }
        return new Window(utc(from), utc(until));
    }

    private static ZonedDateTime wholeHour(ZonedDateTime time) {
        return time.plusMinutes(30).truncatedTo(ChronoUnit.HOURS);
    }

    private static OffsetDateTime utc(ZonedDateTime time) {
        return time.withZoneSameInstant(ZoneOffset.UTC).toOffsetDateTime();
    }

    private static ZoneId zone(String name) {
        try {
            return name.isEmpty() ? ZoneOffset.UTC : ZoneId.of(name);
        } catch (DateTimeException e) {
            throw new SpurException(
                    ErrorCode.INVALID_REQUEST,
                    "\"%s\" is not a time zone. Write it as in Europe/Berlin".formatted(name));
        }
    }

    private static void keepTop(ReportReply.Builder reply, int count) {
        var most = count == 0 ? TOP : count;
        var kept = new ArrayList<ReportRow>();
        var users = new HashMap<String, Integer>();
        for (var row : reply.getRowsList()) {
            var group = row.getCluster() + "\n" + row.getTres();
            if (users.merge(group, 1, Integer::sum) <= most) {
                kept.add(row);
            }
        }
        reply.clearRows().addAllRows(kept);
    }

    /// Who used how much of a resource.
    private record Used(UsageRepository.Payer payer, int tres, long seconds) {}

    private final class OfCluster {
        private final Handle handle;
        private final ClusterRepository.Cluster cluster;
        private final ReportRequest request;
        private final Viewer viewer;
        private final Window window;
        private final Window past;
        private final ReportReply.Builder reply;
        private final UsageRepository usage;
        private final Map<Integer, String> tres = new TreeMap<>();
        private @Nullable AccountTree tree;

        OfCluster(
                Handle handle,
                ClusterRepository.Cluster cluster,
                ReportRequest request,
                Viewer viewer,
                Window window,
                ReportReply.Builder reply) {
            this.handle = handle;
            this.cluster = cluster;
            this.request = request;
            this.viewer = viewer;
            this.window = window;
            this.reply = reply;
            this.usage = new UsageRepository(handle, cluster.id());
            var now = Times.at(clock.instant()).truncatedTo(ChronoUnit.SECONDS);
            this.past = new Window(window.from(), Times.earlier(window.until(), now));
            chooseTres(new ClusterRepository(handle).registry(cluster.id()));
        }

        private void chooseTres(List<TresView> registry) {
            var wanted = request.getTresList().isEmpty() ? List.of("cpu") : request.getTresList();
            for (var each : registry) {
                var name = name(each);
                if (wanted.contains(name) || wanted.contains("ALL")) {
                    tres.put(each.getId(), name);
                }
                if (reply.getTresList().stream()
                        .noneMatch(known -> known.getId() == each.getId())) {
                    reply.addTres(each);
                }
            }
        }

        private static String name(TresView tres) {
            return tres.getName().isEmpty()
                    ? tres.getType()
                    : tres.getType() + "/" + tres.getName();
        }

        void add() {
            switch (request.getKind().toLowerCase(Locale.ROOT)) {
                case "cluster utilization" -> utilization();
                case "cluster accountutilizationbyuser" -> accounts();
                case "cluster userutilizationbyaccount" ->
                        pairs(UsageRepository.Payer::user, UsageRepository.Payer::account, true);
                case "cluster userutilizationbywckey" ->
                        pairs(UsageRepository.Payer::user, UsageRepository.Payer::wckey, false);
                case "cluster wckeyutilizationbyuser" -> wckeys();
                case "user topusage" -> topUsers();
                case "job sizesbyaccount", "job sizesbywckey", "job sizesbyaccountandwckey" ->
                        new JobSizes(handle, cluster, request, viewer, past).addTo(reply, tres);
                case "reservation utilization" -> reservations();
                default ->
                        throw new SpurException(
                                ErrorCode.INVALID_REQUEST,
                                "there is no report \"%s\"".formatted(request.getKind()));
            }
        }

        private Pieces pieces() {
            var stale = new HoursToRoll(handle).of(cluster.id());
            return Pieces.of(past, cluster.rolledUntil(), stale);
        }

        private ReportRow.Builder row(int id) {
            return ReportRow.newBuilder()
                    .setCluster(cluster.name())
                    .setTres(tres.getOrDefault(id, ""));
        }

        private void utilization() {
            var seconds = Math.max(1, Duration.between(past.from(), past.until()).toSeconds());
            usage.clusterBetween(pieces()).entrySet().stream()
                    .filter(each -> tres.containsKey(each.getKey()))
                    .sorted(Map.Entry.comparingByKey())
                    .forEach(each -> {
                        var time = each.getValue();
                        reply.addRows(
                                row(each.getKey())
                                        .putSeconds("allocated", time.allocated())
                                        .putSeconds("down", time.down())
                                        .putSeconds("planned_down", time.plannedDown())
                                        .putSeconds("idle", time.idle())
                                        .putSeconds("planned", time.planned())
                                        .putSeconds("reported", time.reported())
                                        .setCount(time.reported() / seconds));
                    });
        }

        /// Of what the caller may see and has asked for.
        private List<Used> used() {
            var payers = usage.payers();
            var used = new ArrayList<Used>();
            usage.between(pieces())
                    .forEach((use, seconds) -> {
                        var payer = payers.get(use.payer());
                        if (payer != null
                                && seconds != 0
                                && tres.containsKey(use.tres())
                                && isAsked(payer)) {
                            used.add(new Used(payer, use.tres(), seconds));
                        }
                    });
            return used;
        }

        private boolean isAsked(UsageRepository.Payer payer) {
            BiPredicate<List<String>, String> among =
                    (wanted, name) -> wanted.isEmpty() || wanted.contains(name);
            return viewer.seesUsage(payer.account(), payer.user())
                    && among.test(request.getUsersList(), payer.user())
                    && among.test(request.getWckeysList(), payer.wckey())
                    && (request.getAccountsList().isEmpty()
                            || tree().isBelow(payer.account(), request.getAccountsList()));
        }

        private AccountTree tree() {
            var known = tree;
            if (known == null) {
                known =
                        new AccountTree(
                                new AccountRepository(handle, cluster.id())
                                        .associations(window.until()));
                tree = known;
            }
            return known;
        }

        /// Each account with all below it, then its users, in the order of the tree.
        private void accounts() {
            var tree = tree();
            var used = used();
            for (var id : tres.keySet()) {
                var ofAccount = new TreeMap<String, Long>();
                var ofUser = new TreeMap<String, TreeMap<String, Long>>();
                for (var each : used) {
                    if (each.tres() != id) {
                        continue;
                    }
                    var account = each.payer().account();
                    tree.upwards(account)
                            .forEach(above -> ofAccount.merge(above, each.seconds(), Long::sum));
                    ofUser.computeIfAbsent(account, _ -> new TreeMap<>())
                            .merge(each.payer().user(), each.seconds(), Long::sum);
                }
                for (var account : tree.inOrder(ofAccount.keySet())) {
                    var line =
                            row(id).setAccount(account)
                                    .setParentAccount(tree.parent(account))
                                    .setDepth(tree.depth(account));
                    reply.addRows(
                            line.clone().putSeconds("used", ofAccount.getOrDefault(account, 0L)));
                    ofUser.getOrDefault(account, new TreeMap<>())
                            .forEach((user, seconds) ->
                                    reply.addRows(
                                            line.clone()
                                                    .setUser(user)
                                                    .setDepth(tree.depth(account) + 1)
                                                    .putSeconds("used", seconds)));
                }
            }
        }

        private interface Part {
            String of(UsageRepository.Payer payer);
        }

        private record Pair(String user, String other) {}

        /// Each user with each account or wckey, who used most first.
        private void pairs(Part user, Part other, boolean byAccount) {
            var used = used();
            for (var id : tres.keySet()) {
                var sums =
                        new TreeMap<Pair, Long>(
                                Comparator.comparing(Pair::user).thenComparing(Pair::other));
                for (var each : used) {
                    if (each.tres() == id) {
                        sums.merge(
                                new Pair(user.of(each.payer()), other.of(each.payer())),
                                each.seconds(),
                                Long::sum);
                    }
                }
                sums.entrySet().stream()
                        .sorted(Map.Entry.<Pair, Long>comparingByValue().reversed())
                        .forEach(each -> {
                            var row =
                                    row(id).setUser(each.getKey().user())
                                            .putSeconds("used", each.getValue());
                            reply.addRows(
                                    byAccount
                                            ? row.setAccount(each.getKey().other())
                                            : row.setWckey(each.getKey().other()));
                        });
            }
        }

        /// Each wckey, then its users.
        private void wckeys() {
            var used = used();
            for (var id : tres.keySet()) {
                var sums = new TreeMap<String, TreeMap<String, Long>>();
                used.stream()
                        .filter(each -> each.tres() == id)
                        .forEach(each ->
                                sums.computeIfAbsent(each.payer().wckey(), _ -> new TreeMap<>())
                                        .merge(each.payer().user(), each.seconds(), Long::sum));
                sums.forEach((wckey, users) -> {
                    var all = users.values().stream().mapToLong(Long::longValue).sum();
                    reply.addRows(row(id).setWckey(wckey).putSeconds("used", all));
                    users.forEach((user, seconds) ->
                            reply.addRows(
                                    row(id).setWckey(wckey)
                                            .setUser(user)
                                            .setDepth(1)
                                            .putSeconds("used", seconds)));
                });
            }
        }

        /// Who used most first; a user of several accounts has a row for each, or one with all of
        /// them (`group`).
        private void topUsers() {
            if (!request.getGroup()) {
                pairs(UsageRepository.Payer::user, UsageRepository.Payer::account, true);
                return;
            }
            var used = used();
            for (var id : tres.keySet()) {
                var users = new TreeMap<String, UserOfAccounts>();
                for (var each : used) {
                    if (each.tres() == id) {
                        users.merge(
                                each.payer().user(), UserOfAccounts.of(each), UserOfAccounts::plus);
                    }
                }
                users.entrySet().stream()
                        .sorted(
                                Comparator.comparingLong((Map.Entry<String, UserOfAccounts> each) ->
                                                each.getValue().seconds())
                                        .reversed())
                        .forEach(each ->
                                reply.addRows(
                                        row(id).setUser(each.getKey())
                                                .setAccount(
                                                        String.join(
                                                                ",", each.getValue().accounts()))
                                                .putSeconds("used", each.getValue().seconds())));
            }
        }

        private record UserOfAccounts(SortedSet<String> accounts, long seconds) {
            static UserOfAccounts of(Used used) {
                return new UserOfAccounts(
                        new TreeSet<>(Set.of(used.payer().account())), used.seconds());
            }

            UserOfAccounts plus(UserOfAccounts other) {
                var all = new TreeSet<>(accounts);
                all.addAll(other.accounts);
                return new UserOfAccounts(all, seconds + other.seconds);
            }
        }

        private void reservations() {
            var raw = new RawUsage(handle, cluster.id());
            for (var each :
                    new ReservationRepository(handle)
                            .between(cluster.id(), past.from(), past.until())) {
                if (!request.getReservationsList().isEmpty()
                        && !request.getReservationsList().contains(each.name())) {
                    continue;
                }
                var lived =
                        new Window(
                                Times.later(each.from(), past.from()),
                                Times.earlier(each.until(), past.until()));
                var used = raw.inReservation(each.name(), lived);
                var seconds = Duration.between(lived.from(), lived.until()).toSeconds();
                each.tres()
                        .map()
                        .forEach((id, amount) -> {
                            if (tres.containsKey(id)) {
                                var all = amount * seconds;
                                var allocated = Math.min(all, used.getOrDefault(id, 0L));
                                reply.addRows(
                                        row(id).setReservation(each.name())
                                                .setStartMicros(Times.micros(each.from()))
                                                .setEndMicros(Times.micros(each.until()))
                                                .putSeconds("reported", all)
                                                .putSeconds("allocated", allocated)
                                                .putSeconds("idle", all - allocated)
                                                .setCount(amount));
                            }
                        });
            }
        }
    }
}
