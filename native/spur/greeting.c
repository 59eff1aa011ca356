/* What the door is told of this process before it runs the command. */
#define _GNU_SOURCE
#include "bytes.h"
#include "door.h"
#include "protocol.h"
#include "session.h"
#include "spur.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

static void append_strings(struct bytes *to, int type, char **strings) {
    struct bytes joined = {0};
    for (; *strings != NULL; strings++) {
        append(&joined, *strings, strlen(*strings) + 1);
    }
    for (size_t at = 0; at < joined.length; at += DOOR_PAYLOAD) {
        size_t rest = joined.length - at;
        append_frame(to, type, 0, joined.data + at, rest < DOOR_PAYLOAD ? rest : DOOR_PAYLOAD);
    }
    free(joined.data);
}

void greet(const char *program, char **arguments, unsigned resumptions) {
    static const int limits[] = {
        RLIMIT_CPU, RLIMIT_FSIZE, RLIMIT_DATA,   RLIMIT_STACK,   RLIMIT_CORE,
        RLIMIT_RSS, RLIMIT_NPROC, RLIMIT_NOFILE, RLIMIT_MEMLOCK, RLIMIT_AS,
    };
    enum { LIMITS = sizeof limits / sizeof *limits };
    static uint8_t hello[64 + 16 * LIMITS + NAME_MAX + PATH_MAX];
    char directory[PATH_MAX];
    if (getcwd(directory, sizeof directory) == NULL) {
        fail("cannot tell the working directory: %s. Change to an existing one and try again.", strerror(errno));
    }
    size_t program_length = strnlen(program, NAME_MAX);
    size_t directory_length = strlen(directory);
    unsigned short columns, rows;
    unsigned terminals = terminal_state(&columns, &rows);
    mode_t mask = umask(0);
    umask(mask);

    uint8_t *at = put32(hello, DOOR_MAGIC);
    at = put16(at, DOOR_VERSION);
    at = put16(at, mask);
    *at++ = (uint8_t)terminals;
    at = put16(at, columns);
    at = put16(at, rows);
    *at++ = LIMITS;
    for (int i = 0; i < LIMITS; i++) {
        struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
        getrlimit(limits[i], &limit);
        at = put64(at, limit.rlim_cur);
        at = put64(at, limit.rlim_max);
    }
    at = put64(at, resumptions);
    at = put64(at, input_offset());
    at = put16(at, (unsigned)program_length);
    memcpy(at, program, program_length);
    at = put16(at + program_length, (unsigned)directory_length);
    memcpy(at, directory, directory_length);
    at += directory_length;

    struct bytes greeting = {0};
    append_frame(&greeting, HELLO, 0, hello, (size_t)(at - hello));
    append_strings(&greeting, ARGUMENTS, arguments);
    append_strings(&greeting, ENVIRONMENT, environ);
    append_memories(&greeting);
    append_children(&greeting);
    append_frame(&greeting, RUN, 0, NULL, 0);
    send_all(greeting.data, greeting.length);
    free(greeting.data);
}
