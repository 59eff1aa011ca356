/// The agent and its controller: one stream, opened by the agent, on which it registers, beats and
/// reports, and on which the controller gives its orders.
///
/// Start here: [AgentSession] decides and knows no network; [ControllerLink] keeps a connection to
/// whoever leads.
@NullMarked
package dev.spur.agent.registration;

import org.jspecify.annotations.NullMarked;
