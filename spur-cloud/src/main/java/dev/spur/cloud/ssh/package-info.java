/// SSH into sessions: `ssh SESSION@HOST -p 2222`, with the keys of people's profiles. No account of
/// the host is behind it: shells, commands and sftp are steps of the session's job, forwards are
/// connections that a process in the session opens.
///
/// Start here: [dev.spur.cloud.ssh.SshGateway].
@NullMarked
package dev.spur.cloud.ssh;

import org.jspecify.annotations.NullMarked;
