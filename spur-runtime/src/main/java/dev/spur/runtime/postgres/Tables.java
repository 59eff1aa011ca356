package dev.spur.runtime.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// What a database has beside its rows: the tables of its schema, in the order in which they can be
/// filled.
final class Tables {
    private static final String HISTORY = "flyway_schema_history";

    private Tables() {}

    /// @param name as SQL wants it, quoted
    /// @param columns those that can be written, quoted, with commas
    record Table(String name, String columns) {
        String described() {
            return "%s (%s)".formatted(name, columns);
        }

        boolean hasRows(Connection connection) throws SQLException {
            return !column(connection, "select 1 from %s limit 1".formatted(name)).isEmpty();
        }
    }

    /// The version that the migrations have come to.
    static String migration(Connection connection) throws SQLException {
        var versions =
                column(
                        connection,
                        "select version from %s where success and version is not null order by installed_rank desc limit 1"
                                .formatted(HISTORY));
        if (versions.isEmpty()) {
            throw new PostgresException("the database has no tables of Spur");
        }
        return versions.getFirst();
    }

    /// Tables that others refer to come first. One that refers to itself is filled by one
    /// statement, at whose end that is checked.
    static List<Table> inOrder(Connection connection) throws SQLException {
        var tables = new LinkedHashMap<String, Table>();
        for (var row :
                rows(
                        connection,
                        """
                        select quote_ident(c.relname),
                               string_agg(quote_ident(a.attname), ', ' order by a.attnum)
                          from pg_class c
                          join pg_attribute a on a.attrelid = c.oid
                         where c.relnamespace = 'public'::regnamespace
                           and c.relkind in ('r', 'p') and not c.relispartition
                           and c.relname <> '%s'
                           and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
                         group by c.relname
                         order by c.relname collate "C"
                        """
                                .formatted(HISTORY),
                        2)) {
            tables.put(row.getFirst(), new Table(row.getFirst(), row.getLast()));
        }
        var ordered = new ArrayList<Table>();
        for (var name : sorted(tables.keySet(), references(connection))) {
            ordered.add(tables.get(name));
        }
        return ordered;
    }

    private static Map<String, Set<String>> references(Connection connection) throws SQLException {
        var references = new LinkedHashMap<String, Set<String>>();
        for (var row :
                rows(
                        connection,
                        """
                        select quote_ident(c.relname), quote_ident(r.relname)
                          from pg_constraint k
                          join pg_class c on c.oid = k.conrelid
                          join pg_class r on r.oid = k.confrelid
                         where k.contype = 'f' and k.conrelid <> k.confrelid
                           and c.relnamespace = 'public'::regnamespace
                           and not c.relispartition and not r.relispartition
                        """,
                        2)) {
            references
                    .computeIfAbsent(row.getFirst(), _ -> new LinkedHashSet<>())
                    .add(row.getLast());
        }
        return references;
    }

    private static List<String> sorted(Set<String> names, Map<String, Set<String>> references) {
        var ordered = new LinkedHashSet<String>();
        while (ordered.size() < names.size()) {
            var next =
                    names.stream()
                            .filter(name ->
                                    !ordered.contains(name)
                                            && ordered.containsAll(
                                                    references.getOrDefault(name, Set.of())))
                            .findFirst()
                            .orElseThrow(() ->
                                    new IllegalStateException(
                                            "tables refer to each other in a circle, among those other than "
                                                    + ordered));
            ordered.add(next);
        }
        return List.copyOf(ordered);
    }

    /// Each as `name value is-called`.
    static List<String> sequences(Connection connection) throws SQLException {
        var sequences = new ArrayList<String>();
        for (var name :
                column(
                        connection,
                        """
                        select quote_ident(sequencename) from pg_sequences
                         where schemaname = 'public' order by sequencename collate "C"
                        """)) {
            var state =
                    rows(connection, "select last_value, is_called from %s".formatted(name), 2)
                            .getFirst();
            sequences.add("%s %s %s".formatted(name, state.getFirst(), state.getLast()));
        }
        return sequences;
    }

    /// @param here a sequence of this database, as {@link #sequences} gives it
    /// @param exported the same sequence in an export
    static void set(Connection connection, String here, String exported) throws SQLException {
        var name = here.substring(0, here.indexOf(' ') + 1);
        var state = exported.startsWith(name) ? exported.substring(name.length()).split(" ") : null;
        if (state == null || state.length != 2) {
            throw new PostgresException(
                    "the export is damaged: expected the sequence %s, found \"%.200s\""
                            .formatted(name.strip(), exported));
        }
        try (var statement = connection.prepareStatement("select setval(?::regclass, ?, ?)")) {
            statement.setString(1, name.strip());
            statement.setLong(2, Long.parseLong(state[0]));
            statement.setBoolean(3, state[1].equals("t"));
            statement.execute();
        }
    }

    private static List<String> column(Connection connection, String query) throws SQLException {
        return rows(connection, query, 1).stream().map(List::getFirst).toList();
    }

    private static List<List<String>> rows(Connection connection, String query, int columns)
            throws SQLException {
        try (var statement = connection.createStatement();
                var found = statement.executeQuery(query)) {
            var rows = new ArrayList<List<String>>();
            while (found.next()) {
                var row = new ArrayList<String>();
                for (int i = 1; i <= columns; i++) {
                    row.add(found.getString(i));
                }
                rows.add(List.copyOf(row));
            }
            return rows;
        }
    }
}
