/* Finding and signalling every process of a step: by cgroup where there is one, and always by
 * descent from the supervisor, which is the subreaper of all orphans. */
#ifndef SPUR_PROCESSES_H
#define SPUR_PROCESSES_H

#include "step.h"

#include <stddef.h>

/* Returns how many processes there were, without the caller itself. KILL and STOP find the step
 * frozen where that can be: no process is missed because it was just being born. */
size_t signal_step(const struct step *step, int signal);

/* Only the first process of every task. */
void signal_leaders(const struct step *step, int signal);

/* Every process of the step, for a child of the supervisor's; to be freed. */
pid_t *step_pids(const struct step *step, pid_t supervisor, size_t *count);

#endif
