package dev.spur.cloud.update;

import static dev.spur.cloud.access.Needs.ADMIN;
import static dev.spur.cloud.access.Needs.ADMINISTRATION;

import dev.spur.cloud.access.Caller;
import dev.spur.cloud.config.UpdateSection;
import dev.spur.runtime.http.Answer;
import dev.spur.runtime.http.Endpoint;
import dev.spur.runtime.http.Json;
import dev.spur.runtime.http.Problem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;

/// Looks for a newer release when the daemon starts and when an administrator asks. What it learned
/// is kept in a file for an hour, which daemons on one host share; without a source nobody is
/// asked.
public final class UpdateCheck {
    private static final Logger LOG = LoggerFactory.getLogger(UpdateCheck.class);
    private static final Duration KEPT = Duration.ofHours(1);
    private static final String FILE = "update-check.json";

    private final UpdateSection config;
    private final String version;
    private final Path file;
    private final InstantSource clock;

    /// @param version of this program, as in 0.3.0
    /// @param directory where the answer is kept if the configuration names no other
    public UpdateCheck(UpdateSection config, String version, Path directory, InstantSource clock) {
        this.config = config;
        this.version = version;
        this.file =
                (config.cacheDir().isEmpty() ? directory : Path.of(config.cacheDir()))
                        .resolve(FILE);
        this.clock = clock;
    }

    /// @param latestVersion null: nobody was asked, or there is no release
    public record Answered(
            String currentVersion,
            @Nullable String latestVersion,
            boolean updateAvailable,
            @Nullable String releaseUrl) {}

    /// What was learned from whom.
    record Kept(
            Instant checkedAt,
            String source,
            UpdateSection.Channel channel,
            @Nullable String version,
            @Nullable String url) {}

    public List<Endpoint<Caller>> endpoints() {
        return List.of(
                Endpoint.<Caller>get("/api/admin/update-check", "checkForUpdate")
                        .tag("admin")
                        .says("Whether there is a newer release")
                        .needs(ADMIN, ADMINISTRATION)
                        .answers(200, Answered.class)
                        .refuses(502)
                        .by(_ -> Answer.ok(asked())));
    }

    private Answered asked() throws InterruptedException {
        try {
            return check();
        } catch (IOException e) {
            throw Problem.of(
                            502,
                            "releases-away",
                            "Where releases are listed nobody answered as expected.",
                            "Try again later, or look at update.source in spur-cloud.toml.")
                    .causedBy(e);
        }
    }

    /// In the background: the daemon does not wait for others.
    public void startUp() {
        if (config.checkOnStartup() && !config.source().isEmpty()) {
            Thread.ofVirtual().name("update-check").start(this::logged);
        }
    }

    private void logged() {
        try {
            LOG.atInfo().log(line(check()));
        } catch (IOException e) {
            LOG.atWarn().setCause(e).log("update_check: spur-cloud-api: cannot be looked up");
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    static String line(Answered answered) {
        return answered.updateAvailable()
                ? "update_check: spur-cloud-api: update available v%s → %s — see %s"
                        .formatted(
                                answered.currentVersion(),
                                answered.latestVersion(),
                                answered.releaseUrl())
                : "update_check: spur-cloud-api: up to date (v%s)"
                        .formatted(answered.currentVersion());
    }

    Answered check() throws IOException, InterruptedException {
        if (config.source().isEmpty()) {
            return new Answered(version, null, false, null);
        }
        var known = kept();
        if (known.isEmpty()) {
            var newest = new Releases(config.source()).newest(config.channel());
            known =
                    Optional.of(
                            new Kept(
                                    clock.instant(),
                                    config.source(),
                                    config.channel(),
                                    newest.map(Releases.Release::version).orElse(null),
                                    newest.map(Releases.Release::url).orElse(null)));
            keep(known.get());
        }
        return answered(known.get());
    }

    private Answered answered(Kept kept) {
        var latest = kept.version();
        var isNewer =
                latest != null
                        && ReleaseVersion.parse(latest)
                                .flatMap(newest ->
                                        ReleaseVersion.parse(version)
                                                .map(current -> newest.compareTo(current) > 0))
                                .orElse(false);
        return new Answered(version, latest, isNewer, kept.url());
    }

    /// Empty if nothing is kept that is young enough and from the same source.
    private Optional<Kept> kept() {
        try {
            if (!Files.isRegularFile(file) || Files.size(file) > 65_536) {
                return Optional.empty();
            }
            var kept = Json.MAPPER.readValue(Files.readAllBytes(file), Kept.class);
            var age = Duration.between(kept.checkedAt(), clock.instant());
            return Optional.of(kept)
                    .filter(_ -> !age.isNegative() && age.compareTo(KEPT) < 0)
                    .filter(_ -> kept.source().equals(config.source()))
                    .filter(_ -> kept.channel() == config.channel());
        } catch (IOException | JacksonException e) {
            return Optional.empty(); // written anew
        }
    }

    /// Whole or not at all: others may read it.
    private void keep(Kept kept) {
        try {
            var directory = file.toAbsolutePath().getParent();
            Files.createDirectories(directory);
            var fresh = Files.createTempFile(directory, "update-check", ".new");
            Files.write(fresh, Json.bytes(kept));
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            LOG.atWarn().setCause(e).log("what was learned of releases cannot be kept");
        }
    }
}
