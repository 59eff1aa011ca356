/// What each command does to the state. Only these classes see the tables that are being written;
/// everybody else reads what was published.
///
/// Start with [ClusterState][dev.spur.engine.rules.ClusterState]: it names the rules of each
/// feature. They build upon each other in this order: arrays, dependencies, the life of a job, then
/// what people, steps, nodes and time do to it.
@NullMarked
package dev.spur.engine.rules;

import org.jspecify.annotations.NullMarked;
