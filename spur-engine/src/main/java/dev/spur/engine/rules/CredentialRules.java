package dev.spur.engine.rules;

import dev.spur.engine.credential.Credentials;
import dev.spur.engine.credential.HostCertificate;
import dev.spur.engine.credential.LinkedUser;
import dev.spur.engine.credential.PendingLink;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Result;
import dev.spur.model.CloudRules;
import dev.spur.model.ErrorCode;
import dev.spur.model.Role;
import dev.spur.model.notation.Text;
import java.time.Duration;

/// Tokens and certificates: handed out, used, worth nothing any more.
final class CredentialRules {
    /// No certificate outlives the authority that issued it.
    private static final Duration LONGEST_VALIDITY = Duration.ofDays(3650);

    private static final Duration LINKS_WAIT_FOR = Duration.ofMinutes(10);

    private final Tables tables;

    CredentialRules(Tables tables) {
        this.tables = tables;
    }

    Result revoke(Command.RevokeCertificate command) {
        return changed(tables.credentials.withRevokedCertificate(command.serial()));
    }

    Result certify(Command.CertifyHost command) {
        return changed(tables.credentials.with(command.certificate()));
    }

    Result create(Command.CreateToken command) {
        return tables.credentials.tokens().containsKey(command.token().id())
                ? madeBefore(command)
                : changed(tables.credentials.with(command.token()));
    }

    Result create(Command.CreateJoinToken command) {
        return tables.credentials.joinTokens().containsKey(command.token().secretHash())
                ? madeBefore(command)
                : changed(tables.credentials.with(command.token()));
    }

    /// The request is forgotten, but not the token that it made: it may have been used or revoked,
    /// and stays so.
    private static Result madeBefore(Command.Request command) {
        return new Result.Refused(
                ErrorCode.INVALID_REQUEST,
                Text.of(
                        "the request id %s made a token before. Every request needs an id of its own",
                        command.requestId()));
    }

    Result revoke(Command.RevokeToken command) {
        var token = tables.credentials.tokens().get(command.id());
        if (token == null) {
            return new Result.Refused(
                    ErrorCode.UNKNOWN_TOKEN, "no token has the id " + command.id());
        }
        if (command.actor().uid() != token.uid() && !command.actor().role().atLeast(Role.ADMIN)) {
            return Result.Refused.of(ErrorCode.ACCESS_DENIED);
        }
        return changed(tables.credentials.with(token.asRevoked()));
    }

    /// A node that has no certificate of ours on record has one that was made on a controller's own
    /// machine.
    Result revoke(Command.RevokeHost command) {
        var host = tables.credentials.hosts().get(command.host());
        if (host == null && tables.node(command.host()).isEmpty()) {
            return new Result.Refused(
                    ErrorCode.INVALID_REQUEST,
                    Text.of(
                            "no host %s has a certificate of this cluster that is still valid",
                            command.host()));
        }
        var revoked =
                host == null
                        ? new HostCertificate(
                                command.host(),
                                "compute",
                                tables.now,
                                tables.now.plus(LONGEST_VALIDITY),
                                tables.now)
                        : host.asRevoked(tables.now);
        return changed(tables.credentials.withRevokedHost(revoked));
    }

    Result use(Command.UseJoinToken command) {
        var token = tables.credentials.joinTokens().get(command.secretHash());
        if (token == null || token.expiresAt().isBefore(tables.now)) {
            return new Result.Refused(
                    ErrorCode.UNKNOWN_TOKEN,
                    "the join token is not known or has expired. Make a new one");
        }
        if (token.isUsed() && !token.isUsedWith(command.host(), command.key())) {
            return new Result.Refused(
                    ErrorCode.UNKNOWN_TOKEN, "the join token was used already. Make a new one");
        }
        if (!token.host().isEmpty() && !token.host().equals(command.host())) {
            return new Result.Refused(
                    ErrorCode.ACCESS_DENIED, "the join token is for host " + token.host());
        }
        return changed(tables.credentials.with(token.asUsedBy(command.host(), command.key())));
    }

    Result link(Command.LinkCloudUser command) {
        var actor = command.actor();
        if (Integer.toUnsignedLong(actor.uid()) < CloudRules.LOWEST_UID) {
            return new Result.Refused(
                    ErrorCode.INVALID_USER,
                    Text.of(
                            "uid %d cannot be linked: the cloud never acts for uids below %d",
                            Integer.toUnsignedLong(actor.uid()), CloudRules.LOWEST_UID));
        }
        var known = tables.credentials.pendingLinks().get(command.codeHash());
        if (known != null && (known.uid() != actor.uid() || known.isTaken())) {
            return new Result.Refused(
                    ErrorCode.INVALID_REQUEST,
                    "this code was used already. Let the cloud show you a new one");
        }
        return changed(
                tables.credentials.with(
                        new PendingLink(
                                command.codeHash(),
                                actor.uid(),
                                actor.userName(),
                                tables.now.plus(LINKS_WAIT_FOR),
                                "",
                                "")));
    }

    /// The same words for every reason: whoever guesses learns nothing.
    Result claim(Command.ClaimCloudLink command) {
        var link = tables.credentials.pendingLinks().get(command.codeHash());
        if (link == null
                || link.expiresAt().isBefore(tables.now)
                || (link.isTaken() && !link.isTakenWith(command.host(), command.request()))) {
            return new Result.Refused(
                    ErrorCode.INVALID_REQUEST,
                    Text.of(
                            "nobody has typed this code in the last %d minutes, or it was used already",
                            LINKS_WAIT_FOR.toMinutes()));
        }
        if (!link.isTaken()) {
            tables.put(
                    tables.credentials
                            .with(link.asTakenBy(command.host(), command.request()))
                            .with(
                                    new LinkedUser(
                                            link.uid(),
                                            link.userName(),
                                            tables.now,
                                            command.host())));
        }
        return new Result.CloudUserLinked(link.uid(), link.userName());
    }

    Result unlink(Command.UnlinkCloudUser command) {
        if (command.actor().uid() != command.uid() && !command.actor().role().atLeast(Role.ADMIN)) {
            return Result.Refused.of(ErrorCode.ACCESS_DENIED);
        }
        return changed(tables.credentials.withoutLink(command.uid()));
    }

    private Result changed(Credentials credentials) {
        tables.put(credentials);
        return Result.DONE;
    }
}
