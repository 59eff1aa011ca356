package dev.spur.accounting.cluster;

import static dev.spur.accounting.Told.CLUSTER;
import static dev.spur.accounting.Told.NOON;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spur.accounting.TestDatabase;
import dev.spur.accounting.Told;
import dev.spur.accounting.account.TransactionRepository;
import dev.spur.accounting.ingest.RecordStore;
import dev.spur.accounting.job.Months;
import dev.spur.api.v1.AccountView;
import dev.spur.api.v1.AccountsChanged;
import dev.spur.api.v1.ClusterEvent;
import dev.spur.api.v1.ListEventsRequest;
import dev.spur.api.v1.ListTransactionsRequest;
import dev.spur.api.v1.NodeRecord;
import dev.spur.api.v1.Record;
import dev.spur.api.v1.Transaction;
import dev.spur.api.v1.UserView;
import dev.spur.model.notation.NotationException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// `sacctmgr show event` and `show transactions`.
class EventListingTest {
    private static final TestDatabase DATABASE = TestDatabase.create();

    private final Told told = new Told();
    private final Instant now = NOON.plusSeconds(3600);

    @AfterAll
    static void close() {
        DATABASE.close();
    }

    @BeforeEach
    void anHourOfTwoNodes() {
        DATABASE.empty();
        told.capacity(NOON, 8)
                .node(NOON, down("n1", "power").setReasonUser("root"))
                .node(NOON.plusSeconds(60), down("n2", "fan; drop table job; --"))
                .node(NOON.plusSeconds(600), NodeRecord.newBuilder().setName("n1").setServes(true))
                .capacity(NOON.plusSeconds(1800), 16);
        store();
    }

    private void store() {
        new RecordStore(DATABASE.jdbi(), new Months(DATABASE.jdbi()), () -> now, CLUSTER)
                .store(told.all());
    }

    private static NodeRecord.Builder down(String name, String reason) {
        return NodeRecord.newBuilder().setName(name).setState("DOWN").setReason(reason);
    }

    private List<String> events(ListEventsRequest.Builder request) {
        var events = new ArrayList<ClusterEvent>();
        new EventListing(DATABASE.jdbi(), () -> now).each(request.build(), events::add);
        return events.stream()
                .map(event ->
                        event.getNode().isEmpty()
                                ? "cpus=" + event.getTresOrThrow(1)
                                : event.getNode() + (event.getEndMicros() == 0 ? " open" : ""))
                .toList();
    }

    private static ListEventsRequest.Builder hour() {
        return ListEventsRequest.newBuilder().setFromMicros(Told.micros(NOON));
    }

    @Test
    void whatTheClusterHadComesBeforeWhatWasWrongWithItsNodes() {
        assertThat(events(hour())).containsExactly("cpus=8", "cpus=16", "n1", "n2 open");
        assertThat(events(hour().setKind("Cluster"))).containsExactly("cpus=8", "cpus=16");
        assertThat(events(hour().setOnlyOpen(true))).containsExactly("cpus=16", "n2 open");
    }

    @Test
    void conditionsAreOfNodes() {
        assertThat(events(hour().addNodes("n[1,3]"))).containsExactly("n1");
        assertThat(events(hour().addStates("down").addUsers("root"))).containsExactly("n1");
        assertThat(events(hour().addReasons("drop table"))).containsExactly("n2 open");
        assertThat(events(hour().addReasons("' or '1'='1"))).isEmpty();
        assertThat(events(hour().addClusters("another"))).isEmpty();
        assertThat(events(hour().setUntilMicros(Told.micros(NOON.plusSeconds(30)))))
                .containsExactly("cpus=8", "n1");
    }

    @Test
    void hostsAndTimesThatNobodyMeansAreRefused() {
        var many = ListEventsRequest.newBuilder();
        for (var i = 0; i < 100; i++) {
            many.addNodes("a" + i + "-[1-100000]");
        }

        assertThatThrownBy(() -> events(many)).isInstanceOf(NotationException.class);
        assertThatThrownBy(() -> events(hour().setUntilMicros(Long.MAX_VALUE)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void changesAreFoundByWhoMadeThemAndWhomTheyConcern() {
        told.add(NOON, changed("Add Accounts", "root", "physics", ""))
                .add(NOON.plusSeconds(1), changed("Add Users", "oscar", "physics", "alice"))
                .add(
                        NOON.plusSeconds(2),
                        changed("Remove Users", "x'); drop table job; --", "", "bob"));
        store();

        assertThat(actions(ListTransactionsRequest.newBuilder()))
                .containsExactly("Add Accounts", "Add Users", "Remove Users");
        assertThat(actions(ListTransactionsRequest.newBuilder().addActors("OSCAR")))
                .containsExactly("Add Users");
        assertThat(actions(ListTransactionsRequest.newBuilder().addActions("add users")))
                .containsExactly("Add Users");
        assertThat(actions(ListTransactionsRequest.newBuilder().addAccounts("physics")))
                .containsExactly("Add Accounts", "Add Users");
        assertThat(actions(ListTransactionsRequest.newBuilder().addUsers("bob")))
                .containsExactly("Remove Users");
        assertThat(
                        actions(
                                ListTransactionsRequest.newBuilder()
                                        .addActors("x'); drop table job; --")))
                .containsExactly("Remove Users");
        assertThat(actions(ListTransactionsRequest.newBuilder().addActors("' or true --")))
                .isEmpty();
    }

    private static Record.Builder changed(
            String action, String actor, String account, String user) {
        var change = AccountsChanged.newBuilder().setAction(action).setActor(actor);
        if (!account.isEmpty()) {
            change.addAccounts(AccountView.newBuilder().setName(account));
        }
        if (!user.isEmpty()) {
            change.addUsers(UserView.newBuilder().setName(user));
        }
        return Record.newBuilder().setAccounts(change);
    }

    private static List<String> actions(ListTransactionsRequest.Builder request) {
        var found = new ArrayList<Transaction>();
        DATABASE.jdbi()
                .useTransaction(handle ->
                        new TransactionRepository(handle).each(request.build(), found::add));
        return found.stream().map(Transaction::getAction).toList();
    }
}
