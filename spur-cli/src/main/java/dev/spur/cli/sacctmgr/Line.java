package dev.spur.cli.sacctmgr;

import dev.spur.api.v1.AccountView;
import dev.spur.api.v1.AssociationLimits;
import dev.spur.api.v1.AssociationView;
import dev.spur.api.v1.UserView;
import dev.spur.cli.account.AccountBook;

/// A line of a listing of accounts, users or associations; what it is not about is empty.
///
/// @param limits as they shall be shown: the association's own, or those in force
/// @param indent in front of the account's name
record Line(
        AccountBook book,
        AccountView account,
        UserView user,
        AssociationView association,
        AssociationLimits limits,
        boolean tellsParent,
        int indent) {
    static Line of(AccountBook book, AccountView account) {
        return new Line(
                book,
                account,
                UserView.getDefaultInstance(),
                AssociationView.getDefaultInstance(),
                AssociationLimits.getDefaultInstance(),
                true,
                0);
    }

    static Line of(AccountBook book, UserView user) {
        return new Line(
                book,
                AccountView.getDefaultInstance(),
                user,
                AssociationView.getDefaultInstance(),
                AssociationLimits.getDefaultInstance(),
                true,
                0);
    }

    Line with(AssociationView one, AssociationLimits shown, boolean parents, int depth) {
        return new Line(book, account, user, one, shown, parents, depth);
    }

    /// Whether it is about an association, also.
    boolean hasAssociation() {
        return association.getId() != 0;
    }

    String accountName() {
        return hasAssociation() ? association.getAccount() : account.getName();
    }

    String userName() {
        return hasAssociation() && user.getName().isEmpty()
                ? association.getUser()
                : user.getName();
    }
}
