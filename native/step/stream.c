#include "stream.h"

#include "wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SMALLEST_RING = 4096, LARGEST_RING = 256 * 1024 };

static size_t limit_of(const struct stream *stream) { return stream->limit ? stream->limit : LARGEST_RING; }

bool stream_wants_input(const struct stream *stream) {
    return stream->fd >= 0 && (stream->flows || stream->end - stream->released < limit_of(stream));
}

/* The ring doubles while it is full of bytes somebody still needs; its length is a power of two. */
static void make_room(struct stream *stream) {
    if (stream->capacity && stream->end - stream->released < stream->capacity) return;
    if (stream->capacity >= limit_of(stream)) {
        if (stream->flows) stream->released = stream->end;
        return;
    }
    size_t capacity = stream->capacity ? stream->capacity * 2 : SMALLEST_RING;
    unsigned char *ring = must_alloc(capacity);
    for (uint64_t at = stream->oldest; at < stream->end; at++) {
        ring[at % capacity] = stream->ring[at % stream->capacity];
    }
    free(stream->ring);
    stream->ring = ring;
    stream->capacity = capacity;
}

static size_t free_run(const struct stream *stream) {
    size_t until_wrap = stream->capacity - (size_t)(stream->end % stream->capacity);
    size_t unneeded = stream->capacity - (size_t)(stream->end - stream->released);
    return until_wrap < unneeded ? until_wrap : unneeded;
}

static void advance(struct stream *stream, size_t length) {
    stream->end += length;
    if (stream->end - stream->oldest > stream->capacity) stream->oldest = stream->end - stream->capacity;
}

void stream_close(struct stream *stream) {
    if (stream->fd >= 0) close(stream->fd);
    stream->fd = -1;
}

void stream_fill(struct stream *stream) {
    make_room(stream);
    size_t room = free_run(stream);
    if (!room) return;
    ssize_t length = read(stream->fd, stream->ring + stream->end % stream->capacity, room);
    if (length > 0) {
        advance(stream, (size_t)length);
    } else if (length == 0 || (errno != EAGAIN && errno != EINTR)) {
        stream_close(stream); /* a terminal whose last user has gone reads EIO */
    }
}

void stream_write(struct stream *stream, const void *bytes, size_t length) {
    const unsigned char *from = bytes;
    while (length) {
        make_room(stream);
        size_t run = free_run(stream);
        if (!run) return;
        if (run > length) run = length;
        memcpy(stream->ring + stream->end % stream->capacity, from, run);
        advance(stream, run);
        from += run;
        length -= run;
    }
}

const unsigned char *stream_piece(const struct stream *stream, uint64_t offset, size_t *length) {
    if (offset >= stream->end || offset < stream->oldest) return NULL;
    size_t until_wrap = stream->capacity - (size_t)(offset % stream->capacity);
    size_t available = (size_t)(stream->end - offset);
    *length = available < until_wrap ? available : until_wrap;
    return stream->ring + offset % stream->capacity;
}
