package dev.spur.engine.state;

import dev.spur.engine.account.Accounts;
import dev.spur.engine.account.FairShare;
import dev.spur.engine.account.UsageView;
import dev.spur.engine.array.ArrayLedger;
import dev.spur.engine.credential.Credentials;
import dev.spur.engine.job.Job;
import dev.spur.engine.node.Node;
import dev.spur.engine.node.NodeClass;
import dev.spur.engine.reservation.Reservations;
import dev.spur.engine.site.Partition;
import dev.spur.engine.site.PartitionEdit;
import dev.spur.engine.site.Site;
import dev.spur.engine.site.SiteView;
import dev.spur.engine.table.TableView;
import dev.spur.engine.tres.TresRegistry;
import dev.spur.model.ClusterConfig;
import dev.spur.model.JobId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The whole state as it was after some command: immutable, consistent, free to keep.
///
/// @param now the time of the latest command
/// @param jobs by [JobId#value], ascending
/// @param marks how far it has come
public record Snapshot(
        Instant now,
        SiteView site,
        TableView<Job> jobs,
        TableView<ArrayLedger> arrays,
        Credentials credentials,
        TableView<RememberedRequest> requests,
        Marks marks)
        implements Site {
    /// How far the state has come.
    ///
    /// @param nextAlarm when time alone changes something next: propose [Command.AdvanceTime] then
    public record Marks(Counters counters, @Nullable Instant nextAlarm, Recording recording) {}

    public Counters counters() {
        return marks.counters;
    }

    public @Nullable Instant nextAlarm() {
        return marks.nextAlarm;
    }

    /// The last event that is told of in it: whoever begins with this snapshot reads on from here.
    public EventNumber lastEvent() {
        return marks.counters.lastEvent();
    }

    /// How far its accounting database has come.
    public Recording recording() {
        return marks.recording;
    }

    /// Counts the commands applied.
    public long revision() {
        return marks.counters.revision();
    }

    /// Unchanged as long as a scheduling pass would find nothing new but time.
    public long schedulingRevision() {
        return marks.counters.schedulingRevision();
    }

    /// By [Node#index].
    public TableView<Node> nodes() {
        return site.nodes();
    }

    @Override
    public ClusterConfig config() {
        return site.config();
    }

    @Override
    public List<Partition> partitions() {
        return site.partitions();
    }

    @Override
    public @Nullable Node nodeAt(int index) {
        return site.nodeAt(index);
    }

    @Override
    public Iterable<Node> knownNodes() {
        return site.knownNodes();
    }

    @Override
    public Optional<Node> node(String name) {
        return site.node(name);
    }

    @Override
    public List<NodeClass> nodeClasses() {
        return site.nodeClasses();
    }

    @Override
    public Accounts accounts() {
        return site.accounts();
    }

    @Override
    public UsageView usage() {
        return site.usage();
    }

    @Override
    public FairShare fairShare() {
        return site.fairShare();
    }

    @Override
    public TresRegistry tres() {
        return site.tres();
    }

    /// What administrators made of partitions, by name; the configuration says otherwise.
    public List<PartitionEdit> partitionEdits() {
        return site.partitionEdits();
    }

    @Override
    public Reservations reservations() {
        return site.reservations();
    }

    public Optional<Job> job(JobId id) {
        return Optional.ofNullable(jobs.get(id.value()));
    }

    public Optional<ArrayLedger> array(JobId id) {
        return Optional.ofNullable(arrays.get(id.value()));
    }
}
