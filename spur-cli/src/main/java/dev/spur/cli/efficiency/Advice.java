package dev.spur.cli.efficiency;

import dev.spur.model.notation.Durations;
import dev.spur.model.notation.Text;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// What to ask for next time, in plain words. Only of what was measured, and with room to spare: a
/// job that needs a little more than last time must not fail for it.
final class Advice {
    private static final long SHORTEST = 60;
    private static final double WASTED_PERCENT = 70;
    private static final double HALF_PERCENT = 50;
    private static final double FULL_PERCENT = 90;
    private static final double MEMORY_ROOM = 1.25;
    private static final double TIME_ROOM = 1.5;
    private static final long LEAST_MEBIBYTES = 256;
    private static final long TIME_STEP = 5 * 60;

    private Advice() {}

    static List<String> of(JobEfficiency of) {
        if (!of.measured()) {
            return List.of("Nothing of what it used is known.");
        }
        if (of.seconds() < SHORTEST && !of.ended("OUT_OF_MEMORY") && !of.ended("TIMEOUT")) {
            return List.of("It ran for too short a time to say what it needs.");
        }
        var advice = new ArrayList<String>();
        cpus(of, advice);
        memory(of, advice);
        if (!of.runs()) {
            time(of, advice);
        }
        if (advice.isEmpty()) {
            advice.add("The same again: it used what it asked for.");
        }
        return advice;
    }

    private static void cpus(JobEfficiency of, List<String> advice) {
        var enough = Math.max(1, (long) Math.ceil(of.busyCores() * 1.1));
        if (of.cores() > 1 && enough < of.cores() && of.cpuPercent() < WASTED_PERCENT) {
            advice.add(
                    Text.of(
                            "%d %s of its %d: on average %.1f were busy. If it has one task, ask with --cpus-per-task=%d.",
                            enough,
                            enough == 1 ? "CPU instead" : "CPUs instead",
                            of.cores(),
                            of.busyCores(),
                            enough));
        } else if (of.cpuPercent() >= FULL_PERCENT) {
            advice.add(
                    Text.of(
                            "As many CPUs or more: %s busy all the time.",
                            of.cores() == 1 ? "its one was" : "its " + of.cores() + " were"));
        }
    }

    private static void memory(JobEfficiency of, List<String> advice) {
        if (of.memoryHadKib() == 0) {
            return;
        }
        var parts = of.isPerCpu() ? Math.max(1, of.cores()) : of.nodes();
        var option = of.isPerCpu() ? "--mem-per-cpu" : "--mem";
        if (of.ended("OUT_OF_MEMORY")) {
            advice.add(
                    Text.of(
                            "More memory, %s=%s perhaps: it was killed for want of it.",
                            option, mebibytes(2.0 * of.memoryHadKib() / parts)));
            return;
        }
        var enough = MEMORY_ROOM * of.memoryKib();
        if (of.memoryPercent() >= FULL_PERCENT) {
            advice.add(
                    Text.of(
                            "A little more memory, %s=%s: it used %.0f %% of what it had.",
                            option, mebibytes(enough / parts), of.memoryPercent()));
        } else if (of.memoryPercent() < HALF_PERCENT
                && enough / parts > 0
                && roundedMebibytes(enough / parts) * 1024 * parts < of.memoryHadKib()) {
            advice.add(
                    Text.of(
                            "Less memory, %s=%s: it used %s of %s.",
                            option,
                            mebibytes(enough / parts),
                            Sizes.kibibytes(of.memoryKib()),
                            Sizes.kibibytes(of.memoryHadKib())));
        }
    }

    private static void time(JobEfficiency of, List<String> advice) {
        if (of.limitSeconds() == 0) {
            return;
        }
        if (of.ended("TIMEOUT")) {
            advice.add(
                    Text.of(
                            "More time, --time=%s perhaps: it was ended at its limit.",
                            clock(2 * of.limitSeconds())));
            return;
        }
        var enough =
                Math.ceilDiv((long) Math.ceil(of.seconds() * TIME_ROOM), TIME_STEP) * TIME_STEP;
        if (of.timePercent() < HALF_PERCENT
                && enough < of.limitSeconds()
                && of.job().getState().equals("COMPLETED")) {
            advice.add(
                    Text.of(
                            "Less time, --time=%s: it was done after %s. Short jobs find a gap and start sooner.",
                            clock(enough), clock(of.seconds())));
        }
    }

    private static long roundedMebibytes(double kibibytes) {
        var mebibytes = (long) Math.ceil(kibibytes / 1024);
        return Math.ceilDiv(Math.max(1, mebibytes), LEAST_MEBIBYTES) * LEAST_MEBIBYTES;
    }

    private static String mebibytes(double kibibytes) {
        var mebibytes = roundedMebibytes(kibibytes);
        return mebibytes % 1024 == 0 ? mebibytes / 1024 + "G" : mebibytes + "M";
    }

    private static String clock(long seconds) {
        return Durations.padded(Duration.ofSeconds(seconds));
    }
}
