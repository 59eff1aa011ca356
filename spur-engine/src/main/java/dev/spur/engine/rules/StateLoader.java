package dev.spur.engine.rules;

import dev.spur.engine.account.AccountNumbers;
import dev.spur.engine.account.AccountsLoader;
import dev.spur.engine.account.PastUsage;
import dev.spur.engine.array.ArrayLedger;
import dev.spur.engine.credential.Credentials;
import dev.spur.engine.job.Job;
import dev.spur.engine.node.Node;
import dev.spur.engine.reservation.Reservation;
import dev.spur.engine.reservation.Reservations;
import dev.spur.engine.site.Partition;
import dev.spur.engine.site.PartitionEdit;
import dev.spur.engine.state.Counters;
import dev.spur.engine.state.EventNumber;
import dev.spur.engine.state.Recording;
import dev.spur.engine.state.RememberedRequest;
import dev.spur.engine.tres.TresRegistry;
import dev.spur.model.ClusterConfig;
import dev.spur.model.IndexSet;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Builds a state from its stored parts; everything that follows from them is computed again.
public final class StateLoader {
    private final Tables tables = new Tables();
    private final AccountsLoader accounts = new AccountsLoader();
    private boolean hasAccounts;
    private EventNumber lastEvent = EventNumber.NONE;

    public void header(
            Instant now,
            Counters counters,
            ClusterConfig config,
            Credentials credentials,
            TresRegistry tres,
            AccountNumbers accountNumbers,
            Instant usageCountedAt,
            @Nullable Recording recording,
            int reservationsMade) {
        tables.reservations = new Reservations(List.of(), reservationsMade);
        tables.now = now;
        tables.config = config;
        tables.credentials = credentials;
        tables.tres = tres;
        accounts.numbers(accountNumbers);
        tables.usage.load(usageCountedAt);
        tables.recording = recording == null ? Recording.NONE : recording;
        tables.revision = counters.revision();
        tables.schedulingRevision = counters.schedulingRevision();
        tables.nextJobSequence = counters.jobSequence();
        tables.nextOrder = counters.submitOrder();
        tables.nextNode = counters.node();
        tables.requests.countFrom(counters.request());
        lastEvent = counters.lastEvent();
    }

    /// Where accounts, users, associations and QOS go.
    public AccountsLoader accounts() {
        return accounts;
    }

    public void addUsage(PastUsage usage) {
        tables.usage.loadAssociation(usage);
    }

    public void addQosUsage(PastUsage usage) {
        tables.usage.loadQos(usage);
    }

    public void add(PartitionEdit edit) {
        tables.partitionEdits.put(edit.name(), edit);
    }

    public void add(Reservation reservation) {
        tables.reservations = tables.reservations.with(reservation);
    }

    public void add(Job job) {
        useAccounts();
        tables.note(job);
    }

    public void add(ArrayLedger ledger) {
        tables.put(ledger);
    }

    /// Before the jobs, which count for them.
    private void useAccounts() {
        if (!hasAccounts) {
            hasAccounts = true;
            // What is billed is known before the jobs come; the nodes are put in at the end.
            tables.partitions =
                    tables.partitionSpecs().stream()
                            .map(spec -> new Partition(spec, IndexSet.EMPTY))
                            .toList();
            tables.accounts = accounts.loaded();
        }
    }

    public void add(Node node) {
        tables.load(node);
    }

    public void add(RememberedRequest request) {
        tables.requests.add(request);
    }

    public ClusterState loaded() {
        useAccounts();
        return new ClusterState(tables, lastEvent);
    }
}
