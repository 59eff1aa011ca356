#ifndef SPUR_RELAY_LISTENS_H
#define SPUR_RELAY_LISTENS_H

#include <stdbool.h>
#include <sys/types.h>

/* Whether a TCP socket of this user listens at the port, and none of anybody else. */
bool listens(unsigned port, uid_t user);

#endif
