/* Those who talk to the supervisor: spurd on the connection that launched the step, and everyone
 * who connects to ./control later. README.md has the frames. */
#ifndef SPUR_CLIENT_H
#define SPUR_CLIENT_H

#include "step.h"

#include <poll.h>

struct client {
    struct client *next;
    int fd;
    bool events;  /* hears of every status change */
    bool output;  /* gets the streams */
    bool looks_on; /* nothing waits for it: what it is too slow for it misses */
    bool deaf; /* it has hung up, but what it said before may still be unread */
    bool broken;
    bool holding; /* its next frame is input that the tasks have no room for yet */
    bool asks_usage; /* is told what the tasks use as soon as it is known */
    uint64_t input_told;
    struct buffer in;
    struct buffer out;
    uint64_t *sent; /* per stream, as the next two */
    uint64_t *acknowledged;
    bool *end_sent;
};

struct client *client_add(struct step *step, int fd);
void client_poll(const struct client *client, struct pollfd *entry);

/* Reads and obeys what has arrived. */
void client_receive(struct step *step, struct client *client);

/* Passes on input that had to wait, if the tasks have read theirs meanwhile. */
void client_go_on(struct step *step, struct client *client);

/* Queues and writes stream data, news and answers as far as the socket takes them. */
void client_send(struct step *step, struct client *client);

void clients_tell_status(struct step *step);
/* Answers those who asked what the tasks use. */
void clients_tell_usage(struct step *step);

void clients_remove_broken(struct step *step);
bool clients_have_pending_output(const struct step *step);

#endif
