package dev.spur.cli.sprio;

import dev.spur.api.v1.ListPrioritiesReply;
import dev.spur.api.v1.ListPrioritiesRequest;
import dev.spur.api.v1.PingRequest;
import dev.spur.cli.Connector;
import dev.spur.cli.Failure;
import dev.spur.cli.Invocation;
import dev.spur.cli.Tool;
import dev.spur.cli.format.Layout;
import dev.spur.cli.format.Listing;
import dev.spur.cli.format.ListingOptions;
import dev.spur.cli.format.OwnCluster;
import dev.spur.cli.format.View;
import dev.spur.cli.options.Arguments;
import dev.spur.cli.options.Option;
import dev.spur.cli.options.OptionTable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/// `sprio`: why jobs wait in the order they do.
public final class Sprio implements Tool {
    private static final Option<Boolean> FEDERATION =
            Option.flag("federation")
                    .from("SPRIO_FEDERATION")
                    .help("clusters together: here there is one");
    private static final Option<String> FORMAT =
            Option.text("format", "FORMAT")
                    .letter('o')
                    .help("columns by letter, as in \"%.15i %.10Y %.10A\"");
    private static final Option<List<String>> JOBS =
            Option.of("jobs", "IDS", ListingOptions::split).letter('j').help("only these jobs");
    private static final Option<Boolean> LOCAL =
            Option.flag("local").from("SPRIO_LOCAL").help("only this cluster, as always");
    private static final Option<Boolean> LONG =
            Option.flag("long").letter('l').help("more columns");
    private static final Option<Boolean> NO_HEADER =
            Option.flag("noheader").letter('h').help("no heading");
    private static final Option<Boolean> NORMALIZED =
            Option.flag("norm").letter('n').help("factors from 0 to 1 instead of their parts");
    private static final Option<List<String>> PARTITIONS =
            Option.of("partition", "NAMES", ListingOptions::split)
                    .letter('p')
                    .help("only jobs of these partitions");
    private static final Option<Boolean> SIBLING =
            Option.flag("sibling")
                    .from("SPRIO_SIB")
                    .help("jobs of sibling clusters: here there are none");
    private static final Option<String> SORT =
            Option.text("sort", "LETTERS").letter('S').help("order, as in -Y,u: largest first");
    private static final Option<List<String>> USERS =
            Option.of("user", "USERS", ListingOptions::split)
                    .letter('u')
                    .help("only jobs of these users");
    private static final Option<Boolean> VERBOSE =
            Option.flag("verbose").letter('v').help("say more");
    private static final Option<Boolean> WEIGHTS =
            Option.flag("weights").letter('w').help("what each factor counts at most");

    private static final OptionTable TABLE =
            OptionTable.of("[OPTIONS...]")
                    .options(
                            ListingOptions.CLUSTERS,
                            FEDERATION,
                            FORMAT,
                            JOBS,
                            LOCAL,
                            LONG,
                            NO_HEADER,
                            NORMALIZED,
                            PARTITIONS,
                            SIBLING,
                            SORT,
                            USERS,
                            VERBOSE,
                            WEIGHTS);

    /// Names of weights and the letters of their columns, in Slurm's order.
    private static final List<String> FACTORS =
            List.of("age:A", "assoc:B", "fairshare:F", "jobsize:J", "partition:P", "qos:Q");

    private final Connector connector;

    public Sprio(Connector connector) {
        this.connector = connector;
    }

    @Override
    public int run(Invocation in) throws Exception {
        return TABLE.run(in, arguments -> show(in, arguments));
    }

    private int show(Invocation in, Arguments arguments) {
        var client = connector.connect(in);
        var format = arguments.get(FORMAT);
        Supplier<String> cluster =
                () ->
                        client.call(controller -> controller.ping(PingRequest.getDefaultInstance()))
                                .getCluster();
        arguments
                .get(ListingOptions.CLUSTERS)
                .ifPresent(wanted -> OwnCluster.require(wanted, cluster.get()));
        var request =
                ListPrioritiesRequest.newBuilder()
                        .addAllIds(ids(arguments))
                        .addAllUsers(all(arguments, USERS))
                        .addAllPartitions(all(arguments, PARTITIONS))
                        .build();
        var reply = client.accounts(accounts -> accounts.listPriorities(request));
        var weights = lower(reply.getWeightsMap());
        var layout =
                Layout.ofLetters(
                        PriorityFields.TABLE,
                        format.orElseGet(() -> usual(arguments, weights)),
                        complaint -> {
                            throw new Failure(complaint);
                        });
        var view = View.of(in, in.clock().instant().getEpochSecond() * 1_000_000, true, cluster);
        if (reply.getJobsCount() == 0 && arguments.hasAny(JOBS, USERS, PARTITIONS)) {
            in.out().println("Unable to find jobs matching user/id(s) specified");
            return 0;
        }
        var listing = new Listing<>(layout, view, in.out());
        if (!arguments.has(NO_HEADER)) {
            listing.header();
        }
        listing.rows(
                arguments.has(WEIGHTS)
                        ? List.of(PriorityRow.ofWeights(weights))
                        : rows(arguments, reply, weights));
        return 0;
    }

    private static List<String> ids(Arguments arguments) {
        var ids = all(arguments, JOBS);
        for (var id : ids) {
            if (!id.matches("[1-9][0-9]{0,9}")) {
                throw new Failure("Invalid job id: " + id);
            }
        }
        return ids;
    }

    private static List<String> all(Arguments arguments, Option<List<String>> option) {
        var all = new ArrayList<String>();
        arguments.all(option).forEach(all::addAll);
        return all;
    }

    private static Map<String, Long> lower(Map<String, Long> weights) {
        return PriorityRow.ofWeights(weights).weights();
    }

    /// What counts here: a factor without a weight has no column.
    private static String usual(Arguments arguments, Map<String, Long> weights) {
        var isLong = arguments.has(LONG);
        var isNormalized = arguments.has(NORMALIZED);
        var format = new StringBuilder("%.15i %9r");
        if (isLong || arguments.has(USERS)) {
            format.append(" %.8u");
        }
        if (isLong) {
            format.append(" %.10o");
        }
        format.append(isNormalized ? " %.16y" : " %.10Y %.10S");
        for (var one : FACTORS) {
            var colon = one.indexOf(':');
            var letter = one.charAt(colon + 1);
            if (isLong || weights.getOrDefault(one.substring(0, colon), 0L) != 0) {
                format.append(" %.10")
                        .append(isNormalized ? Character.toLowerCase(letter) : letter);
            }
        }
        if (isLong) {
            format.append(" %.6N");
        }
        var countsTres =
                weights.entrySet().stream()
                        .anyMatch(one -> one.getKey().startsWith("tres/") && one.getValue() != 0);
        if (isLong || countsTres) {
            format.append(isNormalized ? " %.20t" : " %.20T");
        }
        return format.toString();
    }

    private static List<PriorityRow> rows(
            Arguments arguments, ListPrioritiesReply reply, Map<String, Long> weights) {
        var rows = new ArrayList<PriorityRow>();
        reply.getJobsList().forEach(job -> rows.add(PriorityRow.of(job, weights)));
        Comparator<PriorityRow> order = (_, _) -> 0;
        for (var key : ListingOptions.split(arguments.get(SORT, "i"))) {
            var isDown = key.startsWith("-");
            var one = order(key.replaceFirst("^[-+]", ""));
            order = order.thenComparing(isDown ? one.reversed() : one);
        }
        rows.sort(order);
        return rows;
    }

    private static Comparator<PriorityRow> order(String letter) {
        return switch (letter) {
            case "a", "A" -> Comparator.comparingDouble(row -> row.job().getAge());
            case "b", "B" -> Comparator.comparingDouble(row -> row.job().getAssoc());
            case "f", "F" -> Comparator.comparingDouble(row -> row.job().getFairShare());
            case "i" -> Comparator.comparingLong(row -> row.job().getJobId() & 0xffff_ffffL);
            case "j", "J" -> Comparator.comparingDouble(row -> row.job().getJobSize());
            case "N" -> Comparator.comparingInt(row -> row.job().getNice());
            case "o" -> Comparator.comparing(row -> row.job().getAccount());
            case "p", "P" -> Comparator.comparingDouble(row -> row.job().getPartitionFactor());
            case "n" -> Comparator.comparing(row -> row.job().getQos());
            case "q", "Q" -> Comparator.comparingDouble(row -> row.job().getQosFactor());
            case "r" -> Comparator.comparing(row -> row.job().getPartition());
            case "u" -> Comparator.comparing(row -> row.job().getUser());
            case "y", "Y" ->
                    Comparator.comparingLong(row -> row.job().getPriority() & 0xffff_ffffL);
            default -> throw new Failure("Invalid sort specification: " + letter);
        };
    }
}
