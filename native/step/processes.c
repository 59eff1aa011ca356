#include "processes.h"

#include "cgroup.h"
#include "wire.h"

#include <dirent.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_PIDS = 4 << 20 }; /* no Linux gives out higher ones */

/* A fork bomb has tens of thousands: whether one is known must not cost a look at all the others. */
struct pids {
    pid_t *items;
    size_t count;
    unsigned char *known; /* a bit for each pid there can be */
};

static bool contains(const struct pids *pids, pid_t pid) {
    return pids->known && pid > 0 && pid < MOST_PIDS && pids->known[pid / 8] >> pid % 8 & 1;
}

static void add(struct pids *pids, pid_t pid) {
    if (pid <= 1 || pid >= MOST_PIDS || pid == getpid() || contains(pids, pid)) return;
    if (!pids->known) pids->known = must_alloc(MOST_PIDS / 8);
    pid_t *items = realloc(pids->items, (pids->count + 1) * sizeof *items);
    if (!items) abort();
    pids->items = items;
    items[pids->count++] = pid;
    pids->known[pid / 8] |= (unsigned char)(1 << pid % 8);
}

static void add_listed(struct pids *pids, const char *path) {
    FILE *file = fopen(path, "re");
    if (!file) return;
    long pid;
    while (fscanf(file, "%ld", &pid) == 1) add(pids, (pid_t)pid);
    fclose(file);
}

/* A job may have made cgroups below its own. */
static void add_cgroup(struct pids *pids, const char *directory) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/cgroup.procs", directory);
    add_listed(pids, path);
    DIR *entries = opendir(directory);
    if (!entries) return;
    for (struct dirent *entry; (entry = readdir(entries));) {
        if (entry->d_type != DT_DIR || entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        add_cgroup(pids, path);
    }
    closedir(entries);
}

static pid_t parent_of(pid_t pid) {
    char path[64];
    char line[512];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "re");
    if (!file) return 0;
    bool read = fgets(line, sizeof line, file) != NULL;
    fclose(file);
    /* The command name is in parentheses and may itself hold parentheses and blanks. */
    const char *after_name = read ? strrchr(line, ')') : NULL;
    int parent = 0;
    if (!after_name || sscanf(after_name, ") %*c %d", &parent) != 1) return 0;
    return parent;
}

/* For kernels without /proc/PID/task/PID/children: look at every process until nothing new descends. */
static void add_descendants_by_scan(struct pids *pids, pid_t supervisor) {
    size_t before;
    do {
        before = pids->count;
        DIR *entries = opendir("/proc");
        if (!entries) return;
        for (struct dirent *entry; (entry = readdir(entries));) {
            pid_t pid = (pid_t)atol(entry->d_name);
            if (pid <= 1) continue;
            pid_t parent = parent_of(pid);
            if (parent == supervisor || contains(pids, parent)) add(pids, pid);
        }
        closedir(entries);
    } while (pids->count != before);
}

static void children_path(char *path, size_t size, const char *process, const char *thread) {
    snprintf(path, size, "/proc/%s/task/%s/children", process, thread);
}

/* Children belong to the thread that forked them. */
static void add_children(struct pids *pids, pid_t pid) {
    char process[24];
    char path[PATH_MAX];
    snprintf(process, sizeof process, "%d", (int)pid);
    snprintf(path, sizeof path, "/proc/%s/task", process);
    DIR *threads = opendir(path);
    if (!threads) return;
    for (struct dirent *thread; (thread = readdir(threads));) {
        if (thread->d_name[0] == '.') continue;
        children_path(path, sizeof path, process, thread->d_name);
        add_listed(pids, path);
    }
    closedir(threads);
}

static void add_descendants(struct pids *pids, pid_t supervisor) {
    char own[24];
    char path[PATH_MAX];
    snprintf(own, sizeof own, "%d", (int)supervisor);
    children_path(path, sizeof path, own, own);
    if (access(path, R_OK) != 0) {
        add_descendants_by_scan(pids, supervisor);
        return;
    }
    add_listed(pids, path);
    for (size_t i = 0; i < pids->count; i++) add_children(pids, pids->items[i]);
}

/* Whoever writes the supervisor's own words, or looks for it, descends from it, too, but is none of the step's. */
static void leave_out(struct pids *pids, pid_t pid) {
    for (size_t i = 0; i < pids->count; i++) {
        if (pids->items[i] == pid) pids->items[i--] = pids->items[--pids->count];
    }
}

static struct pids step_processes(const struct step *step, pid_t supervisor) {
    const struct strings *cgroups = &step->launch.cgroups;
    struct pids pids = {0};
    if (cgroups->count) add_cgroup(&pids, cgroups->items[0]);
    add_descendants(&pids, supervisor);
    if (step->writer > 0) leave_out(&pids, step->writer);
    if (step->looker > 0) leave_out(&pids, step->looker);
    return pids;
}

static void pids_free(struct pids *pids) {
    free(pids->items);
    free(pids->known);
    *pids = (struct pids){0};
}

size_t signal_step(const struct step *step, int signal) {
    const struct strings *cgroups = &step->launch.cgroups;
    struct pids pids = step_processes(step, getpid());
    if (!pids.count) {
        pids_free(&pids);
        return 0;
    }
    bool all_at_once = signal == SIGKILL || signal == SIGSTOP;
    if (all_at_once) {
        cgroups_freeze(cgroups, true);
        pids_free(&pids);
        pids = step_processes(step, getpid());
    }
    if (signal == SIGKILL) cgroups_kill(cgroups);
    for (size_t i = 0; i < pids.count; i++) kill(pids.items[i], signal);
    if (all_at_once) cgroups_freeze(cgroups, false);
    size_t count = pids.count;
    pids_free(&pids);
    return count;
}

void signal_leaders(const struct step *step, int signal) {
    for (size_t i = 0; i < step->launch.task_count; i++) {
        const struct task *task = &step->tasks[i];
        if (task->pid > 0 && task->state != TASK_ENDED) kill(task->pid, signal);
    }
}

pid_t *step_pids(const struct step *step, pid_t supervisor, size_t *count) {
    struct pids pids = step_processes(step, supervisor);
    free(pids.known);
    *count = pids.count;
    return pids.items;
}
