package dev.spur.cli.cloud;

import dev.spur.cli.Invocation;
import java.util.Optional;

/// Where somebody's token of the cloud is kept.
public interface Keyring {
    /// @param url where the cloud is
    /// @param token an API token of it
    /// @param user whose, for people
    record Key(String url, String token, String user) {
        @Override
        public String toString() {
            return "Key[%s, %s]".formatted(url, user); // never the token
        }
    }

    Optional<Key> load(Invocation in);

    /// Whoever else is on this host cannot read it.
    void store(Invocation in, Key key);

    void forget(Invocation in);
}
