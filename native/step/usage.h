/* What the tasks of a step use.
 *
 * Files of /proc can make their reader wait for the process they tell of, which may hang on a dead
 * file system. So a short-lived child looks at the living and writes down what it saw; whatever becomes
 * of it, the supervisor goes on. Of a process that has ended, the supervisor asks the kernel itself
 * before it buries it, so that short steps are told right, too. */
#ifndef SPUR_USAGE_H
#define SPUR_USAGE_H

#include "step.h"

#include <sys/resource.h>

/* The first look is due soon. */
void usage_begin(struct step *step);

/* Somebody wants the present numbers: they come by clients_tell_usage, soon in any case. */
void usage_wanted(struct step *step);

void usage_keep_time(struct step *step, int64_t now);

/* The child has written. */
void usage_receive(struct step *step);

/* A child of ours has ended. True if it was the one that looks. */
bool usage_looked(struct step *step, pid_t child);

/* What a process that has ended leaves: asked before it is waited for. */
struct remains {
    pid_t session;
    uint64_t read_bytes;
    uint64_t write_bytes;
};
struct remains usage_remains(pid_t ended);

/* Books what it used, and its children that it had waited for. NULL: to the task whose session it was of. */
void usage_settle(struct step *step, struct task *task, const struct remains *remains, const struct rusage *rusage);

/* Every process has ended, or nothing more is of interest: what the control group says is read once more. */
void usage_end(struct step *step);

#endif
