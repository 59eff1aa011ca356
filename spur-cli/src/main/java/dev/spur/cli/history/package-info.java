/// What was: jobs and steps as spurdbd has them and as the controller knows them, in one answer.
///
/// Start with [JobHistories][dev.spur.cli.history.JobHistories].
@NullMarked
package dev.spur.cli.history;

import org.jspecify.annotations.NullMarked;
