/* Signals to this process, and the terminal, which signals must not leave in raw mode. */
#define _GNU_SOURCE
#include "bytes.h"
#include "door.h"
#include "protocol.h"
#include "session.h"
#include "spur.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <stdlib.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

sigset_t original_mask;
int signals = -1;
bool raw;
static uint64_t caught;
static int64_t die_at = -1; /* a TERM came: the answer that is under way has until then */
static struct termios cooked;

enum { ANSWER_MS = 2000 };

static const int deadly[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

void restore_terminal(void) {
    if (raw) {
        sigset_t stop, before;
        sigemptyset(&stop);
        sigaddset(&stop, SIGTTOU);
        sigprocmask(SIG_BLOCK, &stop, &before);
        tcsetattr(STDIN_FILENO, TCSADRAIN, &cooked);
        sigprocmask(SIG_SETMASK, &before, NULL);
        raw = false;
    }
}

/*
 * A command inside a job may be the one that ends or requeues the job: then the job's TERM reaches it
 * together with its answer. It has a moment to take that answer and end as it would have.
 */
static bool inside_a_job(void) {
    const char *job = getenv("SLURM_JOB_ID");
    return job != NULL && *job != '\0';
}

int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

/* What our caller had us ignore must not end us; blocked, it would be handed to us all the same. */
static bool is_ignored(int number) {
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

/*
 * Blocks what we want to read from the signal descriptor: what the command listens to, the ends of
 * children, a TERM that may wait for an answer, and, while the terminal is raw, what would end us
 * before we could restore it.
 */
void update_signals(void) {
    sigset_t wanted, mask = original_mask;
    sigemptyset(&wanted);
    for (int number = 1; number < 32; number++) {
        if (caught >> number & 1) {
            sigaddset(&wanted, number);
        }
    }
    if (has_children()) {
        sigaddset(&wanted, SIGCHLD);
    }
    if (inside_a_job() && !is_ignored(SIGTERM)) {
        sigaddset(&wanted, SIGTERM);
    }
    for (size_t i = 0; raw && i < sizeof deadly / sizeof *deadly; i++) {
        if (!is_ignored(deadly[i])) {
            sigaddset(&wanted, deadly[i]);
        }
    }
    for (int number = 1; number < 32; number++) {
        if (sigismember(&wanted, number)) {
            sigaddset(&mask, number);
        }
    }
    if (signals >= 0 || !sigisemptyset(&wanted)) {
        sigprocmask(SIG_BLOCK, &wanted, NULL);
        signals = signalfd(signals, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
        if (signals < 0) {
            fail("cannot listen to signals: %s", strerror(errno));
        }
    }
    sigprocmask(SIG_SETMASK, &mask, NULL);
}

void catch_signals(uint64_t mask) {
    caught = mask & ~(UINT64_C(1) << SIGCHLD);
    update_signals();
}

void set_raw(bool on) {
    if (on && !raw && tcgetattr(STDIN_FILENO, &cooked) == 0) {
        struct termios bare = cooked;
        cfmakeraw(&bare);
        raw = tcsetattr(STDIN_FILENO, TCSADRAIN, &bare) == 0;
    } else if (!on) {
        restore_terminal();
    }
    update_signals();
}

static bool is_deadly(int number) {
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++) {
        if (deadly[i] == number) {
            return true;
        }
    }
    return false;
}

__attribute__((noreturn)) static void die_by(int number) {
    restore_terminal();
    signal(number, SIG_DFL);
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, number);
    sigprocmask(SIG_UNBLOCK, &only, NULL);
    raise(number);
    _exit(128 + number);
}

int signal_timeout(void) {
    if (die_at < 0) {
        return -1;
    }
    int64_t left = die_at - now_ms();
    if (left <= 0) {
        die_by(SIGTERM);
    }
    return (int)left;
}

void read_signals(void) {
    struct signalfd_siginfo what;
    while (signals >= 0 && read(signals, &what, sizeof what) == sizeof what) {
        int number = (int)what.ssi_signo;
        if (number == SIGCHLD) {
            reap();
        } else if (door < 0 && is_deadly(number)) {
            give_up(128 + number);
        } else if (caught >> number & 1) {
            uint8_t payload[5];
            unsigned short columns, rows;
            terminal_state(&columns, &rows);
            payload[0] = (uint8_t)number;
            put16(put16(payload + 1, columns), rows);
            send_frame(SIGNAL, 0, payload, sizeof payload);
        } else if (number == SIGTERM && inside_a_job()) {
            die_at = die_at < 0 ? now_ms() + ANSWER_MS : die_at;
        } else {
            die_by(number);
        }
    }
}
