package dev.spur.cli.format;

import dev.spur.api.client.ControllerClient;
import dev.spur.api.v1.PingRequest;
import dev.spur.cli.Invocation;
import dev.spur.cli.options.Arguments;
import dev.spur.cli.options.Option;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/// One call of a command that prints a listing, once or again and again.
public record ListingCall(Invocation in, Arguments arguments, ControllerClient client) {
    public void print(Runnable once) throws InterruptedException {
        announceCluster();
        var every = arguments.get(ListingOptions.ITERATE);
        if (every.isEmpty()) {
            once.run();
            return;
        }
        in.takesLong();
        while (true) {
            once.run();
            in.out().println().flush();
            Thread.sleep(Duration.ofSeconds(every.get()));
        }
    }

    private void announceCluster() {
        var wanted = arguments.get(ListingOptions.CLUSTERS);
        if (wanted.isPresent()) {
            var cluster = clusterName();
            OwnCluster.require(wanted.get(), cluster);
            if (!Document.isWanted(arguments)) {
                in.out().println("CLUSTER: " + cluster);
            }
        }
    }

    /// The name of the cluster that is asked.
    public String clusterName() {
        return client.call(controller -> controller.ping(PingRequest.getDefaultInstance()))
                .getCluster();
    }

    public View view(long nowMicros) {
        return View.of(in, nowMicros, !arguments.has(ListingOptions.NO_CONVERT), this::clusterName);
    }

    /// The columns that were asked for by name or by letter, else the usual ones.
    public <R> Layout<R> layout(
            FieldTable<R> table,
            Option<String> names,
            Option<String> letters,
            String usual,
            Consumer<String> complain) {
        var named = arguments.all(names);
        return named.isEmpty()
                ? Layout.ofLetters(table, arguments.get(letters, usual), complain)
                : Layout.ofNames(table, String.join(",", named), complain);
    }

    public <R> void print(Layout<R> layout, View view, List<R> rows) {
        var listing = new Listing<>(layout, view, in.out());
        if (!arguments.has(ListingOptions.NO_HEADER)) {
            if (arguments.hasAny(ListingOptions.LONG, ListingOptions.ITERATE)) {
                listing.date(in.clock().instant());
            }
            listing.header();
        }
        listing.rows(rows);
    }
}
