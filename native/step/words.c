#include "words.h"

#include "user.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_MS = 2000 };

static struct stream *message_stream(struct step *step) {
    for (uint8_t wanted = 2; wanted >= 1; wanted--) {
        for (size_t i = 0; i < step->stream_count; i++) {
            if (step->streams[i].number == wanted) return &step->streams[i];
        }
    }
    return NULL;
}

static bool write_all(int fd, const struct buffer *text) {
    for (size_t done = 0; done < text->length;) {
        ssize_t length = write(fd, text->data + done, text->length - done);
        if (length < 0 && errno == EINTR) continue;
        if (length <= 0) return false;
        done += (size_t)length;
    }
    return true;
}

static int stderr_file(const struct step *step) {
    for (size_t i = 0; i < step->launch.task_count; i++) {
        if (step->tasks[i].stderr_fd >= 0) return step->tasks[i].stderr_fd;
    }
    return -1;
}

/* It keeps nothing else of ours: one that hangs must not hold our locks and connections. */
static _Noreturn void write_as_user(const struct step *step, int file, pid_t supervisor) {
    if (dup2(file, STDERR_FILENO) < 0) _exit(1);
    keep_only_stdio_and(STDERR_FILENO);
    reset_signals();
    if (become_user(&step->launch)) _exit(1);
    die_with(supervisor);
    _exit(!write_all(STDERR_FILENO, &step->unsaid));
}

/* One writer at a time, so that words come in the order in which they were said. */
static void begin_writing(struct step *step) {
    if (!step->unsaid.length || step->writer > 0) return;
    int file = stderr_file(step);
    pid_t supervisor = getpid();
    pid_t child = step->mute || file < 0 ? -1 : fork();
    if (child == 0) write_as_user(step, file, supervisor);
    buffer_free(&step->unsaid);
    if (child < 0) return;
    step->writer = child;
    step->mute_at = monotonic_ms() + PATIENCE_MS;
}

void step_say(struct step *step, const char *format, ...) {
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    struct buffer line = {0};
    /* On a terminal in raw mode a line feed alone would not return to the first column. */
    const char *end = step->terminal >= 0 ? "\r\n" : "\n";
    buffer_format(&line, "slurmstepd-%s: error: %s%s", step->launch.node, text, end);
    struct stream *stream = message_stream(step);
    if (stream) {
        stream_write(stream, line.data, line.length);
    } else {
        buffer_append(&step->unsaid, line.data, line.length);
        begin_writing(step);
    }
    buffer_free(&line);
}

void step_announce(struct step *step, const char *because) {
    if (step->announced) return;
    step->announced = true;
    const struct launch *launch = &step->launch;
    char when[32];
    char what[64];
    time_t now = time(NULL);
    struct tm local;
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%S", localtime_r(&now, &local));
    if (launch_is_batch(launch)) {
        snprintf(what, sizeof what, "JOB %llu", (unsigned long long)launch->job);
    } else {
        snprintf(what, sizeof what, "STEP %llu.%s", (unsigned long long)launch->job, launch->step);
    }
    step_say(step, "*** %s ON %s CANCELLED AT %s%s%s ***", what, launch->node, when, *because ? " " : "", because);
}

bool words_written(struct step *step, pid_t child) {
    if (child <= 0 || child != step->writer) return false;
    step->writer = 0;
    step->mute_at = -1;
    begin_writing(step);
    return true;
}

/* A writer that hangs in the kernel stays even when it is killed; nobody waits for it then. */
void words_keep_time(struct step *step, int64_t now) {
    if (!due(&step->mute_at, now)) return;
    step->mute = true;
    buffer_free(&step->unsaid);
    kill(step->writer, SIGKILL);
}

bool words_pending(const struct step *step) { return step->writer > 0 && !step->mute; }
