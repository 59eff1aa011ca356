package dev.spur.controller.record;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spur.api.v1.RecordBatch;
import dev.spur.api.v1.RecordsSeen;
import dev.spur.controller.accounting.Spool;
import dev.spur.controller.blob.BlobStore;
import dev.spur.controller.raft.InMemoryLog;
import dev.spur.controller.state.ClusterReplica;
import dev.spur.controller.state.EventFeed;
import dev.spur.controller.state.Proposal;
import dev.spur.controller.state.ProposalCodec;
import dev.spur.controller.state.Proposals;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.fixture.Heart;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.RecordNumber;
import dev.spur.engine.state.Result;
import dev.spur.model.BlobRef;
import dev.spur.model.ClusterConfig;
import dev.spur.model.ClusterRules;
import dev.spur.model.NodeSpec;
import dev.spur.model.PartitionSpec;
import dev.spur.model.fixture.JobFixture;
import dev.spur.model.fixture.NodeFixture;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Everything runs on the test's thread: when a call returns, what it led to has happened.
class RecordLinkTest {
    @TempDir Path directory;

    private final ReplicatedState state = new ReplicatedState();
    private final EventFeed feed = new EventFeed(state, Runnable::run);
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final InstantSource clock = InstantSource.fixed(Heart.START);
    private BlobStore blobs;
    private Spool spool;
    private InMemoryLog<Proposal, Result> log;
    private Proposals proposals;
    private RecordLink link;
    private AutoCloseable term;

    @BeforeEach
    void start() throws Exception {
        blobs = BlobStore.open(directory.resolve("blobs"));
        spool = Spool.open(directory.resolve("spool"));
        log = InMemoryLog.alone(new ProposalCodec(), new ClusterReplica(state, blobs, spool, feed));
        proposals = new Proposals(log, state, clock);
        link =
                new RecordLink(
                        spool,
                        blobs,
                        state,
                        proposals,
                        log::leadership,
                        clock,
                        Runnable::run,
                        timer);
        feed.subscribe(link);
        term = link.lead(1);
        var config =
                new ClusterConfig(
                        "test",
                        List.of(PartitionSpec.of("debug", true, "ALL")),
                        List.of(NodeSpec.of("node1", NodeFixture.node().shape())),
                        ClusterRules.DEFAULTS);
        propose(at -> new Command.ApplyConfig(at, "", Heart.ADMIN, config));
    }

    @AfterEach
    void stop() throws Exception {
        timer.shutdownNow();
        log.close();
        blobs.close();
        spool.close();
    }

    @Test
    void aDatabaseGetsEverythingFromItsFirstConnectionOnInOrder() throws Exception {
        submit("before");
        var database = connect("db1", RecordNumber.NONE);

        submit("after");

        assertThat(database.jobs()).containsExactly("before", "after");
        assertThat(database.numbers()).isSorted().doesNotHaveDuplicates();
        assertThat(database.batches.getFirst().getRecords(0).getCluster().getBegins()).isTrue();
        assertThat(database.batches).noneMatch(RecordBatch::getGap);
    }

    @Test
    void whoComesBackGoesOnBehindWhatItHas() throws Exception {
        var first = connect("db1", RecordNumber.NONE);
        submit("one");
        link.closed(first.stream());
        submit("two");

        var again = connect("db1", first.numbers().getLast());

        assertThat(first.jobs()).containsExactly("one");
        assertThat(again.jobs()).containsExactly("two");
    }

    @Test
    void nothingIsSentAsLongAsTheDatabaseDoesNotRead() throws Exception {
        var database = connect("db1", RecordNumber.NONE);
        database.isReady = false;
        submit("one");
        assertThat(database.jobs()).isEmpty();

        database.isReady = true;
        database.stream().wake();

        assertThat(database.jobs()).containsExactly("one");
    }

    @Test
    void aScriptComesWithTheFirstRecordThatNamesIt() throws Exception {
        var database = connect("db1", RecordNumber.NONE);

        submit("one");
        submit("one");

        var files = database.batches.stream().flatMap(batch -> batch.getFilesList().stream());
        assertThat(files)
                .singleElement()
                .returns("script of one", file -> file.getContent().toStringUtf8());
    }

    @Test
    void theNewerOfTwoDatabasesIsServed() throws Exception {
        var old = connect("db1", RecordNumber.NONE);
        var newer = connect("db2", old.numbers().getLast());

        submit("one");

        assertThat(old.jobs()).isEmpty();
        assertThat(old.failure).hasMessageContaining("db2").hasMessageContaining("which has one");
        assertThat(newer.jobs()).containsExactly("one");
    }

    @Test
    void aDatabaseThatIsAheadOfTheClusterIsRefusedInWords() {
        assertThatThrownBy(() -> connect("db1", new RecordNumber(5000, 1)))
                .hasMessageContaining("records of cluster test up to 5000.1")
                .hasMessageContaining("another name");
    }

    @Test
    void whatWasNeverSentCannotBeAcknowledged() throws Exception {
        var database = connect("db1", RecordNumber.NONE);

        database.stream().acknowledge(new RecordNumber(5000, 1));

        assertThat(database.failure).hasMessageContaining("5000.1");
        assertThat(state.snapshot().recording().stored()).isEqualTo(RecordNumber.NONE);
    }

    /// Its records were stored, acknowledged and deleted, and then it was restored from a backup.
    @Test
    void aDatabaseThatLostRecordsIsToldAndGetsAllThatIsAliveAnew() throws Exception {
        var database = connect("db1", RecordNumber.NONE);
        submit("old");
        var had = database.numbers().getLast();
        forgetEverything();
        submit("new");
        forgetEverything();

        var restored = connect("db1", had);

        assertThat(restored.batches.getFirst().getGap()).isTrue();
        assertThat(restored.jobs()).endsWith("old", "new");
        assertThat(restored.numbers()).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void whatIsAcknowledgedBecomesPartOfTheState() throws Exception {
        var database = connect("db1", RecordNumber.NONE);
        submit("one");
        var last = database.numbers().getLast();
        database.stream().acknowledge(last);

        link.passOnAcknowledged();

        assertThat(state.snapshot().recording().stored()).isEqualTo(last);
        assertThat(state.snapshot().recording().address()).isEqualTo("db1:6819");
    }

    @Test
    void aDatabaseWithRecordsOfAnotherClusterOfTheNameGetsThisOneFromItsBeginning() {
        var other =
                connect(
                        RecordsSeen.newBuilder()
                                .setEntry(1_000_000)
                                .setIdentity("of one that was here before"));

        assertThat(other.failure).isNull();
        assertThat(other.batches.getFirst().getRecords(0).getCluster().getBegins()).isTrue();
        assertThat(other.batches)
                .extracting(RecordBatch::getIdentity)
                .containsOnly(state.snapshot().recording().identity())
                .doesNotContain("");
    }

    @Test
    void theIdentityOfTheRecordsStaysWhatItIs() throws Exception {
        connect("db1", RecordNumber.NONE);
        var identity = state.snapshot().recording().identity();

        submit("x"); // recorded anew

        assertThat(state.snapshot().recording().identity()).isEqualTo(identity).isNotEmpty();
    }

    @Test
    void whoeverLeadsNoLongerSendsTheDatabaseAway() throws Exception {
        var database = connect("db1", RecordNumber.NONE);

        term.close();

        assertThat(database.failure).isNotNull();
        assertThatThrownBy(() -> connect("db1", RecordNumber.NONE))
                .isInstanceOf(RuntimeException.class);
    }

    private void forgetEverything() throws Exception {
        spool.linkInto(Files.createDirectories(directory.resolve("snapshot" + spool.last())));
        submit("x");
        spool.linkInto(Files.createDirectories(directory.resolve("snapshot" + spool.last())));
        spool.forget(spool.last());
    }

    private void submit(String name) throws Exception {
        if (name.equals("x")) {
            propose(at -> new Command.BeginRecords(at, "a"));
            return;
        }
        var text = ("script of " + name).getBytes(UTF_8);
        var script = new BlobRef(BlobStore.hashOf(text), text.length);
        var spec = JobFixture.job().named(name).held().spec();
        var result =
                proposals
                        .propose(
                                at ->
                                        new Command.SubmitJob(
                                                at, "", Heart.ALICE, spec, script, null),
                                List.of(new Proposal.Blob(script, text)))
                        .get();
        assertThat(result).isInstanceOf(Result.Submitted.class);
    }

    private void propose(java.util.function.Function<java.time.Instant, Command> command)
            throws Exception {
        CompletableFuture<Result> result = proposals.propose(command);
        result.get();
    }

    private Database connect(String name, RecordNumber has) {
        return connect(
                RecordsSeen.newBuilder()
                        .setEntry(has.entry())
                        .setOrdinal(has.ordinal())
                        .setName(name)
                        .setAddress(name + ":6819"));
    }

    private Database connect(RecordsSeen.Builder seen) {
        var database = new Database();
        database.stream = link.open(seen.build(), database);
        return database;
    }

    /// A database that keeps what it gets.
    private static final class Database implements RecordChannel {
        private final List<RecordBatch> batches = new ArrayList<>();
        private @Nullable RecordStream stream;
        private @Nullable Throwable failure;
        private boolean isReady = true;

        RecordStream stream() {
            return java.util.Objects.requireNonNull(stream);
        }

        List<RecordNumber> numbers() {
            return batches.stream()
                    .flatMap(batch -> batch.getRecordsList().stream())
                    .map(record -> new RecordNumber(record.getEntry(), record.getOrdinal()))
                    .toList();
        }

        List<String> jobs() {
            return batches.stream()
                    .flatMap(batch -> batch.getRecordsList().stream())
                    .filter(dev.spur.api.v1.Record::hasJob)
                    .map(record -> record.getJob().getName())
                    .toList();
        }

        @Override
        public boolean isReady() {
            return isReady;
        }

        @Override
        public void send(RecordBatch batch) {
            batches.add(batch);
        }

        @Override
        public void end(@Nullable Throwable cause) {
            failure = cause;
        }
    }
}
