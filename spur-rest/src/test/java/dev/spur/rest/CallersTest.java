package dev.spur.rest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.runtime.host.Users;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Who somebody is taken for.
class CallersTest {
    private static Service service;

    @BeforeAll
    static void start() throws IOException {
        service = new Service();
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    private static String you(String... headers) {
        return service.get("/api/v1/ping", headers).json().path("you").path("user").asString("");
    }

    @Test
    void aCallerOnThisHostIsTheUserWhoHasTheConnection() {
        var self = Users.byUid(Users.currentUid()).orElseThrow().name();

        assertThat(you()).isEqualTo(self);
    }

    @ParameterizedTest
    @ValueSource(strings = {"X-SLURM-USER-TOKEN", "Authorization"})
    void aTokenSaysWhoItIs(String header) {
        var value = header.equals("Authorization") ? "Bearer " : "";

        assertThat(you(header, value + FakeController.GOOD_TOKEN)).isEqualTo("alice");
        assertThat(you(header, value + FakeController.GOOD_TOKEN, "X-SLURM-USER-NAME", "alice"))
                .isEqualTo("alice");
    }

    @Test
    void aTokenThatIsNotGoodIsRefusedAlthoughTheConnectionWouldSay() {
        var told = service.get("/slurm/v0.0.42/ping", "X-SLURM-USER-TOKEN", "bad");

        assertThat(told.status()).isEqualTo(401);
        assertThat(told.json().path("errors").path(0).path("error_number").asInt()).isEqualTo(6000);
    }

    @Test
    void nobodyActsForAnotherByATokenOfHisOwn() {
        var told =
                service.get(
                        "/slurm/v0.0.42/ping",
                        "X-SLURM-USER-TOKEN",
                        FakeController.GOOD_TOKEN,
                        "X-SLURM-USER-NAME",
                        "root");

        assertThat(told.status()).isEqualTo(401);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Via"})
    void whoeverForwardsIsNobody(String header) {
        assertThat(service.get("/api/v1/jobs", header, "for=1.2.3.4").status()).isEqualTo(401);
        assertThat(you(header, "for=1.2.3.4", "X-SLURM-USER-TOKEN", FakeController.GOOD_TOKEN))
                .isEqualTo("alice");
    }

    @Test
    void pagesOfOthersAreRefused() throws IOException {
        assertThat(service.get("/api/v1/jobs", "Origin", "http://evil.example").status())
                .isEqualTo(403);
        assertThat(raw("GET /api/v1/jobs HTTP/1.1\r\nHost: evil.example\r\n"))
                .startsWith("HTTP/1.1 403");
        assertThat(raw("GET /api/v1/ping HTTP/1.1\r\nHost: localhost:6820\r\n"))
                .startsWith("HTTP/1.1 200");
    }

    @Test
    void strangersReadTheDocumentation() {
        assertThat(service.get("/openapi.json", "Via", "x").status()).isEqualTo(200);
        assertThat(service.get("/api/v1/docs", "Via", "x").status()).isEqualTo(200);
    }

    /// The first line of the answer.
    private static String raw(String head) throws IOException {
        try (var socket = new Socket("127.0.0.1", service.service.address().getPort())) {
            socket.getOutputStream()
                    .write(
                            (head + "Connection: close\r\n\r\n")
                                    .getBytes(StandardCharsets.US_ASCII));
            return new BufferedReader(
                            new InputStreamReader(
                                    socket.getInputStream(), StandardCharsets.US_ASCII))
                    .readLine();
        }
    }
}
