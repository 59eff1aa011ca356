package dev.spur.cli.scontrol;

import dev.spur.api.client.ControllerClient;
import dev.spur.api.v1.PingRequest;
import dev.spur.api.view.EntityTable;
import dev.spur.api.view.Surroundings;
import dev.spur.cli.Connector;
import dev.spur.cli.Invocation;
import dev.spur.cli.Output;
import dev.spur.cli.format.Document;
import dev.spur.cli.format.View;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// One run of scontrol: the caller, how records shall look, and the controller once something is
/// asked of it. Verbs such as `show hostnames` work without any.
final class Session {
    private final Invocation in;
    private final Connector connector;
    private final Supplier<Optional<Document>> document;
    private @Nullable ControllerClient client;
    private boolean isOneLine;
    private boolean isDetailed;
    private boolean showsAll;
    private boolean isQuiet;
    private boolean isOver;

    Session(Invocation in, Connector connector, Supplier<Optional<Document>> document) {
        this.in = in;
        this.connector = connector;
        this.document = document;
    }

    Invocation in() {
        return in;
    }

    Output out() {
        return in.out();
    }

    ControllerClient controller() {
        if (client == null) {
            client = connector.connect(in);
        }
        return client;
    }

    View view(long nowMicros) {
        return View.of(in, nowMicros);
    }

    /// A new one, if the caller wants what is shown for a program.
    Optional<Document> document() {
        return document.get();
    }

    /// Prints entities for a program.
    <M> int list(Document shown, String key, EntityTable<M> table, List<M> all, long nowMicros) {
        var cluster =
                controller().call(each -> each.ping(PingRequest.getDefaultInstance())).getCluster();
        shown.list(key, table, all, Surroundings.of(cluster, nowMicros));
        if (key.equals("jobs")) {
            shown.instant("last_backfill", 0);
        }
        shown.instant("last_update", nowMicros).end(cluster);
        return 0;
    }

    /// Tells the caller that something went wrong, in Slurm's words, and gives the exit code for
    /// it.
    int fail(String text) {
        if (!isQuiet) {
            in.err().println(text);
        }
        return 1;
    }

    /// Tells the caller something that is no error.
    void say(String text) {
        if (!isQuiet) {
            in.err().println(text);
        }
    }

    /// As [#fail] for what Slurm prints to standard output.
    int missing(String text) {
        if (!isQuiet) {
            in.out().println(text);
        }
        return 1;
    }

    boolean isOneLine() {
        return isOneLine;
    }

    void oneLine() {
        isOneLine = true;
    }

    boolean isDetailed() {
        return isDetailed;
    }

    void detailed() {
        isDetailed = true;
    }

    boolean showsAll() {
        return showsAll;
    }

    void showAll(boolean all) {
        showsAll = all;
    }

    void quiet(boolean quiet) {
        isQuiet = quiet;
    }

    boolean isOver() {
        return isOver;
    }

    void end() {
        isOver = true;
    }
}
