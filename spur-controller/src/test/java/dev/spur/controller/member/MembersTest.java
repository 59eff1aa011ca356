package dev.spur.controller.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.spur.api.v1.EnterRequest;
import dev.spur.api.v1.RemoveControllerRequest;
import dev.spur.controller.access.Caller;
import dev.spur.controller.accounting.Spool;
import dev.spur.controller.blob.BlobStore;
import dev.spur.controller.raft.InMemoryLog;
import dev.spur.controller.raft.Membership;
import dev.spur.controller.raft.RaftConfig;
import dev.spur.controller.state.ClusterReplica;
import dev.spur.controller.state.EventFeed;
import dev.spur.controller.state.Proposal;
import dev.spur.controller.state.ProposalCodec;
import dev.spur.controller.state.Proposals;
import dev.spur.controller.state.ReplicatedState;
import dev.spur.engine.credential.HostCertificate;
import dev.spur.engine.fixture.Heart;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Result;
import dev.spur.runtime.identity.HostRole;
import dev.spur.runtime.identity.PeerHost;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A leader, `ctl1`, that decides about the others.
@Timeout(60)
class MembersTest {
    private static final Caller.Person ROOT = new Caller.Person(Heart.ADMIN, 0, List.of(0));

    /// Issued at the beginning of time.
    private static final PeerHost CTL2 = new PeerHost("ctl2", HostRole.CONTROLLER, BigInteger.ONE);

    @TempDir Path directory;
    @AutoClose private BlobStore blobs;
    private final ReplicatedState state = new ReplicatedState();
    private final PretendMembership membership = new PretendMembership();
    private Proposals proposals;
    private Members members;

    @BeforeEach
    void lead() throws IOException {
        blobs = BlobStore.open(directory.resolve("blobs"));
        var quorum = new InMemoryLog.Quorum<Proposal, Result>(new ProposalCodec(), Runnable::run);
        var log =
                quorum.join(
                        "ctl1",
                        new ClusterReplica(
                                state,
                                blobs,
                                Spool.open(directory.resolve("spool")),
                                new EventFeed(state, Runnable::run)));
        proposals = new Proposals(log, state, () -> Heart.START);
        quorum.elect("ctl1");
        members =
                new Members(
                        membership,
                        proposals,
                        state,
                        () -> {
                            throw new IllegalStateException("no secrets here");
                        });
        certified("ctl2", HostRole.CONTROLLER);
        members.enter(enter(), CTL2);
    }

    @Test
    void aControllerThatIsRemovedDoesNotComeBackByAskingBeforeItsCertificateIsRevoked() {
        var answer = new AtomicReference<Throwable>();
        membership.whenRemoved =
                () -> {
                    var asking =
                            Thread.ofPlatform()
                                    .start(() ->
                                            answer.set(
                                                    catchThrowable(
                                                            () -> members.enter(enter(), CTL2))));
                    untilItWaitsOrIsDone(asking);
                    return Optional.of(asking);
                };

        members.remove(remove("ctl2"), ROOT);
        membership.awaitAsking();

        assertThat(membership.members()).extracting(RaftConfig.Peer::name).containsExactly("ctl1");
        assertThat(answer.get()).hasMessageContaining("certificate of ctl2 was revoked");
    }

    @Test
    void oneThatIsOutAlreadyLosesItsCertificateWhenItIsRemovedAgainUnderWhicheverOfItsNames() {
        membership.remove("ctl2~1");

        members.remove(remove("ctl2~1"), ROOT);

        assertThatThrownBy(() -> members.enter(enter(), CTL2))
                .hasMessageContaining("certificate of ctl2 was revoked");
    }

    @Test
    void aHostThatIsNoControllerKeepsItsCertificateWhenSomebodyMistakesItForOne() {
        certified("gpu001", HostRole.COMPUTE);

        assertThatThrownBy(() -> members.remove(remove("gpu001"), ROOT))
                .hasMessageContaining("no controller is called gpu001");

        assertThat(state.snapshot().credentials().hosts().get("gpu001"))
                .extracting(HostCertificate::revokedUntil)
                .isNull();
    }

    private void certified(String host, HostRole role) {
        var certificate =
                new HostCertificate(
                        host,
                        role.word(),
                        Heart.START,
                        Heart.START.plus(Duration.ofDays(90)),
                        null);
        assertThat(proposals.decide(at -> new Command.CertifyHost(at, certificate)))
                .isEqualTo(Result.DONE);
    }

    private static EnterRequest enter() {
        return EnterRequest.newBuilder()
                .setId("ctl2~1")
                .setReplicationAddress("ctl2:6821")
                .setAddress("ctl2:6817")
                .build();
    }

    private static RemoveControllerRequest remove(String name) {
        return RemoveControllerRequest.newBuilder().setRequestId("remove").setName(name).build();
    }

    private static void untilItWaitsOrIsDone(Thread thread) {
        while (thread.isAlive() && thread.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
    }

    /// As the log has it, without a log.
    private static final class PretendMembership implements Membership {
        private final List<RaftConfig.Peer> all = new CopyOnWriteArrayList<>();
        private final List<Thread> asking = new ArrayList<>();
        private Supplier<Optional<Thread>> whenRemoved = Optional::empty;

        PretendMembership() {
            all.add(self());
        }

        void awaitAsking() {
            for (var thread : asking) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        }

        @Override
        public RaftConfig.Peer self() {
            return new RaftConfig.Peer("ctl1", "ctl1:6821", "ctl1:6817");
        }

        @Override
        public List<RaftConfig.Peer> members() {
            return List.copyOf(all);
        }

        @Override
        public Standing standing() {
            return new Standing(Role.LEADER, 1, "ctl1", 1, 1, Map.of("ctl2~1", Duration.ZERO));
        }

        @Override
        public boolean isReachable() {
            return true;
        }

        @Override
        public void add(RaftConfig.Peer peer) {
            all.add(peer);
        }

        @Override
        public void remove(String id) {
            all.removeIf(member -> member.id().equals(id));
            whenRemoved.get().ifPresent(asking::add);
        }

        @Override
        public void handOver() {}

        @Override
        public void reconnect(String id) {}
    }
}
