#include "cgroup.h"

#include "wire.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/bpf.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { FREEZE_LOOKS = 50, FREEZE_PAUSE_NS = 1000000 };

static bool write_to(const char *directory, const char *name, const char *text) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return false;
    bool written = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    int because = errno;
    close(fd);
    errno = because;
    return written;
}

/* ---- joining ---- */

static bool is_unified(const struct strings *cgroups) {
    char path[PATH_MAX];
    if (cgroups->count != 1) return false;
    snprintf(path, sizeof path, "%s/cgroup.type", cgroups->items[0]);
    return access(path, F_OK) == 0;
}

static pid_t fork_into(const char *cgroup) {
    int directory = open(cgroup, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0) return -1;
    struct clone_args arguments = {
        .flags = CLONE_INTO_CGROUP, .exit_signal = SIGCHLD, .cgroup = (uint64_t)directory};
    pid_t child = (pid_t)syscall(SYS_clone3, &arguments, sizeof arguments);
    if (child != 0) close(directory);
    return child;
}

pid_t cgroups_fork(const struct strings *cgroups, bool *inside) {
    *inside = is_unified(cgroups);
    pid_t child = *inside ? fork_into(cgroups->items[0]) : -1;
    if (child >= 0) return child;
    *inside = false; /* a kernel before 5.7 */
    return fork();
}

/* A thread that moves itself by `tasks` of version 1 spares the kernel a lock on all forks of the
 * machine, which takes several milliseconds to get. */
const char *cgroups_join(const struct strings *cgroups) {
    for (size_t i = 0; i < cgroups->count; i++) {
        const char *directory = cgroups->items[i];
        if (write_to(directory, "tasks", "0") || write_to(directory, "cgroup.procs", "0")) continue;
        return directory;
    }
    return NULL;
}

/* ---- freezing and killing ---- */

/* Version 1 freezes one by one, and says when it has them all. */
static void await_frozen(const char *directory) {
    char path[PATH_MAX];
    char state[16];
    snprintf(path, sizeof path, "%s/freezer.state", directory);
    for (int looks = 0; looks < FREEZE_LOOKS; looks++) {
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        ssize_t length = fd < 0 ? 0 : read(fd, state, sizeof state);
        if (fd >= 0) close(fd);
        if (length <= 0 || strncmp(state, "FREEZING", 8) != 0) return;
        nanosleep(&(struct timespec){.tv_nsec = FREEZE_PAUSE_NS}, NULL);
    }
}

void cgroups_freeze(const struct strings *cgroups, bool frozen) {
    for (size_t i = 0; i < cgroups->count; i++) {
        const char *directory = cgroups->items[i];
        if (write_to(directory, "freezer.state", frozen ? "FROZEN" : "THAWED")) {
            if (frozen) await_frozen(directory);
            return;
        }
        if (write_to(directory, "cgroup.freeze", frozen ? "1" : "0")) return;
    }
}

void cgroups_kill(const struct strings *cgroups) {
    if (cgroups->count) write_to(cgroups->items[0], "cgroup.kill", "1");
}

/* ---- devices on version 2 ---- */

static struct bpf_insn instruction(uint8_t code, uint8_t to, uint8_t from, int16_t offset, int32_t value) {
    return (struct bpf_insn){.code = code, .dst_reg = to, .src_reg = from, .off = offset, .imm = value};
}

static struct bpf_insn load_word(uint8_t to, int16_t offset) {
    return instruction(BPF_LDX | BPF_MEM | BPF_W, to, BPF_REG_1, offset, 0);
}

static struct bpf_insn skip_unless(uint8_t left, int32_t value, int16_t instructions) {
    return instruction(BPF_JMP | BPF_JNE | BPF_K, left, 0, instructions, value);
}

static void answer(struct bpf_insn *at, int32_t value) {
    at[0] = instruction(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, value);
    at[1] = instruction(BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

/* Asked at every open and mknod of a device: no for those listed, whatever is wanted of them, yes for
 * all others. */
static struct bpf_insn *device_filter(const struct strings *devices, size_t *length) {
    struct bpf_insn *program = must_alloc((devices->count * 5 + 6) * sizeof *program);
    size_t at = 0;
    program[at++] = load_word(BPF_REG_2, offsetof(struct bpf_cgroup_dev_ctx, access_type));
    program[at++] = instruction(BPF_ALU64 | BPF_AND | BPF_K, BPF_REG_2, 0, 0, 0xffff);
    program[at++] = load_word(BPF_REG_3, offsetof(struct bpf_cgroup_dev_ctx, major));
    program[at++] = load_word(BPF_REG_4, offsetof(struct bpf_cgroup_dev_ctx, minor));
    for (size_t i = 0; i < devices->count; i++) {
        char type;
        int major, minor;
        if (sscanf(devices->items[i], "%c %d:%d", &type, &major, &minor) != 3) continue;
        program[at++] = skip_unless(BPF_REG_2, type == 'b' ? BPF_DEVCG_DEV_BLOCK : BPF_DEVCG_DEV_CHAR, 4);
        program[at++] = skip_unless(BPF_REG_3, major, 3);
        program[at++] = skip_unless(BPF_REG_4, minor, 2);
        answer(program + at, 0);
        at += 2;
    }
    answer(program + at, 1);
    *length = at + 2;
    return program;
}

static int load_program(const struct bpf_insn *program, size_t length) {
    union bpf_attr attributes = {0};
    attributes.prog_type = BPF_PROG_TYPE_CGROUP_DEVICE;
    attributes.insns = (uint64_t)(uintptr_t)program;
    attributes.insn_cnt = (uint32_t)length;
    attributes.license = (uint64_t)(uintptr_t) "Apache-2.0";
    return (int)syscall(SYS_bpf, BPF_PROG_LOAD, &attributes, sizeof attributes);
}

/* The group keeps the program as long as it exists. Filters of groups above it count as well. */
static bool attach_program(int program, const char *cgroup) {
    int directory = open(cgroup, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0) return false;
    union bpf_attr attributes = {0};
    attributes.target_fd = (uint32_t)directory;
    attributes.attach_bpf_fd = (uint32_t)program;
    attributes.attach_type = BPF_CGROUP_DEVICE;
    attributes.attach_flags = BPF_F_ALLOW_MULTI;
    bool attached = syscall(SYS_bpf, BPF_PROG_ATTACH, &attributes, sizeof attributes) == 0;
    int because = errno;
    close(directory);
    errno = because;
    return attached;
}

bool cgroups_deny_devices(const struct strings *cgroups, const struct strings *devices) {
    if (!devices->count || !cgroups->count) return true;
    size_t length;
    struct bpf_insn *code = device_filter(devices, &length);
    int program = load_program(code, length);
    free(code);
    if (program < 0) return false;
    bool attached = attach_program(program, cgroups->items[0]);
    int because = errno;
    close(program);
    errno = because;
    return attached;
}

/* ---- counting ---- */

static uint64_t counter(const char *directory, const char *name, const char *wanted) {
    char path[PATH_MAX];
    char key[64];
    unsigned long long value;
    uint64_t found = 0;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "re");
    if (!file) return 0;
    while (fscanf(file, "%63s %llu", key, &value) == 2) {
        if (strcmp(key, wanted) == 0) found = value;
    }
    fclose(file);
    return found;
}

uint64_t oom_kills(const char *memory_cgroup) {
    if (!memory_cgroup) return 0;
    uint64_t kills = counter(memory_cgroup, "memory.events", "oom_kill");
    return kills ? kills : counter(memory_cgroup, "memory.oom_control", "oom_kill");
}

static uint64_t number_in(const char *directory, const char *name) {
    char path[PATH_MAX];
    unsigned long long value;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "re");
    if (!file) return 0;
    bool found = fscanf(file, "%llu", &value) == 1;
    fclose(file);
    return found ? value : 0;
}

static void grow(uint64_t *most, uint64_t value) {
    if (value > *most) *most = value;
}

/* Version 1 counts processor time where the controllers cpu and cpuacct share a tree, as they mostly do. */
void cgroup_usage(const struct strings *cgroups, const char *memory_cgroup, struct group_usage *used) {
    for (size_t i = 0; i < cgroups->count; i++) {
        const char *directory = cgroups->items[i];
        grow(&used->user_us, counter(directory, "cpu.stat", "user_usec"));
        grow(&used->system_us, counter(directory, "cpu.stat", "system_usec"));
        grow(&used->user_us, number_in(directory, "cpuacct.usage_user") / 1000);
        grow(&used->system_us, number_in(directory, "cpuacct.usage_sys") / 1000);
    }
    if (!memory_cgroup) return;
    grow(&used->memory_peak_kb, number_in(memory_cgroup, "memory.peak") / 1024);
    grow(&used->memory_peak_kb, number_in(memory_cgroup, "memory.max_usage_in_bytes") / 1024);
}
