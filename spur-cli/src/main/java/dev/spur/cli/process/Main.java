package dev.spur.cli.process;

import dev.spur.cli.CallerGoneException;
import dev.spur.cli.Command;
import dev.spur.cli.Failure;
import dev.spur.cli.Invocation;
import dev.spur.cli.cloud.CloudTool;
import dev.spur.cli.tools.Tools;
import dev.spur.runtime.identity.ClusterTrust;
import dev.spur.runtime.identity.IdentityException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;

/// A command in a JVM of its own, for hosts without a door. Called by the C program `spur` as `Main
/// PROGRAM TERMINAL ARGUMENT…`.
public final class Main {
    /// What a shell reports for a program that ended by SIGPIPE.
    private static final int NOBODY_READS = 141;

    private Main() {}

    public static void main(String[] args) {
        if (args.length < 2) {
            System.err.println(
                    "spur: dev.spur.cli.process.Main is started by the program 'spur', not by hand.");
            System.exit(1);
        }
        // Libraries that log would print between the user's lines, and setting up a log takes
        // longer than most commands.
        System.setProperty("slf4j.provider", "org.slf4j.helpers.NOP_FallbackServiceProvider");
        System.setProperty("slf4j.internal.verbosity", "ERROR");
        var connector = new DoorlessConnector();
        var call =
                Tools.standard(
                                connector,
                                () ->
                                        new CloudTool(
                                                connector, new HomeKeyring(), Main::believedClouds))
                        .resolve(args[0], List.of(args).subList(2, args.length));
        var in = new ProcessInvocation(call, args[1]);
        int code = Command.run(call.tool(), in);
        try {
            in.out().flush();
        } catch (CallerGoneException e) {
            code = NOBODY_READS;
        }
        Runtime.getRuntime().halt(code);
    }

    private static @Nullable SSLContext believedClouds(Invocation in) {
        var file = in.environment("SPUR_CLOUD_CA_FILE");
        if (file == null || file.isBlank()) {
            return null;
        }
        try {
            var context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {ClusterTrust.load(Path.of(file))}, null);
            return context;
        } catch (GeneralSecurityException | IdentityException e) {
            throw new Failure("SPUR_CLOUD_CA_FILE is of no use: " + e.getMessage());
        }
    }
}
