package dev.spur.api.client;

import dev.spur.api.v1.AccountsGrpc;
import dev.spur.api.v1.ControllerGrpc;
import dev.spur.api.v1.OutputServiceGrpc;
import dev.spur.api.v1.PeersGrpc;
import dev.spur.api.v1.RecordsGrpc;
import dev.spur.api.v1.StepServiceGrpc;
import dev.spur.model.ErrorCode;
import dev.spur.model.notation.HostAndPort;
import io.grpc.ClientInterceptor;
import io.grpc.Context;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The controllers of one cluster, as one caller sees them.
///
/// A call goes to the controller that answered last. When that one is gone the next is tried, when it does not lead
/// the leader it names is, when it is busy it is given time; all until `patience` is over. This is safe for every request: those that change something
/// carry a request id, made before the first try, by which the cluster knows a repetition.
///
///     var reply = client.call(c -> c.submitJob(request));
///     client.each(c -> c.listJobs(request), page -> print(page));
public final class ControllerClient {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(20);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(200);

    /// Who has too much to do is not helped by being asked all the time.
    private static final Duration LONGEST_PAUSE_WHILE_BUSY = Duration.ofSeconds(2);

    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(60);

    private final Channels channels;
    private final List<HostAndPort> addresses;
    private final ClientInterceptor identity;
    private final Duration patience;
    private final AnswerAccount answers;
    private final ChargedAnswers charged;
    private final AtomicInteger preferred = new AtomicInteger();
    private volatile @Nullable HostAndPort leader;

    public ControllerClient(Channels channels, List<HostAndPort> addresses, CallerIdentity caller) {
        this(channels, addresses, caller, AnswerAccount.NOBODYS);
    }

    /// @param answers told what each answer takes before it is in memory
    public ControllerClient(
            Channels channels,
            List<HostAndPort> addresses,
            CallerIdentity caller,
            AnswerAccount answers) {
        this(channels, addresses, caller, PATIENCE, answers);
    }

    private ControllerClient(
            Channels channels,
            List<HostAndPort> addresses,
            CallerIdentity caller,
            Duration patience,
            AnswerAccount answers) {
        this.answers = answers;
        this.charged = new ChargedAnswers(answers);
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
        return new ControllerClient(channels, addresses, caller, patience, AnswerAccount.NOBODYS);
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
    ///
    /// Each answer waits for memory on a thread of its call's own: on the connection's it would
    /// keep all other callers' answers waiting too.
    public <R> void each(
            Function<ControllerGrpc.ControllerBlockingStub, Iterator<R>> request,
            Consumer<R> answer) {
        var handedOn = new boolean[1];
        retrying(
                () -> !handedOn[0],
                stub -> {
                    var call = Context.current().withCancellation();
                    var outer = call.attach();
                    try {
                        var answers = request.apply(stub.withExecutor(Thread::startVirtualThread));
                        while (answers.hasNext()) {
                            var next = answers.next();
                            handedOn[0] = true;
                            answer.accept(next);
                        }
                        return true;
                    } finally {
                        call.detach(outer);
                        call.cancel(null); // whoever has heard enough throws
                    }
                });
    }

    /// As [#call], about accounts and what they may use.
    public <R> R accounts(Function<AccountsGrpc.AccountsBlockingStub, R> request) {
        return retrying(
                () -> true,
                stub ->
                        request.apply(
                                AccountsGrpc.newBlockingStub(stub.getChannel())
                                        .withDeadlineAfter(
                                                ANSWER_WITHIN.toMillis(), TimeUnit.MILLISECONDS)));
    }

    /// As [#each], about accounts and what they may use.
    public <R> void eachOfAccounts(
            Function<AccountsGrpc.AccountsBlockingStub, Iterator<R>> request, Consumer<R> answer) {
        each(
                stub ->
                        request.apply(
                                AccountsGrpc.newBlockingStub(stub.getChannel())
                                        .withExecutor(Thread::startVirtualThread)),
                answer);
    }

    /// The keeper of the accounting at this address, asked in this caller's name.
    public HistoryClient history(HostAndPort address) {
        return new HistoryClient(channels.accounting(address), address, identity, charged);
    }

    /// One request of a controller to the one that leads.
    public <R> R peers(Function<PeersGrpc.PeersBlockingStub, R> request, Duration within) {
        return retrying(
                () -> true,
                stub ->
                        request.apply(
                                PeersGrpc.newBlockingStub(stub.getChannel())
                                        .withDeadlineAfter(
                                                within.toMillis(), TimeUnit.MILLISECONDS)));
    }

    /// One request of the keeper of the accounting to the controller that leads.
    public <R> R records(Function<RecordsGrpc.RecordsBlockingStub, R> request, Duration within) {
        return retrying(
                () -> true,
                stub ->
                        request.apply(
                                RecordsGrpc.newBlockingStub(stub.getChannel())
                                        .withDeadlineAfter(
                                                within.toMillis(), TimeUnit.MILLISECONDS)));
    }

    /// What one controller answered, or why it did not.
    public record Asked<R>(
            HostAndPort address, @Nullable R answer, @Nullable ControllerException failure) {}

    /// Asks each of these controllers itself, all at the same time: what every one may answer.
    public <R> List<Asked<R>> each(
            List<HostAndPort> controllers,
            Duration within,
            Function<ControllerGrpc.ControllerBlockingStub, R> request) {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            return controllers.stream()
                    .map(address -> threads.submit(() -> ask(address, within, request)))
                    .toList()
                    .stream()
                    .map(ControllerClient::join)
                    .toList();
        }
    }

    private <R> Asked<R> ask(
            HostAndPort address,
            Duration within,
            Function<ControllerGrpc.ControllerBlockingStub, R> request) {
        try {
            var stub = stub(address).withDeadlineAfter(within.toMillis(), TimeUnit.MILLISECONDS);
            return new Asked<>(address, request.apply(stub), null);
        } catch (StatusRuntimeException e) {
            return new Asked<>(address, null, ControllerException.of(e));
        }
    }

    private static <R> Asked<R> join(Future<Asked<R>> asked) {
        try {
            return asked.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the controllers were asked", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    /// The controllers as this client was told of them.
    public List<HostAndPort> addresses() {
        return addresses;
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

    /// The output service of the agent that runs `node`. Its answers come on threads of their own.
    public OutputServiceGrpc.OutputServiceBlockingStub outputs(String address, String node) {
        return OutputServiceGrpc.newBlockingStub(
                        channels.agent(HostAndPort.parse(address, HostAndPort.AGENT_PORT), node))
                .withExecutor(Thread::startVirtualThread)
                .withInterceptors(identity);
    }

    private interface Question {
        boolean ask();
    }

    private <R> R retrying(
            Question mayRepeat, Function<ControllerGrpc.ControllerBlockingStub, R> request) {
        var deadline = System.nanoTime() + patience.toNanos();
        var pause = FIRST_PAUSE;
        var mayHaveChanged = false;
        var sentOn = 0;
        var helpless = new Helpless();
        while (true) {
            var address = target();
            var attempt = new Attempt();
            answers.ask();
            try {
                return request.apply(stub(address).withInterceptors(attempt, charged));
            } catch (StatusRuntimeException e) {
                ChargedAnswers.rethrow(e);
                mayHaveChanged |= isUnknown(e, attempt);
                if (!mayPass(e) || !mayRepeat.ask()) {
                    throw mayHaveChanged && !isAnswer(e)
                            ? ControllerException.outcomeUnknown(e)
                            : ControllerException.of(e);
                }
                if (helpless.all(address, e)) {
                    throw mayHaveChanged
                            ? ControllerException.outcomeUnknown(e)
                            : helpless.verdict();
                }
                if (System.nanoTime() + pause.toNanos() > deadline) {
                    throw mayHaveChanged ? ControllerException.outcomeUnknown(e) : givenUp(e);
                }
                var isBusy = isBusy(e);
                // While they change leaders, two may name each other for a moment.
                if (!isBusy && (redirect(e) || next(address)) && sentOn++ <= addresses.size()) {
                    continue;
                }
                sentOn = 0;
                rest(pause, e);
                pause = longer(pause, isBusy ? LONGEST_PAUSE_WHILE_BUSY : LONGEST_PAUSE);
            }
        }
    }

    /// Whether nobody knows if this try has changed something: the controller says so, or the
    /// request left and its answer did not come.
    private static boolean isUnknown(StatusRuntimeException e, Attempt attempt) {
        return ControllerException.code(e)
                .map(code -> code == ErrorCode.OUTCOME_UNKNOWN)
                .orElseGet(attempt::mayHaveChanged);
    }

    /// Whether it tells how things are, for this and all earlier tries: a repetition is answered
    /// with what became of the first.
    private static boolean isAnswer(StatusRuntimeException e) {
        return ControllerException.code(e).isPresent() && !mayPass(e);
    }

    private ControllerException givenUp(StatusRuntimeException e) {
        return isBusy(e)
                ? ControllerException.of(e)
                : ControllerException.unreachable(
                        "no controller answers at %s".formatted(join(addresses)), e);
    }

    private static boolean isBusy(StatusRuntimeException e) {
        return ControllerException.code(e).filter(code -> code == ErrorCode.BUSY).isPresent();
    }

    private static Duration longer(Duration pause, Duration most) {
        var twice = pause.multipliedBy(2);
        return twice.compareTo(most) < 0 ? twice : most;
    }

    /// Controllers that cannot do anything at the moment: some are not there, and those that are
    /// say that they are too few. When this is true of all, waiting helps nobody.
    private final class Helpless {
        private final Set<HostAndPort> seen = new HashSet<>();
        private @Nullable StatusRuntimeException tooFew;

        boolean all(HostAndPort address, StatusRuntimeException e) {
            var code = ControllerException.code(e).orElse(null);
            if (code == ErrorCode.NOT_LEADER) {
                seen.remove(address);
                return false;
            }
            seen.add(address);
            if (code == ErrorCode.NO_MAJORITY) {
                tooFew = e;
            }
            return tooFew != null && seen.containsAll(addresses);
        }

        ControllerException verdict() {
            return ControllerException.of(Objects.requireNonNull(tooFew));
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

    /// Refusals that a later try, or another controller, may not answer with. A connection that
    /// breaks in the middle of a call is UNKNOWN to gRPC, with the broken connection as its cause;
    /// a controller that stops ends its calls with CANCELLED, for which there is no cause here.
    static boolean mayPass(StatusRuntimeException e) {
        return switch (ControllerException.code(e).orElse(null)) {
            case null ->
                    switch (e.getStatus().getCode()) {
                        case UNAVAILABLE -> true;
                        case UNKNOWN -> e.getStatus().getCause() instanceof IOException;
                        case CANCELLED -> e.getStatus().getCause() == null;
                        default -> false;
                    };
            case NOT_LEADER, NO_MAJORITY, BUSY, OUTCOME_UNKNOWN -> true;
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
