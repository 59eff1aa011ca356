package dev.spur.testkit.simulated;

import dev.spur.api.v1.ControllerGrpc.ControllerImplBase;
import dev.spur.controller.ControllerCore;
import dev.spur.controller.accounting.Spool;
import dev.spur.controller.agent.Agents;
import dev.spur.controller.blob.BlobKeeper;
import dev.spur.controller.blob.BlobStore;
import dev.spur.controller.cluster.Settings;
import dev.spur.controller.raft.Leadership;
import dev.spur.controller.raft.Membership;
import dev.spur.controller.raft.RaftConfig;
import dev.spur.controller.record.RecordsService;
import dev.spur.controller.scheduling.Plan;
import dev.spur.controller.state.ClusterReplica;
import dev.spur.controller.state.EventFeed;
import dev.spur.controller.state.Proposals;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.state.Snapshot;
import dev.spur.runtime.config.ConfigFile;
import dev.spur.runtime.identity.LaunchCredentials;
import dev.spur.runtime.identity.Tokens;
import dev.spur.testkit.simulated.disk.SimulatedDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// spurctld on a machine with a disk and a clock of its own. What was forced to the disk survives,
/// nothing else has to.
final class SimulatedController {
    private static final int COLLECTS_ONE_OF = 3;
    private static final String MASTER_KEY = "a key for launches in simulation";

    private final String host;
    private final Surroundings around;
    private final SimulatedDisk disk;
    private final SimulatedClock clock;
    private final SimulatedLog.Member member;
    private @Nullable Life life;
    private Snapshot latest = new ReplicatedState().snapshot();

    /// What the controllers of one cluster share.
    ///
    /// @param configuration what `spur.conf` says at this moment
    record Surroundings(
            SimulatedTime time,
            SimulatedNetwork network,
            SimulatedRaft raft,
            Identities identities,
            Supplier<ConfigFile> configuration,
            SimulatedLog.Habits habits) {}

    SimulatedController(String host, Surroundings around) {
        this.host = host;
        this.around = around;
        this.disk = new SimulatedDisk(around.time.random());
        this.clock = new SimulatedClock(around.time);
        this.member =
                new SimulatedLog.Member(
                        host,
                        host + ":6817",
                        new LogOnDisk(),
                        new SnapshotsOnDisk(disk.root().resolve("snapshots")),
                        disk);
    }

    String host() {
        return host;
    }

    SimulatedClock clock() {
        return clock;
    }

    SimulatedDisk disk() {
        return disk;
    }

    /// Empty while it is down.
    Optional<Life> life() {
        return Optional.ofNullable(life);
    }

    /// The state as it is, or was last.
    Snapshot snapshot() {
        return life == null ? latest : life.state.snapshot();
    }

    void start() {
        if (life != null) {
            return;
        }
        try {
            life = new Life();
            around.time.tell("%s starts", host);
        } catch (UncheckedIOException e) {
            around.time.tell("%s cannot start: %s", host, e.getMessage());
        }
    }

    /// SIGSTOP, and SIGCONT after a while.
    void pause(Duration duration) {
        var paused = life;
        if (paused != null && !paused.process.isStopped()) {
            around.time.tell("%s stands still for %s", host, duration);
            paused.process.stop();
            around.time.after(
                    duration,
                    () -> {
                        around.time.tell("%s goes on", host);
                        paused.process.goOn();
                    });
        }
    }

    /// kill -9: what was written is there.
    void kill() {
        var killed = life;
        if (killed != null) {
            around.time.tell("%s is gone", host);
            latest = killed.state.snapshot();
            life = null;
            killed.log.close();
            killed.process.kill();
            around.network.died(killed);
        }
    }

    /// The machine loses its power: what was not forced is not there, or only some of it.
    void cutPower() {
        kill();
        member.log().losePower(around.time.random());
        disk.cutPower();
    }

    /// From a start of the controller to its end.
    final class Life {
        private final SimulatedProcess process = new SimulatedProcess(around.time);
        private final ReplicatedState state = new ReplicatedState();
        private final SimulatedLog log;
        private final BlobStore blobs;
        private final Spool spool;
        private final ControllerCore core;
        private final ControllerImplBase service;
        private final RecordsService records;

        private Life() {
            var config = around.configuration.get();
            var feed = new EventFeed(state, process.oneThread());
            blobs = open();
            spool = openSpool();
            log =
                    new SimulatedLog(
                            around.raft,
                            around.time,
                            process,
                            member,
                            new ClusterReplica(state, blobs, spool, feed),
                            around.habits,
                            this::die);
            core =
                    new ControllerCore(
                            new ControllerCore.Environment(
                                    state,
                                    feed,
                                    log,
                                    blobs,
                                    spool,
                                    around.identities.ca(),
                                    LaunchCredentials.of(
                                            MASTER_KEY.getBytes(StandardCharsets.UTF_8)),
                                    new Tokens(around.identities.keys(), null, clock, _ -> false),
                                    new Settings(
                                            config.config(),
                                            ConfigFile.DEFAULT_PATH,
                                            around.configuration,
                                            0),
                                    Membership.alone(
                                            new RaftConfig.Peer(
                                                    member.host(),
                                                    "localhost:6821",
                                                    member.clientAddress())),
                                    () -> "",
                                    around.identities.directory(),
                                    clock,
                                    process.manyThreads(),
                                    process.oneThread(),
                                    process.timer()));
            var services = core.services();
            records =
                    services.stream()
                            .filter(RecordsService.class::isInstance)
                            .map(RecordsService.class::cast)
                            .findFirst()
                            .orElseThrow();
            service =
                    services.stream()
                            .filter(ControllerImplBase.class::isInstance)
                            .map(ControllerImplBase.class::cast)
                            .findFirst()
                            .orElseThrow();
            var _ = core.lead();
            disk.whileReading(this::collect);
            disk.atEachUse(process::waitsForTheDisk);
        }

        /// Another thread may collect whenever one waits for the disk. It waits itself for one that
        /// changes the set of files, and has its turn then.
        private void collect() {
            if (life != this || around.time.random().nextInt(COLLECTS_ONE_OF) != 0) {
                return;
            }
            var keeper = new BlobKeeper(blobs, spool, state::snapshot);
            if (blobs.isChangingFiles()) {
                process.manyThreads().execute(keeper);
            } else {
                keeper.run();
            }
        }

        private BlobStore open() {
            try {
                return BlobStore.open(disk.root().resolve("blobs"));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private Spool openSpool() {
            try {
                return Spool.open(disk.root().resolve("spool"));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /// It cannot go on, and says so by its end.
        private void die(String why) {
            around.time.tell("%s ends: %s", host, why);
            process.stop();
            around.time.after(
                    Duration.ZERO,
                    () -> {
                        if (life == this) {
                            kill();
                        }
                    });
        }

        String host() {
            return host;
        }

        SimulatedProcess process() {
            return process;
        }

        boolean isAlive() {
            return process.isAlive();
        }

        Agents agents() {
            return core.agents();
        }

        /// Where a database connects.
        RecordsService records() {
            return records;
        }

        ControllerImplBase service() {
            return service;
        }

        SimulatedLog log() {
            return log;
        }

        Proposals proposals() {
            return core.proposals();
        }

        SimulatedClock clock() {
            return clock;
        }

        BlobStore blobs() {
            return blobs;
        }

        Plan plan() {
            return core.plan();
        }

        ReplicatedState state() {
            return state;
        }

        Leadership leadership() {
            return log.leadership();
        }
    }
}
