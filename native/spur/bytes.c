#include "bytes.h"

#include "protocol.h"
#include "spur.h"

#include <stdlib.h>
#include <string.h>

uint8_t *put16(uint8_t *at, unsigned value) {
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
    return at + 2;
}

uint8_t *put32(uint8_t *at, uint32_t value) {
    return put16(put16(at, value >> 16), value & 0xffff);
}

uint8_t *put64(uint8_t *at, uint64_t value) {
    return put32(put32(at, (uint32_t)(value >> 32)), (uint32_t)value);
}

uint32_t get32(const uint8_t *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

uint64_t get64(const uint8_t *at) {
    return (uint64_t)get32(at) << 32 | get32(at + 4);
}

void append(struct bytes *to, const void *data, size_t length) {
    if (to->length + length > to->capacity) {
        size_t capacity = to->capacity < 4096 ? 4096 : to->capacity;
        while (capacity < to->length + length) {
            capacity *= 2;
        }
        uint8_t *larger = realloc(to->data, capacity);
        if (larger == NULL) {
            fail("out of memory");
        }
        to->data = larger;
        to->capacity = capacity;
    }
    if (length > 0) {
        memcpy(to->data + to->length, data, length);
        to->length += length;
    }
}

void drop(struct bytes *from, size_t length) {
    memmove(from->data, from->data + length, from->length - length);
    from->length -= length;
}

void append_frame(struct bytes *to, int type, uint32_t stream, const void *payload, size_t length) {
    uint8_t header[DOOR_HEADER];
    put32(header, (uint32_t)length);
    header[4] = (uint8_t)type;
    put32(header + 5, stream);
    append(to, header, sizeof header);
    append(to, payload, length);
}
