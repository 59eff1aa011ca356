package dev.spur.testkit.simulated;

import dev.spur.api.v1.ControllerGrpc.ControllerImplBase;
import dev.spur.controller.ControllerCore;
import dev.spur.controller.agent.Agents;
import dev.spur.controller.blob.BlobStore;
import dev.spur.controller.cluster.Settings;
import dev.spur.controller.raft.InMemoryLog;
import dev.spur.controller.raft.RaftConfig;
import dev.spur.controller.state.ClusterReplica;
import dev.spur.controller.state.EventFeed;
import dev.spur.controller.state.Proposal;
import dev.spur.controller.state.ProposalCodec;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.codec.SnapshotCodec;
import dev.spur.engine.state.Result;
import dev.spur.engine.state.Snapshot;
import dev.spur.runtime.config.ConfigFile;
import dev.spur.runtime.identity.ClusterCa;
import dev.spur.runtime.identity.LaunchCredentials;
import dev.spur.runtime.identity.SigningKeys;
import dev.spur.runtime.identity.Tokens;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Supplier;

/// spurctld with its log on a simulated disk. What was written survives a crash, nothing else does.
final class SimulatedController implements AutoCloseable {
    private static final String NAME = "controller";
    private static final String MASTER_KEY = "a key for launches in simulation";

    private final SimulatedTime time;
    private final SimulatedNetwork network;
    private final SimulatedDisk disk;
    private final InMemoryLog.Quorum<Proposal, Result> quorum;
    private final Path directory;
    private final ConfigFile config;
    private final BlobStore blobs;
    private final ClusterCa ca;
    private Life life;

    SimulatedController(
            SimulatedTime time, SimulatedNetwork network, Path directory, String configuration)
            throws IOException {
        this.time = time;
        this.network = network;
        this.disk = new SimulatedDisk(time);
        this.quorum = new InMemoryLog.Quorum<>(new ProposalCodec(), disk);
        this.directory = directory;
        this.config = ConfigFile.parse(configuration);
        this.blobs = BlobStore.open(directory.resolve("blobs"));
        this.ca = ClusterCa.openOrCreate(directory, config.config().clusterName(), time);
        this.life = new Life();
    }

    /// Empty while it is down.
    Optional<Life> serving() {
        return life.isAlive() ? Optional.of(life) : Optional.empty();
    }

    /// The state as it is, or was last.
    Snapshot snapshot() {
        return life.state.snapshot();
    }

    void crash() {
        if (life.isAlive()) {
            life.process.kill();
            disk.loseUnwritten();
            life.log.close();
            network.died(life);
        }
    }

    /// Reads its log: everything must be as it was.
    void restart() {
        if (life.isAlive()) {
            return;
        }
        var before = image(life.state);
        life = new Life();
        if (!Arrays.equals(before, image(life.state))) {
            throw new AssertionError("the log gives another state than the one before the crash");
        }
        life.lead();
    }

    /// Begins to serve, for the first time.
    void start() {
        life.lead();
    }

    private static byte[] image(ReplicatedState state) {
        var bytes = new ByteArrayOutputStream();
        SnapshotCodec.write(state.snapshot(), bytes::write);
        return bytes.toByteArray();
    }

    @Override
    public void close() throws IOException {
        crash();
        blobs.close();
    }

    /// From a start of the controller to its crash.
    final class Life {
        private final SimulatedProcess process = new SimulatedProcess(time);
        private final ReplicatedState state = new ReplicatedState();
        private final InMemoryLog<Proposal, Result> log;
        private final ControllerCore core;
        private final ControllerImplBase service;

        private Life() {
            var feed = new EventFeed(state, process.oneThread());
            log = quorum.join(NAME, new ClusterReplica(state, blobs, feed));
            core =
                    new ControllerCore(
                            new ControllerCore.Environment(
                                    state,
                                    feed,
                                    log,
                                    blobs,
                                    ca,
                                    LaunchCredentials.of(
                                            MASTER_KEY.getBytes(StandardCharsets.UTF_8)),
                                    new Tokens(
                                            SigningKeys.openOrCreate(directory, time.instant()),
                                            null,
                                            time,
                                            _ -> false),
                                    new Settings(config.config(), () -> config, 0),
                                    RaftConfig.alone(directory.resolve("raft"), "localhost:6817"),
                                    directory,
                                    time,
                                    process.manyThreads(),
                                    process.oneThread(),
                                    process.timer()));
            service =
                    core.services().stream()
                            .filter(ControllerImplBase.class::isInstance)
                            .map(ControllerImplBase.class::cast)
                            .findFirst()
                            .orElseThrow();
        }

        private void lead() {
            var configured = core.lead();
            await(() -> {
                quorum.elect(NAME);
                return configured.join();
            });
        }

        boolean isAlive() {
            return process.isAlive();
        }

        Agents agents() {
            return core.agents();
        }

        ControllerImplBase service() {
            return service;
        }

        /// Runs what waits for the log.
        <T> T await(Supplier<T> work) {
            return disk.await(work);
        }
    }
}
