package dev.spur.cloud.update;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.spur.cloud.config.UpdateSection;
import dev.spur.cloud.config.UpdateSection.Channel;
import dev.spur.model.notation.HostAndPort;
import dev.spur.runtime.http.Answer;
import dev.spur.runtime.http.HttpPort;
import dev.spur.runtime.http.Incoming;
import dev.spur.runtime.http.Router;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// M18: whether there is a newer release.
class UpdateCheckTest {
    private static final String PAGE = "https://github.com/ROCm/spur-cloud/releases/tag/";

    @TempDir private Path directory;
    private final AtomicInteger asked = new AtomicInteger();
    private Router.Fallback behaviour =
            _ ->
                    Optional.of(
                            Answer.ok(
                                    List.of(
                                            release("v0.4.0-nightly.20270301", true, false),
                                            release("v0.3.1", false, false),
                                            release("v0.10.0", false, true),
                                            release("v0.3.0", false, false),
                                            release("latest", false, false))));
    private Instant now = Instant.parse("2027-03-01T10:00:00Z");

    private final HttpPort source =
            HttpPort.open(
                    HostAndPort.parse("127.0.0.1:0", 0),
                    new Router<Object>(
                            List.of(), (_, _) -> "", _ -> Optional.empty(), 1, this::answer));

    private Optional<Answer> answer(Incoming request) throws Exception {
        asked.incrementAndGet();
        assertThat(request.path()).isEqualTo("/repos/ROCm/spur-cloud/releases");
        return behaviour.answer(request);
    }

    private static Map<String, Object> release(String tag, boolean isPre, boolean isDraft) {
        return Map.of(
                "tag_name", tag, "html_url", PAGE + tag, "prerelease", isPre, "draft", isDraft);
    }

    @AfterEach
    void stop() {
        source.close();
    }

    private UpdateCheck check(String version, Channel channel) {
        var address = "http://127.0.0.1:%d/repos/ROCm/spur-cloud".formatted(source.number());
        return new UpdateCheck(
                new UpdateSection(true, channel, "", address), version, directory, () -> now);
    }

    @Test
    void whoIsBehindIsToldInTheLineOfTheSeed() throws Exception {
        var answered = check("0.3.0", Channel.STABLE).check();

        assertThat(answered)
                .isEqualTo(new UpdateCheck.Answered("0.3.0", "v0.3.1", true, PAGE + "v0.3.1"));
        assertThat(UpdateCheck.line(answered))
                .isEqualTo(
                        "update_check: spur-cloud-api: update available v0.3.0 → v0.3.1 — see "
                                + PAGE
                                + "v0.3.1");
    }

    @Test
    void whoIsUpToDateIsToldInTheLineOfTheSeed() throws Exception {
        assertThat(UpdateCheck.line(check("0.3.1", Channel.STABLE).check()))
                .isEqualTo("update_check: spur-cloud-api: up to date (v0.3.1)");
    }

    @Test
    void nightliesCountForThoseWhoWantThem() throws Exception {
        assertThat(check("0.3.1", Channel.NIGHTLY).check().latestVersion())
                .isEqualTo("v0.4.0-nightly.20270301");
    }

    @Test
    void theAnswerIsKeptForAnHourAndSharedByDaemonsOfOneHost() throws Exception {
        check("0.3.0", Channel.STABLE).check();
        now = now.plus(Duration.ofMinutes(59));
        check("0.3.1", Channel.STABLE).check();
        assertThat(asked).hasValue(1);

        check("0.3.1", Channel.NIGHTLY).check();
        assertThat(asked).hasValue(2);

        now = now.plus(Duration.ofMinutes(61));
        check("0.3.1", Channel.NIGHTLY).check();
        assertThat(asked).hasValue(3);
    }

    @Test
    void withoutASourceNobodyIsAsked() throws Exception {
        var check =
                new UpdateCheck(
                        new UpdateSection(true, Channel.STABLE, "", ""),
                        "0.3.0",
                        directory,
                        () -> now);

        check.startUp();

        assertThat(check.check()).isEqualTo(new UpdateCheck.Answered("0.3.0", null, false, null));
        assertThat(asked).hasValue(0);
    }

    @Test
    void aSourceThatAnswersNonsenseIsNotBelieved() {
        behaviour = _ -> Optional.of(Answer.text("<html>"));

        assertThat(catchThrowable(() -> check("0.3.0", Channel.STABLE).check()))
                .isInstanceOf(IOException.class);
    }

    @Test
    void linksThatAreNoneAreNotShown() throws Exception {
        behaviour =
                _ ->
                        Optional.of(
                                Answer.ok(
                                        List.of(
                                                Map.of(
                                                        "tag_name",
                                                        "v9.0.0",
                                                        "html_url",
                                                        "javascript:alert(1)"))));

        assertThat(check("0.3.0", Channel.STABLE).check().releaseUrl()).isEmpty();
    }

    @Test
    void versionsAreComparedAsNumbers() {
        var order =
                List.of(
                        "0.3.0-nightly.9",
                        "0.3.0-nightly.10",
                        "0.3.0-rc",
                        "0.3.0",
                        "0.3.9",
                        "0.3.10");
        for (var i = 1; i < order.size(); i++) {
            assertThat(ReleaseVersion.parse("v" + order.get(i)).orElseThrow())
                    .isGreaterThan(ReleaseVersion.parse(order.get(i - 1)).orElseThrow());
        }
    }
}
