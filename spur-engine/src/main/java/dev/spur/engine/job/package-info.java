/// Jobs: what was asked for, what the cluster made of it, and where each is in its life.
///
/// Start with [Job][dev.spur.engine.job.Job] and the drawing in
/// [JobPhase][dev.spur.engine.job.JobPhase].
@NullMarked
package dev.spur.engine.job;

import org.jspecify.annotations.NullMarked;
