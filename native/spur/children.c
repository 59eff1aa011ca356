/* Programs that run on our terminal for the command: the shell of salloc. */
#define _GNU_SOURCE
#include "bytes.h"
#include "door.h"
#include "protocol.h"
#include "session.h"
#include "spur.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILDREN 4
#define SPAWN_LIMIT (8u << 20)

/* One that has ended stays until its place is needed: the next door may ask how it ended. */
struct child {
    bool used;
    bool ended;
    bool foreground;
    uint8_t exit[2]; /* as CHILD_ENDED says it */
    uint32_t id;
    pid_t pid;
};

extern char **environ;

static struct child children[CHILDREN];
static struct bytes spawn_arguments, spawn_environment;

static void take_terminal(pid_t group) {
    sigset_t stop, before;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTTOU);
    sigprocmask(SIG_BLOCK, &stop, &before);
    tcsetpgrp(STDIN_FILENO, group);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

void reap(void) {
    bool changed = false;
    for (int i = 0; i < CHILDREN; i++) {
        struct child *child = &children[i];
        int status;
        if (!child->used || child->ended || waitpid(child->pid, &status, WNOHANG) != child->pid) {
            continue;
        }
        if (child->foreground) {
            take_terminal(getpgrp());
        }
        int by = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        child->exit[0] = (uint8_t)(by != 0 ? 128 + by : WEXITSTATUS(status));
        child->exit[1] = (uint8_t)by;
        child->ended = true;
        changed = true;
        send_frame(CHILD_ENDED, child->id, child->exit, sizeof child->exit);
    }
    if (changed) {
        update_signals();
    }
}

/* The pointers to the strings of a joined block, NULL at the end. */
static char **split(struct bytes *joined) {
    append(joined, "", 1);
    size_t count = 0, n = 0;
    for (size_t i = 0; i + 1 < joined->length; i++) {
        count += joined->data[i] == '\0';
    }
    char **strings = calloc(count + 1, sizeof *strings);
    if (strings == NULL) {
        fail("out of memory");
    }
    for (char *at = (char *)joined->data; n < count; at += strlen(at) + 1) {
        strings[n++] = at;
    }
    return strings;
}

static void collect(struct bytes *to, const uint8_t *payload, size_t length) {
    if (to->length + length > SPAWN_LIMIT) {
        door_misbehaves("an endless command line");
    }
    append(to, payload, length);
}

void collect_argument(const uint8_t *payload, size_t length) {
    collect(&spawn_arguments, payload, length);
}

void collect_variable(const uint8_t *payload, size_t length) {
    collect(&spawn_environment, payload, length);
}

void spawn(uint32_t id) {
    struct child *child = NULL;
    for (int i = 0; i < CHILDREN && child == NULL; i++) {
        child = children[i].used && !children[i].ended ? NULL : &children[i];
    }
    if (child == NULL) {
        door_misbehaves("too many children");
    }
    char **argv = split(&spawn_arguments), **environment = split(&spawn_environment);
    int failure[2];
    int error = 0;
    if (argv[0] == NULL) {
        error = EINVAL;
    } else if (pipe2(failure, O_CLOEXEC) < 0) {
        error = errno;
    } else {
        bool foreground = isatty(STDIN_FILENO) && tcgetpgrp(STDIN_FILENO) == getpgrp();
        pid_t pid = fork();
        if (pid == 0) {
            if (foreground) {
                setpgid(0, 0);
                take_terminal(getpid());
            }
            sigprocmask(SIG_SETMASK, &original_mask, NULL);
            environ = environment;
            execvp(argv[0], argv);
            error = errno;
            if (write(failure[1], &error, sizeof error) < 0) {
                _exit(126);
            }
            _exit(127);
        }
        error = pid < 0 ? errno : 0;
        close(failure[1]);
        if (pid > 0) {
            if (foreground) {
                setpgid(pid, pid); /* as the child does: whoever is first */
            }
            if (read(failure[0], &error, sizeof error) != sizeof error) {
                error = 0;
            }
            if (error != 0) {
                waitpid(pid, NULL, 0);
                if (foreground) {
                    take_terminal(getpgrp());
                }
            } else {
                *child = (struct child){.used = true, .foreground = foreground, .id = id, .pid = pid};
            }
        }
        close(failure[0]);
    }
    free(argv);
    free(environment);
    spawn_arguments.length = spawn_environment.length = 0;
    update_signals();
    send_result(CHILD_STARTED, id, error);
    reap(); /* it may have ended before we listened */
}

void signal_child(uint32_t id, int number) {
    for (int i = 0; i < CHILDREN; i++) {
        if (children[i].used && !children[i].ended && children[i].id == id) {
            kill(children[i].foreground ? -children[i].pid : children[i].pid, number);
        }
    }
}

/* A door that did not start the child asks for its end. */
void adopt_child(uint32_t id) {
    for (int i = 0; i < CHILDREN; i++) {
        if (children[i].used && children[i].id == id) {
            if (children[i].ended) {
                send_frame(CHILD_ENDED, id, children[i].exit, sizeof children[i].exit);
            }
            return;
        }
    }
    door_misbehaves("a child that was never started");
}

/* Those who may be adopted, for the greeting. */
void append_children(struct bytes *greeting) {
    for (int i = 0; i < CHILDREN; i++) {
        if (children[i].used) {
            append_frame(greeting, CHILD_STARTED, children[i].id, "\0\0\0", 4);
        }
    }
}

bool has_children(void) {
    for (int i = 0; i < CHILDREN; i++) {
        if (children[i].used && !children[i].ended) {
            return true;
        }
    }
    return false;
}

void wait_for_children(void) {
    for (int i = 0; i < CHILDREN; i++) {
        if (children[i].used && !children[i].ended) {
            waitpid(children[i].pid, NULL, 0);
        }
    }
}

void forget_unfinished_spawn(void) {
    spawn_arguments.length = spawn_environment.length = 0;
}
