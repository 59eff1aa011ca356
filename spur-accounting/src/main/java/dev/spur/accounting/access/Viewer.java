package dev.spur.accounting.access;

import dev.spur.api.v1.JobRecord;
import io.grpc.Context;
import java.util.Objects;
import java.util.Set;

/// Who asks, as the controllers say.
///
/// @param coordinates accounts whose jobs he sees, with those below them
/// @param seesAllJobs the cluster shows everybody's jobs to everybody, or he is an operator
public record Viewer(
        long uid, String user, Level level, Set<String> coordinates, boolean seesAllJobs) {
    /// Set for everything that runs on behalf of a call.
    static final Context.Key<Viewer> CURRENT = Context.key("viewer");

    /// What somebody may do.
    public enum Level {
        USER,
        OPERATOR,
        ADMIN
    }

    public Viewer {
        coordinates = Set.copyOf(coordinates);
    }

    public static Viewer current() {
        return Objects.requireNonNull(CURRENT.get(), "a call that nobody let in");
    }

    public boolean isOperator() {
        return level != Level.USER;
    }

    public boolean sees(JobRecord job) {
        return seesAllJobs
                || Integer.toUnsignedLong(job.getUid()) == uid
                || coordinates.contains(job.getAccount());
    }

    /// Whether usage of an account or user is shown to him.
    public boolean seesUsage(String account, String name) {
        return isOperator() || seesAllJobs || name.equals(user) || coordinates.contains(account);
    }
}
