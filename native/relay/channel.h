/* One connection on its way through the relay. */
#ifndef SPUR_RELAY_CHANNEL_H
#define SPUR_RELAY_CHANNEL_H

#include "frames.h"

enum { MOST_CHANNELS = 256 };

enum channel_state { FREE, CONNECTING, OPEN };

struct channel {
    enum channel_state state;
    uint32_t number;
    int socket;
    struct queue waiting;    /* for the socket; never more than the credit we gave */
    uint32_t credit;         /* so much we may still send */
    uint32_t uncredited;     /* the socket took it, the sender does not know yet */
    bool end_wanted;         /* the sender has no more: shut down when `waiting` is empty */
    bool end_told, end_sent; /* nothing more in our direction; none in theirs */
};

struct channel *channel_find(uint32_t number);

/* NULL: as many are open as there may be. */
struct channel *channel_new(uint32_t number);
struct channel *channel_at(int position);

void channel_opened(struct channel *channel, int socket, struct queue *out);
void channel_failed(struct channel *channel, const char *why, struct queue *out);
void channel_free(struct channel *channel);

void channel_data(struct channel *channel, const struct frame *frame, struct queue *out);
void channel_end(struct channel *channel, struct queue *out);
void channel_credit(struct channel *channel, uint32_t bytes, struct queue *out);

/* What poll is to look for; room: whether more may be sent out. */
short channel_events(const struct channel *channel, bool room);
void channel_write(struct channel *channel, struct queue *out);
void channel_read(struct channel *channel, struct queue *out);

#endif
