/* Finding and signalling every process of a step: by cgroup where there is one, and always by
 * descent from the supervisor, which is the subreaper of all orphans. */
#ifndef SPUR_PROCESSES_H
#define SPUR_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct pids {
    pid_t *items;
    size_t count;
};

/* Without the caller itself. cgroup may be NULL. */
struct pids step_processes(const char *cgroup);
void pids_free(struct pids *pids);

/* Returns how many processes there were. */
size_t signal_step(const char *cgroup, int signal);

/* OOM kills counted by a memory cgroup so far, v1 or v2; 0 when unknown. */
uint64_t oom_kills(const char *memory_cgroup);

#endif
