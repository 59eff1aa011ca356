/* Connecting waits for name services and far hosts, so it is done in threads; what came of it arrives in a pipe. */
#ifndef SPUR_RELAY_CONNECT_H
#define SPUR_RELAY_CONNECT_H

#include <stddef.h>
#include <stdint.h>

struct connected {
    uint32_t channel;
    int socket; /* -1: not connected */
    char why[160];
};

/* The end of the pipe to read `struct connected` from. */
int connect_begin(void);

/* Not 0: the thread could not be started. */
int connect_tcp(uint32_t channel, const char *host, const char *port);
int connect_unix(uint32_t channel, const char *path);

#endif
