package dev.spur.cli.submission;

import dev.spur.api.client.ControllerException;
import dev.spur.cli.CallerGoneException;
import dev.spur.cli.Invocation;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/// A request that must reach the controller although the command is over: the end of a job or step
/// that nobody else would end. While no controller answers it is repeated, at first with the
/// command waiting, then behind its back for as long as the door lives.
public final class LastRequest {
    private static final int TRIES_WHILE_WAITING = 3;
    private static final int TRIES_LATER = 5_000;
    private static final Duration PAUSE = Duration.ofSeconds(2);

    private LastRequest() {}

    /// Sends it, also on a thread that is interrupted, before or meanwhile, because the command's
    /// caller died: an interrupted call would look like a refusal.
    ///
    /// A command that another door goes on with has not ended: then nothing is sent.
    ///
    /// @param what the job or step, as in `job 12`
    /// @param request has its request id already, so that repeating it does no harm
    public static void send(Invocation in, Voice voice, String what, Runnable request) {
        if (!in.memory().isSuspended()) {
            send(voice, what, request, LastRequest::rested);
        }
    }

    /// @param rest lets some time pass; false if it must not
    static void send(Voice voice, String what, Runnable request, BooleanSupplier rest) {
        if (!tried(text -> tell(voice, text), what, request, rest, TRIES_WHILE_WAITING)) {
            Thread.ofVirtual()
                    .name("end-" + what)
                    .start(() -> tried(_ -> {}, what, request, rest, TRIES_LATER));
        }
    }

    /// False when no controller answered so far.
    private static boolean tried(
            Consumer<String> tell, String what, Runnable request, BooleanSupplier rest, int tries) {
        for (int i = 0; i < tries; i++) {
            try {
                return KnownOutcome.of(() -> {
                    request.run();
                    return true;
                });
            } catch (ControllerException refusal) {
                if (refusal.kind() == ControllerException.Kind.REFUSED) {
                    return true; // it has ended already, or is not ours any more
                }
                if (i == 0) {
                    tell.accept(
                            "no controller answers; %s is ended as soon as one does"
                                    .formatted(what));
                }
                if (!rest.getAsBoolean()) {
                    return false;
                }
            }
        }
        return false;
    }

    private static void tell(Voice voice, String text) {
        try {
            voice.warn(text);
        } catch (CallerGoneException _) {
            // then there is nobody to tell
        }
    }

    private static boolean rested() {
        try {
            Thread.sleep(PAUSE);
            return true;
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
