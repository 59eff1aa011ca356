package dev.spur.controller.raft;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.ratis.server.RaftServer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Starts and ends what only the leader does, one change after the other, away from Ratis' threads.
final class LeaderTasks implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LeaderTasks.class);

    private final RaftConfig config;
    private final ExecutorService changes =
            Executors.newSingleThreadExecutor(
                    Thread.ofPlatform().name("spur-leadership").daemon().factory());
    private final List<LeaderTask> tasks = new ArrayList<>();
    private final List<AutoCloseable> running = new ArrayList<>();
    private final CompletableFuture<Boolean> known = new CompletableFuture<>();
    private final CompletableFuture<RaftServer.Division> division = new CompletableFuture<>();
    private volatile Leadership leadership = new Leadership.Following(null);
    private volatile @Nullable String leader;

    LeaderTasks(RaftConfig config) {
        this.config = config;
    }

    void observe(RaftServer.Division observed) {
        division.complete(observed);
    }

    Leadership leadership() {
        return leadership;
    }

    @Nullable String leaderAddress() {
        return leader;
    }

    void add(LeaderTask task) {
        changes.execute(() -> {
            tasks.add(task);
            if (leadership instanceof Leadership.Leading(var epoch)) {
                running.add(task.lead(epoch));
            }
        });
    }

    void leaderIsReady() {
        changes.execute(() -> {
            var epoch = division.join().getInfo().getCurrentTerm();
            LOG.atInfo().addKeyValue("epoch", epoch).log("this controller leads");
            leader = config.self().clientAddress();
            leadership = new Leadership.Leading(epoch);
            stopAll();
            tasks.forEach(task -> running.add(task.lead(epoch)));
            known.complete(true);
        });
    }

    void noLongerLeader() {
        leadership = new Leadership.Following(null);
        if (changes.isShutdown()) {
            return; // the end of the process, not of the term
        }
        changes.execute(() -> {
            if (!leadership.isLeading()) {
                LOG.atInfo().log("this controller leads no longer");
                stopAll();
            }
        });
    }

    void leaderChanged(String id) {
        if (id.equals(config.self().id())) {
            return; // it leads once it is ready
        }
        leader =
                config.peers().stream()
                        .filter(peer -> peer.id().equals(id))
                        .map(RaftConfig.Peer::clientAddress)
                        .findFirst()
                        .orElse(null);
        if (!leadership.isLeading()) {
            leadership = new Leadership.Following(leader);
            if (leader != null) {
                known.complete(false);
            }
        }
    }

    boolean awaitLeader(long time, TimeUnit unit) throws InterruptedException {
        try {
            return known.get(time, unit);
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        leadership = new Leadership.Following(null);
        changes.execute(this::stopAll);
        changes.shutdown();
        try {
            if (!changes.awaitTermination(10, TimeUnit.SECONDS)) {
                LOG.atWarn().log("a leader's task did not end in time");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
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
    }
}
