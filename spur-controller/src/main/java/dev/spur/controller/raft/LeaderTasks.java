package dev.spur.controller.raft;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Who leads, and what only the leader does.
///
/// What is heard of leadership is ordered by (term, role): within a term a controller is first
/// without a role, then perhaps leads, then never again. So news that arrives late, whatever thread
/// brought it, is older than what is known and changes nothing:
///
/// ```
///   term 4: unknown ──leads──► leads ──follows──► follows        (never back)
///   term 5: unknown …                                            (from any role of term 4)
/// ```
///
/// [#leadership] changes at once. Tasks are started and ended by `changes`, which looks at the
/// newest role each time it runs and not at the news that made it run: however often leadership
/// comes and goes while a task still begins, what runs in the end is what the last role asks for.
public final class LeaderTasks implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LeaderTasks.class);
    private static final long NONE = -1;

    private final Executor changes;
    private final Consumer<RuntimeException> broken;
    private final CompletableFuture<Boolean> known = new CompletableFuture<>();
    private volatile Role role = new Role(NONE, Stage.UNKNOWN, new Leadership.Following(null));
    private volatile boolean closed;

    // Used by `changes` alone.
    private final List<LeaderTask> tasks = new ArrayList<>();
    private final List<AutoCloseable> running = new ArrayList<>(); // as many as the first of tasks
    private long runningIn = NONE;

    private enum Stage {
        UNKNOWN,
        LEADS,
        FOLLOWS
    }

    private record Role(long term, Stage stage, Leadership leadership) {
        boolean isBefore(long newTerm, Stage newStage) {
            return term < newTerm || (term == newTerm && stage.compareTo(newStage) < 0);
        }
    }

    /// @param changes runs one task after the other, never in the thread that brings the news
    ///   unless that thread may wait for a task to begin and to end
    /// @param broken told when a task could not begin: a leader without it must not go on
    public LeaderTasks(Executor changes, Consumer<RuntimeException> broken) {
        this.changes = changes;
        this.broken = broken;
    }

    /// This controller was elected in this term and has applied everything before it.
    public synchronized void leads(long term) {
        if (closed || !role.isBefore(term, Stage.LEADS)) {
            return;
        }
        LOG.atInfo().addKeyValue("epoch", term).log("this controller leads");
        role = new Role(term, Stage.LEADS, new Leadership.Leading(term));
        changes.execute(this::settle);
    }

    /// This controller does not lead in this term: another does, or none yet.
    ///
    /// @param leader the other's client address, if known
    public synchronized void follows(long term, @Nullable String leader) {
        var isNews = role.isBefore(term, Stage.FOLLOWS);
        if (closed || !(isNews || (term == role.term() && leader != null))) {
            return;
        }
        var led = role.leadership().isLeading();
        role = new Role(term, Stage.FOLLOWS, new Leadership.Following(leader));
        if (leader != null) {
            known.complete(false);
        }
        if (led) {
            LOG.atInfo().addKeyValue("term", term).log("this controller leads no longer");
            changes.execute(this::settle);
        }
    }

    public Leadership leadership() {
        return role.leadership();
    }

    /// Runs a task in every term in which this controller leads, this one included.
    public void add(LeaderTask task) {
        changes.execute(() -> {
            tasks.add(task);
            settle();
        });
    }

    /// Waits until somebody leads; true if it is this controller and its tasks were started.
    public boolean awaitLeader(long time, TimeUnit unit) throws InterruptedException {
        try {
            return known.get(time, unit);
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    /// Leads no more, whatever is heard from now on. The tasks have ended when `changes` has run.
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        role = new Role(role.term(), Stage.FOLLOWS, new Leadership.Following(null));
        changes.execute(this::settle);
    }

    /// Makes what runs agree with the role as it is now.
    private void settle() {
        var wanted = role;
        if (runningIn != NONE && !isCurrent(runningIn)) {
            stopAll();
        }
        if (!(wanted.leadership() instanceof Leadership.Leading(var epoch))) {
            return;
        }
        runningIn = epoch;
        try {
            // Looks again before each: a task may take long to begin, and the term may end
            // meanwhile.
            while (running.size() < tasks.size() && isCurrent(epoch)) {
                running.add(tasks.get(running.size()).lead(epoch));
            }
        } catch (RuntimeException e) {
            broken.accept(e);
        }
        known.complete(true);
    }

    private boolean isCurrent(long epoch) {
        return role.leadership() instanceof Leadership.Leading(var now) && now == epoch;
    }

    private void stopAll() {
        for (var task : running.reversed()) {
            try {
                task.close();
            } catch (Exception e) {
                LOG.atWarn().setCause(e).log("a leader's task ended badly");
            }
        }
        running.clear();
        runningIn = NONE;
    }
}
