/// Steps as callers meet them: `srun` inside a job asks for one, `squeue -s` lists them.
@NullMarked
package dev.spur.controller.step;

import org.jspecify.annotations.NullMarked;
