#include "launch.h"

#include "wire.h"

#include <stdlib.h>
#include <string.h>

/* README.md lists these with their meaning. */
enum launch_tag {
    TAG_VERSION = 1,
    TAG_JOB = 2,
    TAG_STEP = 3,
    TAG_ATTEMPT = 4,
    TAG_NODE = 5,
    TAG_DIRECTORY = 6,
    TAG_UID = 7,
    TAG_GID = 8,
    TAG_GROUP = 9,
    TAG_ARGUMENT = 10,
    TAG_ENVIRONMENT = 11,
    TAG_CWD = 12,
    TAG_UMASK = 13,
    TAG_LIMIT = 14,
    TAG_NICE = 15,
    TAG_CPUS = 16,
    TAG_CGROUP = 17,
    TAG_MEMORY_CGROUP = 18,
    TAG_SCRIPT = 19,
    TAG_TIME_LIMIT = 20,
    TAG_KILL_WAIT = 21,
    TAG_WARN_SIGNAL = 22,
    TAG_WARN_BEFORE = 23,
    TAG_WARN_LEADER_ONLY = 24,
    TAG_KILL_ON_BAD_EXIT = 25,
    TAG_WINDOW = 26,
    TAG_TASK = 27,
    TAG_DENIED_DEVICE = 28,
    TAG_LEASE = 29,
    TAG_NODE_LIMIT = 30,
    TAG_STEP_LIMIT = 31,
    TAG_LOGIN_SHELL = 32,
    TAG_LOGIN_TIME = 33,
    TAG_ACCOUNT = 34,
    TAG_KEPT_OUTPUT = 35,
    TAG_SESSION = 36,
    TAG_SESSION_HOME = 37,
    TAG_SESSION_PASSWD = 38,
    TAG_SESSION_GROUP = 39,
    TAG_SESSION_SHOWN = 40,
};

enum task_tag {
    TASK_RANK = 1,
    TASK_LOCAL = 2,
    TASK_ENVIRONMENT = 3,
    TASK_STDIN = 4,
    TASK_STDOUT = 5,
    TASK_STDERR = 6,
    TASK_CPUS = 7,
    TASK_ARGUMENT = 8,
    TASK_BIND_REPORT = 9,
};

struct field {
    uint16_t tag;
    const unsigned char *bytes;
    size_t length;
    bool bad;
    bool holds_nul;
};

static struct field next_field(struct reader *reader) {
    struct field field = {.tag = read_u16(reader)};
    field.length = read_u32(reader);
    field.bytes = read_bytes(reader, field.length);
    if (!field.bytes) field.length = 0;
    return field;
}

static int64_t number(struct field *field) {
    struct reader reader = reader_of(field->bytes, field->length);
    int64_t value = (int64_t)read_u64(&reader);
    if (reader.bad || reader_left(&reader)) field->bad = true;
    return value;
}

static char *text(struct field *field) {
    if (memchr(field->bytes, 0, field->length)) field->bad = field->holds_nul = true;
    return must_copy(field->bytes, field->length);
}

static void add(struct strings *strings, char *item) {
    char **items = realloc(strings->items, (strings->count + 2) * sizeof *items);
    if (!items) abort();
    items[strings->count++] = item;
    items[strings->count] = NULL;
    strings->items = items;
}

static struct stdio stdio_of(struct field *field) {
    char *spelling = text(field);
    struct stdio stdio = {.path = *spelling ? spelling + 1 : spelling};
    switch (*spelling) {
    case 'n': stdio.kind = STDIO_NULL; break;
    case 's': stdio.kind = STDIO_SOCKET; break;
    case 'p': stdio.kind = STDIO_PTY; break;
    case '=': stdio.kind = STDIO_SAME; break;
    case 'r': stdio.kind = STDIO_READ; break;
    case 't': stdio.kind = STDIO_TRUNCATE; break;
    case 'a': stdio.kind = STDIO_APPEND; break;
    case 'S': stdio.kind = STDIO_SHARED; break;
    default: field->bad = true;
    }
    return stdio;
}

static bool parse_task(struct task_spec *task, struct field *of) {
    struct reader reader = reader_of(of->bytes, of->length);
    while (reader_left(&reader)) {
        struct field field = next_field(&reader);
        if (reader.bad) return false;
        switch (field.tag) {
        case TASK_RANK: task->rank = (uint32_t)number(&field); break;
        case TASK_LOCAL: task->local = (uint32_t)number(&field); break;
        case TASK_ENVIRONMENT: add(&task->environment, text(&field)); break;
        case TASK_STDIN: task->stdio[0] = stdio_of(&field); break;
        case TASK_STDOUT: task->stdio[1] = stdio_of(&field); break;
        case TASK_STDERR: task->stdio[2] = stdio_of(&field); break;
        case TASK_CPUS: task->cpus = text(&field); break;
        case TASK_BIND_REPORT: task->bind_report = text(&field); break;
        case TASK_ARGUMENT: add(&task->arguments, text(&field)); break;
        default: field.bad = true;
        }
        of->holds_nul |= field.holds_nul;
        if (field.bad) return false;
    }
    return !reader.bad;
}

static void add_task(struct launch *launch, struct field *field) {
    struct task_spec *tasks = realloc(launch->tasks, (launch->task_count + 1) * sizeof *tasks);
    if (!tasks) abort();
    launch->tasks = tasks;
    struct task_spec *task = &tasks[launch->task_count++];
    *task = (struct task_spec){0};
    if (!parse_task(task, field)) field->bad = true;
}

static void add_group(struct launch *launch, gid_t group) {
    gid_t *groups = realloc(launch->groups, (launch->group_count + 1) * sizeof *groups);
    if (!groups) abort();
    launch->groups = groups;
    groups[launch->group_count++] = group;
}

static void window(struct launch *launch, struct field *field) {
    int64_t packed = number(field);
    launch->rows = (uint16_t)(packed >> 16);
    launch->columns = (uint16_t)packed;
}

enum { LEAST_KEPT = 4096, MOST_KEPT = 4 << 20 };

/* The ring's length is a power of two. */
static size_t kept(struct field *field) {
    int64_t wanted = number(field);
    size_t size = LEAST_KEPT;
    if (wanted <= 0 || wanted > MOST_KEPT) field->bad = true;
    while (size < MOST_KEPT && size < (size_t)wanted) size *= 2;
    return size;
}

/* Absolute, with a last part that is a name. */
static char *path(struct field *field) {
    char *said = text(field);
    const char *name = strrchr(said, '/');
    if (*said != '/' || !name[1] || strcmp(name, "/.") == 0 || strcmp(name, "/..") == 0) field->bad = true;
    return said;
}

static char *line(struct field *field) {
    char *said = text(field);
    if (!*said || strchr(said, '\n')) field->bad = true;
    return said;
}

static void parse_field(struct launch *launch, struct field *field) {
    switch (field->tag) {
    case TAG_VERSION: field->bad = number(field) != 1; break;
    case TAG_JOB: launch->job = (uint64_t)number(field); break;
    case TAG_STEP: launch->step = text(field); break;
    case TAG_ATTEMPT: launch->attempt = (uint64_t)number(field); break;
    case TAG_NODE: launch->node = text(field); break;
    case TAG_DIRECTORY: launch->directory = text(field); break;
    case TAG_UID: launch->uid = (uid_t)number(field); break;
    case TAG_GID: launch->gid = (gid_t)number(field); break;
    case TAG_GROUP: add_group(launch, (gid_t)number(field)); break;
    case TAG_ARGUMENT: add(&launch->arguments, text(field)); break;
    case TAG_ENVIRONMENT: add(&launch->environment, text(field)); break;
    case TAG_CWD: launch->cwd = text(field); break;
    case TAG_UMASK: launch->umask = (mode_t)number(field) & 0777; break;
    case TAG_LIMIT: add(&launch->limits, text(field)); break;
    case TAG_NICE: launch->nice = (int)number(field); break;
    case TAG_CPUS: launch->cpus = text(field); break;
    case TAG_CGROUP: add(&launch->cgroups, text(field)); break;
    case TAG_MEMORY_CGROUP: launch->memory_cgroup = text(field); break;
    case TAG_SCRIPT:
        launch->script = field->bytes;
        launch->script_length = field->length;
        break;
    case TAG_TIME_LIMIT: launch->time_limit_ms = number(field); break;
    case TAG_KILL_WAIT: launch->kill_wait_ms = number(field); break;
    case TAG_WARN_SIGNAL: launch->warn_signal = (int)number(field); break;
    case TAG_WARN_BEFORE: launch->warn_before_ms = number(field); break;
    case TAG_WARN_LEADER_ONLY: launch->warn_leader_only = number(field) != 0; break;
    case TAG_KILL_ON_BAD_EXIT: launch->kill_on_bad_exit = number(field) != 0; break;
    case TAG_WINDOW: window(launch, field); break;
    case TAG_TASK: add_task(launch, field); break;
    case TAG_KEPT_OUTPUT: launch->kept_output = kept(field); break;
    case TAG_SESSION: launch->session = path(field); break;
    case TAG_SESSION_HOME: launch->session_home = path(field); break;
    case TAG_SESSION_PASSWD: launch->session_passwd = line(field); break;
    case TAG_SESSION_GROUP: launch->session_group = line(field); break;
    case TAG_SESSION_SHOWN: launch->session_shown = path(field); break;
    case TAG_LEASE: launch->lease_ms = number(field); break;
    case TAG_STEP_LIMIT: launch->step_limit_ms = number(field); break;
    case TAG_LOGIN_SHELL: launch->login_shell = text(field); break;
    case TAG_LOGIN_TIME: launch->login_ms = number(field); break;
    case TAG_ACCOUNT: add(&launch->account, text(field)); break;
    case TAG_NODE_LIMIT: add(&launch->node_limits, text(field)); break;
    case TAG_DENIED_DEVICE: add(&launch->denied_devices, text(field)); break;
    default: field->bad = true;
    }
}

/* Zero would mean root: who runs the step must have been said, not defaulted. */
static const char *missing(const struct launch *launch, bool uid_said, bool gid_said) {
    if (!uid_said || !gid_said) return "the launch names no uid or gid";
    if (!launch->job || !launch->step || !launch->node) return "the launch names no job, step or node";
    if (!launch->directory || launch->directory[0] != '/') return "the launch names no absolute step directory";
    if (!launch->cwd) return "the launch names no working directory";
    if (!launch->task_count) return "the launch has no tasks";
    if (!launch->arguments.count && !launch->script) return "the launch has no command";
    return NULL;
}

const char *launch_parse(struct launch *launch, const unsigned char *message, size_t length) {
    *launch = (struct launch){.time_limit_ms = -1, .step_limit_ms = -1, .lease_ms = -1, .kill_wait_ms = 30000, .umask = 022};
    bool uid_said = false;
    bool gid_said = false;
    struct reader reader = reader_of(message, length);
    while (reader_left(&reader)) {
        struct field field = next_field(&reader);
        if (reader.bad) return "the launch is cut short";
        parse_field(launch, &field);
        if (field.holds_nul) return "a text of the launch holds a NUL";
        if (field.bad) return "the launch has a field this supervisor does not understand";
        uid_said |= field.tag == TAG_UID;
        gid_said |= field.tag == TAG_GID;
    }
    return reader.bad ? "the launch is cut short" : missing(launch, uid_said, gid_said);
}

bool launch_is_batch(const struct launch *launch) { return strcmp(launch->step, "batch") == 0; }
