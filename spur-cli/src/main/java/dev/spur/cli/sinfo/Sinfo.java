package dev.spur.cli.sinfo;

import dev.spur.api.client.ControllerClient;
import dev.spur.api.client.ControllerException;
import dev.spur.api.v1.ListNodesReply;
import dev.spur.api.v1.ListNodesRequest;
import dev.spur.api.v1.ListReservationsRequest;
import dev.spur.api.v1.Node;
import dev.spur.api.v1.Partition;
import dev.spur.api.view.NodeGroup;
import dev.spur.api.view.Surroundings;
import dev.spur.cli.Connector;
import dev.spur.cli.Failure;
import dev.spur.cli.Invocation;
import dev.spur.cli.Tool;
import dev.spur.cli.format.Document;
import dev.spur.cli.format.Layout;
import dev.spur.cli.format.ListingCall;
import dev.spur.cli.format.ListingOptions;
import dev.spur.cli.format.View;
import dev.spur.cli.options.Arguments;
import dev.spur.cli.options.Refusal;
import dev.spur.cli.squeue.Hosts;
import dev.spur.cli.submission.Refused;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/// `sinfo`: partitions and nodes.
public final class Sinfo implements Tool {
    private static final String USUAL = "%#P %.5a %.10l %.6D %.6t %N";
    private static final String LONG = "%#P %.5a %.10l %.10s %.4r %.8h %.10g %.6D %.11T %N";
    private static final String SUMMARY = "%#P %.5a %.10l %.16F %N";
    private static final String PER_NODE = "%#N %.6D %.#P %6t";
    private static final String LONG_PER_NODE =
            "%#N %.6D %.#P %.11T %4c %.8z %.6m %.8d %.6w %.8f %20E";
    private static final String REASONS = "%20E %9u %19H %N";
    private static final String LONG_REASONS = "%20E %12U %19H %6t %N";

    private final Connector connector;

    public Sinfo(Connector connector) {
        this.connector = connector;
    }

    @Override
    public int run(Invocation in) throws Exception {
        return SinfoOptions.TABLE.run(in, arguments -> list(in, arguments));
    }

    private int list(Invocation in, Arguments arguments) throws InterruptedException {
        if (arguments.has(ListingOptions.HELP_FORMAT)) {
            GroupFields.TABLE.names().forEach(name -> in.out().println(name));
            return 0;
        }
        if (Document.listsVersions(in, arguments)) {
            return 0;
        }
        try {
            new Call(in, arguments, connector.connect(in)).print();
            return 0;
        } catch (ControllerException refusal) {
            throw new Refusal(1, "slurm_load_partitions: " + Refused.text(refusal));
        }
    }

    /// One call of sinfo.
    private record Call(
            Invocation in, Arguments arguments, ControllerClient client, ListingCall listing) {
        Call(Invocation in, Arguments arguments, ControllerClient client) {
            this(in, arguments, client, new ListingCall(in, arguments, client));
        }

        void print() throws InterruptedException {
            listing.print(this::printOnce);
        }

        private void printOnce() {
            if (arguments.has(SinfoOptions.RESERVATIONS)) {
                printReservations();
                return;
            }
            var states = states();
            var reply =
                    client.call(controller ->
                            controller.listNodes(ListNodesRequest.getDefaultInstance()));
            var view = listing.view(reply.getNowMicros());
            var layout = layout();
            var groups = groups(reply, layout, view, states);
            var usualSort =
                    arguments.has(SinfoOptions.PER_NODE)
                            ? GroupOrder.USUAL_PER_NODE
                            : GroupOrder.USUAL;
            var sort =
                    GroupOrder.parse(
                            arguments.get(SinfoOptions.SORT, usualSort),
                            reply.getPartitionsList(),
                            reply.getNodesList());
            var document = Document.of(in, arguments);
            if (document.isPresent()) {
                document(document.get(), sort.sorted(groups), reply.getNowMicros());
            } else {
                listing.print(layout.fitted(groups, view), view, sort.sorted(groups));
            }
        }

        private void document(Document document, List<Group> groups, long nowMicros) {
            var cluster = listing.clusterName();
            document.list(
                            "sinfo",
                            NodeGroup.GROUPS,
                            groups.stream().map(Group::counted).toList(),
                            Surroundings.of(cluster, nowMicros))
                    .end(cluster);
        }

        private void printReservations() {
            var reply =
                    client.call(controller ->
                            controller.listReservations(
                                    ListReservationsRequest.getDefaultInstance()));
            var document = Document.of(in, arguments);
            if (document.isPresent()) {
                var cluster = listing.clusterName();
                document.get()
                        .list(
                                "reservations",
                                dev.spur.api.view.ReservationTable.RESERVATIONS,
                                reply.getReservationsList(),
                                Surroundings.of(cluster, reply.getNowMicros()))
                        .instant("last_update", reply.getNowMicros())
                        .end(cluster);
                return;
            }
            if (reply.getReservationsCount() == 0) {
                in.out().println("No reservations in the system");
                return;
            }
            ReservationTable.lines(
                            reply.getReservationsList(),
                            listing.view(reply.getNowMicros()),
                            !arguments.has(ListingOptions.NO_HEADER))
                    .forEach(in.out()::println);
        }

        private List<Group> groups(
                ListNodesReply reply, Layout<Group> layout, View view, List<String> states) {
            var grouping =
                    new Grouping(
                            layout.fields(),
                            arguments.has(SinfoOptions.EXACT),
                            arguments.has(SinfoOptions.PER_NODE),
                            view);
            var groups =
                    grouping.of(
                            reply.getPartitionsList().stream().filter(this::isWanted).toList(),
                            reply.getNodesList(),
                            wanted(states));
            if (!arguments.has(SinfoOptions.REASONS)) {
                return groups;
            }
            return groups.stream().filter(group -> !group.isEmpty()).toList();
        }

        private boolean isWanted(Partition partition) {
            var named = arguments.get(SinfoOptions.PARTITIONS);
            if (named.isPresent()) {
                return named.get().contains(partition.getName());
            }
            return !partition.getHidden() || arguments.has(SinfoOptions.ALL);
        }

        private Predicate<Node> wanted(List<String> states) {
            var names = names();
            return node -> {
                var state = NodeState.of(node);
                return (names.isEmpty() || names.contains(node.getName()))
                        && (states.isEmpty() || states.stream().anyMatch(state::matches))
                        && (!arguments.has(SinfoOptions.DEAD) || !state.isResponding())
                        && (!arguments.has(SinfoOptions.RESPONDING) || state.isResponding())
                        && (!arguments.has(SinfoOptions.REASONS) || !node.getReason().isEmpty())
                        && (!state.base().equals("FUTURE") || arguments.has(SinfoOptions.FUTURE));
            };
        }

        private Set<String> names() {
            return new HashSet<>(Hosts.named(arguments.get(SinfoOptions.NODES, "")));
        }

        private List<String> states() {
            var states = new ArrayList<String>();
            for (var word : arguments.get(SinfoOptions.STATES, List.of())) {
                var known = NodeState.selectable(word);
                if (known.isEmpty()) {
                    throw new Failure(
                            "Bad state string: \"%s\"\n%s: error: Valid node states include: %s"
                                    .formatted(word, in.program(), NodeState.listing()));
                }
                states.add(known.get());
            }
            return states;
        }

        private Layout<Group> layout() {
            return listing.layout(
                    GroupFields.TABLE,
                    SinfoOptions.NAMED_FORMAT,
                    SinfoOptions.FORMAT,
                    usualFormat(),
                    in.err()::println);
        }

        private String usualFormat() {
            var isLong = arguments.has(ListingOptions.LONG);
            if (arguments.has(SinfoOptions.SUMMARIZE)) {
                return SUMMARY;
            }
            if (arguments.has(SinfoOptions.REASONS)) {
                return isLong ? LONG_REASONS : REASONS;
            }
            if (arguments.has(SinfoOptions.PER_NODE)) {
                return isLong ? LONG_PER_NODE : PER_NODE;
            }
            return isLong ? LONG : USUAL;
        }
    }
}
