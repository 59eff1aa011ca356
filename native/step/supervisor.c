#include "supervisor.h"

#include "cgroup.h"
#include "client.h"
#include "processes.h"
#include "status.h"
#include "task.h"
#include "usage.h"
#include "words.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SWEEP_MS = 20, UNKILLABLE_SWEEP_MS = 1000, FORCE_MS = 100, SAVE_AGAIN_MS = 1000, UNKILLABLE_MS = 60 * 1000, UNREAD_OUTPUT_MS = 10 * 60 * 1000 };

static int64_t clock_ms(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

int64_t monotonic_ms(void) { return clock_ms(CLOCK_MONOTONIC); }
int64_t wall_ms(void) { return clock_ms(CLOCK_REALTIME); }

/* Whoever removed the step's directory does not want to know of it. */
static bool directory_is_gone(void) {
    struct stat directory;
    return stat(".", &directory) == 0 && directory.st_nlink == 0;
}

/* Goes on while the host sleeps, as the controller's clock does. */
static int64_t lease_ms(void) { return clock_ms(CLOCK_BOOTTIME); }

/* What the disk does not take is said to whoever listens, and tried again: an end that is only in
 * memory would be lost with us. */
static void publish(struct step *step) {
    step->unsaved = 0;
    if (!status_save(step)) step->unsaved = errno;
    if (step->unsaved && directory_is_gone()) step->unsaved = 0;
    step->save_at = step->unsaved ? monotonic_ms() + SAVE_AGAIN_MS : -1;
    if (step->state == STEP_ENDED && !step->unsaved) step->force_at = monotonic_ms() + FORCE_MS;
    clients_tell_status(step);
}

/* ---- time ---- */

void step_terminate(struct step *step, int64_t kill_wait_ms) {
    if (step->state >= STEP_EXITING) return;
    signal_step(step, SIGCONT);
    signal_step(step, SIGTERM);
    int64_t kill_at = monotonic_ms() + (kill_wait_ms < 0 ? 0 : kill_wait_ms);
    if (step->kill_at < 0 || kill_at < step->kill_at) step->kill_at = kill_at;
}

void step_set_time_limit(struct step *step, int64_t remaining_ms) {
    const struct launch *launch = &step->launch;
    if (step->state >= STEP_EXITING) return;
    int64_t now = monotonic_ms();
    step->deadline = remaining_ms < 0 ? -1 : now + remaining_ms;
    bool warns = step->deadline >= 0 && launch->warn_signal;
    /* A warning that is due longer before the end than there is time is due now. */
    step->warn_at = !warns ? -1 : remaining_ms > launch->warn_before_ms ? step->deadline - launch->warn_before_ms : now;
}

/* What poll() waits for stands still while the host sleeps; the timer rings as soon as it wakes up. */
static void wake_for_lease(struct step *step, int64_t at) {
    step->lease_at = at;
    int64_t ms = at < 0 ? 0 : at > 0 ? at : 1; /* 0 would be no time at all */
    struct itimerspec when = {.it_value = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}};
    timerfd_settime(step->lease_timer, TFD_TIMER_ABSTIME, &when, NULL);
}

/* Nothing may be left when the lease ends, so this step begins to end as much earlier as its processes may take. */
void step_set_lease(struct step *step, int64_t remaining_ms) {
    if (step->lease_over) return; /* whoever comes now comes too late: the job may begin elsewhere */
    if (step->state >= STEP_EXITING) return;
    if (remaining_ms < 0) {
        wake_for_lease(step, -1);
        return;
    }
    int64_t now = lease_ms();
    int64_t begin_ms = remaining_ms - step->launch.kill_wait_ms;
    step->lease_end = now + remaining_ms;
    wake_for_lease(step, now + (begin_ms < 0 ? 0 : begin_ms));
}

/* First the step is asked to end; at the lease's end whatever is left is killed, however much of its
 * kill wait the host has slept. */
static void lease_due(struct step *step) {
    if (step->lease_over) {
        step->kill_at = monotonic_ms();
        return;
    }
    step->lease_over = true;
    step_terminate(step, step->lease_end - lease_ms());
    wake_for_lease(step, step->lease_end);
    step_announce(step, "DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS");
    publish(step);
}

static void warn(struct step *step) {
    if (!step->launch.warn_leader_only) {
        signal_step(step, step->launch.warn_signal);
    } else {
        signal_leaders(step, step->launch.warn_signal);
    }
}

bool due(int64_t *at, int64_t now) {
    if (*at < 0 || now < *at) return false;
    *at = -1;
    return true;
}

static void tell_of_oom_kills(struct step *step) {
    uint64_t kills = oom_kills(step->launch.memory_cgroup);
    if (kills > step->oom_kills) step->oom_kills = kills;
    if (!step->oom_kills || step->oom_told) return;
    step->oom_told = true;
    step_say(step,
             "Detected %llu oom-kill event(s) in StepId=%llu.%s. Some of your processes may have been killed by "
             "the cgroup out-of-memory handler.",
             (unsigned long long)step->oom_kills, (unsigned long long)step->launch.job, step->launch.step);
}

static void end(struct step *step) {
    step->state = STEP_ENDED;
    step->ended_ms = wall_ms();
    step->sweep_at = -1;
    usage_end(step);
    script_remove(step);
    for (size_t i = 0; i < step->launch.task_count; i++) {
        struct input *input = &step->tasks[i].input;
        if (input->fd >= 0) close(input->fd);
        input->fd = -1;
        buffer_free(&input->queue);
    }
    publish(step);
    step->leave_at = monotonic_ms() + UNREAD_OUTPUT_MS;
}

/* Kills what the tasks left behind, again and again until nothing of it remains. Whoever hears of the
 * end finds our last words in the job's output. */
static void sweep(struct step *step) {
    int64_t now = monotonic_ms();
    bool gone = signal_step(step, SIGKILL) == 0;
    if (gone) tell_of_oom_kills(step);
    if (gone && !words_pending(step)) {
        end(step);
        return;
    }
    if (!gone && due(&step->worry_at, now)) {
        step->unkillable = true; /* in the kernel's hands, on a dead disk or device: it may still come back */
        publish(step);
    }
    step->sweep_at = now + (step->unkillable ? UNKILLABLE_SWEEP_MS : SWEEP_MS);
}

/* What could still end the tasks is over with them; a moment that nobody waits for must not keep us awake. */
static void begin_exit(struct step *step) {
    step->state = STEP_EXITING;
    step->deadline = step->step_deadline = step->warn_at = step->kill_at = step->look_at = -1;
    wake_for_lease(step, -1);
    step->worry_at = monotonic_ms() + UNKILLABLE_MS;
    sweep(step);
}

static void keep_time(struct step *step) {
    int64_t now = monotonic_ms();
    words_keep_time(step, now);
    usage_keep_time(step, now);
    if (due(&step->save_at, now)) publish(step);
    if (step->state < STEP_EXITING) {
        if (due(&step->warn_at, now)) warn(step);
        if (due(&step->deadline, now) || due(&step->step_deadline, now)) {
            step->timed_out = true;
            step_terminate(step, step->launch.kill_wait_ms);
            step_announce(step, "DUE TO TIME LIMIT");
            publish(step);
        }
        if (due(&step->lease_at, lease_ms())) lease_due(step);
        if (due(&step->kill_at, now)) {
            signal_step(step, SIGKILL);
            step->kill_at = now + 1000; /* one that was just being forked may have escaped */
        }
    } else if (due(&step->sweep_at, now)) {
        sweep(step);
    } else if (due(&step->force_at, now)) {
        status_force();
    }
}

static void sooner(int64_t *first, int64_t at) {
    if (at >= 0 && (*first < 0 || at < *first)) *first = at;
}

static int poll_timeout(const struct step *step) {
    int64_t first = -1;
    sooner(&first, step->deadline);
    sooner(&first, step->step_deadline);
    sooner(&first, step->warn_at);
    sooner(&first, step->kill_at);
    sooner(&first, step->sweep_at);
    sooner(&first, step->force_at);
    sooner(&first, step->save_at);
    sooner(&first, step->mute_at);
    sooner(&first, step->look_at);
    sooner(&first, step->blind_at);
    sooner(&first, step->leave_at);
    if (first < 0) return -1;
    int64_t wait = first - monotonic_ms();
    return wait < 0 ? 0 : wait > 3600000 ? 3600000 : (int)wait;
}

/* ---- ends of processes ---- */

static struct task *task_of(struct step *step, pid_t pid) {
    for (size_t i = 0; i < step->launch.task_count; i++) {
        if (step->tasks[i].pid == pid && step->tasks[i].state != TASK_ENDED) return &step->tasks[i];
    }
    return NULL;
}

static void task_ended(struct step *step, struct task *task, int status) {
    if (task->starting >= 0) task_started(step, task);
    task->state = TASK_ENDED;
    if (task->signal) return; /* its files could not be opened: the reason is set already */
    if (WIFSIGNALED(status)) {
        task->signal = WTERMSIG(status);
    } else {
        task->exit_code = WEXITSTATUS(status);
    }
    step->oom_kills = oom_kills(step->launch.memory_cgroup);
}

static bool all_ended(const struct step *step) {
    for (size_t i = 0; i < step->launch.task_count; i++) {
        if (step->tasks[i].state != TASK_ENDED) return false;
    }
    return true;
}

/* A task that asks to be traced by its parent asks us: it has stopped, not ended, and goes on untraced. */
static void let_go_on(pid_t pid, int stopped_by) {
    intptr_t signal = stopped_by == SIGTRAP ? 0 : stopped_by; /* that one only tells of its exec */
    ptrace(PTRACE_DETACH, pid, NULL, (void *)signal);
}

/* A child that has ended, or stopped, is looked at before it is waited for: afterwards nothing of it is left. */
static pid_t next_child(struct remains *remains) {
    siginfo_t child = {0};
    if (waitid(P_ALL, 0, &child, WEXITED | WNOHANG | WNOWAIT) != 0 || child.si_pid <= 0) return 0;
    bool ended = child.si_code == CLD_EXITED || child.si_code == CLD_KILLED || child.si_code == CLD_DUMPED;
    *remains = ended ? usage_remains(child.si_pid) : (struct remains){0};
    return child.si_pid;
}

static void reap(struct step *step) {
    int status;
    struct rusage usage;
    struct remains remains;
    bool news = false;
    bool bad_exit = false;
    for (pid_t pid; (pid = next_child(&remains)) > 0 && wait4(pid, &status, WNOHANG, &usage) == pid;) {
        if (WIFSTOPPED(status)) {
            let_go_on(pid, WSTOPSIG(status));
            continue;
        }
        if (words_written(step, pid) || usage_looked(step, pid)) continue;
        struct task *task = task_of(step, pid);
        usage_settle(step, task, &remains, &usage);
        if (!task) continue; /* an orphan that came to us */
        task_ended(step, task, status);
        news = true;
        bad_exit |= task->exit_code || task->signal;
    }
    if (step->state == STEP_EXITING) step->sweep_at = monotonic_ms(); /* perhaps that was the last one */
    if (step->state >= STEP_EXITING || !news) return;
    if (all_ended(step)) {
        begin_exit(step);
        return;
    }
    if (bad_exit && step->launch.kill_on_bad_exit && step->kill_at < 0) {
        step_terminate(step, step->launch.kill_wait_ms);
        step_announce(step, "");
    }
    publish(step);
}

/* ---- the loop ---- */

static void write_input(struct input *input) {
    while (input->queue.length) {
        ssize_t length = write(input->fd, input->queue.data, input->queue.length);
        if (length > 0) {
            buffer_consume(&input->queue, (size_t)length);
        } else if (length < 0 && errno == EINTR) {
            continue;
        } else if (length < 0 && errno == EAGAIN) {
            return;
        } else {
            buffer_free(&input->queue); /* the task reads no more */
            input->ending = true;
        }
    }
    if (input->ending) {
        close(input->fd);
        input->fd = -1;
    }
}

static void note_started(struct step *step) {
    if (step->state != STEP_STARTING) return;
    for (size_t i = 0; i < step->launch.task_count; i++) {
        if (step->tasks[i].state == TASK_STARTING) return;
    }
    step->state = STEP_RUNNING;
    publish(step);
}

struct sources {
    struct pollfd *entries;
    size_t count;
    size_t capacity;
};

static struct pollfd *add_source(struct sources *sources, int fd, short events) {
    if (sources->count == sources->capacity) {
        sources->capacity = sources->capacity ? sources->capacity * 2 : 16;
        sources->entries = realloc(sources->entries, sources->capacity * sizeof *sources->entries);
        if (!sources->entries) abort();
    }
    struct pollfd *entry = &sources->entries[sources->count++];
    *entry = (struct pollfd){.fd = fd, .events = events};
    return entry;
}

/* A fixed order that dispatch() repeats; fd -1 entries are skipped by poll. */
static void gather(const struct step *step, struct sources *sources, int signals, int listener) {
    sources->count = 0;
    add_source(sources, signals, POLLIN);
    add_source(sources, listener, POLLIN);
    add_source(sources, step->lease_timer, POLLIN);
    add_source(sources, step->look_fd, POLLIN);
    for (size_t i = 0; i < step->launch.task_count; i++) {
        const struct task *task = &step->tasks[i];
        add_source(sources, task->starting, POLLIN);
        bool writes = task->input.fd >= 0 && (task->input.queue.length || task->input.ending);
        add_source(sources, writes ? task->input.fd : -1, POLLOUT);
    }
    for (size_t i = 0; i < step->stream_count; i++) {
        const struct stream *stream = &step->streams[i];
        add_source(sources, stream_wants_input(stream) ? stream->fd : -1, POLLIN);
    }
    for (const struct client *client = step->clients; client; client = client->next) {
        client_poll(client, add_source(sources, -1, 0));
    }
}

static void accept_client(struct step *step, int listener) {
    int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) return;
    struct ucred peer;
    socklen_t length = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0 || peer.uid != geteuid()) {
        close(fd);
        return;
    }
    client_add(step, fd);
}

/* Silences it: keep_time() looks at the clock itself. */
static void hear_timer(struct step *step) {
    uint64_t rings;
    if (read(step->lease_timer, &rings, sizeof rings) < 0) return; /* it was set anew in this moment */
}

static void dispatch(struct step *step, const struct sources *sources, int signals, int listener) {
    const struct pollfd *entry = sources->entries;
    struct signalfd_siginfo discarded;
    bool child = (entry++)->revents != 0;
    bool caller = (entry++)->revents != 0;
    if ((entry++)->revents) hear_timer(step);
    if ((entry++)->revents) usage_receive(step);
    for (size_t i = 0; i < step->launch.task_count; i++) {
        struct task *task = &step->tasks[i];
        if ((entry++)->revents) task_started(step, task);
        if ((entry++)->revents) write_input(&task->input);
    }
    for (size_t i = 0; i < step->stream_count; i++) {
        if ((entry++)->revents) stream_fill(&step->streams[i]);
    }
    for (struct client *client = step->clients; client; client = client->next, entry++) {
        if (entry->revents & (POLLIN | POLLHUP | POLLERR)) client_receive(step, client);
    }
    note_started(step);
    while (child && read(signals, &discarded, sizeof discarded) > 0) continue;
    if (child) reap(step);
    if (caller) accept_client(step, listener);
}

/* Nobody needs us any more: told to go, or everything is on disk and nobody is connected. */
static bool finished(const struct step *step) {
    if (step->state != STEP_ENDED) return false;
    if (step->dismissed) return true;
    if (step->clients || step->unsaved) return false;
    return !clients_have_pending_output(step) || monotonic_ms() >= step->leave_at;
}

static void loop(struct step *step, int signals, int listener) {
    struct sources sources = {0};
    while (!finished(step)) {
        for (struct client *client = step->clients; client; client = client->next) {
            client_go_on(step, client);
            client_send(step, client);
        }
        clients_remove_broken(step);
        if (finished(step)) return;
        gather(step, &sources, signals, listener);
        int ready = poll(sources.entries, sources.count, poll_timeout(step));
        if (ready < 0 && errno != EINTR) abort();
        if (ready > 0) dispatch(step, &sources, signals, listener);
        keep_time(step);
        if (step->leave_at >= 0 && monotonic_ms() >= step->leave_at && !finished(step)) {
            step->leave_at = monotonic_ms() + UNREAD_OUTPUT_MS;
        }
    }
}

/* ---- beginning ---- */

/* Who is to blame that a launch is refused: whoever made it, or this node, which other launches then fail on, too. */
enum fault { FAULT_LAUNCH = 'R', FAULT_NODE = 'N' };

static _Noreturn void refuse(int connection, enum fault fault, const char *why) {
    struct buffer frame = {0};
    frame_append(&frame, (char)fault, why, strlen(why), NULL, 0);
    if (send(connection, frame.data, frame.length, MSG_NOSIGNAL) < 0) _exit(2);
    _exit(1);
}

/* The file `claim` is made once per launch: by the supervisor that runs it, or by a spurd that gives
 * the launch up. Its lock says whether the supervisor lives; it goes with the process. So it is locked
 * before it has its name: one that is found without a lock has no supervisor. */
static void claim(int connection) {
    char draft[32];
    snprintf(draft, sizeof draft, "claim.%d", (int)getpid());
    int fd = open(draft, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) refuse(connection, FAULT_NODE, "the step's directory takes no file");
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    bool locked = fcntl(fd, F_OFD_SETLK, &lock) == 0;
    bool claimed = locked && link(draft, "claim") == 0;
    int because = errno;
    unlink(draft);
    if (!locked) refuse(connection, FAULT_NODE, "the claim of this launch cannot be locked");
    if (!claimed && because == EEXIST) refuse(connection, FAULT_LAUNCH, "this launch has been claimed already");
    if (!claimed) refuse(connection, FAULT_NODE, "the step's directory takes no file");
}

enum { LOWEST_UID = 1000 };

/* Before this process is to be the parent of orphans: the session's first process is to be nobody's. */
static void join_session(int connection, struct step *step) {
    if (geteuid() != 0) refuse(connection, FAULT_LAUNCH, "only root can make sessions");
    if (step->launch.uid < LOWEST_UID || step->launch.gid == 0) {
        refuse(connection, FAULT_LAUNCH, "a session never runs as a user of the system");
    }
    const char *wrong = session_open(&step->session, &step->launch);
    if (!wrong) return;
    char text[512];
    snprintf(text, sizeof text, errno ? "%s: %s" : "%s", wrong, strerror(errno));
    refuse(connection, FAULT_NODE, text);
}

static int listen_for_clients(int connection) {
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "control"};
    unlink("control");
    mode_t previous = umask(0177);
    bool bound = listener >= 0 && bind(listener, (struct sockaddr *)&address, sizeof address) == 0 &&
                 listen(listener, 64) == 0;
    umask(previous);
    if (!bound) refuse(connection, FAULT_NODE, "cannot listen on the step's control socket");
    return listener;
}

static int watch_children(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    signal(SIGCHLD, SIG_DFL);
    sigprocmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* A terminal's hang-up, a shutdown's TERM or a closed pipe is no reason to leave tasks unwatched. */
static void ignore_interruptions(void) {
    static const int IGNORED[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGUSR1, SIGUSR2, SIGTSTP, SIGTTIN, SIGTTOU};
    for (size_t i = 0; i < sizeof IGNORED / sizeof *IGNORED; i++) signal(IGNORED[i], SIG_IGN);
}

static size_t count_streams(const struct task_spec *spec) {
    size_t count = 0;
    for (int i = 1; i <= 2; i++) count += spec->stdio[i].kind == STDIO_SOCKET;
    return count + (spec->stdio[1].kind == STDIO_PTY);
}

static void make_streams(struct step *step) {
    size_t count = 0;
    for (size_t i = 0; i < step->launch.task_count; i++) count += count_streams(&step->launch.tasks[i]);
    step->streams = must_alloc(count * sizeof *step->streams);
    for (size_t i = 0; i < step->launch.task_count; i++) {
        const struct task_spec *spec = &step->launch.tasks[i];
        for (uint8_t number = 1; number <= 2; number++) {
            enum stdio_kind kind = spec->stdio[number].kind;
            if (kind != STDIO_SOCKET && (kind != STDIO_PTY || number != 1)) continue;
            step->streams[step->stream_count++] = (struct stream){
                .rank = spec->rank,
                .number = number,
                .fd = -1,
                .limit = step->launch.kept_output,
                .flows = step->launch.kept_output > 0};
        }
    }
}

static void make_tasks(struct step *step) {
    step->tasks = must_alloc(step->launch.task_count * sizeof *step->tasks);
    for (size_t i = 0; i < step->launch.task_count; i++) {
        step->tasks[i] = (struct task){
            .spec = &step->launch.tasks[i], .starting = -1, .stderr_fd = -1, .input = {.fd = -1}};
    }
}

/* Whoever finds us dead must find our status, too, if tasks may have begun. */
static void start_tasks(struct step *step) {
    bool script = script_write(step);
    status_save(step);
    for (size_t i = 0; i < step->launch.task_count; i++) {
        struct task *task = &step->tasks[i];
        if (script) {
            task_start(step, task);
        } else {
            task->state = TASK_ENDED;
            task->exit_code = 1;
        }
    }
    if (step->launch.step_limit_ms >= 0) step->step_deadline = monotonic_ms() + step->launch.step_limit_ms;
    step_set_time_limit(step, step->launch.time_limit_ms);
    step_set_lease(step, step->launch.lease_ms);
    usage_begin(step);
    publish(step);
    if (all_ended(step)) begin_exit(step);
}

void supervise(int connection, const unsigned char *message, size_t length) {
    struct step step = {.session = NO_SESSION, .terminal = -1, .deadline = -1, .step_deadline = -1, .warn_at = -1, .lease_at = -1, .kill_at = -1, .sweep_at = -1,
                        .worry_at = -1, .force_at = -1, .leave_at = -1, .save_at = -1, .mute_at = -1, .look_at = -1, .blind_at = -1, .look_fd = -1};
    const char *wrong = launch_parse(&step.launch, message, length);
    if (wrong) refuse(connection, FAULT_LAUNCH, wrong);
    if (geteuid() != 0 && geteuid() != step.launch.uid) {
        refuse(connection, FAULT_LAUNCH, "spurd runs without root: only its own user's jobs can run here");
    }
    if (chdir(step.launch.directory) != 0) refuse(connection, FAULT_NODE, "the step's directory does not exist");
    /* Without root all jobs are one user's: nothing to keep apart, and no right to. */
    if (geteuid() == 0 && !cgroups_deny_devices(&step.launch.cgroups, &step.launch.denied_devices)) {
        refuse(connection, FAULT_NODE, "devices of other jobs cannot be kept from this one: the kernel takes no device filter");
    }
    claim(connection);
    if (step.launch.session) join_session(connection, &step);
    ignore_interruptions();
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    int signals = watch_children();
    int listener = listen_for_clients(connection);
    step.lease_timer = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    if (step.lease_timer < 0) refuse(connection, FAULT_NODE, "no timer can be made for the step's lease");

    make_tasks(&step);
    make_streams(&step);
    fcntl(connection, F_SETFL, fcntl(connection, F_GETFL) | O_NONBLOCK);
    client_add(&step, connection)->events = true;
    step.started_ms = wall_ms();
    start_tasks(&step);
    loop(&step, signals, listener);
    if (!step.dismissed && step.force_at >= 0) status_force();
    unlink("control");
    _exit(0);
}
