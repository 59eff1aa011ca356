package dev.spur.agent.step;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs of jobs of which nothing begins on this node any more: their script has ended here, or the
/// controller has ended them. They are remembered for longer than any launch is valid, since one
/// may arrive late, by whatever way, and in a file, since the agent may be another one by then.
///
/// The file has a line `job attempt milliseconds` for each, the last to end last.
public final class EndedJobs {
    private static final Logger log = LoggerFactory.getLogger(EndedJobs.class);

    /// A launch is valid for ten minutes, and clocks are not quite the same.
    private static final Duration REMEMBERED = Duration.ofMinutes(30);

    /// So many may be remembered for longer.
    private static final int FEW = 10_000;

    /// A hundred a second.
    private static final int MOST = 180_000;

    private final @Nullable Path file;
    private final InstantSource clock;

    /// The last ended run of each job, the job that ended first in front.
    private final Map<Integer, Ended> jobs = new LinkedHashMap<>();

    /// Lines that the file does not have yet.
    private List<String> unsaved = new ArrayList<>();

    private final Object disk = new Object();
    private int linesOnDisk;

    /// The file may lack something, or have half a line.
    private volatile boolean isTorn;

    /// The file has lines that a power cut would take.
    private volatile boolean isLoose;

    private record Ended(int attempt, long millis) {
        String line(int job) {
            return "%s %d %d\n".formatted(Integer.toUnsignedString(job), attempt, millis);
        }
    }

    private EndedJobs(@Nullable Path file, InstantSource clock) {
        this.file = file;
        this.clock = clock;
    }

    public static EndedJobs open(Path file, InstantSource clock) {
        var known = new EndedJobs(file, clock);
        known.read(file);
        known.isTorn = true; // perhaps
        known.save();
        return known;
    }

    /// For simulation: what would be in the file is here.
    public static EndedJobs inMemory(InstantSource clock) {
        return new EndedJobs(null, clock);
    }

    /// To be followed by [#save], when nothing waits for it.
    ///
    /// @param isHere whether a job, by its number, still has a step here: it is never forgotten,
    ///   for the end of its last step has to say that nothing is left
    synchronized void add(JobAttempt run, IntPredicate isHere) {
        var before = jobs.remove(run.job());
        var attempt = before == null ? run.attempt() : Math.max(before.attempt, run.attempt());
        var ended = new Ended(attempt, clock.millis());
        jobs.put(run.job(), ended);
        if (file != null) {
            unsaved.add(ended.line(run.job()));
        }
        if (jobs.size() > FEW) {
            forgetOne(isHere);
        }
    }

    private void forgetOne(IntPredicate isHere) {
        var aWhileAgo = clock.instant().minus(REMEMBERED);
        for (var each = jobs.entrySet().iterator(); each.hasNext(); ) {
            var job = each.next();
            var isOld = Instant.ofEpochMilli(job.getValue().millis).isBefore(aWhileAgo);
            if (!isOld && jobs.size() <= MOST) {
                return;
            }
            if (!isHere.test(job.getKey())) {
                each.remove();
                return;
            }
        }
    }

    synchronized boolean contains(JobAttempt run) {
        var ended = jobs.get(run.job());
        return ended != null && ended.attempt >= run.attempt();
    }

    // ---- the file ----

    /// Whether the file has everything, as far as this process is concerned.
    synchronized boolean isSaved() {
        return unsaved.isEmpty() && !isTorn;
    }

    /// Whether it has everything even if the power fails.
    boolean isForced() {
        return isSaved() && !isLoose;
    }

    /// Writes what was added since the last time. A disk may take its time: not to be called where
    /// anything waits.
    void save() {
        if (file == null) {
            return;
        }
        synchronized (disk) {
            var lines = unsaved();
            try {
                if (isTorn || linesOnDisk + lines.size() > 2 * size() + FEW) {
                    rewrite(file);
                } else if (!lines.isEmpty()) {
                    append(file, lines);
                }
            } catch (IOException e) {
                failed(file, e);
            }
        }
    }

    /// The same, and safe from a power cut. To be called now and then.
    void force() {
        save();
        if (file == null || isTorn) {
            return;
        }
        synchronized (disk) {
            isLoose = false;
            try (var channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                channel.force(true);
            } catch (IOException e) {
                failed(file, e);
            }
        }
    }

    /// All of it is written anew when that can be done.
    private void failed(Path to, IOException e) {
        if (!isTorn) {
            log.atError()
                    .addKeyValue("file", to)
                    .addKeyValue("cause", e.toString())
                    .log(
                            "which jobs have ended here cannot be noted for the next start of this agent; it is tried again every few seconds");
        }
        isTorn = true;
    }

    private synchronized List<String> unsaved() {
        var lines = unsaved;
        unsaved = new ArrayList<>();
        return lines;
    }

    private synchronized int size() {
        return jobs.size();
    }

    private void append(Path to, List<String> lines) throws IOException {
        Files.writeString(
                to, String.join("", lines), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        linesOnDisk += lines.size();
        isLoose = true;
    }

    private void rewrite(Path to) throws IOException {
        var lines = new ArrayList<String>();
        synchronized (this) {
            jobs.forEach((job, ended) -> lines.add(ended.line(job)));
        }
        var next = to.resolveSibling(to.getFileName() + ".new");
        Files.writeString(next, String.join("", lines));
        Files.move(next, to, StandardCopyOption.ATOMIC_MOVE);
        linesOnDisk = lines.size();
        isTorn = false;
        isLoose = true;
    }

    private void read(Path from) {
        try (var lines = Files.lines(from, StandardCharsets.ISO_8859_1)) {
            lines.forEach(this::remember);
        } catch (NoSuchFileException _) {
            // the first start of this node
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + from, e);
        }
    }

    /// A line that was torn by a crash says nothing.
    private void remember(String line) {
        var words = line.split(" ", -1);
        try {
            var job = Integer.parseUnsignedInt(words[0]);
            jobs.remove(job);
            jobs.put(job, new Ended(Integer.parseInt(words[1]), Long.parseLong(words[2])));
            if (jobs.size() > FEW) {
                forgetOne(_ -> false);
            }
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException _) {
            log.atDebug().addKeyValue("line", line).log("not an ended job");
        }
    }
}
