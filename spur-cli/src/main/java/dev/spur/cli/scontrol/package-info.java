/// `scontrol`: looks at and changes jobs, nodes and the cluster. [dev.spur.cli.scontrol.Scontrol]
/// reads a command and finds its verb in [dev.spur.cli.scontrol.Verbs]; `show` is in
/// [dev.spur.cli.scontrol.Show], and each kind of record has a class that lays it out as Slurm
/// does.
@org.jspecify.annotations.NullMarked
package dev.spur.cli.scontrol;
