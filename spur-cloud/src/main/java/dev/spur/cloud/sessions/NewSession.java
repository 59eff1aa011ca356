package dev.spur.cloud.sessions;

import dev.spur.cloud.access.Fields;
import dev.spur.cloud.config.SessionsSection;
import dev.spur.runtime.http.Json;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// What `POST /api/sessions` takes. What is missing is as the installation has it.
///
/// @param gpuType `none` exactly if no GPU is asked for
/// @param cpus missing: the GPUs' part of their node
/// @param template an environment of the administrator's list, by name
/// @param env what anybody may see who sees the session
/// @param secrets as env, but never shown again and sealed where they are kept
/// @param project whose members see it and whose quota it uses, by name
/// @param idleMinutes after so long without terminal, SSH or CPU use it is stopped; missing: never
public record NewSession(
        @Nullable String name,
        @Nullable String gpuType,
        @Nullable Integer gpuCount,
        @Nullable String containerImage,
        @Nullable String template,
        @Nullable Boolean sshEnabled,
        @Nullable Integer timeLimitMin,
        @Nullable String partition,
        @Nullable Integer cpus,
        @Nullable Long memoryMb,
        @Nullable Long diskMb,
        @Nullable String project,
        @Nullable Integer idleMinutes,
        @Nullable Map<String, String> env,
        @Nullable Map<String, String> secrets) {
    static final String NO_GPU = "none";
    private static final Pattern WORD = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.+-]{0,62}");
    private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,127}");
    private static final int MOST_VARIABLES = 200;
    private static final int LONGEST_VALUE = 32_768;
    private static final int LONGEST_NAME = 100;
    private static final int LONGEST_IMAGE = 500;
    private static final int MOST_CPUS = 65_536;
    private static final long MOST_MB = 1L << 40;

    String gpus() {
        return gpuType == null || gpuType.isEmpty() ? NO_GPU : gpuType;
    }

    int gpuNumber() {
        return gpuCount == null ? 0 : gpuCount;
    }

    String image() {
        return containerImage == null || containerImage.isBlank()
                ? NativeBackend.NO_IMAGE
                : containerImage.strip();
    }

    int minutes(SessionsSection config) {
        return timeLimitMin == null ? (int) config.usual().toMinutes() : timeLimitMin;
    }

    Map<String, String> plainEnv() {
        return env == null ? Map.of() : Map.copyOf(env);
    }

    Map<String, String> secretEnv() {
        return secrets == null ? Map.of() : Map.copyOf(secrets);
    }

    byte[] hash() {
        return dev.spur.cloud.access.Secrets.hash(
                new String(Json.bytes(this), java.nio.charset.StandardCharsets.UTF_8));
    }

    @Override
    public String toString() {
        return "NewSession[%s]".formatted(name); // no secrets in logs
    }

    /// Everything that can be said without looking at the cluster.
    void check(SessionsSection config) {
        var count = gpuNumber();
        var fields =
                new Fields()
                        .line("name", name)
                        .require(
                                name == null || name.length() <= LONGEST_NAME,
                                "name",
                                "must have at most %d characters".formatted(LONGEST_NAME))
                        .require(
                                count >= 0 && count <= config.maxGpus(),
                                "gpu_count",
                                "must be between 0 and %d".formatted(config.maxGpus()))
                        .require(
                                count > 0 || gpus().equals(NO_GPU),
                                "gpu_type",
                                "must be none if no GPU is asked for")
                        .require(
                                count == 0 || !gpus().equals(NO_GPU),
                                "gpu_type",
                                "must say which GPUs: see GET /api/gpus")
                        .require(WORD.matcher(gpus()).matches(), "gpu_type", "must be a word")
                        .require(
                                image().length() <= LONGEST_IMAGE
                                        && image().chars().allMatch(c -> c > ' ' && c < 127),
                                "container_image",
                                "must be the name of an image")
                        .require(
                                minutes(config) >= 1
                                        && minutes(config) <= config.longest().toMinutes(),
                                "time_limit_min",
                                "must be between 1 and %d".formatted(config.longest().toMinutes()))
                        .require(
                                partition == null || WORD.matcher(partition).matches(),
                                "partition",
                                "must be a word")
                        .require(
                                cpus == null || cpus >= 1 && cpus <= MOST_CPUS,
                                "cpus",
                                "must be between 1 and %d".formatted(MOST_CPUS))
                        .require(
                                memoryMb == null || memoryMb >= 1 && memoryMb <= MOST_MB,
                                "memory_mb",
                                "must be a positive number of MB")
                        .require(
                                diskMb == null || diskMb >= 0 && diskMb <= MOST_MB,
                                "disk_mb",
                                "must be a number of MB")
                        .require(
                                idleMinutes == null || idleMinutes >= 1 && idleMinutes <= 100_000,
                                "idle_minutes",
                                "must be a positive number of minutes");
        variables(fields, "env", plainEnv());
        variables(fields, "secrets", secretEnv());
        fields.check();
    }

    private static void variables(Fields fields, String field, Map<String, String> variables) {
        fields.require(
                variables.size() <= MOST_VARIABLES,
                field,
                "must have at most %d variables".formatted(MOST_VARIABLES));
        variables.forEach((name, value) ->
                fields.require(
                                VARIABLE.matcher(name).matches()
                                        && !name.startsWith("SLURM_")
                                        && !name.startsWith("SPUR_"),
                                field,
                                "must have names of letters, digits and underscores that do not begin with SLURM_ or SPUR_")
                        .require(
                                value.length() <= LONGEST_VALUE && value.indexOf('\0') < 0,
                                field,
                                "must have values of at most %d characters"
                                        .formatted(LONGEST_VALUE)));
    }
}
