package dev.spur.cloud.terminal;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;
import org.jspecify.annotations.Nullable;

/// Which shells sessions have. The only place that knows the table `session_shell`.
final class ShellTable {
    static final int MOST_OF_ONE_SESSION = 16;

    private final Jdbi db;

    ShellTable(Jdbi db) {
        this.db = db;
    }

    /// A shell by the name of its tab.
    ///
    /// @param requestId by which it is, or was, started
    /// @param step null until it has started
    record Shell(
            UUID sessionId,
            String name,
            String run,
            String requestId,
            @Nullable String step,
            Instant startedAt) {}

    /// The tab's shell, or a new row for one: whoever comes at the same moment finds the same.
    /// Empty: the session has as many as it can have.
    Optional<Shell> claim(UUID session, String name, String run, Instant at) {
        return db.inTransaction(handle -> {
            handle.createUpdate(
                            "delete from session_shell where session_id = :session and run <> :run")
                    .bind("session", session)
                    .bind("run", run)
                    .execute();
            handle.createUpdate(
                            """
                            insert into session_shell (session_id, name, run, request_id, started_at)
                            select :session, :name, :run, :request, :at
                             where (select count(*) from session_shell where session_id = :session) < :most
                            on conflict (session_id, name) do nothing
                            """)
                    .bind("session", session)
                    .bind("name", name)
                    .bind("run", run)
                    .bind("request", UUID.randomUUID().toString())
                    .bind("at", at)
                    .bind("most", MOST_OF_ONE_SESSION)
                    .execute();
            return handle.createQuery(
                            "select * from session_shell where session_id = :session and name = :name")
                    .bind("session", session)
                    .bind("name", name)
                    .map(ConstructorMapper.of(Shell.class))
                    .findOne();
        });
    }

    void started(Shell shell, String step) {
        db.useHandle(handle ->
                handle.createUpdate(
                                """
                                update session_shell set step = :step
                                 where session_id = :session and name = :name and request_id = :request
                                """)
                        .bind("step", step)
                        .bind("session", shell.sessionId())
                        .bind("name", shell.name())
                        .bind("request", shell.requestId())
                        .execute());
    }

    /// It has ended: the next who opens the tab has a new one.
    void forget(Shell shell) {
        db.useHandle(handle ->
                handle.createUpdate(
                                """
                                delete from session_shell
                                 where session_id = :session and name = :name and request_id = :request
                                """)
                        .bind("session", shell.sessionId())
                        .bind("name", shell.name())
                        .bind("request", shell.requestId())
                        .execute());
    }

    List<Shell> of(UUID session, String run) {
        return db.withHandle(handle ->
                handle.createQuery(
                                """
                                select * from session_shell where session_id = :session and run = :run
                                 order by started_at, name
                                """)
                        .bind("session", session)
                        .bind("run", run)
                        .map(ConstructorMapper.of(Shell.class))
                        .list());
    }
}
