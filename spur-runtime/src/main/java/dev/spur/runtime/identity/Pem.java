package dev.spur.runtime.identity;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.HexFormat;
import java.util.regex.Pattern;

/// Keys and certificates as text, and back.
final class Pem {
    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z ]+)-----\\s*([A-Za-z0-9+/=\\s]+?)-----END \\1-----");

    private Pem() {}

    static byte[] of(PrivateKey key) {
        return encode("PRIVATE KEY", key.getEncoded());
    }

    static byte[] of(X509Certificate certificate) {
        return encode("CERTIFICATE", der(certificate));
    }

    static byte[] der(X509Certificate certificate) {
        try {
            return certificate.getEncoded();
        } catch (CertificateException e) {
            throw new IdentityException("the certificate cannot be encoded", e);
        }
    }

    static X509Certificate certificate(byte[] der) {
        try {
            return (X509Certificate)
                    CertificateFactory.getInstance("X.509")
                            .generateCertificate(new ByteArrayInputStream(der));
        } catch (CertificateException e) {
            throw new IdentityException("this is not a certificate", e);
        }
    }

    static X509Certificate readCertificate(byte[] pem) {
        return certificate(decode("CERTIFICATE", pem));
    }

    static PrivateKey readPrivateKey(byte[] pem) {
        try {
            return KeyFactory.getInstance("EC")
                    .generatePrivate(new PKCS8EncodedKeySpec(decode("PRIVATE KEY", pem)));
        } catch (GeneralSecurityException e) {
            throw new IdentityException("the private key cannot be read", e);
        }
    }

    /// SHA-256 of the certificate in hexadecimal digits.
    static String fingerprint(X509Certificate certificate) {
        return HexFormat.of().formatHex(sha256(der(certificate)));
    }

    static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    private static byte[] encode(String kind, byte[] der) {
        var body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
        return "-----BEGIN %s-----\n%s\n-----END %s-----\n"
                .formatted(kind, body, kind)
                .getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] decode(String kind, byte[] pem) {
        var blocks = BLOCK.matcher(new String(pem, StandardCharsets.US_ASCII));
        while (blocks.find()) {
            if (blocks.group(1).equals(kind)) {
                return Base64.getMimeDecoder().decode(blocks.group(2));
            }
        }
        throw new IdentityException("no \"%s\" found in the file".formatted(kind));
    }
}
