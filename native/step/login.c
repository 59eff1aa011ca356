#include "login.h"

#include "user.h"
#include "wire.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LARGEST = 4 << 20 };

/* Profiles may print something themselves, and start what keeps the pipe open: what is between these two is ours. */
static const char MARK[] = "spur-login-environment-follows";
static const char END[] = "\0spur-login-environment-ends";

static const char *value_of(const struct strings *variables, const char *name) {
    size_t length = strlen(name);
    for (size_t i = 0; i < variables->count; i++) {
        const char *variable = variables->items[i];
        if (strncmp(variable, name, length) == 0 && variable[length] == '=') return variable + length + 1;
    }
    return NULL;
}

/* A name that begins with a dash is what makes any shell one of a login. */
static _Noreturn void run_shell(const struct launch *launch, int to) {
    const char *shell = launch->login_shell;
    const char *slash = strrchr(shell, '/');
    char name[256];
    char command[256];
    snprintf(name, sizeof name, "-%s", slash ? slash + 1 : shell);
    snprintf(command, sizeof command, "/bin/echo; /bin/echo %s; /usr/bin/env -0; exec /bin/echo %s", MARK, END + 1);
    setsid(); /* a group of its own, to be killed as a whole */
    int null = open("/dev/null", O_RDWR);
    if (null < 0 || dup2(null, 0) < 0 || dup2(to, 1) < 0 || dup2(null, 2) < 0) _exit(1);
    keep_only_stdio_and(2);
    const char *home = value_of(&launch->account, "HOME");
    if ((!home || chdir(home) != 0) && chdir("/") != 0) _exit(1);
    char *arguments[] = {name, "-c", command, NULL};
    execve(shell, arguments, launch->account.items);
    _exit(1);
}

static int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

/* Cuts the text where the last of its variables, each of which ends with a NUL, is followed by the end. */
static bool cut_at_end(struct buffer *text, size_t looked) {
    size_t length = sizeof END - 1;
    size_t from = looked < length ? 0 : looked - length;
    unsigned char *end = memmem(text->data + from, text->length - from, END, length);
    if (end) text->length = (size_t)(end - text->data);
    return end;
}

static bool read_until(int from, int64_t deadline, struct buffer *text) {
    char piece[16 * 1024];
    for (;;) {
        int64_t left = deadline - now_ms();
        struct pollfd source = {.fd = from, .events = POLLIN};
        int ready = left <= 0 ? 0 : poll(&source, 1, left > INT_MAX ? INT_MAX : (int)left);
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) return false;
        ssize_t length = read(from, piece, sizeof piece);
        if (length < 0 && errno == EINTR) continue;
        if (length <= 0 || text->length > LARGEST) return false;
        size_t looked = text->length;
        buffer_append(text, piece, (size_t)length);
        if (cut_at_end(text, looked)) return true;
    }
}

/* What the shell that told us has for itself only. */
static bool is_of_the_shell(const char *variable) {
    static const char *const NAMES[] = {"_=", "SHLVL=", "PWD=", "OLDPWD="};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        if (strncmp(variable, NAMES[i], strlen(NAMES[i])) == 0) return true;
    }
    return !strchr(variable, '=');
}

static char **parse(struct buffer *text) {
    buffer_append(text, "", 1);
    char *start = memmem(text->data, text->length, MARK, strlen(MARK));
    if (!start) return NULL;
    start += strlen(MARK) + 1; /* and the end of its line */
    char *end = (char *)text->data + text->length;
    size_t count = 0;
    char **variables = must_alloc((text->length + 1) * sizeof *variables);
    for (char *at = start; at < end; at += strlen(at) + 1) {
        if (*at && !is_of_the_shell(at)) variables[count++] = at;
    }
    return count ? variables : NULL;
}

char **login_environment(const struct launch *launch) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return NULL;
    pid_t shell = fork();
    if (shell == 0) run_shell(launch, ends[1]);
    close(ends[1]);
    struct buffer text = {0};
    bool told = shell > 0 && read_until(ends[0], now_ms() + launch->login_ms, &text);
    close(ends[0]);
    if (shell > 0) {
        kill(-shell, SIGKILL);
        kill(shell, SIGKILL); /* it may not have made its group yet */
        waitpid(shell, NULL, 0);
    }
    return told ? parse(&text) : NULL;
}
