/// What tasks get, compared with what real Slurm gives.
@NullMarked
package dev.spur.agent.launch;

import org.jspecify.annotations.NullMarked;
