/*
 * What a command leaves with us so that another door can go on with it: values by key, and the standard
 * input that may not have arrived where it was meant to.
 */
#define _GNU_SOURCE
#include "bytes.h"
#include "door.h"
#include "protocol.h"
#include "session.h"
#include "spur.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MEMORY_LIMIT (16u << 20)

struct memory {
    uint32_t key;
    struct bytes value;
};

static struct memory *memories; /* by key, ascending */
static size_t count, capacity, total;

static struct bytes input; /* read and not released */
static uint64_t released;
static size_t sent; /* of the input, to this door */
static bool ended;

static size_t position(uint32_t key) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (memories[middle].key < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static struct memory *insert(size_t at, uint32_t key) {
    if (count == capacity) {
        capacity = capacity == 0 ? 16 : 2 * capacity;
        memories = realloc(memories, capacity * sizeof *memories);
        if (memories == NULL) {
            fail("out of memory");
        }
    }
    memmove(memories + at + 1, memories + at, (count - at) * sizeof *memories);
    memories[at] = (struct memory){.key = key};
    count++;
    return &memories[at];
}

void remember(uint32_t key, const uint8_t *value, size_t length) {
    size_t at = position(key);
    bool known = at < count && memories[at].key == key;
    struct memory *memory = known ? &memories[at] : insert(at, key);
    total -= memory->value.length;
    total += length;
    if (total > MEMORY_LIMIT) {
        door_misbehaves("more to remember than agreed");
    }
    memory->value.length = 0;
    append(&memory->value, value, length);
}

bool remembers_anything(void) {
    return count > 0;
}

const struct bytes *farewell(void) {
    return count > 0 && memories[0].key == FAREWELL ? &memories[0].value : NULL;
}

void append_memories(struct bytes *greeting) {
    for (size_t i = 0; i < count; i++) {
        append_frame(greeting, MEMORY, memories[i].key, memories[i].value.data, memories[i].value.length);
    }
}

/* Called with what was just read; nothing is its end. */
void keep_input(const uint8_t *data, size_t length) {
    ended |= length == 0;
    if (remembers_anything()) {
        append(&input, data, length);
        sent += length;
    } else {
        released += length;
    }
}

void release_input(uint64_t offset) {
    size_t length = offset <= released ? 0 : (size_t)(offset - released);
    if (length > sent) {
        door_misbehaves("more input released than was sent");
    }
    if (length > 0) {
        drop(&input, length);
        sent -= length;
        released = offset;
    }
}

uint64_t input_offset(void) {
    return released;
}

void send_input_again(void) {
    sent = 0;
}

/* Sends what this door has not got of the input that was read for an earlier one. */
size_t send_kept_input(size_t most) {
    size_t length = input.length - sent;
    length = length < most ? length : most;
    length = length < DOOR_PAYLOAD ? length : DOOR_PAYLOAD;
    if (length > 0) {
        send_frame(DATA, STDIN_FILENO, input.data + sent, length);
        sent += length;
    }
    return length;
}

bool input_has_ended(void) {
    return ended;
}
