package dev.spur.testkit.simulated;

import dev.spur.api.v1.CreateStepReply;
import dev.spur.api.v1.ReconfigureReply;
import dev.spur.model.ErrorCode;
import org.jspecify.annotations.Nullable;

/// What an answer says that must be the same however often the request is answered.
///
/// @param binds false: it says how things are at this moment, and another answer may say something
///   else. A step that was made may have ended by then. And one that finds no room is told so
///   without a promise: the controller does not remember it, and by the next time there may be
///   room, or the job may wait to run again.
record Told(String words, boolean binds) {
    static Told of(@Nullable Object reply) {
        return switch (reply) {
            case CreateStepReply step when step.hasBusy() -> new Told(step.getBusy(), false);
            case CreateStepReply step ->
                    new Told(
                            step.getCreated().getJobId() + "." + step.getCreated().getStepId(),
                            true);
            // what it changed, it changed the first time
            case ReconfigureReply _ -> new Told("done", true);
            case null, default -> new Told(String.valueOf(reply), true);
        };
    }

    static Told of(Throwable failure) {
        var words = String.valueOf(failure.getMessage());
        var isOver =
                words.endsWith(ErrorCode.ALREADY_DONE.text())
                        || words.endsWith("has ended already");
        return new Told(words, !isOver);
    }

    boolean agreesWith(Told other) {
        return !binds || !other.binds || words.equals(other.words);
    }

    @Override
    public String toString() {
        return words;
    }
}
