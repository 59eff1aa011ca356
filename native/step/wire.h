/* Bytes on the wire: big-endian numbers, frames of u32 length, u8 type, payload. */
#ifndef SPUR_WIRE_H
#define SPUR_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A growing array of bytes. Zero-initialised is empty. */
struct buffer {
    unsigned char *data;
    size_t length;
    size_t capacity;
};

void buffer_append(struct buffer *buffer, const void *bytes, size_t length);
void buffer_consume(struct buffer *buffer, size_t length);
void buffer_free(struct buffer *buffer);
void buffer_format(struct buffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Appends a frame whose payload is the two pieces one after the other. */
void frame_append(struct buffer *buffer, char type, const void *head, size_t head_length, const void *body,
                  size_t body_length);

void put_u32(unsigned char *at, uint32_t value);
void put_u64(unsigned char *at, uint64_t value);

/* Reads forward through a message; a read past the end yields zero and sets bad. */
struct reader {
    const unsigned char *at;
    const unsigned char *end;
    bool bad;
};

struct reader reader_of(const void *bytes, size_t length);
size_t reader_left(const struct reader *reader);
uint8_t read_u8(struct reader *reader);
uint16_t read_u16(struct reader *reader);
uint32_t read_u32(struct reader *reader);
uint64_t read_u64(struct reader *reader);
const unsigned char *read_bytes(struct reader *reader, size_t length);

/* Never return NULL: a supervisor out of memory cannot do its duty and dies, and its tasks with it. */
void *must_alloc(size_t length);
char *must_copy(const void *bytes, size_t length);

#endif
