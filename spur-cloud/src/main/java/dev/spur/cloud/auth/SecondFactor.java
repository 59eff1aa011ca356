package dev.spur.cloud.auth;

import dev.spur.cloud.access.Secrets;
import dev.spur.cloud.users.People;
import dev.spur.cloud.users.Person;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.UUID;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jdbi.v3.core.Jdbi;

/// Codes of six digits from an app (TOTP, RFC 6238), each good once, and codes for the day when the
/// phone is gone. The only place that knows the table `recovery_code`.
final class SecondFactor {
    private static final String BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    private static final int SECRET_BYTES = 20;
    private static final int STEP_SECONDS = 30;
    private static final int RECOVERY_CODES = 10;
    private static final int RECOVERY_LETTERS = 12;

    private final Jdbi db;
    private final People people;
    private final InstantSource clock;

    SecondFactor(Jdbi db, People people, InstantSource clock) {
        this.db = db;
        this.people = people;
        this.clock = clock;
    }

    static String newSecret() {
        var text = new StringBuilder();
        for (var value : Secrets.bytes(SECRET_BYTES * 8 / 5)) {
            text.append(BASE32.charAt(value & 31));
        }
        return text.toString();
    }

    /// Whether this is the code of now, or of the step before or after it, for clocks that differ.
    /// A code that was taken is not taken again.
    boolean accepts(Person person, String code) {
        var digits = code.replace(" ", "");
        if (digits.matches("[0-9]{6}")) {
            var now = clock.instant().getEpochSecond() / STEP_SECONDS;
            for (var step = now - 1; step <= now + 1; step++) {
                var expected = code(Objects.requireNonNull(person.totpSecret()), step);
                if (MessageDigest.isEqual(expected.getBytes(), digits.getBytes())) {
                    return people.takeStep(person.id(), step);
                }
            }
            return false;
        }
        return person.totpConfirmed() && takeRecovery(person.id(), code);
    }

    private boolean takeRecovery(UUID person, String code) {
        return db.withHandle(handle ->
                handle.createUpdate(
                                """
                                update recovery_code set used_at = :now
                                 where person_id = :person and hash = :hash and used_at is null
                                """)
                        .bind("now", clock.instant())
                        .bind("person", person)
                        .bind("hash", Secrets.hash(code.strip().toUpperCase(Locale.ROOT)))
                        .execute())
                == 1;
    }

    /// Replaces all codes for the day when the phone is gone.
    List<String> newRecoveryCodes(UUID person) {
        var codes = new ArrayList<String>();
        db.useTransaction(handle -> {
            handle.execute("delete from recovery_code where person_id = ?", person);
            for (var i = 0; i < RECOVERY_CODES; i++) {
                var code = Secrets.code(RECOVERY_LETTERS);
                codes.add(code);
                handle.createUpdate(
                                "insert into recovery_code (person_id, hash) values (:person, :hash)")
                        .bind("person", person)
                        .bind("hash", Secrets.hash(code))
                        .execute();
            }
        });
        return codes;
    }

    static String code(String secret, long step) {
        try {
            var mac = Mac.getInstance("HmacSHA1");
            mac.init(new SecretKeySpec(decoded(secret), "HmacSHA1"));
            var hash = mac.doFinal(ByteBuffer.allocate(8).putLong(step).array());
            int offset = hash[hash.length - 1] & 15;
            int number = ByteBuffer.wrap(hash).getInt(offset) & 0x7fff_ffff;
            return "%06d".formatted(number % 1_000_000);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has HmacSHA1", e);
        }
    }

    private static byte[] decoded(String base32) {
        var bytes = ByteBuffer.allocate(base32.length() * 5 / 8);
        var bits = 0;
        var held = 0;
        for (var letter : base32.toCharArray()) {
            held = held << 5 | BASE32.indexOf(letter);
            bits += 5;
            if (bits >= 8) {
                bits -= 8;
                bytes.put((byte) (held >> bits));
            }
        }
        return bytes.array();
    }
}
