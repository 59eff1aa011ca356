/// `sstat`: what steps that run use now.
///
/// Start with [Sstat][dev.spur.cli.sstat.Sstat].
@NullMarked
package dev.spur.cli.sstat;

import org.jspecify.annotations.NullMarked;
