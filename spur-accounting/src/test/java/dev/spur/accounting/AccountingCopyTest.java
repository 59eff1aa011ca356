package dev.spur.accounting;

import static dev.spur.accounting.Told.CLUSTER;
import static dev.spur.accounting.Told.NOON;
import static dev.spur.accounting.Told.ended;
import static dev.spur.accounting.Told.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.accounting.ingest.RecordStore;
import dev.spur.accounting.job.Months;
import dev.spur.accounting.usage.RollUp;
import dev.spur.api.v1.NodeRecord;
import dev.spur.runtime.postgres.DatabaseCopy;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What `spurdbd export` writes and `spurdbd import` reads.
class AccountingCopyTest {
    private final Instant now = NOON.plusSeconds(86_400 * 40L);

    @Test
    void whatWasExportedAndImportedIsTheSameAndGoesOn() {
        try (var from = TestDatabase.create();
                var to = TestDatabase.create()) {
            var told = new Told().capacity(NOON, 8);
            told.job(NOON, ended(1, NOON, NOON.plusSeconds(7200)))
                    .job(NOON.plusSeconds(86_400 * 30L), job(2).setName("tab\t and \\. and \n"))
                    .node(NOON, NodeRecord.newBuilder().setName("n1").setState("DOWN"));
            new RecordStore(from.jdbi(), new Months(from.jdbi()), () -> now, CLUSTER, "identity")
                    .store(told.all());
            new RollUp(from.jdbi(), () -> now).run();

            var exported = export(from);
            var rows =
                    DatabaseCopy.importFrom(
                            new ByteArrayInputStream(exported),
                            to.address(),
                            AccountingDatabase.USE);

            assertThat(rows).isGreaterThan(10);
            assertThat(export(to)).isEqualTo(exported);
            told.job(now, job(3).setSubmitMicros(Told.micros(now)));
            var store =
                    new RecordStore(
                            to.jdbi(), new Months(to.jdbi()), () -> now, CLUSTER, "identity");
            store.store(told.all());
            int jobs =
                    to.jdbi()
                            .withHandle(handle ->
                                    handle.createQuery("select count(*) from job")
                                            .mapTo(Integer.class)
                                            .one());
            assertThat(jobs).isEqualTo(3);
        }
    }

    private static byte[] export(TestDatabase database) {
        var stream = new ByteArrayOutputStream();
        DatabaseCopy.exportTo(stream, database.address(), AccountingDatabase.USE);
        return stream.toByteArray();
    }

    @Test
    void whoNamesNoFileOrOneThatIsThereIsToldSo(@TempDir Path directory) throws Exception {
        var there = java.nio.file.Files.writeString(directory.resolve("a"), "mine");

        assertThat(said("export")).contains("name a file");
        assertThat(said("export", there.toString())).contains("is there already");
        assertThat(said("import", directory.resolve("b").toString())).contains("there is no file");
        assertThat(
                        said(
                                "export",
                                directory.resolve("c").toString(),
                                "--state-dir",
                                directory.resolve("none").toString()))
                .contains("Name the daemon's --state-dir");
        assertThat(there).hasContent("mine");
        assertThat(directory.resolve("c")).doesNotExist();
    }

    private static String said(String... arguments) {
        var err = new ByteArrayOutputStream();
        var verbs =
                new DatabaseVerbs(
                        new java.io.PrintStream(new ByteArrayOutputStream(), true),
                        new java.io.PrintStream(err, true));
        assertThat(verbs.run(arguments)).isEqualTo(1);
        return err.toString(java.nio.charset.StandardCharsets.UTF_8);
    }
}
