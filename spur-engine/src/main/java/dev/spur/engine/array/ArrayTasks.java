package dev.spur.engine.array;

import dev.spur.model.JobId;
import dev.spur.model.notation.ArraySpec;

/// What of a job array one record stands for: all its waiting tasks, or one that has its own life.
///
/// @param array the id that `sbatch` printed; the record of the last task to start keeps it
/// @param tasks with the throttle
/// @param split whether the record stands for its own task (`40_3`) or for waiting ones
///   (`40_[3-10]`)
public record ArrayTasks(JobId array, ArraySpec tasks, boolean split) {}
