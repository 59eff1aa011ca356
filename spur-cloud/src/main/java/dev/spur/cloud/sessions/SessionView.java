package dev.spur.cloud.sessions;

import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// A session, to those who may see it.
///
/// @param ownerId the person whose it is
/// @param containerImage `native`: the node as it is
/// @param timeLimitMin how long it may run in all
/// @param sshHost and port of the gateway; null without SSH
/// @param reason why it is in its state, if that needs one
/// @param queuePosition 1 is the next; null: it is in no queue
/// @param project by name
/// @param cost so far; null: nothing is charged, or it is not known
/// @param revision as in its ETag
public record SessionView(
        UUID id,
        UUID ownerId,
        String name,
        SessionState state,
        @Nullable String reason,
        String gpuType,
        int gpuCount,
        int cpus,
        @Nullable Long memoryMb,
        @Nullable Long diskMb,
        String containerImage,
        @Nullable String template,
        @Nullable String project,
        @Nullable String partition,
        boolean sshEnabled,
        @Nullable String sshHost,
        @Nullable Integer sshPort,
        @Nullable Long spurJobId,
        int attempt,
        int timeLimitMin,
        @Nullable Integer idleMinutes,
        Map<String, String> env,
        Instant createdAt,
        @Nullable Instant startedAt,
        @Nullable Instant endedAt,
        @Nullable Instant endsAt,
        @Nullable Instant expectedStart,
        @Nullable Integer queuePosition,
        @Nullable String nodeName,
        @Nullable String errorMessage,
        @Nullable Object cost,
        long revision) {

    /// What of a view others know.
    public interface Beside {
        @Nullable String project(UUID id);

        /// Null: nothing is charged.
        @Nullable Object cost(UUID session);

        @Nullable String sshHost();

        int sshPort();
    }

    static SessionView of(Session session, Beside beside) {
        var ssh = session.sshEnabled() ? beside.sshHost() : null;
        var project = session.project();
        return new SessionView(
                session.id(),
                session.person(),
                session.name(),
                session.state(),
                session.reason(),
                session.gpuType(),
                session.gpuCount(),
                session.cpus(),
                session.memoryMb() == 0 ? null : session.memoryMb(),
                session.diskMb() == 0 ? null : session.diskMb(),
                session.image(),
                session.template(),
                project == null ? null : beside.project(project),
                session.partition(),
                session.sshEnabled(),
                ssh,
                ssh == null ? null : beside.sshPort(),
                session.job(),
                session.attempt(),
                session.timeLimitMin(),
                session.idleMin(),
                session.env(),
                session.createdAt(),
                session.startedAt(),
                session.endedAt(),
                session.endsAt(),
                session.expectedStart(),
                session.queuePosition(),
                session.node(),
                session.errorMessage(),
                beside.cost(session.id()),
                session.revision());
    }
}
