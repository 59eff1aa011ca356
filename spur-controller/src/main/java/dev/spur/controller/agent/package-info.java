/// The agents, each on the stream that it opened to us. Heartbeats stay in memory; only transitions
/// become commands. An agent that does not read its stream, or is gone, costs nobody else anything.
///
/// Start with [dev.spur.controller.agent.Agents]; [dev.spur.controller.agent.AgentLinkService] puts
/// it on gRPC.
@NullMarked
package dev.spur.controller.agent;

import org.jspecify.annotations.NullMarked;
