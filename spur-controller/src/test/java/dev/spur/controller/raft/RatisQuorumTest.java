package dev.spur.controller.raft;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.model.ErrorCode;
import dev.spur.model.SpurException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Three controllers over real sockets.
@Timeout(120)
class RatisQuorumTest {
    @TempDir Path directory;

    private final List<CountingReplica> replicas =
            Stream.generate(CountingReplica::new).limit(3).toList();
    private RealQuorum<String, Integer> quorum;

    @BeforeEach
    void start() throws IOException {
        var limits = new RaftConfig.Limits(1000, 1 << 20, 1000, 1 << 20);
        quorum = new RealQuorum<>(directory, 3, limits, CountingReplica.CODEC, replicas::get);
    }

    @AfterEach
    void stop() {
        quorum.close();
    }

    @Test
    void whatTheLeaderAcknowledgedIsThereWhenAnotherLeads() throws Exception {
        var first = quorum.leader();
        assertThat(propose(first, "kept")).isEqualTo(1);

        quorum.stop(first);
        var second = quorum.leader();

        assertThat(propose(second, "more")).isEqualTo(2);
        assertThat(replicas.get(second).words).containsExactly("kept", "more");
    }

    @Test
    void aFollowerNamesTheLeader() throws Exception {
        var leader = quorum.leader();
        var follower = quorum.log((leader + 1) % 3);
        follower.awaitLeader();

        var refused =
                follower.propose("word").handle((_, failure) -> failure).get(30, TimeUnit.SECONDS);

        assertThat(refused)
                .isInstanceOfSatisfying(
                        NotLeaderException.class,
                        e -> assertThat(e.leader()).isEqualTo("ctl" + (leader + 1) + ":6817"));
    }

    /// What was on its way when the majority was lost may still take place when it is back; what is
    /// asked for afterwards does not.
    @Test
    void withoutAMajorityItIsSaidAsSuch() throws Exception {
        var left = quorum.leader();
        quorum.stop((left + 1) % 3);
        quorum.stop((left + 2) % 3);

        var codes = new LinkedHashSet<ErrorCode>();
        while (!codes.contains(ErrorCode.NO_MAJORITY)) {
            codes.add(refusal(quorum.log(left)));
        }

        assertThat(codes)
                .isSubsetOf(ErrorCode.OUTCOME_UNKNOWN, ErrorCode.NOT_LEADER, ErrorCode.NO_MAJORITY);
        assertThat(quorum.log(left).leadership().refusal())
                .hasMessageContaining("no majority of the controllers answers")
                .hasMessageContaining("of 3, 2 have to be up");
    }

    private static ErrorCode refusal(RatisLog<String, Integer> log) throws Exception {
        return switch (log.propose("word").handle((_, e) -> e).get(60, TimeUnit.SECONDS)) {
            case SpurException e -> e.code();
            case NotLeaderException _ -> ErrorCode.NOT_LEADER;
            case UnknownOutcomeException _ -> ErrorCode.OUTCOME_UNKNOWN;
            case null, default -> throw new AssertionError("nobody but this one is left");
        };
    }

    private int propose(int leader, String word) throws Exception {
        return quorum.log(leader).propose(word).get(30, TimeUnit.SECONDS);
    }
}
