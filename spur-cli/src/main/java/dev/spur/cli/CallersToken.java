package dev.spur.cli;

import dev.spur.api.client.CallerIdentity;
import dev.spur.api.client.ControllerClient;
import dev.spur.model.notation.HostAndPort;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Reaches a cluster with nothing but what the caller brought: a token, over TLS under the CA
/// certificate that the caller trusts.
public final class CallersToken {
    private final ForeignChannels channels = new ForeignChannels();

    /// @param because why the host does not vouch for the caller: begins what a caller without
    ///   token or CA certificate is told
    public ControllerClient connect(Invocation in, List<HostAndPort> controllers, String because) {
        var token =
                token(in)
                        .orElseThrow(() ->
                                new Failure(
                                        because
                                                + ", and you have no token.\n"
                                                + "Make one where the cluster's service runs (spur token create) and put it into SPUR_AUTH_TOKEN, SLURM_JWT or ~/.spur/token (mode 0600)."));
        var authority =
                authority(in)
                        .orElseThrow(() ->
                                new Failure(
                                        because
                                                + ", and nothing says whom to trust instead.\n"
                                                + "Set SPUR_CA_FILE to the cluster's CA certificate, or put it into ~/.spur/ca.pem."));
        return new ControllerClient(
                channels.trusting(in.caller().uid(), authority, controllers),
                controllers,
                new CallerIdentity.Bearer(token),
                in.answers());
    }

    /// The CA certificate by which the caller knows the cluster, if it has one.
    public static Optional<X509Certificate> authority(Invocation in) {
        var path = in.environment("SPUR_CA_FILE");
        var file = path != null ? path : inHome(in, ".spur/ca.pem");
        if (file == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(
                    (X509Certificate)
                            CertificateFactory.getInstance("X.509")
                                    .generateCertificate(
                                            new ByteArrayInputStream(
                                                    in.files().read(file, 1 << 20))));
        } catch (UserFileException e) {
            if (path == null && e.errno() == UserFileException.ENOENT) {
                return Optional.empty();
            }
            throw unreadable(e);
        } catch (IOException | CertificateException e) {
            throw unreadable(e);
        }
    }

    private static Failure unreadable(Exception e) {
        return new Failure(
                "cannot read the cluster's CA certificate: %s.\n".formatted(e.getMessage())
                        + "Set SPUR_CA_FILE to it, or put it into ~/.spur/ca.pem.");
    }

    private static Optional<String> token(Invocation in) {
        for (var name : List.of("SPUR_AUTH_TOKEN", "SLURM_JWT")) {
            var token = in.environment(name);
            if (token != null && !token.isBlank()) {
                return Optional.of(token.strip());
            }
        }
        var file = inHome(in, ".spur/token");
        try {
            if (file != null && isPrivate(in, file)) {
                return Optional.of(
                        new String(in.files().read(file, 1 << 16), in.charset()).strip());
            }
        } catch (UserFileException e) {
            if (e.errno() != UserFileException.ENOENT) {
                throw new Failure("cannot read your token: " + e.getMessage());
            }
        } catch (IOException e) {
            throw new Failure("cannot read your token: " + e.getMessage());
        }
        return Optional.empty();
    }

    private static boolean isPrivate(Invocation in, String file) throws IOException {
        if ((in.files().status(file).mode() & 077) == 0) {
            return true;
        }
        throw new Failure(
                "%s can be read by others. Protect it first: chmod 600 %s".formatted(file, file));
    }

    private static @Nullable String inHome(Invocation in, String name) {
        var home = in.environment("HOME");
        return home == null ? null : home + "/" + name;
    }
}
