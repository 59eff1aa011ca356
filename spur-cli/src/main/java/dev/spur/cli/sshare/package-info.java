/// `sshare`: what accounts and users may have of the cluster, and what they had.
@NullMarked
package dev.spur.cli.sshare;

import org.jspecify.annotations.NullMarked;
