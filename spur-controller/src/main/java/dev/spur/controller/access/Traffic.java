package dev.spur.controller.access;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What is under way at this controller, and on whose account.
///
///     arriving ──complete──► work (or stream) ──► ended
///        └──too slow, or too many of its account──► dropped
///
/// A request costs nothing that others need until it is complete. Of those that arrive, each account
/// has a number and a size; when one more comes, that account's oldest is dropped: an honest request
/// is complete within milliseconds and thus never the oldest for long. Work that is under way is
/// bounded for each account and in total, and the last quarter is for those who have little.
final class Traffic {
    private static final Logger LOG = LoggerFactory.getLogger(Traffic.class);
    static final Duration ARRIVES_WITHIN = Duration.ofSeconds(10);
    static final Duration IS_READ_WITHIN = Duration.ofSeconds(60);
    private static final long ARRIVING_BYTES = 256L << 20;

    /// What an account may always have while others fill the controller.
    private static final int LITTLE = 32;

    private final int mostWork;
    private final int mostStreams;
    private final InstantSource clock;
    private final Map<String, Account> accounts = new HashMap<>();
    private final SequencedSet<Call> answered = new LinkedHashSet<>();
    private long arrivingBytes;
    private int work;
    private int streams;

    private static final class Account {
        final SequencedSet<Call> arriving = new LinkedHashSet<>();
        long arrivingBytes;
        int work;
        int streams;

        boolean isEmpty() {
            return arriving.isEmpty() && work == 0 && streams == 0;
        }
    }

    private enum Phase {
        ARRIVING,
        WORK,
        STREAM,
        OVER
    }

    /// One request. `drop` is called at most once, and only while it arrives or while its answer is
    /// not read.
    final class Call {
        private final Payer payer;
        private final Instant began;
        private final Dropping drop;
        private long bytes;
        private int units;
        private @Nullable Instant answered;
        private Phase phase = Phase.ARRIVING;

        private Call(Payer payer, Instant began, Dropping drop) {
            this.payer = payer;
            this.began = began;
            this.drop = drop;
        }

        Payer payer() {
            return payer;
        }
    }

    /// Ends a call whose caller is too slow, or one too many.
    @FunctionalInterface
    interface Dropping {
        void because(Cause cause);
    }

    enum Cause {
        SLOW,
        CROWDED,
        UNREAD
    }

    /// @param mostWork units, see [Payer#units]
    Traffic(int mostWork, int mostStreams, InstantSource clock) {
        this.mostWork = mostWork;
        this.mostStreams = mostStreams;
        this.clock = clock;
    }

    Call arrive(Payer payer, Dropping drop) {
        var call = new Call(payer, clock.instant(), drop);
        List<Call> dropped;
        synchronized (this) {
            var account = account(payer);
            account.arriving.add(call);
            dropped =
                    account.arriving.size() > payer.allowance().arriving()
                            ? List.of(account.arriving.getFirst())
                            : List.of();
            dropped.forEach(this::leave);
        }
        dropped.forEach(each -> drop(each, Cause.CROWDED));
        return call;
    }

    /// So many more bytes of it are here.
    void received(Call call, long bytes) {
        var dropped = new ArrayList<Call>();
        synchronized (this) {
            if (call.phase != Phase.ARRIVING) {
                return;
            }
            var account = account(call.payer);
            call.bytes += bytes;
            account.arrivingBytes += bytes;
            arrivingBytes += bytes;
            while (account.arrivingBytes > call.payer.allowance().arrivingBytes()) {
                dropLargest(account, dropped);
            }
            while (arrivingBytes > ARRIVING_BYTES) {
                dropLargest(largest(), dropped);
            }
        }
        dropped.forEach(each -> drop(each, Cause.CROWDED));
    }

    private void dropLargest(Account account, List<Call> dropped) {
        var largest =
                account.arriving.stream()
                        .max(java.util.Comparator.comparingLong(call -> call.bytes))
                        .orElseThrow();
        leave(largest);
        dropped.add(largest);
    }

    private Account largest() {
        return accounts.values().stream()
                .max(java.util.Comparator.comparingLong(account -> account.arrivingBytes))
                .orElseThrow();
    }

    /// What [#begin] found.
    enum Begun {
        YES,
        /// It was dropped before; somebody has ended it.
        DROPPED,
        ACCOUNT_FULL,
        CONTROLLER_FULL
    }

    /// The request is complete.
    ///
    /// @param stays its answer is a stream that may stay open
    synchronized Begun begin(Call call, long size, boolean stays) {
        if (call.phase != Phase.ARRIVING) {
            return Begun.DROPPED;
        }
        leave(call);
        var account = account(call.payer);
        var allowance = call.payer.allowance();
        var units = Payer.units(size);
        var has = stays ? account.streams : account.work;
        if (has + units > (stays ? allowance.streams() : allowance.work())) {
            forgetIfEmpty(call.payer);
            return Begun.ACCOUNT_FULL;
        }
        var most = stays ? mostStreams : mostWork;
        var open = has + units <= LITTLE ? most : most - most / 4;
        if ((stays ? streams : work) + units > open) {
            forgetIfEmpty(call.payer);
            return Begun.CONTROLLER_FULL;
        }
        call.units = units;
        call.phase = stays ? Phase.STREAM : Phase.WORK;
        count(account, call, units);
        return Begun.YES;
    }

    /// The answer of a request is there and stays until it is read. False if its account has no
    /// room for that.
    synchronized boolean answer(Call call, long size) {
        if (call.phase != Phase.WORK) {
            return true;
        }
        var account = account(call.payer);
        var more = Payer.units(size) - 1;
        if (more > 0
                && (account.work + more > call.payer.allowance().work()
                        || work + more > mostWork)) {
            return false;
        }
        count(account, call, more);
        call.units += more;
        call.answered = clock.instant();
        answered.remove(call);
        answered.add(call);
        return true;
    }

    /// Also for what never began; may be said twice.
    synchronized void end(Call call) {
        switch (call.phase) {
            case ARRIVING -> leave(call);
            case WORK, STREAM -> {
                count(account(call.payer), call, -call.units);
                answered.remove(call);
                call.phase = Phase.OVER;
                forgetIfEmpty(call.payer);
            }
            case OVER -> {}
        }
    }

    /// Drops what has been arriving, or waiting to be read, for too long.
    void sweep() {
        var due = clock.instant().minus(ARRIVES_WITHIN);
        List<Call> slow;
        List<Call> unread;
        synchronized (this) {
            slow =
                    accounts.values().stream()
                            .flatMap(account -> account.arriving.stream())
                            .filter(call -> call.began.isBefore(due))
                            .toList();
            slow.forEach(this::leave);
            unread = takeUnread(clock.instant().minus(IS_READ_WITHIN));
        }
        slow.forEach(call -> drop(call, Cause.SLOW));
        unread.forEach(call -> drop(call, Cause.UNREAD));
    }

    /// One that cannot be ended is no reason to spare the others, nor for them to suffer.
    private static void drop(Call call, Cause cause) {
        try {
            call.drop.because(cause);
        } catch (RuntimeException e) {
            LOG.atWarn()
                    .addKeyValue("account", call.payer.name())
                    .addKeyValue("because", cause)
                    .setCause(e)
                    .log("a call could not be ended");
        }
    }

    /// They count until their connection has ended.
    private List<Call> takeUnread(Instant due) {
        var unread = new ArrayList<Call>();
        while (!answered.isEmpty() && isBefore(answered.getFirst().answered, due)) {
            unread.add(answered.removeFirst());
        }
        return unread;
    }

    private static boolean isBefore(@Nullable Instant at, Instant due) {
        return at != null && at.isBefore(due);
    }

    synchronized int accounts() {
        return accounts.size();
    }

    private void count(Account account, Call call, int units) {
        if (call.phase == Phase.STREAM) {
            account.streams += units;
            streams += units;
        } else {
            account.work += units;
            work += units;
        }
    }

    private void leave(Call call) {
        var account = account(call.payer);
        account.arriving.remove(call);
        account.arrivingBytes -= call.bytes;
        arrivingBytes -= call.bytes;
        call.phase = Phase.OVER;
        forgetIfEmpty(call.payer);
    }

    private Account account(Payer payer) {
        return accounts.computeIfAbsent(payer.name(), _ -> new Account());
    }

    private void forgetIfEmpty(Payer payer) {
        Optional.ofNullable(accounts.get(payer.name()))
                .filter(Account::isEmpty)
                .ifPresent(_ -> accounts.remove(payer.name()));
    }
}
