package dev.spur.runtime.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spur.model.notation.HostAndPort;
import java.util.List;
import org.junit.jupiter.api.Test;

class JoinTokenTest {
    private static final String FINGERPRINT = "ab".repeat(32);
    private final JoinToken token =
            JoinToken.create(
                    List.of(new HostAndPort("ctl1", 6817), new HostAndPort("::1", 7000)),
                    FINGERPRINT);

    @Test
    void oneWordCarriesAddressesFingerprintAndSecret() {
        var read = JoinToken.parse("  " + token.reveal() + "\n");

        assertThat(token.reveal()).startsWith("spur-join-1-").matches("[A-Za-z0-9_-]+");
        assertThat(read.controllers()).isEqualTo(token.controllers());
        assertThat(read.caFingerprint()).isEqualTo(FINGERPRINT);
        assertThat(read.secret()).isEqualTo(token.secret());
    }

    @Test
    void controllerRemembersOnlyAHashOfTheSecret() {
        assertThat(JoinToken.hash(token.secret())).isEqualTo(token.secretHash()).hasSize(64);
        assertThat(token.toString()).doesNotContain(token.secret());
    }

    @Test
    void twoTokensNeverShareASecret() {
        assertThat(JoinToken.create(token.controllers(), FINGERPRINT).secret())
                .isNotEqualTo(token.secret());
    }

    @Test
    void badlyCopiedTokenIsToldFromAForeignOne() {
        var whole = token.reveal();

        assertThatThrownBy(() -> JoinToken.parse(whole.substring(0, whole.length() - 3)))
                .hasMessageContaining("damaged");
        assertThatThrownBy(() -> JoinToken.parse("spur-join-1-")).hasMessageContaining("damaged");
        assertThatThrownBy(() -> JoinToken.parse("spur-join-1-\u0000\u00ff"))
                .hasMessageContaining("damaged");
        assertThatThrownBy(() -> JoinToken.parse("abcdef.0123"))
                .hasMessageContaining("begins with spur-join-1-");
    }
}
