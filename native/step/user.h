/* From the supervisor's rights and habits to a process of the user's. */
#ifndef SPUR_USER_H
#define SPUR_USER_H

#include "launch.h"

#include <sys/types.h>

/* Signals as a fresh process has them: what zygote and supervisor ignore would stay over an exec. */
void reset_signals(void);

/* Gives up every right but the user's. Returns NULL, or what could not be done, with errno. */
const char *become_user(const struct launch *launch);

/* Ends the calling process when its parent does. To be called after become_user, which undoes it. */
void die_with(pid_t parent);

/* The same for a child that cannot see its parent, who has the other end of the socket. */
void die_with_holder_of(int socket);

/* Closes every descriptor above 2 but one; 2 for none. */
void keep_only_stdio_and(int kept);

#endif
