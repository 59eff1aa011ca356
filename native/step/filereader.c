/* Follows one file by its name, as tail -F does, but forgets nothing on the way: a file that was renamed is read to
 * its end before the one that has its name now, and a file that was emptied begins anew. Each is a version with a
 * number of its own.
 *
 *          another file has the name
 *   open ──────────────────────────────▶ left: over once it has been quiet for a while
 *     │ became shorter
 *     └────────────────────────────────▶ emptied: over at once */
#include "filereader.h"

#include "launch.h"
#include "user.h"
#include "wire.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    MOST_VERSIONS = 4,
    PIECE_LIMIT = 256 * 1024,
    FRAME_LIMIT = 64,
    STUCK_S = 20,       /* a file system that takes longer is given up, and this process with it */
    LOOK_MS = 1000,     /* the kernel tells of writes on this node, not of all else */
    LOOK_BLIND_MS = 250,
    PACE_MS = 50,       /* a task that writes byte by byte is told of this often */
    QUIET_MS = 1000,
    GROUP_LIMIT = 65536,
};

struct version {
    uint32_t number;
    int fd;
    uint64_t identity;
    uint64_t size;
    int64_t grown_at;
    bool emptied;
};

struct file {
    int connection;
    int notices; /* inotify; -1 without */
    const char *path;
    struct version versions[MOST_VERSIONS]; /* the newest last */
    size_t count;
    uint32_t last_number;
    int64_t replaced_at;
    int error; /* why the name leads to nothing that can be read; 0 if it does */
    bool news;
    int64_t told_at;
    struct buffer in;
};

static int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

static struct version *newest(struct file *file) { return file->count ? &file->versions[file->count - 1] : NULL; }

/* ---- the file ---- */

static uint64_t mix(uint64_t hash, uint64_t value) {
    for (int i = 0; i < 8; i++) hash = (hash ^ (value >> 8 * i & 0xff)) * UINT64_C(1099511628211);
    return hash;
}

/* Numbers of removed files are given to new ones: when it was born tells them apart. */
static uint64_t identity_of(const struct statx *facts) {
    uint64_t hash = mix(UINT64_C(14695981039346656037), facts->stx_ino);
    hash = mix(hash, (uint64_t)facts->stx_dev_major << 32 | facts->stx_dev_minor);
    if (facts->stx_mask & STATX_BTIME) {
        hash = mix(hash, (uint64_t)facts->stx_btime.tv_sec);
        hash = mix(hash, facts->stx_btime.tv_nsec);
    }
    return hash;
}

static bool facts_of(int fd, const char *path, struct statx *facts) {
    return statx(fd, path, fd >= 0 ? AT_EMPTY_PATH : 0, STATX_BASIC_STATS | STATX_BTIME, facts) == 0;
}

static void forget_oldest(struct file *file) {
    close(file->versions[0].fd);
    file->count--;
    memmove(file->versions, file->versions + 1, file->count * sizeof *file->versions);
}

static void add_version(struct file *file, int fd, uint64_t identity, uint64_t size) {
    if (file->count == MOST_VERSIONS) forget_oldest(file);
    file->versions[file->count++] = (struct version){
        .number = ++file->last_number, .fd = fd, .identity = identity, .size = size, .grown_at = now_ms()};
    file->replaced_at = now_ms();
    file->news = true;
}

/* Shorter than it was: it has been emptied, and what was there before is gone. */
static void look_at(struct file *file, size_t index) {
    struct version *version = &file->versions[index];
    struct statx facts;
    if (version->emptied || !facts_of(version->fd, "", &facts)) return;
    if (facts.stx_size == version->size) return;
    file->news = true;
    if (facts.stx_size > version->size) {
        version->size = facts.stx_size;
        version->grown_at = now_ms();
        return;
    }
    version->emptied = true;
    int again = version == newest(file) ? dup(version->fd) : -1;
    if (again >= 0) add_version(file, again, version->identity, facts.stx_size);
}

static void cannot(struct file *file, int error) {
    file->news |= error != file->error;
    file->error = error;
}

static void take(struct file *file, int fd, const struct statx *facts) {
    if (!S_ISREG(facts->stx_mode)) {
        close(fd);
        cannot(file, S_ISDIR(facts->stx_mode) ? EISDIR : ENODEV);
        return;
    }
    cannot(file, 0);
    if (file->notices >= 0) inotify_add_watch(file->notices, file->path, IN_MODIFY | IN_MOVE_SELF | IN_ATTRIB);
    add_version(file, fd, identity_of(facts), facts->stx_size);
}

static void look_at_name(struct file *file) {
    struct statx facts;
    if (!facts_of(AT_FDCWD, file->path, &facts)) {
        /* one that was there is followed to its end whatever became of its name */
        if (!file->count) cannot(file, errno);
        return;
    }
    if (file->count && identity_of(&facts) == newest(file)->identity) return;
    int fd = open(file->path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 || !facts_of(fd, "", &facts)) {
        if (!file->count) cannot(file, errno);
        if (fd >= 0) close(fd);
        return;
    }
    take(file, fd, &facts);
}

static void look(struct file *file) {
    alarm(STUCK_S);
    size_t count = file->count;
    for (size_t i = 0; i < count && i < file->count; i++) look_at(file, i);
    look_at_name(file);
    alarm(0);
}

/* Whether nothing more is to be expected of it. */
static bool is_over(struct file *file, const struct version *version) {
    if (version->emptied) return true;
    int64_t now = now_ms();
    return version != newest(file) && now - version->grown_at >= QUIET_MS && now - file->replaced_at >= QUIET_MS;
}

/* ---- the conversation ---- */

static void say(struct file *file, char type, const void *head, size_t head_length, const void *body, size_t length) {
    struct buffer frame = {0};
    frame_append(&frame, type, head, head_length, body, length);
    for (size_t done = 0; done < frame.length;) {
        ssize_t sent = send(file->connection, frame.data + done, frame.length - done, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) _exit(0);
        done += (size_t)sent;
    }
    buffer_free(&frame);
}

/* u32 version, u64 which file, u64 its length, u32 why there is none. */
static void tell_news(struct file *file) {
    struct version *version = newest(file);
    unsigned char state[24];
    put_u32(state, version ? version->number : 0);
    put_u64(state + 4, version ? version->identity : 0);
    put_u64(state + 12, version ? version->size : 0);
    put_u32(state + 20, version ? 0 : (uint32_t)file->error);
    say(file, 'n', state, sizeof state, NULL, 0);
    file->news = false;
    file->told_at = now_ms();
}

/* The version asked for, or the oldest after it that is still known. */
static struct version *find(struct file *file, uint32_t number) {
    for (size_t i = 0; i < file->count; i++) {
        if (file->versions[i].number >= number) return &file->versions[i];
    }
    return newest(file);
}

/* Asked: u32 version, u64 offset, u32 length. Answered: u32 version, u64 which file, u64 offset, u8 over, u8 emptied, bytes. */
static void answer(struct file *file, struct reader *request) {
    uint32_t number = read_u32(request);
    uint64_t offset = read_u64(request);
    size_t length = read_u32(request);
    if (request->bad) _exit(1);
    if (length > PIECE_LIMIT) length = PIECE_LIMIT;
    unsigned char *bytes = must_alloc(length);
    alarm(STUCK_S);
    struct version *version = find(file, number);
    if (version) look_at(file, (size_t)(version - file->versions));
    version = find(file, number); /* one more may have pushed it out */
    ssize_t got = version && !version->emptied ? pread(version->fd, bytes, length, (off_t)offset) : 0;
    int error = got < 0 ? errno : 0;
    alarm(0);
    unsigned char head[26];
    put_u32(head, version ? version->number : 0);
    put_u64(head + 4, version ? version->identity : 0);
    put_u64(head + 12, offset);
    head[20] = version && is_over(file, version);
    head[21] = version && version->emptied;
    put_u32(head + 22, (uint32_t)error);
    say(file, 'g', head, sizeof head, bytes, got > 0 ? (size_t)got : 0);
    free(bytes);
}

static void receive(struct file *file) {
    unsigned char bytes[4096];
    ssize_t length = recv(file->connection, bytes, sizeof bytes, MSG_DONTWAIT);
    if (length == 0 || (length < 0 && errno != EAGAIN && errno != EINTR)) _exit(0);
    if (length < 0) return;
    buffer_append(&file->in, bytes, (size_t)length);
    size_t done = 0;
    while (file->in.length - done >= 4) {
        struct reader frame = reader_of(file->in.data + done, file->in.length - done);
        uint32_t size = read_u32(&frame);
        if (size == 0 || size > FRAME_LIMIT) _exit(1);
        if (reader_left(&frame) < size) break;
        struct reader request = reader_of(frame.at + 1, size - 1);
        if (frame.at[0] == 'G') answer(file, &request);
        done += 4 + size;
    }
    buffer_consume(&file->in, done);
}

static void drain_notices(const struct file *file) {
    char bytes[4096];
    while (read(file->notices, bytes, sizeof bytes) > 0) continue;
}

/* Between two tellings notices are left to gather. */
static void wait_for_something(struct file *file) {
    int64_t rest = file->told_at + PACE_MS - now_ms();
    bool sees = file->notices >= 0 && file->count > 0;
    struct pollfd sources[] = {{.fd = file->connection, .events = POLLIN},
                               {.fd = sees ? file->notices : -1, .events = POLLIN}};
    int timeout = rest > 0 ? (int)rest : sees ? LOOK_MS : LOOK_BLIND_MS;
    if (poll(sources, rest > 0 ? 1 : 2, timeout) < 0 && errno != EINTR) _exit(1);
    if (sources[0].revents) receive(file);
    if (rest <= 0 && sources[1].revents) drain_notices(file);
}

static _Noreturn void serve(struct file *file) {
    while (true) {
        look(file);
        if (!file->told_at || (file->news && now_ms() - file->told_at >= PACE_MS)) tell_news(file);
        wait_for_something(file);
    }
}

/* ---- the beginning ---- */

static const char *parse(struct launch *who, const char **path, const unsigned char *request, size_t length) {
    struct reader reader = reader_of(request, length);
    who->uid = read_u32(&reader);
    who->gid = read_u32(&reader);
    who->group_count = read_u32(&reader);
    if (reader.bad || who->group_count > GROUP_LIMIT) return "the request is cut short";
    who->groups = must_alloc(who->group_count * sizeof *who->groups);
    for (size_t i = 0; i < who->group_count; i++) who->groups[i] = read_u32(&reader);
    size_t left = reader_left(&reader);
    const unsigned char *name = read_bytes(&reader, left);
    if (reader.bad || !left || name[0] != '/' || memchr(name, 0, left)) return "the path is not absolute";
    *path = must_copy(name, left);
    return NULL;
}

static void refuse(struct file *file, const char *why) {
    struct buffer text = {0};
    buffer_format(&text, "%s: %s", why, strerror(errno));
    say(file, 'N', text.data, text.length, NULL, 0);
    _exit(1);
}

static void be_ordinary(void) {
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd < 0) return;
    if (write(fd, "0", 1) < 0) errno = 0;
    close(fd);
}

_Noreturn void read_file_for_user(int connection, const unsigned char *request, size_t length) {
    struct file file = {.connection = connection, .notices = -1, .error = ENOENT};
    struct launch who = {0};
    errno = EINVAL;
    const char *wrong = parse(&who, &file.path, request, length);
    if (wrong) refuse(&file, wrong);
    keep_only_stdio_and(connection);
    reset_signals();
    be_ordinary();
    wrong = become_user(&who);
    if (wrong) refuse(&file, wrong);
    prctl(PR_SET_DUMPABLE, 0); /* its memory is nobody's business, not even the user's */
    struct rlimit none = {0};
    setrlimit(RLIMIT_CORE, &none);
    file.notices = inotify_init1(IN_NONBLOCK | IN_CLOEXEC); /* users have few of them: it goes without */
    serve(&file);
}
