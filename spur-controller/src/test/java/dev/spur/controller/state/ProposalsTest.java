package dev.spur.controller.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spur.controller.raft.BusyException;
import dev.spur.controller.raft.LeaderTask;
import dev.spur.controller.raft.Leadership;
import dev.spur.controller.raft.ReplicatedLog;
import dev.spur.controller.raft.UnknownOutcomeException;
import dev.spur.engine.state.Command;
import dev.spur.engine.state.Result;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class ProposalsTest {
    private static final Instant NOON = Instant.parse("2026-11-16T12:00:00Z");

    private final ReplicatedState state = new ReplicatedState();
    private final RecordingLog log = new RecordingLog();
    private Instant now = NOON;
    private final Proposals proposals = new Proposals(log, state, () -> now);

    @Test
    void timeNeverGoesBackWhateverTheClockDoes() {
        note();
        now = NOON.minusSeconds(60);
        note();
        now = NOON.plusSeconds(1);
        note();

        assertThat(log.times()).containsExactly(NOON, NOON, NOON.plusSeconds(1));
    }

    @Test
    void timeIsNeverBeforeWhatAnotherLeaderHasApplied() {
        state.apply(new Command.AdvanceTime(NOON.plusSeconds(30)));
        state.publish();

        note();

        assertThat(log.times()).containsExactly(NOON.plusSeconds(30));
    }

    @Test
    void aRefusalReachesWhoAsked() {
        log.answer = CompletableFuture.failedFuture(new BusyException());

        assertThatThrownBy(() -> proposals.decide(Command.AdvanceTime::new))
                .isInstanceOf(BusyException.class);
    }

    @Test
    void whoIsInterruptedWhileItIsWrittenDownIsToldThatItMayHaveHappened() {
        log.answer = new CompletableFuture<>();
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> proposals.decide(Command.AdvanceTime::new))
                .isInstanceOf(UnknownOutcomeException.class);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void aNoteThatIsNotRecordedIsNobodysFailure() {
        log.answer = CompletableFuture.failedFuture(new BusyException());

        note();

        assertThat(log.proposed).hasSize(1);
    }

    private void note() {
        proposals.note(Command.AdvanceTime::new);
    }

    private static final class RecordingLog implements ReplicatedLog<Proposal, Result> {
        private final List<Proposal> proposed = new ArrayList<>();
        private CompletableFuture<Result> answer =
                CompletableFuture.completedFuture(new Result.Ignored("recorded"));

        List<Instant> times() {
            return proposed.stream().map(proposal -> proposal.command().at()).toList();
        }

        @Override
        public CompletableFuture<Result> propose(Proposal proposal) {
            proposed.add(proposal);
            return answer;
        }

        @Override
        public void whileLeading(LeaderTask task) {}

        @Override
        public Leadership leadership() {
            return new Leadership.Leading(1);
        }

        @Override
        public void close() {}
    }
}
