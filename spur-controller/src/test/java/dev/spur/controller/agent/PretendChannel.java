package dev.spur.controller.agent;

import dev.spur.api.v1.AgentMessage;
import dev.spur.api.v1.ControllerMessage;
import dev.spur.api.v1.Heartbeat;
import dev.spur.api.v1.JobGone;
import dev.spur.api.v1.Register;
import dev.spur.api.v1.RunningJob;
import dev.spur.api.v1.StepReport;
import dev.spur.api.v1.StepReportKind;
import dev.spur.model.JobId;
import dev.spur.model.StepId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// An agent's end of a connection: remembers what it heard, says what the test tells it to.
public final class PretendChannel implements AgentChannel {
    private final Agents agents;
    private final Register.Builder register;
    private final List<ControllerMessage> heard = new ArrayList<>();
    private @Nullable AgentSession session;
    private @Nullable String closed;
    private boolean reads = true;
    private Runnable onClosed = () -> {};

    PretendChannel(Agents agents, String node) {
        this.agents = agents;
        this.register =
                Register.newBuilder()
                        .setNode(node)
                        .setAddress(node + ":6818")
                        .setHostname(node)
                        .setCpus(8)
                        .setBoards(1)
                        .setSockets(1)
                        .setCoresPerSocket(8)
                        .setThreadsPerCore(1)
                        .setMemoryMb(4_000)
                        .setTmpMb(1_000)
                        .setBootId("boot")
                        .setStartedMicros(1);
    }

    void open() {
        closed = null;
        session = agents.open(this, register.build());
    }

    // ---- what the agent is and has ----

    public PretendChannel startedAt(long micros) {
        register.setStartedMicros(micros);
        return this;
    }

    public PretendChannel on(String hostname) {
        register.setHostname(hostname).setBootId("boot of " + hostname);
        return this;
    }

    public PretendChannel has(JobId job, int attempt, StepId... steps) {
        var running = RunningJob.newBuilder().setJobId(job.value()).setAttempt(attempt);
        for (var step : steps) {
            running.addStepIds(step.value());
        }
        register.addJobs(running);
        return this;
    }

    public void reads(boolean yes) {
        reads = yes;
        if (yes && session != null) {
            session.wake();
        }
    }

    // ---- what it says ----

    public void beat(int leaseSeconds) {
        say(
                AgentMessage.newBuilder()
                        .setHeartbeat(Heartbeat.newBuilder().setLeaseSeconds(leaseSeconds)));
    }

    public void started(JobId job, int attempt, long sequence) {
        report(job, attempt, StepReportKind.STEP_STARTED, sequence);
    }

    public void ended(JobId job, int attempt, long sequence) {
        report(job, attempt, StepReportKind.STEP_ENDED, sequence);
    }

    private void report(JobId job, int attempt, StepReportKind kind, long sequence) {
        say(
                AgentMessage.newBuilder()
                        .setReport(
                                StepReport.newBuilder()
                                        .setJobId(job.value())
                                        .setAttempt(attempt)
                                        .setStepId(StepId.BATCH.value())
                                        .setKind(kind)
                                        .setSequence(sequence)));
    }

    public void gone(JobId job, int attempt) {
        say(
                AgentMessage.newBuilder()
                        .setJobGone(
                                JobGone.newBuilder().setJobId(job.value()).setAttempt(attempt)));
    }

    private void say(AgentMessage.Builder message) {
        agents.received(Objects.requireNonNull(session), message.build());
    }

    /// What happens while the controller ends the connection.
    void onClosed(Runnable what) {
        onClosed = what;
    }

    /// The connection ends.
    public void hangUp() {
        agents.closed(Objects.requireNonNull(session));
    }

    // ---- what it heard ----

    /// Everything of one kind since the last question, in order.
    public <T> List<T> take(
            Predicate<ControllerMessage> kind, Function<ControllerMessage, T> part) {
        var taken = heard.stream().filter(kind).map(part).toList();
        heard.removeIf(kind);
        return taken;
    }

    public @Nullable String closedBecause() {
        return closed;
    }

    @Override
    public boolean isReady() {
        return reads;
    }

    @Override
    public void send(ControllerMessage message) {
        heard.add(message);
    }

    @Override
    public void close(String why) {
        closed = why;
        onClosed.run();
    }
}
