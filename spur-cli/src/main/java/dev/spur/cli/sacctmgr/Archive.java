package dev.spur.cli.sacctmgr;

import dev.spur.api.v1.ArchiveRequest;
import dev.spur.cli.options.Refusal;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/// `sacctmgr archive dump`: what is older than so much goes into files, and out of the database.
final class Archive {
    private static final Pattern AGE = Pattern.compile("([0-9]{1,5})(hour|day|month)?s?");

    private Archive() {}

    static int run(Session session, List<String> words) throws IOException, InterruptedException {
        if (words.isEmpty() || !"dump".startsWith(words.getFirst().toLowerCase(Locale.ROOT))) {
            return session.fail(
                    " sacctmgr archive dump directory=DIRECTORY purgejobafter=12months; what was archived is read with other tools");
        }
        var directory = "";
        var kinds = new ArrayList<String>();
        var age = Duration.ZERO;
        var purges = false;
        for (var word : words.subList(1, words.size()).stream().map(Word::of).toList()) {
            var key = word.key().toLowerCase(Locale.ROOT);
            if (key.equals("directory")) {
                directory = word.value();
            } else if (key.startsWith("purge") && key.endsWith("after")) {
                kinds.add(key.substring(5, key.length() - 5));
                age = age(word.value());
                purges = true;
            } else {
                throw SettingKeys.unknown(word);
            }
        }
        if (directory.isEmpty() || !purges) {
            return session.fail(
                    " Say where to, and how old it is to be: directory=DIRECTORY purgejobafter=12months");
        }
        if (!session.agrees(
                " This takes what is older out of the database.\n Are you sure you want to continue?")) {
            session.out().println(" Changes Discarded");
            return 0;
        }
        var before = session.in().clock().instant().minus(age).getEpochSecond() * 1_000_000;
        var request =
                ArchiveRequest.newBuilder()
                        .setRequestId(session.in().newRequestId())
                        .setDirectory(directory)
                        .setBeforeMicros(before)
                        .addAllKinds(kinds)
                        .setPurge(true)
                        .build();
        var reply = session.history().call(history -> history.archive(request));
        session.out().println(" Archived %d rows".formatted(reply.getRows()));
        reply.getFilesList().forEach(file -> session.out().println("  " + file));
        return 0;
    }

    /// Months, unless it says otherwise.
    private static Duration age(String text) {
        var age = AGE.matcher(text.toLowerCase(Locale.ROOT));
        if (!age.matches()) {
            throw new Refusal(
                    1, " \"%s\" is not an age: write 12months, 30days or 48hours".formatted(text));
        }
        var count = Integer.parseInt(age.group(1));
        return switch (age.group(2)) {
            case "hour" -> Duration.ofHours(count);
            case "day" -> Duration.ofDays(count);
            case null, default -> Duration.ofDays(count * 30L);
        };
    }
}
