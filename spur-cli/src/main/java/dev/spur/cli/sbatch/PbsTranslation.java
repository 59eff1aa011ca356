package dev.spur.cli.sbatch;

import dev.spur.cli.Failure;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// Options of PBS and Torque in words of sbatch. What only concerns the look of files or of mail
/// that Slurm does not have is dropped, as Slurm does.
final class PbsTranslation {
    private final List<String> words = new ArrayList<>();

    private PbsTranslation() {}

    static List<String> of(List<String> pbs) {
        var translation = new PbsTranslation();
        for (int i = 0; i < pbs.size(); i++) {
            var word = pbs.get(i);
            if (word.length() < 2 || !word.startsWith("-")) {
                throw new Failure(255, "Invalid directive found in batch script: " + word);
            }
            var letter = word.charAt(1);
            var takesNothing = "hIVXz".indexOf(letter) >= 0;
            var attached = word.substring(2);
            if (takesNothing || !attached.isEmpty()) {
                translation.option(letter, attached);
            } else if (i + 1 < pbs.size()) {
                translation.option(letter, pbs.get(++i));
            } else {
                throw new Failure(
                        255, "PBS option -%s in the batch script needs a value".formatted(letter));
            }
        }
        return translation.words;
    }

    private void option(char letter, String value) {
        switch (letter) {
            case 'a' -> add("begin", beginTime(value));
            case 'A' -> add("account", value);
            case 'd', 'w' -> add("chdir", value);
            case 'e' -> add("error", path(value));
            case 'h' -> words.add("--hold");
            case 'J', 't' -> add("array", value);
            case 'l' -> resources(value);
            case 'm' -> mail(value);
            case 'M' -> add("mail-user", value);
            case 'N' -> add("job-name", value);
            case 'o' -> add("output", path(value));
            case 'p' -> add("nice", Integer.toString(-Integer.parseInt(value)));
            case 'q' -> add("partition", value);
            case 'r' -> words.add(value.startsWith("n") ? "--no-requeue" : "--requeue");
            case 'v' -> add("export", value);
            case 'V' -> add("export", "ALL");
            case 'W' -> attributes(value);
            case 'c', 'C', 'I', 'j', 'k', 'S', 'u', 'X', 'z' -> {} // nothing of Slurm's corresponds
            default ->
                    throw new Failure(
                            255,
                            "PBS option -%s in the batch script is not known".formatted(letter));
        }
    }

    private void add(String name, String value) {
        words.add("--" + name + "=" + value);
    }

    /// PBS may put a host in front of a path.
    private static String path(String value) {
        var colon = value.indexOf(':');
        return colon < 0 ? value : value.substring(colon + 1);
    }

    /// `[[CC]YY]MMDDhhmm[.SS]` becomes a date that sbatch reads.
    private static String beginTime(String value) {
        var digits = value.replaceFirst("\\..*", "");
        if (!digits.matches("\\d{4}|\\d{8}|\\d{10}|\\d{12}")) {
            return value;
        }
        var time =
                digits.substring(digits.length() - 4, digits.length() - 2)
                        + ":"
                        + digits.substring(digits.length() - 2);
        if (digits.length() == 4) {
            return time;
        }
        var day = digits.substring(0, digits.length() - 4);
        var monthAndDay =
                day.substring(day.length() - 4, day.length() - 2)
                        + "/"
                        + day.substring(day.length() - 2);
        return day.length() == 4
                ? monthAndDay + "-" + time
                : monthAndDay
                        + "/"
                        + day.substring(day.length() - 6, day.length() - 4)
                        + "-"
                        + time;
    }

    private void mail(String letters) {
        var types = new ArrayList<String>();
        for (var letter : letters.toLowerCase(Locale.ROOT).toCharArray()) {
            switch (letter) {
                case 'a' -> types.add("FAIL");
                case 'b' -> types.add("BEGIN");
                case 'e' -> types.add("END");
                case 'n' -> types.add("NONE");
                default -> {} // PBS has letters for subjobs too
            }
        }
        if (!types.isEmpty()) {
            add("mail-type", String.join(",", types));
        }
    }

    /// `-l nodes=2:ppn=4,walltime=1:00:00,mem=4gb`
    private void resources(String list) {
        for (var item : list.split(",", -1)) {
            var equals = item.indexOf('=');
            var name = equals < 0 ? item : item.substring(0, equals);
            var value = equals < 0 ? "" : item.substring(equals + 1);
            switch (name) {
                case "nodes" -> nodes(value);
                case "select" -> select(value);
                case "walltime" -> add("time", value);
                case "mem", "pmem" -> add(name.equals("mem") ? "mem" : "mem-per-cpu", value);
                case "ncpus" -> add("mincpus", value);
                case "mpiprocs" -> add("ntasks-per-node", value);
                case "mppwidth", "procs" -> add("ntasks", value);
                case "mppnppn" -> add("ntasks-per-node", value);
                case "mppdepth" -> add("cpus-per-task", value);
                case "mppmem" -> add("mem-per-cpu", value);
                case "mppnodes" -> add("nodelist", value);
                case "nice" -> add("nice", value);
                case "naccesspolicy" -> {
                    if (value.startsWith("single")) {
                        words.add("--exclusive");
                    }
                }
                case "file" -> add("tmp", value);
                case "ngpus" -> add("gpus-per-node", value);
                default -> {} // limits that Slurm takes from the shell: cput, pcput, vmem, arch, …
            }
        }
    }

    /// `2:ppn=4:gpus=1`, also with `+` in place of the colon, or names joined by `+`.
    private void nodes(String value) {
        var names = new ArrayList<String>();
        int count = 0;
        var perNode = "";
        for (var group : value.split("\\+", -1)) {
            var isFirst = true;
            for (var part : group.split(":", -1)) {
                if (part.startsWith("ppn=")) {
                    perNode = part.substring(4);
                } else if (part.startsWith("gpus=")) {
                    add("gpus-per-node", part.substring(5));
                } else if (isFirst && part.matches("\\d{1,9}")) {
                    count += Integer.parseInt(part);
                } else if (isFirst && !part.isEmpty()) {
                    names.add(part);
                }
                isFirst = false;
            }
        }
        if (!names.isEmpty()) {
            add("nodelist", String.join(",", names));
        } else if (count > 0) {
            add("nodes", Integer.toString(count));
        }
        if (!perNode.isEmpty()) {
            add("ntasks-per-node", perNode);
        }
    }

    /// `2:ncpus=8:mpiprocs=4:mem=4gb`
    private void select(String value) {
        var parts = value.split(":", -1);
        add("nodes", parts[0]);
        for (int i = 1; i < parts.length; i++) {
            resources(parts[i]);
        }
    }

    private void attributes(String value) {
        if (value.startsWith("depend=")) {
            add("dependency", value.substring("depend=".length()));
        } else if (value.startsWith("umask=") || value.startsWith("group_list=")) {
            return; // Slurm keeps the caller's
        }
    }
}
