package dev.spur.runtime.identity;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/// Which identity a daemon starts with. A token on the command line stands there at every restart,
/// so the one that was used is remembered beside the identity (as a hash); another one means that
/// this host is to join anew, for instance because its certificates were revoked.
public final class Joined {
    private static final String MARK = "joined";

    private Joined() {}

    /// The identity in `directory`, or a new one against `token`.
    ///
    /// @param join asks the cluster and stores what it gives
    /// @param tell what was done with a token although there was an identity
    public static HostIdentity identity(
            Path directory,
            Optional<JoinToken> token,
            Function<JoinToken, HostIdentity> join,
            Instant now,
            Consumer<String> tell) {
        if (token.isEmpty() || HostIdentity.exists(directory) && isUsed(directory, token.get())) {
            return HostIdentity.load(directory);
        }
        if (!HostIdentity.exists(directory)) {
            return joined(directory, token.get(), join);
        }
        try {
            var identity = joined(directory, token.get(), join);
            tell.accept("joined anew with the token; the former certificate is replaced");
            return identity;
        } catch (RuntimeException e) {
            var former = HostIdentity.load(directory);
            if (former.certificate().getNotAfter().toInstant().isBefore(now)) {
                throw e;
            }
            tell.accept(
                    "the token was not taken (%s); this host goes on with the certificate that it has"
                            .formatted(e.getMessage()));
            return former;
        }
    }

    private static HostIdentity joined(
            Path directory, JoinToken token, Function<JoinToken, HostIdentity> join) {
        var identity = join.apply(token);
        SecretFiles.write(
                directory.resolve(MARK), token.secretHash().getBytes(StandardCharsets.US_ASCII));
        return identity;
    }

    private static boolean isUsed(Path directory, JoinToken token) {
        var mark = directory.resolve(MARK);
        return Files.exists(mark)
                && token.secretHash()
                        .equals(new String(SecretFiles.read(mark), StandardCharsets.US_ASCII));
    }
}
