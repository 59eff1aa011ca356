/// What the cluster tells its accounting database: everything that happened, in order, exactly
/// once, whatever crashes. The controller never waits for the database.
///
/// ```
///  apply thread             files, on every controller          leader              spurdbd
///  events ── Recorder ──> Spool (stateDir/spool) ── RecordStream ──> batches ──> transaction
///                           ^ forgets                                              │
///                           └──── Recording.stored <── RecordsStored (log) <── RecordsSeen
/// ```
///
/// Start with [dev.spur.controller.accounting.Recorder], then
/// [dev.spur.controller.accounting.Spool].
@NullMarked
package dev.spur.controller.accounting;

import org.jspecify.annotations.NullMarked;
