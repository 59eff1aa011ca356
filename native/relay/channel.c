#include "channel.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CREDIT_AT_LEAST = 64 * 1024 };

static struct channel channels[MOST_CHANNELS];

struct channel *channel_at(int position)
{
    return &channels[position];
}

struct channel *channel_find(uint32_t number)
{
    for (int i = 0; i < MOST_CHANNELS; i++)
        if (channels[i].state != FREE && channels[i].number == number)
            return &channels[i];
    return NULL;
}

struct channel *channel_new(uint32_t number)
{
    for (int i = 0; i < MOST_CHANNELS; i++)
        if (channels[i].state == FREE) {
            memset(&channels[i], 0, sizeof channels[i]);
            channels[i].state = CONNECTING;
            channels[i].number = number;
            channels[i].socket = -1;
            channels[i].credit = INITIAL_CREDIT;
            return &channels[i];
        }
    return NULL;
}

void channel_free(struct channel *channel)
{
    if (channel->socket >= 0)
        close(channel->socket);
    queue_free(&channel->waiting);
    channel->state = FREE;
}

void channel_opened(struct channel *channel, int socket, struct queue *out)
{
    channel->socket = socket;
    channel->state = OPEN;
    put_frame(out, OPENED, channel->number, NULL, 0);
}

void channel_failed(struct channel *channel, const char *why, struct queue *out)
{
    put_frame(out, FAILED, channel->number, why, strlen(why));
    channel_free(channel);
}

static void hang_up(struct channel *channel, struct queue *out)
{
    put_frame(out, CLOSE, channel->number, NULL, 0);
    channel_free(channel);
}

static void finish_if_done(struct channel *channel, struct queue *out)
{
    if (channel->end_sent && channel->end_told)
        hang_up(channel, out);
}

/* Shuts the socket down for writing once it has everything. */
static void pass_end(struct channel *channel, struct queue *out)
{
    if (channel->end_wanted && !channel->end_sent && channel->waiting.length == 0) {
        shutdown(channel->socket, SHUT_WR);
        channel->end_sent = true;
        finish_if_done(channel, out);
    }
}

void channel_data(struct channel *channel, const struct frame *frame, struct queue *out)
{
    if (channel->state != OPEN || channel->end_wanted
        || channel->waiting.length + channel->uncredited + frame->length > INITIAL_CREDIT) {
        hang_up(channel, out); /* more than was allowed */
        return;
    }
    queue_append(&channel->waiting, frame->payload, frame->length);
    channel_write(channel, out);
}

void channel_end(struct channel *channel, struct queue *out)
{
    if (channel->state == OPEN) {
        channel->end_wanted = true;
        pass_end(channel, out);
    }
}

void channel_credit(struct channel *channel, uint32_t bytes, struct queue *out)
{
    if (bytes > INITIAL_CREDIT || channel->credit + bytes > INITIAL_CREDIT)
        hang_up(channel, out);
    else
        channel->credit += bytes;
}

short channel_events(const struct channel *channel, bool room)
{
    short events = 0;
    if (channel->waiting.length > 0)
        events |= POLLOUT;
    if (room && channel->credit > 0 && !channel->end_told)
        events |= POLLIN;
    return events;
}

void channel_write(struct channel *channel, struct queue *out)
{
    while (channel->waiting.length > 0) {
        ssize_t sent = send(channel->socket, channel->waiting.bytes + channel->waiting.start, channel->waiting.length,
            MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0) {
            if (errno == EINTR)
                continue;
            if (errno != EAGAIN)
                hang_up(channel, out);
            break;
        }
        queue_drop(&channel->waiting, (size_t) sent);
        channel->uncredited += (uint32_t) sent;
    }
    if (channel->state != OPEN)
        return;
    if (channel->uncredited >= CREDIT_AT_LEAST || (channel->uncredited > 0 && channel->waiting.length == 0)) {
        put_credit(out, channel->number, channel->uncredited);
        channel->uncredited = 0;
    }
    pass_end(channel, out);
}

void channel_read(struct channel *channel, struct queue *out)
{
    uint8_t bytes[MOST_PAYLOAD];
    size_t most = channel->credit < sizeof bytes ? channel->credit : sizeof bytes;
    if (most == 0 || channel->end_told)
        return;
    ssize_t got = recv(channel->socket, bytes, most, MSG_DONTWAIT);
    if (got > 0) {
        put_frame(out, DATA, channel->number, bytes, (size_t) got);
        channel->credit -= (uint32_t) got;
    } else if (got == 0) {
        put_frame(out, END, channel->number, NULL, 0);
        channel->end_told = true;
        finish_if_done(channel, out);
    } else if (errno != EAGAIN && errno != EINTR) {
        hang_up(channel, out);
    }
}
