/* Output of a task that is streamed: a pipe or terminal, a bounded ring of what was read from it.
 *
 * Every byte has an offset from the start of the stream. Bytes are kept until all attached clients
 * have acknowledged them; when the ring is full of unacknowledged bytes nothing more is read, so
 * the task's own write blocks. Acknowledged bytes stay until they are overwritten, so a client that
 * comes back can ask again from an offset a little earlier.
 *
 * A stream that flows waits for nobody: it keeps the last bytes, as many as its limit, for whoever comes to see. */
#ifndef SPUR_STREAM_H
#define SPUR_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stream {
    uint32_t rank;
    uint8_t number; /* 1 stdout, 2 stderr */
    int fd;         /* -1 once everything has been read */
    unsigned char *ring;
    size_t capacity;
    size_t limit; /* 0: the usual */
    bool flows;
    uint64_t oldest;   /* offset of the first byte still in the ring */
    uint64_t released; /* everything before it may be overwritten */
    uint64_t end;      /* offset of the next byte to be read */
};

bool stream_wants_input(const struct stream *stream);

/* Reads what is there, once. */
void stream_fill(struct stream *stream);

/* Puts bytes of the supervisor's own into the stream, as far as they fit. */
void stream_write(struct stream *stream, const void *bytes, size_t length);

void stream_close(struct stream *stream);

/* The longest piece in one run of memory at an offset; NULL when there is none. */
const unsigned char *stream_piece(const struct stream *stream, uint64_t offset, size_t *length);

#endif
