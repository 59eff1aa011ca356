package dev.spur.testkit.real;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.spur.runtime.host.Users;
import java.io.IOException;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/// Who calls on plain loopback is whose process holds the other end of the connection, and nobody
/// else, whatever stands between.
class RestIdentityTest {
    private static final int ALICE = 4721;
    private static final int BOB = 4722;

    private final RealCluster cluster = RestCluster.get();

    @Test
    void twoUsersAreToldApartHoweverManyAskAtOnce() throws Exception {
        assumeTrue(Users.currentUid() == 0, "only root can be two users");
        try (var asking = Executors.newVirtualThreadPerTaskExecutor()) {
            var calls = new ArrayList<Callable<Integer>>();
            for (var i = 0; i < 40; i++) {
                var uid = i % 2 == 0 ? ALICE : BOB;
                calls.add(() -> whoIs(uid, RestCluster.address()) - uid);
            }

            for (var told : asking.invokeAll(calls)) {
                assertThat(told.get()).isZero();
            }
        }
    }

    @Test
    void aForwardedPortIsTheOneWhoForwardsIt() throws Exception {
        assumeTrue(Users.currentUid() == 0, "only root can be two users");
        assumeTrue(cluster.shell("command -v socat").exitCode() == 0, "socat is not installed");
        var port = freePort();
        var forwarding =
                cluster.start(
                        Map.of(),
                        as(
                                BOB,
                                "socat",
                                "TCP-LISTEN:%d,bind=127.0.0.1,fork,reuseaddr".formatted(port),
                                "TCP:" + RestCluster.address().replace("http://", "")));
        try {
            Eventually.until(() -> answers(port), () -> "socat does not listen");

            assertThat(whoIs(BOB, "http://127.0.0.1:" + port)).isEqualTo(BOB);
            assertThat(whoIs(ALICE, RestCluster.address())).isEqualTo(ALICE);
        } finally {
            forwarding.destroy();
            forwarding.waitFor();
        }
    }

    @Test
    void aTunnelOfSshIsItsUser() throws Exception {
        assumeTrue(Users.currentUid() == 0, "only root can be two users");
        assumeTrue(
                cluster.shell("test -x /usr/sbin/sshd && command -v unshare").exitCode() == 0,
                "sshd is not installed");
        try (var tunnel = SshTunnel.open(cluster, RestCluster.address())) {
            assertThat(whoIs(BOB, tunnel.address())).isEqualTo(SshTunnel.UID);
            assertThat(whoIs(ALICE, RestCluster.address())).isEqualTo(ALICE);
        }
    }

    @Test
    void aPortThatWasSomebodyElsesIsNotRemembered() throws Exception {
        assumeTrue(Users.currentUid() == 0, "only root can be two users");
        assumeTrue(cluster.shell("command -v socat").exitCode() == 0, "socat is not installed");
        var port = freePort();
        var server = RestCluster.address().replace("http://", "");
        var request =
                "(printf 'GET /api/v1/ping HTTP/1.1\\r\\nHost: %s\\r\\nConnection: close\\r\\n\\r\\n'; sleep 1)"
                        + " | socat -t5 - TCP:%s,bind=127.0.0.1:%d,reuseaddr";
        for (var i = 0; i < 6; i++) {
            var uid = i % 2 == 0 ? ALICE : BOB;
            var answer = new String[] {""};

            // The last connection from this port must be forgotten first, by the system.
            Eventually.until(
                    () -> {
                        answer[0] =
                                cluster.runAs(
                                                uid,
                                                "sh",
                                                "-c",
                                                request.formatted(server, server, port))
                                        .out();
                        return !answer[0].isEmpty();
                    },
                    () -> "the port is not free again");

            assertThat(answer[0]).contains("\"uid\":%d,".formatted(uid));
        }
    }

    @Test
    void aRequestThatWasForwardedIsNobodys() {
        var told =
                RestCluster.told(
                        cluster.run(
                                "curl",
                                "-sS",
                                "-H",
                                "X-Forwarded-For: 10.0.0.1",
                                "-w",
                                "\n%{http_code}",
                                RestCluster.address() + "/api/v1/jobs"));

        assertThat(told.status()).isEqualTo(401);
    }

    private int whoIs(int uid, String address) {
        var ran =
                cluster.runAs(uid, "curl", "-sS", "-w", "\n%{http_code}", address + "/api/v1/ping");
        return RestCluster.told(ran).body().at("/you/uid").asInt();
    }

    private static List<String> as(int uid, String... command) {
        var words =
                new ArrayList<>(
                        List.of(
                                "setpriv",
                                "--reuid=" + uid,
                                "--regid=" + uid,
                                "--clear-groups",
                                "--"));
        words.addAll(List.of(command));
        return words;
    }

    private boolean answers(int port) {
        return cluster.run("curl", "-sS", "-o", "/dev/null", "http://127.0.0.1:" + port).exitCode()
                == 0;
    }

    static int freePort() throws IOException {
        try (var probe = new ServerSocket(0)) {
            return probe.getLocalPort();
        }
    }
}
