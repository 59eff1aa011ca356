package dev.spur.cloud.cluster;

import dev.spur.cloud.users.Person;
import dev.spur.runtime.host.Users;
import dev.spur.runtime.http.Problem;
import java.util.Locale;
import java.util.UUID;
import java.util.function.LongPredicate;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;

/// Gives each person a number and a name on nodes, once and for ever: numbers are never used again,
/// so that nobody finds a stranger's files to be theirs.
public final class UnixAccounts {
    private static final int LONGEST_NAME = 31;
    private static final String NOT_IN_NAMES = "[^a-z0-9_-]";

    private final Jdbi db;
    private final Supplier<Range> range;
    private final Predicate<String> isTakenName;
    private final LongPredicate isTakenUid;

    /// Numbers that the cloud may give, as in the cluster's `[cloud] uid_range`. The first is the
    /// cloud's own.
    public record Range(long first, long last) {
        public static final Range USUAL = new Range(200_000, 299_999);

        static Range parse(String text) {
            var ends = text.split("-", -1);
            if (ends.length != 2) {
                throw Problem.of(
                        503,
                        "no-uid-range",
                        "The cluster does not say which numbers the cloud's people have on its nodes.",
                        "Set uid_range in [cloud] of spur.conf.");
            }
            return new Range(Long.parseLong(ends[0]), Long.parseLong(ends[1]));
        }
    }

    UnixAccounts(
            Jdbi db,
            Supplier<Range> range,
            Predicate<String> isTakenName,
            LongPredicate isTakenUid) {
        this.db = db;
        this.range = range;
        this.isTakenName = isTakenName;
        this.isTakenUid = isTakenUid;
    }

    /// Looks at the accounts of this host, so that nobody becomes somebody who exists.
    public UnixAccounts(Jdbi db, Supplier<Range> range) {
        this(
                db,
                range,
                name -> name.equals(ClusterClients.OWN_NAME) || Users.byName(name).isPresent(),
                uid -> Users.byUid(uid).isPresent());
    }

    /// The person's, made if there is none yet.
    public UnixAccount of(UUID person) {
        return db.inTransaction(handle -> of(handle, person));
    }

    private UnixAccount of(Handle handle, UUID id) {
        var person =
                handle.createQuery("select * from person where id = :id for update")
                        .bind("id", id)
                        .map(ConstructorMapper.of(Person.class))
                        .findOne()
                        .orElseThrow(() -> Problem.notFound("user"));
        var linkedUid = person.linkedUid();
        var linkedName = person.linkedName();
        if (linkedUid != null && linkedName != null) {
            return new UnixAccount(linkedUid, linkedName, true);
        }
        var uid = person.unixUid();
        var name = person.unixName();
        if (uid != null && name != null) {
            return new UnixAccount(uid, name, false);
        }
        return given(handle, person);
    }

    private UnixAccount given(Handle handle, Person person) {
        var account = new UnixAccount(nextUid(handle), freeName(handle, person.username()), false);
        handle.createUpdate("update person set unix_uid = :uid, unix_name = :name where id = :id")
                .bind("uid", account.uid())
                .bind("name", account.name())
                .bind("id", person.id())
                .execute();
        return account;
    }

    private long nextUid(Handle handle) {
        var allowed = range.get();
        while (true) {
            var uid =
                    allowed.first()
                            + 1
                            + handle.createQuery("select nextval('unix_number')")
                                    .mapTo(Long.class)
                                    .one();
            if (uid > allowed.last()) {
                throw Problem.of(
                        503,
                        "no-uids-left",
                        "All numbers from %d to %d that the cloud may give to people on nodes are used."
                                .formatted(allowed.first(), allowed.last()),
                        "Ask the administrator to extend uid_range in [cloud] of spur.conf.");
            }
            if (!isTakenUid.test(uid)) {
                return uid;
            }
        }
    }

    private String freeName(Handle handle, String username) {
        var stem = stem(username);
        for (var count = 1; ; count++) {
            var suffix = count == 1 ? "" : "-" + count;
            var name = stem.substring(0, Math.min(stem.length(), LONGEST_NAME - suffix.length()));
            name += suffix;
            if (!isTakenName.test(name) && !isGiven(handle, name)) {
                return name;
            }
        }
    }

    /// Letters and digits that every tool on a node takes for a name.
    static String stem(String username) {
        var plain = username.toLowerCase(Locale.ROOT).replaceAll(NOT_IN_NAMES, "-");
        return plain.matches("[a-z_].*") ? plain : "u" + plain;
    }

    private static boolean isGiven(Handle handle, String name) {
        return handle.createQuery(
                        "select exists (select from person where unix_name = :name or linked_name = :name)")
                .bind("name", name)
                .mapTo(Boolean.class)
                .one();
    }
}
