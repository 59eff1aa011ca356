package dev.spur.cloud.users;

import dev.spur.runtime.http.Problem;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Set;

/// A public key as OpenSSH writes it in one line, read to its end: type, blob, comment.
///
/// @param text type and blob without the comment: what a server compares
/// @param fingerprint as `ssh-keygen -l` shows it
public record SshPublicKey(String type, String text, String comment, String fingerprint) {
    private static final Set<String> TYPES =
            Set.of(
                    "ssh-ed25519",
                    "ssh-rsa",
                    "ecdsa-sha2-nistp256",
                    "ecdsa-sha2-nistp384",
                    "ecdsa-sha2-nistp521",
                    "sk-ssh-ed25519@openssh.com",
                    "sk-ecdsa-sha2-nistp256@openssh.com");
    private static final int LONGEST = 8192;
    private static final int LONGEST_COMMENT = 200;
    private static final int SHORTEST_RSA = 2048;

    public static SshPublicKey parse(String line) {
        var text = line.strip();
        if (text.length() > LONGEST) {
            throw wrong("is longer than any key");
        }
        if (text.contains("PRIVATE KEY")) {
            throw wrong("is a private key. Keep it to yourself and send the .pub file beside it");
        }
        if (text.chars().anyMatch(c -> c == '\n' || c == '\r' || c == 0)) {
            throw wrong("must be one line, as in the .pub file");
        }
        var words = text.split("[ \t]+", 3);
        if (words.length < 2 || !TYPES.contains(words[0])) {
            throw wrong(
                    "must begin with its type, such as ssh-ed25519 or ssh-rsa, and have no options before it");
        }
        var blob = decoded(words[1]);
        require(words[0], blob);
        return new SshPublicKey(
                words[0],
                words[0] + " " + words[1],
                words.length < 3 ? "" : comment(words[2]),
                "SHA256:" + Base64.getEncoder().withoutPadding().encodeToString(sha256(blob)));
    }

    private static String comment(String text) {
        return text.length() <= LONGEST_COMMENT ? text : text.substring(0, LONGEST_COMMENT);
    }

    private static byte[] decoded(String word) {
        try {
            return Base64.getDecoder().decode(word);
        } catch (IllegalArgumentException e) {
            throw wrong("is damaged: its second word is not Base64").causedBy(e);
        }
    }

    /// The blob names the type again, and has the parts that the type needs, and no more.
    private static void require(String type, byte[] blob) {
        var buffer = ByteBuffer.wrap(blob);
        try {
            if (!type.equals(new String(part(buffer), StandardCharsets.US_ASCII))) {
                throw wrong("is damaged: inside it is of another type than it says");
            }
            switch (type) {
                case "ssh-rsa" -> rsa(buffer);
                case "ssh-ed25519" -> ed25519(buffer);
                case "sk-ssh-ed25519@openssh.com" -> {
                    ed25519(buffer);
                    part(buffer);
                }
                case "sk-ecdsa-sha2-nistp256@openssh.com" -> {
                    ecdsa("nistp256", buffer);
                    part(buffer);
                }
                default -> ecdsa(type.substring("ecdsa-sha2-".length()), buffer);
            }
        } catch (BufferUnderflowException | IndexOutOfBoundsException e) {
            throw wrong("is cut off").causedBy(e);
        }
        if (buffer.hasRemaining()) {
            throw wrong("is damaged: something follows it");
        }
    }

    private static void rsa(ByteBuffer buffer) {
        part(buffer);
        var bits = new java.math.BigInteger(part(buffer)).bitLength();
        if (bits < SHORTEST_RSA) {
            throw wrong(
                    "has %d bits only; RSA keys need %d. Better: ssh-keygen -t ed25519"
                            .formatted(bits, SHORTEST_RSA));
        }
    }

    private static void ed25519(ByteBuffer buffer) {
        if (part(buffer).length != 32) {
            throw wrong("is damaged: an Ed25519 key has 32 bytes");
        }
    }

    private static void ecdsa(String curve, ByteBuffer buffer) {
        if (!curve.equals(new String(part(buffer), StandardCharsets.US_ASCII))) {
            throw wrong("is damaged: it is on another curve than it says");
        }
        var point = part(buffer);
        if (point.length < 65 || point[0] != 4) {
            throw wrong("is damaged: it is no point of its curve");
        }
    }

    private static byte[] part(ByteBuffer buffer) {
        var length = buffer.getInt();
        if (length < 0 || length > buffer.remaining()) {
            throw new BufferUnderflowException();
        }
        var part = new byte[length];
        buffer.get(part);
        return part;
    }

    private static byte[] sha256(byte[] blob) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(blob);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    private static Problem wrong(String because) {
        return Problem.field("public_key", because);
    }
}
