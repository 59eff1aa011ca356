package dev.spur.runtime.identity;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPublicKey;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Date;
import java.util.List;
import java.util.stream.Stream;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x500.X500NameBuilder;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.CertIOException;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.operator.jcajce.JcaContentVerifierProviderBuilder;
import org.bouncycastle.pkcs.PKCSException;
import org.bouncycastle.pkcs.jcajce.JcaPKCS10CertificationRequest;

/// The cluster's certificate authority: made on the controller's first start, kept in its state
/// directory.
///
/// A host certificate says which host it is and in which role; both come from what the
/// administrator granted, never from what the host asked for. A serial number begins with the time
/// of issue ([PeerHost#issuedAt]), so that all certificates a host was given until a moment can be
/// revoked, whichever controller issued them. What is revoked is replicated state: the controller
/// checks it, not this class.
public final class ClusterCa {
    public static final Duration HOST_VALIDITY = Duration.ofDays(90);

    /// The name in every controller's certificate, beside its host name: a client asks for the role
    /// that the CA vouches for, whatever DNS says.
    public static final String CONTROLLER_NAME = "controller.spur.internal";

    /// The same for who keeps the accounting.
    public static final String ACCOUNTING_NAME = "accounting.spur.internal";

    private static final Duration OWN_VALIDITY = Duration.ofDays(3650);

    /// Certificates are valid a little before now, for hosts whose clock is behind.
    private static final Duration CLOCK_SKEW = Duration.ofMinutes(5);

    private static final SecureRandom RANDOM = new SecureRandom();

    static final String KEY = "key.pem";
    static final String CERTIFICATE = "ca.pem";

    private final PrivateKey key;
    private final X509Certificate certificate;
    private final String cluster;
    private final InstantSource clock;

    private ClusterCa(
            PrivateKey key, X509Certificate certificate, String cluster, InstantSource clock) {
        this.key = key;
        this.certificate = certificate;
        this.cluster = cluster;
        this.clock = clock;
    }

    /// Opens the CA under `stateDirectory/ca`, or makes it when there is none.
    public static ClusterCa openOrCreate(Path stateDirectory, String cluster, InstantSource clock) {
        var directory = directory(stateDirectory);
        var keyFile = directory.resolve(KEY);
        var certificateFile = directory.resolve(CERTIFICATE);
        // The certificate is written last: where it is, the key is whole.
        if (!Files.exists(certificateFile)) {
            SecretFiles.directory(stateDirectory);
            SecretFiles.directory(directory);
            var pair = HostKeys.generate();
            SecretFiles.write(keyFile, Pem.of(pair.getPrivate()));
            SecretFiles.write(certificateFile, Pem.of(selfSigned(pair, cluster, clock.instant())));
        }
        var key = Pem.readPrivateKey(SecretFiles.read(keyFile));
        var certificate = Pem.readCertificate(SecretFiles.read(certificateFile));
        return new ClusterCa(key, certificate, cluster, clock);
    }

    public static boolean exists(Path stateDirectory) {
        return Files.exists(directory(stateDirectory).resolve(CERTIFICATE));
    }

    static Path directory(Path stateDirectory) {
        return stateDirectory.resolve("ca");
    }

    public X509Certificate certificate() {
        return certificate;
    }

    /// The certificate as it travels in a join reply.
    public byte[] certificateBytes() {
        return Pem.der(certificate);
    }

    /// SHA-256 of the CA's certificate in hexadecimal digits, as a join token carries it.
    public String fingerprint() {
        return Pem.fingerprint(certificate);
    }

    /// Certifies the key of a certificate request for a host and role that an administrator
    /// granted. Names in the request itself are ignored.
    public X509Certificate issue(String host, HostRole role, byte[] certificateRequest) {
        return issue(host, role, certificateRequest, clock.instant());
    }

    /// @param at the cluster's time: later than that of every revocation before
    public X509Certificate issue(
            String host, HostRole role, byte[] certificateRequest, Instant at) {
        return sign(host, role, requestedKey(certificateRequest), at);
    }

    /// A host's identity made right here: for the controller itself and for the local cluster.
    public HostIdentity createIdentity(Path directory, String host, HostRole role) {
        var pair = HostKeys.generate();
        return HostIdentity.store(
                directory,
                pair.getPrivate(),
                sign(host, role, pair.getPublic(), clock.instant()),
                certificate);
    }

    private X509Certificate sign(String host, HostRole role, PublicKey hostKey, Instant now) {
        var peer = new PeerHost(host, role, PeerHost.serial(now, RANDOM));
        var subject =
                new X500NameBuilder(BCStyle.INSTANCE)
                        .addRDN(BCStyle.O, cluster)
                        .addRDN(BCStyle.OU, role.word())
                        .addRDN(BCStyle.CN, shortened(host))
                        .build();
        try {
            var builder =
                    new JcaX509v3CertificateBuilder(
                            X500Name.getInstance(
                                    certificate.getSubjectX500Principal().getEncoded()),
                            peer.serial(),
                            Date.from(now.minus(CLOCK_SKEW)),
                            Date.from(now.plus(HOST_VALIDITY)),
                            subject,
                            hostKey);
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(false));
            builder.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature));
            builder.addExtension(
                    Extension.extendedKeyUsage,
                    false,
                    new ExtendedKeyUsage(
                            new KeyPurposeId[] {
                                KeyPurposeId.id_kp_serverAuth, KeyPurposeId.id_kp_clientAuth
                            }));
            builder.addExtension(Extension.subjectAlternativeName, false, names(peer));
            return signed(builder, key);
        } catch (CertIOException e) {
            throw new IdentityException("cannot make a certificate for " + host, e);
        }
    }

    private static GeneralNames names(PeerHost peer) {
        var nameOfRole =
                switch (peer.role()) {
                    // A small site keeps its accounting on the controller's host.
                    case CONTROLLER -> List.of(CONTROLLER_NAME, ACCOUNTING_NAME);
                    case ACCOUNTING -> List.of(ACCOUNTING_NAME);
                    case COMPUTE -> List.of(nodeName(peer.host()));
                    case LOGIN, ADMIN, CLOUD, CLOUD_ADMIN -> List.<String>of();
                };
        var dns =
                Stream.concat(Stream.of(peer.host()), nameOfRole.stream())
                        .map(name -> new GeneralName(GeneralName.dNSName, name));
        var uris =
                Stream.of(PeerHost.ROLE + peer.role().word(), PeerHost.HOST + peer.host())
                        .map(uri -> new GeneralName(GeneralName.uniformResourceIdentifier, uri));
        return new GeneralNames(Stream.concat(dns, uris).toArray(GeneralName[]::new));
    }

    /// The name in the certificate of the agent that runs `node`.
    public static String nodeName(String node) {
        return node + ".node.spur.internal";
    }

    private static PublicKey requestedKey(byte[] certificateRequest) {
        try {
            var request = new JcaPKCS10CertificationRequest(certificateRequest);
            var requested = request.getPublicKey();
            boolean proven =
                    request.isSignatureValid(
                            new JcaContentVerifierProviderBuilder().build(requested));
            if (!proven) {
                throw new IdentityException("the certificate request is not signed by its own key");
            }
            if (!(requested instanceof ECPublicKey ec)
                    || ec.getParams().getCurve().getField().getFieldSize() != 256) {
                throw new IdentityException(
                        "the certificate request must be for a key on the curve P-256");
            }
            return requested;
        } catch (IOException
                | GeneralSecurityException
                | OperatorCreationException
                | PKCSException e) {
            throw new IdentityException("the certificate request cannot be read", e);
        }
    }

    private static X509Certificate selfSigned(KeyPair pair, String cluster, Instant now) {
        var name =
                new X500NameBuilder(BCStyle.INSTANCE)
                        .addRDN(BCStyle.O, cluster)
                        .addRDN(BCStyle.CN, "Spur cluster CA")
                        .build();
        try {
            var builder =
                    new JcaX509v3CertificateBuilder(
                            name,
                            PeerHost.serial(now, RANDOM),
                            Date.from(now.minus(CLOCK_SKEW)),
                            Date.from(now.plus(OWN_VALIDITY)),
                            name,
                            pair.getPublic());
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(0));
            builder.addExtension(
                    Extension.keyUsage,
                    true,
                    new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign));
            return signed(builder, pair.getPrivate());
        } catch (CertIOException e) {
            throw new IdentityException("cannot make the cluster's CA", e);
        }
    }

    private static X509Certificate signed(X509v3CertificateBuilder builder, PrivateKey key) {
        try {
            var signer = new JcaContentSignerBuilder("SHA256withECDSA").build(key);
            return Pem.certificate(builder.build(signer).getEncoded());
        } catch (OperatorCreationException | IOException e) {
            throw new IdentityException("cannot sign a certificate", e);
        }
    }

    /// A common name has at most 64 characters; the whole host name is in the alternative names.
    private static String shortened(String host) {
        return host.length() <= 64 ? host : host.substring(0, 64);
    }
}
