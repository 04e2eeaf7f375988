#include "ledger/sizes.h"

#include "base/error.h"

enum {
    ROW_BYTES = 400,    /* per row, besides its texts: hash, amounts, indexes */
    ANSWER_BYTES = 160, /* per stored answer: key, mark, index */
    MINUTE_US = 60000000,
};

static const char *const names[] = {
    [SIZE_ANSWERS] = "answers", [SIZE_ROWS] = "rows"};

custos_status
size_load(struct db *d, enum size_of what, str who, uint64_t *out,
          custos_err *err)
{
    struct query q;

    query_begin(&q, d, "SELECT bytes FROM sizes WHERE what = ? AND who = ?");
    query_put_text(&q, str_of(names[what]));
    query_put_text(&q, who);
    *out = query_next(&q) ? (uint64_t)query_int(&q, 0) : 0;
    return query_end(&q, err);
}

custos_status
size_add(struct db *d, enum size_of what, str who, int64_t bytes,
         custos_err *err)
{
    struct query q;

    query_begin(&q, d,
                "INSERT INTO sizes (what, who, bytes) VALUES (?1, ?2,"
                " max(0, ?3)) ON CONFLICT (what, who) DO UPDATE SET"
                " bytes = max(0, bytes + ?3)");
    query_put_text(&q, str_of(names[what]));
    query_put_text(&q, who);
    query_put_int(&q, bytes);
    while (query_next(&q))
        ;
    return query_end(&q, err);
}

/* ------------------------------------------------------------------ growth -- */

static uint64_t
row_size(const struct ledger_request *r)
{
    return ROW_BYTES + r->query.len + r->plan.len + r->theorems.len;
}

/* The bytes that this handle has added for the analyst in the request's
   minute. */
static uint64_t *
minute_of(struct ledger *l, const struct ledger_request *r, size_t analyst)
{
    struct limits *of = &l->terms->limits[analyst];
    int64_t minute = r->now / MINUTE_US;

    if (of->minute != minute)
        of->minute_bytes = 0;
    of->minute = minute;
    return &of->minute_bytes;
}

custos_status
growth_judge(struct ledger *l, const struct ledger_request *r, size_t n,
             size_t analyst, custos_err *err)
{
    uint64_t size = 0, all = 0;
    custos_status st = CUSTOS_OK;

    for (size_t i = 0; i < n; i++)
        size += row_size(&r[i]);
    if (analyst >= l->terms->said.n_analysts)
        return CUSTOS_OK;
    if (r->max_minute_bytes &&
        *minute_of(l, r, analyst) + size > r->max_minute_bytes)
        return custos_fail(err, CUSTOS_EOVERFLOW,
                           "your queries have added %llu bytes to the ledger "
                           "in this minute, and the policy allows no more" HINT
                           "ask "
                           "again in the next minute",
                           (unsigned long long)*minute_of(l, r, analyst));
    if (r->max_bytes)
        st = size_load(l->db, SIZE_ROWS, r->who, &all, err);
    if (!st && r->max_bytes && all + size > r->max_bytes)
        return custos_fail(err, CUSTOS_EOVERFLOW,
                           "your queries take all the room in the ledger that "
                           "the policy gives an analyst (%llu bytes)" HINT
                           "ask the "
                           "owner",
                           (unsigned long long)r->max_bytes);
    return st;
}

custos_status
growth_count(struct ledger *l, const struct ledger_request *r, size_t analyst,
             custos_err *err)
{
    if (analyst >= l->terms->said.n_analysts)
        return CUSTOS_OK;
    *minute_of(l, r, analyst) += row_size(r);
    return size_add(l->db, SIZE_ROWS, r->who, (int64_t)row_size(r), err);
}

/* --------------------------------------------------------------- retention -- */

uint64_t
answer_size(size_t len)
{
    return ANSWER_BYTES + len;
}

struct oldest {
    bool found;
    uint8_t key[32];
    uint64_t size;
    int64_t time; /* of the charge that paid for it */
};

static custos_status
find_oldest(struct db *d, struct oldest *out, custos_err *err)
{
    struct query q;
    bool whole = true;
    custos_status st;

    query_begin(&q, d,
                "SELECT a.key, length(a.answer), c.time FROM answers a JOIN"
                " chain c ON c.seq = a.seq ORDER BY a.seq LIMIT 1");
    out->found = query_next(&q);
    if (out->found) {
        whole = query_fixed(&q, 0, out->key, sizeof out->key);
        out->size = answer_size((size_t)query_int(&q, 1));
        out->time = query_int(&q, 2);
    }
    st = query_end(&q, err);
    if (!st && !whole)
        st =
            custos_fail(err, CUSTOS_ECORRUPT,
                        "the ledger is damaged: a stored answer has no key" HINT
                        "restore a backup");
    return st;
}

static custos_status
drop_answer(struct db *d, const struct oldest *o, custos_err *err)
{
    struct query q;
    custos_status st;

    query_begin(&q, d, "DELETE FROM answers WHERE key = ?");
    query_put_bytes(&q, o->key, sizeof o->key);
    while (query_next(&q))
        ;
    st = query_end(&q, err);
    return st ? st
              : size_add(d, SIZE_ANSWERS, str_of(""), -(int64_t)o->size, err);
}

static bool
is_old(const struct ledger_retention *r, const struct oldest *o, int64_t now)
{
    int64_t age;

    return r->age_us && !__builtin_sub_overflow(now, o->time, &age) &&
           age > r->age_us;
}

custos_status
answers_trim(struct db *d, const struct ledger_retention *retention,
             int64_t now, size_t most, uint64_t *dropped, uint64_t *bytes,
             custos_err *err)
{
    uint64_t total = 0;
    custos_status st = CUSTOS_OK;

    if (!retention->bytes && !retention->age_us)
        return CUSTOS_OK;
    st = size_load(d, SIZE_ANSWERS, str_of(""), &total, err);
    for (size_t i = 0; i < most && !st; i++) {
        struct oldest o = {0};
        bool full = retention->bytes && total > retention->bytes;

        if (!full && !retention->age_us)
            break;
        st = find_oldest(d, &o, err);
        if (st || !o.found || (!full && !is_old(retention, &o, now)))
            break;
        st = drop_answer(d, &o, err);
        total -= o.size < total ? o.size : total;
        *dropped += !st;
        *bytes += st ? 0 : o.size;
    }
    return st;
}
