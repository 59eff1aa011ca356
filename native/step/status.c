#include "status.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const STEP_STATES[] = {"starting", "running", "exiting", "ended"};
static const char *const TASK_STATES[] = {"starting", "running", "ended"};

static char boot_id[64];

void status_note_boot(void) {
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? 0 : read(fd, boot_id, sizeof boot_id - 1);
    if (fd >= 0) close(fd);
    boot_id[length > 0 ? strcspn(boot_id, "\n") : 0] = 0;
}

void status_text(const struct step *step, struct buffer *text) {
    const struct launch *launch = &step->launch;
    buffer_format(text, "version 1\njob %llu\nstep %s\nattempt %llu\nnode %s\n", (unsigned long long)launch->job,
                  launch->step, (unsigned long long)launch->attempt, launch->node);
    buffer_format(text, "boot %s\nsupervisor %d\nuid %u\n", boot_id, (int)getpid(), (unsigned)launch->uid);
    buffer_format(text, "state %s\nstarted %lld\n", STEP_STATES[step->state], (long long)step->started_ms);
    if (step->state == STEP_ENDED) buffer_format(text, "ended %lld\n", (long long)step->ended_ms);
    if (step->timed_out) buffer_format(text, "timed_out 1\n");
    if (step->lease_over) buffer_format(text, "lease_over 1\n");
    if (step->unkillable) buffer_format(text, "unkillable 1\n");
    if (step->oom_kills) buffer_format(text, "oom_kills %llu\n", (unsigned long long)step->oom_kills);
    if (step->unsaved) buffer_format(text, "unsaved %s\n", strerror(step->unsaved));
    if (step->node_fault) buffer_format(text, "node_fault 1\n");
    if (step->error) buffer_format(text, "error %s\n", step->error);
    const struct group_usage *group = &step->group;
    if (group->user_us || group->system_us) {
        buffer_format(text, "group_user_us %llu\ngroup_system_us %llu\n", (unsigned long long)group->user_us,
                      (unsigned long long)group->system_us);
    }
    if (group->memory_peak_kb) buffer_format(text, "memory_peak_kb %llu\n", (unsigned long long)group->memory_peak_kb);
    for (size_t i = 0; i < launch->task_count; i++) {
        const struct task *task = &step->tasks[i];
        const struct usage *used = &task->used;
        buffer_format(text, "task %u %u %d %s %d %d %llu %llu %llu %llu %llu %llu %llu\n", task->spec->rank,
                      task->spec->local, (int)task->pid, TASK_STATES[task->state], task->exit_code, task->signal,
                      (unsigned long long)used->user_us, (unsigned long long)used->system_us,
                      (unsigned long long)used->rss_kb, (unsigned long long)used->vmsize_kb,
                      (unsigned long long)used->pages, (unsigned long long)used->read_bytes,
                      (unsigned long long)used->write_bytes);
    }
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

static void sync_file(const char *name, int flags) {
    int fd = open(name, O_RDONLY | O_CLOEXEC | flags);
    if (fd < 0) return;
    fsync(fd);
    close(fd);
}

void status_force(void) {
    sync_file("status", 0);
    sync_file(".", O_DIRECTORY);
}

bool status_save(const struct step *step) {
    struct buffer text = {0};
    status_text(step, &text);
    int fd = open("status.new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool saved = fd >= 0 && write_all(fd, &text);
    int because = errno;
    if (fd >= 0 && close(fd) != 0 && saved) {
        saved = false;
        because = errno;
    }
    if (saved && rename("status.new", "status") != 0) {
        saved = false;
        because = errno;
    }
    buffer_free(&text);
    errno = because;
    return saved;
}
