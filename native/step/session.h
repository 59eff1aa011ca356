/* What all steps of a job have in common on this node, when the job has a session: processes, mounts and shared
 * memory of its own. */
#ifndef SPUR_SESSION_H
#define SPUR_SESSION_H

#include "launch.h"

#include <stdbool.h>

struct session {
    int pids; /* the namespaces, or -1: none */
    int mounts;
    int shared_memory;
    int root;     /* as the session's processes see it */
    int own_pids; /* the supervisor's own */
};

#define NO_SESSION ((struct session){.pids = -1, .mounts = -1, .shared_memory = -1, .root = -1, .own_pids = -1})

/* Finds the job's session, or makes it. NULL, or what went wrong, with errno. */
const char *session_open(struct session *session, const struct launch *launch);

/* Children that are forked between these two are born among the session's processes. */
bool session_begin_fork(const struct session *session);
void session_end_fork(const struct session *session);

/* What a child of these does first, as root. NULL, or what went wrong, with errno. */
const char *session_enter(const struct session *session);

#endif
