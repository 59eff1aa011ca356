package dev.spur.runtime.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class UsersTest {
    @Test
    void rootIsKnownByNumberAndByName() {
        var root = Users.byUid(0).orElseThrow();

        assertThat(root.name()).isEqualTo("root");
        assertThat(root.gid()).isZero();
        assertThat(root.home()).startsWith("/");
        assertThat(Users.byName("root")).contains(root);
        assertThat(Users.byNameOrUid("0")).contains(root);
    }

    @Test
    void groupsOfAUserBeginWithThePrimaryOne() {
        assertThat(Users.groups(Users.byUid(0).orElseThrow())).startsWith(0L);
    }

    @Test
    void groupsHaveNames() {
        assertThat(Users.groupName(0)).contains("root");
        assertThat(Users.gid("root")).hasValue(0);
    }

    @Test
    void nobodyHasAnUnknownNumberOrName() {
        assertThat(Users.byUid(3_999_999_999L)).isEmpty();
        assertThat(Users.byUid(0xFFFF_FFFFL)).isEmpty();
        assertThat(Users.byName("no-such-user-here")).isEmpty();
        assertThat(Users.byName("root\0x")).isEmpty();
        assertThat(Users.groupName(3_999_999_999L)).isEmpty();
    }

    @Test
    void thisProcessKnowsAsWhomItRuns() throws IOException {
        assertThat(Users.currentUid())
                .isEqualTo(
                        ((Number) Files.getAttribute(Path.of("/proc/self"), "unix:uid"))
                                .longValue());
    }

    @Test
    void hostHasANameAndABootId() throws IOException {
        assertThat(ThisHost.fullName())
                .isEqualTo(Files.readString(Path.of("/proc/sys/kernel/hostname")).strip());
        assertThat(ThisHost.shortName()).doesNotContain(".");
        assertThat(ThisHost.bootId()).hasSize(36);
    }
}
