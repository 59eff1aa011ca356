/// Agents as the controller sees them. Start with [dev.spur.controller.agent.OneThreadController].
@NullMarked
package dev.spur.controller.agent;

import org.jspecify.annotations.NullMarked;
