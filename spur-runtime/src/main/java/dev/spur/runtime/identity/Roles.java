package dev.spur.runtime.identity;

import dev.spur.model.Role;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/// Who has which role, and which host is believed about whom.
///
/// Root, the user that the cluster runs as, administrators and operators have their powers only on
/// the word of a controller or admin host. A login or compute host that fell into wrong hands can
/// thus act for ordinary users, and administrators who work there are ordinary users there.
public final class Roles {
    private final Set<String> admins;
    private final Set<String> operators;
    private final long clusterUid;

    /// @param admins user names, from the configuration or the replicated state
    /// @param clusterUid the user as whom the daemons run
    public Roles(List<String> admins, List<String> operators, long clusterUid) {
        this.admins = Set.copyOf(admins);
        this.operators = Set.copyOf(operators);
        this.clusterUid = clusterUid;
    }

    public sealed interface Verdict {}

    public record Accepted(Role role) implements Verdict {}

    public record Refused(String because) implements Verdict {}

    /// For a user whose uid a host states on its own channel.
    public Verdict vouched(PeerHost host, long uid, String user) {
        if (!servesEverybody() && uid != clusterUid) {
            return servesOnlyItself();
        }
        if (!host.role().vouches()) {
            return new Refused(
                    "%s is a host of the role %s, which speaks for nobody"
                            .formatted(host.host(), host.role().word()));
        }
        if (host.role().vouchesForAdministrators()) {
            return new Accepted(full(OptionalLong.of(uid), user));
        }
        if (uid == 0) {
            return new Refused(
                    "root of %s is not believed: it is a %s host. Use a controller or admin host, or a token"
                            .formatted(host.host(), host.role().word()));
        }
        return new Accepted(Role.USER);
    }

    /// For the owner of a token that this cluster verified.
    public Verdict token(Tokens.Verified token) {
        if (!servesEverybody() && token.uid().orElse(-1) != clusterUid) {
            return servesOnlyItself();
        }
        var cloud = token.cloud();
        return new Accepted(
                cloud == null || cloud.asAdministrator()
                        ? full(token.uid(), token.user())
                        : Role.USER);
    }

    /// Whether the powers of somebody go with his name.
    public boolean isNamed(String user) {
        return admins.contains(user) || operators.contains(user);
    }

    /// A cluster that runs without root cannot start processes of others.
    public boolean servesEverybody() {
        return clusterUid == 0;
    }

    private Role full(OptionalLong uid, String user) {
        if (uid.isPresent() && (uid.getAsLong() == 0 || uid.getAsLong() == clusterUid)) {
            return Role.ADMIN;
        }
        if (admins.contains(user)) {
            return Role.ADMIN;
        }
        return operators.contains(user) ? Role.OPERATOR : Role.USER;
    }

    private Verdict servesOnlyItself() {
        return new Refused(
                "this cluster runs without root, so it serves only the user who started it (uid %d). "
                                .formatted(clusterUid)
                        + "To serve everybody, start it as root");
    }
}
