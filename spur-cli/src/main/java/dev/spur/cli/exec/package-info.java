/// `spur exec`: a shell or a command beside a running job.
///
/// Start here: [dev.spur.cli.exec.Exec].
@NullMarked
package dev.spur.cli.exec;

import org.jspecify.annotations.NullMarked;
