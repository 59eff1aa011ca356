package dev.spur.runtime.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spur.model.notation.HostAndPort;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JoinedTest {
    @TempDir Path directory;

    private final Instant now = Instant.now();
    private final List<String> told = new ArrayList<>();
    private final List<JoinToken> used = new ArrayList<>();
    private ClusterCa ca;

    @BeforeEach
    void makeCluster() throws Exception {
        ca = ClusterCa.openOrCreate(directory.resolve("ca"), "test", InstantSource.fixed(now));
    }

    @Test
    void theFirstTokenMakesTheIdentityAndARestartWithItUsesNothing() {
        var token = token();

        var first = start(token);
        var second = start(token);

        assertThat(used).containsExactly(token);
        assertThat(second.self()).isEqualTo(first.self());
        assertThat(told).isEmpty();
    }

    @Test
    void anotherTokenReplacesTheIdentityAndSaysSo() {
        var first = start(token());

        var second = start(token());

        assertThat(second.self().serial()).isNotEqualTo(first.self().serial());
        assertThat(told)
                .containsExactly("joined anew with the token; the former certificate is replaced");
    }

    @Test
    void aTokenThatIsNotTakenLeavesTheIdentityAsItWas() {
        var first = start(token());

        var second =
                Joined.identity(identity(), Optional.of(token()), _ -> refuse(), now, told::add);

        assertThat(second.self()).isEqualTo(first.self());
        assertThat(told).hasSize(1).first().asString().contains("not taken (used up)");
    }

    @Test
    void withAnExpiredIdentityTheRefusalOfTheTokenIsTheEnd() {
        start(token());
        var muchLater = now.plus(Duration.ofDays(4000));

        assertThatThrownBy(() ->
                        Joined.identity(
                                identity(),
                                Optional.of(token()),
                                _ -> refuse(),
                                muchLater,
                                told::add))
                .hasMessage("used up");
    }

    private HostIdentity start(JoinToken token) {
        return Joined.identity(identity(), Optional.of(token), this::join, now, told::add);
    }

    private HostIdentity join(JoinToken token) {
        used.add(token);
        return ca.createIdentity(identity(), "node1", HostRole.COMPUTE);
    }

    private static HostIdentity refuse() {
        throw new IdentityException("used up");
    }

    private Path identity() {
        return directory.resolve("identity");
    }

    private JoinToken token() {
        return JoinToken.create(List.of(new HostAndPort("ctl", 6817)), ca.fingerprint());
    }
}
