/// spurd, the node agent: it registers its node with the controller, runs steps through the C step
/// supervisor, and reports what becomes of them until the controller has it for good.
///
/// Start here: [Agent#start] shows the parts; [Spurd] is the process around it.
@NullMarked
package dev.spur.agent;

import org.jspecify.annotations.NullMarked;
