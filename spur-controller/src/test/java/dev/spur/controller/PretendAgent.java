package dev.spur.controller;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.spur.api.v1.AgentLinkGrpc;
import dev.spur.api.v1.AgentMessage;
import dev.spur.api.v1.AskUsage;
import dev.spur.api.v1.ControllerMessage;
import dev.spur.api.v1.JobGone;
import dev.spur.api.v1.Register;
import dev.spur.api.v1.SignalStep;
import dev.spur.api.v1.StepLaunch;
import dev.spur.api.v1.StepReport;
import dev.spur.api.v1.StepReportKind;
import dev.spur.api.v1.StepUsage;
import dev.spur.api.v1.TerminateJob;
import dev.spur.api.v1.UsageAnswer;
import dev.spur.api.v1.UsageOfStep;
import dev.spur.api.v1.Welcome;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;

/// An agent that runs nothing: what it launches is begun, and ends when the test says so or when it
/// is told to end it.
final class PretendAgent implements StreamObserver<ControllerMessage> {
    final CompletableFuture<Welcome> welcome = new CompletableFuture<>();
    final BlockingQueue<StepLaunch> launched = new LinkedBlockingQueue<>();
    final BlockingQueue<TerminateJob> terminated = new LinkedBlockingQueue<>();
    final BlockingQueue<Long> acknowledged = new LinkedBlockingQueue<>();
    final BlockingQueue<SignalStep> signalled = new LinkedBlockingQueue<>();

    private final String node;
    private final StreamObserver<AgentMessage> toController;
    private volatile StepUsage usage = StepUsage.getDefaultInstance();
    private long sequence;

    PretendAgent(String node, AgentLinkGrpc.AgentLinkStub link) {
        this.node = node;
        this.toController = link.connect(this);
        send(
                AgentMessage.newBuilder()
                        .setRegister(
                                Register.newBuilder()
                                        .setNode(node)
                                        .setAddress("127.0.0.1:6818")
                                        .setHostname(node)
                                        .setCpus(4)
                                        .setSockets(1)
                                        .setCoresPerSocket(4)
                                        .setThreadsPerCore(1)
                                        .setMemoryMb(4000)
                                        .setBootId("boot")));
    }

    @Override
    public void onNext(ControllerMessage message) {
        switch (message.getMessageCase()) {
            case WELCOME -> welcome.complete(message.getWelcome());
            case LAUNCH -> launch(message);
            case TERMINATE -> terminate(message.getTerminate());
            case REPORT_SEEN -> acknowledged.add(message.getReportSeen().getSequence());
            case SIGNAL -> signalled.add(message.getSignal());
            case ASK_USAGE -> answer(message.getAskUsage());
            case TERMS, HEARTBEAT_SEEN, MESSAGE_NOT_SET -> {}
        }
    }

    private void launch(ControllerMessage message) {
        try {
            var launch = StepLaunch.parseFrom(message.getLaunch().getLaunch());
            report(launch, StepReportKind.STEP_STARTED, 0);
            launched.add(launch);
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException(e);
        }
    }

    /// The script ended.
    void end(StepLaunch launch, int exitCode) {
        report(launch, StepReportKind.STEP_ENDED, exitCode);
    }

    private void report(StepLaunch launch, StepReportKind kind, int exitCode) {
        send(
                AgentMessage.newBuilder()
                        .setReport(
                                StepReport.newBuilder()
                                        .setSequence(++sequence)
                                        .setJobId(launch.getJobId())
                                        .setStepId(launch.getStepId())
                                        .setAttempt(launch.getAttempt())
                                        .setKind(kind)
                                        .setExitCode(exitCode)));
    }

    /// What every step uses here, when somebody asks.
    void uses(StepUsage what) {
        usage = what;
    }

    private void answer(AskUsage question) {
        var answer = UsageAnswer.newBuilder().setQuestion(question.getQuestion());
        for (var step : question.getStepsList()) {
            var used = UsageOfStep.newBuilder().setStep(step).setUsage(usage);
            answer.addSteps(question.getPids() ? used.addPids(4711) : used);
        }
        send(AgentMessage.newBuilder().setUsage(answer));
    }

    /// The connection ends.
    void hangUp() {
        toController.onCompleted();
    }

    private void terminate(TerminateJob terminate) {
        send(
                AgentMessage.newBuilder()
                        .setJobGone(
                                JobGone.newBuilder()
                                        .setJobId(terminate.getJobId())
                                        .setAttempt(terminate.getAttempt())));
        terminated.add(terminate);
    }

    private synchronized void send(AgentMessage.Builder message) {
        toController.onNext(message.build());
    }

    String node() {
        return node;
    }

    @Override
    public void onError(Throwable cause) {
        welcome.completeExceptionally(cause);
    }

    @Override
    public void onCompleted() {}
}
