#include "serve/listen.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"

enum { BACKLOG = 512 };

/* Splits "HOST:PORT". False: not of this form. */
static bool
split_address(const char *address, char host[64], char port[8])
{
    const char *colon = strrchr(address, ':');
    size_t len = colon ? (size_t)(colon - address) : 0;

    if (!colon || !len || len >= 64 || strlen(colon + 1) >= 8 || !colon[1])
        return false;
    if (address[0] == '[' && address[len - 1] == ']') {
        address++;
        len -= 2;
    } else if (memchr(address, ':', len)) {
        return false;
    }
    memcpy(host, address, len);
    host[len] = '\0';
    snprintf(port, 8, "%s", colon + 1);
    return true;
}

static bool
is_loopback(const struct sockaddr *a)
{
    if (a->sa_family == AF_INET)
        return ntohl(((const struct sockaddr_in *)a)->sin_addr.s_addr) >> 24 ==
               127;
    return a->sa_family == AF_INET6 &&
           IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)a)->sin6_addr);
}

/* Writes the actual address and port, for the log. */
static void
write_address(struct listening *l)
{
    struct sockaddr_storage at;
    socklen_t len = sizeof at;
    char host[64] = "?", port[8] = "?";

    if (!getsockname(l->fd, (struct sockaddr *)&at, &len))
        getnameinfo((struct sockaddr *)&at, len, host, sizeof host, port,
                    sizeof port, NI_NUMERICHOST | NI_NUMERICSERV);
    snprintf(l->text, sizeof l->text, strchr(host, ':') ? "[%s]:%s" : "%s:%s",
             host, port);
}

static int
open_one(const struct addrinfo *a)
{
    int one = 1;
    int fd =
        socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(fd, a->ai_addr, a->ai_addrlen) || listen(fd, BACKLOG)) {
        int kept = errno;

        close(fd);
        errno = kept;
        return -1;
    }
    return fd;
}

custos_status
listen_open(const char *address, const char *option, struct listening *out,
            custos_err *err)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC,
                                   .ai_socktype = SOCK_STREAM,
                                   .ai_flags = AI_PASSIVE};
    char host[64], port[8];
    struct addrinfo *found = NULL;
    custos_status st = CUSTOS_OK;

    if (!split_address(address, host, port) ||
        getaddrinfo(host, port, &hints, &found))
        return custos_fail(err, CUSTOS_EINVAL,
                           "--%s: %.60s is not an address" HINT
                           "write 127.0.0.1:6432",
                           option, address);
    out->fd = open_one(found);
    if (out->fd < 0) {
        st = custos_fail(err, CUSTOS_EIO, "--%s: cannot listen at %.60s: %s",
                         option, address, strerror(errno));
    } else {
        out->loopback = is_loopback(found->ai_addr);
        write_address(out);
    }
    freeaddrinfo(found);
    return st;
}

int
listen_accept(int fd, char address[64])
{
    struct sockaddr_storage from;
    socklen_t len = sizeof from;
    int one = 1;
    int got = accept4(fd, (struct sockaddr *)&from, &len,
                      SOCK_CLOEXEC | SOCK_NONBLOCK);

    if (got < 0)
        return -1;
    setsockopt(got, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    setsockopt(got, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof one);
    if (getnameinfo((struct sockaddr *)&from, len, address, 64, NULL, 0,
                    NI_NUMERICHOST))
        snprintf(address, 64, "?");
    return got;
}
