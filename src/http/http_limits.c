/*
 * Limits of the HTTP listener: strangers per address, the time in which a reply
 * must be received, which bodies are kept, and requests per analyst.
 */
#include <sys/socket.h>

#include "http/http_inside.h"

enum {
    STRANGER_BODY = 64 << 10, /* most bytes read of a body that is not kept */
    KNOWN_BODY = 64 << 20,    /* the same with a valid token: larger, since a
                                 client that is cut off while it sends would not
                                 read our reply */
};

/* ---------------------------------------------------------- connections -- */

/* Is `a` evicted before `b`? Strangers go before clients with a valid token, then
   the oldest go first. The order does not depend on until_us, which clients can
   influence. */
static bool
goes_before(const struct link *a, const struct link *b)
{
    return a->known == b->known ? a->since_us < b->since_us : !a->known;
}

/* The connection to evict: a stranger of this group or, if group is NULL, any
   connection. *n: how many such connections there are. */
static struct link *
first_to_go(const struct http *h, const struct link *newest, const char *group,
            size_t *n)
{
    struct link *first = NULL;

    *n = 0;
    for (struct link *l = h->links; l; l = l->next) {
        if (group && (l->known || strcmp(l->group, group) != 0))
            continue;
        ++*n;
        if (l != newest && l->until_us && (!first || goes_before(l, first)))
            first = l;
    }
    return first;
}

static void
hang_up(struct http *h, struct link *l)
{
    COUNT_ONE(h->parts->counts, strangers_evicted_total);
    shutdown(l->fd, SHUT_RDWR);
    l->until_us = 0; /* it is ending: next time evict another */
}

/*
 * The number of connections without a valid token is limited for each group of
 * addresses (peer.h), and a quarter of the connection limit is kept free. Of the
 * connections that wait for their client the oldest is evicted, strangers first, so
 * that clients that send or read nothing keep nobody out.
 */
void
links_make_room(struct http *h, const struct link *newest)
{
    const struct serve_limits *limits = &h->parts->limits;
    struct link *first;
    size_t n;

    first = first_to_go(h, newest, newest->group, &n);
    if (n > limits->strangers_per_address && first)
        hang_up(h, first);
    if (h->n_links <= limits->connections - limits->connections / 4)
        return;
    first = first_to_go(h, newest, NULL, &n);
    if (first)
        hang_up(h, first);
}

void
link_sends(const struct http *h, struct link *l, int64_t now_us)
{
    l->sending = true;
    l->acked = peer_acked(l->fd);
    l->until_us = now_us + h->parts->limits.send_ms * 1000;
}

/* Ends waits whose time is up. A client may receive a reply slowly, as long as
   it goes on receiving. */
void
links_look(struct http *h, int64_t now_us)
{
    for (struct link *l = h->links; l; l = l->next) {
        int64_t acked = l->sending ? peer_acked(l->fd) : l->acked;

        if (acked != l->acked) {
            l->acked = acked;
            l->until_us = now_us + h->parts->limits.send_ms * 1000;
        }
        if (!l->until_us || now_us <= l->until_us)
            continue;
        if (l->sending)
            COUNT_ONE(h->parts->counts, slow_readers_total);
        l->sending = false;
        l->until_us = 0;
        shutdown(l->fd, SHUT_RDWR);
    }
}

/* ----------------------------------------------------------------- bodies -- */

bool
body_is_endless(const struct exchange *x, unsigned long long length)
{
    return length > (x->link->known ? KNOWN_BODY : STRANGER_BODY);
}

/* Keeps the body if the route takes one, it is not too long and the analyst's
   share has room; else reads and drops it, up to a limit at which the connection
   ends. */
enum MHD_Result
body_take(struct exchange *x, const char *bytes, size_t n)
{
    x->received += n;
    if (!x->answered && x->work.route.takes_body) {
        if (x->body.len + n > x->http->parts->limits.message_bytes) {
            exchange_refuse(x, HTTP_FAULT_LENGTH);
        } else if (!share_take(x->share, SHARE_MESSAGES, n)) {
            COUNT_ONE(x->http->parts->counts, unread_refused_total);
            exchange_refuse(x, HTTP_FAULT_UNREAD);
        } else {
            x->counted += n;
            buf_add(&x->body, bytes, n);
            if (x->body.failed)
                exchange_refuse(x, HTTP_FAULT_LENGTH);
            return MHD_YES;
        }
    }
    if (x->answered)
        buf_clear(&x->body);
    return body_is_endless(x, x->received) ? MHD_NO : MHD_YES;
}

/* ----------------------------------------------------------------- shares -- */

bool
exchange_may_ask(struct exchange *x, int64_t now_us)
{
    struct counts *counts = x->http->parts->counts;
    int64_t wait = share_request(x->share, now_us);

    if (wait) {
        COUNT_ONE(counts, requests_refused_total);
        http_header(&x->reply, "Retry-After", "%lld",
                    (long long)wait / 1000000 + 1);
        exchange_refuse(x, HTTP_FAULT_RATE);
        return false;
    }
    if (share_is_full(x->share, SHARE_MESSAGES)) {
        COUNT_ONE(counts, unread_refused_total);
        http_header(&x->reply, "Retry-After", "1");
        exchange_refuse(x, HTTP_FAULT_UNREAD);
        return false;
    }
    return true;
}

void
exchange_count(struct exchange *x, size_t bytes)
{
    share_change(x->share, SHARE_MESSAGES, &x->counted, bytes);
}
