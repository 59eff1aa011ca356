package dev.spur.cli.process;

import dev.spur.cli.ResourceLimit;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/// What /proc tells of this process: identity, umask and limits, without a native call.
record ProcessStatus(long uid, long gid, List<Long> groups, int umask, List<ResourceLimit> limits) {
    private static final Pattern SPACES = Pattern.compile("\\s+");
    private static final Pattern COLUMNS = Pattern.compile("\\s{2,}");

    private static final Map<String, String> LIMITS =
            Map.of(
                    "Max cpu time", "CPU",
                    "Max file size", "FSIZE",
                    "Max data size", "DATA",
                    "Max stack size", "STACK",
                    "Max core file size", "CORE",
                    "Max resident set", "RSS",
                    "Max processes", "NPROC",
                    "Max open files", "NOFILE",
                    "Max locked memory", "MEMLOCK",
                    "Max address space", "AS");

    static ProcessStatus read() {
        long uid = 0;
        long gid = 0;
        int umask = 022;
        var groups = new ArrayList<Long>();
        for (var line : lines("/proc/self/status")) {
            var words = SPACES.split(line);
            switch (words[0]) {
                case "Uid:" -> uid = Long.parseLong(words[2]); // real, then effective
                case "Gid:" -> gid = Long.parseLong(words[2]);
                case "Umask:" -> umask = Integer.parseInt(words[1], 8);
                case "Groups:" -> {
                    for (int i = 1; i < words.length; i++) {
                        groups.add(Long.parseLong(words[i]));
                    }
                }
                default -> {}
            }
        }
        return new ProcessStatus(uid, gid, groups, umask, readLimits());
    }

    private static List<ResourceLimit> readLimits() {
        var limits = new ArrayList<ResourceLimit>();
        for (var line : lines("/proc/self/limits")) {
            var columns = COLUMNS.split(line);
            var name = LIMITS.get(columns[0]);
            if (name != null && columns.length >= 3) {
                limits.add(new ResourceLimit(name, limit(columns[1]), limit(columns[2])));
            }
        }
        return limits;
    }

    private static long limit(String value) {
        return value.equals("unlimited") ? ResourceLimit.UNLIMITED : Long.parseLong(value);
    }

    private static List<String> lines(String file) {
        try {
            return Files.readAllLines(Path.of(file), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file, e);
        }
    }
}
