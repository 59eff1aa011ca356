package dev.spur.cli.sacctmgr;

import dev.spur.api.v1.ArchiveRequest;
import dev.spur.cli.options.Refusal;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/// `sacctmgr archive dump`: what is older than so much goes into files, and out of the database.
/// `archive load` reads jobs back.
final class Archive {
    private static final Pattern AGE = Pattern.compile("([0-9]{1,5})(hour|day|month)?s?");

    /// Slurm's words for what goes into files; here all that is purged does.
    private static final Set<String> KINDS =
            Set.of("events", "jobs", "reservations", "steps", "suspend", "txn", "usage");

    private Archive() {}

    static int run(Session session, List<String> words) throws IOException, InterruptedException {
        var verb = words.isEmpty() ? "" : words.getFirst().toLowerCase(Locale.ROOT);
        var rest = words.stream().skip(1).map(Word::of).toList();
        if (!verb.isEmpty() && "dump".startsWith(verb)) {
            return dump(session, rest);
        }
        if (!verb.isEmpty() && "load".startsWith(verb)) {
            return load(session, rest);
        }
        return session.fail(
                " Say what to do: archive dump directory=DIRECTORY purgejobafter=12months, or archive load file=FILE");
    }

    private static int dump(Session session, List<Word> words)
            throws IOException, InterruptedException {
        var directory = "";
        // By age: what is asked for one kind is no rule for another.
        var kinds = new LinkedHashMap<Duration, List<String>>();
        for (var word : words) {
            var key = word.key().toLowerCase(Locale.ROOT);
            if (key.equals("directory")) {
                directory = absolute(session, word.value());
            } else if (key.startsWith("purge") && key.endsWith("after")) {
                kinds.computeIfAbsent(age(word.value()), _ -> new ArrayList<>())
                        .add(key.substring(5, key.length() - 5));
            } else if (!KINDS.contains(
                    word.hasKey() ? key : word.value().toLowerCase(Locale.ROOT))) {
                throw SettingKeys.unknown(word);
            }
        }
        if (directory.isEmpty() || kinds.isEmpty()) {
            return session.fail(
                    " Say where to, and how old it is to be: directory=DIRECTORY purgejobafter=12months");
        }
        if (!session.agrees(
                " This takes what is older out of the database.\n Are you sure you want to continue?")) {
            session.out().println(" Changes Discarded");
            return 0;
        }
        var now = session.in().clock().instant();
        var rows = 0L;
        var files = new ArrayList<String>();
        for (var each : kinds.entrySet()) {
            var request =
                    ArchiveRequest.newBuilder()
                            .setRequestId(session.in().newRequestId())
                            .setDirectory(directory)
                            .setBeforeMicros(now.minus(each.getKey()).getEpochSecond() * 1_000_000)
                            .addAllKinds(each.getValue())
                            .setPurge(true)
                            .build();
            var reply = session.history().call(history -> history.archive(request));
            rows += reply.getRows();
            files.addAll(reply.getFilesList());
        }
        session.out().println(" Archived %d rows".formatted(rows));
        files.forEach(file -> session.out().println("  " + file));
        return 0;
    }

    private static int load(Session session, List<Word> words)
            throws IOException, InterruptedException {
        var file = "";
        for (var word : words) {
            if (!word.key().equalsIgnoreCase("file")) {
                throw SettingKeys.unknown(word);
            }
            file = word.value();
        }
        if (file.isEmpty()) {
            return session.fail(" Say which: archive load file=FILE");
        }
        var request =
                ArchiveRequest.newBuilder()
                        .setRequestId(session.in().newRequestId())
                        .setLoad(absolute(session, file))
                        .build();
        var reply = session.history().call(history -> history.archive(request));
        session.out().println(" Loaded %d jobs".formatted(reply.getRows()));
        return 0;
    }

    /// spurdbd is elsewhere, or at least in another directory.
    private static String absolute(Session session, String path) {
        return Path.of(session.in().workingDirectory()).resolve(path).normalize().toString();
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
