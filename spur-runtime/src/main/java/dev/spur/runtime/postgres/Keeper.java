package dev.spur.runtime.postgres;

import dev.spur.runtime.host.Users;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Starts programs under `spur-keeper`: as the service account if this process is root, and not
/// beyond the end of this process, however it ends.
final class Keeper {
    /// The keeper kills what does not stop after 25 s.
    private static final int STOPS_WITHIN_SECONDS = 30;

    private Keeper() {}

    static Process start(PostgresHome home, List<String> program, ProcessBuilder.Redirect output) {
        var command = new ArrayList<String>();
        command.add(home.binaries().keeper().toString());
        var account = home.account();
        if (account != null && Users.currentUid() == 0) {
            command.addAll(List.of("-u", account.uid() + ":" + account.gid()));
        }
        command.addAll(program);
        var builder =
                new ProcessBuilder(command)
                        .directory(home.directory().toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(output);
        // What the owner was told by its environment is not PostgreSQL's affair (PGDATA, secrets,
        // locale).
        builder.environment().clear();
        builder.environment().put("PATH", "/usr/bin:/bin");
        builder.environment().put("LC_ALL", "C");
        try {
            return builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot run " + command.getFirst(), e);
        }
    }

    /// The end of its input is what the keeper takes for the end of its owner.
    static void stop(Process process) {
        try {
            process.getOutputStream().close();
            if (!process.waitFor(STOPS_WITHIN_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot stop PostgreSQL", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // it goes on stopping
        }
    }
}
