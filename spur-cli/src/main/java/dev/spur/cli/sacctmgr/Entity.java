package dev.spur.cli.sacctmgr;

import dev.spur.api.v1.AccountsEntity;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/// What sacctmgr's verbs work on. Where the beginnings of words are alike, the first is meant.
enum Entity {
    ACCOUNT("accounts"),
    ASSOCIATION("associations"),
    CLUSTER("clusters"),
    CONFIGURATION("configuration"),
    COORDINATOR("coordinators"),
    EVENT("events"),
    FEDERATION("federations"),
    INSTANCE("instances"),
    JOB("jobs"),
    PROBLEM("problems"),
    QOS("qos"),
    RESERVATION("reservations"),
    RESOURCE("resources"),
    RUNAWAY_JOBS("runawayjobs", "runaways", "orphanjobs"),
    STATS("stats"),
    TRANSACTION("transactions", "txn"),
    TRES("tres"),
    USER("users"),
    WCKEY("wckeys");

    private final List<String> words;

    Entity(String... words) {
        this.words = List.of(words);
    }

    static Optional<Entity> find(String text) {
        var lower = text.toLowerCase(Locale.ROOT);
        return Arrays.stream(values())
                .filter(entity -> entity.words.stream().anyMatch(word -> word.startsWith(lower)))
                .filter(_ -> !lower.isEmpty())
                .findFirst();
    }

    /// As the controller calls it, where it keeps such.
    AccountsEntity kept() {
        return switch (this) {
            case ACCOUNT -> AccountsEntity.ACCOUNTS_ACCOUNT;
            case ASSOCIATION -> AccountsEntity.ACCOUNTS_ASSOCIATION;
            case CLUSTER -> AccountsEntity.ACCOUNTS_CLUSTER;
            case COORDINATOR -> AccountsEntity.ACCOUNTS_COORDINATOR;
            case QOS -> AccountsEntity.ACCOUNTS_QOS;
            case USER -> AccountsEntity.ACCOUNTS_USER;
            case WCKEY -> AccountsEntity.ACCOUNTS_WCKEY;
            case CONFIGURATION,
                    EVENT,
                    FEDERATION,
                    INSTANCE,
                    JOB,
                    PROBLEM,
                    RESERVATION,
                    RESOURCE,
                    RUNAWAY_JOBS,
                    STATS,
                    TRANSACTION,
                    TRES ->
                    throw new IllegalStateException(name());
        };
    }
}
