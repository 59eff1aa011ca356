/*
 * A command run through the door. One poll loop serves the door, the standard streams, opened files,
 * children and signals. Nothing here waits for one of them while another has something to say, except
 * where no other can: then output goes from the socket to its destination without a stop.
 */
#define _GNU_SOURCE
#include "protocol.h"
#include "spur.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define STREAMS 256
#define CHILDREN 4
#define DOOR_STALLED_MS 30000
#define SPAWN_LIMIT (8u << 20)

/* A descriptor of ours that the door reads from or writes to. */
struct stream {
    bool used;
    bool writes;     /* from the door to the descriptor */
    bool direct;     /* a regular file: never makes us wait */
    bool closing;    /* close when the queue is empty, and say how it went */
    bool at_end;     /* reading: end of file was sent */
    uint32_t id;
    int fd;
    int error;       /* errno of the first failed write */
    uint32_t credit; /* reading: bytes we may still send */
    uint32_t taken;  /* writing: bytes done but not yet confirmed */
    uint8_t *queue;
    size_t start, end;
};

struct child {
    bool used;
    bool foreground;
    uint32_t id;
    pid_t pid;
};

/* A byte string that grows. */
struct bytes {
    uint8_t *data;
    size_t length, capacity;
};

extern char **environ;

static int door;
static struct stream streams[STREAMS];
static struct child children[CHILDREN];
static struct bytes spawn_arguments, spawn_environment;
static uint64_t caught;
static sigset_t original_mask;
static int signals = -1;
static bool raw;
static struct termios cooked;
static uint8_t inbox[2 * (DOOR_HEADER + DOOR_PAYLOAD)];
static size_t inbox_start, inbox_end;

static const int deadly[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

/* ---- numbers and bytes ---- */

static uint8_t *put16(uint8_t *at, unsigned value) {
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
    return at + 2;
}

static uint8_t *put32(uint8_t *at, uint32_t value) {
    return put16(put16(at, value >> 16), value & 0xffff);
}

static uint8_t *put64(uint8_t *at, uint64_t value) {
    return put32(put32(at, (uint32_t)(value >> 32)), (uint32_t)value);
}

static uint32_t get32(const uint8_t *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static uint64_t get64(const uint8_t *at) {
    return (uint64_t)get32(at) << 32 | get32(at + 4);
}

static void append(struct bytes *to, const void *data, size_t length) {
    if (to->length + length > to->capacity) {
        size_t capacity = to->capacity < 4096 ? 4096 : to->capacity;
        while (capacity < to->length + length) {
            capacity *= 2;
        }
        uint8_t *larger = realloc(to->data, capacity);
        if (larger == NULL) {
            fail("out of memory");
        }
        to->data = larger;
        to->capacity = capacity;
    }
    if (length > 0) {
        memcpy(to->data + to->length, data, length);
        to->length += length;
    }
}

static void append_frame(struct bytes *to, int type, uint32_t stream, const void *payload, size_t length) {
    uint8_t header[DOOR_HEADER];
    put32(header, (uint32_t)length);
    header[4] = (uint8_t)type;
    put32(header + 5, stream);
    append(to, header, sizeof header);
    append(to, payload, length);
}

/* ---- towards the door ---- */

__attribute__((noreturn)) static void door_misbehaves(const char *how) {
    fail("the local Spur service answered with something this program does not understand (%s).\n"
         "      Are 'spur' and the service of the same release? Restart the service after an update.",
         how);
}

/* Children keep the terminal until they end: a shell of salloc must not lose it to our own end. */
__attribute__((noreturn)) static void door_is_gone(void) {
    bool waiting = false;
    for (int i = 0; i < CHILDREN; i++) {
        waiting |= children[i].used;
    }
    static const char text[] = "spur: the local Spur service ended in the middle of this command. Jobs are not affected;\n"
                               "      see with squeue what was done before you repeat it.\n";
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) {
        /* nobody to tell */
    }
    for (int i = 0; waiting && i < CHILDREN; i++) {
        if (children[i].used) {
            waitpid(children[i].pid, NULL, 0);
        }
    }
    restore_terminal();
    _exit(1);
}

/* False when the door no longer listens: it may have left a word in our inbox. */
static bool send_all(const uint8_t *data, size_t length) {
    while (length > 0) {
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

static void send_frame(int type, uint32_t stream, const void *payload, size_t length) {
    struct bytes frame = {0};
    append_frame(&frame, type, stream, payload, length);
    send_all(frame.data, frame.length); /* a closed door shows when we read */
    free(frame.data);
}

static void send_result(int type, uint32_t stream, int error) {
    uint8_t payload[256];
    const char *text = error == 0 ? "" : strerror(error);
    size_t length = strlen(text);
    put32(payload, (uint32_t)error);
    memcpy(payload + 4, text, length);
    send_frame(type, stream, payload, 4 + length);
}

/* ---- the greeting ---- */

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

static void greet(const char *program, char **arguments) {
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
    memset(at, 0, 16); /* the cookie of a command to resume: none */
    at += 16;
    at = put16(at, (unsigned)program_length);
    memcpy(at, program, program_length);
    at = put16(at + program_length, (unsigned)directory_length);
    memcpy(at, directory, directory_length);
    at += directory_length;

    struct bytes greeting = {0};
    append_frame(&greeting, HELLO, 0, hello, (size_t)(at - hello));
    append_strings(&greeting, ARGUMENTS, arguments);
    append_strings(&greeting, ENVIRONMENT, environ);
    append_frame(&greeting, RUN, 0, NULL, 0);
    send_all(greeting.data, greeting.length);
    free(greeting.data);
}

/* ---- signals and the terminal ---- */

void restore_terminal(void) {
    if (raw) {
        sigset_t stop, before;
        sigemptyset(&stop);
        sigaddset(&stop, SIGTTOU);
        sigprocmask(SIG_BLOCK, &stop, &before);
        tcsetattr(STDIN_FILENO, TCSADRAIN, &cooked);
        sigprocmask(SIG_SETMASK, &before, NULL);
        raw = false;
    }
}

/*
 * Blocks what we want to read from the signal descriptor: what the command listens to, the ends of
 * children, and, while the terminal is raw, what would end us before we could restore it.
 */
static void update_signals(void) {
    sigset_t wanted, mask = original_mask;
    sigemptyset(&wanted);
    for (int number = 1; number < 32; number++) {
        if (caught >> number & 1) {
            sigaddset(&wanted, number);
        }
    }
    for (int i = 0; i < CHILDREN; i++) {
        if (children[i].used) {
            sigaddset(&wanted, SIGCHLD);
        }
    }
    for (size_t i = 0; raw && i < sizeof deadly / sizeof *deadly; i++) {
        sigaddset(&wanted, deadly[i]);
    }
    for (int number = 1; number < 32; number++) {
        if (sigismember(&wanted, number)) {
            sigaddset(&mask, number);
        }
    }
    if (signals >= 0 || !sigisemptyset(&wanted)) {
        sigprocmask(SIG_BLOCK, &wanted, NULL);
        signals = signalfd(signals, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
        if (signals < 0) {
            fail("cannot listen to signals: %s", strerror(errno));
        }
    }
    sigprocmask(SIG_SETMASK, &mask, NULL);
}

static void set_raw(bool on) {
    if (on && !raw && tcgetattr(STDIN_FILENO, &cooked) == 0) {
        struct termios bare = cooked;
        cfmakeraw(&bare);
        raw = tcsetattr(STDIN_FILENO, TCSADRAIN, &bare) == 0;
    } else if (!on) {
        restore_terminal();
    }
    update_signals();
}

__attribute__((noreturn)) static void die_by(int number) {
    restore_terminal();
    signal(number, SIG_DFL);
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, number);
    sigprocmask(SIG_UNBLOCK, &only, NULL);
    raise(number);
    _exit(128 + number);
}

static void reap(void);

static void read_signals(void) {
    struct signalfd_siginfo what;
    while (signals >= 0 && read(signals, &what, sizeof what) == sizeof what) {
        int number = (int)what.ssi_signo;
        if (number == SIGCHLD) {
            reap();
        } else if (caught >> number & 1) {
            uint8_t payload[5];
            unsigned short columns, rows;
            terminal_state(&columns, &rows);
            payload[0] = (uint8_t)number;
            put16(put16(payload + 1, columns), rows);
            send_frame(SIGNAL, 0, payload, sizeof payload);
        } else {
            die_by(number);
        }
    }
}

/* ---- children ---- */

static void take_terminal(pid_t group) {
    sigset_t stop, before;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTTOU);
    sigprocmask(SIG_BLOCK, &stop, &before);
    tcsetpgrp(STDIN_FILENO, group);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

static void reap(void) {
    bool changed = false;
    for (int i = 0; i < CHILDREN; i++) {
        struct child *child = &children[i];
        int status;
        if (!child->used || waitpid(child->pid, &status, WNOHANG) != child->pid) {
            continue;
        }
        if (child->foreground) {
            take_terminal(getpgrp());
        }
        int by = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        uint8_t payload[2] = {(uint8_t)(by != 0 ? 128 + by : WEXITSTATUS(status)), (uint8_t)by};
        child->used = false;
        changed = true;
        send_frame(CHILD_ENDED, child->id, payload, sizeof payload);
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

static void spawn(uint32_t id) {
    struct child *child = NULL;
    for (int i = 0; i < CHILDREN && child == NULL; i++) {
        child = children[i].used ? NULL : &children[i];
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

static void signal_child(uint32_t id, int number) {
    for (int i = 0; i < CHILDREN; i++) {
        if (children[i].used && children[i].id == id) {
            kill(children[i].foreground ? -children[i].pid : children[i].pid, number);
        }
    }
}

/* ---- streams ---- */

static struct stream *find_stream(uint32_t id) {
    for (int i = 0; i < STREAMS; i++) {
        if (streams[i].used && streams[i].id == id) {
            return &streams[i];
        }
    }
    return NULL;
}

static struct stream *free_stream(void) {
    for (int i = 0; i < STREAMS; i++) {
        if (!streams[i].used) {
            return &streams[i];
        }
    }
    return NULL;
}

static void start_stream(struct stream *stream, uint32_t id, int fd, bool writes, uint32_t credit) {
    struct stat status;
    bool direct = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
    *stream = (struct stream){.used = true, .writes = writes, .direct = direct, .id = id, .fd = fd, .credit = credit};
}

/* Nothing else to serve: output may simply be written, however long its reader takes. */
static bool only_output(void) {
    if (signals >= 0 || raw) {
        return false;
    }
    for (int i = 0; i < STREAMS; i++) {
        if (streams[i].used && ((!streams[i].writes && streams[i].credit > 0) || streams[i].end > streams[i].start)) {
            return false;
        }
    }
    return true;
}

static void confirm(struct stream *stream, size_t length) {
    stream->taken += (uint32_t)length;
    if (stream->taken >= DOOR_WINDOW / 4) {
        uint8_t payload[4];
        put32(payload, stream->taken);
        stream->taken = 0;
        send_frame(CREDIT, stream->id, payload, sizeof payload);
    }
}

/*
 * Standard output that nobody takes ends us: by SIGPIPE as usual, or quietly where that is ignored.
 * A failed file or full disk is remembered, told once at the end and its data dropped.
 */
static void write_failed(struct stream *stream, int error) {
    if (stream->id == STDOUT_FILENO) {
        restore_terminal();
        if (error == EPIPE) {
            _exit(1);
        }
        fail("cannot write to standard output: %s", strerror(error));
    }
    if (stream->error == 0) {
        stream->error = error;
    }
}

static void write_now(struct stream *stream, const uint8_t *data, size_t length) {
    size_t all = length;
    while (length > 0 && stream->error == 0) {
        ssize_t written = write(stream->fd, data, length);
        if (written >= 0) {
            data += written;
            length -= (size_t)written;
        } else if (errno == EAGAIN) {
            struct pollfd writable = {.fd = stream->fd, .events = POLLOUT};
            poll(&writable, 1, -1);
        } else if (errno != EINTR) {
            write_failed(stream, errno);
        }
    }
    confirm(stream, all);
}

static void take_data(uint32_t id, const uint8_t *data, size_t length) {
    struct stream *stream = find_stream(id);
    if (stream == NULL || !stream->writes || stream->closing) {
        door_misbehaves("data for a stream that is not open");
    }
    if (stream->direct || stream->error != 0 || only_output()) {
        write_now(stream, data, length);
        return;
    }
    if (stream->queue == NULL && (stream->queue = malloc(DOOR_WINDOW)) == NULL) {
        fail("out of memory");
    }
    if (stream->end + length > DOOR_WINDOW) {
        memmove(stream->queue, stream->queue + stream->start, stream->end - stream->start);
        stream->end -= stream->start;
        stream->start = 0;
    }
    if (stream->end + length > DOOR_WINDOW) {
        door_misbehaves("more data than agreed");
    }
    memcpy(stream->queue + stream->end, data, length);
    stream->end += length;
}

/* At most PIPE_BUF at once: so much a pipe takes without making us wait when poll calls it writable. */
static void write_queued(struct stream *stream) {
    size_t length = stream->end - stream->start;
    ssize_t written = write(stream->fd, stream->queue + stream->start, length < PIPE_BUF ? length : PIPE_BUF);
    if (written >= 0) {
        stream->start += (size_t)written;
        confirm(stream, (size_t)written);
    } else if (errno != EAGAIN && errno != EINTR) {
        write_failed(stream, errno);
        stream->start = stream->end;
        confirm(stream, length);
    }
    if (stream->start == stream->end) {
        stream->start = stream->end = 0;
    }
}

static void read_more(struct stream *stream) {
    static uint8_t data[DOOR_PAYLOAD];
    size_t most = stream->credit < sizeof data ? stream->credit : sizeof data;
    ssize_t length = read(stream->fd, data, most);
    if (length < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (length <= 0) { /* an error ends the stream like its end: a terminal that hung up says EIO */
        length = 0;
        stream->credit = 0;
        stream->at_end = true;
    }
    stream->credit -= (uint32_t)length;
    send_frame(DATA, stream->id, data, (size_t)length);
}

static void add_credit(uint32_t id, uint32_t credit) {
    struct stream *stream = find_stream(id);
    if (stream != NULL && !stream->writes && !stream->at_end && credit <= UINT32_MAX - stream->credit) {
        stream->credit += credit;
    }
}

static void open_file(uint32_t id, const uint8_t *payload, size_t length) {
    char path[PATH_MAX];
    if (length < 5 || payload[0] > OPEN_STATUS || find_stream(id) != NULL) {
        door_misbehaves("malformed open");
    }
    enum open_mode mode = (enum open_mode)payload[0];
    uint32_t credit = get32(payload + 1);
    size_t path_length = length - 5;
    struct stat status = {0};
    struct stream *stream = free_stream();
    int fd = -1, error = 0;
    if (stream == NULL) {
        error = EMFILE;
    } else if (path_length >= sizeof path || memchr(payload + 5, '\0', path_length) != NULL) {
        error = path_length >= sizeof path ? ENAMETOOLONG : EINVAL;
    } else {
        memcpy(path, payload + 5, path_length);
        path[path_length] = '\0';
        int how = mode == OPEN_READ ? O_RDONLY : O_WRONLY | O_CREAT | (mode == OPEN_APPEND ? O_APPEND : O_TRUNC);
        if (mode == OPEN_STATUS) {
            error = stat(path, &status) < 0 ? errno : 0;
        } else if ((fd = open(path, how | O_CLOEXEC | O_NOCTTY, 0666)) < 0 || fstat(fd, &status) < 0) {
            error = errno;
        } else if (mode == OPEN_READ && S_ISDIR(status.st_mode)) {
            error = EISDIR;
        }
    }
    if (error != 0 && fd >= 0) {
        close(fd);
        fd = -1;
    }
    uint8_t answer[512];
    const char *text = error == 0 ? "" : strerror(error);
    uint8_t *at = put32(answer, (uint32_t)error);
    at = put32(at, status.st_mode);
    at = put32(at, status.st_uid);
    at = put32(at, status.st_gid);
    at = put64(at, (uint64_t)status.st_size);
    at = put64(at, (uint64_t)status.st_mtime);
    size_t text_length = strlen(text);
    memcpy(at, text, text_length);
    send_frame(OPENED, id, answer, (size_t)(at - answer) + text_length);
    if (fd >= 0) {
        start_stream(stream, id, fd, mode != OPEN_READ, credit);
    }
}

/* Closing is where some file systems tell that a write failed. */
static void finish_closing(struct stream *stream) {
    if (close(stream->fd) < 0 && stream->error == 0 && stream->writes) {
        stream->error = errno;
    }
    free(stream->queue);
    stream->queue = NULL;
    stream->used = false;
    send_result(CLOSED, stream->id, stream->error);
}

static void close_stream(uint32_t id) {
    struct stream *stream = find_stream(id);
    if (stream == NULL || id <= STDERR_FILENO) {
        return;
    }
    stream->closing = true;
    if (stream->start == stream->end) {
        finish_closing(stream);
    }
}

/* ---- the loop ---- */

/* Writes out what is queued and ends with the command's exit code. */
__attribute__((noreturn)) static void finish(int code) {
    restore_terminal();
    sigprocmask(SIG_SETMASK, &original_mask, NULL); /* from here on Ctrl-C ends us while a slow reader keeps us */
    for (int i = 0; i < STREAMS; i++) {
        struct stream *stream = &streams[i];
        if (stream->used && stream->writes && stream->end > stream->start) {
            write_now(stream, stream->queue + stream->start, stream->end - stream->start);
        }
    }
    _exit(code);
}

__attribute__((noreturn)) static void refused(const uint8_t *payload, size_t length) {
    restore_terminal();
    if (write(STDERR_FILENO, payload + 1, length - 1) < 0) {
        /* nobody to tell */
    }
    _exit(payload[0]);
}

static void collect(struct bytes *to, const uint8_t *payload, size_t length) {
    if (to->length + length > SPAWN_LIMIT) {
        door_misbehaves("an endless command line");
    }
    append(to, payload, length);
}

static void handle(int type, uint32_t stream, const uint8_t *payload, size_t length) {
    static const struct {
        uint8_t type, least;
    } sizes[] = {{CREDIT, 4}, {REFUSED, 1}, {EXIT, 1}, {CATCH, 8}, {KILL, 1}, {RAW, 1}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (type == sizes[i].type && length < sizes[i].least) {
            door_misbehaves("a short frame");
        }
    }
    switch (type) {
    case DATA:
        take_data(stream, payload, length);
        break;
    case CREDIT:
        add_credit(stream, get32(payload));
        break;
    case REFUSED:
        refused(payload, length);
    case EXIT:
        finish(payload[0]);
    case CATCH:
        caught = get64(payload) & ~(UINT64_C(1) << SIGCHLD);
        update_signals();
        break;
    case OPEN:
        open_file(stream, payload, length);
        break;
    case CLOSE:
        close_stream(stream);
        break;
    case ARGUMENTS:
        collect(&spawn_arguments, payload, length);
        break;
    case ENVIRONMENT:
        collect(&spawn_environment, payload, length);
        break;
    case SPAWN:
        spawn(stream);
        break;
    case KILL:
        signal_child(stream, payload[0]);
        break;
    case RAW:
        set_raw(payload[0] != 0);
        break;
    default:
        door_misbehaves("an unknown frame");
    }
}

static void read_door(void) {
    if (inbox_start > 0) {
        memmove(inbox, inbox + inbox_start, inbox_end - inbox_start);
        inbox_end -= inbox_start;
        inbox_start = 0;
    }
    ssize_t length = recv(door, inbox + inbox_end, sizeof inbox - inbox_end, 0);
    if (length < 0 && errno == EINTR) {
        return;
    }
    if (length <= 0) {
        door_is_gone();
    }
    inbox_end += (size_t)length;
    while (inbox_end - inbox_start >= DOOR_HEADER) {
        const uint8_t *frame = inbox + inbox_start;
        uint32_t payload = get32(frame);
        if (payload > DOOR_PAYLOAD) {
            door_misbehaves("an oversized frame");
        }
        if (inbox_end - inbox_start < DOOR_HEADER + payload) {
            break;
        }
        inbox_start += DOOR_HEADER + payload;
        handle(frame[4], get32(frame + 5), frame + DOOR_HEADER, payload);
    }
}

void run_through_door(int connected, const char *program, char **arguments) {
    door = connected;
    sigprocmask(SIG_SETMASK, NULL, &original_mask);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        start_stream(&streams[fd], (uint32_t)fd, fd, fd != STDIN_FILENO, 0);
    }
    greet(program, arguments);
    for (;;) {
        struct pollfd polled[STREAMS + 2];
        struct stream *of[STREAMS + 2];
        nfds_t count = 0;
        polled[count++] = (struct pollfd){.fd = door, .events = POLLIN};
        polled[count++] = (struct pollfd){.fd = signals, .events = POLLIN};
        for (int i = 0; i < STREAMS; i++) {
            struct stream *stream = &streams[i];
            if (!stream->used) {
                continue;
            }
            bool reads = !stream->writes && stream->credit > 0;
            bool writes = stream->end > stream->start;
            if (reads || writes) {
                of[count] = stream;
                polled[count++] = (struct pollfd){.fd = stream->fd, .events = reads ? POLLIN : POLLOUT};
            }
        }
        if (count > 2 || signals >= 0) {
            if (poll(polled, count, -1) < 0) {
                continue;
            }
        } else {
            polled[0].revents = POLLIN; /* the door alone: the read itself may wait */
            polled[1].revents = 0;
        }
        if (polled[1].revents != 0) {
            read_signals();
        }
        for (nfds_t i = 2; i < count; i++) {
            if (polled[i].revents == 0) {
                continue;
            }
            if (of[i]->writes) {
                write_queued(of[i]);
                if (of[i]->closing && of[i]->start == of[i]->end) {
                    finish_closing(of[i]);
                }
            } else {
                read_more(of[i]);
            }
        }
        if (polled[0].revents != 0) {
            read_door();
        }
    }
}
