package dev.spur.controller.account;

import dev.spur.api.map.InstantMapper;
import dev.spur.api.v1.ListAccountsReply;
import dev.spur.api.v1.ListAccountsRequest;
import dev.spur.controller.access.Caller;
import dev.spur.controller.accounting.AccountViews;
import dev.spur.controller.accounting.TresNames;
import dev.spur.controller.accounting.UsageViews;
import dev.spur.controller.cluster.ClusterInformation;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.account.Accounts;
import dev.spur.engine.account.Association;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.Role;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// `sacctmgr show` and `sshare`. Operators see everybody; coordinators what is below their
/// accounts; others themselves and what is above them.
final class AccountListing {
    /// So that no message comes near to what a receiver takes.
    private static final int A_MESSAGE = 500;

    private static final int LARGE = 10_000;
    private static final Duration A_MOMENT = Duration.ofSeconds(1);

    private volatile @Nullable Recent recent;
    private final ReplicatedState state;
    private final InstantSource clock;

    AccountListing(ReplicatedState state, InstantSource clock) {
        this.state = state;
        this.clock = clock;
    }

    void list(ListAccountsRequest request, Caller.Person caller, Consumer<ListAccountsReply> send) {
        var snapshot = state.snapshot();
        var accounts = snapshot.accounts();
        var views =
                request.getUsage()
                        ? AccountViews.withUsage(usageOf(snapshot))
                        : new AccountViews(accounts, snapshot.tres());
        var seen = seenBy(caller, accounts);
        send.accept(first(snapshot));
        var names = namesOf(seen);
        var users = new HashSet<String>();
        seen.forEach(one -> users.add(one.user()));
        inMessages(
                accounts.accounts().values().stream()
                        .filter(account -> names.contains(account.name()))
                        .map(views::view)
                        .toList(),
                ListAccountsReply.Builder::addAllAccounts,
                send);
        inMessages(
                accounts.users().values().stream()
                        .filter(user -> users.contains(user.name()))
                        .map(views::view)
                        .toList(),
                ListAccountsReply.Builder::addAllUsers,
                send);
        inMessages(
                seen.stream().map(views::view).toList(),
                ListAccountsReply.Builder::addAllAssociations,
                send);
        inMessages(
                accounts.qos().values().stream().map(views::view).toList(),
                ListAccountsReply.Builder::addAllQos,
                send);
        inMessages(
                accounts.wckeys().values().stream()
                        .filter(key -> users.contains(key.user()))
                        .map(views::view)
                        .toList(),
                ListAccountsReply.Builder::addAllWckeys,
                send);
    }

    /// Every job is counted for it, so those who ask in the same moment share one.
    private UsageViews usageOf(Snapshot snapshot) {
        var now = clock.instant();
        var known = recent;
        if (known != null && known.isGood(snapshot, now)) {
            return known.views;
        }
        var views = new UsageViews(snapshot, now);
        recent = new Recent(views, snapshot, now);
        return views;
    }

    private record Recent(UsageViews views, Snapshot of, Instant at) {
        boolean isGood(Snapshot snapshot, Instant now) {
            var isLarge = snapshot.jobs().size() > LARGE;
            return at.plus(isLarge ? A_MOMENT : Duration.ZERO).isAfter(now)
                    || of.revision() == snapshot.revision() && at.plus(A_MOMENT).isAfter(now);
        }
    }

    private ListAccountsReply first(Snapshot snapshot) {
        return ListAccountsReply.newBuilder()
                .setCluster(snapshot.config().clusterName())
                .addAllTres(TresNames.all(snapshot.tres()))
                .setNowMicros(InstantMapper.toMicros(clock.instant()))
                .setRevision(snapshot.accounts().revision())
                .addAllEnforced(ClusterInformation.enforced(snapshot.config().rules().accounting()))
                .putAllWeights(PriorityListing.weights(snapshot.config().rules().priority()))
                .build();
    }

    private static <V> void inMessages(
            List<V> all,
            BiConsumer<ListAccountsReply.Builder, List<V>> add,
            Consumer<ListAccountsReply> send) {
        for (var from = 0; from < all.size(); from += A_MESSAGE) {
            var reply = ListAccountsReply.newBuilder();
            add.accept(reply, all.subList(from, Math.min(from + A_MESSAGE, all.size())));
            send.accept(reply.build());
        }
    }

    private static Set<String> namesOf(List<Association> some) {
        var names = new HashSet<String>();
        some.forEach(one -> names.add(one.account()));
        return names;
    }

    /// Parents before children.
    private static List<Association> seenBy(Caller.Person caller, Accounts accounts) {
        var all = accounts.inOrder();
        if (caller.isAtLeast(Role.OPERATOR)) {
            return all;
        }
        var name = caller.actor().userName();
        var coordinated = new HashSet<>(accounts.coordinatedBy(name));
        var shown = new HashSet<Integer>();
        for (var one : all) {
            if (one.user().equals(name) || coordinated.contains(one.account())) {
                accounts.chain(one.id()).forEach(above -> shown.add(above.id()));
            }
        }
        return all.stream().filter(one -> shown.contains(one.id())).toList();
    }
}
