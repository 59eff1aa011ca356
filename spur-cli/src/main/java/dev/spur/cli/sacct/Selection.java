package dev.spur.cli.sacct;

import dev.spur.api.v1.RecordQuery;
import dev.spur.cli.Failure;
import dev.spur.cli.Invocation;
import dev.spur.cli.format.StateWords;
import dev.spur.cli.options.Arguments;
import dev.spur.cli.options.Option;
import dev.spur.model.JobSelector;
import dev.spur.model.hostlist.Hostlist;
import dev.spur.model.notation.BeginTime;
import dev.spur.model.notation.NotationException;
import dev.spur.model.notation.TimeLimit;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/// Which jobs a call of sacct means.
///
/// Without a window it begins today at midnight; who names jobs means them whenever they were, and
/// who names states means now.
final class Selection {
    private static final Pattern COUNTS = Pattern.compile("([0-9]{1,9})(?:-([0-9]{1,9}))?");

    /// `1970-01-01-00:00:01`, as some programs write it.
    private static final Pattern DASHED =
            Pattern.compile("([0-9]{4}-[0-9]{2}-[0-9]{2})-([0-9]{2}:.*)");

    private static final Pattern TIME_ALONE =
            Pattern.compile(
                    "(?i)[0-9]{1,2}:[0-9]{2}(:[0-9]{2})?\\s*([ap]m)?|midnight|noon|elevenses|fika|teatime");

    private final Invocation in;
    private final Arguments arguments;
    private final Instant now;

    Selection(Invocation in, Arguments arguments) {
        this.in = in;
        this.arguments = arguments;
        now = in.clock().instant();
    }

    RecordQuery query() {
        var query =
                RecordQuery.newBuilder()
                        .addAllIds(ids())
                        .addAllUsers(users())
                        .addAllGroups(all(SacctOptions.GROUPS))
                        .addAllAccounts(all(SacctOptions.ACCOUNTS))
                        .addAllPartitions(all(SacctOptions.PARTITIONS))
                        .addAllQos(all(SacctOptions.QOS))
                        .addAllNames(all(SacctOptions.NAMES))
                        .addAllStates(states())
                        .addAllClusters(clusters())
                        .addAllWckeys(all(SacctOptions.WCKEYS))
                        .addAllNodes(nodes())
                        .addAllConstraints(all(SacctOptions.CONSTRAINTS))
                        .addAllFlags(all(SacctOptions.FLAGS))
                        .setDuplicates(arguments.has(SacctOptions.DUPLICATES))
                        .setSteps(true)
                        .setFromMicros(micros(from()))
                        .setUntilMicros(micros(until()));
        for (var id : all(SacctOptions.ASSOCIATIONS)) {
            query.addAssociationIds(number(id, "association"));
        }
        counts(SacctOptions.NCPUS, query::setMinCpus, query::setMaxCpus);
        counts(SacctOptions.NNODES, query::setMinNodes, query::setMaxNodes);
        arguments
                .get(SacctOptions.MIN_LIMIT)
                .ifPresent(text -> {
                    query.setMinLimitMinutes(minutes(text));
                    query.setMaxLimitMinutes(minutes(arguments.get(SacctOptions.MAX_LIMIT, text)));
                });
        if (arguments.has(SacctOptions.MAX_LIMIT) && !arguments.has(SacctOptions.MIN_LIMIT)) {
            throw new Failure(
                    "You must use the timelimit-min option with the timelimit-max option");
        }
        return query.build();
    }

    private Instant from() {
        return arguments
                .get(SacctOptions.START_TIME)
                .map(this::past)
                .orElseGet(() ->
                        namesJobs()
                                ? Instant.EPOCH
                                : arguments.has(SacctOptions.STATES) ? now : midnight());
    }

    private Instant until() {
        var end =
                arguments
                        .get(SacctOptions.END_TIME)
                        .map(this::past)
                        .orElseGet(() ->
                                arguments.has(SacctOptions.STATES)
                                                && !namesJobs()
                                                && !arguments.has(SacctOptions.START_TIME)
                                        ? from()
                                        : now);
        if (end.isBefore(from())) {
            throw new Failure(
                    "Start time (%s) requested is after end time (%s)."
                            .formatted(shown(from()), shown(end)));
        }
        return end;
    }

    private String shown(Instant time) {
        return DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss", Locale.ROOT)
                .format(time.atZone(in.zone()));
    }

    private boolean namesJobs() {
        return arguments.has(SacctOptions.JOBS);
    }

    private Instant midnight() {
        return now.atZone(in.zone()).toLocalDate().atStartOfDay(in.zone()).toInstant();
    }

    /// A time of day means the last such time, not the next.
    private Instant past(String text) {
        var dashed = DASHED.matcher(text.strip());
        var wanted = dashed.matches() ? dashed.group(1) + "T" + dashed.group(2) : text;
        try {
            var at = BeginTime.parse(wanted, now, in.zone());
            return at.isAfter(now) && TIME_ALONE.matcher(wanted.strip()).matches()
                    ? at.minus(1, ChronoUnit.DAYS)
                    : at;
        } catch (NotationException _) {
            throw new Failure("Invalid time specification (pos=0): " + text);
        }
    }

    private List<String> ids() {
        var ids = all(SacctOptions.JOBS);
        for (var id : ids) {
            try {
                JobSelector.parse(id);
            } catch (NotationException _) {
                throw new Failure("Bad job/step specified: " + id);
            }
        }
        return ids;
    }

    /// The caller's own, unless somebody else's were asked for, or certain jobs or nodes.
    private List<String> users() {
        var users = all(SacctOptions.USERS);
        if (!users.isEmpty()) {
            for (var user : users) {
                if (!user.isEmpty() && in.users().uid(user).isEmpty()) {
                    throw new Failure("Invalid user id: " + user);
                }
            }
            return users.contains("") ? List.of() : users;
        }
        return in.caller().uid() == 0
                        || arguments.hasAny(
                                SacctOptions.ALL_USERS,
                                SacctOptions.JOBS,
                                SacctOptions.NODES,
                                SacctOptions.ACCOUNTS)
                ? List.of()
                : List.of(Long.toString(in.caller().uid()));
    }

    private List<String> states() {
        var text = String.join(",", all(SacctOptions.STATES));
        try {
            var words = StateWords.parseList(text);
            return words.contains("ALL") ? List.of() : List.copyOf(words);
        } catch (StateWords.UnknownState unknown) {
            throw new Failure(
                    "Invalid job state specified: %s\nValid job states include: %s"
                            .formatted(unknown.word(), StateWords.listing()));
        }
    }

    private List<String> clusters() {
        var clusters = all(SacctOptions.CLUSTERS);
        return clusters.contains("all") ? List.of() : clusters;
    }

    private List<String> nodes() {
        try {
            return Hostlist.parse(arguments.get(SacctOptions.NODES, "")).hosts();
        } catch (NotationException e) {
            throw new Failure(String.valueOf(e.getMessage()));
        }
    }

    private interface Bound {
        void set(int value);
    }

    private void counts(Option<String> option, Bound least, Bound most) {
        var text = arguments.get(option);
        if (text.isEmpty()) {
            return;
        }
        var counts = COUNTS.matcher(text.get());
        if (!counts.matches()) {
            throw new Failure(
                    "Invalid --%s: \"%s\"; write 4 or 4-8".formatted(option.name(), text.get()));
        }
        least.set(Integer.parseInt(counts.group(1)));
        most.set(Integer.parseInt(counts.group(counts.group(2) == null ? 1 : 2)));
    }

    private static int minutes(String text) {
        try {
            return switch (TimeLimit.parse(text)) {
                case TimeLimit.Limited(var minutes) -> minutes;
                case TimeLimit.Unlimited() -> Integer.MAX_VALUE;
            };
        } catch (NotationException e) {
            throw new Failure("Invalid time limit specification: " + text);
        }
    }

    private static int number(String text, String what) {
        try {
            return Integer.parseUnsignedInt(text);
        } catch (NumberFormatException _) {
            throw new Failure("Invalid %s id: %s".formatted(what, text));
        }
    }

    private static long micros(Instant instant) {
        return Math.addExact(
                Math.multiplyExact(instant.getEpochSecond(), 1_000_000L),
                instant.getNano() / 1_000);
    }

    /// Lists that were given several times are one.
    private List<String> all(Option<List<String>> option) {
        var all = new ArrayList<String>();
        arguments.all(option).forEach(all::addAll);
        return all;
    }
}
