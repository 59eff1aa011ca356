package dev.spur.controller.accounting;

import dev.spur.api.v1.AccountsChanged;
import dev.spur.engine.account.AccountsNews;
import dev.spur.engine.account.Association;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.Actor;
import java.util.ArrayList;
import java.util.List;

/// Accounts, users, associations and QOS as accounting keeps them.
final class AccountRecords {
    /// So that no record comes near to what a receiver takes.
    private static final int AT_ONCE = 500;

    private AccountRecords() {}

    /// What somebody changed, as it is now.
    static AccountsChanged of(Actor actor, AccountsNews news, Snapshot state) {
        var views = new AccountViews(state.accounts(), state.tres());
        var record =
                AccountsChanged.newBuilder()
                        .setAction(news.action())
                        .setActor(actor.userName())
                        .setActorUid(actor.uid())
                        .setWhere(news.where())
                        .setInfo(news.info())
                        .addAllDeletedAssociations(news.deletedAssociations());
        news.associations().forEach(one -> record.addAssociations(views.view(one)));
        news.accounts().forEach(one -> record.addAccounts(views.view(one)));
        news.users().forEach(one -> record.addUsers(views.view(one)));
        news.qos().forEach(one -> record.addQos(views.view(one)));
        return record.build();
    }

    /// All that there are, in the name of nobody and without an action.
    static List<AccountsChanged> all(Snapshot state) {
        var views = new AccountViews(state.accounts(), state.tres());
        var records = new ArrayList<AccountsChanged>();
        var first = AccountsChanged.newBuilder();
        state.accounts().accounts().values().forEach(one -> first.addAccounts(views.view(one)));
        state.accounts().users().values().forEach(one -> first.addUsers(views.view(one)));
        state.accounts().qos().values().forEach(one -> first.addQos(views.view(one)));
        records.add(first.build());
        var some = AccountsChanged.newBuilder();
        for (Association one : state.accounts().associations().values()) {
            some.addAssociations(views.view(one));
            if (some.getAssociationsCount() == AT_ONCE) {
                records.add(some.build());
                some.clear();
            }
        }
        records.add(some.build());
        return records;
    }
}
