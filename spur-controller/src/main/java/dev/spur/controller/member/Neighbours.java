package dev.spur.controller.member;

import dev.spur.api.client.CallerIdentity;
import dev.spur.api.client.Channels;
import dev.spur.api.client.ControllerClient;
import dev.spur.api.client.ControllerException;
import dev.spur.api.v1.EnterRequest;
import dev.spur.api.v1.PingReply;
import dev.spur.api.v1.PingRequest;
import dev.spur.controller.raft.Leadership;
import dev.spur.controller.raft.Membership;
import dev.spur.controller.raft.RaftConfig;
import dev.spur.model.ErrorCode;
import dev.spur.model.notation.HostAndPort;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What this controller knows of the others by asking them every few seconds: who is there, what
/// their clocks say, and why nothing goes on if nothing does. Also asks to be a member as long as
/// it is not one.
public final class Neighbours {
    private static final Logger LOG = LoggerFactory.getLogger(Neighbours.class);
    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(2);
    private static final Duration REDIRECTED_WITHIN = Duration.ofSeconds(5);
    private static final Duration ENTER_WITHIN = Duration.ofMinutes(5);

    /// An election takes less.
    private static final Duration LEADERLESS = Duration.ofSeconds(4);

    /// Enough controllers answer, so that they will agree in a moment. If they do not, something
    /// keeps them from it.
    private static final Duration DISAGREEING = Duration.ofSeconds(30);

    private static final int IDLE_ROUNDS = 3;
    private static final Duration SAY_AGAIN = Duration.ofMinutes(5);

    private final Membership membership;
    private final Supplier<Leadership> leadership;
    private final List<HostAndPort> joined;
    private final Channels channels;
    private final Clocks clocks;
    private final LongSupplier nanos;
    private final Duration largestSkew;
    private final Consumer<String> stepAside;
    private final Consumer<String> expelled;
    private final ReentrantLock looking = new ReentrantLock();
    private final Map<String, String> silent = new HashMap<>();
    private final Map<String, Integer> roundsSilent = new HashMap<>();
    private volatile String trouble = "";
    private long leaderlessSince;
    private boolean leaderless;
    private boolean hasEntered;
    private int roundsIdle;
    private String said = "";
    private long saidAt;

    /// @param joined the controllers that this one joined, asked until the log tells who they are
    /// @param nanos monotonic, as `System::nanoTime`
    /// @param largestSkew how far its clock may be off for a controller to lead
    /// @param stepAside ends this controller's leadership
    /// @param expelled told when this controller was removed
    public Neighbours(
            Membership membership,
            Supplier<Leadership> leadership,
            List<HostAndPort> joined,
            Channels channels,
            Clocks clocks,
            LongSupplier nanos,
            Duration largestSkew,
            Consumer<String> stepAside,
            Consumer<String> expelled) {
        this.stepAside = stepAside;
        this.membership = membership;
        this.leadership = leadership;
        this.joined = List.copyOf(joined);
        this.channels = channels;
        this.clocks = clocks;
        this.nanos = nanos;
        this.largestSkew = largestSkew;
        this.expelled = expelled;
    }

    /// Why no controller leads, for people; empty while one does, or may do in a moment.
    public String trouble() {
        return trouble;
    }

    /// Why this controller must not lead, if so.
    public Optional<String> objection() {
        var error = clocks.error();
        return error.abs().compareTo(largestSkew) <= 0
                ? Optional.empty()
                : Optional.of(
                        "its clock is %d s %s those of the other controllers (controller.max_clock_skew_secs is %d)"
                                .formatted(
                                        error.abs().toSeconds(),
                                        error.isNegative() ? "behind" : "ahead of",
                                        largestSkew.toSeconds()));
    }

    /// Asks whoever is there, before this controller serves: one that was removed learns it now.
    public void greet() {
        looking.lock();
        try {
            askEverybody();
        } finally {
            looking.unlock();
        }
    }

    /// One round. Called every few seconds; never throws.
    public void look() {
        if (!looking.tryLock()) {
            return; // the round before still waits for an answer
        }
        try {
            if (membership.standing().role() == Membership.Role.STOPPED) {
                expelled.accept(Membership.REMOVED.formatted("the others took it out of the log"));
                return;
            }
            askEverybody();
            enterIfNeeded();
            yieldIfNeeded();
            judge();
        } catch (RuntimeException e) {
            LOG.atDebug().setCause(e).log("the other controllers could not be asked");
        } finally {
            looking.unlock();
        }
    }

    /// Ends a leadership that must not be, and one that is none: elected, but it could not begin.
    private void yieldIfNeeded() {
        if (membership.standing().role() != Membership.Role.LEADER) {
            roundsIdle = 0;
            return;
        }
        var objection = objection();
        if (leadership.get().isLeading()) {
            roundsIdle = 0;
            objection.ifPresent(stepAside);
        } else {
            roundsIdle++;
        }
        if (objection.isPresent() || roundsIdle > IDLE_ROUNDS) {
            roundsIdle = 0;
            membership.handOver();
        }
    }

    private void askEverybody() {
        var others =
                membership.members().stream()
                        .filter(member -> !member.id().equals(membership.self().id()))
                        .toList();
        silent.clear();
        if (others.isEmpty()) {
            return;
        }
        var answers =
                client(Duration.ZERO)
                        .each(
                                others.stream().map(Neighbours::address).toList(),
                                ANSWER_WITHIN,
                                controller -> controller.ping(PingRequest.getDefaultInstance()));
        for (var i = 0; i < answers.size(); i++) {
            heard(others.get(i), answers.get(i).answer(), answers.get(i).failure());
        }
    }

    private void heard(
            RaftConfig.Peer member,
            @Nullable PingReply answer,
            @Nullable ControllerException failure) {
        if (answer != null) {
            isBack(member);
            clocks.heard(
                    member.id(), Instant.EPOCH.plusNanos(answer.getSelf().getNowMicros() * 1_000));
        }
        if (failure != null) {
            isAway(member, String.valueOf(failure.getMessage()));
            expelledIf(failure);
        }
    }

    /// One answer may be late.
    private void isAway(RaftConfig.Peer member, String why) {
        silent.put(member.name(), why);
        if (roundsSilent.merge(member.id(), 1, Integer::sum) == 2) {
            LOG.atWarn()
                    .addKeyValue("name", member.name())
                    .addKeyValue("address", member.clientAddress())
                    .addKeyValue("because", why)
                    .log("a controller does not answer");
        }
    }

    /// The leader keeps trying to reach its followers; all others would come too late for votes.
    private void isBack(RaftConfig.Peer member) {
        var rounds = roundsSilent.remove(member.id());
        if (rounds == null) {
            return;
        }
        if (rounds > 1) {
            LOG.atInfo().addKeyValue("name", member.name()).log("a controller answers again");
        }
        if (!leadership.get().isLeading()) {
            membership.reconnect(member.id());
        }
    }

    private void expelledIf(ControllerException failure) {
        if (failure.code().equals(ErrorCode.ACCESS_DENIED.name())) {
            expelled.accept(Membership.REMOVED.formatted(failure.getMessage()));
        }
    }

    private void enterIfNeeded() {
        var self = membership.self();
        if (leadership.get().isLeading() || (hasEntered && membership.members().contains(self))) {
            return;
        }
        var request =
                EnterRequest.newBuilder()
                        .setId(self.id())
                        .setReplicationAddress(self.address())
                        .setAddress(self.clientAddress())
                        .build();
        try {
            client(REDIRECTED_WITHIN).peers(leader -> leader.enter(request), ENTER_WITHIN);
            hasEntered = true;
        } catch (ControllerException e) {
            expelledIf(e);
            if (membership.members().stream().anyMatch(member -> member.id().equals(self.id()))) {
                return; // a member already: what keeps it from its work is told below
            }
            say(
                    "waits to be added by the controllers at %s: %s"
                            .formatted(everybody(), e.getMessage()));
        }
    }

    private void judge() {
        var standing = membership.standing();
        var now = nanos.getAsLong();
        var isLost = standing.leader() == null && standing.role() != Membership.Role.WAITING;
        if (!isLost) {
            leaderless = false;
            trouble = "";
            return;
        }
        if (!leaderless) {
            leaderless = true;
            leaderlessSince = now;
        }
        trouble = trouble(Duration.ofNanos(now - leaderlessSince));
        if (!trouble.isEmpty()) {
            say(trouble);
        }
    }

    private String trouble(Duration leaderless) {
        var members = membership.members().size();
        var present = members - silent.size();
        var needed = members / 2 + 1;
        if (present < needed) {
            return leaderless.compareTo(LEADERLESS) < 0
                    ? ""
                    : "the controllers have no majority: %d of %d answer, %d are needed%s"
                            .formatted(present, members, needed, absent());
        }
        return leaderless.compareTo(DISAGREEING) < 0
                ? ""
                : "%d of %d controllers answer, but they do not agree on a leader%s. Do they reach each other at their replication addresses? See: spur cluster status"
                        .formatted(present, members, absent());
    }

    private String absent() {
        var absent = new ArrayList<String>();
        silent.forEach((name, why) -> absent.add("; %s does not answer (%s)".formatted(name, why)));
        absent.sort(null);
        return String.join("", absent);
    }

    /// Once, and again only if it is news or was long ago.
    private void say(String text) {
        var now = nanos.getAsLong();
        if (!text.equals(said) || now - saidAt > SAY_AGAIN.toNanos()) {
            said = text;
            saidAt = now;
            LOG.atWarn().addKeyValue("because", text).log("this controller waits");
        }
    }

    private ControllerClient client(Duration patience) {
        return ControllerClient.withPatience(
                channels, everybody(), new CallerIdentity.Host(), patience);
    }

    private List<HostAndPort> everybody() {
        var all = new LinkedHashSet<HostAndPort>();
        membership.members().stream()
                .filter(member -> !member.id().equals(membership.self().id()))
                .map(Neighbours::address)
                .forEach(all::add);
        all.addAll(joined);
        return all.isEmpty()
                ? List.of(HostAndPort.parse(membership.self().clientAddress()))
                : List.copyOf(all);
    }

    static HostAndPort address(RaftConfig.Peer member) {
        return HostAndPort.parse(member.clientAddress(), HostAndPort.CONTROLLER_PORT);
    }
}
