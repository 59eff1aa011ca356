/* The step's status as text, on disk before anybody hears of it. */
#ifndef SPUR_STATUS_H
#define SPUR_STATUS_H

#include "step.h"

/* Writes ./status atomically; the final one is also forced to disk. */
void status_save(const struct step *step);

void status_text(const struct step *step, struct buffer *text);

#endif
