/*
 * spur: the small half of every command. It hands what it knows of itself (arguments, environment,
 * directory, terminal) to the warm JVM behind the local door and then acts as that command's hands:
 * reads and writes the standard streams, opens files and runs programs as the user, passes signals
 * on, and exits with the code it is given. Where no door listens it becomes a JVM itself.
 */
#define _GNU_SOURCE
#include "spur.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#define SYSTEM_DOOR "/run/spur/door.sock"
#define CONNECT_SECONDS 10

void fail(const char *format, ...) {
    restore_terminal();
    va_list arguments;
    va_start(arguments, format);
    char text[2048];
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    dprintf(STDERR_FILENO, "spur: %s\n", text);
    _exit(1);
}

unsigned terminal_state(unsigned short *columns, unsigned short *rows) {
    unsigned mask = 0;
    *columns = *rows = 0;
    for (int fd = 2; fd >= 0; fd--) {
        struct winsize size;
        if (ioctl(fd, TIOCGWINSZ, &size) == 0) {
            mask |= 1u << fd;
            *columns = size.ws_col;
            *rows = size.ws_row;
        }
    }
    return mask;
}

/* The installation is found by the real path of this program, whatever link called it: PREFIX/bin/spur. */
static void find_prefix(char prefix[PATH_MAX]) {
    ssize_t length = readlink("/proc/self/exe", prefix, PATH_MAX - 1);
    if (length < 0) {
        fail("cannot find my own program file by /proc/self/exe: %s", strerror(errno));
    }
    prefix[length] = '\0';
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(prefix, '/');
        if (slash != NULL && slash != prefix) {
            *slash = '\0';
        }
    }
}

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
 * Connects to the door, or returns -1 when nobody listens there. The kernel says who listens; we speak
 * only to root, to the service account and to ourselves: the door can make us read our own files.
 */
static int connect_to_door(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        fail("the path of the door is too long: %s", path);
    }
    strcpy(address.sun_path, path);
    int door = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (door < 0) {
        fail("cannot make a socket: %s", strerror(errno));
    }
    /* A full backlog makes connect wait; the send timeout bounds it. */
    struct timeval patience = {.tv_sec = CONNECT_SECONDS};
    setsockopt(door, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (connect(door, (struct sockaddr *)&address, sizeof address) < 0) {
        if (errno == EAGAIN) {
            fail("the local Spur service at %s is too busy to answer; try again", path);
        }
        close(door);
        return -1;
    }
    struct ucred owner;
    socklen_t length = sizeof owner;
    if (getsockopt(door, SOL_SOCKET, SO_PEERCRED, &owner, &length) < 0) {
        fail("cannot tell who serves %s: %s", path, strerror(errno));
    }
    if (owner.uid != 0 && owner.uid != geteuid() && !is_service_account(owner.uid)) {
        fail("not using the Spur service at %s: it runs as uid %u, which is neither root nor 'spur' nor you.\n"
             "      A cluster started without root serves its own user only.",
             path, (unsigned)owner.uid);
    }
    return door;
}

/* A closed standard descriptor would be given to the next file we open. */
static void fill_standard_descriptors(void) {
    int fd;
    do {
        fd = open("/dev/null", O_RDWR);
    } while (fd >= 0 && fd <= STDERR_FILENO);
    close(fd);
}

int main(int argc, char **argv) {
    fill_standard_descriptors();
    if (argc < 1 || argv[0] == NULL) {
        fail("called without a program name");
    }
    const char *slash = strrchr(argv[0], '/');
    const char *program = slash == NULL ? argv[0] : slash + 1;
    char prefix[PATH_MAX];
    find_prefix(prefix);

    const char *without_door = getenv("SPUR_NO_DOOR");
    if (without_door == NULL || strcmp(without_door, "1") != 0) {
        char own_door[PATH_MAX + 16];
        snprintf(own_door, sizeof own_door, "%s/run/door.sock", prefix);
        const char *chosen = getenv("SPUR_DOOR");
        int door;
        if (chosen != NULL && *chosen != '\0') {
            door = connect_to_door(chosen);
        } else {
            bool has_own = strlen(own_door) < sizeof((struct sockaddr_un *)0)->sun_path;
            door = has_own ? connect_to_door(own_door) : -1;
            if (door < 0) {
                door = connect_to_door(SYSTEM_DOOR);
            }
        }
        if (door >= 0) {
            run_through_door(door, program, argv + 1);
        }
    }
    run_in_own_jvm(prefix, program, argv + 1);
}
