package dev.spur.cloud.sessions;

import dev.spur.cloud.access.Caller;
import dev.spur.cloud.cluster.UnixAccounts;
import dev.spur.cloud.config.SessionsSection;
import dev.spur.cloud.projects.Projects;
import dev.spur.cloud.projects.Role;
import dev.spur.runtime.http.Problem;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Makes of a wish a session that can be launched, or says why there can be none.
final class Planning {
    private final Backend backend;
    private final Capacity capacity;
    private final Projects projects;
    private final UnixAccounts accounts;
    private final SealedSecrets secrets;
    private final Sessions.LaunchRule rule;
    private final SessionsSection config;

    Planning(
            Backend backend,
            Capacity capacity,
            Projects projects,
            UnixAccounts accounts,
            SealedSecrets secrets,
            Sessions.LaunchRule rule,
            SessionsSection config) {
        this.backend = backend;
        this.capacity = capacity;
        this.projects = projects;
        this.accounts = accounts;
        this.secrets = secrets;
        this.rule = rule;
        this.config = config;
    }

    Session plan(NewSession wish, Caller.Person caller, Instant now) {
        wish.check(config);
        var project = project(wish.project(), caller);
        rule.check(caller.id(), project);
        requireImage(wish);
        var partition = partition(wish.partition());
        var usual = capacity.usual(partition, wish.gpus(), wish.gpuNumber());
        var asked = wish.cpus();
        var cpus = asked == null ? usual.cpus() : asked;
        var askedMb = wish.memoryMb();
        var memory = askedMb == null ? usual.memoryMb() : askedMb;
        var askedDisk = wish.diskMb();
        var disk = askedDisk == null ? 0 : askedDisk;
        capacity.misfit(partition, wish.gpus(), wish.gpuNumber(), cpus, memory, disk)
                .ifPresent(because -> {
                    throw Problem.of(
                            422,
                            "does-not-fit",
                            because,
                            "Ask for less, or for what exists: see GET /api/gpus.");
                });
        var id = UUID.randomUUID();
        return new Session(
                id,
                caller.id(),
                project,
                String.valueOf(wish.name()).strip(),
                SessionState.CREATING,
                null,
                backend.kind().name().toLowerCase(java.util.Locale.ROOT),
                wish.gpus(),
                wish.gpuNumber(),
                cpus,
                memory,
                disk,
                wish.template(),
                wish.image(),
                partition,
                wish.minutes(config),
                wish.idleMinutes(),
                Boolean.TRUE.equals(wish.sshEnabled()),
                wish.plainEnv(),
                secrets.seal(id, wish.secretEnv()),
                accounts.of(caller.id()),
                id.toString(),
                null,
                0,
                null,
                now,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                1);
    }

    /// The same once more, as a session of its own: its owner must still be allowed to launch it.
    Session again(Session before, Instant now) {
        var project = before.project();
        if (project != null) {
            requireMember(project, before.person());
        }
        rule.check(before.person(), project);
        var id = UUID.randomUUID();
        return new Session(
                id,
                before.person(),
                before.project(),
                before.name(),
                SessionState.CREATING,
                null,
                before.backend(),
                before.gpuType(),
                before.gpuCount(),
                before.cpus(),
                before.memoryMb(),
                before.diskMb(),
                before.template(),
                before.image(),
                before.partition(),
                before.timeLimitMin(),
                before.idleMin(),
                before.sshEnabled(),
                before.env(),
                secrets.seal(id, secrets.unseal(before.id(), before.secrets())),
                accounts.of(before.person()),
                id.toString(),
                null,
                0,
                null,
                now,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                1);
    }

    /// Of a template that the node itself prepares, the image is only what it stands for elsewhere.
    private void requireImage(NewSession wish) {
        var name = wish.template();
        if (name == null) {
            require(backend.refusal(wish.image()));
            return;
        }
        var template =
                config.templates().stream()
                        .filter(each -> each.name().equals(name))
                        .findFirst()
                        .orElseThrow(() ->
                                Problem.field(
                                        "template", "is not in the list: see GET /api/templates"));
        require(unavailable(template, backend));
        if (!wish.image().equals(template.image())) {
            require(backend.refusal(wish.image()));
        }
    }

    /// Why nothing can be launched from the template here; empty: it can.
    static Optional<String> unavailable(SessionsSection.Template template, Backend backend) {
        return backend.refusal(
                template.setup().isBlank() ? template.image() : NativeBackend.NO_IMAGE);
    }

    private static void require(Optional<String> refusal) {
        refusal.ifPresent(because -> {
            throw Problem.of(
                    422,
                    "image-not-runnable",
                    because,
                    "Leave container_image out (or say \"%s\"), or choose a template that is available."
                            .formatted(NativeBackend.NO_IMAGE));
        });
    }

    private @Nullable String partition(@Nullable String wished) {
        return wished != null && !wished.isEmpty()
                ? wished
                : config.partition().isEmpty() ? null : config.partition();
    }

    private @Nullable UUID project(@Nullable String name, Caller.Person caller) {
        if (name == null || name.isEmpty()) {
            return null;
        }
        var project =
                projects.byName(name)
                        .orElseThrow(
                                () -> Problem.field("project", "is none for which you may launch"));
        requireMember(project.id(), caller.id());
        return project.id();
    }

    private void requireMember(UUID project, UUID person) {
        var isMember =
                projects.roleOf(project, person)
                        .filter(role -> role.isAtLeast(Role.MEMBER))
                        .isPresent();
        if (!isMember) {
            throw Problem.field("project", "is none for which you may launch");
        }
        if (projects.find(project).filter(found -> found.closedAt() == null).isEmpty()) {
            throw Problem.field("project", "was closed");
        }
    }
}
