package dev.spur.engine.rules;

import dev.spur.engine.account.AccountNumbers;
import dev.spur.engine.account.AccountsLoader;
import dev.spur.engine.array.ArrayLedger;
import dev.spur.engine.credential.Credentials;
import dev.spur.engine.job.Job;
import dev.spur.engine.node.Node;
import dev.spur.engine.state.Counters;
import dev.spur.engine.state.EventNumber;
import dev.spur.engine.state.RememberedRequest;
import dev.spur.engine.tres.TresRegistry;
import dev.spur.model.ClusterConfig;
import java.time.Instant;

/// Builds a state from its stored parts; everything that follows from them is computed again.
public final class StateLoader {
    private final Tables tables = new Tables();
    private final AccountsLoader accounts = new AccountsLoader();
    private EventNumber lastEvent = EventNumber.NONE;

    public void header(
            Instant now,
            Counters counters,
            ClusterConfig config,
            Credentials credentials,
            TresRegistry tres,
            AccountNumbers accountNumbers) {
        tables.now = now;
        tables.config = config;
        tables.credentials = credentials;
        tables.tres = tres;
        accounts.numbers(accountNumbers);
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

    public void add(Job job) {
        tables.note(job);
    }

    public void add(ArrayLedger ledger) {
        tables.put(ledger);
    }

    public void add(Node node) {
        tables.load(node);
    }

    public void add(RememberedRequest request) {
        tables.requests.add(request);
    }

    public ClusterState loaded() {
        tables.accounts = accounts.loaded();
        return new ClusterState(tables, lastEvent);
    }
}
