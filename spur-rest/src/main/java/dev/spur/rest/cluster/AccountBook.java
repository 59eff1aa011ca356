package dev.spur.rest.cluster;

import dev.spur.api.v1.AssociationView;
import dev.spur.api.v1.ListAccountsReply;
import dev.spur.api.v1.ListAccountsRequest;
import dev.spur.api.v1.WckeyView;
import dev.spur.api.view.AccountTables;
import dev.spur.api.view.Surroundings;
import dev.spur.rest.caller.Caller;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Everything about accounts that a caller may see, at one revision.
public final class AccountBook {
    private final ListAccountsReply all;
    private final Surroundings surroundings;
    private final Map<String, List<AssociationView>> byUser = new HashMap<>();
    private final Map<String, List<AssociationView>> byAccount = new HashMap<>();
    private final Map<String, List<WckeyView>> wckeys = new HashMap<>();

    private AccountBook(ListAccountsReply all) {
        this.all = all;
        this.surroundings =
                Surroundings.of(all.getCluster(), all.getNowMicros(), all.getTresList());
        for (var each : all.getAssociationsList()) {
            byAccount
                    .computeIfAbsent(each.getAccount(), _ -> new java.util.ArrayList<>())
                    .add(each);
            if (!each.getUser().isEmpty()) {
                byUser.computeIfAbsent(each.getUser(), _ -> new java.util.ArrayList<>()).add(each);
            }
        }
        for (var each : all.getWckeysList()) {
            wckeys.computeIfAbsent(each.getUser(), _ -> new java.util.ArrayList<>()).add(each);
        }
    }

    /// @param usage whether associations come with what they used
    public static AccountBook ask(Cluster cluster, Caller.Known caller, boolean usage) {
        var joined = ListAccountsReply.newBuilder();
        var request = ListAccountsRequest.newBuilder().setUsage(usage).build();
        cluster.as(caller)
                .eachOfAccounts(accounts -> accounts.listAccounts(request), joined::mergeFrom);
        return new AccountBook(joined.build());
    }

    public ListAccountsReply all() {
        return all;
    }

    public Surroundings surroundings() {
        return surroundings;
    }

    /// @param withAssociations whether those are listed, too
    public List<AccountTables.Account> accounts(boolean withAssociations) {
        return all.getAccountsList().stream()
                .map(each ->
                        new AccountTables.Account(
                                each,
                                withAssociations
                                        ? byAccount.getOrDefault(each.getName(), List.of())
                                        : List.of()))
                .toList();
    }

    /// @param withAssociations whether those are listed, too
    /// @param withWckeys whether those are listed, too
    public List<AccountTables.User> users(boolean withAssociations, boolean withWckeys) {
        return all.getUsersList().stream()
                .map(each ->
                        new AccountTables.User(
                                each,
                                withAssociations
                                        ? byUser.getOrDefault(each.getName(), List.of())
                                        : List.of(),
                                withWckeys
                                        ? wckeys.getOrDefault(each.getName(), List.of())
                                        : List.of()))
                .toList();
    }

    public boolean hasAccount(String name) {
        return all.getAccountsList().stream().anyMatch(each -> each.getName().equals(name));
    }

    public boolean hasUser(String name) {
        return all.getUsersList().stream().anyMatch(each -> each.getName().equals(name));
    }

    public boolean hasQos(String name) {
        return all.getQosList().stream().anyMatch(each -> each.getName().equals(name));
    }

    public boolean hasAssociation(String account, String user, String partition) {
        return byAccount.getOrDefault(account, List.of()).stream()
                .anyMatch(each ->
                        each.getUser().equals(user) && each.getPartition().equals(partition));
    }
}
