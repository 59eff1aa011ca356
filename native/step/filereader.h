/* A process with a user's rights that reads one file for spurd, which must not open it itself: whatever the name leads
 * to, through whatever link, is opened by somebody who may no more than the user. */
#ifndef SPUR_FILEREADER_H
#define SPUR_FILEREADER_H

#include <stddef.h>

/* u32 uid, u32 gid, u32 number of groups, u32 each, then the absolute path. Serves the connection until it closes. */
_Noreturn void read_file_for_user(int connection, const unsigned char *request, size_t length);

#endif
