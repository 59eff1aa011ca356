#define _GNU_SOURCE
#include "door.h"

#include "bytes.h"
#include "protocol.h"
#include "spur.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#define SYSTEM_DOOR "/run/spur/door.sock"
#define CONNECT_SECONDS 10
#define DOOR_STALLED_MS 30000

int door = -1;
static char where[sizeof((struct sockaddr_un *)0)->sun_path];

/*
 * The uid of the service account `spur`. Read from /etc/passwd, where packages put their accounts:
 * the name service switch would load libraries and may ask the network, for every command.
 */
static bool is_service_account(uid_t uid) {
    FILE *passwd = fopen("/etc/passwd", "re");
    if (passwd == NULL) {
        return false;
    }
    char line[1024];
    bool same = false;
    while (fgets(line, sizeof line, passwd) != NULL) {
        if (strncmp(line, "spur:", 5) == 0) {
            char *number = strchr(line + 5, ':');
            same = number != NULL && strtoul(number + 1, NULL, 10) == uid;
            break;
        }
    }
    fclose(passwd);
    return same;
}

/*
 * Connects to the door, or returns -1 when nobody listens there or, if we have patience, nobody has time for us. The kernel says who listens; we speak
 * only to root, to the service account and to ourselves: the door can make us read our own files.
 */
static int connect_to(const char *path, bool patient) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        fail("the path of the door is too long: %s", path);
    }
    strcpy(address.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        fail("cannot make a socket: %s", strerror(errno));
    }
    /* A full backlog makes connect wait; the send timeout bounds it. */
    struct timeval patience = {.tv_sec = CONNECT_SECONDS};
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0) {
        if (errno == EAGAIN && !patient) {
            fail("the local Spur service at %s is too busy to answer; try again", path);
        }
        close(fd);
        return -1;
    }
    struct ucred owner;
    socklen_t length = sizeof owner;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &owner, &length) < 0) {
        fail("cannot tell who serves %s: %s", path, strerror(errno));
    }
    if (owner.uid != 0 && owner.uid != geteuid() && !is_service_account(owner.uid)) {
        fail("not using the Spur service at %s: it runs as uid %u, which is neither root nor 'spur' nor you.\n"
             "      A cluster started without root serves its own user only.",
             path, (unsigned)owner.uid);
    }
    return fd;
}

static bool try_door(const char *path) {
    door = connect_to(path, false);
    if (door >= 0) {
        strcpy(where, path);
    }
    return door >= 0;
}

bool connect_to_door(const char *prefix) {
    const char *chosen = getenv("SPUR_DOOR");
    if (chosen != NULL && *chosen != '\0') {
        return try_door(chosen);
    }
    char own[PATH_MAX + 16];
    snprintf(own, sizeof own, "%s/run/door.sock", prefix);
    return (strlen(own) < sizeof where && try_door(own)) || try_door(SYSTEM_DOOR);
}

bool connect_again(void) {
    door = connect_to(where, true);
    return door >= 0;
}

void disconnect(void) {
    close(door);
    door = -1;
}

void door_misbehaves(const char *how) {
    fail("the local Spur service answered with something this program does not understand (%s).\n"
         "      Are 'spur' and the service of the same release? Restart the service after an update.",
         how);
}

bool send_all(const uint8_t *data, size_t length) {
    while (door >= 0 && length > 0) {
        ssize_t sent = send(door, data, length, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent >= 0) {
            data += sent;
            length -= (size_t)sent;
        } else if (errno == EAGAIN) {
            struct pollfd writable = {.fd = door, .events = POLLOUT};
            int ready = poll(&writable, 1, DOOR_STALLED_MS);
            if (ready == 0) {
                fail("the local Spur service takes nothing more from this command; is it overloaded or stopped?");
            }
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

void send_frame(int type, uint32_t stream, const void *payload, size_t length) {
    struct bytes frame = {0};
    append_frame(&frame, type, stream, payload, length);
    send_all(frame.data, frame.length); /* a closed door shows when we read */
    free(frame.data);
}

void send_result(int type, uint32_t stream, int error) {
    uint8_t payload[256];
    const char *text = error == 0 ? "" : strerror(error);
    size_t length = strlen(text);
    put32(payload, (uint32_t)error);
    memcpy(payload + 4, text, length);
    send_frame(type, stream, payload, 4 + length);
}
