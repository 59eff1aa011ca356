/// `sinfo`: partitions and nodes. Nodes that look alike in the columns asked for are one line:
/// [dev.spur.cli.sinfo.Grouping] gathers them, [dev.spur.cli.sinfo.GroupFields] says for every
/// field whether it separates lines, [dev.spur.cli.sinfo.NodeState] knows the words for states.
@org.jspecify.annotations.NullMarked
package dev.spur.cli.sinfo;
