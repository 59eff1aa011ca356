/// Who may use what: accounts in a tree, users, the associations of both with their shares and
/// limits, and qualities of service. Changing them is a pure function that checks names, order and
/// the rights of whoever asks.
///
/// Start with [Accounts][dev.spur.engine.account.Accounts], then
/// [AccountsEditor][dev.spur.engine.account.AccountsEditor].
@NullMarked
package dev.spur.engine.account;

import org.jspecify.annotations.NullMarked;
