package dev.spur.cloud.carry;

import dev.spur.cloud.access.Caller;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Answers that last: events, the output of a job that is followed. Whoever loses the login or the
/// token by which they were asked for loses them, too.
final class OpenAnswers implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OpenAnswers.class);
    private static final Duration LOOKS_EVERY = Duration.ofSeconds(2);

    private final Predicate<Caller.Person> isStillThere;
    private final Set<Open> open = ConcurrentHashMap.newKeySet();
    private final Thread watch;

    /// An answer on its way. Not a record: each is only itself.
    private static final class Open {
        final Caller.Person person;
        final Closeable source;

        Open(Caller.Person person, Closeable source) {
            this.person = person;
            this.source = source;
        }
    }

    OpenAnswers(Predicate<Caller.Person> isStillThere) {
        this.isStillThere = isStillThere;
        this.watch = Thread.ofVirtual().name("open-answers").start(this::watch);
    }

    /// Until the closing of what is returned the source is closed when its reader may not go on.
    Runnable add(Caller.Person person, Closeable source) {
        var answer = new Open(person, source);
        open.add(answer);
        return () -> open.remove(answer);
    }

    private void watch() {
        try {
            while (true) {
                Thread.sleep(LOOKS_EVERY);
                look();
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt(); // closed
        }
    }

    /// However many answers somebody has, they are looked for once.
    private void look() {
        Map<Caller.Person, Boolean> known = new HashMap<>();
        for (var answer : open) {
            try {
                if (!known.computeIfAbsent(answer.person, isStillThere::test)) {
                    close(answer);
                }
            } catch (RuntimeException e) {
                // as long as nobody knows, nobody is sent away
                LOG.atDebug().setCause(e).log("cannot see who may stay");
                return;
            }
        }
    }

    private void close(Open answer) {
        open.remove(answer);
        try {
            answer.source.close();
        } catch (IOException e) {
            LOG.atDebug().setCause(e).log("an answer did not end in order");
        }
    }

    @Override
    public void close() {
        watch.interrupt();
        open.forEach(this::close);
    }
}
