/* The environment that a login of the user's would have. */
#ifndef SPUR_LOGIN_H
#define SPUR_LOGIN_H

#include "launch.h"

/* Runs the user's login shell and asks it for its variables. To be called by a process that is the user already, and
 * that may be kept waiting: what the user's profile does is the user's own affair. NULL if the shell did not answer in
 * time; a NULL-terminated list otherwise. */
char **login_environment(const struct launch *launch);

#endif
