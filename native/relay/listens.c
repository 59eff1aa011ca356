#include "listens.h"

#include <stdio.h>

enum { LISTENING = 0x0a };

/* One line per socket: "  0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000 ..." */
static void look(const char *table, unsigned port, uid_t user, bool *mine, bool *others)
{
    FILE *file = fopen(table, "re");
    if (file == NULL)
        return;
    char line[512];
    while (fgets(line, sizeof line, file) != NULL) {
        unsigned local, state, owner;
        if (sscanf(line, " %*d: %*[0-9A-Fa-f]:%x %*[0-9A-Fa-f]:%*x %x %*x:%*x %*x:%*x %*x %u", &local, &state, &owner) != 3)
            continue;
        if (local == port && state == LISTENING) {
            *mine |= owner == user;
            *others |= owner != user;
        }
    }
    fclose(file);
}

bool listens(unsigned port, uid_t user)
{
    bool mine = false, others = false;
    look("/proc/self/net/tcp", port, user, &mine, &others);
    look("/proc/self/net/tcp6", port, user, &mine, &others);
    return mine && !others;
}
