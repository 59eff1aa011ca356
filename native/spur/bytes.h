/* Byte strings that grow, and numbers and frames in them. */
#ifndef SPUR_BYTES_H
#define SPUR_BYTES_H

#include <stddef.h>
#include <stdint.h>

struct bytes {
    uint8_t *data;
    size_t length, capacity;
};

/* Each writes a big-endian number and returns the place behind it. */
uint8_t *put16(uint8_t *at, unsigned value);
uint8_t *put32(uint8_t *at, uint32_t value);
uint8_t *put64(uint8_t *at, uint64_t value);

uint32_t get32(const uint8_t *at);
uint64_t get64(const uint8_t *at);

void append(struct bytes *to, const void *data, size_t length);

/* Takes so many bytes away from the front. */
void drop(struct bytes *from, size_t length);

void append_frame(struct bytes *to, int type, uint32_t stream, const void *payload, size_t length);

#endif
