package dev.spur.runtime.postgres;

import dev.spur.runtime.host.Users;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/// A daemon with a database, for tests that kill it: prepares as root and goes on without root's
/// rights, prints the server's pid, and waits.
final class Owner {
    private Owner() {}

    public static void main(String[] arguments) throws IOException {
        var home = TestPostgres.home(Path.of(arguments[0]));
        var account = home.account();
        if (account != null && Users.currentUid() == 0 && account.canRunJava()) {
            account.become();
        }
        var postgres = EmbeddedPostgres.open(home, List.of("spur", "spur_cloud"));
        System.out.println(postgres.pid());
        var _ = System.in.read();
        postgres.close();
    }

    static Process start(Path directory) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin/java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Owner.class.getName(),
                        directory.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }
}
