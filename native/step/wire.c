#include "wire.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *must_alloc(size_t length) {
    void *memory = calloc(1, length ? length : 1);
    if (!memory) abort();
    return memory;
}

char *must_copy(const void *bytes, size_t length) {
    char *copy = must_alloc(length + 1);
    memcpy(copy, bytes, length);
    return copy;
}

static void reserve(struct buffer *buffer, size_t more) {
    size_t needed = buffer->length + more;
    if (needed <= buffer->capacity) return;
    size_t capacity = buffer->capacity ? buffer->capacity : 256;
    while (capacity < needed) capacity *= 2;
    unsigned char *data = realloc(buffer->data, capacity);
    if (!data) abort();
    buffer->data = data;
    buffer->capacity = capacity;
}

void buffer_append(struct buffer *buffer, const void *bytes, size_t length) {
    if (!length) return;
    reserve(buffer, length);
    memcpy(buffer->data + buffer->length, bytes, length);
    buffer->length += length;
}

void buffer_consume(struct buffer *buffer, size_t length) {
    buffer->length -= length;
    if (buffer->length) memmove(buffer->data, buffer->data + length, buffer->length);
}

void buffer_free(struct buffer *buffer) {
    free(buffer->data);
    *buffer = (struct buffer){0};
}

void buffer_format(struct buffer *buffer, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0) return;
    reserve(buffer, (size_t)length + 1);
    va_start(arguments, format);
    vsnprintf((char *)buffer->data + buffer->length, (size_t)length + 1, format, arguments);
    va_end(arguments);
    buffer->length += (size_t)length;
}

void put_u32(unsigned char *at, uint32_t value) {
    for (int i = 0; i < 4; i++) at[i] = (unsigned char)(value >> (24 - 8 * i));
}

void put_u64(unsigned char *at, uint64_t value) {
    for (int i = 0; i < 8; i++) at[i] = (unsigned char)(value >> (56 - 8 * i));
}

void frame_append(struct buffer *buffer, char type, const void *head, size_t head_length, const void *body,
                  size_t body_length) {
    unsigned char header[5];
    put_u32(header, (uint32_t)(1 + head_length + body_length));
    header[4] = (unsigned char)type;
    buffer_append(buffer, header, sizeof header);
    buffer_append(buffer, head, head_length);
    buffer_append(buffer, body, body_length);
}

struct reader reader_of(const void *bytes, size_t length) {
    return (struct reader){.at = bytes, .end = (const unsigned char *)bytes + length};
}

size_t reader_left(const struct reader *reader) {
    return reader->bad ? 0 : (size_t)(reader->end - reader->at);
}

const unsigned char *read_bytes(struct reader *reader, size_t length) {
    if (reader_left(reader) < length) {
        reader->bad = true;
        return NULL;
    }
    const unsigned char *bytes = reader->at;
    reader->at += length;
    return bytes;
}

static uint64_t read_number(struct reader *reader, size_t width) {
    const unsigned char *bytes = read_bytes(reader, width);
    uint64_t value = 0;
    for (size_t i = 0; bytes && i < width; i++) value = value << 8 | bytes[i];
    return value;
}

uint8_t read_u8(struct reader *reader) { return (uint8_t)read_number(reader, 1); }
uint16_t read_u16(struct reader *reader) { return (uint16_t)read_number(reader, 2); }
uint32_t read_u32(struct reader *reader) { return (uint32_t)read_number(reader, 4); }
uint64_t read_u64(struct reader *reader) { return read_number(reader, 8); }
