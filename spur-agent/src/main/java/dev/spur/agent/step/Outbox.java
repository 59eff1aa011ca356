package dev.spur.agent.step;

import dev.spur.api.v1.AgentMessage;
import dev.spur.api.v1.StepReport;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// What the controller must hear. Reports stay here until it has said that it has them for good; a
/// new connection gets them all again.
public final class Outbox {
    private final TreeMap<Long, StepReport> unacknowledged = new TreeMap<>();
    private @Nullable Consumer<AgentMessage> link;
    private long sequence;

    /// @param firstSequence higher than any number of an earlier life of this agent
    public Outbox(long firstSequence) {
        this.sequence = firstSequence;
    }

    /// Sends now and again until acknowledged.
    synchronized void report(StepReport.Builder report) {
        var numbered = report.setSequence(++sequence).build();
        unacknowledged.put(sequence, numbered);
        send(AgentMessage.newBuilder().setReport(numbered).build());
    }

    /// Sends if there is a connection; the controller asks again if it misses it.
    public synchronized void send(AgentMessage message) {
        if (link != null) {
            link.accept(message);
        }
    }

    public synchronized void connected(Consumer<AgentMessage> newLink) {
        link = newLink;
        for (var report : unacknowledged.values()) {
            newLink.accept(AgentMessage.newBuilder().setReport(report).build());
        }
    }

    public synchronized void disconnected() {
        link = null;
    }

    /// Forgets the report with this number and returns it. Earlier ones are not taken for
    /// acknowledged: the controller records each by itself, and one of them may have failed.
    synchronized Optional<StepReport> acknowledged(long number) {
        return Optional.ofNullable(unacknowledged.remove(number));
    }
}
