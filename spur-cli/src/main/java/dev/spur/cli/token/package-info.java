/// `spur token`: credentials for people and programs that reach the cluster from elsewhere, and the
/// one-time tokens by which hosts join it. Start at [dev.spur.cli.token.Token].
@org.jspecify.annotations.NullMarked
package dev.spur.cli.token;
