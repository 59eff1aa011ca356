package dev.spur.cli.top;

import dev.spur.api.client.ControllerClient;
import dev.spur.api.client.ControllerException;
import dev.spur.api.v1.CancelJobsRequest;
import dev.spur.api.v1.ExplainJobRequest;
import dev.spur.api.v1.JobActionOutcome;
import dev.spur.api.v1.WatchReply;
import dev.spur.api.v1.WatchRequest;
import dev.spur.cli.Connector;
import dev.spur.cli.Invocation;
import dev.spur.cli.Terminal;
import dev.spur.cli.Tool;
import dev.spur.cli.options.Arguments;
import dev.spur.cli.options.Option;
import dev.spur.cli.options.OptionTable;
import dev.spur.cli.submission.Refused;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// `spur top`. The controller tells what changed and is asked for nothing else; the screen is drawn
/// when something is new, and once a second because time passes.
public final class Top implements Tool {
    private static final Option<Boolean> ONCE =
            Option.flag("once").letter('1').help("print what there is now and end");
    private static final Option<Boolean> ME =
            Option.flag("me").help("begin with your own jobs only");
    private static final OptionTable TABLE =
            OptionTable.of("[OPTIONS...]\n\nJobs, nodes and GPUs as they change. Press ? for keys.")
                    .options(ME, ONCE)
                    .helpLetter();

    private static final Terminal.Size PAGE = new Terminal.Size(200, 10_000);
    private static final Duration BETWEEN_TRIES = Duration.ofSeconds(1);
    private static final long DRAWS_EVERY_MILLIS = 1_000;
    private static final int PACE_MILLIS = 500;
    private static final String ENTER_SCREEN = "\u001b[?1049h\u001b[?25l";
    private static final String LEAVE_SCREEN = "\u001b[?25h\u001b[?1049l";

    private final Connector connector;

    public Top(Connector connector) {
        this.connector = connector;
    }

    @Override
    public int run(Invocation in) throws Exception {
        return TABLE.run(in, arguments -> show(in, arguments));
    }

    private int show(Invocation in, Arguments arguments) throws Exception {
        var call = new Call(in, connector.connect(in), arguments.has(ME));
        var hasTerminal =
                in.terminal().isTerminal(Terminal.OUTPUT)
                        && in.terminal().isTerminal(Terminal.INPUT);
        if (arguments.has(ONCE) || !hasTerminal) {
            call.printOnce();
        } else {
            in.takesLong();
            call.converse();
        }
        return 0;
    }

    /// What the screen waits for: a key, news, or that nobody types any more.
    private sealed interface Happening {
        record Key(String name) implements Happening {}

        record News() implements Happening {}

        record End() implements Happening {}
    }

    private static final class Call {
        private final Invocation in;
        private final ControllerClient controller;
        private final Picture picture = new Picture();
        private final Screen screen;
        private final BlockingQueue<Happening> happenings = new LinkedBlockingQueue<>(1_000);
        private Settings settings;
        private volatile String message = "";

        Call(Invocation in, ControllerClient controller, boolean isOwn) {
            this.in = in;
            this.controller = controller;
            settings = isOwn ? Settings.FIRST.after("u", 1, "") : Settings.FIRST;
            screen = new Screen(picture, in.caller().name(), in.zone());
        }

        private long now() {
            return in.clock().millis() * 1_000;
        }

        private WatchRequest request() {
            return WatchRequest.newBuilder()
                    .setJobs(true)
                    .setNodes(true)
                    .setPlan(true)
                    .setPaceMillis(PACE_MILLIS)
                    .setCursor(picture.cursor())
                    .build();
        }

        void printOnce() {
            try {
                controller.<WatchReply>each(
                        stub -> stub.watch(request()),
                        reply -> {
                            picture.tell(reply);
                            if (picture.isCurrent()) {
                                throw new Enough();
                            }
                        });
            } catch (Enough e) {
                // it was told once
            }
            screen.lines(settings, " ", PAGE.columns(), PAGE.rows(), now()).stream()
                    .map(String::stripTrailing)
                    .forEach(line -> in.out().println(line));
        }

        void converse() throws InterruptedException {
            try (var _ = in.terminal().raw()) {
                in.out().print(ENTER_SCREEN).flush();
                var watcher = Thread.startVirtualThread(this::follow);
                var typist = Thread.startVirtualThread(this::readKeys);
                try {
                    loop();
                } finally {
                    watcher.interrupt();
                    typist.interrupt();
                    in.out().print(LEAVE_SCREEN).flush();
                }
            }
        }

        /// Watches for as long as the screen is there; an interruption is shown and gone on from.
        private void follow() {
            while (!Thread.currentThread().isInterrupted()) {
                try {
                    controller.<WatchReply>each(
                            stub -> stub.watch(request()),
                            reply -> {
                                picture.tell(reply);
                                happenings.offer(new Happening.News());
                            });
                } catch (ControllerException lost) {
                    message =
                            lost.kind() == ControllerException.Kind.REFUSED
                                    ? Refused.text(lost)
                                    : "";
                }
                try {
                    Thread.sleep(BETWEEN_TRIES);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        }

        private void readKeys() {
            var keys = new Keys(in.input());
            try {
                for (var key = keys.next(); key.isPresent(); key = keys.next()) {
                    happenings.put(new Happening.Key(key.get()));
                }
                happenings.put(new Happening.End());
            } catch (IOException e) {
                happenings.offer(new Happening.End());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void loop() throws InterruptedException {
            draw();
            while (true) {
                var happening = happenings.poll(DRAWS_EVERY_MILLIS, TimeUnit.MILLISECONDS);
                switch (happening) {
                    case null -> draw();
                    case Happening.News() -> drawSoon();
                    case Happening.End() -> {
                        return;
                    }
                    case Happening.Key(var key) -> {
                        if (!obey(key)) {
                            return;
                        }
                        draw();
                    }
                }
            }
        }

        /// News come in swarms.
        private void drawSoon() {
            happenings.removeIf(Happening.News.class::isInstance);
            draw();
        }

        private boolean obey(String key) {
            var chosen = chosen();
            var act = settings.act(key);
            settings =
                    settings.after(
                                    key,
                                    Math.max(1, size().rows() - 6),
                                    chosen == null ? "" : Screen.id(chosen))
                            .within(screen.count(settings, now()));
            message = "";
            switch (act) {
                case NOTHING -> {}
                case QUIT -> {
                    return false;
                }
                case CANCEL -> cancel(chosen);
                case EXPLAIN -> explain(chosen);
            }
            return true;
        }

        private Picture.@Nullable Shown chosen() {
            var jobs = screen.jobs(settings, now());
            return settings.view() == Settings.View.JOBS && settings.selected() < jobs.size()
                    ? jobs.get(settings.selected())
                    : null;
        }

        private void cancel(Picture.@Nullable Shown chosen) {
            if (chosen == null) {
                return;
            }
            var id = Screen.id(chosen);
            var request =
                    CancelJobsRequest.newBuilder()
                            .setRequestId(in.newRequestId())
                            .addIds(id)
                            .build();
            try {
                var reply = controller.call(stub -> stub.cancelJobs(request));
                var result = reply.getResults(0);
                message =
                        result.getOutcome() == JobActionOutcome.JOB_ACTION_DONE
                                ? "job " + id + " is cancelled"
                                : "job " + id + ": " + result.getMessage();
            } catch (ControllerException refusal) {
                message = "job " + id + ": " + Refused.text(refusal);
            }
        }

        private void explain(Picture.@Nullable Shown chosen) {
            if (chosen == null) {
                return;
            }
            var id = Screen.id(chosen);
            var request = ExplainJobRequest.newBuilder().setId(id).build();
            try {
                var reply = controller.call(stub -> stub.explainJob(request));
                message = reply.getBecause() + "  More: spur why " + id;
            } catch (ControllerException refusal) {
                message = "job " + id + ": " + Refused.text(refusal);
            }
        }

        private Terminal.Size size() {
            var size = in.terminal().size();
            return size.rows() < 8 || size.columns() < 20 ? new Terminal.Size(80, 24) : size;
        }

        /// Over what was there: each line is cleared behind its end, so nothing flickers.
        private void draw() {
            var size = size();
            var text = new StringBuilder("\u001b[H");
            var told = picture.isCurrent() ? message : "asking the controller ...";
            var lines = screen.lines(settings, told, size.columns(), size.rows(), now());
            for (var i = 0; i < lines.size() - 1; i++) {
                text.append(lines.get(i)).append("\u001b[K\r\n");
            }
            text.append("\u001b[J\u001b[").append(size.rows()).append(";1H\u001b[7m");
            text.append(lines.getLast()).append("\u001b[0m\u001b[K");
            in.out().print(text.toString()).flush();
        }
    }

    /// Ends a watch that has told what was wanted.
    private static final class Enough extends RuntimeException {
        Enough() {
            super("enough", null, false, false);
        }
    }
}
