package dev.spur.controller.reservation;

import dev.spur.engine.reservation.Entrance;
import dev.spur.engine.reservation.ReservationFlag;
import dev.spur.engine.reservation.ReservationRequest;
import dev.spur.engine.reservation.ReservationRequest.Names;
import dev.spur.engine.reservation.ReservationRequest.Way;
import dev.spur.engine.reservation.Reservations;
import dev.spur.model.ErrorCode;
import dev.spur.model.SpurException;
import dev.spur.model.hostlist.Hostlist;
import dev.spur.model.notation.NotationException;
import dev.spur.model.notation.TimeLimit;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The keys of `scontrol create` and `update reservation`, in any case, and what they ask for.
final class ReservationKeys {
    private static final int MOST_NODES = 100_000;

    private final Predicate<String> isUser;
    private final Predicate<String> isAccount;
    private final Function<String, OptionalLong> groupNumber;

    private @Nullable Instant start;
    private @Nullable Instant end;
    private @Nullable Duration duration;
    private @Nullable Names nodes;
    private @Nullable Integer count;
    private @Nullable String features;
    private @Nullable String partition;
    private @Nullable Names users;
    private @Nullable Names accounts;
    private @Nullable List<Entrance.Group> groups;
    private final List<ReservationFlag> set = new ArrayList<>();
    private final List<ReservationFlag> cleared = new ArrayList<>();
    private @Nullable Duration purgeAfter;

    /// @param groupNumber the gid of a group, if there is such a group
    ReservationKeys(
            Predicate<String> isUser,
            Predicate<String> isAccount,
            Function<String, OptionalLong> groupNumber) {
        this.isUser = isUser;
        this.isAccount = isAccount;
        this.groupNumber = groupNumber;
    }

    ReservationRequest parse(String name, String zone, Map<String, String> settings) {
        settings.forEach(this::take);
        return new ReservationRequest(
                name,
                start,
                end,
                duration,
                zone,
                nodes,
                count,
                features,
                partition,
                users,
                accounts,
                groups,
                set,
                cleared,
                purgeAfter);
    }

    /// A key may end in the sign that Slurm puts before `=`: `Users+=alice`.
    private void take(String written, String value) {
        var sign = written.endsWith("+") ? Way.ADD : written.endsWith("-") ? Way.REMOVE : Way.SET;
        var key = sign == Way.SET ? written : written.substring(0, written.length() - 1);
        switch (key.toLowerCase(Locale.ROOT)) {
            case "starttime" -> start = instant(key, value);
            case "endtime" -> end = instant(key, value);
            case "duration" -> duration = duration(value);
            case "nodes", "nodelist" -> nodes = nodes(sign, value);
            case "nodecnt", "nodecount" -> count = count(value);
            case "features" -> features = features(value);
            case "partitionname", "partition" -> partition = value;
            case "users" -> users = people("user", sign, value, isUser, ErrorCode.INVALID_USER);
            case "accounts" ->
                    accounts = people("account", sign, value, isAccount, ErrorCode.INVALID_ACCOUNT);
            case "groups" -> groups = groups(value);
            case "flags" -> flags(sign, value);
            case "corecnt", "corecount" ->
                    throw notYet("CoreCnt: reservations are of whole nodes. Give NodeCnt or Nodes");
            case "licenses" -> throw notYet("Licenses of reservations");
            case "tres", "trespernode" -> throw notYet(key + ": give NodeCnt or Nodes");
            case "burstbuffer", "watts", "maxstartdelay", "skip", "comment" ->
                    throw notYet(key + " of reservations");
            default ->
                    throw new SpurException(
                            ErrorCode.INVALID_REQUEST,
                            "Update of this parameter is not supported: %s=%s"
                                    .formatted(key, value));
        }
    }

    private static SpurException notYet(String what) {
        return new SpurException(ErrorCode.NOT_SUPPORTED, "not supported: " + what);
    }

    private static Instant instant(String key, String value) {
        try {
            return Instant.parse(value);
        } catch (DateTimeException e) {
            throw new SpurException(
                    ErrorCode.INVALID_TIME, "%s is not a time: %s".formatted(key, value), e);
        }
    }

    private static Duration duration(String value) {
        try {
            return switch (TimeLimit.parse(value)) {
                case TimeLimit.Limited limited -> limited.duration();
                case TimeLimit.Unlimited _ -> Reservations.HORIZON;
            };
        } catch (NotationException e) {
            throw new SpurException(ErrorCode.INVALID_TIME, String.valueOf(e.getMessage()), e);
        }
    }

    private static Names nodes(Way way, String value) {
        if (value.equalsIgnoreCase("ALL")) {
            return Names.of("ALL");
        }
        try {
            return new Names(way, Hostlist.parse(value).hosts(), false);
        } catch (NotationException e) {
            throw new SpurException(ErrorCode.INVALID_NODE, String.valueOf(e.getMessage()), e);
        }
    }

    private static int count(String value) {
        try {
            var number = Integer.parseInt(value);
            if (number >= 1 && number <= MOST_NODES) {
                return number;
            }
        } catch (NumberFormatException _) {
            // Said below: a wrong number and no number are the same mistake.
        }
        throw new SpurException(
                ErrorCode.INVALID_NODE_COUNT,
                "NodeCnt must be a number from 1 to %d, was \"%s\"".formatted(MOST_NODES, value));
    }

    private static String features(String value) {
        if (value.chars().anyMatch(c -> "|[]()*!".indexOf(c) >= 0)) {
            throw notYet("alternatives in Features of reservations. Join those needed by &");
        }
        return value;
    }

    /// `alice,bob`, or all but those: `-alice,-bob`.
    private static Names people(
            String what, Way way, String value, Predicate<String> exists, ErrorCode unknown) {
        var names = words(value);
        var denied = !names.isEmpty() && names.stream().allMatch(name -> name.startsWith("-"));
        var bare = names.stream().map(name -> denied ? name.substring(1) : name).toList();
        for (var name : bare) {
            if (name.startsWith("-") || name.startsWith("+")) {
                throw new SpurException(
                        ErrorCode.INVALID_REQUEST,
                        "some are let in and some kept out: %s. Use + or - for all or none"
                                .formatted(value));
            }
            if (!exists.test(name) && way != Way.REMOVE) {
                throw new SpurException(unknown, "there is no %s %s".formatted(what, name));
            }
        }
        return new Names(way, bare, denied);
    }

    private List<Entrance.Group> groups(String value) {
        return words(value).stream()
                .map(name ->
                        new Entrance.Group(
                                name,
                                (int)
                                        groupNumber
                                                .apply(name)
                                                .orElseThrow(() ->
                                                        new SpurException(
                                                                ErrorCode.INVALID_USER,
                                                                "there is no group " + name))))
                .toList();
    }

    private static List<String> words(String value) {
        return Arrays.stream(value.split(","))
                .map(String::strip)
                .filter(w -> !w.isEmpty())
                .toList();
    }

    /// `MAINT,DAILY`; of one that there is already also `DAILY-`, `-DAILY` and `Flags-=DAILY`.
    private void flags(Way way, String value) {
        for (var word : words(value)) {
            var isCleared = way == Way.REMOVE || word.startsWith("-") || word.endsWith("-");
            var bare = word.replaceAll("^[+-]|[+-]$", "");
            var equals = bare.indexOf('=');
            var name = equals < 0 ? bare : bare.substring(0, equals);
            var flag = ReservationFlag.find(name).orElseThrow(() -> noFlag(word));
            if (flag == ReservationFlag.SPEC_NODES || flag == ReservationFlag.ALL_NODES) {
                continue; // follows from the nodes
            }
            if (equals >= 0) {
                if (flag != ReservationFlag.PURGE_COMP) {
                    throw noFlag(word);
                }
                purgeAfter = duration(bare.substring(equals + 1));
            }
            (isCleared ? cleared : set).add(flag);
        }
    }

    private static SpurException noFlag(String word) {
        var upper = word.toUpperCase(Locale.ROOT);
        return List.of("TIME_FLOAT", "LICENSE_ONLY", "FIRST_CORES", "USER_DELETE", "FORCE_START")
                        .contains(upper)
                ? notYet("the flag " + upper)
                : new SpurException(ErrorCode.INVALID_REQUEST, "no flag of reservations: " + word);
    }
}
