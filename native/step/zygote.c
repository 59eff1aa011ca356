/* spur-zygote: forks step supervisors for spurd.
 *
 * It reads nothing itself: every accepted connection gets a fresh child, which reads the request and
 * becomes what it asks for. So no request can block or break the zygote, and a supervisor is free of
 * spurd and of the zygote from its first instruction. */
#include "filereader.h"
#include "status.h"
#include "supervisor.h"
#include "wire.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

enum { LAUNCH_LIMIT = 64 << 20, REQUEST_TIMEOUT_S = 30, LOOK_EVERY_MS = 5000, IDLE_LOOKS = 720 };

static char *title;
static size_t title_size;

/* Shown by ps: the arguments' own memory is the only place for it. */
static void set_title(const char *name, const char *text) {
    prctl(PR_SET_NAME, name);
    snprintf(title, title_size, "%s", text);
    size_t length = strlen(title);
    memset(title + length, 0, title_size - length);
}

static _Noreturn void die(const char *doing, const char *what) {
    fprintf(stderr, "spur-zygote: %s %s: %s\n", doing, what, strerror(errno));
    exit(1);
}

static bool receive(int connection, void *bytes, size_t length) {
    unsigned char *at = bytes;
    while (length) {
        ssize_t got = recv(connection, at, length, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got;
        length -= (size_t)got;
    }
    return true;
}

static _Noreturn void answer_identity(int connection, pid_t zygote) {
    struct buffer text = {0};
    struct buffer frame = {0};
    buffer_format(&text, "spur-zygote 1 %d", (int)zygote);
    frame_append(&frame, 'v', text.data, text.length, NULL, 0);
    _exit(send(connection, frame.data, frame.length, MSG_NOSIGNAL) < 0);
}

static _Noreturn void stop_zygote(int connection, pid_t zygote) {
    kill(zygote, SIGTERM);
    struct buffer frame = {0};
    frame_append(&frame, 'q', NULL, 0, NULL, 0);
    _exit(send(connection, frame.data, frame.length, MSG_NOSIGNAL) < 0);
}

static _Noreturn void refuse_large(int connection) {
    static const char WHY[] = "the launch is too large: script, arguments and environment exceed 64 MiB";
    struct buffer frame = {0};
    frame_append(&frame, 'R', WHY, sizeof WHY - 1, NULL, 0);
    _exit(send(connection, frame.data, frame.length, MSG_NOSIGNAL) < 0);
}

static _Noreturn void serve(int connection, pid_t zygote) {
    setsid();
    set_title("spur-stepd", "spur-stepd");
    struct timeval timeout = {.tv_sec = REQUEST_TIMEOUT_S};
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    unsigned char header[5];
    if (!receive(connection, header, sizeof header)) _exit(1);
    struct reader reader = reader_of(header, sizeof header);
    size_t length = read_u32(&reader);
    char type = (char)read_u8(&reader);
    if (length > LAUNCH_LIMIT) refuse_large(connection);
    if (length == 0) _exit(1);
    unsigned char *payload = must_alloc(length);
    if (!receive(connection, payload, length - 1)) _exit(1);
    switch (type) {
    case 'L': supervise(connection, payload, length - 1);
    case 'F': set_title("spur-reader", "spur-reader"); read_file_for_user(connection, payload, length - 1);
    case 'V': answer_identity(connection, zygote);
    case 'Q': stop_zygote(connection, zygote);
    default: _exit(1);
    }
}

static bool may_ask(int connection) {
    struct ucred peer;
    socklen_t length = sizeof peer;
    return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.uid == geteuid();
}

static void accept_request(int listener, pid_t zygote) {
    int connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (connection < 0) return;
    if (may_ask(connection) && fork() == 0) {
        close(listener);
        serve(connection, zygote);
    }
    close(connection);
}

/* Bound under another name first: whoever sees the socket can connect to it. */
static int listen_at(const char *path, struct stat *identity) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (snprintf(address.sun_path, sizeof address.sun_path, "%s.new", path) >= (int)sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        die("cannot listen on", path);
    }
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    unlink(address.sun_path);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(listener, 1024) != 0 || rename(address.sun_path, path) != 0 || stat(path, identity) != 0) {
        die("cannot listen on", path);
    }
    return listener;
}

/* When another zygote has taken over the path, or the directory is gone, this one is not needed. */
static bool still_ours(const char *path, const struct stat *identity) {
    struct stat now;
    return stat(path, &now) == 0 && now.st_ino == identity->st_ino && now.st_dev == identity->st_dev;
}

/* For the zygote and the supervisors it forks; tasks give it up. Needs CAP_SYS_RESOURCE, fine without. */
static void protect_from_oom(void) {
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd < 0) return;
    if (write(fd, "-900", 4) < 0) errno = 0;
    close(fd);
}

static void redirect_stdio(void) {
    int null = open("/dev/null", O_RDWR);
    for (int fd = 0; null >= 0 && fd < 3; fd++) dup2(null, fd);
    if (null > 2) close(null);
}

/* Nothing of the starting process is kept: no descriptors, environment, directory, session. */
static void detach(void) {
    pid_t child = fork();
    if (child < 0) die("cannot", "fork");
    if (child > 0) _exit(0);
    setsid();
    redirect_stdio();
}

static void forget_origin(void) {
    if (chdir("/") != 0) die("cannot change to", "/");
    umask(077);
    syscall(SYS_close_range, 3U, ~0U, 0U);
    clearenv();
    signal(SIGPIPE, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    signal(SIGCHLD, SIG_IGN); /* supervisors are nobody's zombies */
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

int main(int count, char **arguments) {
    if (count != 2 || arguments[1][0] != '/') {
        fprintf(stderr, "usage: spur-zygote /absolute/path/of/its/socket\n");
        return 2;
    }
    forget_origin();
    char *path = must_copy(arguments[1], strlen(arguments[1]));
    title = arguments[0];
    title_size = (size_t)(arguments[1] + strlen(arguments[1]) + 1 - arguments[0]);
    struct stat identity;
    int listener = listen_at(path, &identity);
    detach();
    protect_from_oom();
    status_note_boot();
    pid_t zygote = getpid();
    /* After an hour without a request nobody may be there any more; spurd starts another when it needs one. */
    for (int idle = 0; idle < IDLE_LOOKS;) {
        struct pollfd source = {.fd = listener, .events = POLLIN};
        int ready = poll(&source, 1, LOOK_EVERY_MS);
        if (ready > 0) accept_request(listener, zygote);
        if (ready == 0 && !still_ours(path, &identity)) return 0;
        idle = ready > 0 ? 0 : idle + 1;
    }
    unlink(path);
    return 0;
}
