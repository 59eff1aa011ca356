/* The conversation over standard input and output: u32 length of what follows, u8 type, u32 channel, payload. */
#ifndef SPUR_RELAY_FRAMES_H
#define SPUR_RELAY_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    OPEN_TCP = 1,  /* host, 0, port as text */
    OPEN_UNIX = 2, /* path */
    OPENED = 3,
    FAILED = 4, /* why, as text */
    DATA = 5,
    END = 6, /* nothing more comes this way */
    CLOSE = 7,
    CREDIT = 8,        /* u32: so many bytes more may be sent */
    LISTENS = 9,       /* port as text */
    LISTENS_REPLY = 10, /* "1" or "0" */
    ALIVE = 11,        /* the other side is still there */
};

enum { MOST_PAYLOAD = 32 * 1024, HEADER = 9, INITIAL_CREDIT = 256 * 1024 };

struct frame {
    uint8_t type;
    uint32_t channel;
    const uint8_t *payload;
    size_t length;
};

/* Bytes that wait, the first ones first. */
struct queue {
    uint8_t *bytes;
    size_t start, length, room;
};

void queue_append(struct queue *queue, const void *bytes, size_t length);
void queue_drop(struct queue *queue, size_t length);
void queue_free(struct queue *queue);

/* Takes the next whole frame from what has arrived; it stands until the queue changes. Ends the process if it is none. */
bool next_frame(const struct queue *arrived, struct frame *frame);
size_t frame_size(const struct frame *frame);

void put_frame(struct queue *out, uint8_t type, uint32_t channel, const void *payload, size_t length);
void put_credit(struct queue *out, uint32_t channel, uint32_t bytes);
uint32_t get_number(const uint8_t *bytes);

_Noreturn void give_up(const char *why);

#endif
