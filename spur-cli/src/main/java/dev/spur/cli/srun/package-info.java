/// `srun`: runs a command as the tasks of a step, in a job of its own or in the one it is called
/// from.
///
/// [dev.spur.cli.srun.Srun] gets the job and the step from the controller;
/// [dev.spur.cli.srun.StepRun] then speaks with the agents of the step's nodes, a
/// [dev.spur.api.reach.AgentStream] each:
///
/// ```
///  controller ── CreateStep ──▶ signed launches, one per node
///  StepRun ─┬─ AgentStream ◀──▶ agent of node 0      stdin ▶ all nodes
///           └─ AgentStream ◀──▶ agent of node 1      output, exit codes ◀ each node
/// ```
@org.jspecify.annotations.NullMarked
package dev.spur.cli.srun;
