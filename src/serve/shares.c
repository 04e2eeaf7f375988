#include "serve/shares.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/error.h"

enum { MINUTE_US = 60 * 1000000, TURN_TOKENS = 400 };

struct share {
    struct share *next;
    struct shares *all;
    size_t holders;
    size_t bytes[SHARE_USES];
    int64_t paid_us; /* moved forward by each request: see share_request */
    int64_t turn_us; /* the loop's last turn that parsed for it */
    size_t tokens;   /* parsed in that turn */
    size_t name_len;
    char name[];
};

/*
 * A list, not a hash table: names are those of the policy, and a share is
 * looked up once per login or request. A share stays when nobody holds it,
 * since its requests still count. There are never more shares than names that
 * have logged in.
 */
struct shares {
    pthread_mutex_t lock;
    struct share_limits limits;
    struct share *first;
    size_t bytes[SHARE_USES];
};

struct shares *
shares_new(const struct share_limits *limits)
{
    struct shares *all = calloc(1, sizeof *all);

    if (!all || pthread_mutex_init(&all->lock, NULL)) {
        free(all);
        return NULL;
    }
    all->limits = *limits;
    return all;
}

void
shares_free(struct shares *all)
{
    struct share *next;

    if (!all)
        return;
    for (struct share *s = all->first; s; s = next) {
        next = s->next;
        CUSTOS_REQUIRE(!s->holders);
        free(s);
    }
    pthread_mutex_destroy(&all->lock);
    free(all);
}

static struct share *
share_new(struct shares *all, str name)
{
    struct share *s = calloc(1, sizeof *s + name.len + 1);

    if (!s)
        return NULL;
    s->all = all;
    s->name_len = name.len;
    if (name.len)
        memcpy(s->name, name.ptr, name.len);
    s->next = all->first;
    all->first = s;
    return s;
}

struct share *
share_hold(struct shares *all, str name)
{
    struct share *s;

    if (!all)
        return NULL;
    pthread_mutex_lock(&all->lock);
    s = all->first;
    while (s && !str_equal((str){s->name, s->name_len}, name))
        s = s->next;
    if (!s)
        s = share_new(all, name);
    if (s)
        s->holders++;
    pthread_mutex_unlock(&all->lock);
    return s;
}

struct share *
share_again(struct share *s)
{
    if (s) {
        pthread_mutex_lock(&s->all->lock);
        s->holders++;
        pthread_mutex_unlock(&s->all->lock);
    }
    return s;
}

void
share_drop(struct share *s)
{
    if (!s)
        return;
    pthread_mutex_lock(&s->all->lock);
    s->holders--;
    pthread_mutex_unlock(&s->all->lock);
}

/* ---------------------------------------------------------------- bytes -- */

bool
share_take(struct share *s, enum share_use use, size_t bytes)
{
    bool fits;

    if (!s)
        return true;
    pthread_mutex_lock(&s->all->lock);
    fits = s->bytes[use] <= s->all->limits.bytes[use] &&
           bytes <= s->all->limits.bytes[use] - s->bytes[use];
    if (fits) {
        s->bytes[use] += bytes;
        s->all->bytes[use] += bytes;
    }
    pthread_mutex_unlock(&s->all->lock);
    return fits;
}

void
share_change(struct share *s, enum share_use use, size_t *counted, size_t now)
{
    if (s && now != *counted) {
        pthread_mutex_lock(&s->all->lock);
        CUSTOS_REQUIRE(s->bytes[use] >= *counted);
        s->bytes[use] += now - *counted;
        s->all->bytes[use] += now - *counted;
        pthread_mutex_unlock(&s->all->lock);
    }
    *counted = now;
}

void
share_force(struct share *s, enum share_use use, size_t bytes)
{
    size_t none = 0;

    share_change(s, use, &none, bytes);
}

void
share_give(struct share *s, enum share_use use, size_t bytes)
{
    share_change(s, use, &bytes, 0);
}

bool
share_is_full(struct share *s, enum share_use use)
{
    bool full;

    if (!s)
        return false;
    pthread_mutex_lock(&s->all->lock);
    full = s->bytes[use] >= s->all->limits.bytes[use];
    pthread_mutex_unlock(&s->all->lock);
    return full;
}

/* ------------------------------------------------------------- requests -- */

/*
 * Each request moves paid_us forward by a minute divided by the limit. A request
 * that would move it more than a minute ahead of the clock has to wait.
 */
int64_t
share_request(struct share *s, int64_t now_us)
{
    int64_t wait = 0, price;

    if (!s)
        return 0;
    price = MINUTE_US / s->all->limits.requests;
    pthread_mutex_lock(&s->all->lock);
    if (s->paid_us < now_us)
        s->paid_us = now_us;
    if (s->paid_us + price > now_us + MINUTE_US)
        wait = s->paid_us + price - now_us - MINUTE_US;
    else
        s->paid_us += price;
    pthread_mutex_unlock(&s->all->lock);
    return wait;
}

bool
share_may_read(struct share *s, int64_t turn_us, size_t tokens)
{
    bool may;

    if (!s)
        return true;
    pthread_mutex_lock(&s->all->lock);
    if (s->turn_us != turn_us)
        s->tokens = 0;
    s->turn_us = turn_us;
    may = s->tokens + tokens <= TURN_TOKENS;
    s->tokens += may ? tokens : 0;
    pthread_mutex_unlock(&s->all->lock);
    return may;
}

/* ---------------------------------------------------------------- facts -- */

size_t
share_limit(const struct share *s, enum share_use use)
{
    return s ? s->all->limits.bytes[use] : SIZE_MAX;
}

custos_status
share_fail_unread(const struct share *s, custos_err *err)
{
    return custos_fail(
        err, CUSTOS_ENOMEM,
        "your waiting requests and replies take %zu kB, which is "
        "the limit; nothing was charged" HINT "read the replies first",
        share_limit(s, SHARE_MESSAGES) >> 10);
}

custos_status
share_fail_requests(const struct share *s, int64_t wait_us, custos_err *err)
{
    return custos_fail(err, CUSTOS_EBUSY,
                       "more than %u requests in a minute; nothing was "
                       "charged" HINT "ask again in %lld seconds",
                       s->all->limits.requests,
                       (long long)(wait_us / 1000000 + 1));
}

size_t
shares_bytes(struct shares *all, enum share_use use)
{
    size_t n;

    pthread_mutex_lock(&all->lock);
    n = all->bytes[use];
    pthread_mutex_unlock(&all->lock);
    return n;
}
