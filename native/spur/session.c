/*
 * A command run through the door. One poll loop serves the door, the standard streams, opened files,
 * children and signals. Nothing here waits for one of them while another has something to say, except
 * where no other can: then output goes from the socket to its destination without a stop.
 *
 * When the door ends in the middle, a command that has left something with us (MEMORY) waits for the
 * next door and greets it with that; any other ends.
 */
#define _GNU_SOURCE
#include "session.h"

#include "bytes.h"
#include "door.h"
#include "protocol.h"
#include "spur.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define DOOR_AWAY_SECONDS 30 /* so long agents keep the output of steps that have ended */
#define RETRY_MS 100
#define MOST_RESUMPTIONS 1000

static const char *command;
static char **command_arguments;
static unsigned resumptions;
static int64_t away_since = -1; /* when we lost the door; -1: one works for us */
static struct bytes refusal;    /* what a door said since that has no place for us yet */
static uint8_t inbox[2 * (DOOR_HEADER + DOOR_PAYLOAD)];
static size_t inbox_start, inbox_end;

static void tell(const char *text) {
    dprintf(STDERR_FILENO, raw ? "%s\r\n" : "%s\n", text);
}

/* Writes out what is queued and ends with the command's exit code. */
__attribute__((noreturn)) static void finish(int code) {
    restore_terminal();
    sigprocmask(SIG_SETMASK, &original_mask, NULL); /* from here on Ctrl-C ends us while a slow reader keeps us */
    write_everything();
    _exit(code);
}

/* Children keep the terminal until they end: a shell of salloc must not lose it to our own end. */
__attribute__((noreturn)) static void leave(int code) {
    wait_for_children();
    restore_terminal();
    _exit(code);
}

static void tell_refusal(void) {
    if (write(STDERR_FILENO, refusal.data, refusal.length) < 0) {
        /* nobody to tell */
    }
}

void give_up(int code) {
    tell_refusal();
    const struct bytes *words = farewell();
    char text[1024];
    snprintf(text, sizeof text, "%s: error: the local Spur service ended and is not back. %.*s", command,
             words == NULL ? 0 : (int)words->length, words == NULL ? "" : (const char *)words->data);
    tell(text);
    leave(code);
}

/* True when another door listens; signals and the ends of children are not missed meanwhile. */
static bool await_door(void) {
    static unsigned told;
    for (bool refused = refusal.length > 0; now_ms() - away_since < DOOR_AWAY_SECONDS * 1000; refused = false) {
        if (!refused && connect_again()) {
            return true;
        }
        if (told < resumptions) {
            char text[256];
            snprintf(text, sizeof text, "%s: the local Spur service has ended; waiting for it to come back", command);
            tell(text);
            told = resumptions;
        }
        struct pollfd signalled = {.fd = signals, .events = POLLIN};
        poll(&signalled, 1, RETRY_MS);
        if (signalled.revents != 0) {
            read_signals();
        }
    }
    return false;
}

static void lost_door(void) {
    disconnect();
    if (!remembers_anything()) {
        tell("spur: the local Spur service ended in the middle of this command. Jobs are not affected;\n"
             "      see with squeue what was done before you repeat it.");
        leave(1);
    }
    inbox_start = inbox_end = 0;
    forget_unfinished_spawn();
    begin_streams_again();
    if (away_since < 0) {
        away_since = now_ms();
        resumptions++;
    }
    if (resumptions > MOST_RESUMPTIONS || !await_door()) {
        give_up(1);
    }
    send_input_again();
    greet(command, command_arguments, resumptions);
}

/* A door that has just opened may be full of others who come back: it is asked again for a while. */
static void refused(const uint8_t *payload, size_t length) {
    refusal.length = 0;
    append(&refusal, payload + 1, length - 1);
    if (away_since >= 0 && remembers_anything()) {
        lost_door();
        return;
    }
    restore_terminal();
    if (remembers_anything()) {
        give_up(payload[0]);
    }
    tell_refusal();
    _exit(payload[0]);
}

static void handle(int type, uint32_t stream, const uint8_t *payload, size_t length) {
    static const struct {
        uint8_t type, least;
    } sizes[] = {{CREDIT, 4}, {REFUSED, 1}, {EXIT, 1}, {CATCH, 8}, {KILL, 1}, {RAW, 1}, {RELEASE, 8}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (type == sizes[i].type && length < sizes[i].least) {
            door_misbehaves("a short frame");
        }
    }
    if (type != REFUSED) {
        away_since = -1;
        refusal.length = 0;
    }
    switch (type) {
    case DATA:
        take_data(stream, payload, length);
        break;
    case CREDIT:
        add_credit(stream, get32(payload));
        break;
    case REFUSED:
        refused(payload, length);
        break;
    case EXIT:
        finish(payload[0]);
    case CATCH:
        catch_signals(get64(payload));
        break;
    case OPEN:
        open_file(stream, payload, length);
        break;
    case CLOSE:
        close_stream(stream);
        break;
    case ARGUMENTS:
        collect_argument(payload, length);
        break;
    case ENVIRONMENT:
        collect_variable(payload, length);
        break;
    case SPAWN:
        spawn(stream);
        break;
    case KILL:
        signal_child(stream, payload[0]);
        break;
    case RAW:
        set_raw(payload[0] != 0);
        break;
    case MEMORY:
        remember(stream, payload, length);
        break;
    case RELEASE:
        release_input(get64(payload));
        break;
    case ADOPT:
        adopt_child(stream);
        break;
    default:
        door_misbehaves("an unknown frame");
    }
}

static void read_door(void) {
    if (inbox_start > 0) {
        memmove(inbox, inbox + inbox_start, inbox_end - inbox_start);
        inbox_end -= inbox_start;
        inbox_start = 0;
    }
    ssize_t length = recv(door, inbox + inbox_end, sizeof inbox - inbox_end, 0);
    if (length < 0 && errno == EINTR) {
        return;
    }
    if (length <= 0) {
        lost_door();
        return;
    }
    inbox_end += (size_t)length;
    while (inbox_end - inbox_start >= DOOR_HEADER) {
        const uint8_t *frame = inbox + inbox_start;
        uint32_t payload = get32(frame);
        if (payload > DOOR_PAYLOAD) {
            door_misbehaves("an oversized frame");
        }
        if (inbox_end - inbox_start < DOOR_HEADER + payload) {
            break;
        }
        inbox_start += DOOR_HEADER + payload;
        handle(frame[4], get32(frame + 5), frame + DOOR_HEADER, payload);
    }
}

void run_through_door(const char *program, char **arguments) {
    command = program;
    command_arguments = arguments;
    sigprocmask(SIG_SETMASK, NULL, &original_mask);
    start_standard_streams();
    update_signals();
    greet(program, arguments, resumptions);
    for (;;) {
        struct pollfd polled[STREAMS + 2];
        nfds_t count = 2 + poll_streams(polled + 2);
        polled[0] = (struct pollfd){.fd = door, .events = POLLIN};
        polled[1] = (struct pollfd){.fd = signals, .events = POLLIN};
        if (count > 2 || signals >= 0) {
            if (poll(polled, count, signal_timeout()) < 0) {
                continue;
            }
        } else {
            polled[0].revents = POLLIN; /* the door alone: the read itself may wait */
            polled[1].revents = 0;
        }
        if (polled[1].revents != 0) {
            read_signals();
        }
        serve_streams(polled + 2, count - 2);
        if (polled[0].revents != 0) {
            read_door();
        }
    }
}
