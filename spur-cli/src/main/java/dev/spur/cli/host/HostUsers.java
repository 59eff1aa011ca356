package dev.spur.cli.host;

import dev.spur.cli.UserDirectory;
import dev.spur.runtime.host.User;
import dev.spur.runtime.host.Users;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Predicate;

/// Users and groups of this host: the files first, then the name service switch, remembered for a
/// while.
public final class HostUsers implements UserDirectory {
    private static final Duration REMEMBERED = Duration.ofMinutes(5);
    private static final int MOST_REMEMBERED = 10_000;
    private static final Path PASSWD = Path.of("/etc/passwd");
    private static final Path GROUP = Path.of("/etc/group");
    private static final long LARGEST_ID = 0xFFFF_FFFEL;

    private enum Kind {
        USER,
        GROUP
    }

    private record Question(Kind kind, String key, boolean byName) {}

    private record Answer(Optional<Entry> entry, Instant until) {}

    /// A user or group: its name and number.
    record Entry(String name, long number) {}

    private final InstantSource clock;
    private final ConcurrentMap<Question, Answer> remembered = new ConcurrentHashMap<>();

    public HostUsers(InstantSource clock) {
        this.clock = clock;
    }

    @Override
    public String userName(long uid) {
        return name(Kind.USER, uid);
    }

    @Override
    public String groupName(long gid) {
        return name(Kind.GROUP, gid);
    }

    @Override
    public OptionalLong uid(String nameOrNumber) {
        return number(Kind.USER, nameOrNumber);
    }

    @Override
    public OptionalLong gid(String nameOrNumber) {
        return number(Kind.GROUP, nameOrNumber);
    }

    private String name(Kind kind, long number) {
        var digits = Long.toString(number);
        return find(new Question(kind, digits, false)).map(Entry::name).orElse(digits);
    }

    private OptionalLong number(Kind kind, String nameOrNumber) {
        var entry = find(new Question(kind, nameOrNumber, true));
        if (entry.isPresent()) {
            return OptionalLong.of(entry.get().number());
        }
        boolean isNumber =
                !nameOrNumber.isEmpty()
                        && nameOrNumber.length() <= 10
                        && nameOrNumber.chars().allMatch(c -> c >= '0' && c <= '9');
        if (isNumber && Long.parseLong(nameOrNumber) <= LARGEST_ID) {
            return OptionalLong.of(Long.parseLong(nameOrNumber));
        }
        return OptionalLong.empty();
    }

    private Optional<Entry> find(Question question) {
        var now = clock.instant();
        var known = remembered.get(question);
        if (known != null && known.until().isAfter(now)) {
            return known.entry();
        }
        if (remembered.size() > MOST_REMEMBERED) {
            remembered.clear();
        }
        var found = inFile(question).or(() -> bySwitch(question));
        remembered.put(question, new Answer(found, now.plus(REMEMBERED)));
        return found;
    }

    private static Optional<Entry> inFile(Question question) {
        Predicate<Entry> wanted =
                question.byName()
                        ? entry -> entry.name().equals(question.key())
                        : entry -> entry.number() == Long.parseLong(question.key());
        // Names are bytes; Latin-1 reads any of them, and ASCII ones, which is all that useradd
        // allows, rightly.
        try (var lines =
                Files.lines(
                        question.kind() == Kind.USER ? PASSWD : GROUP,
                        StandardCharsets.ISO_8859_1)) {
            return lines.flatMap(line -> parse(line).stream()).filter(wanted).findFirst();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /// Both files begin with name, password, number.
    private static Optional<Entry> parse(String line) {
        var fields = line.split(":", 4);
        if (fields.length < 4 || fields[0].startsWith("#")) {
            return Optional.empty();
        }
        try {
            return Optional.of(new Entry(fields[0], Long.parseLong(fields[2])));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    private static Optional<Entry> bySwitch(Question question) {
        return switch (question.kind()) {
            case USER -> user(question).map(user -> new Entry(user.name(), user.uid()));
            case GROUP -> group(question);
        };
    }

    private static Optional<User> user(Question question) {
        return question.byName()
                ? Users.byName(question.key())
                : Users.byUid(Long.parseLong(question.key()));
    }

    private static Optional<Entry> group(Question question) {
        if (question.byName()) {
            var gid = Users.gid(question.key());
            return gid.isPresent()
                    ? Optional.of(new Entry(question.key(), gid.getAsLong()))
                    : Optional.empty();
        }
        var gid = Long.parseLong(question.key());
        return Users.groupName(gid).map(name -> new Entry(name, gid));
    }
}
