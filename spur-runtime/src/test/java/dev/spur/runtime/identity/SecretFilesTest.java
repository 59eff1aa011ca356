package dev.spur.runtime.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.spur.runtime.host.Users;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SecretFilesTest {
    @TempDir Path parent;

    @Test
    void aDirectoryOfOnesOwnIsMadeForItsOwnerOnly() throws IOException {
        var state = parent.resolve("var/state");

        SecretFiles.ownDirectory(state);

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(state)))
                .isEqualTo("rwx------");
        assertThatCode(() -> SecretFiles.ownDirectory(state)).doesNotThrowAnyException();
    }

    @Test
    void oneThatOthersMayEnterIsRefusedWithTheRemedy() throws IOException {
        var state = made("rwxr-x---");

        assertThatThrownBy(() -> SecretFiles.ownDirectory(state))
                .isInstanceOf(IdentityException.class)
                .hasMessageContaining("mode rwxr-x---")
                .hasMessageEndingWith("chmod -R go= " + state);
    }

    @Test
    void oneThatIsSomebodyElsesIsRefusedEvenIfItIsPrivate() throws IOException {
        assumeTrue(Users.currentUid() == 0, "only root can give a directory away");
        var state = made("rwx------");
        Files.setAttribute(state, "unix:uid", 1002);

        assertThatThrownBy(() -> SecretFiles.ownDirectory(state))
                .isInstanceOf(IdentityException.class)
                .hasMessageContaining("belongs to uid 1002");
    }

    @Test
    void whatRootWritesIntoSomebodysDirectoryIsForThatUser() throws IOException {
        assumeTrue(Users.currentUid() == 0, "only root can give a directory away");
        var identity = made("rwx------");
        Files.setAttribute(identity, "unix:uid", 60_817);

        SecretFiles.write(identity.resolve("cert.pem"), new byte[] {1});

        assertThat(Files.getAttribute(identity.resolve("cert.pem"), "unix:uid")).isEqualTo(60_817);
        assertThat(SecretFiles.read(identity.resolve("cert.pem"))).containsExactly(1);
    }

    private Path made(String mode) throws IOException {
        var state = Files.createDirectory(parent.resolve("state"));
        Files.setPosixFilePermissions(state, PosixFilePermissions.fromString(mode));
        return state;
    }
}
