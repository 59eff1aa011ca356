package dev.spur.cli.tools;

import dev.spur.cli.Connector;
import dev.spur.cli.Invocation;
import dev.spur.cli.Tool;
import dev.spur.cli.Versions;
import dev.spur.cli.cloud.CloudAtDoor;
import dev.spur.cli.cluster.Cluster;
import dev.spur.cli.efficiency.Efficiency;
import dev.spur.cli.efficiency.Seff;
import dev.spur.cli.exec.Exec;
import dev.spur.cli.logs.Logs;
import dev.spur.cli.sacct.Sacct;
import dev.spur.cli.sacctmgr.Sacctmgr;
import dev.spur.cli.salloc.Salloc;
import dev.spur.cli.sattach.Sattach;
import dev.spur.cli.sbatch.Sbatch;
import dev.spur.cli.scancel.Scancel;
import dev.spur.cli.scontrol.Scontrol;
import dev.spur.cli.sdiag.Sdiag;
import dev.spur.cli.sinfo.Sinfo;
import dev.spur.cli.sprio.Sprio;
import dev.spur.cli.squeue.Squeue;
import dev.spur.cli.sreport.Sreport;
import dev.spur.cli.srun.Srun;
import dev.spur.cli.sshare.Sshare;
import dev.spur.cli.sstat.Sstat;
import dev.spur.cli.token.Token;
import dev.spur.cli.top.Top;
import dev.spur.cli.why.Why;
import dev.spur.model.notation.NearestName;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;

/// The name → tool table, and how a program name and its first argument choose a tool: by link
/// (`squeue …`), by Slurm's name (`spur squeue …`) or by a verb of our own (`spur queue …`).
public final class Tools {
    /// Our verbs and the Slurm name that each runs.
    private static final Map<String, String> VERBS =
            Map.ofEntries(
                    Map.entry("submit", "sbatch"),
                    Map.entry("run", "srun"),
                    Map.entry("alloc", "salloc"),
                    Map.entry("queue", "squeue"),
                    Map.entry("jobs", "squeue"),
                    Map.entry("cancel", "scancel"),
                    Map.entry("kill", "scancel"),
                    Map.entry("nodes", "sinfo"),
                    Map.entry("info", "sinfo"),
                    Map.entry("show", "scontrol"),
                    Map.entry("control", "scontrol"),
                    Map.entry("ctl", "scontrol"),
                    Map.entry("history", "sacct"),
                    Map.entry("acct", "sacct"),
                    Map.entry("accounts", "sacctmgr"),
                    Map.entry("acctmgr", "sacctmgr"),
                    Map.entry("priority", "sprio"),
                    Map.entry("prio", "sprio"),
                    Map.entry("share", "sshare"),
                    Map.entry("fairshare", "sshare"),
                    Map.entry("stat", "sstat"),
                    Map.entry("jobstat", "sstat"),
                    Map.entry("diag", "sdiag"),
                    Map.entry("diagnostics", "sdiag"),
                    Map.entry("report", "sreport"),
                    Map.entry("usage", "sreport"),
                    Map.entry("trigger", "strigger"),
                    Map.entry("triggers", "strigger"),
                    Map.entry("attach", "sattach"),
                    Map.entry("crontab", "scrontab"),
                    Map.entry("cron", "scrontab"));

    /// What each tool is for, for the usage.
    private static final Map<String, String> PURPOSES =
            Map.ofEntries(
                    Map.entry("cloud", "sessions of the GPU cloud"),
                    Map.entry("cluster", "the controllers and how they are"),
                    Map.entry("sacct", "jobs that were, and what they used"),
                    Map.entry("sacctmgr", "accounts, users, QOS and what they may use"),
                    Map.entry("efficiency", "how well jobs used what they had"),
                    Map.entry("exec", "a shell or a command beside a running job"),
                    Map.entry("logs", "what a job has written, and writes"),
                    Map.entry("sattach", "look on at a running step, and type to it"),
                    Map.entry("salloc", "nodes for a shell of yours"),
                    Map.entry("sbatch", "submit a script"),
                    Map.entry("scancel", "end or signal jobs"),
                    Map.entry("scontrol", "show and change jobs, nodes, partitions"),
                    Map.entry("sdiag", "how busy the controller is"),
                    Map.entry("sinfo", "nodes and partitions"),
                    Map.entry("sprio", "why jobs wait in the order they do"),
                    Map.entry("squeue", "jobs that run and wait"),
                    Map.entry("sreport", "what was used, by whom"),
                    Map.entry("srun", "run a command on nodes, now"),
                    Map.entry("sshare", "shares of the cluster and how they were used"),
                    Map.entry("seff", "how well one job used what it had"),
                    Map.entry("sstat", "what running steps use now"),
                    Map.entry("token", "tokens for people elsewhere and for hosts that join"),
                    Map.entry("top", "jobs, nodes and GPUs as they change"),
                    Map.entry("why", "why a job waits, and what would start it sooner"));

    /// Names of Slurm's that we know but do not serve in this release.
    private static final Set<String> LATER = Set.of("strigger", "sbcast", "scrontab", "smd");

    private final SortedMap<String, Tool> byName;
    private final Tool usage;

    /// A tool with the name it goes by and the arguments left for it.
    public record Call(String program, List<String> args, Tool tool) {
        public Call {
            args = List.copyOf(args);
        }
    }

    public Tools(Map<String, Tool> byName) {
        this.byName = new TreeMap<>(byName);
        this.usage =
                in -> {
                    in.out().print(usage());
                    return 0;
                };
    }

    /// Names of Slurm's that say for themselves that they are not there yet.
    public static SortedSet<String> later() {
        return new TreeSet<>(LATER);
    }

    /// Everything that a door serves.
    public static Tools standard(Connector connector) {
        return standard(connector, () -> new CloudAtDoor(connector));
    }

    /// Everything this release has.
    ///
    /// @param cloud opens connections to where its caller says, so it is for the caller's own
    ///   process
    public static Tools standard(Connector connector, Supplier<Tool> cloud) {
        return new Tools(
                Map.ofEntries(
                        Map.entry("cloud", lazily(cloud)),
                        Map.entry("cluster", lazily(() -> new Cluster(connector))),
                        Map.entry("efficiency", lazily(() -> new Efficiency(connector))),
                        Map.entry("exec", lazily(() -> new Exec(connector))),
                        Map.entry("logs", lazily(() -> new Logs(connector))),
                        Map.entry("sacct", lazily(() -> new Sacct(connector))),
                        Map.entry("sacctmgr", lazily(() -> new Sacctmgr(connector))),
                        Map.entry("salloc", lazily(() -> new Salloc(connector))),
                        Map.entry("sattach", lazily(() -> new Sattach(connector))),
                        Map.entry("sbatch", lazily(() -> new Sbatch(connector))),
                        Map.entry("scancel", lazily(() -> new Scancel(connector))),
                        Map.entry("scontrol", lazily(() -> new Scontrol(connector))),
                        Map.entry("sdiag", lazily(() -> new Sdiag(connector))),
                        Map.entry("seff", lazily(() -> new Seff(connector))),
                        Map.entry("sinfo", lazily(() -> new Sinfo(connector))),
                        Map.entry("sprio", lazily(() -> new Sprio(connector))),
                        Map.entry("squeue", lazily(() -> new Squeue(connector))),
                        Map.entry("sreport", lazily(() -> new Sreport(connector))),
                        Map.entry("srun", lazily(() -> new Srun(connector))),
                        Map.entry("sshare", lazily(() -> new Sshare(connector))),
                        Map.entry("sstat", lazily(() -> new Sstat(connector))),
                        Map.entry("token", lazily(() -> new Token(connector))),
                        Map.entry("top", lazily(() -> new Top(connector))),
                        Map.entry("why", lazily(() -> new Why(connector)))));
    }

    /// A process of its own runs one command: the others' classes are not worth loading.
    private static Tool lazily(Supplier<Tool> make) {
        return new Tool() {
            @Override
            public int run(Invocation in) throws Exception {
                return make.get().run(in);
            }

            @Override
            public boolean goesOnWithoutCaller() {
                return make.get().goesOnWithoutCaller();
            }
        };
    }

    public Call resolve(String program, List<String> args) {
        var byLink = byName.get(program);
        if (byLink != null) {
            return call(program, args, byLink);
        }
        if (LATER.contains(program)) {
            return new Call(program, args, notYet(program));
        }
        if (args.isEmpty()) {
            return new Call("spur", args, complain(""));
        }
        return resolveVerb(args.getFirst(), args.subList(1, args.size()));
    }

    private Call resolveVerb(String verb, List<String> rest) {
        switch (verb) {
            case "version", "-V", "--version" -> {
                return new Call(
                        "spur",
                        rest,
                        rest.isEmpty()
                                ? printing(Versions.SPUR)
                                : complain("spur: '%s' takes no options.\n".formatted(verb)));
            }
            case "help", "-h", "--help", "--usage" -> {
                return new Call("spur", rest, usage);
            }
            default -> {}
        }
        var name = VERBS.getOrDefault(verb, verb);
        var args = new ArrayList<>(rest);
        if (verb.equals("show")) {
            args.addFirst("show");
        }
        var tool = byName.get(name);
        if (tool != null) {
            return call(name, args, tool);
        }
        if (LATER.contains(name)) {
            return new Call("spur", args, notYet(verb));
        }
        return new Call("spur", args, complain(unknown(verb)));
    }

    private static Call call(String program, List<String> args, Tool tool) {
        boolean asksVersion =
                !args.isEmpty()
                        && (args.getFirst().equals("-V") || args.getFirst().equals("--version"));
        boolean isSlurmName = program.startsWith("s") && !program.startsWith("spur");
        return new Call(
                program, args, asksVersion && isSlurmName ? printing(Versions.SLURM) : tool);
    }

    private static Tool printing(String line) {
        return in -> {
            in.out().println(line);
            return 0;
        };
    }

    private static Tool notYet(String name) {
        return in -> {
            in.err()
                    .println(
                            "%s: error: '%s' is not available in this release of Spur."
                                    .formatted(in.program(), name));
            return 1;
        };
    }

    private Tool complain(String message) {
        return in -> {
            in.err().print(message + usage());
            return 1;
        };
    }

    private String unknown(String verb) {
        var hint =
                NearestName.suggest(verb, candidates())
                        .map(nearest -> " Did you mean '" + nearest + "'?")
                        .orElse("");
        return "spur: unknown command '" + verb + "'." + hint + "\n";
    }

    private List<String> candidates() {
        var all = new ArrayList<>(byName.keySet());
        all.add("version");
        all.add("help");
        VERBS.entrySet().stream()
                .filter(verb -> byName.containsKey(verb.getValue()))
                .map(Map.Entry::getKey)
                .sorted()
                .forEach(all::add);
        return all;
    }

    private String usage() {
        var text = new StringBuilder();
        text.append("Usage: spur COMMAND [OPTION]...     (COMMAND --help tells its options)\n\n");
        for (var name : byName.keySet()) {
            var verbs =
                    new ArrayList<>(
                            VERBS.entrySet().stream()
                                    .filter(verb -> verb.getValue().equals(name))
                                    .map(Map.Entry::getKey)
                                    .sorted()
                                    .toList());
            line(text, name, String.join(", ", verbs), PURPOSES.getOrDefault(name, ""));
        }
        line(text, "version", "", "print the release");
        line(text, "help", "", "print this text");
        return text.toString();
    }

    private static void line(StringBuilder text, String name, String verbs, String purpose) {
        text.append(
                "  %-10s %-20s %s\n".formatted(name, verbs, purpose).replaceFirst(" +\n$", "\n"));
    }
}
