package dev.spur.engine.rules;

import dev.spur.engine.job.JobPhase;
import dev.spur.engine.node.Node;
import dev.spur.engine.reservation.Entrance;
import dev.spur.engine.reservation.Extent;
import dev.spur.engine.reservation.Period;
import dev.spur.engine.reservation.Reservation;
import dev.spur.engine.reservation.ReservationFlag;
import dev.spur.engine.reservation.ReservationRequest;
import dev.spur.engine.reservation.Reservations;
import dev.spur.engine.site.Partition;
import dev.spur.model.ErrorCode;
import dev.spur.model.IndexSet;
import dev.spur.model.hostlist.Hostlist;
import dev.spur.model.notation.NotationException;
import dev.spur.model.notation.Text;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// What a request makes of a reservation: its time, its nodes and who may use it, checked against
/// everything else that is there.
final class ReservationDraft {
    /// As Slurm, which lets clocks differ a little.
    private static final Duration LONGEST_PAST = Duration.ofMinutes(5);

    /// What is farther away than any plan was mistyped, and would be more than times can be.
    private static final Duration FARTHEST = Duration.ofDays(36_525);

    private static final Duration PURGE_AFTER = Duration.ofMinutes(5);
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,62}");

    private final Tables tables;

    ReservationDraft(Tables tables) {
        this.tables = tables;
    }

    sealed interface Answer {}

    record Drafted(Reservation reservation) implements Answer {}

    record Refused(ErrorCode code, String message) implements Answer {}

    /// Carries a refusal out of the checks.
    private static final class RefusedException extends RuntimeException {
        private final ErrorCode code;

        RefusedException(ErrorCode code, String message, Object... details) {
            super(Text.of(message, details), null, false, false);
            this.code = code;
        }
    }

    Answer create(ReservationRequest request) {
        try {
            var number = tables.reservations.made() + 1;
            var users = request.users();
            var accounts = request.accounts();
            var entrance = entrance(Entrance.NONE, request);
            if (entrance.isEmpty()) {
                throw new RefusedException(
                        ErrorCode.INVALID_REQUEST,
                        "a reservation is for somebody: give Users, Groups or Accounts");
            }
            var extent = extent(new Extent("", 0, "", ""), request);
            if (extent.isChosen() && extent.count() == 0) {
                throw new RefusedException(
                        ErrorCode.INVALID_NODE_COUNT, "give Nodes or NodeCnt: which nodes?");
            }
            var start = request.start() == null ? tables.now : request.start();
            var draft =
                    new Reservation(
                            number,
                            name(request.name(), entrance, number),
                            period(start, request, Reservations.HORIZON),
                            zone(request.zone()),
                            extent,
                            IndexSet.EMPTY,
                            entrance,
                            flags(List.of(), request, extent),
                            request.purgeAfter() == null ? PURGE_AFTER : request.purgeAfter(),
                            null,
                            false);
            if (users != null && users.denied() && accounts == null) {
                throw new RefusedException(
                        ErrorCode.INVALID_REQUEST,
                        "users can be kept out of what is open to Accounts, and none are given");
            }
            return new Drafted(checked(draft, true));
        } catch (RefusedException refused) {
            return new Refused(refused.code, String.valueOf(refused.getMessage()));
        }
    }

    Answer update(Reservation before, ReservationRequest request) {
        try {
            var start = request.start() == null ? before.start() : request.start();
            if (before.isActive(tables.now) && !start.equals(before.start())) {
                throw new RefusedException(
                        ErrorCode.INVALID_TIME,
                        "reservation %s has begun: its end can be changed, its start cannot",
                        before.name());
            }
            var entrance = entrance(before.entrance(), request);
            if (entrance.isEmpty()) {
                throw new RefusedException(
                        ErrorCode.INVALID_REQUEST,
                        "nobody could use reservation %s any more. Delete it instead",
                        before.name());
            }
            var extent = extent(before.extent(), request);
            var isSameTime =
                    request.start() == null && request.end() == null && request.duration() == null;
            var draft =
                    new Reservation(
                            before.number(),
                            before.name(),
                            isSameTime
                                    ? before.period()
                                    : period(start, request, before.period().duration()),
                            request.zone().isEmpty() ? before.zone() : zone(request.zone()),
                            extent,
                            before.nodes(),
                            entrance,
                            flags(before.flags(), request, extent),
                            request.purgeAfter() == null
                                    ? before.purgeAfter()
                                    : request.purgeAfter(),
                            before.idleSince(),
                            before.begun() && before.isActive(tables.now));
            var isElsewhere = !isSameTime || !extent.equals(before.extent());
            return new Drafted(checked(draft, isElsewhere));
        } catch (RefusedException refused) {
            return new Refused(refused.code, String.valueOf(refused.getMessage()));
        }
    }

    private String name(String given, Entrance entrance, int number) {
        if (given.isEmpty()) {
            var key =
                    !entrance.accounts().isEmpty()
                            ? entrance.accounts().getFirst()
                            : !entrance.users().isEmpty()
                                    ? entrance.users().getFirst()
                                    : entrance.groups().getFirst().name();
            var suffix = number;
            while (tables.reservations.find(key + "_" + suffix).isPresent()) {
                suffix++;
            }
            return key + "_" + suffix;
        }
        if (!NAME.matcher(given).matches()) {
            throw new RefusedException(
                    ErrorCode.INVALID_RESERVATION,
                    "a reservation is called by letters, digits, _, - and ., at most 63: %s",
                    given);
        }
        if (tables.reservations.find(given).isPresent()) {
            throw new RefusedException(
                    ErrorCode.INVALID_RESERVATION, "reservation %s exists already", given);
        }
        return given;
    }

    private static String zone(String name) {
        try {
            return name.isEmpty() ? "" : ZoneId.of(name).getId();
        } catch (DateTimeException _) {
            throw new RefusedException(ErrorCode.INVALID_TIME, "no time zone is called %s", name);
        }
    }

    private Period period(Instant start, ReservationRequest request, Duration byDefault) {
        var latest = tables.now.plus(FARTHEST);
        var duration = request.duration();
        if (start.isAfter(latest)
                || duration != null && (duration.isNegative() || duration.compareTo(FARTHEST) > 0)
                || request.end() != null && request.end().isAfter(latest)) {
            throw new RefusedException(
                    ErrorCode.INVALID_TIME,
                    "a reservation begins and ends within 100 years. Is the year right?");
        }
        var end =
                duration != null
                        ? start.plus(duration)
                        : request.end() != null ? request.end() : start.plus(byDefault);
        if (start.isBefore(tables.now.minus(LONGEST_PAST)) && request.start() != null) {
            throw new RefusedException(ErrorCode.INVALID_TIME, "the start time has passed already");
        }
        if (!end.isAfter(start) || !end.isAfter(tables.now)) {
            throw new RefusedException(
                    ErrorCode.INVALID_TIME,
                    "a reservation ends after it starts, and later than now");
        }
        return new Period(start, end);
    }

    private static Entrance entrance(Entrance before, ReservationRequest request) {
        var users = request.users();
        var accounts = request.accounts();
        var groups = request.groups();
        return new Entrance(
                users == null ? before.users() : users.of(before.users()),
                users == null || users.way() != ReservationRequest.Way.SET
                        ? before.usersDenied()
                        : users.denied(),
                accounts == null ? before.accounts() : accounts.of(before.accounts()),
                accounts == null || accounts.way() != ReservationRequest.Way.SET
                        ? before.accountsDenied()
                        : accounts.denied(),
                groups == null ? before.groups() : groups);
    }

    private Extent extent(Extent before, ReservationRequest request) {
        var nodes = request.nodes();
        var count = request.nodeCount();
        var text = before.nodes();
        if (nodes != null) {
            var asked = String.join(",", nodes.names());
            text =
                    nodes.way() == ReservationRequest.Way.SET
                            ? asked.equalsIgnoreCase("ALL")
                                    ? "ALL"
                                    : Hostlist.compress(hosts(asked))
                            : Hostlist.compress(nodes.of(hosts(before.nodes())));
        } else if (count != null) {
            text = "";
        }
        var partition = request.partition() == null ? before.partition() : request.partition();
        if (!partition.isEmpty() && tables.partition(partition).isEmpty()) {
            throw new RefusedException(
                    ErrorCode.INVALID_PARTITION, "no partition is called %s", partition);
        }
        if (text.isEmpty() && partition.isEmpty()) {
            partition = tables.defaultPartition().map(Partition::name).orElse("");
        }
        return new Extent(
                text,
                text.isEmpty() ? (count == null ? before.count() : count) : 0,
                request.features() == null ? before.features() : request.features(),
                partition);
    }

    private static List<String> hosts(String list) {
        try {
            return list.isEmpty() ? List.of() : Hostlist.parse(list).hosts();
        } catch (NotationException wrong) {
            throw new RefusedException(
                    ErrorCode.INVALID_NODE, "%s", String.valueOf(wrong.getMessage()));
        }
    }

    private static List<ReservationFlag> flags(
            List<ReservationFlag> before, ReservationRequest request, Extent extent) {
        var flags = EnumSet.noneOf(ReservationFlag.class);
        flags.addAll(before);
        flags.addAll(request.set());
        flags.removeAll(request.cleared());
        set(flags, ReservationFlag.SPEC_NODES, !extent.isChosen());
        set(flags, ReservationFlag.ALL_NODES, extent.isAll() && extent.partition().isEmpty());
        if (flags.contains(ReservationFlag.PART_NODES)
                && (!extent.isAll() || extent.partition().isEmpty())) {
            throw new RefusedException(
                    ErrorCode.INVALID_REQUEST,
                    "PART_NODES goes with Nodes=ALL and the partition's name");
        }
        if (flags.contains(ReservationFlag.STATIC)
                && (flags.contains(ReservationFlag.REPLACE)
                        || flags.contains(ReservationFlag.REPLACE_DOWN))) {
            throw new RefusedException(
                    ErrorCode.INVALID_REQUEST, "nodes are replaced, or STATIC_ALLOC; not both");
        }
        return List.copyOf(flags);
    }

    private static void set(EnumSet<ReservationFlag> flags, ReservationFlag flag, boolean on) {
        if (on) {
            flags.add(flag);
        } else {
            flags.remove(flag);
        }
    }

    /// @param anew whether its nodes have to be found
    private Reservation checked(Reservation draft, boolean anew) {
        var repetitions =
                draft.flags().stream()
                        .filter(flag ->
                                flag.ordinal() >= ReservationFlag.HOURLY.ordinal()
                                        && flag.ordinal() <= ReservationFlag.WEEKLY.ordinal())
                        .count();
        var repetition = draft.repetition();
        if (repetitions > 1) {
            throw new RefusedException(
                    ErrorCode.INVALID_REQUEST, "a reservation comes again in one way only");
        }
        if (repetition != null
                && draft.period().duration().compareTo(repetition.shortestPause()) > 0) {
            throw new RefusedException(
                    ErrorCode.INVALID_TIME,
                    "a reservation that comes again has to be over before: at most %d minutes",
                    repetition.shortestPause().toMinutes());
        }
        return !anew
                ? draft
                : draft.withNodes(draft.extent().isChosen() ? chosen(draft) : named(draft));
    }

    private IndexSet named(Reservation draft) {
        var nodes = namedNodes(draft);
        if (nodes.isEmpty()) {
            throw new RefusedException(ErrorCode.INVALID_NODE, "there is no such node");
        }
        if (taken(draft, true).intersects(nodes)) {
            throw new RefusedException(
                    ErrorCode.RESERVATION_OVERLAP,
                    "%s has some of these nodes at the same time. Choose another time or others, or add OVERLAP",
                    overlapped(draft.withNodes(nodes)));
        }
        if (!draft.has(ReservationFlag.IGNORE_JOBS)) {
            nodes.forEach(index -> {
                var node = tables.nodeAt(index);
                if (node != null && isBusy(node, draft)) {
                    throw new RefusedException(
                            ErrorCode.NODES_BUSY,
                            "a job runs on %s and may not have ended when the reservation begins. Begin later, or add IGNORE_JOBS",
                            node.name());
                }
            });
        }
        return nodes;
    }

    private String overlapped(Reservation draft) {
        return tables.reservations.list().stream()
                .filter(other -> collide(draft, other) && other.nodes().intersects(draft.nodes()))
                .map(other -> "reservation " + other.name())
                .findFirst()
                .orElse("another reservation");
    }

    private IndexSet namedNodes(Reservation draft) {
        var extent = draft.extent();
        var partition = tables.partition(extent.partition()).orElse(null);
        var found = new BitSet();
        if (extent.isAll()) {
            for (var node : tables.knownNodes()) {
                found.set(node.index(), partition == null || isIn(partition, node));
            }
            return IndexSet.of(found);
        }
        for (var name : hosts(extent.nodes())) {
            var node = tables.node(name).orElse(null);
            if (node == null) {
                throw new RefusedException(ErrorCode.INVALID_NODE, "no node is called %s", name);
            }
            if (partition != null && !isIn(partition, node)) {
                throw new RefusedException(
                        ErrorCode.NODES_NOT_IN_PARTITION,
                        "node %s does not belong to partition %s",
                        name,
                        partition.name());
            }
            found.set(node.index());
        }
        return IndexSet.of(found);
    }

    private static boolean isIn(Partition partition, Node node) {
        return partition.nodes().contains(node.index());
    }

    /// As many nodes as were asked for: those it has, then idle ones, then by weight and name.
    private IndexSet chosen(Reservation draft) {
        var count = draft.extent().count();
        var some = choose(draft, usable(draft, draft.nodes()), count);
        if (some.size() < count) {
            throw new RefusedException(
                    ErrorCode.NODES_BUSY,
                    "of %d nodes %d can be had at that time%s",
                    count,
                    some.size(),
                    draft.has(ReservationFlag.IGNORE_JOBS)
                            ? ""
                            : ". Begin later, ask for fewer, or add IGNORE_JOBS");
        }
        return some;
    }

    /// Of what it has, those that are still of use.
    private IndexSet usable(Reservation draft, IndexSet nodes) {
        var taken = taken(draft, false);
        var kept = new BitSet();
        nodes.forEach(index -> {
            var node = tables.nodeAt(index);
            kept.set(index, node != null && isEligible(node, draft, taken));
        });
        return IndexSet.of(kept);
    }

    private IndexSet choose(Reservation draft, IndexSet kept, int count) {
        if (kept.size() >= count) {
            return kept.first(count);
        }
        var taken = taken(draft, false);
        var candidates = new ArrayList<Node>();
        for (var node : tables.knownNodes()) {
            if (!kept.contains(node.index())
                    && isEligible(node, draft, taken)
                    && (draft.has(ReservationFlag.IGNORE_JOBS) || !isBusy(node, draft))) {
                candidates.add(node);
            }
        }
        var ranks = new HashMap<String, Integer>();
        for (var name :
                new Hostlist(candidates.stream().map(Node::name).toList()).sorted().hosts()) {
            ranks.put(name, ranks.size());
        }
        candidates.sort(
                Comparator.comparing((Node node) -> !node.usage().isIdle())
                        .thenComparing(Node::weight)
                        .thenComparing(node -> ranks.getOrDefault(node.name(), 0)));
        var all = kept.toBitSet();
        candidates.stream().limit(count - kept.size()).forEach(node -> all.set(node.index()));
        return IndexSet.of(all);
    }

    private boolean isEligible(Node node, Reservation draft, IndexSet taken) {
        var extent = draft.extent();
        var partition =
                extent.partition().isEmpty()
                        ? tables.defaultPartition().orElse(null)
                        : tables.partition(extent.partition()).orElse(null);
        return node.isSchedulable()
                && !taken.contains(node.index())
                && (partition == null || isIn(partition, node))
                && (extent.features().isEmpty()
                        || node.features()
                                .containsAll(Arrays.asList(extent.features().split("[&,]"))));
    }

    /// What other reservations have at the same time.
    ///
    /// @param named whether the nodes are named: then others may be open to be overlapped
    private IndexSet taken(Reservation draft, boolean named) {
        var taken = IndexSet.EMPTY;
        if (isOverlapping(draft)) {
            return taken;
        }
        for (var other : tables.reservations.list()) {
            if (!(named && isOverlapping(other)) && collide(draft, other)) {
                taken = taken.plus(other.nodes());
            }
        }
        return taken;
    }

    private static boolean isOverlapping(Reservation one) {
        return one.has(ReservationFlag.MAINT) || one.has(ReservationFlag.OVERLAP);
    }

    /// Whether the two ever stand at the same time, as far as anybody looks ahead.
    private static boolean collide(Reservation one, Reservation other) {
        if (one.number() == other.number()) {
            return false;
        }
        var until = (one.end().isAfter(other.end()) ? one : other).end().plus(Reservations.HORIZON);
        var mine = one.periods(until, Reservations.MOST_PERIODS);
        var theirs = other.periods(until, Reservations.MOST_PERIODS);
        var at = 0;
        for (var each : mine) {
            while (at < theirs.size() && !theirs.get(at).end().isAfter(each.start())) {
                at++;
            }
            if (at < theirs.size() && theirs.get(at).overlaps(each)) {
                return true;
            }
        }
        return false;
    }

    /// Whether a job that is not its own may still be there when it begins.
    private boolean isBusy(Node node, Reservation draft) {
        return tables.index.on(node.name()).stream()
                .filter(job -> !Reservations.named(job.spec().reservation()).contains(draft.name()))
                .anyMatch(job -> runsAt(job.phase(), draft.start()));
    }

    private boolean runsAt(JobPhase phase, Instant start) {
        return switch (phase) {
            case JobPhase.Running running -> isLater(running.deadline(), start);
            case JobPhase.Suspended _ -> true;
            case JobPhase.Pending _, JobPhase.Completing _, JobPhase.Ended _ -> false;
        };
    }

    private static boolean isLater(@Nullable Instant deadline, Instant start) {
        return deadline == null || deadline.isAfter(start);
    }

    /// The nodes it should have now that nodes came, went, failed or are in use.
    IndexSet refilled(Reservation reservation) {
        var extent = reservation.extent();
        if (!extent.partition().isEmpty() && tables.partition(extent.partition()).isEmpty()) {
            return reservation.nodes(); // it is not configured any more, so it has no others
        }
        if (extent.isAll()) {
            return reservation.has(ReservationFlag.PART_NODES)
                            || reservation.has(ReservationFlag.ALL_NODES)
                    ? namedNodes(reservation)
                    : reservation.nodes();
        }
        var replaces =
                reservation.has(ReservationFlag.REPLACE)
                        || reservation.has(ReservationFlag.REPLACE_DOWN)
                        || !reservation.begun() && !reservation.has(ReservationFlag.STATIC);
        if (!extent.isChosen() || !replaces) {
            return reservation.nodes();
        }
        var whole = new BitSet();
        reservation
                .nodes()
                .forEach(index -> {
                    var node = tables.nodeAt(index);
                    whole.set(
                            index,
                            node != null && node.isSchedulable() && !isWorn(node, reservation));
                });
        var kept = IndexSet.of(whole);
        var filled = choose(reservation, kept, extent.count());
        // Better a node that is down than none.
        return filled.size() < extent.count()
                ? filled.plus(
                        reservation.nodes().minus(filled).first(extent.count() - filled.size()))
                : filled;
    }

    private static boolean isWorn(Node node, Reservation reservation) {
        return reservation.begun()
                && reservation.has(ReservationFlag.REPLACE)
                && !node.usage().isIdle();
    }
}
