/* The step's status as text, in its file before anybody hears of it. */
#ifndef SPUR_STATUS_H
#define SPUR_STATUS_H

#include "step.h"

/* To be called once, by the zygote: those it forks know it then. */
void status_note_boot(void);

/* Replaces ./status. That is enough for its readers, and against the death of processes. False with
 * errno if the disk does not take it. */
bool status_save(const struct step *step);

/* Forces ./status to disk. Only the end must survive the machine: after a power failure a step that
 * had not ended is lost whatever its file says, and the agent sees that by the boot id. */
void status_force(void);

void status_text(const struct step *step, struct buffer *text);

#endif
