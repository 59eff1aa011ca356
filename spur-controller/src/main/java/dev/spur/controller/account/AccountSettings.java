package dev.spur.controller.account;

import dev.spur.api.v1.Setting;
import dev.spur.engine.account.AccountSetting;
import dev.spur.engine.account.AccountSetting.Way;
import dev.spur.engine.account.AccountsEntity;
import dev.spur.engine.account.CountLimit;
import dev.spur.engine.account.QosFlag;
import dev.spur.engine.account.Shares;
import dev.spur.engine.account.TresLimit;
import dev.spur.engine.tres.TresRegistry;
import dev.spur.model.ErrorCode;
import dev.spur.model.Role;
import dev.spur.model.SpurException;
import dev.spur.model.notation.MemorySize;
import dev.spur.model.notation.NearestName;
import dev.spur.model.notation.NotationException;
import dev.spur.model.notation.TimeLimit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What sacctmgr's keys and values mean: the only place that reads them.
final class AccountSettings {
    /// Makes a setting of a key's value.
    private interface Reader {
        AccountSetting read(AccountSettings known, Way way, String value);
    }

    private static final List<String> PREEMPT_MODES =
            List.of("cluster", "cancel", "requeue", "suspend", "off", "within");

    /// Slurm's, but nothing here obeys them: a limit that is taken has to hold.
    private static final Set<String> NOT_YET =
            Set.of(
                    "grpjobsaccrue",
                    "maxjobsaccrue",
                    "maxjobsaccrueperuser",
                    "maxjobsaccruepu",
                    "maxjobsaccrueperaccount",
                    "maxjobsaccruepa",
                    "minpriothresh",
                    "minpriothreshold",
                    "minprio");

    private static final Set<QosFlag> FLAGS_NOT_YET =
            EnumSet.of(
                    QosFlag.PARTITION_MAX_NODES,
                    QosFlag.PARTITION_MIN_NODES,
                    QosFlag.PARTITION_TIME_LIMIT);

    private static final Map<String, Reader> OF_ASSOCIATION = new TreeMap<>();
    private static final Map<String, Reader> OF_ACCOUNT = new TreeMap<>();
    private static final Map<String, Reader> OF_USER = new TreeMap<>();
    private static final Map<String, Reader> OF_QOS = new TreeMap<>();

    static {
        for (var keys : List.of(OF_ASSOCIATION, OF_QOS)) {
            count(keys, CountLimit.GRP_JOBS, "grpjobs");
            count(keys, CountLimit.GRP_SUBMIT_JOBS, "grpsubmitjobs", "grpsubmit");
            minutes(keys, CountLimit.GRP_WALL, "grpwall");
            minutes(keys, CountLimit.MAX_WALL, "maxwall", "maxwalldurationperjob", "maxwallpj");
            tres(keys, TresLimit.GRP, "grptres");
            tres(keys, TresLimit.GRP_MINUTES, "grptresmins", "grptresminutes");
            tres(keys, TresLimit.GRP_RUN_MINUTES, "grptresrunmins", "grptresrunminutes");
            tres(keys, TresLimit.MAX_PER_JOB, "maxtres", "maxtresperjob", "maxtrespj");
            tres(keys, TresLimit.MAX_PER_NODE, "maxtrespernode", "maxtrespn");
            tres(keys, TresLimit.MAX_MINUTES_PER_JOB, "maxtresmins", "maxtresminsperjob");
            one(keys, TresLimit.GRP, "cpu", "grpcpus");
            one(keys, TresLimit.GRP, "mem", "grpmem", "grpmemory");
            one(keys, TresLimit.GRP, "node", "grpnodes");
            one(keys, TresLimit.GRP_MINUTES, "cpu", "grpcpumins");
            one(keys, TresLimit.GRP_RUN_MINUTES, "cpu", "grpcpurunmins");
            one(keys, TresLimit.MAX_PER_JOB, "cpu", "maxcpus", "maxcpusperjob");
            one(keys, TresLimit.MAX_PER_JOB, "node", "maxnodes", "maxnodesperjob");
            one(keys, TresLimit.MAX_MINUTES_PER_JOB, "cpu", "maxcpumins", "maxcpuminsperjob");
            put(keys, AccountSettings::forgetUsage, "rawusage");
        }
        count(OF_ASSOCIATION, CountLimit.MAX_JOBS, "maxjobs");
        count(OF_ASSOCIATION, CountLimit.MAX_SUBMIT_JOBS, "maxsubmitjobs", "maxsubmit");
        put(OF_ASSOCIATION, (_, _, value) -> shares(value), "fairshare", "shares", "share");
        put(
                OF_ASSOCIATION,
                (_, _, value) -> new AccountSetting.SetPriority(number("Priority", value)),
                "priority");
        put(
                OF_ASSOCIATION,
                (_, way, value) -> new AccountSetting.SetAllowedQos(way, names(value)),
                "qos",
                "qoslevel");
        put(
                OF_ASSOCIATION,
                (_, _, value) -> new AccountSetting.SetDefaultQos(name(value)),
                "defaultqos");
        put(OF_ASSOCIATION, (_, _, value) -> new AccountSetting.SetComment(value), "comment");
        OF_ACCOUNT.putAll(OF_ASSOCIATION);
        put(OF_ACCOUNT, (_, _, value) -> new AccountSetting.SetDescription(value), "description");
        put(OF_ACCOUNT, (_, _, value) -> new AccountSetting.SetOrganization(value), "organization");
        put(OF_ACCOUNT, (_, _, value) -> new AccountSetting.SetParent(name(value)), "parent");
        OF_USER.putAll(OF_ASSOCIATION);
        put(
                OF_USER,
                (_, _, value) -> new AccountSetting.SetDefaultAccount(name(value)),
                "defaultaccount");
        put(
                OF_USER,
                (_, _, value) -> new AccountSetting.SetDefaultWckey(name(value)),
                "defaultwckey");
        put(
                OF_USER,
                (_, _, value) -> new AccountSetting.SetAdminLevel(adminLevel(value)),
                "adminlevel",
                "admin");
        count(OF_QOS, CountLimit.MAX_JOBS_PER_USER, "maxjobsperuser", "maxjobspu", "maxjobs");
        count(OF_QOS, CountLimit.MAX_JOBS_PER_ACCOUNT, "maxjobsperaccount", "maxjobspa");
        count(
                OF_QOS,
                CountLimit.MAX_SUBMIT_PER_USER,
                "maxsubmitjobsperuser",
                "maxsubmitjobspu",
                "maxsubmitpu",
                "maxsubmitjobs");
        count(
                OF_QOS,
                CountLimit.MAX_SUBMIT_PER_ACCOUNT,
                "maxsubmitjobsperaccount",
                "maxsubmitjobspa",
                "maxsubmitpa");
        tres(OF_QOS, TresLimit.MAX_PER_USER, "maxtresperuser", "maxtrespu");
        tres(OF_QOS, TresLimit.MAX_PER_ACCOUNT, "maxtresperaccount", "maxtrespa");
        tres(OF_QOS, TresLimit.MIN_PER_JOB, "mintres", "mintresperjob");
        tres(
                OF_QOS,
                TresLimit.MAX_RUN_MINUTES_PER_USER,
                "maxtresrunmins",
                "maxtresrunminsperuser",
                "maxtresrunminspu");
        tres(
                OF_QOS,
                TresLimit.MAX_RUN_MINUTES_PER_ACCOUNT,
                "maxtresrunminsperaccount",
                "maxtresrunminspa");
        one(OF_QOS, TresLimit.MAX_PER_USER, "cpu", "maxcpusperuser", "maxcpuspu");
        one(OF_QOS, TresLimit.MAX_PER_USER, "node", "maxnodesperuser", "maxnodespu");
        one(OF_QOS, TresLimit.MIN_PER_JOB, "cpu", "mincpus", "mincpusperjob");
        one(OF_QOS, TresLimit.MIN_PER_JOB, "node", "minnodes", "minnodesperjob");
        put(OF_QOS, (_, _, value) -> new AccountSetting.SetDescription(value), "description");
        put(OF_QOS, (_, _, value) -> qosPriority(value), "priority");
        put(OF_QOS, (_, way, value) -> new AccountSetting.SetFlags(way, flags(value)), "flags");
        put(OF_QOS, (_, _, value) -> usageFactor(value), "usagefactor");
        put(
                OF_QOS,
                (_, _, value) ->
                        new AccountSetting.SetUsageThreshold(decimal("UsageThreshold", value)),
                "usagethreshold",
                "usagethres");
        put(OF_QOS, (_, way, value) -> new AccountSetting.SetPreempt(way, names(value)), "preempt");
        put(
                OF_QOS,
                (_, _, value) -> new AccountSetting.SetPreemptMode(preemptMode(value)),
                "preemptmode");
        put(
                OF_QOS,
                (_, _, value) -> new AccountSetting.SetGrace(orZero(seconds("GraceTime", value))),
                "gracetime");
        put(
                OF_QOS,
                (_, _, value) ->
                        new AccountSetting.SetPreemptExempt(seconds("PreemptExemptTime", value)),
                "preemptexempttime");
    }

    private final TresRegistry registry;

    AccountSettings(TresRegistry registry) {
        this.registry = registry;
    }

    AccountSetting read(AccountsEntity entity, Setting setting) {
        var keys = keysOf(entity);
        var key = setting.getKey().toLowerCase(Locale.ROOT);
        var reader = keys.get(key);
        if (NOT_YET.contains(key)) {
            throw new SpurException(
                    ErrorCode.NOT_SUPPORTED,
                    "%s is a limit that this release does not enforce".formatted(setting.getKey()));
        }
        if (reader == null) {
            var meant =
                    NearestName.suggest(key, keys.keySet())
                            .map(" Did you mean %s?"::formatted)
                            .orElse("");
            throw bad("unknown option: %s.%s".formatted(setting.getKey(), meant));
        }
        return reader.read(this, way(setting), setting.getValue());
    }

    private static Map<String, Reader> keysOf(AccountsEntity entity) {
        return switch (entity) {
            case ACCOUNT -> OF_ACCOUNT;
            case USER -> OF_USER;
            case QOS -> OF_QOS;
            case ASSOCIATION, CLUSTER -> OF_ASSOCIATION;
            case COORDINATOR, WCKEY -> Map.of();
        };
    }

    private static Way way(Setting setting) {
        return switch (setting.getOperator()) {
            case "", "=" -> Way.SET;
            case "+=" -> Way.ADD;
            case "-=" -> Way.REMOVE;
            default ->
                    throw bad(
                            "unknown operator %s of %s: it is =, += or -="
                                    .formatted(setting.getOperator(), setting.getKey()));
        };
    }

    static Role adminLevel(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "", "none", "-1", "not set" -> Role.USER;
            case "operator", "operators", "o" -> Role.OPERATOR;
            case "administrator", "admin", "superuser", "a" -> Role.ADMIN;
            default ->
                    throw bad(
                            "unknown admin level \"%s\": it is None, Operator or Administrator"
                                    .formatted(text));
        };
    }

    private static void put(Map<String, Reader> keys, Reader reader, String... names) {
        for (var name : names) {
            keys.put(name, reader);
        }
    }

    private static void count(Map<String, Reader> keys, CountLimit limit, String... names) {
        put(
                keys,
                (_, _, value) -> new AccountSetting.SetCount(limit, number(limit.word(), value)),
                names);
    }

    private static void minutes(Map<String, Reader> keys, CountLimit limit, String... names) {
        put(
                keys,
                (_, _, value) -> new AccountSetting.SetCount(limit, minutes(limit.word(), value)),
                names);
    }

    private static void tres(Map<String, Reader> keys, TresLimit limit, String... names) {
        put(
                keys,
                (known, _, value) ->
                        new AccountSetting.SetTres(limit, known.amounts(limit.word(), value)),
                names);
    }

    /// The older keys, for one resource each.
    private static void one(
            Map<String, Reader> keys, TresLimit limit, String resource, String... names) {
        put(
                keys,
                (known, _, value) ->
                        new AccountSetting.SetTres(
                                limit, known.amounts(limit.word(), resource + "=" + value)),
                names);
    }

    private Map<Integer, Long> amounts(String what, String value) {
        var amounts = new TreeMap<Integer, Long>();
        if (value.isBlank() || value.equals("-1")) {
            registry.ids().forEach(id -> amounts.put(id, -1L));
            return amounts;
        }
        for (var part : value.split(",", -1)) {
            var equals = part.lastIndexOf('=');
            if (equals < 0) {
                throw bad(
                        "Invalid value for %s (%s): write TRES=count, as in cpu=4,gres/gpu=2"
                                .formatted(what, value));
            }
            var name = part.substring(0, equals).toLowerCase(Locale.ROOT);
            var id = registry.id(name);
            if (id == 0) {
                throw bad(
                        "unknown TRES \"%s\": no node of this cluster has ever had it. sacctmgr show tres lists what there is"
                                .formatted(name));
            }
            amounts.put(id, amount(what, name, part.substring(equals + 1)));
        }
        return amounts;
    }

    private static long amount(String what, String name, String text) {
        if (text.equals("-1")) {
            return -1;
        }
        try {
            return name.equals("mem")
                    ? MemorySize.parse(text).mebibytes()
                    : Long.parseUnsignedLong(text) & Long.MAX_VALUE;
        } catch (NumberFormatException | NotationException _) {
            throw bad("Invalid value for %s (%s=%s)".formatted(what, name, text));
        }
    }

    /// Null clears.
    private static @Nullable Integer number(String what, String value) {
        if (value.equals("-1") || value.isEmpty()) {
            return null;
        }
        try {
            var number = Integer.parseInt(value);
            if (number >= 0) {
                return number;
            }
        } catch (NumberFormatException _) {
            // said below
        }
        throw bad("Invalid value for %s (%s)".formatted(what, value));
    }

    private static @Nullable Integer minutes(String what, String value) {
        if (value.equals("0")) {
            return 0;
        }
        if (value.isEmpty()) {
            return null;
        }
        try {
            return switch (TimeLimit.parse(value)) {
                case TimeLimit.Limited(var minutes) -> minutes;
                case TimeLimit.Unlimited _ -> null;
            };
        } catch (NotationException _) {
            throw bad("Bad %s time format: %s".formatted(what, value));
        }
    }

    /// A bare number is of seconds.
    private static @Nullable Integer seconds(String what, String value) {
        if (value.chars().allMatch(Character::isDigit) || value.equals("-1")) {
            return number(what, value);
        }
        var minutes = minutes(what, value);
        return minutes == null ? null : Math.clamp(minutes * 60L, 0, Integer.MAX_VALUE);
    }

    private static int orZero(@Nullable Integer number) {
        return number == null ? 0 : number;
    }

    private static @Nullable Double decimal(String what, String value) {
        if (value.equals("-1") || value.isEmpty()) {
            return null;
        }
        try {
            var number = Double.parseDouble(value);
            if (number >= 0 && Double.isFinite(number)) {
                return number;
            }
        } catch (NumberFormatException _) {
            // said below
        }
        throw bad("Invalid value for %s (%s)".formatted(what, value));
    }

    private static AccountSetting shares(String value) {
        if (value.equalsIgnoreCase("parent")) {
            return new AccountSetting.SetShares(Shares.OF_PARENT);
        }
        var count = number("Fairshare", value);
        return new AccountSetting.SetShares(count == null ? Shares.ONE : Shares.of(count));
    }

    private static AccountSetting qosPriority(String value) {
        return new AccountSetting.SetQosPriority(orZero(number("Priority", value)));
    }

    private static AccountSetting usageFactor(String value) {
        var factor = decimal("UsageFactor", value);
        return new AccountSetting.SetUsageFactor(factor == null ? 1.0 : factor);
    }

    private static String preemptMode(String value) {
        var mode = value.toLowerCase(Locale.ROOT);
        if (!mode.isEmpty() && !PREEMPT_MODES.contains(mode)) {
            throw bad(
                    "Bad Preempt Mode given: %s. It is one of %s"
                            .formatted(value, String.join(", ", PREEMPT_MODES)));
        }
        return mode.equals("cluster") ? "" : mode;
    }

    private AccountSetting forgetUsage(Way way, String value) {
        if (!value.equals("0")) {
            throw bad("RawUsage can only be set to 0 (zero)");
        }
        return new AccountSetting.ForgetUsage();
    }

    private static List<QosFlag> flags(String value) {
        if (value.equals("-1")) {
            return List.of();
        }
        var flags = new ArrayList<QosFlag>();
        for (var word : names(value)) {
            flags.add(
                    Arrays.stream(QosFlag.values())
                            .filter(flag -> flag.word().equalsIgnoreCase(word))
                            .findFirst()
                            .orElseThrow(() ->
                                    bad(
                                            "unknown QOS flag \"%s\": there are %s"
                                                    .formatted(
                                                            word,
                                                            String.join(
                                                                    ", ",
                                                                    Arrays.stream(QosFlag.values())
                                                                            .map(QosFlag::word)
                                                                            .toList())))));
        }
        if (flags.stream().anyMatch(FLAGS_NOT_YET::contains)) {
            throw new SpurException(
                    ErrorCode.NOT_SUPPORTED,
                    "the flags PartitionMaxNodes, PartitionMinNodes and PartitionTimeLimit do nothing in this release");
        }
        return flags;
    }

    /// `-1` and nothing clear.
    private static String name(String value) {
        return value.equals("-1") ? "" : value.toLowerCase(Locale.ROOT);
    }

    private static List<String> names(String value) {
        if (value.isBlank() || value.equals("-1")) {
            return List.of();
        }
        return Arrays.stream(value.toLowerCase(Locale.ROOT).split(",", -1))
                .map(String::strip)
                .filter(name -> !name.isEmpty())
                .toList();
    }

    private static SpurException bad(String text) {
        return new SpurException(ErrorCode.INVALID_REQUEST, text);
    }
}
