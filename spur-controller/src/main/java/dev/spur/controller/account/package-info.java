/// Accounts, users, associations and QOS for those who ask and change: what sacctmgr types becomes
/// a change of the state here, and the state becomes what it shows.
///
/// Start with [AccountsService][dev.spur.controller.account.AccountsService].
@NullMarked
package dev.spur.controller.account;

import org.jspecify.annotations.NullMarked;
