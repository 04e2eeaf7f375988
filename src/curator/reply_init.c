/*
 * The count is an ordinary question: curator_answer gives its price, its noise
 * and its ledger row. Computing a bound from the answer is post-processing.
 */
#include "curator/reply_init.h"

#include "base/ck.h"
#include "base/error.h"
#include "curator/reply.h"
#include "engine/speed.h"
#include "num/rat.h"
#include "store/file.h"

enum {
    SHARE = 1000,          /* each table's count costs 1/SHARE of the budget */
    SPEED_MATTERS = 50000, /* above this many rows the default speeds are too
                              inaccurate; below, every class time is short
                              anyway */
    BAR = 7,               /* see bound_of */
    BOUND_LOG2_MAX = 47,
    WORDS_MAX = 4096,
    FILE_MAX = 1 << 20,
};

static custos_status
no_memory(custos_err *err)
{
    return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
}

/* A thousandth of the budget's epsilon, as text in `a`; NULL without memory. */
static const char *
price_of(const struct policy *p, arena *a)
{
    const char *text = NULL;
    custos_err quiet = CUSTOS_ERR_INIT;
    struct buf b;
    rat x, share;

    rat_init(&x);
    rat_init(&share);
    buf_init(&b, NULL, WORDS_MAX);
    rat_set_i64(&share, 1, SHARE);
    if (!rat_read(p->budget.epsilon.ptr, "epsilon", &x, &quiet)) {
        rat_mul(&x, &x, &share);
        rat_write(&x, &b);
        text = b.failed ? NULL : arena_copy(a, str_of(buf_text(&b)));
    }
    buf_clear(&b);
    rat_clear(&share);
    rat_clear(&x);
    return text;
}

/*
 * For a count n whose 95 % bar has half width h, n + 7 h + 7 is at least the
 * exact number, except with probability 1e-9. With Laplace noise of scale b, h
 * is b ln 20, and the one-sided tail of 1e-9 begins at b ln(5e8) < 6.7 h; with
 * Gaussian noise it begins earlier, at 3.1 h. If the noise is discrete, h and
 * the beginning of the tail move by less than 1.
 */
static uint64_t
bound_of(const struct answer_cell *cell)
{
    i128 n = cell->value.n, h = cell->high.n - n, bound = 1, most;

    if (n - cell->low.n > h)
        h = n - cell->low.n;
    if (n < 0) /* because of noise */
        n = 0;
    if (n >> BOUND_LOG2_MAX || h >> BOUND_LOG2_MAX)
        return 0;
    most = n + BAR * h + BAR;
    while (bound < most)
        bound *= 2;
    return bound >> BOUND_LOG2_MAX ? 0 : (uint64_t)bound;
}

static custos_status
ask_rows(struct curator *c, const char *price, int64_t now, arena *a,
         struct reply_table *t)
{
    struct ask ask = {.now = now, .epsilon = str_of(price)};
    struct answer *answer = NULL;
    custos_status st;
    struct buf sql;

    buf_init(&sql, NULL, WORDS_MAX);
    buf_add_text(&sql, "SELECT count(*) FROM \"");
    for (size_t i = 0; i < t->name.len; i++) {
        if (t->name.ptr[i] == '"')
            buf_add_text(&sql, "\"");
        buf_add(&sql, t->name.ptr + i, 1);
    }
    buf_add_text(&sql, "\"");
    ask.sql = str_of(buf_text(&sql));
    st = sql.failed ? no_memory(&t->err)
                    : curator_answer(c, &ask, &answer, &t->err);
    buf_clear(&sql);
    if (!st && answer->n_rows == 1 && answer->cells[0].has_bar) {
        t->bound = bound_of(&answer->cells[0]);
        t->receipt = answer->receipt;
        t->epsilon = str_of(arena_copy(a, answer->epsilon));
        if (!t->epsilon.ptr)
            st = no_memory(&t->err);
    }
    answer_free(answer);
    return st;
}

static custos_status
write_bounds(const struct curator *c, const uint64_t *bounds, custos_err *err)
{
    char path[STORE_PATH_MAX];
    custos_status st;
    struct buf b;

    store_path(&c->shared->store, "rows", path);
    buf_init(&b, NULL, FILE_MAX);
    reply_rows_print(c->snapshot->of.version, c->snapshot->policy, bounds, &b);
    st = b.failed ? no_memory(err) : file_write(path, (str){b.ptr, b.len}, err);
    buf_clear(&b);
    return st;
}

static bool
lacks_bound(const struct curator *c, size_t table)
{
    const struct policy_table *t = &c->snapshot->policy->tables[table];
    const uint64_t *bounds = c->snapshot->speeds.rows;

    return !t->is_public && !t->max_rows_given &&
           !(bounds && bounds[table] &&
             c->snapshot->rows_version == c->snapshot->of.version);
}

static custos_status
charge_rows(struct curator *c, int64_t now, arena *a, struct reply_report *out,
            custos_err *err)
{
    const struct policy *p = c->snapshot->policy;
    uint64_t *bounds = arena_take(a, p->n_tables + 1, sizeof *bounds);
    const char *price = price_of(p, a);

    out->n = 0;
    out->tables = arena_take(a, p->n_tables + 1, sizeof *out->tables);
    if (!bounds || !price || !out->tables)
        return no_memory(err);
    for (size_t i = 0; i < p->n_tables; i++) {
        struct reply_table *t = &out->tables[out->n];

        bounds[i] = c->snapshot->speeds.rows ? c->snapshot->speeds.rows[i] : 0;
        if (!lacks_bound(c, i))
            continue;
        *t = (struct reply_table){.err = CUSTOS_ERR_INIT};
        t->name =
            (str){arena_copy(a, p->tables[i].name), p->tables[i].name.len};
        if (!t->name.ptr)
            return no_memory(err);
        t->err.code = ask_rows(c, price, now, a, t);
        bounds[i] = t->bound;
        out->n++;
    }
    return out->n ? write_bounds(c, bounds, err) : CUSTOS_OK;
}

custos_status
reply_rows_charge(const char *store, int64_t now, arena *a,
                  struct reply_report *out, custos_err *err)
{
    struct curator *c = NULL;
    custos_status st = curator_open(store, &c, err);

    if (!st)
        st = charge_rows(c, now, a, out, err);
    curator_close(c);
    return st;
}

custos_status
reply_speed_ready(struct curator *c, custos_err *err)
{
    const struct policy *p = c->snapshot->policy;
    const uint64_t *bounds = c->snapshot->speeds.rows;
    bool matters = false;
    custos_status st;

    for (size_t i = 0; i < p->n_tables; i++) {
        const struct policy_table *t = &p->tables[i];

        matters = matters ||
                  (!t->is_public &&
                   (t->max_rows_given ? t->max_rows >= SPEED_MATTERS
                                      : bounds && bounds[i] >= SPEED_MATTERS));
    }
    if (c->snapshot->measured || !matters)
        return CUSTOS_OK;
    st = engine_speed_measure(&c->shared->store, p, &c->snapshot->speeds, err);
    c->snapshot->measured = !st;
    return st;
}
