/// What there is to see of each entity, once: a table of fields over the wire messages, from which
/// the JSON of the commands, Slurm's REST API and our own are written.
///
/// Start at [EntityTable]; [JobTable] is the largest. [SlurmLayout] writes an entity as Slurm's
/// structures have it ([SlurmSchema]), [PlainLayout] as `/api/v1` does.
@org.jspecify.annotations.NullMarked
package dev.spur.api.view;
