package dev.spur.cli;

import dev.spur.cli.salloc.Salloc;
import dev.spur.cli.sbatch.Sbatch;
import dev.spur.cli.scancel.Scancel;
import dev.spur.cli.scontrol.Scontrol;
import dev.spur.cli.sinfo.Sinfo;
import dev.spur.cli.squeue.Squeue;
import dev.spur.cli.srun.Srun;
import dev.spur.cli.token.Token;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
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

    /// Names of Slurm's that we know but do not serve in this release.
    private static final Set<String> LATER =
            Set.of(
                    "sacct",
                    "sacctmgr",
                    "sprio",
                    "sshare",
                    "sstat",
                    "sdiag",
                    "sreport",
                    "strigger",
                    "sattach",
                    "sbcast",
                    "scrontab",
                    "smd");

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

    /// Everything this release serves.
    public static Tools standard(Connector connector) {
        return new Tools(
                Map.ofEntries(
                        Map.entry("salloc", lazily(() -> new Salloc(connector))),
                        Map.entry("sbatch", lazily(() -> new Sbatch(connector))),
                        Map.entry("scancel", lazily(() -> new Scancel(connector))),
                        Map.entry("scontrol", lazily(() -> new Scontrol(connector))),
                        Map.entry("sinfo", lazily(() -> new Sinfo(connector))),
                        Map.entry("squeue", lazily(() -> new Squeue(connector))),
                        Map.entry("srun", lazily(() -> new Srun(connector))),
                        Map.entry("token", lazily(() -> new Token(connector)))));
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
                return new Call("spur", rest, printing(Versions.SPUR));
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
        var nearest = nearest(verb);
        var hint = nearest.isEmpty() ? "" : " Did you mean '" + nearest + "'?";
        return "spur: unknown command '" + verb + "'." + hint + "\n";
    }

    /// The served name or verb with the fewest letters to change, when that is at most a third of
    /// them.
    private String nearest(String verb) {
        var best = "";
        int least = Math.max(1, verb.length() / 3) + 1;
        for (var candidate : candidates()) {
            int distance = distance(verb, candidate);
            if (distance < least) {
                least = distance;
                best = candidate;
            }
        }
        return best;
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

    /// Levenshtein's distance.
    private static int distance(String a, String b) {
        var previous = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            previous[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            var current = new int[b.length() + 1];
            current[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = previous[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                current[j] = Math.min(replaced, Math.min(previous[j], current[j - 1]) + 1);
            }
            previous = current;
        }
        return previous[b.length()];
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
            text.append("  ").append(name);
            if (!verbs.isEmpty()) {
                text.append(" ".repeat(Math.max(1, 12 - name.length())))
                        .append(String.join(", ", verbs));
            }
            text.append('\n');
        }
        text.append("  version     print the release\n");
        text.append("  help        print this text\n");
        return text.toString();
    }
}
