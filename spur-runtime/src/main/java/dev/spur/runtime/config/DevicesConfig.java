package dev.spur.runtime.config;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// `[devices]` in spur.conf: generic resources of the host on which the file is read.
public record DevicesConfig(
        @Means("Whether the agent looks for GPUs by itself") boolean autoDetect,
        @Means("Directories with CDI descriptions of devices") @Key(notYetUsed = true)
                List<Path> cdiSpecDirs,
        List<Gres> gres) {
    public static final DevicesConfig DEFAULTS = new DevicesConfig(true, List.of(), List.of());

    public DevicesConfig {
        cdiSpecDirs = List.copyOf(cdiSpecDirs);
        gres = List.copyOf(gres);
    }

    /// One `[[devices.gres]]` entry. `file` and `multiple_files` name device files, also as
    /// `/dev/nvidia[0-3]`.
    public record Gres(
            @Means("What it is, as in gpu") @Key(required = true) String name,
            @Means("Its type, as in mi300x") @Nullable String type,
            @Means("Its device file, or files as in /dev/nvidia[0-3]") @Nullable String file,
            @Means("The files of one device that has several") @Nullable String multipleFiles,
            @Means("How many there are, where no file tells") @Nullable Integer count,
            @Means("The cores next to it") @Key(notYetUsed = true) @Nullable String cores,
            @Means("How it is linked to each other one of its kind, as numbers separated by commas")
                    @Key(notYetUsed = true)
                    @Nullable String links,
            @Means("Which variables tell a job its devices, or count_only") @Key(notYetUsed = true)
                    List<Flag> flags) {

        public static final Gres DEFAULTS =
                new Gres("", null, null, null, null, null, null, List.of());

        public Gres {
            flags = List.copyOf(flags);
            new Rules()
                    .require(
                            count == null || count >= 0,
                            "count",
                            "must not be negative, was %s",
                            count)
                    .require(
                            file == null || multipleFiles == null,
                            "multiple_files",
                            "cannot be given together with file")
                    .check();
        }
    }

    public enum Flag {
        COUNT_ONLY,
        AMD_GPU_ENV,
        NVIDIA_GPU_ENV,
        INTEL_GPU_ENV,
        OPENCL_ENV,
        NO_GPU_ENV
    }
}
