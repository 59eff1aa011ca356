package dev.spur.cloud.billing;

import java.util.List;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/// Whose bills somebody sees beside their own: those of projects that they own.
public final class ProjectBills {
    private final Jdbi db;

    public ProjectBills(Jdbi db) {
        this.db = db;
    }

    List<UUID> ownedBy(UUID person) {
        return db.withHandle(handle ->
                handle.createQuery(
                                "select project_id from project_member where person_id = :person and role = 'owner'")
                        .bind("person", person)
                        .mapTo(UUID.class)
                        .list());
    }
}
