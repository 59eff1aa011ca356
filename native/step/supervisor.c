#include "supervisor.h"

#include "cgroup.h"
#include "client.h"
#include "processes.h"
#include "status.h"
#include "task.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SWEEP_MS = 20, FORCE_MS = 100, UNKILLABLE_MS = 60 * 1000, UNREAD_OUTPUT_MS = 10 * 60 * 1000 };

static int64_t clock_ms(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

int64_t monotonic_ms(void) { return clock_ms(CLOCK_MONOTONIC); }
int64_t wall_ms(void) { return clock_ms(CLOCK_REALTIME); }

static void publish(struct step *step) {
    status_save(step);
    clients_tell_status(step);
}

/* ---- words to the job ---- */

static struct stream *message_stream(struct step *step) {
    for (uint8_t wanted = 2; wanted >= 1; wanted--) {
        for (size_t i = 0; i < step->stream_count; i++) {
            if (step->streams[i].number == wanted) return &step->streams[i];
        }
    }
    return NULL;
}

static void write_message(struct step *step, const struct buffer *line) {
    struct stream *stream = message_stream(step);
    if (stream) {
        stream_write(stream, line->data, line->length);
        return;
    }
    for (size_t i = 0; i < step->launch.task_count; i++) {
        if (step->tasks[i].stderr_fd < 0) continue;
        if (write(step->tasks[i].stderr_fd, line->data, line->length) < 0) continue;
        return;
    }
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
    write_message(step, &line);
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

/* ---- time ---- */

void step_terminate(struct step *step, int64_t kill_wait_ms) {
    if (step->state == STEP_ENDED) return;
    signal_step(&step->launch.cgroups, SIGCONT);
    signal_step(&step->launch.cgroups, SIGTERM);
    int64_t kill_at = monotonic_ms() + (kill_wait_ms < 0 ? 0 : kill_wait_ms);
    if (step->kill_at < 0 || kill_at < step->kill_at) step->kill_at = kill_at;
}

void step_set_time_limit(struct step *step, int64_t remaining_ms) {
    const struct launch *launch = &step->launch;
    step->deadline = remaining_ms < 0 ? -1 : monotonic_ms() + remaining_ms;
    step->warn_at = step->deadline >= 0 && launch->warn_signal ? step->deadline - launch->warn_before_ms : -1;
}

void step_set_lease(struct step *step, int64_t remaining_ms) {
    if (step->lease_over) return; /* whoever comes now comes too late: the job may begin elsewhere */
    step->lease_end = remaining_ms < 0 ? -1 : monotonic_ms() + remaining_ms;
}

static void warn(struct step *step) {
    if (!step->launch.warn_leader_only) {
        signal_step(&step->launch.cgroups, step->launch.warn_signal);
        return;
    }
    for (size_t i = 0; i < step->launch.task_count; i++) {
        const struct task *task = &step->tasks[i];
        if (task->pid > 0 && task->state != TASK_ENDED) kill(task->pid, step->launch.warn_signal);
    }
}

static bool due(int64_t *at, int64_t now) {
    if (*at < 0 || now < *at) return false;
    *at = -1;
    return true;
}

static void end(struct step *step) {
    step->state = STEP_ENDED;
    step->ended_ms = wall_ms();
    step->deadline = step->warn_at = step->lease_end = step->kill_at = step->sweep_at = -1;
    uint64_t kills = oom_kills(step->launch.memory_cgroup);
    if (kills > step->oom_kills) step->oom_kills = kills;
    if (step->oom_kills) {
        step_say(step,
                 "Detected %llu oom-kill event(s) in StepId=%llu.%s. Some of your processes may have been killed by "
                 "the cgroup out-of-memory handler.",
                 (unsigned long long)step->oom_kills, (unsigned long long)step->launch.job, step->launch.step);
    }
    script_remove(step);
    for (size_t i = 0; i < step->launch.task_count; i++) {
        struct input *input = &step->tasks[i].input;
        if (input->fd >= 0) close(input->fd);
        input->fd = -1;
        buffer_free(&input->queue);
    }
    publish(step);
    step->force_at = monotonic_ms() + FORCE_MS;
    step->leave_at = monotonic_ms() + UNREAD_OUTPUT_MS;
}

/* Kills what the tasks left behind, again and again until nothing of it remains. */
static void sweep(struct step *step) {
    if (signal_step(&step->launch.cgroups, SIGKILL) == 0) {
        end(step);
    } else if (monotonic_ms() >= step->give_up_at) {
        step->unkillable = true;
        end(step);
    } else {
        step->sweep_at = monotonic_ms() + SWEEP_MS;
    }
}

static void begin_exit(struct step *step) {
    step->state = STEP_EXITING;
    step->give_up_at = monotonic_ms() + UNKILLABLE_MS;
    sweep(step);
}

static void keep_time(struct step *step) {
    int64_t now = monotonic_ms();
    if (step->state < STEP_EXITING) {
        if (due(&step->warn_at, now)) warn(step);
        if (due(&step->deadline, now)) {
            step->timed_out = true;
            step_announce(step, "DUE TO TIME LIMIT");
            step_terminate(step, step->launch.kill_wait_ms);
            publish(step);
        }
        if (due(&step->lease_end, now)) {
            step->lease_over = true;
            step_announce(step, "DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS");
            step_terminate(step, step->launch.kill_wait_ms);
            publish(step);
        }
        if (due(&step->kill_at, now)) {
            signal_step(&step->launch.cgroups, SIGKILL);
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
    sooner(&first, step->warn_at);
    sooner(&first, step->lease_end);
    sooner(&first, step->kill_at);
    sooner(&first, step->sweep_at);
    sooner(&first, step->force_at);
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

static uint64_t microseconds(const struct timeval *time) {
    return (uint64_t)time->tv_sec * 1000000 + (uint64_t)time->tv_usec;
}

static void task_ended(struct step *step, struct task *task, int status, const struct rusage *usage) {
    if (task->starting >= 0) task_started(step, task);
    task->state = TASK_ENDED;
    task->user_us = microseconds(&usage->ru_utime);
    task->system_us = microseconds(&usage->ru_stime);
    task->max_rss_kb = (uint64_t)usage->ru_maxrss;
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

static void reap(struct step *step) {
    int status;
    struct rusage usage;
    bool news = false;
    bool bad_exit = false;
    for (pid_t pid; (pid = wait4(-1, &status, WNOHANG, &usage)) > 0;) {
        struct task *task = task_of(step, pid);
        if (!task) continue; /* an orphan that came to us */
        task_ended(step, task, status, &usage);
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
        step_announce(step, "DUE TO TASK FAILURE");
        step_terminate(step, step->launch.kill_wait_ms);
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
        clients_poll(step, client, add_source(sources, -1, 0));
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

static void dispatch(struct step *step, const struct sources *sources, int signals, int listener) {
    const struct pollfd *entry = sources->entries;
    struct signalfd_siginfo discarded;
    bool child = (entry++)->revents != 0;
    bool caller = (entry++)->revents != 0;
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
    if (step->clients) return false;
    return !clients_have_pending_output(step) || monotonic_ms() >= step->leave_at;
}

static void loop(struct step *step, int signals, int listener) {
    struct sources sources = {0};
    while (!finished(step)) {
        for (struct client *client = step->clients; client; client = client->next) client_send(step, client);
        clients_remove_broken(step);
        if (finished(step)) return;
        gather(step, &sources, signals, listener);
        int ready = poll(sources.entries, sources.count, poll_timeout(step));
        if (ready < 0 && errno != EINTR) abort();
        if (ready > 0) dispatch(step, &sources, signals, listener);
        keep_time(step);
        if (step->leave_at >= 0 && monotonic_ms() >= step->leave_at && step->clients) {
            step->leave_at = monotonic_ms() + UNREAD_OUTPUT_MS;
        }
    }
}

/* ---- beginning ---- */

static _Noreturn void refuse(int connection, const char *why) {
    struct buffer frame = {0};
    frame_append(&frame, 'R', why, strlen(why), NULL, 0);
    if (send(connection, frame.data, frame.length, MSG_NOSIGNAL) < 0) _exit(2);
    _exit(1);
}

/* The file `claim` is made once per launch: by the supervisor that runs it, or by a spurd that gives
 * the launch up. Its lock says whether the supervisor lives; it goes with the process. */
static void claim(int connection) {
    int fd = open("claim", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) refuse(connection, "this launch has been claimed already");
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(fd, F_OFD_SETLK, &lock) != 0) refuse(connection, "the claim of this launch cannot be locked");
}

static int listen_for_clients(int connection) {
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "control"};
    unlink("control");
    mode_t previous = umask(0177);
    bool bound = listener >= 0 && bind(listener, (struct sockaddr *)&address, sizeof address) == 0 &&
                 listen(listener, 64) == 0;
    umask(previous);
    if (!bound) refuse(connection, "cannot listen on the step's control socket");
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
            step->streams[step->stream_count++] = (struct stream){.rank = spec->rank, .number = number, .fd = -1};
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

static void start_tasks(struct step *step) {
    bool script = script_write(step);
    for (size_t i = 0; i < step->launch.task_count; i++) {
        struct task *task = &step->tasks[i];
        if (script) {
            task_start(step, task);
        } else {
            task->state = TASK_ENDED;
            task->exit_code = 1;
        }
    }
    step_set_time_limit(step, step->launch.time_limit_ms);
    step_set_lease(step, step->launch.lease_ms);
    publish(step);
    if (all_ended(step)) begin_exit(step);
}

void supervise(int connection, const unsigned char *message, size_t length) {
    struct step step = {.terminal = -1, .deadline = -1, .warn_at = -1, .lease_end = -1, .kill_at = -1, .sweep_at = -1,
                        .give_up_at = -1, .force_at = -1, .leave_at = -1};
    const char *wrong = launch_parse(&step.launch, message, length);
    if (wrong) refuse(connection, wrong);
    if (geteuid() != 0 && geteuid() != step.launch.uid) {
        refuse(connection, "spurd runs without root: only its own user's jobs can run here");
    }
    if (chdir(step.launch.directory) != 0) refuse(connection, "the step's directory does not exist");
    /* Without root all jobs are one user's: nothing to keep apart, and no right to. */
    if (geteuid() == 0 && !cgroups_deny_devices(&step.launch.cgroups, &step.launch.denied_devices)) {
        refuse(connection, "devices of other jobs cannot be kept from this one: the kernel takes no device filter");
    }
    claim(connection);
    ignore_interruptions();
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    int signals = watch_children();
    int listener = listen_for_clients(connection);

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
