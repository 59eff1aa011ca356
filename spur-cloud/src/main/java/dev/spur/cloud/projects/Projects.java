package dev.spur.cloud.projects;

import dev.spur.cloud.users.People;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;
import org.jdbi.v3.core.statement.UnableToExecuteStatementException;
import org.jspecify.annotations.Nullable;

/// The only place that knows the tables `project` and `project_member`.
public final class Projects {
    private final Jdbi db;

    public Projects(Jdbi db) {
        this.db = db;
    }

    /// @param name short, as in URLs and the cluster's accounts
    /// @param maxGpus null: as many as there are
    public record Project(
            UUID id,
            String name,
            String title,
            @Nullable Integer maxGpus,
            Instant createdAt,
            @Nullable Instant closedAt) {
        /// Below `cloud` in the cluster's tree of accounts.
        public String account() {
            return "cloud-" + name;
        }
    }

    public record Member(UUID person, String username, String email, Role role, Instant addedAt) {}

    /// Empty: the name is taken.
    public Optional<Project> create(
            String name, String title, @Nullable Integer maxGpus, UUID owner, Instant at) {
        try {
            return Optional.of(
                    db.inTransaction(handle -> {
                        var project =
                                handle.createQuery(
                                                """
                                                insert into project (id, name, title, max_gpus, created_by, created_at)
                                                values (:id, :name, :title, :gpus, :by, :at)
                                                returning id, name, title, max_gpus, created_at, closed_at
                                                """)
                                        .bind("id", UUID.randomUUID())
                                        .bind("name", name)
                                        .bind("title", title)
                                        .bind("gpus", maxGpus)
                                        .bind("by", owner)
                                        .bind("at", at)
                                        .map(ConstructorMapper.of(Project.class))
                                        .one();
                        put(handle, project.id(), owner, Role.OWNER, at);
                        return project;
                    }));
        } catch (UnableToExecuteStatementException e) {
            if (People.isDuplicate(e)) {
                return Optional.empty();
            }
            throw e;
        }
    }

    public Optional<Project> find(UUID id) {
        return db.withHandle(handle ->
                handle.createQuery(
                                "select id, name, title, max_gpus, created_at, closed_at from project where id = :id")
                        .bind("id", id)
                        .map(ConstructorMapper.of(Project.class))
                        .findOne());
    }

    public Optional<Project> byName(String name) {
        return db.withHandle(handle ->
                handle.createQuery(
                                "select id, name, title, max_gpus, created_at, closed_at from project where name = :name")
                        .bind("name", name)
                        .map(ConstructorMapper.of(Project.class))
                        .findOne());
    }

    /// Those that a person is in; null: all.
    public List<Project> list(@Nullable UUID person) {
        return db.withHandle(handle ->
                handle.createQuery(
                                """
                                select id, name, title, max_gpus, created_at, closed_at from project p
                                 where cast(:person as uuid) is null
                                    or exists (select from project_member m
                                                where m.project_id = p.id and m.person_id = :person)
                                 order by name
                                """)
                        .bind("person", person)
                        .map(ConstructorMapper.of(Project.class))
                        .list());
    }

    public Optional<Role> roleOf(UUID project, UUID person) {
        return db.withHandle(handle ->
                handle.createQuery(
                                "select role from project_member where project_id = :project and person_id = :person")
                        .bind("project", project)
                        .bind("person", person)
                        .mapTo(String.class)
                        .findOne()
                        .map(Role::of));
    }

    public List<Member> members(UUID project) {
        return db.withHandle(handle ->
                handle.createQuery(
                                """
                                select m.person_id as person, p.username, p.email, m.role, m.added_at
                                  from project_member m join person p on p.id = m.person_id
                                 where m.project_id = :project order by m.added_at, p.username
                                """)
                        .bind("project", project)
                        .map((row, _) ->
                                new Member(
                                        row.getObject("person", UUID.class),
                                        row.getString("username"),
                                        row.getString("email"),
                                        Role.of(row.getString("role")),
                                        row.getObject("added_at", java.time.OffsetDateTime.class)
                                                .toInstant()))
                        .list());
    }

    /// False: it would be left without an owner.
    public boolean setRole(UUID project, UUID person, @Nullable Role role, Instant at) {
        return db.inTransaction(handle -> {
            handle.createQuery("select id from project where id = :id for update")
                    .bind("id", project)
                    .mapTo(UUID.class)
                    .one();
            if (role != Role.OWNER && isOnlyOwner(handle, project, person)) {
                return false;
            }
            if (role == null) {
                handle.createUpdate(
                                "delete from project_member where project_id = :project and person_id = :person")
                        .bind("project", project)
                        .bind("person", person)
                        .execute();
            } else {
                put(handle, project, person, role, at);
            }
            return true;
        });
    }

    private static boolean isOnlyOwner(Handle handle, UUID project, UUID person) {
        return handle.createQuery(
                        "select person_id from project_member where project_id = :project and role = 'owner'")
                .bind("project", project)
                .mapTo(UUID.class)
                .list()
                .equals(List.of(person));
    }

    private static void put(Handle handle, UUID project, UUID person, Role role, Instant at) {
        handle.createUpdate(
                        """
                        insert into project_member (project_id, person_id, role, added_at)
                        values (:project, :person, :role, :at)
                        on conflict (project_id, person_id) do update set role = :role
                        """)
                .bind("project", project)
                .bind("person", person)
                .bind("role", role.word())
                .bind("at", at)
                .execute();
    }

    /// What is null stays as it is.
    public void change(
            UUID id, @Nullable String title, @Nullable Integer maxGpus, boolean setsGpus) {
        db.useHandle(handle ->
                handle.createUpdate(
                                """
                                update project set title = coalesce(:title, title),
                                       max_gpus = case when :sets then :gpus else max_gpus end
                                 where id = :id
                                """)
                        .bind("id", id)
                        .bind("title", title)
                        .bind("sets", setsGpus)
                        .bind("gpus", maxGpus)
                        .execute());
    }

    /// Nothing is launched for it any more.
    public void close(UUID id, Instant at) {
        db.useHandle(handle ->
                handle.createUpdate(
                                "update project set closed_at = coalesce(closed_at, :at) where id = :id")
                        .bind("id", id)
                        .bind("at", at)
                        .execute());
    }

    /// Within a transaction of the caller's, in which the quota does not change and nobody else
    /// looks at it.
    public static @Nullable Integer lockedQuota(Handle handle, UUID project) {
        return handle.createQuery("select max_gpus from project where id = :id for update")
                .bind("id", project)
                .map((row, _) -> Optional.ofNullable(row.getObject("max_gpus", Integer.class)))
                .one()
                .orElse(null);
    }
}
