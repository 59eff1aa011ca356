package dev.spur.cloud.sessions;

import dev.spur.cloud.cluster.UnixAccount;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/// A row of `session`.
///
/// @param reason a word or sentence on why the state is what it is
/// @param memoryMb 0: as much as the cluster gives by itself
/// @param idleMin minutes without use after which it is stopped; null: never
/// @param secrets sealed; never shown to anybody but the session itself
/// @param submitKey by which the cluster knows the submission again
/// @param attempt counts up when the cluster runs it anew
/// @param warnedAt the end for which its owner was warned
public record Session(
        UUID id,
        UUID person,
        @Nullable UUID project,
        String name,
        SessionState state,
        @Nullable String reason,
        String backend,
        String gpuType,
        int gpuCount,
        int cpus,
        long memoryMb,
        long diskMb,
        @Nullable String template,
        String image,
        @Nullable String partition,
        int timeLimitMin,
        @Nullable Integer idleMin,
        boolean sshEnabled,
        Map<String, String> env,
        byte @Nullable [] secrets,
        UnixAccount account,
        String submitKey,
        @Nullable Long job,
        int attempt,
        @Nullable String node,
        Instant createdAt,
        @Nullable Instant startedAt,
        @Nullable Instant endedAt,
        @Nullable Instant endsAt,
        @Nullable Instant expectedStart,
        @Nullable Integer queuePosition,
        @Nullable String errorMessage,
        @Nullable Instant warnedAt,
        @Nullable Instant usedAt,
        @Nullable Instant stopRequestedAt,
        @Nullable String stopReason,
        @Nullable Instant deletedAt,
        long revision) {
    private static final JsonMapper JSON = JsonMapper.shared();
    private static final TypeReference<Map<String, String>> TEXTS = new TypeReference<>() {};

    public Session {
        env = Map.copyOf(env);
    }

    public boolean isStopping() {
        return stopRequestedAt != null && !state.isOver();
    }

    LiveSession live() {
        return new LiveSession(
                id, person, name, state, account, job == null ? 0 : job, node == null ? "" : node);
    }

    static String json(Map<String, String> texts) {
        return JSON.writeValueAsString(texts);
    }

    static Map<String, String> texts(String json) {
        return JSON.readValue(json, TEXTS);
    }

    static Session read(ResultSet row) throws SQLException {
        return new Session(
                row.getObject("id", UUID.class),
                row.getObject("person_id", UUID.class),
                row.getObject("project_id", UUID.class),
                row.getString("name"),
                SessionState.of(row.getString("state")),
                row.getString("reason"),
                row.getString("backend"),
                row.getString("gpu_type"),
                row.getInt("gpu_count"),
                row.getInt("cpus"),
                row.getLong("memory_mb"),
                row.getLong("disk_mb"),
                row.getString("template"),
                row.getString("image"),
                row.getString("partition"),
                row.getInt("time_limit_min"),
                row.getObject("idle_min", Integer.class),
                row.getBoolean("ssh_enabled"),
                texts(row.getString("env")),
                row.getBytes("secrets"),
                new UnixAccount(
                        row.getLong("unix_uid"),
                        row.getString("unix_name"),
                        row.getBoolean("unix_linked")),
                row.getString("submit_key"),
                row.getObject("spur_job_id", Long.class),
                row.getInt("spur_attempt"),
                row.getString("node_name"),
                when(row, "created_at"),
                whenever(row, "started_at"),
                whenever(row, "ended_at"),
                whenever(row, "ends_at"),
                whenever(row, "expected_start"),
                row.getObject("queue_position", Integer.class),
                row.getString("error_message"),
                whenever(row, "warned_at"),
                whenever(row, "used_at"),
                whenever(row, "stop_requested_at"),
                row.getString("stop_reason"),
                whenever(row, "deleted_at"),
                row.getLong("revision"));
    }

    private static Instant when(ResultSet row, String column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class).toInstant();
    }

    private static @Nullable Instant whenever(ResultSet row, String column) throws SQLException {
        var time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }
}
