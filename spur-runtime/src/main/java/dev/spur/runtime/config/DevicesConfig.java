package dev.spur.runtime.config;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// `[devices]` in spur.conf: generic resources of the host on which the file is read.
public record DevicesConfig(boolean autoDetect, List<Path> cdiSpecDirs, List<Gres> gres) {
    public static final DevicesConfig DEFAULTS = new DevicesConfig(true, List.of(), List.of());

    public DevicesConfig {
        cdiSpecDirs = List.copyOf(cdiSpecDirs);
        gres = List.copyOf(gres);
    }

    /// One `[[devices.gres]]` entry. `file` and `multiple_files` name device files, also as
    /// `/dev/nvidia[0-3]`.
    public record Gres(
            @Key(required = true) String name,
            @Nullable String type,
            @Nullable String file,
            @Nullable String multipleFiles,
            @Nullable Integer count,
            @Nullable String cores,
            @Nullable String links,
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
