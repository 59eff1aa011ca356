/* One process of a step, from fork to exec. */
#ifndef SPUR_TASK_H
#define SPUR_TASK_H

#include "step.h"

/* The exit signal Slurm reports when a task's files cannot be opened: shown as 0:53. */
enum { IO_ERROR_SIGNAL = 53 };

/* Gives the script a file of its own that only the user can read. Returns false with step->error set. */
bool script_write(struct step *step);
void script_remove(struct step *step);

/* Forks the task. What it could not do is told by task_started. */
void task_start(struct step *step, struct task *task);

/* Reads what the child reports on its way to exec. Returns true when there is news for the status. */
bool task_started(struct step *step, struct task *task);

#endif
