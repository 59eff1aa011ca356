#include "processes.h"

#include "cgroup.h"

#include <dirent.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct pids {
    pid_t *items;
    size_t count;
};

static bool contains(const struct pids *pids, pid_t pid) {
    for (size_t i = 0; i < pids->count; i++) {
        if (pids->items[i] == pid) return true;
    }
    return false;
}

static void add(struct pids *pids, pid_t pid) {
    if (pid <= 1 || pid == getpid() || contains(pids, pid)) return;
    pid_t *items = realloc(pids->items, (pids->count + 1) * sizeof *items);
    if (!items) abort();
    pids->items = items;
    items[pids->count++] = pid;
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
static void add_descendants_by_scan(struct pids *pids) {
    size_t before;
    do {
        before = pids->count;
        DIR *entries = opendir("/proc");
        if (!entries) return;
        for (struct dirent *entry; (entry = readdir(entries));) {
            pid_t pid = (pid_t)atol(entry->d_name);
            if (pid <= 1) continue;
            pid_t parent = parent_of(pid);
            if (parent == getpid() || contains(pids, parent)) add(pids, pid);
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

static void add_descendants(struct pids *pids) {
    char own[24];
    char path[PATH_MAX];
    snprintf(own, sizeof own, "%d", (int)getpid());
    children_path(path, sizeof path, own, own);
    if (access(path, R_OK) != 0) {
        add_descendants_by_scan(pids);
        return;
    }
    add_listed(pids, path);
    for (size_t i = 0; i < pids->count; i++) add_children(pids, pids->items[i]);
}

static struct pids step_processes(const struct strings *cgroups) {
    struct pids pids = {0};
    if (cgroups->count) add_cgroup(&pids, cgroups->items[0]);
    add_descendants(&pids);
    return pids;
}

static void pids_free(struct pids *pids) {
    free(pids->items);
    *pids = (struct pids){0};
}

size_t signal_step(const struct strings *cgroups, int signal) {
    struct pids pids = step_processes(cgroups);
    if (!pids.count) return 0;
    bool all_at_once = signal == SIGKILL || signal == SIGSTOP;
    if (all_at_once) {
        cgroups_freeze(cgroups, true);
        pids_free(&pids);
        pids = step_processes(cgroups);
    }
    if (signal == SIGKILL) cgroups_kill(cgroups);
    for (size_t i = 0; i < pids.count; i++) kill(pids.items[i], signal);
    if (all_at_once) cgroups_freeze(cgroups, false);
    size_t count = pids.count;
    pids_free(&pids);
    return count;
}
