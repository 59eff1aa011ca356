package dev.spur.agent.step;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spur.api.v1.AgentMessage;
import dev.spur.api.v1.Heartbeat;
import dev.spur.api.v1.StepReport;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class OutboxTest {
    private final Outbox outbox = new Outbox(1_000);
    private final List<AgentMessage> sent = new ArrayList<>();

    private static StepReport.Builder report(int job) {
        return StepReport.newBuilder().setJobId(job);
    }

    private List<Integer> jobs() {
        return sent.stream().map(message -> message.getReport().getJobId()).toList();
    }

    @Test
    void reportsWaitForAConnectionAndKeepTheirOrder() {
        outbox.report(report(1));
        outbox.report(report(2));

        outbox.connected(sent::add);
        outbox.report(report(3));

        assertThat(jobs()).containsExactly(1, 2, 3);
    }

    @Test
    void aReportIsToldOnEveryConnectionUntilItIsAcknowledged() {
        outbox.connected(sent::add);
        outbox.report(report(1));
        outbox.disconnected();
        outbox.connected(sent::add);
        assertThat(jobs()).containsExactly(1, 1);

        outbox.acknowledged(sent.getFirst().getReport().getSequence());
        sent.clear();
        outbox.connected(sent::add);

        assertThat(sent).isEmpty();
    }

    @Test
    void acknowledgingOneReportSaysNothingOfThoseBeforeIt() {
        outbox.connected(sent::add);
        outbox.report(report(1));
        outbox.report(report(2));
        outbox.acknowledged(sent.get(1).getReport().getSequence());
        sent.clear();

        outbox.connected(sent::add);

        assertThat(jobs()).containsExactly(1);
    }

    @Test
    void numbersGrowFromWhereTheyBegan() {
        outbox.connected(sent::add);
        outbox.report(report(1));
        outbox.report(report(2));

        assertThat(sent.stream().map(message -> message.getReport().getSequence()))
                .containsExactly(1_001L, 1_002L);
    }

    @Test
    void whatNeedsNoAnswerIsSaidNowOrNever() {
        var heartbeat =
                AgentMessage.newBuilder().setHeartbeat(Heartbeat.getDefaultInstance()).build();
        outbox.send(heartbeat);

        outbox.connected(sent::add);

        assertThat(sent).isEmpty();
    }
}
