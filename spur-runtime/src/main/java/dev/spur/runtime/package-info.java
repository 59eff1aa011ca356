/// What every process needs and no process owns: configuration, identity, logging, being a daemon.
/// Knows no job and no node.
///
/// Start here: `config` for spur.conf, `identity` for certificates and tokens, `process` for
/// daemons, `postgres` for those with a database.
@NullMarked
package dev.spur.runtime;

import org.jspecify.annotations.NullMarked;
