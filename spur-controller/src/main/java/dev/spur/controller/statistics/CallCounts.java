package dev.spur.controller.statistics;

import dev.spur.api.v1.CallStatistics;
import dev.spur.controller.access.Caller;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/// Counts calls and how long they take, by what is asked and who asks. Stands behind the
/// interceptor that knows the caller.
public final class CallCounts implements ServerInterceptor {
    /// Everybody after them is counted together.
    private static final int MOST_CALLERS = 1_000;

    private static final Who OTHERS = new Who("others", -1);

    private final Map<String, Sum> byMethod = new ConcurrentHashMap<>();
    private final Map<Who, Sum> byCaller = new ConcurrentHashMap<>();
    private final AtomicInteger open = new AtomicInteger();

    private record Who(String name, int uid) {}

    private static final class Sum {
        private final LongAdder count = new LongAdder();
        private final LongAdder nanos = new LongAdder();

        void add(long took) {
            count.increment();
            nanos.add(took);
        }
    }

    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        if (call.getMethodDescriptor().getType() == MethodDescriptor.MethodType.BIDI_STREAMING) {
            return next.startCall(call, headers); // a connection of an agent, not a question
        }
        var began = System.nanoTime();
        var caller = Caller.CURRENT.get();
        var counted = new AtomicBoolean();
        open.incrementAndGet();
        Runnable over =
                () -> {
                    if (counted.compareAndSet(false, true)) {
                        open.decrementAndGet();
                        add(
                                call.getMethodDescriptor().getFullMethodName(),
                                who(caller),
                                System.nanoTime() - began);
                    }
                };
        var counting =
                new SimpleForwardingServerCall<Q, R>(call) {
                    @Override
                    public void close(Status status, Metadata trailers) {
                        over.run();
                        super.close(status, trailers);
                    }
                };
        return new SimpleForwardingServerCallListener<>(next.startCall(counting, headers)) {
            @Override
            public void onCancel() {
                over.run();
                super.onCancel();
            }
        };
    }

    private void add(String method, Who who, long took) {
        byMethod.computeIfAbsent(method.substring(method.indexOf('/') + 1), _ -> new Sum())
                .add(took);
        var known = byCaller.containsKey(who) || byCaller.size() < MOST_CALLERS ? who : OTHERS;
        byCaller.computeIfAbsent(known, _ -> new Sum()).add(took);
    }

    private static Who who(Caller caller) {
        return switch (caller) {
            case Caller.Person person -> new Who(person.actor().userName(), person.actor().uid());
            case Caller.RootOfHost _ -> new Who("root", 0);
            case Caller.Host host -> new Who(host.peer().role().word(), -1);
            case Caller.Stranger _ -> new Who("strangers", -1);
        };
    }

    int open() {
        return open.get();
    }

    List<CallStatistics> calls() {
        return sorted(
                byMethod.entrySet().stream()
                        .map(one -> view(one.getKey(), 0, one.getValue()))
                        .toList());
    }

    List<CallStatistics> callers() {
        return sorted(
                byCaller.entrySet().stream()
                        .map(one -> view(one.getKey().name(), one.getKey().uid(), one.getValue()))
                        .toList());
    }

    private static List<CallStatistics> sorted(List<CallStatistics> all) {
        return all.stream()
                .sorted(
                        Comparator.comparingLong(CallStatistics::getCount)
                                .reversed()
                                .thenComparing(CallStatistics::getName))
                .toList();
    }

    private static CallStatistics view(String name, int uid, Sum sum) {
        return CallStatistics.newBuilder()
                .setName(name)
                .setUid(uid)
                .setCount(sum.count.sum())
                .setTotalMicros(sum.nanos.sum() / 1_000)
                .build();
    }

    void reset() {
        byMethod.clear();
        byCaller.clear();
    }
}
