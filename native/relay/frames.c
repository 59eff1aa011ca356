#include "frames.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void give_up(const char *why)
{
    fprintf(stderr, "spur-relay: %s\n", why);
    exit(2);
}

void queue_append(struct queue *queue, const void *bytes, size_t length)
{
    if (length == 0)
        return;
    if (queue->start + queue->length + length > queue->room) {
        if (queue->length > 0)
            memmove(queue->bytes, queue->bytes + queue->start, queue->length);
        queue->start = 0;
        if (queue->length + length > queue->room) {
            size_t room = (queue->length + length) * 2;
            uint8_t *more = realloc(queue->bytes, room);
            if (more == NULL)
                give_up("no memory is left");
            queue->bytes = more;
            queue->room = room;
        }
    }
    memcpy(queue->bytes + queue->start + queue->length, bytes, length);
    queue->length += length;
}

void queue_drop(struct queue *queue, size_t length)
{
    queue->start += length;
    queue->length -= length;
    if (queue->length == 0)
        queue->start = 0;
}

void queue_free(struct queue *queue)
{
    free(queue->bytes);
    memset(queue, 0, sizeof *queue);
}

uint32_t get_number(const uint8_t *bytes)
{
    return (uint32_t) bytes[0] << 24 | (uint32_t) bytes[1] << 16 | (uint32_t) bytes[2] << 8 | bytes[3];
}

static void set_number(uint8_t *bytes, uint32_t number)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t) (number >> (24 - 8 * i));
}

bool next_frame(const struct queue *arrived, struct frame *frame)
{
    if (arrived->length < 4)
        return false;
    const uint8_t *at = arrived->bytes + arrived->start;
    uint32_t length = get_number(at);
    if (length < HEADER - 4 || length > HEADER - 4 + MOST_PAYLOAD)
        give_up("what arrives are no frames of ours");
    if (arrived->length < 4 + (size_t) length)
        return false;
    frame->type = at[4];
    frame->channel = get_number(at + 5);
    frame->payload = at + HEADER;
    frame->length = length - (HEADER - 4);
    return true;
}

size_t frame_size(const struct frame *frame)
{
    return HEADER + frame->length;
}

void put_frame(struct queue *out, uint8_t type, uint32_t channel, const void *payload, size_t length)
{
    uint8_t header[HEADER];
    set_number(header, (uint32_t) (HEADER - 4 + length));
    header[4] = type;
    set_number(header + 5, channel);
    queue_append(out, header, HEADER);
    queue_append(out, payload, length);
}

void put_credit(struct queue *out, uint32_t channel, uint32_t bytes)
{
    uint8_t payload[4];
    set_number(payload, bytes);
    put_frame(out, CREDIT, channel, payload, sizeof payload);
}
