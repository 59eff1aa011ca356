package dev.spur.runtime.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.runtime.host.ServiceAccount;
import dev.spur.runtime.host.Users;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;

class PostgresHomeTest {
    private final Path directory = TestPostgres.directory();

    @Test
    void rootsDirectoryThatTheAccountCannotReachHasItsDataElsewhereForGood() throws IOException {
        var hidden = Files.createDirectory(directory.resolve("hidden"));
        Files.setPosixFilePermissions(hidden, PosixFilePermissions.fromString("rwx------"));

        var first = prepare(hidden.resolve("postgres"));
        Files.setPosixFilePermissions(hidden, PosixFilePermissions.fromString("rwxr-xr-x"));
        var later = prepare(hidden.resolve("postgres"));

        assertThat(first.directory().getParent())
                .isEqualTo(Users.currentUid() == 0 ? directory.resolve("elsewhere") : hidden);
        assertThat(later.directory()).isEqualTo(first.directory());
    }

    @Test
    void binariesAreUnpackedOnceAndAsAWhole() throws IOException {
        var cache = directory.resolve("cache");

        var first = PostgresBinaries.unpacked(cache, TestPostgres.libexec());
        var again = PostgresBinaries.unpacked(cache, TestPostgres.libexec());

        assertThat(again).isEqualTo(first);
        assertThat(first.major()).isGreaterThanOrEqualTo(15);
        try (var content = Files.list(cache)) {
            assertThat(content).containsExactly(first.directory());
        }
    }

    private PostgresHome prepare(Path wanted) {
        var places =
                new PostgresHome.Places(
                        directory.resolve("elsewhere"),
                        PostgresHome.Places.usual(wanted).cache(),
                        TestPostgres.libexec());
        return PostgresHome.prepare(wanted, ServiceAccount.usual(), places);
    }
}
