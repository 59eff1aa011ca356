/// Accounts, users, associations and QOS as the controller lists them: what sacctmgr, sshare and
/// scontrol show.
@NullMarked
package dev.spur.cli.account;

import org.jspecify.annotations.NullMarked;
