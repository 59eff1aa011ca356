/* The control groups of a step. Version 1 has a directory per controller, version 2 one for all; both
 * were made, and most limits set, before the step began. */
#ifndef SPUR_CGROUP_H
#define SPUR_CGROUP_H

#include "launch.h"
#include "step.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Forks. On version 2 the child is born in its group, which the kernel does much faster than moving
 * it; inside tells the child whether that was so. */
pid_t cgroups_fork(const struct strings *cgroups, bool *inside);

/* Moves the calling process, which must have one thread only, into every group. Returns NULL, or the
 * file that would not take it. */
const char *cgroups_join(const struct strings *cgroups);

/* Stops every process of the groups where it is, or lets them all go on. While they are stopped none
 * is born, so nothing escapes a signal sent meanwhile. Does nothing where there is no freezer. */
void cgroups_freeze(const struct strings *cgroups, bool frozen);

/* Version 2 kills everything in a group by one write. Does nothing on version 1. */
void cgroups_kill(const struct strings *cgroups);

/* Keeps the processes of the group from opening these devices ("c 195:3"), for version 2, where a
 * program in the kernel decides. False with errno if that cannot be done. */
bool cgroups_deny_devices(const struct strings *cgroups, const struct strings *devices);

/* Adds what the groups have counted so far, as far as they count. */
void cgroup_usage(const struct strings *cgroups, const char *memory_cgroup, struct group_usage *used);

/* OOM kills counted by a memory cgroup so far, v1 or v2; 0 when unknown. */
uint64_t oom_kills(const char *memory_cgroup);

#endif
