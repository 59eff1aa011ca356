/*
 * spur: the small half of every command. It hands what it knows of itself (arguments, environment,
 * directory, terminal) to the warm JVM behind the local door and then acts as that command's hands:
 * reads and writes the standard streams, opens files and runs programs as the user, passes signals
 * on, and exits with the code it is given. Where no door listens it becomes a JVM itself.
 */
#define _GNU_SOURCE
#include "door.h"
#include "spur.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

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

/* A closed standard descriptor would be given to the next file we open. */
static void fill_standard_descriptors(void) {
    int fd;
    do {
        fd = open("/dev/null", O_RDWR);
    } while (fd >= 0 && fd <= STDERR_FILENO);
    close(fd);
}

/*
 * The cloud's commands open connections to an address that the caller names: from the caller's own process, not from the door's, which others
 * believe more. Only who says "this is me" (link) is better believed by the door.
 */
static bool is_of_the_cloud(const char *program, char **arguments) {
    return strcmp(program, "spur") == 0 && arguments[0] != NULL && strcmp(arguments[0], "cloud") == 0
           && (arguments[1] == NULL || strcmp(arguments[1], "link") != 0);
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
    bool at_home = is_of_the_cloud(program, argv + 1);
    if (!at_home && (without_door == NULL || strcmp(without_door, "1") != 0) && connect_to_door(prefix)) {
        run_through_door(program, argv + 1);
    }
    run_in_own_jvm(prefix, program, argv + 1);
}
