package dev.spur.engine.rules;

import dev.spur.engine.account.Accounts;
import dev.spur.engine.account.AccountsNews;
import dev.spur.engine.account.FairShare;
import dev.spur.engine.account.UsageBook;
import dev.spur.engine.array.ArrayLedger;
import dev.spur.engine.credential.Credentials;
import dev.spur.engine.job.Job;
import dev.spur.engine.job.JobRights;
import dev.spur.engine.job.SharedParts;
import dev.spur.engine.job.Standing;
import dev.spur.engine.limit.Budgets;
import dev.spur.engine.node.Node;
import dev.spur.engine.node.NodeClass;
import dev.spur.engine.reservation.Reservation;
import dev.spur.engine.reservation.Reservations;
import dev.spur.engine.site.Partition;
import dev.spur.engine.site.PartitionEdit;
import dev.spur.engine.site.Site;
import dev.spur.engine.site.SiteView;
import dev.spur.engine.state.Counters;
import dev.spur.engine.state.Event;
import dev.spur.engine.state.EventNumber;
import dev.spur.engine.state.Recording;
import dev.spur.engine.table.PagedTable;
import dev.spur.engine.tres.TresRegistry;
import dev.spur.model.Actor;
import dev.spur.model.ClusterConfig;
import dev.spur.model.JobId;
import dev.spur.model.NodeShare;
import dev.spur.model.PartitionSpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// Everything the state holds, while it is being written. Rules read and write here; each write
/// keeps the indexes right and is told to whoever watches.
final class Tables implements Site {
    final PagedTable<Job> jobs = new PagedTable<>();
    final PagedTable<ArrayLedger> arrays = new PagedTable<>();
    final PagedTable<Node> nodes = new PagedTable<>();
    final JobIndex index = new JobIndex(this);
    final RememberedRequests requests = new RememberedRequests(this);

    private final TreeMap<String, Integer> nodeNames = new TreeMap<>();
    private @Nullable Map<String, Integer> nodeIndex; // a copy for readers, made when one is due
    ClusterConfig config = ClusterConfig.EMPTY;
    List<Partition> partitions = List.of();

    /// What administrators made of partitions, by name.
    final TreeMap<String, PartitionEdit> partitionEdits = new TreeMap<>();

    Reservations reservations = Reservations.NONE;
    Credentials credentials = Credentials.NONE;
    TresRegistry tres = TresRegistry.EMPTY;
    Accounts accounts = Accounts.INITIAL;
    final UsageTables usage = new UsageTables(this);
    final Budgets budgets = new Budgets();
    private FairShare.@Nullable Lazy fairShares;
    private long fairSharesOf = -1;
    Recording recording = Recording.NONE;
    Instant now = Instant.EPOCH;
    long revision;
    int nextJobSequence;
    long nextOrder = FIRST_ORDER;
    int nextNode;
    long schedulingRevision;
    private final NodeClass.Register classes = new NodeClass.Register();

    /// Slurm's first priority where jobs are served in the order of their submission; each job gets
    /// one less.
    private static final long FIRST_ORDER = 4_294_901_759L;

    /// Since somebody last asked; then reservations of all nodes have others.
    boolean nodesCameOrWent;

    /// As well, or they came into use: then some reservations want others.
    boolean nodesFailed;

    /// Of jobs that come. Those of a snapshot keep their own: a restart does not wait for this.
    final SharedParts parts = new SharedParts();

    private List<Event> news = new ArrayList<>();
    private final TreeSet<Integer> silentNodes = new TreeSet<>();

    @Override
    public ClusterConfig config() {
        return config;
    }

    /// Those of the configuration, as administrators changed them, then those that they made.
    List<PartitionSpec> partitionSpecs() {
        var specs = new ArrayList<PartitionSpec>();
        for (var spec : config.partitions()) {
            var edit = partitionEdits.getOrDefault(spec.name(), PartitionEdit.none(spec.name()));
            if (!edit.deleted()) {
                specs.add(edit.over(spec));
            }
        }
        for (var edit : partitionEdits.values()) {
            if (edit.created()) {
                specs.add(edit.over(PartitionSpec.of(edit.name(), false, "")));
            }
        }
        return specs;
    }

    @Override
    public List<Partition> partitions() {
        return partitions;
    }

    @Override
    public @Nullable Node nodeAt(int position) {
        return nodes.get(position);
    }

    @Override
    public Optional<Node> node(String name) {
        var position = nodeNames.get(name);
        return position == null ? Optional.empty() : Optional.ofNullable(nodes.get(position));
    }

    boolean mayManage(Actor actor, Job job) {
        return JobRights.mayManage(actor, job, accounts);
    }

    /// The cloud in its own name, about a job of one of its users. It says how long sessions last.
    boolean isTheirCloud(Actor actor, Job job) {
        var cloud = config().cloud();
        var owner = job.spec().owner().uid();
        return cloud != null
                && actor.origin() == Actor.Origin.CLOUD
                && cloud.isItself(actor.uid())
                && (cloud.owns(owner) || credentials.linkedUsers().containsKey(owner));
    }

    Optional<Job> job(JobId id) {
        return Optional.ofNullable(jobs.get(id.value()));
    }

    @Override
    public Iterable<Node> knownNodes() {
        var known = new ArrayList<Node>(nodes.size());
        for (var i = 0; i < nextNode; i++) {
            var node = nodes.get(i);
            if (node != null) {
                known.add(node);
            }
        }
        return known;
    }

    @Override
    public List<NodeClass> nodeClasses() {
        return classes.list();
    }

    @Override
    public TresRegistry tres() {
        return tres;
    }

    /// Nodes that do not answer, in index order.
    List<Node> silentNodes() {
        return silentNodes.stream().map(nodes::get).filter(Objects::nonNull).toList();
    }

    private void tell(Event event) {
        tell(event, true);
    }

    /// @param concernsScheduling whether a pass may decide otherwise than before
    private void tell(Event event, boolean concernsScheduling) {
        news.add(event);
        if (concernsScheduling) {
            schedulingRevision++;
        }
    }

    List<Event> takeNews() {
        var told = news;
        news = new ArrayList<>();
        return told;
    }

    JobId newJobId() {
        var first = Math.clamp(config.rules().firstJobId(), 1, JobId.HIGHEST_SEQUENCE);
        do {
            nextJobSequence =
                    nextJobSequence >= JobId.HIGHEST_SEQUENCE
                            ? first
                            : Math.max(nextJobSequence + 1, first);
        } while (jobs.get(nextJobSequence) != null);
        return new JobId(nextJobSequence);
    }

    /// The place of a job that is submitted now; one whose priority is set by hand takes none.
    Standing newStanding(@Nullable Long given) {
        var order = nextOrder;
        if (given == null && nextOrder > 1) {
            nextOrder--;
        }
        return new Standing(order, given);
    }

    /// Writes a job and tells everybody what became of it. A job that something else than its turn
    /// keeps waiting, before and after, is no reason for a new pass.
    void put(Job job, Event event, Event... more) {
        var before = jobs.get(job.id().value());
        var concernsScheduling = before != null && !isKeptOut(before) || !isKeptOut(job);
        note(job);
        tell(event, concernsScheduling);
        for (var other : more) {
            tell(other, concernsScheduling);
        }
    }

    private static boolean isKeptOut(Job job) {
        return job.isPending() && job.queueing().eligibleAt() == null;
    }

    /// Writes what nobody is waiting to hear: it wakes no watcher and calls for no new pass.
    void note(Job job) {
        var before = jobs.get(job.id().value());
        jobs.put(job.id().value(), job);
        index.replace(before, job);
        usage.follow(before, job);
        budgets.replace(before, job, this);
    }

    /// Writes a record that stands for fewer tasks than the one that it was, or was part of.
    void divide(Job part) {
        note(part);
        tell(new Event.ArrayDivided(part), false);
    }

    void forget(Job job) {
        jobs.remove(job.id().value());
        index.replace(job, null);
        budgets.replace(job, null, this);
        if (job.array() != null) {
            var ledger = ledgerOf(job);
            var left = ledger.withRecords(ledger.records() - 1);
            if (left.records() == 0) {
                arrays.remove(left.array().value());
            } else {
                put(left);
            }
        }
        tell(new Event.JobForgotten(job.id()));
    }

    /// Whether there is room for no other job, not even in place of one that has ended.
    boolean isFull() {
        return jobs.size() >= config.rules().maxJobCount() && index.endedFirst() == null;
    }

    /// Ended jobs are known for a while, but not at the price of new ones.
    void forgetTheOldest() {
        var oldest = index.endedFirst();
        while (jobs.size() > config.rules().maxJobCount() && oldest != null) {
            forget(oldest);
            oldest = index.endedFirst();
        }
    }

    /// Jobs that limits of minutes keep waiting may have their turn, and fair shares are others.
    void usageMoved() {
        schedulingRevision++;
    }

    @Override
    public Reservations reservations() {
        return reservations;
    }

    /// Partitions are others now; what they bill may be too.
    void partitionsMoved(Event event) {
        budgets.recount(jobs.publish(), this);
        tell(event);
    }

    void put(Reservation reservation) {
        reservations = reservations.with(reservation);
        tell(new Event.ReservationChanged(reservation));
    }

    /// Writes what nobody is waiting to hear.
    void note(Reservation reservation) {
        reservations = reservations.with(reservation);
    }

    void remove(Reservation reservation) {
        reservations = reservations.without(reservation);
        tell(new Event.ReservationRemoved(reservation));
    }

    void put(Credentials changed) {
        credentials = changed;
        tell(new Event.CredentialsChanged());
    }

    void put(Accounts changed, Actor by, List<AccountsNews> changes) {
        var before = accounts;
        accounts = changed;
        usage.follow(before, changed);
        // Those whose association moved count elsewhere now.
        if (!before.isSameTree(changed)) {
            budgets.recount(jobs.publish(), this);
        }
        changes.forEach(change -> tell(new Event.AccountsChanged(by, change)));
    }

    /// What expired so long ago is of no use to anybody.
    void forgetExpired(Instant before) {
        credentials = credentials.withoutExpired(before);
    }

    /// A configuration counts at once; everybody is told when all that follows from it is done.
    ///
    /// @param follow what else has to change
    void put(ClusterConfig changed, Runnable follow) {
        config = changed;
        follow.run();
        budgets.recount(jobs.publish(), this);
        tell(new Event.ConfigApplied());
    }

    void put(ArrayLedger ledger) {
        arrays.put(ledger.array().value(), ledger);
    }

    /// The books of the array that the job belongs to.
    ArrayLedger ledgerOf(Job job) {
        var array = job.array();
        var ledger = array == null ? null : arrays.get(array.array().value());
        if (ledger == null) {
            throw new IllegalStateException("job " + job.id() + " belongs to no known array");
        }
        return ledger;
    }

    void put(Node node) {
        var before = nodes.get(node.index());
        if (before == null || before.shape() != node.shape()) {
            tres = tres.with(node.shape());
        }
        classes.replace(before, node);
        nodes.put(node.index(), node);
        nodesCameOrWent |= before == null;
        nodesFailed |= before != null && before.isSchedulable() != node.isSchedulable();
        if (node.silentSince() == null) {
            silentNodes.remove(node.index());
        } else {
            silentNodes.add(node.index());
        }
        if (nodeNames.putIfAbsent(node.name(), node.index()) == null) {
            nodeIndex = null;
        }
        tell(new Event.NodeChanged(node));
    }

    /// As [#put], without telling anybody.
    void load(Node node) {
        put(node);
        takeNews();
        schedulingRevision--;
    }

    Counters counters(EventNumber lastEvent) {
        return new Counters(
                revision,
                schedulingRevision,
                nextJobSequence,
                nextOrder,
                nextNode,
                requests.next(),
                lastEvent);
    }

    void remove(Node node) {
        nodesCameOrWent = true;
        classes.replace(node, null);
        nodes.remove(node.index());
        silentNodes.remove(node.index());
        nodeNames.remove(node.name());
        nodeIndex = null;
    }

    /// What readers see of the cluster from now on.
    SiteView site() {
        return new SiteView(
                config,
                partitions,
                nodes.publish(),
                nodeIndex(),
                nodeClasses(),
                tres,
                accounts,
                usage.publish(),
                fairShares(),
                reservations,
                List.copyOf(partitionEdits.values()));
    }

    /// The same as long as neither accounts nor usage change.
    private FairShare.Lazy fairShares() {
        var known = fairShares;
        if (known == null || fairSharesOf != usage.changes()) {
            known = new FairShare.Lazy(accounts, usage.publish());
            fairShares = known;
            fairSharesOf = usage.changes();
        }
        return known;
    }

    @Override
    public Accounts accounts() {
        return accounts;
    }

    @Override
    public UsageBook usage() {
        return usage;
    }

    @Override
    public FairShare fairShare() {
        return fairShares().get();
    }

    /// Node name to index, as it is now and will stay.
    private Map<String, Integer> nodeIndex() {
        var index = nodeIndex;
        if (index == null) {
            index = Collections.unmodifiableMap(new TreeMap<>(nodeNames));
            nodeIndex = index;
        }
        return index;
    }

    void occupy(NodeShare share) {
        node(share.node()).ifPresent(node -> put(node.withUsage(node.usage().plus(share), now)));
    }

    /// The job that has the share stands still.
    void freeCpus(NodeShare share) {
        node(share.node())
                .ifPresent(
                        node -> put(node.withUsage(node.usage().withoutCpus(share.cpus()), now)));
    }

    /// The job that has the share goes on.
    void takeCpus(NodeShare share) {
        node(share.node())
                .ifPresent(node -> put(node.withUsage(node.usage().withCpus(share.cpus()), now)));
    }

    /// Whether somebody else has CPUs of the share.
    boolean lacksCpus(NodeShare share) {
        return node(share.node())
                .map(node -> node.usage().cpus().intersects(share.cpus()))
                .orElse(false);
    }

    /// @param completing whether the share was counted as completing
    void vacate(NodeShare share, boolean completing) {
        node(share.node())
                .ifPresent(node -> {
                    var usage = node.usage().minus(share);
                    put(node.withUsage(completing ? usage.withCompleting(-1) : usage, now));
                });
    }
}
