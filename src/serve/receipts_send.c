/*
 * Sends receipts to a file that is only appended to, a syslog server (RFC 5424, by
 * UDP, or by TCP with octet counting), or an HTTP server that takes lines of text
 * by POST. Plain blocking sockets with timeouts, in a thread of their own.
 */
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/base.h"
#include "base/error.h"
#include "serve/receipts.h"

enum {
    WAIT_SECONDS = 2,
    MESSAGE_MAX = 512,
    BODY_MAX = 1 << 16,
    PRIORITY = 16 * 8 + 6, /* local0, informational */
};

/* ----------------------------------------------------------------- targets -- */

static bool
host_read(const char *text, size_t len, struct receipts_target *out)
{
    const char *colon = memrchr(text, ':', len);
    size_t host = colon ? (size_t)(colon - text) : 0;
    size_t port = colon ? len - host - 1 : 0;

    if (host == 0 || host >= sizeof out->host || port == 0 ||
        port >= sizeof out->port || strspn(colon + 1, "0123456789") < port)
        return false;
    if (text[0] == '[' && text[host - 1] == ']') {
        text++;
        host -= 2;
    }
    memcpy(out->host, text, host);
    out->host[host] = '\0';
    memcpy(out->port, colon + 1, port);
    out->port[port] = '\0';
    return true;
}

static bool
path_read(const char *text, struct receipts_target *out)
{
    size_t len = strlen(text);

    for (size_t i = 0; i < len; i++)
        if ((unsigned char)text[i] < ' ')
            return false;
    if (len == 0 || len >= sizeof out->path)
        return false;
    memcpy(out->path, text, len + 1);
    return true;
}

static bool
http_read(const char *text, struct receipts_target *out)
{
    const char *slash = strchr(text, '/');
    size_t len = slash ? (size_t)(slash - text) : strlen(text);

    return host_read(text, len, out) && path_read(slash ? slash : "/", out) &&
           !strchr(out->path, ' ');
}

custos_status
receipts_target_read(const char *text, struct receipts_target *out,
                     custos_err *err)
{
    static const struct {
        const char *begin;
        enum receipts_kind kind;
    } kinds[] = {
        {"file:", RECEIPTS_FILE},
        {"syslog:", RECEIPTS_SYSLOG_UDP},
        {"syslog+tcp:", RECEIPTS_SYSLOG_TCP},
        {"http://", RECEIPTS_HTTP},
    };

    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        size_t len = strlen(kinds[i].begin);
        const char *rest = text + len;

        if (strncmp(text, kinds[i].begin, len) != 0)
            continue;
        *out = (struct receipts_target){.kind = kinds[i].kind};
        if (kinds[i].kind == RECEIPTS_FILE ? path_read(rest, out)
            : kinds[i].kind == RECEIPTS_HTTP
                ? http_read(rest, out)
                : host_read(rest, strlen(rest), out))
            return CUSTOS_OK;
    }
    return custos_fail(err, CUSTOS_EINVAL,
                       "--export-receipts: %.60s is not a target" HINT
                       "write file:PATH, syslog:HOST:PORT, "
                       "syslog+tcp:HOST:PORT or http://HOST:PORT/path",
                       text);
}

/* ----------------------------------------------------------------- sockets -- */

static int
connect_target(const struct receipts_target *to, int type)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = type};
    const struct timeval wait = {.tv_sec = WAIT_SECONDS};
    struct addrinfo *found = NULL;
    int fd = -1;

    if (getaddrinfo(to->host, to->port, &hints, &found))
        return -1;
    for (const struct addrinfo *a = found; a && fd < 0; a = a->ai_next) {
        fd = socket(a->ai_family, type | SOCK_CLOEXEC, 0);
        if (fd < 0)
            continue;
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait);
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
        if (connect(fd, a->ai_addr, a->ai_addrlen)) {
            close(fd);
            fd = -1;
        }
    }
    freeaddrinfo(found);
    return fd;
}

static bool
send_all(int fd, const char *text, size_t len)
{
    while (len > 0) {
        ssize_t n = send(fd, text, len, MSG_NOSIGNAL);

        if (n <= 0)
            return false;
        text += n;
        len -= (size_t)n;
    }
    return true;
}

/* The syslog message has no timestamp: the line contains the row's time. */
static bool
syslog_send(const struct receipts_target *to, const struct receipts_line *lines,
            size_t n)
{
    bool tcp = to->kind == RECEIPTS_SYSLOG_TCP;
    int fd = connect_target(to, tcp ? SOCK_STREAM : SOCK_DGRAM);
    bool good = fd >= 0;

    for (size_t i = 0; i < n && good; i++) {
        char text[MESSAGE_MAX], frame[MESSAGE_MAX + 8];
        int len =
            snprintf(text, sizeof text, "<%d>1 - - custos %d receipt - %.*s",
                     (int)PRIORITY, (int)getpid(), (int)lines[i].text.len,
                     lines[i].text.ptr);

        if (tcp) {
            len = snprintf(frame, sizeof frame, "%d %s", len, text);
            good = send_all(fd, frame, (size_t)len);
        } else {
            good = send(fd, text, (size_t)len, MSG_NOSIGNAL) == len;
        }
    }
    if (fd >= 0)
        close(fd);
    return good;
}

/* Adds the receipts, one per line. */
static void
add_lines(struct buf *b, const struct receipts_line *lines, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        buf_add(b, lines[i].text.ptr, lines[i].text.len);
        buf_add_text(b, "\n");
    }
}

static bool
http_send(const struct receipts_target *to, const struct receipts_line *lines,
          size_t n)
{
    int fd = connect_target(to, SOCK_STREAM);
    bool v6 = strchr(to->host, ':'), good = false;
    struct buf body, all;
    char reply[16] = "";
    ssize_t got;

    buf_init(&body, NULL, BODY_MAX);
    buf_init(&all, NULL, (size_t)2 * BODY_MAX);
    add_lines(&body, lines, n);
    buf_printf(&all,
               "POST %s HTTP/1.1\r\nHost: %s%s%s:%s\r\nContent-Type: "
               "text/plain\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n",
               to->path, v6 ? "[" : "", to->host, v6 ? "]" : "", to->port,
               body.len);
    buf_add(&all, body.ptr, body.len);
    if (fd >= 0 && !body.failed && !all.failed &&
        send_all(fd, all.ptr, all.len)) {
        got = recv(fd, reply, sizeof reply - 1, MSG_WAITALL);
        good = got >= 10 && !strncmp(reply, "HTTP/1.", 7) && reply[9] == '2';
    }
    if (fd >= 0)
        close(fd);
    buf_clear(&body);
    buf_clear(&all);
    return good;
}

static bool
file_send(int fd, const struct receipts_line *lines, size_t n)
{
    struct buf body;
    bool good;

    buf_init(&body, NULL, BODY_MAX);
    add_lines(&body, lines, n);
    good = !body.failed && write(fd, body.ptr, body.len) == (ssize_t)body.len &&
           !fdatasync(fd);
    buf_clear(&body);
    return good;
}

bool
receipts_send(const struct receipts_target *to, int file,
              const struct receipts_line *lines, size_t n)
{
    switch (to->kind) {
    case RECEIPTS_FILE: return file_send(file, lines, n);
    case RECEIPTS_HTTP: return http_send(to, lines, n);
    default: return syslog_send(to, lines, n);
    }
}
