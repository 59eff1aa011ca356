package dev.spur.runtime.postgres;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spur.runtime.config.Secret;
import dev.spur.runtime.host.Users;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EmbeddedPostgresTest {
    private static final List<String> BOTH = List.of("spur", "spur_cloud");

    private final PostgresHome home = TestPostgres.home();
    private EmbeddedPostgres postgres = EmbeddedPostgres.open(home, BOTH);

    @AfterEach
    void close() {
        postgres.close();
    }

    @Test
    void whatWasWrittenIsThereAfterARestart() {
        jdbi("spur").useHandle(h -> h.execute("create table kept as select 7 as seven"));

        reopen();

        assertThat(number("select seven from kept")).isEqualTo(7);
    }

    @Test
    void serverThatIsKilledIsStartedAgainAndThePoolGoesOn() {
        try (var database = Database.open(postgres.database("spur"), use())) {
            database.jdbi().useHandle(h -> h.execute("insert into account values ('physics')"));
            var former = ProcessHandle.of(postgres.pid()).orElseThrow();

            former.destroyForcibly();
            former.onExit().join();

            while (!database.answers()) {
                Thread.onSpinWait(); // each question waits for seconds by itself
            }
            assertThat(number("select count(*) from account")).isEqualTo(1);
            assertThat(postgres.pid()).isNotEqualTo(former.pid());
        }
    }

    @Test
    void serverEndsWhenItsOwnerIsKilledAndTheNextOwnerFindsTheData() throws Exception {
        jdbi("spur").useHandle(h -> h.execute("create table kept as select 7 as seven"));
        postgres.close();
        var owner = Owner.start(home.directory());
        var server = ProcessHandle.of(pidFrom(owner)).orElseThrow();

        owner.destroyForcibly().waitFor();
        postgres = EmbeddedPostgres.open(home, BOTH); // at once, while the former may still end

        assertThat(number("select seven from kept")).isEqualTo(7);
        server.onExit().get(10, TimeUnit.SECONDS);
    }

    @Test
    void serverWhoseKeeperIsKilledEndsAndIsStartedAgain() throws Exception {
        try (var database = Database.open(postgres.database("spur"), use())) {
            var server = ProcessHandle.of(postgres.pid()).orElseThrow();

            server.parent().orElseThrow().destroyForcibly();

            server.onExit().get(10, TimeUnit.SECONDS);
            while (!database.answers()) {
                Thread.onSpinWait(); // each question waits for seconds by itself
            }
            assertThat(postgres.pid()).isNotEqualTo(server.pid());
        }
    }

    @Test
    void pidFileThatNamesAnotherProcessByNowIsStale() throws IOException {
        postgres.close();
        Files.writeString(
                home.data().resolve("postmaster.pid"),
                "%d\n%s\n1\n5432\n\n\n\nready   \n"
                        .formatted(ProcessHandle.current().pid(), home.data()));
        home.give(home.data().resolve("postmaster.pid"));

        postgres = EmbeddedPostgres.open(home, BOTH);

        assertThat(number("select 1")).isEqualTo(1);
    }

    @Test
    void secondOwnerIsRefusedInWords() {
        assertThatThrownBy(() -> EmbeddedPostgres.open(home, BOTH))
                .hasMessageContaining(
                        "a daemon with a database already runs here (pid %d",
                        ProcessHandle.current().pid());
    }

    @Test
    void serverThatSomebodyElseStartedIsRefusedInWords() {
        postgres.close();
        var foreign =
                Keeper.start(
                        home,
                        List.of(
                                home.binaries().program("postgres").toString(),
                                "-D",
                                home.data().toString()),
                        ProcessBuilder.Redirect.DISCARD);
        while (Postmaster.of(home.data()).filter(Postmaster::isReady).isEmpty()) {
            assertThat(foreign.isAlive()).isTrue();
        }

        assertThatThrownBy(() -> EmbeddedPostgres.open(home, BOTH))
                .isInstanceOf(PostgresException.class)
                .hasMessageContaining("a PostgreSQL that Spur did not start uses " + home.data());

        Keeper.stop(foreign);
    }

    @Test
    void dataOfAnotherMajorVersionAreRefusedWithTheCommandToRun() throws IOException {
        postgres.close();
        Files.writeString(home.data().resolve("PG_VERSION"), "14\n");

        assertThatThrownBy(() -> EmbeddedPostgres.open(home, BOTH))
                .hasMessageContaining("holds data of PostgreSQL 14")
                .hasMessageContaining("spurdbd export FILE")
                .hasMessageContaining("spurdbd import FILE");
    }

    @Test
    void nobodyButTheOwnerReachesTheServer() throws IOException {
        assertThat(mode(home.directory())).isEqualTo("rwx------");
        assertThat(mode(home.directory().resolve("run"))).isEqualTo("rwx------");
        assertThat(mode(home.password("spur"))).isEqualTo("rw-------");
        assertThat(text("show listen_addresses")).isEmpty();
    }

    @Test
    void roleNeedsItsPasswordAndEntersItsOwnDatabaseOnly() {
        var spur = postgres.database("spur");
        var guessed = new DatabaseAddress(spur.url(), "spur", Secret.parse("x"), spur.socket());
        var stranger =
                new DatabaseAddress(
                        postgres.database("spur_cloud").url(),
                        "spur",
                        spur.password(),
                        spur.socket());

        assertThatThrownBy(() -> guessed.plain("test").getConnection())
                .hasMessageContaining("password authentication failed");
        assertThatThrownBy(() -> stranger.plain("test").getConnection())
                .hasMessageContaining("permission denied for database \"spur_cloud\"");
    }

    @Test
    void serverIsNeverRoot() throws IOException {
        var account = home.account();
        var expected = account == null ? Users.currentUid() : account.uid();

        var uid = Files.getAttribute(Path.of("/proc/" + postgres.pid()), "unix:uid");

        assertThat(((Integer) uid).longValue()).isEqualTo(expected).isNotZero();
    }

    @Test
    void writesAreOnDiskWhenTheyAreDone() {
        assertThat(List.of(text("show fsync"), text("show synchronous_commit"))).containsOnly("on");
    }

    @Test
    void statementsAndLocksOfThePoolHaveAnEnd() {
        try (var database = Database.open(postgres.database("spur"), use())) {
            var settings =
                    database.jdbi()
                            .withHandle(h ->
                                    h.createQuery(
                                                    "select current_setting('statement_timeout') || ' ' || current_setting('lock_timeout')")
                                            .mapTo(String.class)
                                            .one());

            assertThat(settings).isEqualTo("30s 10s");
        }
    }

    @Test
    void pathTooLongForASocketHasItElsewhere() {
        var deep = TestPostgres.directory().resolve("d".repeat(100)).resolve("postgres");
        var other = TestPostgres.home(deep);

        try (var server = EmbeddedPostgres.open(other, BOTH)) {
            assertThat(requireNonNull(server.database("spur").socket()).toString())
                    .hasSizeLessThan(107);
            var one =
                    Jdbi.create(server.database("spur").plain("test"))
                            .withHandle(h -> h.createQuery("select 1").mapTo(Integer.class).one());
            assertThat(one).isEqualTo(1);
        }
    }

    private void reopen() {
        postgres.close();
        postgres = EmbeddedPostgres.open(home, BOTH);
    }

    private static Database.Use use() {
        return new Database.Use("test", "dev/spur/runtime/postgres/sql", 3);
    }

    private static long pidFrom(Process owner) throws IOException {
        return Long.parseLong(owner.inputReader().readLine());
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    private Jdbi jdbi(String database) {
        return Jdbi.create(postgres.database(database).plain("test"));
    }

    private int number(String query) {
        return jdbi("spur").withHandle(h -> h.createQuery(query).mapTo(Integer.class).one());
    }

    private String text(String query) {
        return jdbi("spur").withHandle(h -> h.createQuery(query).mapTo(String.class).one());
    }
}
