/* A session is held by a process of its own, the first of its PID namespace: what is orphaned there comes to it, and
 * when it is killed the kernel kills all others and unmounts everything. It has no rights, reads nothing, and lives
 * until spurd kills it at the job's end; supervisors come and go.
 *
 * Which process that is a file says, `PID STARTTIME`, in a directory that is root's alone. */
#include "session.h"

#include "user.h"
#include "wire.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_MS = 30 * 1000 };

/* What may be covered by the session's own, and so must be shown again where a home lies below. */
static const char *const COVERED[] = {"/tmp", "/var/tmp", "/dev/shm"};
enum { COVERED_COUNT = sizeof COVERED / sizeof *COVERED };

/* ---- finding it ---- */

static uint64_t started_at(pid_t pid) {
    char path[64];
    char line[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "re");
    if (!file) return 0;
    bool read = fgets(line, sizeof line, file) != NULL;
    fclose(file);
    char *at = read ? strrchr(line, ')') : NULL;
    for (int field = 2; at && field < 22; field++) at = strchr(at + 1, ' ');
    return at ? strtoull(at, NULL, 10) : 0;
}

static int open_of(pid_t pid, const char *name, int flags) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    return open(path, flags | O_CLOEXEC);
}

static void close_all(struct session *session) {
    const int fds[] = {session->pids, session->mounts, session->shared_memory, session->root, session->own_pids};
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++) {
        if (fds[i] >= 0) close(fds[i]);
    }
    *session = NO_SESSION;
}

/* The number may be another process's by now: it is asked before and after. */
static bool take(struct session *session, pid_t pid, uint64_t started) {
    if (!started || started_at(pid) != started) return false;
    *session = (struct session){.pids = open_of(pid, "ns/pid", O_RDONLY),
                                .mounts = open_of(pid, "ns/mnt", O_RDONLY),
                                .shared_memory = open_of(pid, "ns/ipc", O_RDONLY),
                                .root = open_of(pid, "root", O_PATH | O_DIRECTORY),
                                .own_pids = open_of(getpid(), "ns/pid", O_RDONLY)};
    if (session->pids >= 0 && session->mounts >= 0 && session->shared_memory >= 0 && session->root >= 0 &&
        session->own_pids >= 0 && started_at(pid) == started) {
        return true;
    }
    close_all(session);
    return false;
}

static bool find(struct session *session, const char *path) {
    int pid;
    unsigned long long started;
    FILE *file = fopen(path, "re");
    if (!file) return false;
    bool read = fscanf(file, "%d %llu", &pid, &started) == 2 && pid > 1;
    fclose(file);
    return read && take(session, pid, started);
}

static bool note(const char *path, pid_t pid) {
    char draft[PATH_MAX];
    char line[64];
    int length = snprintf(line, sizeof line, "%d %llu\n", (int)pid, (unsigned long long)started_at(pid));
    if (snprintf(draft, sizeof draft, "%s.new", path) >= (int)sizeof draft) return false;
    int fd = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return false;
    bool written = write(fd, line, (size_t)length) == length;
    return close(fd) == 0 && written && rename(draft, path) == 0;
}

/* ---- what its processes see ---- */

static bool make_parents(const char *path) {
    char piece[PATH_MAX];
    snprintf(piece, sizeof piece, "%s", path);
    for (char *at = piece + 1; *at; at++) {
        if (*at != '/') continue;
        *at = 0;
        if (mkdir(piece, 0711) == 0 ? chmod(piece, 0711) != 0 : errno != EEXIST) return false;
        *at = '/';
    }
    return mkdir(piece, 0711) == 0 || errno == EEXIST;
}

static bool is_below(const char *path, const char *directory) {
    size_t length = strlen(directory);
    return strncmp(path, directory, length) == 0 && path[length] == '/';
}

static bool is_covered(const char *path) {
    for (size_t i = 0; i < COVERED_COUNT; i++) {
        if (is_below(path, COVERED[i])) return true;
    }
    return false;
}

static bool is_empty(int directory) {
    int entries = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = entries < 0 ? NULL : fdopendir(entries);
    if (!stream) {
        if (entries >= 0) close(entries);
        return false;
    }
    int count = 0;
    while (count < 3 && readdir(stream)) count++; /* two are the directory itself and the one above */
    closedir(stream);
    return count < 3;
}

/* Made on first use. Its name leads where root alone decides: nobody else may write to the directory of homes. On
 * storage that does not obey this root it has been made by whoever may. */
static const char *prepare_home(const struct launch *launch) {
    char parent[PATH_MAX];
    snprintf(parent, sizeof parent, "%s", launch->session_home);
    char *slash = strrchr(parent, '/');
    *slash = 0;
    const char *name = slash + 1;
    if (mkdir(parent, 0711) == 0) {
        if (chmod(parent, 0711) != 0) return "cannot open the directory of homes to its users";
    } else if (errno != EEXIST) {
        return "cannot make the directory of homes";
    }
    int directory = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct stat known;
    if (directory < 0 || fstat(directory, &known) != 0) return "cannot look at the directory of homes";
    if (known.st_uid != 0 || known.st_mode & 022) {
        errno = EPERM;
        return "the directory of homes is not root's alone";
    }
    if (mkdirat(directory, name, 0700) != 0 && errno != EEXIST) return "cannot make the user's home";
    if (fstatat(directory, name, &known, AT_SYMLINK_NOFOLLOW) != 0) return "cannot look at the user's home";
    if (known.st_uid == 0 && S_ISDIR(known.st_mode)) {
        int home = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (home < 0) return "cannot open the user's home";
        /* What was made a moment ago, here or by one who was cut off, is empty, or by now another made it theirs. */
        if (!is_empty(home) && (fstat(home, &known) != 0 || known.st_uid != launch->uid)) {
            errno = EPERM;
            return "the user's home is root's and holds something";
        }
        if (fchown(home, launch->uid, launch->gid) != 0 || fchmod(home, 0700) != 0) {
            return "cannot give the user the home";
        }
        close(home);
    } else if (known.st_uid != launch->uid || !S_ISDIR(known.st_mode)) {
        errno = EPERM;
        return "the user's home is somebody else's";
    }
    close(directory);
    return NULL;
}

static bool mount_memory(const char *at, const char *mode) {
    char options[64];
    struct stat exists;
    if (stat(at, &exists) != 0) return true;
    snprintf(options, sizeof options, "mode=%s,size=50%%,nr_inodes=1m", mode);
    return mount("spur", at, "tmpfs", MS_NOSUID | MS_NODEV, options) == 0;
}

/* The node's file with a line before it. */
static bool add_line(const char *file, const char *line) {
    static const char DRAFT[] = "/tmp/.spur-session";
    char bytes[16 * 1024];
    int from = open(file, O_RDONLY | O_CLOEXEC);
    int to = open(DRAFT, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    bool done = from >= 0 && to >= 0 && fchmod(to, 0644) == 0 && dprintf(to, "%s\n", line) > 0;
    for (ssize_t length; done && (length = read(from, bytes, sizeof bytes)) != 0;) {
        done = length > 0 && write(to, bytes, (size_t)length) == length;
    }
    if (from >= 0) close(from);
    if (to >= 0) close(to);
    done = done && mount(DRAFT, file, NULL, MS_BIND, NULL) == 0;
    unlink(DRAFT);
    return done;
}

static bool show_again(const char *path, int directory) {
    char source[64];
    snprintf(source, sizeof source, "/proc/self/fd/%d", directory);
    return make_parents(path) && mount(source, path, NULL, MS_BIND, NULL) == 0;
}

static const char *arrange(const struct launch *launch) {
    int home = -1, shown = -1;
    if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) != 0) return "cannot keep mounts apart";
    if (launch->session_home) {
        const char *wrong = prepare_home(launch);
        if (wrong) return wrong;
        if (is_covered(launch->session_home)) {
            home = open(launch->session_home, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            if (home < 0) return "cannot open the user's home";
        }
    }
    if (launch->session_shown && is_covered(launch->session_shown)) {
        shown = open(launch->session_shown, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC); /* without it the session is as good */
    }
    for (size_t i = 0; i < COVERED_COUNT; i++) {
        if (!mount_memory(COVERED[i], "1777")) return "cannot mount a directory for temporary files";
    }
    if (mount("spur", "/dev/mqueue", "mqueue", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0) errno = 0; /* few have it */
    if (launch->session_passwd && !add_line("/etc/passwd", launch->session_passwd)) return "cannot show /etc/passwd";
    if (launch->session_group && !add_line("/etc/group", launch->session_group)) return "cannot show /etc/group";
    if (home >= 0 && !show_again(launch->session_home, home)) return "cannot show the user's home";
    if (home >= 0) close(home);
    if (shown >= 0 && !show_again(launch->session_shown, shown)) return "cannot show where the node's commands are served";
    if (shown >= 0) close(shown);
    if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0) return "cannot mount /proc";
    return chdir("/") == 0 ? NULL : "cannot change to /";
}

/* ---- the process that holds it ---- */

static bool drop_rights(void) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[2] = {{0}};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_DUMPABLE, 0);
    return syscall(SYS_capset, &header, none) == 0;
}

static void tell(int to, char kind, const char *text) {
    char line[512];
    int length = snprintf(line, sizeof line, "%c%s\n", kind, text);
    if (length >= (int)sizeof line) line[sizeof line - 2] = '\n', length = sizeof line - 1;
    if (send(to, line, (size_t)length, MSG_NOSIGNAL) < 0) _exit(1);
}

/* It waits for the word that it is known: one that nobody knows of would stay for ever. */
static _Noreturn void hold(const struct launch *launch, int supervisor) {
    char text[256];
    prctl(PR_SET_NAME, "spur-session");
    keep_only_stdio_and(supervisor);
    umask(0);
    const char *wrong = arrange(launch);
    if (!wrong && !drop_rights()) wrong = "cannot drop all rights";
    if (wrong) {
        snprintf(text, sizeof text, "%s: %s", wrong, strerror(errno));
        tell(supervisor, 'f', text);
        _exit(1);
    }
    signal(SIGCHLD, SIG_IGN); /* orphans are nobody's zombies */
    tell(supervisor, 'k', "");
    char go;
    if (recv(supervisor, &go, 1, 0) != 1) _exit(1);
    close(supervisor);
    for (;;) pause();
}

/* Goes at once, so that the holder is no child of the supervisor, whose children are the step's. */
static _Noreturn void make_holder(const struct launch *launch, int supervisor) {
    char text[256];
    setsid();
    struct clone_args arguments = {.flags = CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC, .exit_signal = SIGCHLD};
    pid_t holder = (pid_t)syscall(SYS_clone3, &arguments, sizeof arguments);
    if (holder == 0) hold(launch, supervisor);
    if (holder < 0) {
        snprintf(text, sizeof text, "cannot make namespaces: %s", strerror(errno));
        tell(supervisor, 'f', text);
    } else {
        snprintf(text, sizeof text, "%d", (int)holder);
        tell(supervisor, 'p', text);
    }
    _exit(0);
}

static int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

/* Reads lines until the holder is ready and its number known, or it failed. */
static const char *await(int holder, pid_t *pid) {
    static char told[1024];
    size_t length = 0;
    bool ready = false;
    int64_t deadline = now_ms() + PATIENCE_MS;
    *pid = 0;
    for (;;) {
        struct pollfd source = {.fd = holder, .events = POLLIN};
        int64_t left = deadline - now_ms();
        int came = left <= 0 ? 0 : poll(&source, 1, (int)left);
        if (came < 0 && errno == EINTR) continue;
        if (came <= 0) {
            errno = ETIMEDOUT;
            return "the session's directories cannot be arranged";
        }
        ssize_t got = recv(holder, told + length, sizeof told - 1 - length, 0);
        if (got <= 0) {
            errno = ECHILD;
            return "the session's first process has ended";
        }
        length += (size_t)got;
        told[length] = 0;
        for (char *line = told, *end; (end = strchr(line, '\n')); line = end + 1) {
            *end = 0;
            if (*line == 'f') {
                errno = 0;
                return line + 1;
            }
            if (*line == 'p') *pid = (pid_t)atol(line + 1);
            if (*line == 'k') ready = true;
            *end = '\n';
        }
        if (ready && *pid > 1) return NULL;
    }
}

static const char *make(struct session *session, const struct launch *launch) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return "cannot make a socket for the session";
    pid_t maker = fork();
    if (maker == 0) {
        close(ends[0]);
        make_holder(launch, ends[1]);
    }
    close(ends[1]);
    pid_t holder = 0;
    const char *wrong = maker < 0 ? "cannot fork" : await(ends[0], &holder);
    if (!wrong && !note(launch->session, holder)) wrong = "the session cannot be noted";
    if (!wrong && !take(session, holder, started_at(holder))) wrong = "the session has ended at once";
    if (!wrong && send(ends[0], "g", 1, MSG_NOSIGNAL) != 1) wrong = "the session has ended at once";
    int because = errno;
    if (wrong && holder > 1) kill(holder, SIGKILL);
    close(ends[0]);
    errno = because;
    return wrong;
}

/* Steps of a job may begin at the same moment. */
const char *session_open(struct session *session, const struct launch *launch) {
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s.lock", launch->session) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return "the session has too long a name";
    }
    int lock = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (lock < 0 || flock(lock, LOCK_EX) != 0) return "the session cannot be locked";
    const char *wrong = find(session, launch->session) ? NULL : make(session, launch);
    int because = errno;
    close(lock);
    errno = because;
    return wrong;
}

/* ---- joining it ---- */

bool session_begin_fork(const struct session *session) {
    return session->pids < 0 || setns(session->pids, CLONE_NEWPID) == 0;
}

void session_end_fork(const struct session *session) {
    if (session->pids >= 0 && setns(session->own_pids, CLONE_NEWPID) != 0) abort(); /* own, so it cannot fail */
}

const char *session_enter(const struct session *session) {
    if (session->pids < 0) return NULL;
    if (setns(session->shared_memory, CLONE_NEWIPC) != 0) return "cannot join the session's shared memory";
    if (setns(session->mounts, CLONE_NEWNS) != 0) return "cannot join the session's mounts";
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return "cannot give up set-uid programs";
    return NULL;
}
