package dev.spur.runtime.identity;

import dev.spur.model.notation.HostAndPort;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;
import java.util.zip.CRC32;

/// All that a new host needs to become part of the cluster, in one printable word: where the
/// controllers are, how to recognise them (fingerprint of their CA), and a secret that works once.
///
/// `spur-join-1-` and base64url of: length and text of the addresses, fingerprint (32 bytes),
/// secret (24 bytes), CRC-32 of all that, which tells a badly copied token from an unknown one.
public final class JoinToken {
    private static final String PREFIX = "spur-join-1-";
    private static final int FINGERPRINT_BYTES = 32;
    static final int SECRET_BYTES = 24;
    private static final int LONGEST = 4096;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final List<HostAndPort> controllers;
    private final String caFingerprint;
    private final byte[] secret;

    private JoinToken(List<HostAndPort> controllers, String caFingerprint, byte[] secret) {
        this.controllers = List.copyOf(controllers);
        this.caFingerprint = caFingerprint;
        this.secret = secret;
    }

    /// A token with a fresh secret. The controller keeps {@link #secretHash}, not the secret.
    public static JoinToken create(List<HostAndPort> controllers, String caFingerprint) {
        var secret = new byte[SECRET_BYTES];
        RANDOM.nextBytes(secret);
        return new JoinToken(controllers, caFingerprint, secret);
    }

    /// With a secret that was derived, see [LaunchCredentials#joinSecret].
    public static JoinToken of(List<HostAndPort> controllers, String caFingerprint, byte[] secret) {
        return new JoinToken(controllers, caFingerprint, secret.clone());
    }

    public static JoinToken parse(String text) {
        var word = text.strip();
        if (!word.startsWith(PREFIX)) {
            throw new IdentityException("this is not a join token: one begins with " + PREFIX);
        }
        if (word.length() > LONGEST) {
            throw damaged();
        }
        try {
            var all = Base64.getUrlDecoder().decode(word.substring(PREFIX.length()));
            if (all.length < Short.BYTES + FINGERPRINT_BYTES + SECRET_BYTES + Integer.BYTES
                    || ByteBuffer.wrap(all, all.length - Integer.BYTES, Integer.BYTES).getInt()
                            != checksum(all, all.length - Integer.BYTES)) {
                throw damaged();
            }
            var bytes = ByteBuffer.wrap(all);
            var addresses = take(bytes, Short.toUnsignedInt(bytes.getShort()));
            var fingerprint = take(bytes, FINGERPRINT_BYTES);
            var secret = take(bytes, SECRET_BYTES);
            return new JoinToken(
                    HostAndPort.parseList(
                            new String(addresses, StandardCharsets.UTF_8),
                            HostAndPort.CONTROLLER_PORT),
                    HexFormat.of().formatHex(fingerprint),
                    secret);
        } catch (IllegalArgumentException | java.nio.BufferUnderflowException e) {
            throw damaged();
        }
    }

    /// The word to hand to the person who sets up the host. Whoever has it can join once.
    public String reveal() {
        var addresses =
                controllers.stream()
                        .map(HostAndPort::toString)
                        .collect(Collectors.joining(","))
                        .getBytes(StandardCharsets.UTF_8);
        var bytes =
                ByteBuffer.allocate(
                        Short.BYTES
                                + addresses.length
                                + FINGERPRINT_BYTES
                                + SECRET_BYTES
                                + Integer.BYTES);
        bytes.putShort((short) addresses.length);
        bytes.put(addresses);
        bytes.put(HexFormat.of().parseHex(caFingerprint));
        bytes.put(secret);
        bytes.putInt(checksum(bytes.array(), bytes.position()));
        return PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array());
    }

    public List<HostAndPort> controllers() {
        return controllers;
    }

    /// SHA-256 of the cluster's CA certificate in hexadecimal digits.
    public String caFingerprint() {
        return caFingerprint;
    }

    /// The secret as the joining host sends it.
    public String secret() {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(secret);
    }

    /// What the cluster remembers of the secret: SHA-256 in hexadecimal digits.
    public String secretHash() {
        return hash(secret());
    }

    /// The hash under which a secret that a host sent is looked up. The secret has 192 random bits,
    /// so a plain hash is enough and the look-up tells an attacker nothing.
    public static String hash(String secret) {
        return HexFormat.of().formatHex(Pem.sha256(secret.getBytes(StandardCharsets.UTF_8)));
    }

    /// Compares without telling by its duration how much was right.
    public boolean isSecret(String candidate) {
        return MessageDigest.isEqual(
                secret().getBytes(StandardCharsets.UTF_8),
                candidate.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public String toString() {
        return "JoinToken[controllers=%s, secret=(redacted)]".formatted(controllers);
    }

    private static byte[] take(ByteBuffer bytes, int length) {
        if (length > bytes.remaining()) {
            throw damaged();
        }
        var taken = new byte[length];
        bytes.get(taken);
        return taken;
    }

    private static int checksum(byte[] bytes, int length) {
        var crc = new CRC32();
        crc.update(bytes, 0, length);
        return (int) crc.getValue();
    }

    private static IdentityException damaged() {
        return new IdentityException(
                "the join token is damaged: copy it again as a whole, on one line");
    }
}
