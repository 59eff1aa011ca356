package dev.spur.runtime.identity;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/// What a host is in the cluster, as its certificate says.
public enum HostRole {
    /// Runs spurctld; may vouch for everybody.
    CONTROLLER,
    /// Runs jobs; may vouch for ordinary users (commands inside of jobs).
    COMPUTE,
    /// People work here; may vouch for ordinary users.
    LOGIN,
    /// Administrators work here; may vouch for everybody.
    ADMIN,
    /// Runs spurdbd; vouches for nobody.
    ACCOUNTING,
    /// Runs spur-cloud-api: vouches for nobody, but is issued short tokens for its own users.
    CLOUD,
    /// The same, and for administrators who have just signed in.
    CLOUD_ADMIN;

    /// As in `spur token join --role compute`.
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    public static Optional<HostRole> of(String word) {
        return Arrays.stream(values()).filter(role -> role.word().equals(word)).findFirst();
    }

    /// Whether users are believed from such a host at all.
    public boolean vouches() {
        return switch (this) {
            case CONTROLLER, COMPUTE, LOGIN, ADMIN -> true;
            case ACCOUNTING, CLOUD, CLOUD_ADMIN -> false;
        };
    }

    /// Whether root and administrators of the cluster are believed from such a host.
    public boolean vouchesForAdministrators() {
        return switch (this) {
            case CONTROLLER, ADMIN -> true;
            case COMPUTE, LOGIN, ACCOUNTING, CLOUD, CLOUD_ADMIN -> false;
        };
    }
}
