/// Lists of host names in brackets, `gpu[001-128],login[1-2]`, as Slurm reads and writes them.
/// Start with [Hostlist][dev.spur.model.hostlist.Hostlist].
@NullMarked
package dev.spur.model.hostlist;

import org.jspecify.annotations.NullMarked;
