package dev.spur.api.client;

import dev.spur.api.v1.ControllerGrpc;
import dev.spur.api.v1.StepServiceGrpc;
import dev.spur.model.notation.HostAndPort;
import io.grpc.ClientInterceptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;
import java.io.IOException;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The controllers of one cluster, as one caller sees them.
///
/// A call goes to the controller that answered last. When that one is gone the next is tried, when it does not lead
/// the leader it names is; both until `patience` is over. This is safe for every request: those that change something
/// carry a request id, made before the first try, by which the cluster knows a repetition.
///
///     var reply = client.call(c -> c.submitJob(request));
///     client.each(c -> c.listJobs(request), page -> print(page));
public final class ControllerClient {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(20);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(200);
    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(60);

    private final Channels channels;
    private final List<HostAndPort> addresses;
    private final ClientInterceptor identity;
    private final Duration patience;
    private final AtomicInteger preferred = new AtomicInteger();
    private volatile @Nullable HostAndPort leader;

    public ControllerClient(Channels channels, List<HostAndPort> addresses, CallerIdentity caller) {
        this(channels, addresses, caller, PATIENCE);
    }

    private ControllerClient(
            Channels channels,
            List<HostAndPort> addresses,
            CallerIdentity caller,
            Duration patience) {
        this.channels = channels;
        this.addresses = List.copyOf(addresses);
        this.identity = MetadataUtils.newAttachHeadersInterceptor(CallerHeaders.of(caller));
        this.patience = patience;
    }

    /// A client that gives up sooner or later than the usual half minute.
    public static ControllerClient withPatience(
            Channels channels,
            List<HostAndPort> addresses,
            CallerIdentity caller,
            Duration patience) {
        return new ControllerClient(channels, addresses, caller, patience);
    }

    /// One request, one answer.
    public <R> R call(Function<ControllerGrpc.ControllerBlockingStub, R> request) {
        return retrying(
                () -> true,
                stub ->
                        request.apply(
                                stub.withDeadlineAfter(
                                        ANSWER_WITHIN.toMillis(), TimeUnit.MILLISECONDS)));
    }

    /// One request, many answers. Repeated only while no answer has been handed on.
    public <R> void each(
            Function<ControllerGrpc.ControllerBlockingStub, Iterator<R>> request,
            Consumer<R> answer) {
        var handedOn = new boolean[1];
        retrying(
                () -> !handedOn[0],
                stub -> {
                    var answers = request.apply(stub);
                    while (answers.hasNext()) {
                        var next = answers.next();
                        handedOn[0] = true;
                        answer.accept(next);
                    }
                    return true;
                });
    }

    /// Whether [#agent] can work: not for callers that have only a token.
    public boolean reachesAgents() {
        return channels.reachesAgents();
    }

    /// The step service of the agent that runs `node`, with this caller's identity.
    public StepServiceGrpc.StepServiceStub agent(String address, String node) {
        return StepServiceGrpc.newStub(
                        channels.agent(HostAndPort.parse(address, HostAndPort.AGENT_PORT), node))
                .withInterceptors(identity);
    }

    private interface Question {
        boolean ask();
    }

    private <R> R retrying(
            Question mayRepeat, Function<ControllerGrpc.ControllerBlockingStub, R> request) {
        var deadline = System.nanoTime() + patience.toNanos();
        var pause = FIRST_PAUSE;
        while (true) {
            var address = target();
            try {
                return request.apply(stub(address));
            } catch (StatusRuntimeException e) {
                if (!mayPass(e.getStatus()) || !mayRepeat.ask()) {
                    throw ControllerException.of(e);
                }
                if (System.nanoTime() + pause.toNanos() > deadline) {
                    throw ControllerException.unreachable(
                            "no controller answers at %s".formatted(join(addresses)), e);
                }
                if (redirect(e) || next(address)) {
                    continue;
                }
                rest(pause, e);
                pause =
                        pause.multipliedBy(2).compareTo(LONGEST_PAUSE) < 0
                                ? pause.multipliedBy(2)
                                : LONGEST_PAUSE;
            }
        }
    }

    private ControllerGrpc.ControllerBlockingStub stub(HostAndPort address) {
        var channel = channels.controller(address);
        channel.resetConnectBackoff(); // we pause ourselves; the channel's own pauses grow to
        // minutes
        return ControllerGrpc.newBlockingStub(channel).withInterceptors(identity);
    }

    private HostAndPort target() {
        var known = leader;
        return known != null ? known : addresses.get(preferred.get() % addresses.size());
    }

    /// Whether the refusal named a leader that we have not just asked.
    private boolean redirect(StatusRuntimeException e) {
        var named = e.getTrailers() == null ? null : e.getTrailers().get(CallerHeaders.LEADER);
        if (named == null || named.isEmpty()) {
            leader = null;
            return false;
        }
        var to = HostAndPort.parse(named, HostAndPort.CONTROLLER_PORT);
        var isNews = !to.equals(leader);
        leader = to;
        return isNews;
    }

    /// Whether there is another controller to ask before pausing.
    private boolean next(HostAndPort failed) {
        var at = preferred.get();
        if (addresses.get(at % addresses.size()).equals(failed)) {
            preferred.compareAndSet(at, (at + 1) % addresses.size());
            return at + 1 < addresses.size();
        }
        return false;
    }

    /// Statuses that a later try, or another controller, may not answer with. A connection that
    /// breaks in the middle of a call is UNKNOWN to gRPC, with the broken connection as its cause.
    static boolean mayPass(Status status) {
        return switch (status.getCode()) {
            case UNAVAILABLE -> true;
            case UNKNOWN -> status.getCause() instanceof IOException;
            default -> false;
        };
    }

    private static void rest(Duration pause, StatusRuntimeException why) {
        try {
            Thread.sleep(pause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw ControllerException.unreachable(
                    "interrupted while waiting for the controller", why);
        }
    }

    private static String join(List<HostAndPort> addresses) {
        return String.join(", ", addresses.stream().map(HostAndPort::toString).toList());
    }
}
