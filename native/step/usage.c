#include "usage.h"

#include "cgroup.h"
#include "client.h"
#include "processes.h"
#include "user.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIRST_MS = 1000, LONGEST_MS = 30 * 1000, PART_OF_AGE = 10, TIMES_ITS_COST = 100, PATIENCE_MS = 2000 };
enum { LONGEST_REST_MS = 10 * 60 * 1000, FRESH_MS = 200 };
enum { STAT_FIELDS = 52 };

/* One living process. */
struct process {
    pid_t pid;
    pid_t parent;
    pid_t session;
    struct usage used;
};

static void grow(uint64_t *most, uint64_t value) {
    if (value > *most) *most = value;
}

static void add(struct usage *sum, const struct usage *more) {
    sum->user_us += more->user_us;
    sum->system_us += more->system_us;
    sum->rss_kb += more->rss_kb;
    sum->vmsize_kb += more->vmsize_kb;
    sum->pages += more->pages;
    sum->read_bytes += more->read_bytes;
    sum->write_bytes += more->write_bytes;
}

/* Totals only grow, and of sizes the largest counts. */
static void note(struct usage *used, const struct usage *seen) {
    grow(&used->user_us, seen->user_us);
    grow(&used->system_us, seen->system_us);
    grow(&used->rss_kb, seen->rss_kb);
    grow(&used->vmsize_kb, seen->vmsize_kb);
    grow(&used->pages, seen->pages);
    grow(&used->read_bytes, seen->read_bytes);
    grow(&used->write_bytes, seen->write_bytes);
}

/* ---- /proc ---- */

static bool slurp(pid_t pid, const char *name, char *text, size_t size) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    ssize_t length = read(fd, text, size - 1);
    close(fd);
    if (length <= 0) return false;
    text[length] = 0;
    return true;
}

/* The fields of /proc/PID/stat by the numbers of proc(5), from the third, which is a letter. The name
 * before it is in parentheses and may itself hold parentheses and blanks. */
static bool read_stat(pid_t pid, uint64_t fields[STAT_FIELDS + 1]) {
    char text[2048];
    memset(fields, 0, (STAT_FIELDS + 1) * sizeof *fields);
    char *at = slurp(pid, "stat", text, sizeof text) ? strrchr(text, ')') : NULL;
    if (!at || strlen(at) < 4) return false;
    at += 3;
    for (int field = 4; field <= STAT_FIELDS && *at; field++) {
        char *end;
        fields[field] = strtoull(at, &end, 10);
        if (end == at) break;
        at = end;
    }
    return true;
}

static uint64_t number_after(const char *text, const char *key) {
    const char *at = strstr(text, key);
    return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

/* What went through read and write calls, to whatever file: that is what Slurm calls disk. */
static void read_io(pid_t pid, uint64_t *read_bytes, uint64_t *write_bytes) {
    char text[1024];
    if (!slurp(pid, "io", text, sizeof text)) return;
    *read_bytes = number_after(text, "rchar: ");
    *write_bytes = number_after(text, "wchar: ");
}

/* With the time of children that it has waited for: they are nowhere else. */
static bool look_at(pid_t pid, struct process *process) {
    uint64_t stat[STAT_FIELDS + 1];
    if (!read_stat(pid, stat)) return false;
    uint64_t tick_us = 1000000 / (uint64_t)sysconf(_SC_CLK_TCK);
    *process = (struct process){.pid = pid, .parent = (pid_t)stat[4], .session = (pid_t)stat[6]};
    struct usage *used = &process->used;
    used->pages = stat[12] + stat[13];
    used->user_us = (stat[14] + stat[16]) * tick_us;
    used->system_us = (stat[15] + stat[17]) * tick_us;
    used->vmsize_kb = stat[23] / 1024;
    used->rss_kb = stat[24] * (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
    read_io(pid, &used->read_bytes, &used->write_bytes);
    return true;
}

/* ---- whose process it is ---- */

static struct task *task_with_pid(const struct step *step, pid_t pid) {
    for (size_t i = 0; i < step->launch.task_count; i++) {
        if (pid > 0 && step->tasks[i].pid == pid) return &step->tasks[i];
    }
    return NULL;
}

/* A task leads a session of its own, and what it leaves behind is still in it, unless it did more to get away. */
static struct task *task_of_session(const struct step *step, pid_t session) {
    struct task *task = task_with_pid(step, session);
    return task || step->launch.task_count != 1 ? task : &step->tasks[0];
}

static int by_pid(const void *one, const void *other) {
    pid_t a = ((const struct process *)one)->pid, b = ((const struct process *)other)->pid;
    return (a > b) - (a < b);
}

static struct task *owner(const struct step *step, const struct process *processes, size_t count, const struct process *of) {
    const struct process *at = of;
    for (size_t steps = 0; at && steps <= count; steps++) {
        struct task *task = task_with_pid(step, at->pid);
        if (task) return task;
        struct process parent = {.pid = at->parent};
        at = bsearch(&parent, processes, count, sizeof *processes, by_pid);
    }
    return task_of_session(step, of->session);
}

/* ---- the child that looks ---- */

static _Noreturn void look(const struct step *step, pid_t supervisor, int answer) {
    keep_only_stdio_and(answer);
    reset_signals();
    die_with(supervisor);
    size_t tasks = step->launch.task_count;
    struct usage *seen = must_alloc(tasks * sizeof *seen);
    for (size_t i = 0; i < tasks; i++) seen[i] = step->tasks[i].settled;
    size_t count;
    size_t found = 0;
    pid_t *pids = step_pids(step, supervisor, &count);
    struct process *processes = must_alloc(count * sizeof *processes);
    for (size_t i = 0; i < count; i++) found += look_at(pids[i], &processes[found]);
    qsort(processes, found, sizeof *processes, by_pid);
    for (size_t i = 0; i < found; i++) {
        struct task *task = owner(step, processes, found, &processes[i]);
        if (task) add(&seen[task - step->tasks], &processes[i].used);
    }
    const char *at = (const char *)seen;
    for (size_t left = tasks * sizeof *seen; left;) {
        ssize_t written = write(answer, at, left);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) _exit(1);
        at += written;
        left -= (size_t)written;
    }
    _exit(0);
}

static void begin_look(struct step *step) {
    int ends[2];
    step->look_at = -1;
    step->look_began = monotonic_ms();
    if (step->looker > 0 || pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return;
    fcntl(ends[1], F_SETFL, 0);
    pid_t supervisor = getpid();
    pid_t child = fork();
    if (child == 0) look(step, supervisor, ends[1]);
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return;
    }
    step->looker = child;
    step->look_fd = ends[0];
    step->blind_at = step->look_began + PATIENCE_MS;
}

/* Often at first, then seldom; and never so that it costs more than a hundredth of a processor. */
static void plan_next(struct step *step) {
    int64_t now = monotonic_ms();
    int64_t wait = (now - step->began) / PART_OF_AGE;
    if (wait < FIRST_MS) wait = FIRST_MS;
    if (wait > LONGEST_MS) wait = LONGEST_MS;
    int64_t cost = (now - step->look_began) * TIMES_ITS_COST;
    if (cost > LONGEST_REST_MS) cost = LONGEST_REST_MS;
    step->look_at = now + (cost > wait ? cost : wait);
}

static void finish_look(struct step *step) {
    if (step->look_fd >= 0) close(step->look_fd);
    step->look_fd = -1;
    step->blind_at = -1;
    buffer_free(&step->seen);
    cgroup_usage(&step->launch.cgroups, step->launch.memory_cgroup, &step->group);
    if (step->state < STEP_EXITING) plan_next(step);
    clients_tell_usage(step);
}

void usage_begin(struct step *step) {
    step->began = monotonic_ms();
    step->look_at = step->began + FIRST_MS;
}

void usage_wanted(struct step *step) {
    bool fresh = step->seen_at > 0 && monotonic_ms() - step->seen_at < FRESH_MS; /* many may ask */
    if (!fresh && step->state < STEP_EXITING && step->look_fd < 0) begin_look(step);
    if (step->look_fd >= 0) return;
    if (step->state < STEP_EXITING && step->look_at < 0) plan_next(step);
    clients_tell_usage(step);
}

/* One that hangs in the kernel stays even when it is killed. Nobody waits for it, and no other is sent after it. */
void usage_keep_time(struct step *step, int64_t now) {
    if (due(&step->blind_at, now)) {
        if (step->looker > 0) kill(step->looker, SIGKILL);
        finish_look(step);
    }
    if (due(&step->look_at, now)) {
        begin_look(step);
        if (step->look_fd < 0) plan_next(step);
    }
}

void usage_receive(struct step *step) {
    char bytes[16 * 1024];
    ssize_t length = read(step->look_fd, bytes, sizeof bytes);
    if (length < 0 && (errno == EAGAIN || errno == EINTR)) return;
    size_t whole = step->launch.task_count * sizeof(struct usage);
    if (length > 0) {
        buffer_append(&step->seen, bytes, (size_t)length);
        if (step->seen.length < whole) return;
    }
    if (step->seen.length == whole) {
        for (size_t i = 0; i < step->launch.task_count; i++) {
            struct usage seen;
            memcpy(&seen, step->seen.data + i * sizeof seen, sizeof seen);
            note(&step->tasks[i].used, &seen);
        }
        step->seen_at = monotonic_ms();
    }
    finish_look(step);
}

bool usage_looked(struct step *step, pid_t child) {
    if (child <= 0 || child != step->looker) return false;
    step->looker = 0;
    return true;
}

/* ---- ends ---- */

struct remains usage_remains(pid_t ended) {
    uint64_t stat[STAT_FIELDS + 1];
    struct remains remains = {0};
    if (read_stat(ended, stat)) remains.session = (pid_t)stat[6];
    read_io(ended, &remains.read_bytes, &remains.write_bytes);
    return remains;
}

static uint64_t microseconds(const struct timeval *time) {
    return (uint64_t)time->tv_sec * 1000000 + (uint64_t)time->tv_usec;
}

void usage_settle(struct step *step, struct task *task, const struct remains *remains, const struct rusage *rusage) {
    if (!task) task = task_of_session(step, remains->session);
    if (!task) return;
    struct usage last = {
        .user_us = microseconds(&rusage->ru_utime),
        .system_us = microseconds(&rusage->ru_stime),
        .pages = (uint64_t)rusage->ru_majflt,
        .read_bytes = remains->read_bytes,
        .write_bytes = remains->write_bytes,
    };
    add(&task->settled, &last);
    note(&task->used, &task->settled);
    grow(&task->used.rss_kb, (uint64_t)rusage->ru_maxrss);
}

void usage_end(struct step *step) {
    step->look_at = step->blind_at = -1;
    if (step->looker > 0) kill(step->looker, SIGKILL);
    finish_look(step);
}
