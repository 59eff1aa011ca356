/* What the supervisor itself says to the job, on the job's stderr as slurmstepd does.
 *
 * Where the job's stderr is a file, a short-lived child that has become the user writes it: a file
 * may be a full FIFO or lie on a file system that hangs, and nothing that the supervisor must do may
 * wait for that. Words that the file does not take in time are given up. */
#ifndef SPUR_WORDS_H
#define SPUR_WORDS_H

#include "step.h"

/* Says a line. */
void step_say(struct step *step, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "*** JOB 12 ON node1 CANCELLED AT ... DUE TO TIME LIMIT ***", once. To be said after what it tells of. */
void step_announce(struct step *step, const char *because);

/* A child has ended. True if it was the one that writes for us. */
bool words_written(struct step *step, pid_t child);

/* Gives up words that have waited for too long. */
void words_keep_time(struct step *step, int64_t now);

/* Whether there are words that may still reach the job. */
bool words_pending(const struct step *step);

#endif
