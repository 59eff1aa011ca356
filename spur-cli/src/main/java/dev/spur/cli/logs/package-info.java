/// `spur logs`: what jobs have written, read at the node that has it.
///
/// Start here: [dev.spur.cli.logs.Logs].
@NullMarked
package dev.spur.cli.logs;

import org.jspecify.annotations.NullMarked;
