/// spurdbd: keeps what the controllers tell, once, and answers questions about it.
///
/// ```
/// controllers ── Records.Follow ──► ingest ──► PostgreSQL ──► job, node, usage ──► History ──► sacct, sreport
///        ▲                            │            │
///        └── acknowledged after commit┘            └── usage: hours, days and months are summed up as they pass
/// ```
///
/// Start here: {@link dev.spur.accounting.Spurdbd} says what the daemon is made of, {@link
/// dev.spur.accounting.ingest.RecordStore} is the transaction by which nothing is lost or counted
/// twice. SQL is in the repositories only, and nothing that a user said ever becomes part of its
/// text.
@NullMarked
package dev.spur.accounting;

import org.jspecify.annotations.NullMarked;
