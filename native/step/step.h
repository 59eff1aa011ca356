/* A running step: what the supervisor knows, shared by its parts. */
#ifndef SPUR_STEP_H
#define SPUR_STEP_H

#include "launch.h"
#include "session.h"
#include "stream.h"
#include "wire.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum task_state { TASK_STARTING, TASK_RUNNING, TASK_ENDED };

/* Totals of a task's processes, and the largest its memory was at once. */
struct usage {
    uint64_t user_us;
    uint64_t system_us;
    uint64_t rss_kb;
    uint64_t vmsize_kb;
    uint64_t pages; /* faults that had to read from a disk */
    uint64_t read_bytes;
    uint64_t write_bytes;
};

/* What the kernel counted for the step's control group, 0 where it does not count. */
struct group_usage {
    uint64_t user_us;
    uint64_t system_us;
    uint64_t memory_peak_kb; /* with cached files */
};

/* What a task reads: a pipe or terminal to write to, and what does not fit into it yet. */
struct input {
    int fd; /* -1: closed, or not streamed */
    bool terminal;
    bool ending; /* close when the queue is empty */
    struct buffer queue;
};

struct task {
    const struct task_spec *spec;
    enum task_state state;
    pid_t pid;
    int starting; /* socket to the child until it has executed its program */
    int stderr_fd;
    struct input input;
    int exit_code;
    int signal;
    struct usage settled; /* of its processes that have ended */
    struct usage used;
};

/*  STARTING -> RUNNING -> EXITING -> ENDED
 *  Starting: some task has not executed its program yet. Exiting: all tasks have ended, what they
 *  left behind is being killed. Ended: nothing of the step runs any more, the status is final. */
enum step_state { STEP_STARTING, STEP_RUNNING, STEP_EXITING, STEP_ENDED };

struct step {
    struct launch launch;
    enum step_state state;
    struct task *tasks;
    struct stream *streams;
    size_t stream_count;
    struct client *clients;
    char *script_path;
    const char *script_seen; /* where the tasks find it */
    struct session session;
    char *script_directory; /* made for the script because the step's own is out of the user's reach */
    int terminal;           /* master side, or -1 */
    uint64_t input_offset;
    int64_t started_ms; /* wall clock */
    int64_t ended_ms;
    int64_t deadline;      /* of the job; monotonic ms, or -1, as all that follow */
    int64_t step_deadline; /* of the step's own limit, which does not change */
    int64_t warn_at;
    int64_t kill_at;
    int64_t sweep_at;
    int64_t worry_at; /* when what is left has refused to die for too long */
    int64_t force_at; /* when the end is forced to disk, unless the controller has it by then */
    int64_t leave_at;
    int64_t lease_end; /* nothing is left then, unless the agent says before that the job may go on; in boot time */
    int64_t lease_at;  /* when the lease next wants something done; in boot time, or -1 */
    int lease_timer;
    bool timed_out;
    bool lease_over;
    int64_t save_at;    /* when the status that could not be saved is tried again */
    int64_t mute_at;    /* until when the writer of our own words has time */
    bool announced;     /* the reason of a kill is told once */
    bool mute;          /* the job's stderr takes nothing: nothing more is said */
    pid_t writer;       /* writes words to the job's stderr, see words.h; or 0 */
    struct buffer unsaid;
    int64_t began;      /* for usage.c, as the next ones */
    int64_t look_at;    /* when it is next looked what the tasks use */
    int64_t look_began;
    int64_t seen_at;    /* when the last look came to its end */
    int64_t blind_at;   /* until when the child that looks has time */
    pid_t looker;       /* or 0 */
    int look_fd;        /* what it writes, or -1 */
    struct buffer seen;
    struct group_usage group;
    bool unkillable;
    uint64_t oom_kills;
    bool oom_told;
    int unsaved; /* errno of the last attempt to save the status; 0: it is saved */
    char *error;
    bool node_fault; /* the error is the node's: other steps would fare no better here */
    bool dismissed;
};

int64_t monotonic_ms(void);
int64_t wall_ms(void);

/* Whether a moment has come; it is forgotten then. */
bool due(int64_t *at, int64_t now);

/* Asks the step to end: CONT and TERM now, KILL after the wait. */
void step_terminate(struct step *step, int64_t kill_wait_ms);

void step_set_time_limit(struct step *step, int64_t remaining_ms);

/* The step may go on for so long without another word, -1: for ever. */
void step_set_lease(struct step *step, int64_t remaining_ms);

#endif
