#include "user.h"

#include <errno.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

void reset_signals(void) {
    static const int IGNORED[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGPIPE, SIGUSR1,
                                  SIGUSR2, SIGCHLD, SIGTSTP, SIGTTIN, SIGTTOU};
    for (size_t i = 0; i < sizeof IGNORED / sizeof *IGNORED; i++) signal(IGNORED[i], SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

const char *become_user(const struct launch *launch) {
    if (geteuid() == 0) {
        if (setgroups(launch->group_count, launch->groups) != 0) return "cannot set groups";
        if (setresgid(launch->gid, launch->gid, launch->gid) != 0) return "cannot set gid";
        if (setresuid(launch->uid, launch->uid, launch->uid) != 0) return "cannot set uid";
    } else if (geteuid() != launch->uid) {
        errno = EPERM;
        return "without root only this user's own jobs can run here";
    }
    return NULL;
}

void die_with(pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
}

void die_with_holder_of(int socket) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    struct pollfd parent = {.fd = socket};
    if (poll(&parent, 1, 0) != 0) _exit(1);
}

void keep_only_stdio_and(int kept) {
    if (kept > 3) syscall(SYS_close_range, 3U, (unsigned)kept - 1, 0U);
    if (syscall(SYS_close_range, (unsigned)kept + 1, ~0U, 0U) == 0) return;
    for (int fd = 3; fd < 65536; fd++) { /* a kernel before 5.9 */
        if (fd != kept) close(fd);
    }
}
