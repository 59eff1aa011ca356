package dev.spur.controller.accounting;

import dev.spur.api.v1.AccountsChanged;
import dev.spur.engine.account.Account;
import dev.spur.engine.account.AccountsNews;
import dev.spur.engine.account.Association;
import dev.spur.engine.account.Qos;
import dev.spur.engine.account.User;
import dev.spur.engine.state.Snapshot;
import dev.spur.model.Actor;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/// Accounts, users, associations and QOS as accounting keeps them.
final class AccountRecords {
    /// So that no record comes near to what a receiver takes.
    private static final int AT_ONCE = 500;

    private AccountRecords() {}

    /// What somebody changed, as it is now. The first says so; what does not fit into it follows
    /// without an action.
    static List<AccountsChanged> of(Actor actor, AccountsNews news, Snapshot state) {
        var parts = new Parts(new AccountViews(state.accounts(), state.tres()));
        parts.part
                .setAction(news.action())
                .setActor(actor.userName())
                .setActorUid(actor.uid())
                .setWhere(news.where())
                .setInfo(news.info())
                .addAllDeletedAssociations(news.deletedAssociations());
        parts.add(news.accounts(), news.users(), news.qos(), news.associations());
        return parts.done();
    }

    /// All that there are, in the name of nobody and without an action.
    static List<AccountsChanged> all(Snapshot state) {
        var all = state.accounts();
        var parts = new Parts(new AccountViews(all, state.tres()));
        parts.add(
                all.accounts().values(),
                all.users().values(),
                all.qos().values(),
                all.associations().values());
        return parts.done();
    }

    private static final class Parts {
        private final AccountViews views;
        private final List<AccountsChanged> records = new ArrayList<>();
        private final AccountsChanged.Builder part = AccountsChanged.newBuilder();
        private int things;

        Parts(AccountViews views) {
            this.views = views;
        }

        void add(
                Collection<Account> accounts,
                Collection<User> users,
                Collection<Qos> qos,
                Collection<Association> associations) {
            accounts.forEach(one -> added(part.addAccounts(views.view(one))));
            users.forEach(one -> added(part.addUsers(views.view(one))));
            qos.forEach(one -> added(part.addQos(views.view(one))));
            associations.forEach(one -> added(part.addAssociations(views.view(one))));
        }

        private void added(AccountsChanged.Builder same) {
            if (++things == AT_ONCE) {
                records.add(same.build());
                same.clear();
                things = 0;
            }
        }

        List<AccountsChanged> done() {
            if (things > 0 || records.isEmpty()) {
                records.add(part.build());
            }
            return records;
        }
    }
}
