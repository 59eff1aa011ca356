package dev.spur.engine.state;

import dev.spur.model.ErrorCode;
import dev.spur.model.IndexSet;
import dev.spur.model.JobId;
import dev.spur.model.StepId;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;

/// What is kept of an answer: never more than some hundred bytes, however many jobs or nodes it
/// spoke of. Hundreds of thousands are kept for a day, and anybody may ask.
public sealed interface RememberedAnswer {
    /// Answers about more jobs than this are kept as verdicts.
    int MOST_IN_FULL = 1;

    record InFull(Result result) implements RememberedAnswer {}

    /// Of an answer about very many jobs, what was said by the positions it was said of: whoever
    /// asks again brings the same jobs in the same order.
    record Verdicts(int jobs, List<Group> groups) implements RememberedAnswer {
        public Verdicts {
            groups = List.copyOf(groups);
        }
    }

    record Group(Result.Verdict verdict, ErrorCode code, IndexSet positions) {}

    /// Of a step that was created, where to find it.
    record OfStep(JobId job, int attempt, StepId step) implements RememberedAnswer {}

    private static Verdicts verdicts(List<Result.Answer> answers) {
        record Said(Result.Verdict verdict, ErrorCode code) {}
        var positions = new LinkedHashMap<Said, BitSet>();
        for (var i = 0; i < answers.size(); i++) {
            var answer = answers.get(i);
            positions
                    .computeIfAbsent(new Said(answer.verdict(), answer.code()), _ -> new BitSet())
                    .set(i);
        }
        var groups = new ArrayList<Group>();
        positions.forEach(
                (said, at) -> groups.add(new Group(said.verdict, said.code, IndexSet.of(at))));
        return new Verdicts(answers.size(), groups);
    }

    static RememberedAnswer of(Result result) {
        return switch (result) {
            case Result.PerJob(var answers) when answers.size() > MOST_IN_FULL -> verdicts(answers);
            case Result.StepCreated(var job, var step, var attempt) ->
                    new OfStep(job, attempt, step.id());
            case Result.PerJob _,
                    Result.Done _,
                    Result.Submitted _,
                    Result.Refused _,
                    Result.StepBusy _,
                    Result.Started _,
                    Result.AccountsChanged _,
                    Result.ReservationCreated _,
                    Result.CloudUserLinked _,
                    Result.Ignored _ ->
                    new InFull(result);
        };
    }
}
