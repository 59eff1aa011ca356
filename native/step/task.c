#include "task.h"

#include "cgroup.h"
#include "login.h"
#include "user.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

/* What a child reports on its socket before exec; the socket's end without a report is success. */
enum report_kind {
    REPORT_STDERR = 'e', /* carries the task's stderr as a file descriptor */
    REPORT_FAILED = 'f', /* followed by text */
    REPORT_NODE = 'n',   /* followed by text: the node is to blame */
    REPORT_IO = 'i',     /* followed by text: a file could not be opened */
};

/* ---- the script ---- */

static bool write_file(int fd, const unsigned char *bytes, size_t length) {
    while (length) {
        ssize_t written = write(fd, bytes, length);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        bytes += written;
        length -= (size_t)written;
    }
    return true;
}

static bool write_script_at(const struct step *step, const char *path) {
    const struct launch *launch = &step->launch;
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0700);
    if (fd < 0) return false;
    bool written = write_file(fd, launch->script, launch->script_length) &&
                   (geteuid() != 0 || fchown(fd, launch->uid, launch->gid) == 0) && fchmod(fd, 0700) == 0;
    return close(fd) == 0 && written;
}

/* Can the user walk to the step's directory? Asked with the user's eyes for files, which the
 * single-threaded supervisor can borrow for a moment without becoming anybody's prey. */
static bool reachable_by_user(const struct launch *launch, const char *path) {
    if (geteuid() != 0 || launch->uid == 0) return true;
    gid_t own[NGROUPS_MAX];
    int count = getgroups(NGROUPS_MAX, own);
    if (count < 0 || setgroups(launch->group_count, launch->groups) != 0) return false;
    setfsgid(launch->gid);
    setfsuid(launch->uid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    setfsuid(geteuid());
    setfsgid(getegid());
    bool restored = setgroups((size_t)count, own) == 0;
    if (fd >= 0) close(fd);
    return fd >= 0 && restored;
}

static bool make_private_directory(struct step *step, const char *root) {
    char template[128];
    snprintf(template, sizeof template, "%s/tmp/spur-job%05llu.XXXXXX", root, (unsigned long long)step->launch.job);
    if (!mkdtemp(template)) return false;
    step->script_directory = must_copy(template, strlen(template));
    return chmod(template, 0711) == 0; /* root's: its user could put something else in its place */
}

static bool script_failed(struct step *step) {
    struct buffer text = {0};
    buffer_format(&text, "cannot write the job's script: %s", strerror(errno));
    step->error = must_copy(text.data, text.length);
    step->node_fault = true;
    buffer_free(&text);
    return false;
}

static void name_script(struct step *step, const char *directory) {
    struct buffer path = {0};
    buffer_format(&path, "%s/slurm_script", directory);
    free(step->script_path);
    step->script_path = must_copy(path.data, path.length);
    step->script_seen = step->script_path;
    buffer_free(&path);
}

/* The session has a /tmp of its own, and may have something else in the place of the step's directory. */
static bool write_script_in_session(struct step *step) {
    char root[64];
    snprintf(root, sizeof root, "/proc/self/fd/%d", step->session.root);
    if (!make_private_directory(step, root)) return false;
    name_script(step, step->script_directory);
    step->script_seen = step->script_path + strlen(root);
    return write_script_at(step, step->script_path);
}

bool script_write(struct step *step) {
    if (!step->launch.script) return true;
    if (step->session.root >= 0) return write_script_in_session(step) || script_failed(step);
    name_script(step, step->launch.directory);
    if (!write_script_at(step, step->script_path)) return script_failed(step);
    if (reachable_by_user(&step->launch, step->script_path)) return true;
    unlink(step->script_path);
    if (!make_private_directory(step, "")) return script_failed(step);
    name_script(step, step->script_directory);
    return write_script_at(step, step->script_path) || script_failed(step);
}

void script_remove(struct step *step) {
    if (step->script_path) unlink(step->script_path);
    if (step->script_directory) rmdir(step->script_directory);
}

/* ---- the child ---- */

static void report(int socket, enum report_kind kind, const char *text) {
    struct buffer message = {0};
    char letter = (char)kind;
    buffer_append(&message, &letter, 1);
    buffer_append(&message, text, strlen(text));
    if (send(socket, message.data, message.length, MSG_NOSIGNAL) < 0) _exit(1);
    buffer_free(&message);
}

static void say(const struct launch *launch, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(const struct launch *launch, const char *format, ...) {
    char text[PATH_MAX + 256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    dprintf(STDERR_FILENO, "slurmstepd-%s: error: %s\n", launch->node, text);
}

static _Noreturn void fail(int socket, enum report_kind kind, const char *doing, const char *what) {
    char text[PATH_MAX + 256];
    snprintf(text, sizeof text, "%s%s%s: %s", doing, what ? " " : "", what ? what : "", strerror(errno));
    report(socket, kind, text);
    _exit(1);
}

static void join_cgroups(int socket, const struct launch *launch) {
    const char *refusing = cgroups_join(&launch->cgroups);
    if (refusing) fail(socket, REPORT_NODE, "cannot join cgroup", refusing);
}

static void bind_to_cpus(const char *list) {
    if (!list || !*list) return;
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    for (const char *at = list; *at;) {
        char *end;
        long first = strtol(at, &end, 10);
        long last = *end == '-' ? strtol(end + 1, &end, 10) : first;
        for (long cpu = first; cpu <= last && cpu < CPU_SETSIZE; cpu++) CPU_SET(cpu, &cpus);
        at = *end == ',' ? end + 1 : end + strlen(end);
    }
    /* A cpu that has gone off line must not keep the job from running. */
    sched_setaffinity(0, sizeof cpus, &cpus);
}

/* As Slurm words it: how, where, which task, and the mask, highest processors first. */
static void report_binding(const struct launch *launch, const struct task_spec *spec) {
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    bool known = sched_getaffinity(0, sizeof cpus, &cpus) == 0;
    char digits[CPU_SETSIZE / 4 + 1];
    size_t length = 0;
    for (int group = CPU_SETSIZE / 4 - 1; group >= 0; group--) {
        int value = 0;
        for (int bit = 0; bit < 4; bit++) value |= (CPU_ISSET(4 * group + bit, &cpus) != 0) << bit;
        if (value || length || group == 0) digits[length++] = "0123456789abcdef"[value];
    }
    digits[length] = 0;
    dprintf(STDERR_FILENO, "%s - %s, task %2u %2u [%d]: mask 0x%s%s\n", spec->bind_report, launch->node, spec->rank,
            spec->local, (int)getpid(), digits, known ? " set" : " set FAILED");
}

static int limit_number(const char *name, size_t length) {
    static const struct {
        const char *name;
        int number;
    } LIMITS[] = {
        {"CPU", RLIMIT_CPU},       {"FSIZE", RLIMIT_FSIZE},   {"DATA", RLIMIT_DATA},   {"STACK", RLIMIT_STACK},
        {"CORE", RLIMIT_CORE},     {"RSS", RLIMIT_RSS},       {"NPROC", RLIMIT_NPROC}, {"NOFILE", RLIMIT_NOFILE},
        {"MEMLOCK", RLIMIT_MEMLOCK}, {"AS", RLIMIT_AS},
    };
    for (size_t i = 0; i < sizeof LIMITS / sizeof *LIMITS; i++) {
        if (strlen(LIMITS[i].name) == length && memcmp(name, LIMITS[i].name, length) == 0) return LIMITS[i].number;
    }
    return -1;
}

/* The submitting shell's soft limit moves within what the node allows; the node's own word moves that. One that
 * may not be raised stays as it is: without CAP_SYS_RESOURCE that is normal, and Slurm is silent about it, too. */
static void apply_limit(const char *assignment, bool of_the_node) {
    const char *equals = strchr(assignment, '=');
    int resource = equals ? limit_number(assignment, (size_t)(equals - assignment)) : -1;
    struct rlimit limit;
    if (resource < 0 || getrlimit((__rlimit_resource_t)resource, &limit) != 0) return;
    rlim_t ceiling = limit.rlim_max;
    bool unlimited = strcmp(equals + 1, "unlimited") == 0;
    rlim_t wanted = unlimited ? RLIM_INFINITY : (rlim_t)strtoull(equals + 1, NULL, 10);
    limit.rlim_cur = wanted;
    if (of_the_node) {
        limit.rlim_max = wanted;
        if (setrlimit((__rlimit_resource_t)resource, &limit) == 0) return;
    }
    limit.rlim_cur = wanted < ceiling ? wanted : ceiling;
    limit.rlim_max = ceiling;
    setrlimit((__rlimit_resource_t)resource, &limit);
}

static void apply_limits(const struct launch *launch) {
    for (size_t i = 0; i < launch->limits.count; i++) apply_limit(launch->limits.items[i], false);
    for (size_t i = 0; i < launch->node_limits.count; i++) apply_limit(launch->node_limits.items[i], true);
}

static void forget_oom_protection(void) {
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd < 0) return;
    if (write(fd, "0", 1) < 0) errno = 0;
    close(fd);
}

static int open_file(const struct stdio *stdio) {
    switch (stdio->kind) {
    case STDIO_READ: return open(stdio->path, O_RDONLY);
    case STDIO_TRUNCATE: return open(stdio->path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    case STDIO_APPEND: return open(stdio->path, O_WRONLY | O_CREAT | O_APPEND, 0666);
    case STDIO_SHARED: return open(stdio->path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0666);
    case STDIO_NULL:
    case STDIO_SOCKET:
    case STDIO_PTY:
    case STDIO_SAME: break;
    }
    return open("/dev/null", O_RDWR);
}

/* ready[] holds the ends of pipes and the terminal made by the supervisor, or -1. */
static void connect_stdio(int socket, const struct task_spec *spec, const int ready[3]) {
    static const char *const NAMES[] = {"Could not open stdin file", "Could not open stdout file",
                                        "Could not open stderr file"};
    int opened[3];
    for (int i = 0; i < 3; i++) {
        if (i == 2 && spec->stdio[2].kind == STDIO_SAME) {
            opened[2] = opened[1];
            continue;
        }
        opened[i] = ready[i] >= 0 ? ready[i] : open_file(&spec->stdio[i]);
        if (opened[i] < 0) fail(socket, REPORT_IO, NAMES[i], spec->stdio[i].path);
        /* Above 2, so that no dup2 below overwrites one that is still needed. */
        opened[i] = fcntl(opened[i], F_DUPFD_CLOEXEC, 10);
        if (opened[i] < 0) fail(socket, REPORT_IO, NAMES[i], spec->stdio[i].path);
    }
    for (int i = 0; i < 3; i++) {
        if (dup2(opened[i], i) < 0) fail(socket, REPORT_IO, NAMES[i], spec->stdio[i].path);
    }
}

/* The supervisor must not hold the task's end of a pipe or terminal: it would never see its end. */
static bool is_streamed(const struct task_spec *spec, int number) {
    enum stdio_kind kind = spec->stdio[number].kind;
    return kind == STDIO_SAME ? is_streamed(spec, 1) : kind == STDIO_SOCKET || kind == STDIO_PTY;
}

/* The supervisor writes its own messages to the very file the task writes to. */
static void hand_over_stderr(int socket) {
    char letter = REPORT_STDERR;
    struct iovec piece = {.iov_base = &letter, .iov_len = 1};
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = &control,
                             .msg_controllen = sizeof control.space};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    int fd = STDERR_FILENO;
    memcpy(CMSG_DATA(header), &fd, sizeof fd);
    if (sendmsg(socket, &message, MSG_NOSIGNAL) < 0) _exit(1);
}

static const char *lookup(char **environment, const char *name) {
    size_t length = strlen(name);
    for (; *environment; environment++) {
        if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=') return *environment + length + 1;
    }
    return NULL;
}

static char **find(char **environment, size_t count, const char *assignment) {
    size_t name = strcspn(assignment, "=") + 1;
    for (size_t i = 0; i < count; i++) {
        if (strncmp(environment[i], assignment, name) == 0) return &environment[i];
    }
    return NULL;
}

static void assign(char **environment, size_t *count, char *assignment) {
    char **known = find(environment, *count, assignment);
    if (!known) known = &environment[(*count)++];
    *known = assignment;
}

static void add_missing(char **environment, size_t *count, char *assignment) {
    if (!find(environment, *count, assignment)) environment[(*count)++] = assignment;
}

static size_t length_of(char **strings) {
    size_t count = 0;
    while (strings && strings[count]) count++;
    return count;
}

/* A login's variables, or else the account's; what the job brings wins over them, what the task has over both. */
static char **task_environment(const struct launch *launch, const struct task_spec *spec) {
    char **login = launch->login_shell ? login_environment(launch) : NULL;
    if (launch->login_shell && !login) {
        say(launch, "Unable to get user's local environment, running only with passed environment");
    }
    size_t most = length_of(login) + launch->account.count + launch->environment.count + spec->environment.count + 2;
    char **environment = must_alloc(most * sizeof *environment);
    size_t count = launch->environment.count;
    if (count) memcpy(environment, launch->environment.items, count * sizeof *environment);
    for (size_t i = 0; i < length_of(login); i++) add_missing(environment, &count, login[i]);
    for (size_t i = 0; i < launch->account.count; i++) add_missing(environment, &count, launch->account.items[i]);
    for (size_t i = 0; i < spec->environment.count; i++) assign(environment, &count, spec->environment.items[i]);
    char own[64];
    snprintf(own, sizeof own, "SLURM_TASK_PID=%d", (int)getpid());
    assign(environment, &count, must_copy(own, strlen(own)));
    return environment;
}

/* A command without a slash is looked for in the job's own PATH. */
static void execute_from_path(char **arguments, char **environment) {
    const char *path = lookup(environment, "PATH");
    if (!path) path = "/usr/local/bin:/usr/bin:/bin";
    int because = ENOENT;
    while (*path) {
        size_t length = strcspn(path, ":");
        char candidate[PATH_MAX];
        int size = snprintf(candidate, sizeof candidate, "%.*s/%s", (int)length, path, arguments[0]);
        if (length && size < (int)sizeof candidate) {
            execve(candidate, arguments, environment);
            if (errno != ENOENT && errno != ENOTDIR) because = errno;
        }
        path += length + (path[length] == ':');
    }
    errno = because;
}

/* A missing program and a script whose interpreter is missing look alike to the kernel. */
static bool missing_interpreter(const char *path, char *interpreter, size_t size) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? -1 : read(fd, interpreter, size - 1);
    if (fd >= 0) close(fd);
    if (length < 3 || interpreter[0] != '#' || interpreter[1] != '!') return false;
    interpreter[length] = 0;
    char *start = interpreter + 2 + strspn(interpreter + 2, " \t");
    start[strcspn(start, " \t\r\n")] = 0;
    memmove(interpreter, start, strlen(start) + 1);
    return *interpreter && access(interpreter, F_OK) != 0;
}

static _Noreturn void execute(const struct launch *launch, char **arguments, char **environment) {
    if (strchr(arguments[0], '/')) {
        execve(arguments[0], arguments, environment);
    } else {
        execute_from_path(arguments, environment);
    }
    int because = errno;
    char interpreter[PATH_MAX];
    if (because == ENOENT && missing_interpreter(arguments[0], interpreter, sizeof interpreter)) {
        say(launch, "execve(): bad interpreter(%s): %s", interpreter, strerror(because));
    } else {
        say(launch, "execve(): %s: %s", arguments[0], strerror(because));
    }
    _exit(because);
}

static char **task_arguments(const struct step *step, const struct task_spec *spec) {
    if (spec->arguments.count) return spec->arguments.items;
    if (!step->script_path) return step->launch.arguments.items;
    size_t count = step->launch.arguments.count;
    char **arguments = must_alloc((count + 2) * sizeof *arguments);
    arguments[0] = must_copy(step->script_seen, strlen(step->script_seen));
    if (count) memcpy(arguments + 1, step->launch.arguments.items, count * sizeof *arguments);
    return arguments;
}

static _Noreturn void run_child(const struct step *step, const struct task *task, int socket, const int ready[3],
                                pid_t supervisor, bool inside) {
    const struct launch *launch = &step->launch;
    const struct task_spec *spec = task->spec;
    setsid();
    reset_signals();
    if (!inside) join_cgroups(socket, launch);
    const char *kept_out = session_enter(&step->session);
    if (kept_out) fail(socket, REPORT_NODE, kept_out, NULL);
    if (launch->nice) setpriority(PRIO_PROCESS, 0, launch->nice);
    bind_to_cpus(spec->cpus ? spec->cpus : launch->cpus);
    forget_oom_protection();
    apply_limits(launch);
    const char *refused = become_user(launch);
    if (refused) fail(socket, REPORT_FAILED, refused, NULL);
    /* A supervisor that is killed takes its tasks along: an unwatched task could run twice. */
    if (step->session.pids < 0) {
        die_with(supervisor);
    } else {
        die_with_holder_of(socket);
    }
    umask(launch->umask);

    int no_directory = chdir(launch->cwd) == 0 ? 0 : errno;
    if (no_directory && chdir("/tmp") != 0) fail(socket, REPORT_FAILED, "cannot change to", "/tmp");
    connect_stdio(socket, spec, ready);
    if (spec->stdio[0].kind == STDIO_PTY) ioctl(STDIN_FILENO, TIOCSCTTY, 0);
    if (!is_streamed(spec, 2)) hand_over_stderr(socket);
    keep_only_stdio_and(socket);
    if (no_directory) {
        say(launch, "couldn't chdir to `%s': %s: going to /tmp instead", launch->cwd, strerror(no_directory));
    }
    if (spec->bind_report) report_binding(launch, spec);
    execute(launch, task_arguments(step, spec), task_environment(launch, spec));
}

/* ---- the supervisor's side ---- */

static void nonblocking(int fd) { fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK); }

static struct stream *stream_of(struct step *step, uint32_t rank, int number) {
    for (size_t i = 0; i < step->stream_count; i++) {
        if (step->streams[i].rank == rank && step->streams[i].number == number) return &step->streams[i];
    }
    return NULL;
}

/* Makes the pipe or terminal for one of the task's three. Its end for the task: -1 if the task opens a file itself. */
static bool prepare(struct step *step, struct task *task, int number, int terminal, int *end) {
    enum stdio_kind kind = task->spec->stdio[number].kind;
    *end = kind == STDIO_PTY ? terminal : -1;
    if (kind != STDIO_SOCKET) return kind != STDIO_PTY || terminal >= 0;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    int ours = number == 0 ? 1 : 0;
    nonblocking(ends[ours]);
    if (number == 0) {
        task->input.fd = ends[ours];
    } else {
        struct stream *stream = stream_of(step, task->spec->rank, number);
        if (stream) stream->fd = ends[ours];
    }
    *end = ends[1 - ours];
    return true;
}

static int open_terminal(struct step *step, struct task *task) {
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) return -1;
    int slave = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (slave < 0) return -1;
    if (geteuid() == 0 && fchown(slave, step->launch.uid, (gid_t)-1) != 0) errno = 0;
    struct winsize size = {.ws_row = step->launch.rows, .ws_col = step->launch.columns};
    if (size.ws_row) ioctl(slave, TIOCSWINSZ, &size);
    nonblocking(master);
    step->terminal = master;
    task->input.terminal = true;
    task->input.fd = fcntl(master, F_DUPFD_CLOEXEC, 3);
    struct stream *stream = stream_of(step, task->spec->rank, 1);
    if (stream) stream->fd = fcntl(master, F_DUPFD_CLOEXEC, 3);
    return slave;
}

/* Descriptors we lack for the number of our tasks; whatever else is lacking other steps will miss, too. */
static void ended_before_start(struct step *step, struct task *task, const char *why) {
    struct buffer text = {0};
    buffer_format(&text, "%s: %s", why, strerror(errno));
    task->state = TASK_ENDED;
    task->exit_code = 1;
    step->node_fault |= errno != EMFILE;
    if (!step->error) step->error = must_copy(text.data, text.length);
    buffer_free(&text);
}

/* What is the task's alone: we would never see the end of a pipe that we hold ourselves. */
static void close_ends(const int *ends, int count, int terminal) {
    for (int i = 0; i < count; i++) {
        if (ends[i] >= 0 && ends[i] != terminal) close(ends[i]);
    }
    if (terminal >= 0) close(terminal);
}

void task_start(struct step *step, struct task *task) {
    int socket[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, socket) != 0) {
        ended_before_start(step, task, "cannot make a socket for the task");
        return;
    }
    int terminal = task->spec->stdio[1].kind == STDIO_PTY ? open_terminal(step, task) : -1;
    int ready[3];
    for (int i = 0; i < 3; i++) {
        if (prepare(step, task, i, terminal, &ready[i])) continue;
        ended_before_start(step, task, "cannot make a stream for the task");
        close(socket[0]);
        close(socket[1]);
        close_ends(ready, i, terminal);
        return;
    }

    /* The child inherits our ignored signals until it resets them: one that comes before must wait, not be lost. */
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    pid_t supervisor = getpid();
    bool inside;
    pid_t child = session_begin_fork(&step->session) ? cgroups_fork(&step->launch.cgroups, &inside) : -1;
    if (child != 0) session_end_fork(&step->session);
    if (child == 0) {
        close(socket[0]);
        run_child(step, task, socket[1], ready, supervisor, inside);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);

    if (child < 0) ended_before_start(step, task, "cannot fork the task");
    close(socket[1]);
    close_ends(ready, 3, terminal);
    if (child < 0) {
        close(socket[0]);
        return;
    }
    nonblocking(socket[0]);
    task->pid = child;
    task->starting = socket[0];
}

static void note_error(struct step *step, const char *text, size_t length) {
    if (step->error) return;
    step->error = must_copy(text, length);
    for (char *at = step->error; *at; at++) {
        if (iscntrl((unsigned char)*at)) *at = ' ';
    }
}

static void accept_stderr(struct task *task, struct msghdr *message) {
    struct cmsghdr *header = CMSG_FIRSTHDR(message);
    if (!header || header->cmsg_type != SCM_RIGHTS || header->cmsg_len != CMSG_LEN(sizeof(int))) return;
    if (task->stderr_fd >= 0) close(task->stderr_fd);
    memcpy(&task->stderr_fd, CMSG_DATA(header), sizeof(int));
}

bool task_started(struct step *step, struct task *task) {
    char text[PATH_MAX + 512];
    struct iovec piece = {.iov_base = text, .iov_len = sizeof text};
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control;
    for (;;) {
        struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = &control,
                                 .msg_controllen = sizeof control.space};
        ssize_t length = recvmsg(task->starting, &message, MSG_CMSG_CLOEXEC);
        if (length < 0 && errno == EINTR) continue;
        if (length < 0 && errno == EAGAIN) return false;
        if (length <= 0) break;
        if (text[0] == REPORT_STDERR) accept_stderr(task, &message);
        if (text[0] != REPORT_STDERR) note_error(step, text + 1, (size_t)length - 1);
        if (text[0] == REPORT_NODE) step->node_fault = true;
        if (text[0] == REPORT_IO) task->signal = IO_ERROR_SIGNAL;
    }
    close(task->starting);
    task->starting = -1;
    if (task->state == TASK_STARTING) task->state = TASK_RUNNING;
    return true;
}
