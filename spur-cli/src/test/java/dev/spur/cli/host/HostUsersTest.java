package dev.spur.cli.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.InstantSource;
import org.junit.jupiter.api.Test;

final class HostUsersTest {
    private final HostUsers users = new HostUsers(InstantSource.system());

    @Test
    void namesAndNumbersOfThisHostFindEachOther() {
        assertThat(users.userName(0)).isEqualTo("root");
        assertThat(users.groupName(0)).isEqualTo("root");
        assertThat(users.uid("root")).hasValue(0);
        assertThat(users.gid("root")).hasValue(0);
    }

    @Test
    void numbersWithoutANameStayNumbers() {
        assertThat(users.userName(4_000_000_123L)).isEqualTo("4000000123");
        assertThat(users.uid("4000000123")).hasValue(4_000_000_123L);
    }

    @Test
    void whatIsNeitherIsNobody() {
        assertThat(users.uid("no-such-user")).isEmpty();
        assertThat(users.gid("99999999999")).isEmpty();
    }
}
