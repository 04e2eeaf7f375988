/*
 * Asks both stores one after the other, in an order that alternates, and at the
 * same price. A suspicion about time or numbers is only a fault after it was
 * asked again often enough that chance explains it less than once in a million.
 */
#include "audit/curator/pair.h"

#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "audit/clock.h"
#include "audit/curator/pair_check.h"
#include "base/base.h"
#include "base/error.h"

enum {
    SQL_MAX = 1 << 17,
    SHARP_FACTOR = 50,
    BUSY_TRIES = 50,
    TIMES = 12,      /* askings of each side for a verdict about time */
    TIMES_FIRST = 3, /* after which most suspicions are dropped */
};

static const double slow_seconds = 0.35, slow_ratio = 3;

bool
verdict_is_fault(enum verdict verdict)
{
    return verdict >= VERDICT_FAILED;
}

const char *
verdict_words(enum verdict verdict)
{
    switch (verdict) {
    case VERDICT_SAME: return "no difference";
    case VERDICT_REJECTED: return "rejected";
    case VERDICT_SPENT: return "the budget is spent";
    case VERDICT_FAILED: return "a query fails after the charge";
    case VERDICT_DIFFERS: return "the replies differ";
    case VERDICT_MOVED: return "one person moves a number too far";
    case VERDICT_SHOWN: return "a group of one person is shown";
    case VERDICT_LATE: return "one person takes too much time";
    }
    return "";
}

/* ------------------------------------------------------------------- texts -- */

static void
fill_person(const char *before, const char *sql, const char *person,
            struct buf *out)
{
    buf_init(out, NULL, SQL_MAX);
    buf_add_text(out, before);
    for (const char *p = sql; *p; p++) {
        if (p[0] == '$' && p[1] == 'P') {
            buf_add_text(out, person);
            p++;
        } else {
            buf_add(out, p, 1);
        }
    }
}

/* The byte of `sql` at a position that the server counts in characters, of the
   text with `before` and the person filled in. */
static size_t
position_in(const char *before, const char *sql, const char *person, long at)
{
    long i = 1 + (long)strlen(before);
    const char *p = sql;

    for (; *p && i < at; p++) {
        if (p[0] == '$' && p[1] == 'P') {
            i += (long)strlen(person);
            p++;
        } else {
            i += ((unsigned char)p[1] & 0xc0) != 0x80;
        }
    }
    return *p ? (size_t)(p - sql) : SIZE_MAX;
}

/* --------------------------------------------------------------- connections -- */

/* The server says that it is too busy: nothing was charged. */
static bool
is_busy(const struct reply *r)
{
    return strstr(r->message, "nothing was charged") ||
           !strcmp(r->sqlstate, "55P03") || !strcmp(r->sqlstate, "53300");
}

static int64_t
now_ms(void)
{
    return (int64_t)(clock_seconds() * 1000);
}

void
pair_watch(struct pair_sides *sides)
{
    int socket = atomic_load(&sides->socket);

    if (socket > 0 && now_ms() > atomic_load(&sides->until_ms))
        shutdown(socket, SHUT_RDWR);
}

static custos_status
ask_side(struct pair_sides *sides, enum pair_side side, const char *sql,
         struct reply *out, custos_err *err)
{
    struct client *c = &sides->client[side];
    custos_status st = CUSTOS_OK;

    for (int i = 0; i < BUSY_TRIES; i++) {
        atomic_store(&sides->until_ms, now_ms() + 1000L * sides->reply_seconds);
        atomic_store(&sides->socket, c->link ? PQsocket(c->link) : 0);
        st = client_ask(c, sql, out, err);
        atomic_store(&sides->socket, 0);
        if (st || !is_busy(out))
            break;
    }
    return st;
}

custos_status
pair_explain(struct pair_sides *sides, const struct pair_question *q,
             struct outcome *out, custos_err *err)
{
    static const char before[] = "EXPLAIN ";
    struct buf sql;
    struct reply r;
    custos_status st;

    *out = (struct outcome){.verdict = VERDICT_SAME, .at = SIZE_MAX};
    fill_person(before, q->sql, sides->person, &sql);
    /* What a claim says depends on the price. */
    st = client_set_price(&sides->client[SIDE_WITH], PRICE_EPSILON, q->epsilon,
                          0, err);
    if (!st)
        st = ask_side(sides, SIDE_WITH, buf_text(&sql), &r, err);
    if (!st && reply_failed(&r)) {
        const char *at =
            PQresultErrorField(r.result, PG_DIAG_STATEMENT_POSITION);

        out->verdict = VERDICT_REJECTED;
        out->lost = !strcmp(r.sqlstate, CLIENT_LOST);
        reply_summary(&r, out->said[SIDE_WITH]);
        if (at)
            out->at = position_in(before, q->sql, sides->person,
                                  strtol(at, NULL, 10));
        if (explain_failed(&r)) {
            out->verdict = VERDICT_FAILED;
            snprintf(out->what, SAID_MAX, "EXPLAIN fails");
        }
    }
    for (size_t i = 0; !st && i < r.rows; i++) {
        const char *line = reply_cell(&r, i, 0);

        claims_read(&out->claims, line ? line : "");
    }
    buf_clear(&sql);
    return st;
}

custos_status
pair_ask(struct pair_sides *sides, const struct pair_question *q,
         struct outcome *out, custos_err *err)
{
    struct reply reply[N_SIDES];
    custos_status st = CUSTOS_OK;
    struct buf sql;
    uint64_t serial = ++sides->serial % 999983 + 1;
    unsigned first = sides->flip++ % 2;

    out->verdict = VERDICT_SAME;
    out->at = SIZE_MAX;
    out->lost = false;
    out->tables_checked = false;
    out->what[0] = '\0';
    fill_person("", q->sql, sides->person, &sql);
    for (unsigned i = 0; !st && i < N_SIDES; i++) {
        unsigned side = (first + i) % 2;

        st = client_set_price(&sides->client[side], PRICE_EPSILON, q->epsilon,
                              serial, err);
        if (!st)
            st = ask_side(sides, side, buf_text(&sql), &reply[side], err);
        if (st)
            break;
        out->seconds[side] = reply[side].seconds;
        out->lost = out->lost || !strcmp(reply[side].sqlstate, CLIENT_LOST);
        reply_summary(&reply[side], out->said[side]);
    }
    if (!st)
        st = pair_check(q->sql, sides->person, reply, out, err);
    buf_clear(&sql);
    return st;
}

custos_status
pair_sharpen(struct pair_sides *sides, const struct pair_question *q,
             struct outcome *out, custos_err *err)
{
    struct pair_question sharp = {q->sql, q->epsilon * SHARP_FACTOR};
    custos_status st = CUSTOS_OK;

    for (int i = 0; !st && i < 2; i++) {
        st = pair_explain(sides, &sharp, out, err);
        if (!st && out->verdict == VERDICT_SAME)
            st = pair_ask(sides, &sharp, out, err);
        if (out->verdict != VERDICT_MOVED)
            break;
    }
    return st;
}

/* -------------------------------------------------------------------- time -- */

bool
pair_is_slow(const struct outcome *o)
{
    double a = o->seconds[SIDE_WITH], b = o->seconds[SIDE_WITHOUT];
    double more = a > b ? a : b, less = a > b ? b : a;

    return more - less > slow_seconds && more > slow_ratio * less;
}

static int
compare_times(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

custos_status
pair_time(struct pair_sides *sides, const struct pair_question *q,
          struct outcome *out, custos_err *err)
{
    double t[N_SIDES][TIMES];
    struct outcome last = *out;

    for (size_t n = 0; n < TIMES; n++) {
        custos_status st = pair_ask(sides, q, &last, err);

        if (st)
            return st;
        if (last.verdict != VERDICT_SAME) {
            *out = last;
            return CUSTOS_OK;
        }
        t[SIDE_WITH][n] = last.seconds[SIDE_WITH];
        t[SIDE_WITHOUT][n] = last.seconds[SIDE_WITHOUT];
        if (n + 1 == TIMES_FIRST && !pair_is_slow(&last))
            return CUSTOS_OK;
    }
    for (int side = 0; side < N_SIDES; side++) {
        qsort(t[side], TIMES, sizeof t[side][0], compare_times);
        last.seconds[side] = t[side][TIMES / 2];
    }
    /* 24 times of one law fall apart like this with probability 2/C(24, 12),
       which is 7.4e-7. */
    if (!pair_is_slow(&last) ||
        (t[SIDE_WITH][0] <= t[SIDE_WITHOUT][TIMES - 1] &&
         t[SIDE_WITHOUT][0] <= t[SIDE_WITH][TIMES - 1]))
        return CUSTOS_OK;
    *out = last;
    out->verdict = VERDICT_LATE;
    snprintf(out->what, SAID_MAX,
             "%.0f ms with the person and %.0f ms without, the medians of %d "
             "askings each, which do not overlap",
             1000 * out->seconds[SIDE_WITH], 1000 * out->seconds[SIDE_WITHOUT],
             (int)TIMES);
    return CUSTOS_OK;
}
