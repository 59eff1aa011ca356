package dev.spur.cli.sacctmgr;

import dev.spur.api.client.ControllerClient;
import dev.spur.api.client.HistoryClient;
import dev.spur.api.v1.AccountsChange;
import dev.spur.api.v1.ChangeAccountsReply;
import dev.spur.api.v1.ChangeAccountsRequest;
import dev.spur.cli.Connector;
import dev.spur.cli.Invocation;
import dev.spur.cli.Output;
import dev.spur.cli.account.AccountBook;
import dev.spur.cli.format.Document;
import dev.spur.cli.format.RuledTable;
import dev.spur.cli.format.View;
import dev.spur.cli.history.AccountingService;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// One run of sacctmgr: who calls, how lists shall look, whether he is asked before something is
/// changed.
final class Session {
    private final Invocation in;
    private final Connector connector;
    private final Duration decideWithin;
    private final TypedInput typed;
    private @Nullable ControllerClient client;
    private RuledTable.Style style;
    private final Supplier<Optional<Document>> document;
    private boolean isImmediate;
    private boolean isReadOnly;
    private boolean showsAssociations;
    private boolean isOver;

    /// @param decideWithin how long an answer to a question is waited for
    Session(
            Invocation in,
            Connector connector,
            Duration decideWithin,
            RuledTable.Style style,
            Supplier<Optional<Document>> document) {
        this.document = document;
        this.in = in;
        this.connector = connector;
        this.decideWithin = decideWithin;
        this.style = style;
        this.typed = new TypedInput(in.input(), in.charset());
    }

    Invocation in() {
        return in;
    }

    Output out() {
        return in.out();
    }

    TypedInput typed() {
        return typed;
    }

    /// A new one, if the caller wants what is shown for a program.
    Optional<Document> document() {
        return document.get();
    }

    RuledTable.Style style() {
        return style;
    }

    void look(RuledTable.Form form) {
        style = new RuledTable.Style(form, style.delimiter(), style.hasHeading());
    }

    View view() {
        return View.of(in, in.clock().instant().getEpochSecond() * 1_000_000);
    }

    ControllerClient controller() {
        if (client == null) {
            client = connector.connect(in);
        }
        return client;
    }

    HistoryClient history() {
        return AccountingService.of(in, controller());
    }

    AccountBook book() {
        return AccountBook.ask(controller(), false);
    }

    ChangeAccountsReply change(List<AccountsChange> changes, long revision) {
        var request =
                ChangeAccountsRequest.newBuilder()
                        .setRequestId(in.newRequestId())
                        .addAllChanges(changes)
                        .setExpectedRevision(revision)
                        .build();
        return controller().accounts(accounts -> accounts.changeAccounts(request));
    }

    /// A message on standard error, in Slurm's words; gives the exit code for it.
    int fail(String text) {
        in.err().println(text);
        return 1;
    }

    /// As [#fail] for what Slurm prints to standard output.
    int nothing(String text) {
        out().println(text);
        return 1;
    }

    /// Whether the caller wants it, or said so beforehand.
    boolean agrees(String question) throws IOException, InterruptedException {
        if (isImmediate) {
            return true;
        }
        in.takesLong();
        out().println(
                        "%s (You have %d seconds to decide)"
                                .formatted(question, decideWithin.toSeconds()))
                .print("(N/y): ")
                .flush();
        var until = System.nanoTime() + decideWithin.toNanos();
        while (true) {
            try {
                var left = Duration.ofNanos(Math.max(0, until - System.nanoTime()));
                switch (typed.read(left)) {
                    case 'y', 'Y' -> {
                        return true;
                    }
                    case 'n', 'N', '\n', TypedInput.END -> {
                        return false;
                    }
                    default -> out().println("Y or N please").flush();
                }
            } catch (TimeoutException _) {
                out().println("timeout");
                return false;
            }
        }
    }

    boolean isImmediate() {
        return isImmediate;
    }

    void immediate() {
        isImmediate = true;
    }

    boolean isReadOnly() {
        return isReadOnly;
    }

    void readOnly() {
        isReadOnly = true;
    }

    boolean showsAssociations() {
        return showsAssociations;
    }

    void showAssociations() {
        showsAssociations = true;
    }

    boolean isOver() {
        return isOver;
    }

    void end() {
        isOver = true;
    }
}
