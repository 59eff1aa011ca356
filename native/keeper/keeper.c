/*
 * spur-keeper [-u UID:GID] PROGRAM [ARGUMENT]...
 *
 * Runs a program that must not outlive the one who started it. The owner holds the other end of the keeper's standard
 * input and never writes: when it closes that, or dies by whatever, the kernel closes it, and the program is asked to
 * stop. (A parent-death signal alone would not do: it comes when the *thread* that forked ends, and a JVM's threads come
 * and go. The keeper has one thread, so it uses it for its own death.)
 *
 *   owner ──pipe──► keeper ──fork──► program
 *                     │ end of pipe, SIGTERM, SIGINT      SIGINT  (PostgreSQL: fast shutdown)
 *                     │ 20 s later                        SIGQUIT (at once; it recovers at its next start)
 *                     │ 5 s later                         SIGKILL
 *
 * Ends with the program's exit status; 128 + signal if a signal ended it; 126 or 127 if it could not be started.
 */
#include <errno.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FAST_MS = 20000, AT_ONCE_MS = 5000, CANNOT = 126, NOT_FOUND = 127 };

static void fail(const char *what)
{
    fprintf(stderr, "spur-keeper: %s: %s\n", what, strerror(errno));
    exit(CANNOT);
}

/* Root's rights are left in the keeper, too: it then can signal nobody but that account's processes. */
static void become(const char *account)
{
    char *rest;
    unsigned long uid = strtoul(account, &rest, 10);
    unsigned long gid = *rest == ':' ? strtoul(rest + 1, &rest, 10) : 0;
    if (*rest != '\0' || uid == 0 || gid == 0) {
        fprintf(stderr, "spur-keeper: -u takes UID:GID of somebody else than root, not \"%s\"\n", account);
        exit(CANNOT);
    }
    if (setgroups(0, NULL) != 0 || setresgid(gid, gid, gid) != 0 || setresuid(uid, uid, uid) != 0)
        fail("cannot change the user");
}

static void run(char **command, pid_t keeper, const sigset_t *usual)
{
    if (prctl(PR_SET_PDEATHSIG, SIGINT) != 0)
        fail("prctl");
    if (getppid() != keeper)
        _exit(CANNOT); /* it died before the line above */
    int null = open("/dev/null", O_RDONLY);
    if (null < 0 || dup2(null, STDIN_FILENO) < 0)
        fail("/dev/null");
    sigprocmask(SIG_SETMASK, usual, NULL);
    execv(command[0], command);
    int error = errno;
    fprintf(stderr, "spur-keeper: cannot run %s: %s\n", command[0], strerror(error));
    _exit(error == ENOENT ? NOT_FOUND : CANNOT);
}

/* The exit status of the child once it has ended, else -1. */
static int ended(pid_t child)
{
    int status;
    if (waitpid(child, &status, WNOHANG) != child)
        return -1;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int keep(pid_t child, int signals)
{
    static const struct {
        int signal, patience;
    } steps[] = {{SIGINT, FAST_MS}, {SIGQUIT, AT_ONCE_MS}, {SIGKILL, -1}};
    size_t step = 0;
    int patience = -1;
    struct pollfd events[] = {{.fd = signals, .events = POLLIN}, {.fd = STDIN_FILENO, .events = POLLIN}};

    for (;;) {
        int ready = poll(events, 2, patience);
        if (ready < 0 && errno != EINTR)
            fail("poll");
        int stop = ready == 0;
        if (events[0].revents) {
            struct signalfd_siginfo told;
            if (read(signals, &told, sizeof told) == sizeof told && told.ssi_signo != SIGCHLD)
                stop = step == 0;
            int status = ended(child);
            if (status >= 0)
                return status;
        }
        if (events[1].revents) {
            char ignored[64];
            ssize_t length = read(STDIN_FILENO, ignored, sizeof ignored);
            if (length == 0 || (length < 0 && errno != EINTR && errno != EAGAIN)) {
                events[1].fd = -1;
                stop = step == 0;
            }
        }
        if (stop && step < sizeof steps / sizeof *steps) {
            kill(child, steps[step].signal);
            patience = steps[step++].patience;
        }
    }
}

int main(int argc, char **argv)
{
    int first = 1;
    if (argc > 2 && strcmp(argv[1], "-u") == 0) {
        become(argv[2]);
        first = 3;
    }
    if (first >= argc) {
        fprintf(stderr, "Usage: spur-keeper [-u UID:GID] PROGRAM [ARGUMENT]...\n");
        return CANNOT;
    }
    setsid(); /* the terminal's Ctrl-C is for the owner, who then stops the program when nothing needs it any more */
    umask(077);
    sigset_t handled, usual;
    sigemptyset(&handled);
    sigaddset(&handled, SIGCHLD);
    sigaddset(&handled, SIGTERM);
    sigaddset(&handled, SIGINT);
    sigprocmask(SIG_BLOCK, &handled, &usual);
    int signals = signalfd(-1, &handled, SFD_CLOEXEC);
    if (signals < 0)
        fail("signalfd");
    pid_t keeper = getpid();
    pid_t child = fork();
    if (child < 0)
        fail("fork");
    if (child == 0)
        run(argv + first, keeper, &usual);
    return keep(child, signals);
}
