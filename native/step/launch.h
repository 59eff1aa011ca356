/* What a step is asked to run: the launch description, read once and never changed. */
#ifndef SPUR_LAUNCH_H
#define SPUR_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A NULL-terminated list of strings. */
struct strings {
    char **items;
    size_t count;
};

enum stdio_kind {
    STDIO_NULL,   /* /dev/null */
    STDIO_SOCKET, /* a pipe that the supervisor streams to whoever attached */
    STDIO_PTY,    /* the step's terminal */
    STDIO_SAME,   /* stderr only: where stdout goes */
    STDIO_READ,
    STDIO_TRUNCATE,
    STDIO_APPEND,
    STDIO_SHARED, /* truncated now, but others append to it too */
};

struct stdio {
    enum stdio_kind kind;
    const char *path;
};

struct task_spec {
    uint32_t rank;
    uint32_t local;
    struct strings environment; /* added to, and winning over, the step's */
    struct strings arguments;   /* empty: the step's */
    struct stdio stdio[3];
    const char *cpus;
    const char *bind_report; /* how the line begins that tells where the task was bound; NULL: none is said */
};

struct launch {
    uint64_t job;
    uint64_t attempt;
    const char *step;
    const char *node;
    const char *directory; /* of this step, in spurd's spool */
    uid_t uid;
    gid_t gid;
    gid_t *groups;
    size_t group_count;
    struct strings arguments;
    struct strings environment;
    struct strings limits;      /* of the submitting shell: NOFILE=1024, CORE=unlimited */
    struct strings node_limits; /* of the node's own, which may raise what it has */
    const char *login_shell; /* asked for the environment of a login; NULL: not asked */
    int64_t login_ms;        /* how long it may take to answer */
    struct strings account;  /* what every login has: HOME, USER, PATH; for variables that nobody else sets */
    const char *cwd;
    mode_t umask;
    int nice;
    const char *cpus;
    struct strings cgroups; /* directories to join; the first is asked for the step's processes */
    const char *memory_cgroup;
    struct strings denied_devices; /* "c 195:3", where the supervisor is to keep the tasks from them */
    const unsigned char *script;
    size_t script_length;
    int64_t time_limit_ms; /* of the job; -1: none */
    int64_t step_limit_ms; /* of the step itself; -1: none */
    int64_t kill_wait_ms;
    int warn_signal; /* 0: none */
    int64_t warn_before_ms;
    bool warn_leader_only;
    bool kill_on_bad_exit;
    int64_t lease_ms; /* without a word of the agent nothing is left after that; -1: it goes on for ever */
    size_t kept_output; /* streams keep so many of their last bytes and wait for nobody; 0: they wait for their reader */
    const char *session;    /* the file that names the job's session on this node; NULL: it has none */
    const char *session_home; /* made when there is none; NULL: nothing is made */
    const char *session_passwd; /* a line that /etc/passwd begins with in the session; or NULL */
    const char *session_group;
    const char *session_shown; /* a directory of the node that stays visible below the session's own /tmp; or NULL */
    uint16_t rows;
    uint16_t columns;
    struct task_spec *tasks;
    size_t task_count;
};

/* Returns NULL, or what is wrong with the message. The launch keeps pointing into the message. */
const char *launch_parse(struct launch *launch, const unsigned char *message, size_t length);

bool launch_is_batch(const struct launch *launch);

#endif
