/*
 * spur-relay [-i SECONDS]
 *
 * Opens connections for somebody who speaks frames (frames.h) over standard input and output: a step of a session, so
 * that forwards into the session come from a process of its user, in its namespaces, with its rights and no others.
 *
 *   gateway ──stdin──► frames ──► channel ──► socket
 *           ◄─stdout── frames ◄── channel ◄── socket
 *
 * Both directions of a channel have credit, so neither a slow socket nor a slow gateway fills memory. Ends when its input
 * ends, or nothing came for so many seconds: who started it may have died without a word.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "channel.h"
#include "connect.h"
#include "frames.h"
#include "listens.h"

enum { MOST_WAITING_OUT = 512 * 1024, MOST_BEFORE_DEAF = 4 * 1024 * 1024 };

static struct queue arrived, out;

static void fail_open(uint32_t number, const char *why)
{
    put_frame(&out, FAILED, number, why, strlen(why));
}

static struct channel *begin_open(uint32_t number)
{
    if (channel_find(number) != NULL)
        give_up("a channel is opened twice");
    struct channel *channel = channel_new(number);
    if (channel == NULL)
        fail_open(number, "256 connections are open already, the most at a time");
    return channel;
}

static void open_tcp(const struct frame *frame)
{
    char text[264];
    if (frame->length >= sizeof text) {
        fail_open(frame->channel, "the name of the host is too long");
        return;
    }
    memcpy(text, frame->payload, frame->length);
    text[frame->length] = '\0';
    size_t host = strlen(text);
    if (host == 0 || host > 255 || host >= frame->length || strlen(text + host + 1) > 5) {
        fail_open(frame->channel, "that is no host and port");
        return;
    }
    struct channel *channel = begin_open(frame->channel);
    if (channel != NULL && connect_tcp(frame->channel, text, text + host + 1) != 0)
        channel_failed(channel, "no thread is left to connect with", &out);
}

static void open_unix(const struct frame *frame)
{
    char path[108] = {0};
    if (frame->length == 0 || frame->length >= sizeof path || frame->payload[0] == '\0'
        || memchr(frame->payload, '\0', frame->length) != NULL) {
        fail_open(frame->channel, "that is no path of a socket: 1 to 107 bytes are possible");
        return;
    }
    memcpy(path, frame->payload, frame->length);
    struct channel *channel = begin_open(frame->channel);
    if (channel != NULL && connect_unix(frame->channel, path) != 0)
        channel_failed(channel, "no thread is left to connect with", &out);
}

static void answer_listens(const struct frame *frame)
{
    char text[8] = {0};
    unsigned long port = 0;
    if (frame->length < sizeof text) {
        memcpy(text, frame->payload, frame->length);
        port = strtoul(text, NULL, 10);
    }
    bool yes = port > 0 && port < 65536 && listens((unsigned) port, geteuid());
    put_frame(&out, LISTENS_REPLY, frame->channel, yes ? "1" : "0", 1);
}

static void take(const struct frame *frame)
{
    struct channel *channel = channel_find(frame->channel);
    switch (frame->type) {
    case OPEN_TCP:
        open_tcp(frame);
        break;
    case OPEN_UNIX:
        open_unix(frame);
        break;
    case LISTENS:
        answer_listens(frame);
        break;
    case DATA: /* of a channel that has just been closed here: lost, as with any connection */
        if (channel != NULL)
            channel_data(channel, frame, &out);
        break;
    case END:
        if (channel != NULL)
            channel_end(channel, &out);
        break;
    case CLOSE:
        if (channel != NULL)
            channel_free(channel);
        break;
    case CREDIT:
        if (channel != NULL && frame->length == 4)
            channel_credit(channel, get_number(frame->payload), &out);
        break;
    case ALIVE:
        break;
    default:
        give_up("a frame of a type that does not exist");
    }
}

static void take_result(int results)
{
    struct connected result;
    if (read(results, &result, sizeof result) != sizeof result)
        return;
    struct channel *channel = channel_find(result.channel);
    if (channel == NULL || channel->state != CONNECTING) { /* closed meanwhile */
        if (result.socket >= 0)
            close(result.socket);
        return;
    }
    if (result.socket >= 0)
        channel_opened(channel, result.socket, &out);
    else
        channel_failed(channel, result.why, &out);
}

/* False when the input has ended. */
static bool take_input(void)
{
    uint8_t bytes[64 * 1024];
    ssize_t got = read(STDIN_FILENO, bytes, sizeof bytes);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
        return false;
    if (got > 0)
        queue_append(&arrived, bytes, (size_t) got);
    struct frame frame;
    while (next_frame(&arrived, &frame)) {
        take(&frame);
        queue_drop(&arrived, frame_size(&frame));
    }
    return true;
}

static void send_out(void)
{
    while (out.length > 0) {
        ssize_t sent = write(STDOUT_FILENO, out.bytes + out.start, out.length);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0 && errno == EAGAIN)
            return;
        if (sent < 0)
            exit(0); /* nobody reads any more */
        queue_drop(&out, (size_t) sent);
    }
}

static void unblock(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0)
        give_up("standard input and output must be open");
}

static long long now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

static void relay(int results, long long idle_ms)
{
    long long heard = now_ms();
    while (true) {
        struct pollfd polls[3 + MOST_CHANNELS];
        int who[3 + MOST_CHANNELS], count = 3;
        polls[0] = (struct pollfd) {.fd = out.length < MOST_BEFORE_DEAF ? STDIN_FILENO : -1, .events = POLLIN};
        polls[1] = (struct pollfd) {.fd = out.length > 0 ? STDOUT_FILENO : -1, .events = POLLOUT};
        polls[2] = (struct pollfd) {.fd = results, .events = POLLIN};
        for (int i = 0; i < MOST_CHANNELS; i++) {
            struct channel *channel = channel_at(i);
            short events = channel->state == OPEN ? channel_events(channel, out.length < MOST_WAITING_OUT) : 0;
            if (events != 0) { /* without a wish poll would tell of hang-ups again and again */
                polls[count] = (struct pollfd) {.fd = channel->socket, .events = events};
                who[count++] = i;
            }
        }
        long long left = idle_ms == 0 ? -1 : heard + idle_ms - now_ms();
        if (idle_ms != 0 && left <= 0)
            return;
        if (poll(polls, (nfds_t) count, (int) left) < 0 && errno != EINTR)
            give_up("cannot wait");
        for (int i = 3; i < count; i++) {
            struct channel *channel = channel_at(who[i]);
            if (channel->state == OPEN && (polls[i].revents & (POLLOUT | POLLERR)) != 0)
                channel_write(channel, &out);
            if (channel->state == OPEN && (polls[i].revents & (POLLIN | POLLHUP | POLLERR)) != 0)
                channel_read(channel, &out);
        }
        if ((polls[2].revents & POLLIN) != 0)
            take_result(results);
        if (polls[0].revents != 0) {
            heard = now_ms();
            if (!take_input())
                return;
        }
        send_out();
    }
}

int main(int argc, char **argv)
{
    long long idle_ms = 0;
    if (argc == 3 && strcmp(argv[1], "-i") == 0)
        idle_ms = strtoll(argv[2], NULL, 10) * 1000;
    else if (argc != 1) {
        fprintf(stderr, "usage: spur-relay [-i SECONDS]\n");
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    int results = connect_begin();
    unblock(STDIN_FILENO);
    unblock(STDOUT_FILENO);
    relay(results, idle_ms);
    return 0;
}
