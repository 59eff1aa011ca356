package dev.spur.runtime.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.postgresql.PGConnection;

/// Makes the databases of a server of our own, each with the only role that may connect to it.
final class Roles {
    private final DatabaseAddress superuser;
    private final PostgresHome home;

    Roles(DatabaseAddress superuser, PostgresHome home) {
        this.superuser = superuser;
        this.home = home;
    }

    void prepare(List<String> databases) {
        try (var connection = superuser.plain("spur").getConnection()) {
            for (var database : databases) {
                prepare(connection, database);
            }
        } catch (SQLException e) {
            throw new PostgresException("cannot make the databases %s".formatted(databases), e);
        }
    }

    private void prepare(Connection connection, String name) throws SQLException {
        if (!name.matches("[a-z][a-z0-9_]{0,40}")) {
            throw new IllegalArgumentException("no name for a database: " + name);
        }
        var isKnown = exists(connection, "select 1 from pg_roles where rolname = ?", name);
        if (!isKnown) {
            execute(connection, "create role %s login".formatted(name));
        }
        if (!isKnown || !Passwords.exists(home, name)) {
            Passwords.create(home, name);
            // The driver sends what the server keeps, not the password: no log of statements can
            // show it.
            connection
                    .unwrap(PGConnection.class)
                    .alterUserPassword(
                            name,
                            Passwords.read(home, name).reveal().toCharArray(),
                            "scram-sha-256");
        }
        if (!exists(connection, "select 1 from pg_database where datname = ?", name)) {
            execute(connection, "create database %s owner %s".formatted(name, name));
        }
        execute(connection, "revoke all on database %s from public".formatted(name));
    }

    private static boolean exists(Connection connection, String query, String name)
            throws SQLException {
        try (var statement = connection.prepareStatement(query)) {
            statement.setString(1, name);
            try (var rows = statement.executeQuery()) {
                return rows.next();
            }
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
