/// A PostgreSQL of one's own, and how daemons with a database open theirs. Nothing needs to be
/// installed, and nobody but the owner reaches the server.
///
/// ```
/// daemon ── Database: pool, migrations, Jdbi ──► DatabaseAddress ──► Unix socket (run/, owner only, SCRAM)
///    │                                                                  │
///    └─ EmbeddedPostgres ── pipe ──► spur-keeper ── fork ──► postgres ──┘
/// ```
///
/// Start here: {@link dev.spur.runtime.postgres.PostgresHome} says where it is and as whom it runs,
/// {@link dev.spur.runtime.postgres.EmbeddedPostgres} runs it, {@link
/// dev.spur.runtime.postgres.Database} is what repositories use, {@link
/// dev.spur.runtime.postgres.DatabaseCopy} is the backup and the way to another major version.
@NullMarked
package dev.spur.runtime.postgres;

import org.jspecify.annotations.NullMarked;
