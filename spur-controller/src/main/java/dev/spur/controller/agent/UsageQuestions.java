package dev.spur.controller.agent;

import dev.spur.api.v1.AskUsage;
import dev.spur.api.v1.ControllerMessage;
import dev.spur.api.v1.StepOfJob;
import dev.spur.api.v1.UsageAnswer;
import dev.spur.model.ErrorCode;
import dev.spur.model.SpurException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/// Questions to agents about what steps use, until they are answered or nobody waits any more.
final class UsageQuestions {
    /// A step's supervisor looks for two seconds at most.
    static final Duration PATIENCE = Duration.ofSeconds(3);

    private static final int MOST_OPEN = 5_000;

    private final AtomicLong numbers = new AtomicLong();
    private final ConcurrentMap<Long, Question> open = new ConcurrentHashMap<>();

    private record Question(
            AgentSession session, CompletableFuture<Optional<UsageAnswer>> answer) {}

    /// @return empty if the agent does not answer in time
    CompletableFuture<Optional<UsageAnswer>> ask(
            AgentSession session, List<StepOfJob> steps, boolean pids) {
        if (open.size() >= MOST_OPEN) {
            throw new SpurException(
                    ErrorCode.BUSY,
                    "too many nodes are being asked what their steps use; try again in a moment");
        }
        var number = numbers.incrementAndGet();
        var answer = new CompletableFuture<Optional<UsageAnswer>>();
        open.put(number, new Question(session, answer));
        var question =
                AskUsage.newBuilder().setQuestion(number).addAllSteps(steps).setPids(pids).build();
        session.send(() -> Optional.of(ControllerMessage.newBuilder().setAskUsage(question)));
        return answer.completeOnTimeout(
                        Optional.empty(), PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
                .whenComplete((_, _) -> open.remove(number));
    }

    /// Only who was asked may answer.
    void answered(AgentSession session, UsageAnswer said) {
        var question = open.get(said.getQuestion());
        if (question != null && question.session == session) {
            question.answer.complete(Optional.of(said));
        }
    }

    void gone(AgentSession session) {
        open.values().stream()
                .filter(question -> question.session == session)
                .forEach(question -> question.answer.complete(Optional.empty()));
    }
}
