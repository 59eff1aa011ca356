/// `sattach`: looks on at a running step, and types to it.
///
/// Start here: [dev.spur.cli.sattach.Sattach].
@NullMarked
package dev.spur.cli.sattach;

import org.jspecify.annotations.NullMarked;
