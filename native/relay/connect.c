#include "connect.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "frames.h"

enum { PATIENCE_MS = 15000, STACK = 512 * 1024 };

struct wish {
    uint32_t channel;
    char host[256]; /* empty: a Unix socket */
    char port[8];
    char path[108];
};

static int results[2];

int connect_begin(void)
{
    if (pipe2(results, O_CLOEXEC) != 0)
        give_up("cannot make a pipe");
    return results[0];
}

/* @return 0, or errno */
static int reach(int fd, const struct sockaddr *address, socklen_t length)
{
    if (connect(fd, address, length) == 0)
        return 0;
    if (errno != EINPROGRESS)
        return errno;
    struct pollfd ready = {.fd = fd, .events = POLLOUT};
    int found;
    do
        found = poll(&ready, 1, PATIENCE_MS);
    while (found < 0 && errno == EINTR);
    if (found <= 0)
        return found == 0 ? ETIMEDOUT : errno;
    int error = 0;
    socklen_t size = sizeof error;
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

static int try_address(int family, const struct sockaddr *address, socklen_t length, int *fd)
{
    *fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (*fd < 0)
        return errno;
    int error = reach(*fd, address, length);
    if (error != 0) {
        close(*fd);
        *fd = -1;
    }
    return error;
}

static void tcp(const struct wish *wish, struct connected *result)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV}, *found;
    int error = getaddrinfo(wish->host, wish->port, &hints, &found);
    if (error != 0) {
        snprintf(result->why, sizeof result->why, "%.80s: %s", wish->host, gai_strerror(error));
        return;
    }
    int last = EHOSTUNREACH;
    for (struct addrinfo *each = found; each != NULL && result->socket < 0; each = each->ai_next)
        last = try_address(each->ai_family, each->ai_addr, each->ai_addrlen, &result->socket);
    freeaddrinfo(found);
    if (result->socket < 0)
        snprintf(result->why, sizeof result->why, "%.80s port %s: %s", wish->host, wish->port, strerror(last));
}

static void local(const struct wish *wish, struct connected *result)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    memcpy(address.sun_path, wish->path, sizeof wish->path);
    int error = try_address(AF_UNIX, (struct sockaddr *) &address, sizeof address, &result->socket);
    if (error != 0)
        snprintf(result->why, sizeof result->why, "%.107s: %s", wish->path, strerror(error));
}

static void *run(void *argument)
{
    struct wish *wish = argument;
    struct connected result = {.channel = wish->channel, .socket = -1};
    if (wish->host[0] != '\0')
        tcp(wish, &result);
    else
        local(wish, &result);
    free(wish);
    while (write(results[1], &result, sizeof result) < 0 && errno == EINTR) /* shorter than PIPE_BUF: all or nothing */
        ;
    return NULL;
}

static int begin(struct wish *wish)
{
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK);
    int error = pthread_create(&thread, &attributes, run, wish);
    pthread_attr_destroy(&attributes);
    if (error != 0)
        free(wish);
    return error;
}

int connect_tcp(uint32_t channel, const char *host, const char *port)
{
    struct wish *wish = calloc(1, sizeof *wish);
    if (wish == NULL)
        return ENOMEM;
    wish->channel = channel;
    snprintf(wish->host, sizeof wish->host, "%s", host);
    snprintf(wish->port, sizeof wish->port, "%s", port);
    return begin(wish);
}

int connect_unix(uint32_t channel, const char *path)
{
    struct wish *wish = calloc(1, sizeof *wish);
    if (wish == NULL)
        return ENOMEM;
    wish->channel = channel;
    snprintf(wish->path, sizeof wish->path, "%s", path);
    return begin(wish);
}
