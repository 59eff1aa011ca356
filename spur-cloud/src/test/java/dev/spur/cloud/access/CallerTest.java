package dev.spur.cloud.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CallerTest {
    private static final Instant NOW = Instant.parse("2027-01-01T12:00:00Z");

    private static Caller.Person person(@Nullable UUID login, @Nullable UUID token, Instant at) {
        return new Caller.Person(
                UUID.randomUUID(),
                "a@example.com",
                "a",
                false,
                login,
                token,
                Set.of("sessions"),
                at);
    }

    /// Rights of the cluster's administrators hang on it: a login of last week must not become one
    /// of this minute by making a token.
    @Test
    void aTokenThatIsNewProvesNothing() {
        var then = NOW.minusSeconds(900);

        assertThat(person(UUID.randomUUID(), null, NOW).hasProvedSince(then)).isTrue();
        assertThat(person(UUID.randomUUID(), null, NOW.minusSeconds(901)).hasProvedSince(then))
                .isFalse();
        assertThat(person(null, UUID.randomUUID(), NOW).hasProvedSince(then)).isFalse();
    }
}
