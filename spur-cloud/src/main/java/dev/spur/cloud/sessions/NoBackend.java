package dev.spur.cloud.sessions;

import dev.spur.cloud.cluster.UnixAccount;
import dev.spur.cloud.config.ServerSection;
import java.io.OutputStream;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Nothing here runs sessions, and why.
public final class NoBackend implements Backend {
    private final ServerSection.Backend kind;
    private final String because;

    public NoBackend(ServerSection.Backend kind, String because) {
        this.kind = kind;
        this.because = because;
    }

    @Override
    public ServerSection.Backend kind() {
        return kind;
    }

    @Override
    public Optional<String> refusal(String image) {
        return Optional.of(because);
    }

    private BackendAwayException away() {
        return new BackendAwayException(because, new UnsupportedOperationException(because));
    }

    @Override
    public Submitted submit(Submission submission) {
        throw away();
    }

    @Override
    public void cancel(UnixAccount account, long job) {
        throw away();
    }

    @Override
    public Changed requeue(UnixAccount account, long job, String key) {
        throw away();
    }

    @Override
    public Changed limit(UnixAccount account, long job, int minutes, String key) {
        throw away();
    }

    @Override
    public List<Observed> list(Collection<Long> jobs) {
        throw away();
    }

    @Override
    public Map<Long, Place> queue() {
        throw away();
    }

    @Override
    public void follow(String cursor, Follower follower) {
        throw away();
    }

    @Override
    public List<NodeOffer> nodes() {
        return List.of();
    }

    @Override
    public void output(UnixAccount account, long job, OutputWish wish, OutputStream to) {
        throw away();
    }

    @Override
    public Map<Long, Use> usage(UnixAccount account, Collection<Long> jobs) {
        return Map.of();
    }
}
