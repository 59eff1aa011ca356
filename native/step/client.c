#include "client.h"

#include "processes.h"
#include "status.h"
#include "usage.h"
#include "words.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

enum { FRAME_LIMIT = 1 << 20, OUT_LIMIT = 256 * 1024, PIECE_LIMIT = 32 * 1024, INPUT_LIMIT = 256 * 1024 };
enum { ATTACH_OUTPUT = 1, ATTACH_EVENTS = 2, ATTACH_LOOKS_ON = 4 };
enum { TARGET_ALL = 0, TARGET_LEADERS = 1, TARGET_NOBODY = 2 };

static const uint32_t EVERY_RANK = UINT32_MAX;

struct client *client_add(struct step *step, int fd) {
    struct client *client = must_alloc(sizeof *client);
    client->fd = fd;
    client->sent = must_alloc(step->stream_count * sizeof *client->sent);
    client->acknowledged = must_alloc(step->stream_count * sizeof *client->acknowledged);
    client->end_sent = must_alloc(step->stream_count * sizeof *client->end_sent);
    client->next = step->clients;
    step->clients = client;
    return client;
}

static size_t longest_queue(const struct step *step) {
    size_t longest = 0;
    for (size_t i = 0; i < step->launch.task_count; i++) {
        const struct input *input = &step->tasks[i].input;
        if (input->fd >= 0 && input->queue.length > longest) longest = input->queue.length;
    }
    return longest;
}

void client_poll(const struct client *client, struct pollfd *entry) {
    entry->fd = client->fd;
    entry->events = client->holding ? 0 : POLLIN;
    if (client->out.length && !client->deaf) entry->events |= POLLOUT;
}

static void answer(struct client *client, char type, const void *payload, size_t length) {
    frame_append(&client->out, type, payload, length, NULL, 0);
}

static void tell(struct step *step, struct client *client, char type) {
    struct buffer text = {0};
    status_text(step, &text);
    answer(client, type, text.data, text.length);
    buffer_free(&text);
}

static void tell_status(struct step *step, struct client *client) { tell(step, client, 's'); }

void clients_tell_usage(struct step *step) {
    for (struct client *client = step->clients; client; client = client->next) {
        if (client->asks_usage) tell(step, client, 'u');
        client->asks_usage = false;
    }
}

void clients_tell_status(struct step *step) {
    for (struct client *client = step->clients; client; client = client->next) {
        if (client->events) tell_status(step, client);
    }
}

static struct stream *find_stream(struct step *step, uint32_t rank, uint8_t number, size_t *index) {
    for (size_t i = 0; i < step->stream_count; i++) {
        if (step->streams[i].rank == rank && step->streams[i].number == number) {
            *index = i;
            return &step->streams[i];
        }
    }
    return NULL;
}

/* Bytes that every attached client has acknowledged make room in the ring. */
static void release(struct step *step) {
    for (size_t i = 0; i < step->stream_count; i++) {
        uint64_t least = UINT64_MAX;
        for (struct client *client = step->clients; client; client = client->next) {
            if (client->output && !client->looks_on && client->acknowledged[i] < least) least = client->acknowledged[i];
        }
        struct stream *stream = &step->streams[i];
        if (least != UINT64_MAX && least > stream->released) stream->released = least;
    }
}

/* u8 flags, then per stream to resume: u32 rank, u8 stream, u64 offset. */
static void attach(struct step *step, struct client *client, struct reader *reader) {
    uint8_t flags = read_u8(reader);
    for (size_t i = 0; i < step->stream_count; i++) {
        client->sent[i] = client->acknowledged[i] = step->streams[i].oldest;
        client->end_sent[i] = false;
    }
    while (reader_left(reader)) {
        uint32_t rank = read_u32(reader);
        uint8_t number = read_u8(reader);
        uint64_t offset = read_u64(reader);
        size_t index;
        struct stream *stream = find_stream(step, rank, number, &index);
        if (!stream || offset < stream->oldest || offset > stream->end) continue;
        client->sent[index] = client->acknowledged[index] = offset;
    }
    client->output = flags & ATTACH_OUTPUT;
    client->looks_on = flags & ATTACH_LOOKS_ON;
    client->events = flags & ATTACH_EVENTS;
    unsigned char reply[12];
    put_u64(reply, step->input_offset);
    put_u32(reply + 8, (uint32_t)step->stream_count);
    answer(client, 'a', reply, sizeof reply);
    if (client->events) tell_status(step, client);
}

static void acknowledge(struct step *step, struct client *client, struct reader *reader) {
    uint32_t rank = read_u32(reader);
    uint8_t number = read_u8(reader);
    uint64_t offset = read_u64(reader);
    size_t index;
    struct stream *stream = find_stream(step, rank, number, &index);
    if (!stream || offset > stream->end || offset < client->acknowledged[index]) return;
    client->acknowledged[index] = offset;
    release(step);
}

static void feed(struct step *step, uint32_t rank, const unsigned char *bytes, size_t length) {
    for (size_t i = 0; i < step->launch.task_count; i++) {
        struct task *task = &step->tasks[i];
        if (task->input.fd < 0 || task->input.ending) continue;
        if (rank == EVERY_RANK || rank == task->spec->rank) buffer_append(&task->input.queue, bytes, length);
    }
}

/* u32 rank, u64 offset, bytes. Bytes below the offset already taken are a repetition. */
static void input(struct step *step, struct reader *reader) {
    uint32_t rank = read_u32(reader);
    uint64_t offset = read_u64(reader);
    size_t length = reader_left(reader);
    const unsigned char *bytes = read_bytes(reader, length);
    if (!bytes || offset + length <= step->input_offset) return;
    size_t known = offset < step->input_offset ? (size_t)(step->input_offset - offset) : 0;
    feed(step, rank, bytes + known, length - known);
    step->input_offset = offset + length;
}

/* u32 rank, bytes: typed by one of several, so it has no offset. */
static void typed(struct step *step, struct reader *reader) {
    uint32_t rank = read_u32(reader);
    size_t length = reader_left(reader);
    const unsigned char *bytes = read_bytes(reader, length);
    if (bytes) feed(step, rank, bytes, length);
}

static void end_input(struct step *step, uint32_t rank) {
    for (size_t i = 0; i < step->launch.task_count; i++) {
        struct task *task = &step->tasks[i];
        if (rank != EVERY_RANK && rank != task->spec->rank) continue;
        if (task->input.fd < 0 || task->input.ending) continue;
        if (task->input.terminal) {
            struct termios settings;
            unsigned char end = tcgetattr(task->input.fd, &settings) == 0 ? settings.c_cc[VEOF] : 4;
            buffer_append(&task->input.queue, &end, 1);
        } else {
            task->input.ending = true;
        }
    }
}

/* u8 target, u8 signal, text: why, for the job's stderr; empty means silently. For nobody, the text
 * is a line that somebody sends to the job. */
static void signal_processes(struct step *step, struct reader *reader) {
    uint8_t target = read_u8(reader);
    int number = read_u8(reader);
    size_t length = reader_left(reader);
    char *why = must_copy(read_bytes(reader, length), length);
    if (target == TARGET_NOBODY) {
        step_say(step, "%s", why);
        free(why);
        return;
    }
    if (target == TARGET_ALL) {
        signal_step(step, number);
    } else {
        signal_leaders(step, number);
    }
    if (*why) step_announce(step, *why == '-' ? "" : why);
    free(why);
}

/* u64 wait in ms, text: why. */
static void terminate(struct step *step, struct reader *reader) {
    int64_t wait = (int64_t)read_u64(reader);
    size_t length = reader_left(reader);
    char *why = must_copy(read_bytes(reader, length), length);
    step_terminate(step, wait);
    if (*why) step_announce(step, *why == '-' ? "" : why);
    free(why);
}

static void resize(struct step *step, struct reader *reader) {
    struct winsize size = {.ws_row = read_u16(reader), .ws_col = read_u16(reader)};
    if (step->terminal >= 0 && !reader->bad) ioctl(step->terminal, TIOCSWINSZ, &size);
}

static void obey(struct step *step, struct client *client, char type, const unsigned char *payload, size_t length) {
    struct reader reader = reader_of(payload, length);
    switch (type) {
    case 'S': tell_status(step, client); break;
    case 'U':
        client->asks_usage = true;
        usage_wanted(step);
        break;
    case 'A': attach(step, client, &reader); break;
    case 'C': acknowledge(step, client, &reader); break;
    case 'I': input(step, &reader); break;
    case 'Y': typed(step, &reader); break;
    case 'D': end_input(step, read_u32(&reader)); break;
    case 'K':
        signal_processes(step, &reader);
        answer(client, 'k', NULL, 0);
        break;
    case 'Q':
        terminate(step, &reader);
        answer(client, 'k', NULL, 0);
        break;
    case 'W': resize(step, &reader); break;
    case 'T':
        step_set_time_limit(step, (int64_t)read_u64(&reader));
        answer(client, 'k', NULL, 0);
        break;
    case 'H':
        step_set_lease(step, (int64_t)read_u64(&reader));
        answer(client, 'k', NULL, 0);
        break;
    case 'X': step->dismissed = true; break;
    default: client->broken = true;
    }
    if (reader.bad) client->broken = true;
}

/* Only input may have to wait: for tasks that do not read theirs. */
static void obey_complete_frames(struct step *step, struct client *client) {
    size_t done = 0;
    client->holding = false;
    while (!client->broken && client->in.length - done >= 4) {
        struct reader reader = reader_of(client->in.data + done, client->in.length - done);
        uint32_t length = read_u32(&reader);
        if (length == 0 || length > FRAME_LIMIT) client->broken = true;
        if (client->broken || reader_left(&reader) < length) break;
        client->holding = (reader.at[0] == 'I' || reader.at[0] == 'Y') && longest_queue(step) >= INPUT_LIMIT;
        if (client->holding) break;
        obey(step, client, (char)reader.at[0], reader.at + 1, length - 1);
        done += 4 + length;
    }
    buffer_consume(&client->in, done);
}

void client_receive(struct step *step, struct client *client) {
    unsigned char bytes[64 * 1024];
    ssize_t length = recv(client->fd, bytes, sizeof bytes, MSG_DONTWAIT);
    if (length > 0) {
        buffer_append(&client->in, bytes, (size_t)length);
        obey_complete_frames(step, client);
    } else if (length == 0 || (errno != EAGAIN && errno != EINTR)) {
        client->broken = true;
    }
}

static void queue_piece(struct client *client, const struct stream *stream, uint64_t offset,
                        const unsigned char *piece, size_t length) {
    unsigned char head[13];
    put_u32(head, stream->rank);
    head[4] = stream->number;
    put_u64(head + 5, offset);
    frame_append(&client->out, 'O', head, sizeof head, piece, length);
}

/* The end is told when the step has ended: until then the supervisor may have a word to add. */
static void queue_stream(const struct step *step, struct client *client, size_t index) {
    const struct stream *stream = &step->streams[index];
    size_t length;
    const unsigned char *piece;
    if (client->sent[index] < stream->oldest) client->sent[index] = stream->oldest;
    while (client->out.length < OUT_LIMIT && (piece = stream_piece(stream, client->sent[index], &length))) {
        if (length > PIECE_LIMIT) length = PIECE_LIMIT;
        queue_piece(client, stream, client->sent[index], piece, length);
        client->sent[index] += length;
    }
    bool complete = step->state == STEP_ENDED && stream->fd < 0 && client->sent[index] == stream->end;
    if (complete && !client->end_sent[index]) {
        unsigned char head[13];
        put_u32(head, stream->rank);
        head[4] = stream->number;
        put_u64(head + 5, stream->end);
        answer(client, 'E', head, sizeof head);
        client->end_sent[index] = true;
    }
}

/* How much of the input the slowest task has taken: the client's window moves with it. */
static void queue_input_progress(const struct step *step, struct client *client) {
    uint64_t taken = step->input_offset - longest_queue(step);
    if (!client->output || taken <= client->input_told) return;
    unsigned char offset[8];
    put_u64(offset, taken);
    answer(client, 'i', offset, sizeof offset);
    client->input_told = taken;
}

void client_go_on(struct step *step, struct client *client) {
    if (client->holding) obey_complete_frames(step, client);
}

void client_send(struct step *step, struct client *client) {
    for (size_t i = 0; client->output && i < step->stream_count; i++) queue_stream(step, client, i);
    queue_input_progress(step, client);
    if (!client->out.length || client->broken || client->deaf) return;
    ssize_t length = send(client->fd, client->out.data, client->out.length, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (length > 0) {
        buffer_consume(&client->out, (size_t)length);
    } else if (length < 0 && errno != EAGAIN && errno != EINTR) {
        client->deaf = true;
        client->output = client->events = false;
        buffer_free(&client->out);
    }
}

static void client_free(struct client *client) {
    close(client->fd);
    buffer_free(&client->in);
    buffer_free(&client->out);
    free(client->sent);
    free(client->acknowledged);
    free(client->end_sent);
    free(client);
}

void clients_remove_broken(struct step *step) {
    for (struct client **at = &step->clients; *at;) {
        struct client *client = *at;
        if (client->broken) {
            *at = client->next;
            client_free(client);
        } else {
            at = &client->next;
        }
    }
}

bool clients_have_pending_output(const struct step *step) {
    for (size_t i = 0; i < step->stream_count; i++) {
        const struct stream *stream = &step->streams[i];
        if (stream->fd >= 0 || stream->released < stream->end) return true;
    }
    return false;
}
