package dev.spur.runtime.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class DatabaseCopyTest {
    private static final Database.Use USE =
            new Database.Use("test", "dev/spur/runtime/postgres/sql", 2);

    private static EmbeddedPostgres postgres;
    private static byte[] exported;

    @BeforeAll
    static void fillAndExport() {
        postgres = EmbeddedPostgres.open(TestPostgres.home(), List.of("whole", "copy", "cut"));
        Database.open(postgres.database("whole"), USE).close();
        jdbi("whole")
                .useHandle(h -> {
                    h.execute("insert into account values ('site', null), ('physics', 'site')");
                    h.execute(
                            """
                            insert into job (account, name, gpus, submitted, script)
                            select 'physics', e'tab\\t, line\\n, \\\\. and ü', nullif(i % 3, 0),
                                   timestamptz '2026-01-01' + i * interval '1 hour', '\\x00ff'
                              from generate_series(1, 1000) i
                            """);
                });
        var stream = new ByteArrayOutputStream();
        assertThat(DatabaseCopy.exportTo(stream, postgres.database("whole"), USE)).isEqualTo(1002);
        exported = stream.toByteArray();
    }

    @AfterAll
    static void close() {
        postgres.close();
    }

    @Test
    void importedDatabaseHasTheSameRowsAndGoesOnCounting() {
        var to = postgres.database("copy");

        assertThat(DatabaseCopy.importFrom(new ByteArrayInputStream(exported), to, USE))
                .isEqualTo(1002);

        var again = new ByteArrayOutputStream();
        DatabaseCopy.exportTo(again, to, USE);
        assertThat(again.toByteArray()).isEqualTo(exported);
        jdbi("copy")
                .useHandle(h ->
                        h.execute(
                                "insert into job (account, name, submitted) values ('site', 'next', now())"));
        assertThat(count("copy", "job where id = 1001")).isEqualTo(1);
        assertThatThrownBy(
                        () -> DatabaseCopy.importFrom(new ByteArrayInputStream(exported), to, USE))
                .hasMessageContaining("the database is not empty: table account has rows");
    }

    @Test
    void exportThatWasCutOffChangesNothing() {
        var half = Arrays.copyOf(exported, exported.length - 20);

        assertThatThrownBy(() ->
                        DatabaseCopy.importFrom(
                                new ByteArrayInputStream(half), postgres.database("cut"), USE))
                .hasMessageContaining("damaged");

        assertThat(count("cut", "account")).isZero();
    }

    private static int count(String database, String what) {
        return jdbi(database)
                .withHandle(h ->
                        h.createQuery("select count(*) from " + what).mapTo(Integer.class).one());
    }

    private static Jdbi jdbi(String database) {
        return Jdbi.create(postgres.database(database).plain("test"));
    }
}
