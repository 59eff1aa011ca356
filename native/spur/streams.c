/* The standard streams and the files that the door reads and writes through us. */
#define _GNU_SOURCE
#include "bytes.h"
#include "door.h"
#include "protocol.h"
#include "session.h"
#include "spur.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A descriptor of ours that the door reads from or writes to. */
struct stream {
    bool used;
    bool writes;     /* from the door to the descriptor */
    bool direct;     /* a regular file: never makes us wait */
    bool closing;    /* close when the queue is empty, and say how it went */
    bool at_end;     /* reading: end of file was sent */
    uint32_t id;
    int fd;
    int error;       /* errno of the first failed write */
    uint32_t credit; /* reading: bytes we may still send */
    uint32_t taken;  /* writing: bytes done but not yet confirmed */
    uint8_t *queue;
    size_t start, end;
};

static struct stream streams[STREAMS];
static struct stream *of[STREAMS]; /* whose descriptors are polled */

static struct stream *find_stream(uint32_t id) {
    for (int i = 0; i < STREAMS; i++) {
        if (streams[i].used && streams[i].id == id) {
            return &streams[i];
        }
    }
    return NULL;
}

static struct stream *free_stream(void) {
    for (int i = 0; i < STREAMS; i++) {
        if (!streams[i].used) {
            return &streams[i];
        }
    }
    return NULL;
}

static void start_stream(struct stream *stream, uint32_t id, int fd, bool writes, uint32_t credit) {
    struct stat status;
    bool direct = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
    *stream = (struct stream){.used = true, .writes = writes, .direct = direct, .id = id, .fd = fd, .credit = credit};
}

/* Nothing else to serve: output may simply be written, however long its reader takes. */
static bool only_output(void) {
    if (signals >= 0 || raw) {
        return false;
    }
    for (int i = 0; i < STREAMS; i++) {
        if (streams[i].used && ((!streams[i].writes && streams[i].credit > 0) || streams[i].end > streams[i].start)) {
            return false;
        }
    }
    return true;
}

static void confirm(struct stream *stream, size_t length) {
    stream->taken += (uint32_t)length;
    if (stream->taken >= DOOR_WINDOW / 4) {
        uint8_t payload[4];
        put32(payload, stream->taken);
        stream->taken = 0;
        send_frame(CREDIT, stream->id, payload, sizeof payload);
    }
}

/*
 * Standard output that nobody takes ends us: by SIGPIPE as usual, or quietly where that is ignored.
 * A failed file or full disk is remembered, told once at the end and its data dropped.
 */
static void write_failed(struct stream *stream, int error) {
    if (stream->id == STDOUT_FILENO) {
        restore_terminal();
        if (error == EPIPE) {
            _exit(1);
        }
        fail("cannot write to standard output: %s", strerror(error));
    }
    if (stream->error == 0) {
        stream->error = error;
    }
}

static void write_now(struct stream *stream, const uint8_t *data, size_t length) {
    size_t all = length;
    while (length > 0 && stream->error == 0) {
        ssize_t written = write(stream->fd, data, length);
        if (written >= 0) {
            data += written;
            length -= (size_t)written;
        } else if (errno == EAGAIN) {
            struct pollfd writable = {.fd = stream->fd, .events = POLLOUT};
            poll(&writable, 1, -1);
        } else if (errno != EINTR) {
            write_failed(stream, errno);
        }
    }
    confirm(stream, all);
}

void take_data(uint32_t id, const uint8_t *data, size_t length) {
    struct stream *stream = find_stream(id);
    if (stream == NULL || !stream->writes || stream->closing) {
        door_misbehaves("data for a stream that is not open");
    }
    if (stream->direct || stream->error != 0 || only_output()) {
        write_now(stream, data, length);
        return;
    }
    if (stream->queue == NULL && (stream->queue = malloc(DOOR_WINDOW)) == NULL) {
        fail("out of memory");
    }
    if (stream->end + length > DOOR_WINDOW) {
        memmove(stream->queue, stream->queue + stream->start, stream->end - stream->start);
        stream->end -= stream->start;
        stream->start = 0;
    }
    if (stream->end + length > DOOR_WINDOW) {
        door_misbehaves("more data than agreed");
    }
    memcpy(stream->queue + stream->end, data, length);
    stream->end += length;
}

/* At most PIPE_BUF at once: so much a pipe takes without making us wait when poll calls it writable. */
static void write_queued(struct stream *stream) {
    size_t length = stream->end - stream->start;
    ssize_t written = write(stream->fd, stream->queue + stream->start, length < PIPE_BUF ? length : PIPE_BUF);
    if (written >= 0) {
        stream->start += (size_t)written;
        confirm(stream, (size_t)written);
    } else if (errno != EAGAIN && errno != EINTR) {
        write_failed(stream, errno);
        stream->start = stream->end;
        confirm(stream, length);
    }
    if (stream->start == stream->end) {
        stream->start = stream->end = 0;
    }
}

static void read_more(struct stream *stream) {
    static uint8_t data[DOOR_PAYLOAD];
    size_t most = stream->credit < sizeof data ? stream->credit : sizeof data;
    ssize_t length = read(stream->fd, data, most);
    if (length < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (length <= 0) { /* an error ends the stream like its end: a terminal that hung up says EIO */
        length = 0;
        stream->credit = 0;
        stream->at_end = true;
    }
    stream->credit -= (uint32_t)length;
    if (stream->id == STDIN_FILENO) {
        keep_input(data, (size_t)length);
    }
    send_frame(DATA, stream->id, data, (size_t)length);
}

void add_credit(uint32_t id, uint32_t credit) {
    struct stream *stream = find_stream(id);
    if (stream != NULL && !stream->writes && !stream->at_end && credit <= UINT32_MAX - stream->credit) {
        stream->credit += credit;
    }
}

void open_file(uint32_t id, const uint8_t *payload, size_t length) {
    char path[PATH_MAX];
    if (length < 5 || payload[0] > OPEN_STATUS || find_stream(id) != NULL) {
        door_misbehaves("malformed open");
    }
    enum open_mode mode = (enum open_mode)payload[0];
    uint32_t credit = get32(payload + 1);
    size_t path_length = length - 5;
    struct stat status = {0};
    struct stream *stream = free_stream();
    int fd = -1, error = 0;
    if (stream == NULL) {
        error = EMFILE;
    } else if (path_length >= sizeof path || memchr(payload + 5, '\0', path_length) != NULL) {
        error = path_length >= sizeof path ? ENAMETOOLONG : EINVAL;
    } else {
        memcpy(path, payload + 5, path_length);
        path[path_length] = '\0';
        int how = mode == OPEN_READ ? O_RDONLY : O_WRONLY | O_CREAT | (mode == OPEN_APPEND ? O_APPEND : O_TRUNC);
        if (mode == OPEN_STATUS) {
            error = stat(path, &status) < 0 ? errno : 0;
        } else if ((fd = open(path, how | O_CLOEXEC | O_NOCTTY, 0666)) < 0 || fstat(fd, &status) < 0) {
            error = errno;
        } else if (mode == OPEN_READ && S_ISDIR(status.st_mode)) {
            error = EISDIR;
        }
    }
    if (error != 0 && fd >= 0) {
        close(fd);
        fd = -1;
    }
    uint8_t answer[512];
    const char *text = error == 0 ? "" : strerror(error);
    uint8_t *at = put32(answer, (uint32_t)error);
    at = put32(at, status.st_mode);
    at = put32(at, status.st_uid);
    at = put32(at, status.st_gid);
    at = put64(at, (uint64_t)status.st_size);
    at = put64(at, (uint64_t)status.st_mtime);
    size_t text_length = strlen(text);
    memcpy(at, text, text_length);
    send_frame(OPENED, id, answer, (size_t)(at - answer) + text_length);
    if (fd >= 0) {
        start_stream(stream, id, fd, mode != OPEN_READ, credit);
    }
}

/* Closing is where some file systems tell that a write failed. */
static void finish_closing(struct stream *stream) {
    if (close(stream->fd) < 0 && stream->error == 0 && stream->writes) {
        stream->error = errno;
    }
    free(stream->queue);
    stream->queue = NULL;
    stream->used = false;
    send_result(CLOSED, stream->id, stream->error);
}

void close_stream(uint32_t id) {
    struct stream *stream = find_stream(id);
    if (stream == NULL || id <= STDERR_FILENO) {
        return;
    }
    stream->closing = true;
    if (stream->start == stream->end) {
        finish_closing(stream);
    }
}

void start_standard_streams(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        start_stream(&streams[fd], (uint32_t)fd, fd, fd != STDIN_FILENO, 0);
    }
}

/* Writes out all that is queued, however long its readers take. */
void write_everything(void) {
    for (int i = 0; i < STREAMS; i++) {
        struct stream *stream = &streams[i];
        if (stream->used && stream->writes && stream->end > stream->start) {
            write_now(stream, stream->queue + stream->start, stream->end - stream->start);
            stream->start = stream->end = 0;
        }
    }
}

/* For a door that knows of no file and has given no credit yet. */
void begin_streams_again(void) {
    write_everything();
    for (int i = 0; i < STREAMS; i++) {
        struct stream *stream = &streams[i];
        if (stream->used && stream->id > STDERR_FILENO) {
            close(stream->fd);
            free(stream->queue);
            stream->queue = NULL;
            stream->used = false;
        }
        stream->credit = stream->taken = 0;
        stream->at_end = false;
    }
}

nfds_t poll_streams(struct pollfd *polled) {
    struct stream *input = &streams[STDIN_FILENO];
    size_t sent;
    while (input->credit > 0 && (sent = send_kept_input(input->credit)) > 0) {
        input->credit -= (uint32_t)sent;
    }
    if (input->credit > 0 && input_has_ended() && !input->at_end) {
        input->at_end = true;
        input->credit = 0;
        send_frame(DATA, STDIN_FILENO, NULL, 0);
    }
    nfds_t count = 0;
    for (int i = 0; i < STREAMS; i++) {
        struct stream *stream = &streams[i];
        bool reads = stream->used && !stream->writes && stream->credit > 0;
        bool writes = stream->used && stream->end > stream->start;
        if (reads || writes) {
            of[count] = stream;
            polled[count++] = (struct pollfd){.fd = stream->fd, .events = reads ? POLLIN : POLLOUT};
        }
    }
    return count;
}

void serve_streams(const struct pollfd *polled, nfds_t count) {
    for (nfds_t i = 0; i < count; i++) {
        if (polled[i].revents == 0) {
            continue;
        }
        if (of[i]->writes) {
            write_queued(of[i]);
            if (of[i]->closing && of[i]->start == of[i]->end) {
                finish_closing(of[i]);
            }
        } else {
            read_more(of[i]);
        }
    }
}
