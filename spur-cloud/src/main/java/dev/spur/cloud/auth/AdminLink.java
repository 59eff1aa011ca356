package dev.spur.cloud.auth;

import dev.spur.cloud.auth.OneTimeCodes.Kind;
import dev.spur.cloud.users.People;
import dev.spur.runtime.identity.SecretFiles;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// How the first administrator comes to be: whoever holds the link, once, within an hour.
public final class AdminLink {
    private static final Logger LOG = LoggerFactory.getLogger(AdminLink.class);
    private static final Duration LIFE = Duration.ofHours(1);
    private static final String FILE = "admin-link";

    private final OneTimeCodes codes;
    private final People people;
    private final String publicUrl;
    private final Path file;

    AdminLink(OneTimeCodes codes, People people, String publicUrl, Path stateDirectory) {
        this.codes = codes;
        this.people = people;
        this.publicUrl = publicUrl;
        this.file = stateDirectory.resolve(FILE);
    }

    /// At the start: as long as there is no administrator there is a link, in a file that only this
    /// daemon's user reads.
    void offer() {
        if (people.administrators() > 0) {
            SecretFiles.delete(file);
            return;
        }
        var link = renew();
        LOG.atInfo()
                .addKeyValue("file", file)
                .log("nobody administers this installation yet: open the link in the file");
        System.out.println(
                "Spur Cloud has no administrator yet. Become it within an hour: " + link);
    }

    /// A new link, the only one that is good from now on.
    String renew() {
        codes.revoke(Kind.FIRST_ADMINISTRATOR, null);
        var link =
                publicUrl
                        + "/setup?code="
                        + codes.create(Kind.FIRST_ADMINISTRATOR, null, null, LIFE);
        SecretFiles.write(file, (link + "\n").getBytes(StandardCharsets.UTF_8));
        return link;
    }

    /// A new link for somebody who administers the cluster; empty if there is an administrator.
    public Optional<String> ifNeeded() {
        return people.administrators() > 0 ? Optional.empty() : Optional.of(renew());
    }
}
