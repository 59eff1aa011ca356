package dev.spur.cli.token;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.api.v1.CreateJoinTokenReply;
import dev.spur.api.v1.CreateJoinTokenRequest;
import dev.spur.api.v1.CreateTokenReply;
import dev.spur.api.v1.CreateTokenRequest;
import dev.spur.api.v1.ListTokensReply;
import dev.spur.api.v1.ListTokensRequest;
import dev.spur.api.v1.TokenView;
import dev.spur.cli.testing.RecordedCluster;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TokenTest {
    private static final long SOON =
            Instant.parse("2026-11-15T19:19:51Z").getEpochSecond() * 1_000_000;

    @Test
    void aNewTokenIsTheOnlyLineOnStandardOutput() throws IOException {
        try (var cluster = new IssuingCluster()) {
            var in = cluster.call("token", "create", "--lifespan", "30m");

            assertThat(cluster.run(Token::new, in)).endsWith("[exit 0]");
            assertThat(in.printed()).isEqualTo("secret-word\n");
            assertThat(in.complained()).isEqualTo("token t1 is valid until 2026-11-15T19:19:51\n");
            assertThat(cluster.created)
                    .singleElement()
                    .satisfies(request -> assertThat(request.getLifespanSeconds()).isEqualTo(1800));
        }
    }

    @Test
    void aListShowsWhichTokensAreStillGood() throws IOException {
        try (var cluster = new IssuingCluster()) {
            assertThat(cluster.run(Token::new, cluster.call("token", "list")))
                    .isEqualTo(
                            """
                            ID        USER      CREATED             EXPIRES             STATE
                            t1        alice     2026-11-15T19:19:51 2026-11-15T19:19:51 valid
                            t2        alice     2026-11-15T19:19:51 never               revoked
                            [exit 0]\
                            """);
        }
    }

    @Test
    void aTokenForAHostNamesTheDaemonThatJoinsWithIt() throws IOException {
        try (var cluster = new IssuingCluster()) {
            var compute = cluster.call("token", "join", "--host", "node9");
            var login = cluster.call("token", "join", "--role", "login");
            var controller = cluster.call("token", "join", "--role", "controller");

            cluster.run(Token::new, compute);
            cluster.run(Token::new, login);
            cluster.run(Token::new, controller);

            assertThat(compute.printed()).isEqualTo("join-word\n");
            assertThat(compute.complained()).contains("spurd --token TOKEN");
            assertThat(login.complained()).contains("spur-door --token TOKEN");
            assertThat(controller.complained()).contains("spurctld --token TOKEN");
        }
    }

    @Test
    void aLifespanWithoutATimeIsRefused() throws IOException {
        try (var cluster = new IssuingCluster()) {
            assertThat(cluster.run(Token::new, cluster.call("token", "create", "--lifespan=soon")))
                    .isEqualTo("token: error: Invalid --lifespan specification\n[exit 1]");
        }
    }

    private static final class IssuingCluster extends RecordedCluster {
        private final List<CreateTokenRequest> created = new ArrayList<>();

        IssuingCluster() throws IOException {}

        @Override
        public void createToken(
                CreateTokenRequest request, StreamObserver<CreateTokenReply> reply) {
            created.add(request);
            answer(
                    reply,
                    CreateTokenReply.newBuilder()
                            .setToken("secret-word")
                            .setId("t1")
                            .setExpiresMicros(SOON)
                            .build());
        }

        @Override
        public void createJoinToken(
                CreateJoinTokenRequest request, StreamObserver<CreateJoinTokenReply> reply) {
            answer(
                    reply,
                    CreateJoinTokenReply.newBuilder()
                            .setToken("join-word")
                            .setExpiresMicros(SOON)
                            .build());
        }

        @Override
        public void listTokens(ListTokensRequest request, StreamObserver<ListTokensReply> reply) {
            var token =
                    TokenView.newBuilder()
                            .setId("t1")
                            .setUser("alice")
                            .setCreatedMicros(SOON)
                            .setExpiresMicros(SOON)
                            .build();
            answer(
                    reply,
                    ListTokensReply.newBuilder()
                            .addTokens(token)
                            .addTokens(
                                    token.toBuilder()
                                            .setId("t2")
                                            .setExpiresMicros(0)
                                            .setRevoked(true))
                            .build());
        }
    }
}
