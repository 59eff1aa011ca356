package dev.spur.cli.sacct;

import dev.spur.api.v1.JobHistory;
import dev.spur.api.v1.JobRecord;
import dev.spur.api.v1.StepRecord;
import dev.spur.api.v1.StepUsage;
import dev.spur.cli.format.Units;
import dev.spur.model.StepId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A line of sacct: a job, or one of its steps.
///
/// @param step missing: the job itself
/// @param show how values are to look
record Row(JobHistory history, @Nullable StepRecord step, Show show) {
    private static final long MICROS = 1_000_000;

    /// What all rows of a call share.
    ///
    /// @param tres names of resources by number
    /// @param from times before this are shown as this (`--truncate`); 0: as they are
    /// @param now seconds for what has not ended; also the end of a truncated window
    /// @param units into which sizes are converted
    record Show(
            Map<Integer, String> tres,
            long from,
            long until,
            long nowMicros,
            Units units,
            boolean showsArrays) {}

    /// The row of a job, and one for each of its steps.
    static List<Row> of(JobHistory history, boolean withSteps, Show show) {
        var rows = new ArrayList<Row>();
        rows.add(new Row(history, null, show));
        if (withSteps) {
            history.getStepsList().stream()
                    .sorted((one, other) -> Integer.compare(rank(one), rank(other)))
                    .forEach(step -> rows.add(new Row(history, step, show)));
        }
        return rows;
    }

    /// The script comes first, then what holds the job together, then the steps by number.
    private static int rank(StepRecord step) {
        var id = new StepId(step.getStepId());
        return id.equals(StepId.BATCH)
                ? -3
                : id.equals(StepId.EXTERN) ? -2 : id.isReserved() ? -1 : id.value();
    }

    JobRecord job() {
        return history.getJob();
    }

    boolean isJob() {
        return step == null;
    }

    /// `40_3`, `40_[4-10%2]`, `14+1`, and for a step its name behind a point.
    String id() {
        var job = job();
        String base;
        if (!show.showsArrays()) {
            base = Integer.toUnsignedString(job.getJobId());
        } else if (job.getArrayJobId() != 0) {
            base =
                    Integer.toUnsignedString(job.getArrayJobId())
                            + "_"
                            + (job.hasArrayTaskId()
                                    ? Integer.toUnsignedString(job.getArrayTaskId())
                                    : "[" + job.getArrayPending() + "]");
        } else if (job.getHetJobId() != 0) {
            base = Integer.toUnsignedString(job.getHetJobId()) + "+" + job.getHetOffset();
        } else {
            base = Integer.toUnsignedString(job.getJobId());
        }
        return base + stepSuffix();
    }

    String rawId() {
        return Integer.toUnsignedString(job().getJobId()) + stepSuffix();
    }

    private String stepSuffix() {
        return step == null ? "" : "." + new StepId(step.getStepId()).toString();
    }

    String state() {
        if (step != null) {
            return step.getState();
        }
        return job().hasCancelledBy() && job().getState().equals("CANCELLED")
                ? "CANCELLED by " + Integer.toUnsignedString(job().getCancelledBy())
                : job().getState();
    }

    long start() {
        var start = step == null ? job().getStartMicros() : step.getStartMicros();
        return start != 0 && start < show.from() ? show.from() : start;
    }

    long end() {
        var end = step == null ? job().getEndMicros() : step.getEndMicros();
        return show.from() != 0 && end > show.until() ? show.until() : end;
    }

    /// Seconds that it ran, or has run until now.
    long elapsed() {
        var start = start();
        if (start == 0) {
            return 0;
        }
        var end = end();
        var last =
                end != 0
                        ? end
                        : show.from() != 0
                                ? Math.min(show.until(), show.nowMicros())
                                : show.nowMicros();
        return Math.max(
                0, Math.floorDiv(last, MICROS) - Math.floorDiv(start, MICROS) - suspended());
    }

    long suspended() {
        return step == null ? job().getSuspendedSeconds() : step.getSuspendedSeconds();
    }

    /// What it has; as long as it waits, what it asks for.
    long cpus() {
        if (step != null) {
            return step.getCpus();
        }
        return job().getAllocCpus() != 0 ? job().getAllocCpus() : job().getReqCpus();
    }

    long requestedCpus() {
        return step == null ? job().getReqCpus() : step.getCpus();
    }

    long nodes() {
        return step == null ? job().getNodeCount() : step.getNodeCount();
    }

    /// Seconds from when it could have started until it did, or until now.
    long planned() {
        if (step != null || job().getEligibleMicros() == 0) {
            return 0;
        }
        var start = job().getStartMicros();
        var until =
                start != 0
                        ? start
                        : job().getEndMicros() != 0 ? job().getEndMicros() : show.nowMicros();
        return Math.max(0, (until - job().getEligibleMicros()) / MICROS);
    }

    /// Processor time, of a job that of all its steps.
    long userMicros() {
        return step != null
                ? step.getUsage().getUserMicros()
                : history.getStepsList().stream()
                        .mapToLong(each -> each.getUsage().getUserMicros())
                        .sum();
    }

    long systemMicros() {
        return step != null
                ? step.getUsage().getSystemMicros()
                : history.getStepsList().stream()
                        .mapToLong(each -> each.getUsage().getSystemMicros())
                        .sum();
    }

    /// What the step used; missing for jobs, and for steps of which nothing was measured yet.
    @Nullable StepUsage usage() {
        return step != null && (step.getUsage().getTasks() > 0 || step.getUsage().getMaxRssKb() > 0)
                ? step.getUsage()
                : null;
    }
}
