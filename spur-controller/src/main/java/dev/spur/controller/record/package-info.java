/// How the records of what happened leave the controller: to spurdbd, who stores them, and to
/// whoever asks before it has.
///
/// Start with [RecordLink][dev.spur.controller.record.RecordLink]; what a record is and where it
/// waits is in [Recorder][dev.spur.controller.accounting.Recorder].
@NullMarked
package dev.spur.controller.record;

import org.jspecify.annotations.NullMarked;
