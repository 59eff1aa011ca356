package dev.spur.accounting.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spur.api.client.CallerIdentity;
import dev.spur.api.v1.IdentifyReply;
import dev.spur.api.v1.IdentifyRequest;
import dev.spur.model.ErrorCode;
import dev.spur.model.SpurException;
import dev.spur.runtime.identity.HostRole;
import dev.spur.runtime.identity.PeerHost;
import java.math.BigInteger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;

class IdentitiesTest {
    private static final PeerHost LOGIN = new PeerHost("login-1", HostRole.LOGIN, BigInteger.TEN);
    private static final CallerIdentity ALICE =
            new CallerIdentity.Vouched(1001, 1001, "alice", List.of(1001));

    private final List<IdentifyRequest> asked = new ArrayList<>();
    private Instant now = Instant.EPOCH;
    private String role = "user";
    private final Identities identities =
            new Identities(
                    request -> {
                        asked.add(request);
                        if (role.isEmpty()) {
                            throw new SpurException(ErrorCode.ACCESS_DENIED, "revoked");
                        }
                        return IdentifyReply.newBuilder()
                                .setUid(1001)
                                .setUser("alice")
                                .setRole(role)
                                .addCoordinates("physics")
                                .build();
                    },
                    () -> now);

    @Test
    void theControllersAreToldWhichHostSpeaksForWhom() {
        var viewer = identities.identify(LOGIN, ALICE);

        assertThat(viewer.user()).isEqualTo("alice");
        assertThat(viewer.coordinates()).containsExactly("physics");
        assertThat(viewer.isOperator()).isFalse();
        assertThat(asked.getFirst().getHost()).isEqualTo("login-1");
        assertThat(asked.getFirst().getHostRole()).isEqualTo("login");
        assertThat(asked.getFirst().getSerial()).isEqualTo("10");
    }

    @Test
    void whatTheySaidIsRememberedForHalfAMinute() {
        identities.identify(LOGIN, ALICE);
        now = now.plusSeconds(29);
        identities.identify(LOGIN, ALICE);
        assertThat(asked).hasSize(1);

        now = now.plusSeconds(1);
        identities.identify(LOGIN, ALICE);
        assertThat(asked).hasSize(2);
    }

    @Test
    void aRefusalIsNotRemembered() {
        role = "";
        assertThatThrownBy(() -> identities.identify(LOGIN, ALICE)).hasMessage("revoked");
        role = "operator";

        assertThat(identities.identify(LOGIN, ALICE).isOperator()).isTrue();
    }

    @Test
    void nobodyIsBelievedOnHisOwnWord() {
        assertThatThrownBy(() -> identities.identify(null, ALICE))
                .isInstanceOf(SpurException.class);
        assertThatThrownBy(() -> identities.identify(LOGIN, null))
                .isInstanceOf(SpurException.class);
        assertThat(asked).isEmpty();
    }

    @Test
    void hostsOfTheClusterDoNotWaitForTokensOfStrangers() throws Exception {
        var stuck = new CountDownLatch(1);
        var begun = new Semaphore(0);
        var slow =
                new Identities(
                        request -> {
                            if (request.getToken().isEmpty()) {
                                return IdentifyReply.newBuilder().setUser("alice").build();
                            }
                            begun.release();
                            try {
                                stuck.await();
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                            throw new SpurException(ErrorCode.UNKNOWN_TOKEN, "no such token");
                        },
                        () -> now);
        for (var i = 0; i < 50; i++) {
            var token = new CallerIdentity.Bearer("guess " + i);
            Thread.startVirtualThread(() -> {
                try {
                    slow.identify(null, token);
                } catch (SpurException _) {
                    // of no interest
                }
            });
        }
        begun.acquire(8);

        assertThat(slow.identify(LOGIN, ALICE).user()).isEqualTo("alice");
        assertThat(begun.availablePermits()).as("asked for all strangers at once").isZero();
        stuck.countDown();
    }

    @Test
    void aTokenIsPassedOn() {
        identities.identify(null, new CallerIdentity.Bearer("secret"));

        assertThat(asked.getFirst().getToken()).isEqualTo("secret");
        assertThat(asked.getFirst().getHost()).isEmpty();
    }
}
