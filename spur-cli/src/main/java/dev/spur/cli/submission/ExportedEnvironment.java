package dev.spur.cli.submission;

import com.google.protobuf.ByteString;
import java.io.ByteArrayOutputStream;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Which variables of the caller's environment a job gets (`--export`, sbatch(1)).
///
/// `ALL` gives everything; variables defined beside it count only if the caller has none of that
/// name. `NONE` and `NIL` give only what Slurm's own tools set, a list of names gives those and the
/// same.
public final class ExportedEnvironment {
    /// What describes the job or step in which the command itself runs, not the one it asks for.
    private static final Set<String> OF_ANOTHER_JOB =
            Set.of(
                    "SLURM_JOBID",
                    "SLURM_NNODES",
                    "SLURM_NODELIST",
                    "SLURM_NODE_ALIASES",
                    "SLURM_NPROCS",
                    "SLURM_NTASKS",
                    "SLURM_TASKS_PER_NODE",
                    "SLURM_PROCID",
                    "SLURM_LOCALID",
                    "SLURM_NODEID",
                    "SLURM_GTIDS",
                    "SLURM_TASK_PID",
                    "SLURM_TOPOLOGY_ADDR",
                    "SLURM_TOPOLOGY_ADDR_PATTERN",
                    "SLURM_STEPID",
                    "SLURM_RESTART_COUNT",
                    "SLURM_CPUS_ON_NODE",
                    "SLURM_CPUS_PER_TASK",
                    "SLURM_GPUS_ON_NODE",
                    "SLURM_SUBMIT_DIR",
                    "SLURM_SUBMIT_HOST",
                    "SLURM_LAUNCH_NODE_IPADDR",
                    "SLURM_PRIO_PROCESS",
                    "SLURM_EXPORT_ENV",
                    "SLURMD_NODENAME");

    private static final List<String> OF_ANOTHER_JOB_PREFIXES =
            List.of(
                    "SLURM_JOB_",
                    "SLURM_STEP_",
                    "SLURM_ARRAY_",
                    "SLURM_SRUN_COMM_",
                    "SLURM_MEM_PER_",
                    "SLURM_NTASKS_PER_",
                    "SLURM_RLIMIT_");

    /// A job runs in its owner's name; the tokens by which the owner reached the cluster are not
    /// its business.
    private static final Set<String> SECRETS = Set.of("SPUR_TOKEN", "SLURM_JWT");

    private ExportedEnvironment() {}

    /// What a new job gets.
    ///
    /// @param export the value of `--export`, null when it was not given
    public static Map<String, String> of(Map<String, String> caller, @Nullable String export) {
        var environment = new LinkedHashMap<>(caller);
        environment.keySet().removeIf(ExportedEnvironment::staysBehind);
        return select(environment, export);
    }

    /// As [#of] for a step of the caller's own job: what describes the job stays.
    public static Map<String, String> ofStep(Map<String, String> caller, @Nullable String export) {
        var environment = new LinkedHashMap<>(caller);
        environment.keySet().removeAll(SECRETS);
        return select(environment, export);
    }

    /// Whether the job's shell should build its environment as a login does.
    public static boolean loadsLoginEnvironment(@Nullable String export) {
        return export != null
                && !export.equalsIgnoreCase("NIL")
                && words(export).stream().noneMatch("ALL"::equalsIgnoreCase);
    }

    private static boolean staysBehind(String name) {
        return OF_ANOTHER_JOB.contains(name)
                || SECRETS.contains(name)
                || OF_ANOTHER_JOB_PREFIXES.stream().anyMatch(name::startsWith);
    }

    private static Map<String, String> select(
            Map<String, String> environment, @Nullable String export) {
        if (export == null || export.equalsIgnoreCase("ALL")) {
            return environment;
        }
        var selected = new LinkedHashMap<String, String>();
        environment.forEach((name, value) -> {
            if (name.startsWith("SLURM_") || name.startsWith("SPANK_")) {
                selected.put(name, value);
            }
        });
        if (export.equalsIgnoreCase("NONE") || export.equalsIgnoreCase("NIL")) {
            return selected;
        }
        var everything = false;
        for (var word : words(export)) {
            var equals = word.indexOf('=');
            if (equals > 0) {
                selected.put(word.substring(0, equals), word.substring(equals + 1));
            } else if (word.equalsIgnoreCase("ALL")) {
                everything = true;
            } else {
                var value = environment.get(word);
                if (value != null) {
                    selected.put(word, value);
                }
            }
        }
        if (everything) {
            selected.putAll(environment);
        }
        return selected;
    }

    /// Splits at commas; a value in quotes may hold some: `A="1,2",B`.
    private static List<String> words(String export) {
        var words = new ArrayList<String>();
        var word = new StringBuilder();
        char quote = 0;
        for (int i = 0; i < export.length(); i++) {
            var c = export.charAt(i);
            if (quote != 0) {
                if (c == quote) {
                    quote = 0;
                } else {
                    word.append(c);
                }
            } else if (c == '\'' || c == '"') {
                quote = c;
            } else if (c == ',') {
                words.add(word.toString());
                word.setLength(0);
            } else {
                word.append(c);
            }
        }
        words.add(word.toString());
        words.removeIf(String::isEmpty);
        return words;
    }

    /// As it travels: `NAME=value`, each ended by a NUL.
    public static ByteString encode(Map<String, String> environment, Charset charset) {
        var bytes = new ByteArrayOutputStream();
        environment.forEach((name, value) -> {
            bytes.writeBytes((name + "=" + value).getBytes(charset));
            bytes.write(0);
        });
        return ByteString.copyFrom(bytes.toByteArray());
    }
}
