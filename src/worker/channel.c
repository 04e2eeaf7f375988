/*
 * A message is four bytes of length (little-endian), one byte of kind, and the
 * content of that kind. The length counts everything after itself.
 */
#include "worker/channel.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "base/base.h"

enum {
    LENGTH_BYTES = 4,
    TICK_MS_MOST = 60000,
    AT_ONCE_MAX = 1 << 14, /* bytes that an empty socket accepts in one call */
};

void
message_begin(struct buf *b, size_t most)
{
    static const char head[MESSAGE_HEAD];

    buf_init(b, NULL, most + MESSAGE_HEAD + 1);
    buf_add(b, head, sizeof head);
}

/* Waits until the socket can be read or written, or the other side hangs up. */
static enum channel_end
wait_for(const struct channel *c, short events, int64_t until_us)
{
    struct pollfd p = {.fd = c->fd, .events = events};

    for (;;) {
        int64_t left =
            until_us ? (until_us - c->now_us() + 999) / 1000 : TICK_MS_MOST;
        int n;

        if (left <= 0)
            return CHANNEL_LATE;
        n = poll(&p, 1, left < TICK_MS_MOST ? (int)left : TICK_MS_MOST);
        if (n > 0)
            return CHANNEL_OK;
        if (n < 0 && errno != EINTR)
            return CHANNEL_CLOSED;
    }
}

enum channel_end
channel_wait(const struct channel *c, int64_t until_us)
{
    return wait_for(c, POLLIN, until_us);
}

/* Writes the head into the room that message_begin left for it. */
static void
head_write(struct buf *b, enum message_kind kind)
{
    size_t rest = b->len - LENGTH_BYTES;

    for (unsigned i = 0; i < LENGTH_BYTES; i++)
        b->ptr[i] = (char)(unsigned char)(rest >> 8 * i);
    b->ptr[LENGTH_BYTES] = (char)kind;
}

bool
channel_send_at_once(const struct channel *c, enum message_kind kind,
                     struct buf *b)
{
    if (b->failed || b->len > AT_ONCE_MAX)
        return false;
    head_write(b, kind);
    return send(c->fd, b->ptr, b->len, MSG_NOSIGNAL | MSG_DONTWAIT) ==
           (ssize_t)b->len;
}

enum channel_end
channel_send(const struct channel *c, enum message_kind kind, struct buf *b,
             int64_t until_us)
{
    size_t sent = 0;

    if (b->failed)
        return CHANNEL_BROKEN;
    head_write(b, kind);
    while (sent < b->len) {
        ssize_t n = send(c->fd, b->ptr + sent, b->len - sent,
                         MSG_NOSIGNAL | MSG_DONTWAIT);
        enum channel_end end;

        if (n > 0) {
            sent += (size_t)n;
            continue;
        }
        if (n < 0 && errno != EAGAIN && errno != EINTR)
            return CHANNEL_CLOSED;
        end = wait_for(c, POLLOUT, until_us);
        if (end)
            return end;
    }
    return CHANNEL_OK;
}

static enum channel_end
receive_all(const struct channel *c, int64_t until_us, char *to, size_t n)
{
    while (n > 0) {
        ssize_t got = recv(c->fd, to, n, MSG_DONTWAIT);
        enum channel_end end;

        if (got > 0) {
            to += got;
            n -= (size_t)got;
            continue;
        }
        if (got == 0 || (errno != EAGAIN && errno != EINTR))
            return CHANNEL_CLOSED;
        end = wait_for(c, POLLIN, until_us);
        if (end)
            return end;
    }
    return CHANNEL_OK;
}

enum channel_end
channel_receive(const struct channel *c, int64_t until_us, size_t most,
                arena *a, enum message_kind *kind, str *bytes)
{
    unsigned char head[MESSAGE_HEAD];
    enum channel_end end = receive_all(c, until_us, (char *)head, sizeof head);
    size_t len = 0;
    char *room;

    if (end)
        return end;
    for (unsigned i = 0; i < LENGTH_BYTES; i++)
        len |= (size_t)head[i] << 8 * i;
    if (len < 1 || len - 1 > most || head[LENGTH_BYTES] < MESSAGE_HELLO ||
        head[LENGTH_BYTES] > MESSAGE_FAILED)
        return CHANNEL_BROKEN;
    len--;
    room = arena_take(a, len + 1, 1);
    if (!room)
        return CHANNEL_BROKEN;
    end = receive_all(c, until_us, room, len);
    *kind = (enum message_kind)head[LENGTH_BYTES];
    *bytes = (str){room, len};
    return end;
}

bool
channel_is_quiet(const struct channel *c)
{
    struct pollfd p = {.fd = c->fd, .events = POLLIN};

    return poll(&p, 1, 0) == 0;
}
