/// What jobs have written to files on this node, for whoever the controller lets read it.
///
/// Start here: [dev.spur.agent.output.OutputStreams] is the service,
/// [dev.spur.agent.output.OutputCall] one reader, [dev.spur.agent.output.SharedFile] the file that
/// many of them follow together:
///
/// ```
///  OutputCall ─┐
///  OutputCall ─┼─▶ SharedFile ──Unix socket──▶ a process with the job owner's rights
///  OutputCall ─┘   one per file and user       (native/step/filereader.c)
/// ```
@NullMarked
package dev.spur.agent.output;

import org.jspecify.annotations.NullMarked;
