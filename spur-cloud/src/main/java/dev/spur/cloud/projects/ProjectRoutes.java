package dev.spur.cloud.projects;

import static dev.spur.cloud.access.Needs.ACCOUNT;
import static dev.spur.cloud.access.Needs.USER;

import dev.spur.cloud.access.Caller;
import dev.spur.cloud.access.Fields;
import dev.spur.cloud.audit.AuditLog;
import dev.spur.cloud.users.People;
import dev.spur.runtime.http.Answer;
import dev.spur.runtime.http.Call;
import dev.spur.runtime.http.Endpoint;
import dev.spur.runtime.http.Lists;
import dev.spur.runtime.http.Problem;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// `/api/projects`. Administrators make them and say how many GPUs they may use; their owners say
/// who is in them.
public final class ProjectRoutes {
    private static final String TAG = "projects";
    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9-]{0,29}");
    private static final int MOST_GPUS = 1_000_000;

    private final Projects projects;
    private final People people;
    private final AuditLog audit;
    private final InstantSource clock;

    public ProjectRoutes(Projects projects, People people, AuditLog audit, InstantSource clock) {
        this.projects = projects;
        this.people = people;
        this.audit = audit;
        this.clock = clock;
    }

    /// @param owner by e-mail address; missing: who makes it
    /// @param maxGpus at a time, of all members together; null: no limit
    public record NewProject(
            @Nullable String name,
            @Nullable String title,
            @Nullable Integer maxGpus,
            @Nullable String owner) {}

    /// What is missing stays as it is.
    ///
    /// @param maxGpus administrators only; -1: no limit
    public record ProjectChange(@Nullable String title, @Nullable Integer maxGpus) {}

    /// @param email of somebody who has an account here
    public record NewMember(@Nullable String email, @Nullable String role) {}

    public record ProjectView(
            UUID id,
            String name,
            String title,
            String account,
            @Nullable Integer maxGpus,
            @Nullable Role role,
            List<Projects.Member> members,
            Instant createdAt,
            @Nullable Instant closedAt) {}

    public List<Endpoint<Caller>> endpoints() {
        return List.of(
                Endpoint.<Caller>get("/api/projects", "listProjects")
                        .tag(TAG)
                        .says("Projects that I am in; of administrators all")
                        .needs(USER, ACCOUNT)
                        .answers(200, Lists.of(ProjectView.class))
                        .by(this::list),
                Endpoint.<Caller>post("/api/projects", "createProject")
                        .tag(TAG)
                        .says("Make a project: administrators only")
                        .needs(USER, ACCOUNT)
                        .takes(NewProject.class)
                        .answers(201, ProjectView.class)
                        .refuses(403, 409)
                        .by(this::create),
                Endpoint.<Caller>get("/api/projects/{id}", "getProject")
                        .tag(TAG)
                        .says("A project and who is in it")
                        .needs(USER, ACCOUNT)
                        .answers(200, ProjectView.class)
                        .by(call -> Answer.ok(view(project(call, Role.VIEWER), call))),
                Endpoint.<Caller>patch("/api/projects/{id}", "changeProject")
                        .tag(TAG)
                        .says(
                                "Change a project's title, or (administrators) how many GPUs it may use")
                        .needs(USER, ACCOUNT)
                        .takes(ProjectChange.class)
                        .answers(200, ProjectView.class)
                        .refuses(403)
                        .by(this::change),
                Endpoint.<Caller>delete("/api/projects/{id}", "closeProject")
                        .tag(TAG)
                        .says("Close a project: nothing is launched for it any more")
                        .needs(USER, ACCOUNT)
                        .answers(204, Void.class)
                        .refuses(403)
                        .by(this::close),
                Endpoint.<Caller>put("/api/projects/{id}/members", "putMember")
                        .tag(TAG)
                        .says("Add somebody, or change what they may do: owner, member or viewer")
                        .needs(USER, ACCOUNT)
                        .takes(NewMember.class)
                        .answers(200, ProjectView.class)
                        .refuses(403, 409)
                        .by(this::putMember),
                Endpoint.<Caller>delete("/api/projects/{id}/members/{person}", "removeMember")
                        .tag(TAG)
                        .says("Take somebody out of a project; oneself, too")
                        .needs(USER, ACCOUNT)
                        .answers(204, Void.class)
                        .refuses(403, 409)
                        .by(this::removeMember));
    }

    private Answer list(Call<Caller> call) {
        var caller = call.caller().person();
        return Answer.ok(
                projects.list(caller.isAdmin() ? null : caller.id()).stream()
                        .map(project -> view(project, call))
                        .toList());
    }

    private Answer create(Call<Caller> call) {
        requireAdministrator(call);
        var wish = call.body(NewProject.class);
        var name = wish.name();
        new Fields()
                .require(
                        name != null && NAME.matcher(name).matches(),
                        "name",
                        "must be a word of at most 30 small letters, digits and hyphens")
                .line("title", wish.title() == null ? name : wish.title())
                .require(isQuota(wish.maxGpus()), "max_gpus", "must be 0 or more, or null")
                .check();
        var owner = wish.owner() == null ? call.caller().person().id() : person(wish.owner());
        var title = wish.title() == null ? String.valueOf(name) : wish.title();
        var made =
                projects.create(String.valueOf(name), title, wish.maxGpus(), owner, clock.instant())
                        .orElseThrow(() ->
                                Problem.of(
                                        409,
                                        "project-exists",
                                        "There is a project %s already.".formatted(name),
                                        "Choose another name."));
        audit.add(call, "project.create", made.name(), quota(made.maxGpus()));
        return Answer.created("/api/projects/" + made.id(), view(made, call));
    }

    private static boolean isQuota(@Nullable Integer gpus) {
        return gpus == null || gpus >= 0 && gpus <= MOST_GPUS;
    }

    private static String quota(@Nullable Integer gpus) {
        return gpus == null ? "no limit" : gpus + " GPUs";
    }

    private static void requireAdministrator(Call<Caller> call) {
        if (!call.caller().person().isAdmin()) {
            throw Problem.of(
                    403,
                    "administrators-only",
                    "Only administrators can do that.",
                    "Ask one of them.");
        }
    }

    private UUID person(@Nullable String email) {
        new Fields().email(email).check();
        return people.byEmail(String.valueOf(email))
                .orElseThrow(() -> Problem.field("email", "is nobody's who has an account here"))
                .id();
    }

    /// The project, if the caller is at least that in it, or an administrator.
    private Projects.Project project(Call<Caller> call, Role atLeast) {
        var caller = call.caller().person();
        var project =
                projects.find(call.id("id", "project"))
                        .orElseThrow(() -> Problem.notFound("project"));
        if (caller.isAdmin()) {
            return project;
        }
        var role =
                projects.roleOf(project.id(), caller.id())
                        .orElseThrow(() -> Problem.notFound("project"));
        if (!role.isAtLeast(atLeast)) {
            throw Problem.of(
                    403,
                    "role-needed",
                    "You are %s of this project; that needs its %s."
                            .formatted(role.word(), atLeast.word()),
                    "Ask one of its owners.");
        }
        return project;
    }

    private ProjectView view(Projects.Project project, Call<Caller> call) {
        return new ProjectView(
                project.id(),
                project.name(),
                project.title(),
                project.account(),
                project.maxGpus(),
                projects.roleOf(project.id(), call.caller().person().id()).orElse(null),
                projects.members(project.id()),
                project.createdAt(),
                project.closedAt());
    }

    private Answer change(Call<Caller> call) {
        var project = project(call, Role.OWNER);
        var wish = call.body(ProjectChange.class);
        var gpus = wish.maxGpus();
        var fields = new Fields();
        if (wish.title() != null) {
            fields.line("title", wish.title());
        }
        fields.require(
                        gpus == null || gpus == -1 || isQuota(gpus),
                        "max_gpus",
                        "must be 0 or more, or -1 for no limit")
                .check();
        if (gpus != null) {
            requireAdministrator(call);
            audit.add(
                    call, "project.quota", project.name(), gpus == -1 ? quota(null) : quota(gpus));
        }
        projects.change(
                project.id(), wish.title(), gpus == null || gpus == -1 ? null : gpus, gpus != null);
        return Answer.ok(view(projects.find(project.id()).orElseThrow(), call));
    }

    private Answer close(Call<Caller> call) {
        var project = project(call, Role.OWNER);
        projects.close(project.id(), clock.instant());
        audit.add(call, "project.close", project.name(), "");
        return Answer.nothing();
    }

    private Answer putMember(Call<Caller> call) {
        var project = project(call, Role.OWNER);
        var wish = call.body(NewMember.class);
        var person = person(wish.email());
        var role = role(wish.role());
        set(call, project, person, role);
        return Answer.ok(view(project, call));
    }

    private static Role role(@Nullable String word) {
        return switch (word == null ? "" : word.toLowerCase(Locale.ROOT)) {
            case "owner" -> Role.OWNER;
            case "member", "" -> Role.MEMBER;
            case "viewer" -> Role.VIEWER;
            default -> throw Problem.field("role", "must be owner, member or viewer");
        };
    }

    private Answer removeMember(Call<Caller> call) {
        var person = call.id("person", "member");
        var isOneself = person.equals(call.caller().person().id());
        var project = project(call, isOneself ? Role.VIEWER : Role.OWNER);
        if (projects.roleOf(project.id(), person).isEmpty()) {
            throw Problem.notFound("member");
        }
        set(call, project, person, null);
        return Answer.nothing();
    }

    private void set(
            Call<Caller> call, Projects.Project project, UUID person, @Nullable Role role) {
        if (!projects.setRole(project.id(), person, role, clock.instant())) {
            throw Problem.of(
                    409,
                    "last-owner",
                    "A project has at least one owner, and this is the only one.",
                    "Make somebody else an owner first.");
        }
        audit.add(
                call,
                "project.member",
                project.name(),
                person + " " + (role == null ? "removed" : role.word()));
    }
}
