package dev.spur.controller.raft;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Who has a copy of the log. The list is itself in the log: every controller knows the same one,
/// whatever its file says.
public interface Membership {
    /// What a controller says that ends because the others go on without it; with how it knows.
    String REMOVED =
            "this controller was removed from the cluster (%s). To add it again, empty its state directory and start it with a new token: spur token join --role controller";

    /// This controller. It may not be one of [#members]: not yet, or no longer.
    RaftConfig.Peer self();

    /// By name.
    List<RaftConfig.Peer> members();

    Standing standing();

    /// Whether others can reach this controller's copy at all; if not, none can be added.
    boolean isReachable();

    /// Adds a controller that listens already: it first gets a copy of the log and counts for
    /// majorities from then on, so that one which does not come up costs nothing. Where it is a
    /// member, its client address is brought up to date. Waits; leader only.
    ///
    /// @throws MembershipException if it cannot be reached or may not be added
    void add(RaftConfig.Peer peer);

    /// Takes a controller out, dead or alive. Waits; leader only.
    void remove(String id);

    /// Lets another controller lead, if one can. Waits a moment.
    void handOver();

    /// A controller that was away is back: connect to it at once. Votes would otherwise wait for
    /// the pause between two tries, which grows to minutes.
    void reconnect(String id);

    /// What this controller knows of itself and, if it leads, of the others.
    ///
    /// @param leader id of who leads, if somebody does
    /// @param committed entry up to which a majority has the log, as far as known here
    /// @param silences how long the leader has not heard of each follower, by id
    record Standing(
            Role role,
            long term,
            @Nullable String leader,
            long committed,
            long applied,
            Map<String, Duration> silences) {}

    /// A controller's part in keeping the log.
    enum Role {
        LEADER,
        FOLLOWER,
        /// Asks for votes: it hears of no leader.
        CANDIDATE,
        /// Not a member yet.
        WAITING,
        STOPPED
    }

    /// A log that only one controller has, for good.
    static Membership alone(RaftConfig.Peer self) {
        return new Membership() {
            @Override
            public RaftConfig.Peer self() {
                return self;
            }

            @Override
            public List<RaftConfig.Peer> members() {
                return List.of(self);
            }

            @Override
            public Standing standing() {
                return new Standing(Role.LEADER, 1, self.id(), 0, 0, Map.of());
            }

            @Override
            public boolean isReachable() {
                return false;
            }

            @Override
            public void add(RaftConfig.Peer peer) {
                throw new MembershipException("this controller is alone");
            }

            @Override
            public void remove(String id) {
                throw new MembershipException("this controller is alone");
            }

            @Override
            public void handOver() {}

            @Override
            public void reconnect(String id) {}
        };
    }
}
