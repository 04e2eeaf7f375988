/*
 * A second engine, for tests: its tables are arrays of values, and it computes
 * statements (engine/statement/statement.h) by walking their trees, row by row. It knows
 * nothing of DuckDB or of any SQL; expressions of a query are computed by
 * evaluate/evaluate.h.
 *
 * A table is given normalised and sorted, with the columns that engine/import/view.h names.
 */
#ifndef TEST_ENGINE_FAKE_ENGINE_H
#define TEST_ENGINE_FAKE_ENGINE_H

#include <math.h>
#include <stdlib.h>

#include "base/base.h"
#include "base/error.h"
#include "base/period.h"
#include "base/sha256.h"
#include "engine/handle.h"
#include "evaluate/evaluate.h"
#include "support/support.h"

enum { FAKE_WIDTH = 128, FAKE_KEPT = 8, FAKE_NAME = 48 };

/* Rows with named columns; of: the name of the input that a column is of. */
struct fake_rows {
    size_t n, width;
    struct {
        const char *of;
        char name[FAKE_NAME];
        bool narrow; /* cast to 32 bits */
    } columns[FAKE_WIDTH];
    struct datum *cells; /* row by row */
};

struct fake_engine {
    struct engine is;
    arena *a;
    struct fake_rows *tables; /* by number */
    struct fake_rows *kept[FAKE_KEPT];
    char salt[65];
};

/* Where a term is computed: in a row, or over the rows of a group. */
struct fake_at {
    struct fake_engine *f;
    const struct fake_rows *in;
    size_t row;
    const size_t *group; /* NULL: no aggregates */
    size_t n_group;
};

static inline struct datum
fake_term(const struct fake_at *at, const struct term *t);
static inline struct fake_rows *
fake_select(struct fake_engine *f, const struct select *s);

static const struct datum FAKE_NULL = {.type = TYPE_NULL};

static inline struct datum
fake_int(i128 n)
{
    return (struct datum){.type = TYPE_INT, .n = n};
}

static inline struct datum
fake_bool(bool truth)
{
    return (struct datum){.type = TYPE_BOOL, .n = truth};
}

static inline struct datum
fake_text(struct fake_engine *f, str text)
{
    struct datum d = {.type = TYPE_TEXT, .text = text};

    d.text.ptr = arena_copy(f->a, text);
    assert_non_null(d.text.ptr);
    return d;
}

static inline bool
fake_is_true(struct datum d)
{
    return d.type == TYPE_BOOL && d.n;
}

static inline size_t
fake_find(const struct fake_rows *r, const char *of, const char *name)
{
    for (size_t i = 0; i < r->width; i++)
        if (!strcmp(r->columns[i].name, name) &&
            (!of || !*of ||
             (r->columns[i].of && !strcmp(r->columns[i].of, of))))
            return i;
    fail_msg("the fake engine has no column %s.%s", of ? of : "", name);
    return 0;
}

/* ------------------------------------------------------------ numbers -- */

/* A number as a text, as the hash of a row has it. */
static inline struct datum
fake_as_text(struct fake_engine *f, struct datum d)
{
    struct datum out;
    struct buf b;

    if (d.type == TYPE_TEXT || d.type == TYPE_NULL)
        return d;
    buf_init(&b, NULL, 1 << 12);
    datum_write(&d, &b);
    if (d.type == TYPE_REAL && !strchr(buf_text(&b), '.'))
        buf_add_text(&b, ".0");
    out = fake_text(f, str_of(buf_text(&b)));
    buf_clear(&b);
    return out;
}

static inline i128
fake_power(i128 base, int exponent)
{
    i128 n = 1;

    for (int i = 0; i < exponent; i++)
        n *= base;
    return n;
}

/* A number to the nearest whole one, half away from 0. */
static inline i128
fake_nearest(struct datum d)
{
    i128 by, q, rest;

    if (d.type != TYPE_DECIMAL && d.type != TYPE_REAL)
        return d.n;
    if (d.scale <= 0)
        return d.n * fake_power(10, -d.scale);
    by = fake_power(10, d.scale);
    q = d.n / by;
    rest = d.n % by < 0 ? -(d.n % by) : d.n % by;
    return 2 * rest >= by ? q + (d.n < 0 ? -1 : 1) : q;
}

/* A number as a decimal with all digits of its scale; NULL: it does not fit. */
static inline struct datum
fake_decimal(struct datum d, int digits, int scale)
{
    if (d.type == TYPE_INT)
        d.scale = 0;
    d.type = TYPE_DECIMAL;
    if (!datum_round(&d, digits, scale))
        return FAKE_NULL;
    for (; d.scale < scale; d.scale++)
        d.n *= 10;
    return d;
}

static inline struct datum
fake_cast(struct fake_engine *f, struct datum d, struct store_type to)
{
    if (d.type == TYPE_NULL)
        return d;
    switch (to.kind) {
    case STORE_TEXT: return fake_as_text(f, d);
    case STORE_I32:
    case STORE_I64:
    case STORE_I128:
    case STORE_F64:
    case STORE_DECIMAL:
    case STORE_DATE:
    case STORE_TIMESTAMP: break;
    default: return d;
    }
    if (d.type == TYPE_TEXT &&
        !datum_read(to.kind == STORE_F64         ? TYPE_REAL
                    : to.kind == STORE_DECIMAL   ? TYPE_DECIMAL
                    : to.kind == STORE_DATE      ? TYPE_DATE
                    : to.kind == STORE_TIMESTAMP ? TYPE_TIMESTAMP
                                                 : TYPE_INT,
                    d.text, &d))
        return FAKE_NULL;
    if (to.kind <= STORE_I128)
        return fake_int(fake_nearest(d));
    if (to.kind == STORE_DECIMAL)
        return fake_decimal(d, to.digits, to.scale);
    if (to.kind == STORE_F64 && (d.type == TYPE_INT || d.type == TYPE_DECIMAL))
        d.type = TYPE_REAL;
    return d;
}

/* Sums, differences and products are exact; a quotient is a double. */
static inline struct datum
fake_arithmetic(enum term_operator o, struct datum a, struct datum b)
{
    struct datum out = {.type = a.type > b.type ? a.type : b.type};
    int scale_a = a.type == TYPE_INT || a.type == TYPE_DATE ? 0 : a.scale;
    int scale_b = b.type == TYPE_INT || b.type == TYPE_DATE ? 0 : b.scale;

    if (a.type == TYPE_NULL || b.type == TYPE_NULL)
        return FAKE_NULL;
    if (o == TERM_OVER)
        return datum_double(&b) == 0
                   ? FAKE_NULL
                   : datum_of_double(datum_double(&a) / datum_double(&b));
    if (out.type == TYPE_DATE)
        out.type = TYPE_INT; /* a difference of days */
    if (o == TERM_TIMES) {
        out.n = a.n * b.n;
        out.scale = scale_a + scale_b;
        return out;
    }
    out.scale = scale_a > scale_b ? scale_a : scale_b;
    a.n *= fake_power(10, out.scale - scale_a);
    b.n *= fake_power(10, out.scale - scale_b);
    out.n = o == TERM_PLUS ? a.n + b.n : a.n - b.n;
    return out;
}

static inline struct datum
fake_binary(struct fake_engine *f, enum term_operator o, struct datum a,
            struct datum b)
{
    bool null = a.type == TYPE_NULL || b.type == TYPE_NULL;
    struct buf text;
    struct datum out;
    int order;

    assert_true(o != TERM_MODULO); /* only statements of an import have it */
    if (o >= TERM_PLUS && o <= TERM_OVER)
        return fake_arithmetic(o, a, b);
    if (o == TERM_DISTINCT)
        return fake_bool(datum_cmp(&a, &b) != 0);
    if (null)
        return FAKE_NULL;
    if (o == TERM_APPEND) {
        a = fake_as_text(f, a);
        b = fake_as_text(f, b);
        buf_init(&text, NULL, 1 << 16);
        buf_add(&text, a.text.ptr, a.text.len);
        buf_add(&text, b.text.ptr, b.text.len);
        out = fake_text(f, (str){buf_text(&text), text.len});
        buf_clear(&text);
        return out;
    }
    order = datum_cmp(&a, &b);
    return fake_bool(o == TERM_EQUAL     ? order == 0
                     : o == TERM_DIFFERS ? order != 0
                     : o == TERM_LESS    ? order < 0
                     : o == TERM_AT_MOST ? order <= 0
                     : o == TERM_MORE    ? order > 0
                                         : order >= 0);
}

/* ---------------------------------------------------------- functions -- */

static inline struct datum
fake_joined(const struct fake_at *at, const struct terms *args)
{
    struct datum out;
    struct buf b;

    buf_init(&b, NULL, 1 << 16);
    for (const struct term_link *l = args->first; l; l = l->next) {
        struct datum d = fake_as_text(at->f, fake_term(at, l->term));

        if (d.type != TYPE_NULL)
            buf_add(&b, d.text.ptr, d.text.len);
    }
    out = fake_text(at->f, (str){buf_text(&b), b.len});
    buf_clear(&b);
    return out;
}

/* The first 64 or 128 bits of SHA-256, with or without salt. */
static inline struct datum
fake_hash(struct fake_engine *f, struct datum text, bool salted)
{
    uint8_t hash[SHA256_BYTES];
    struct sha256 h;
    u128 n = 0;

    if (text.type == TYPE_NULL)
        return text;
    sha256_init(&h);
    if (salted)
        sha256_add(&h, f->salt, strlen(f->salt));
    sha256_add(&h, text.text.ptr, text.text.len);
    sha256_end(&h, hash);
    for (int i = 0; i < (salted ? 16 : 7); i++)
        n = n << 8 | hash[i];
    /* A datum has a sign: keep the order of the 128 bits. */
    return fake_int((i128)(salted ? n ^ (u128)1 << 127 : n));
}

static inline struct datum
fake_least(const struct fake_at *at, const struct term *t, int sign)
{
    struct datum best = FAKE_NULL;

    for (const struct term_link *l = t->args.first; l; l = l->next) {
        struct datum d = fake_term(at, l->term);

        if (d.type != TYPE_NULL &&
            (best.type == TYPE_NULL || sign * datum_cmp(&d, &best) < 0))
            best = d;
    }
    return best;
}

static inline struct datum
fake_clamp(struct datum x, struct datum low, struct datum high)
{
    if (x.type == TYPE_NULL)
        return x;
    x = fake_int(fake_nearest(x));
    return x.n < low.n ? low : x.n > high.n ? high : x;
}

static inline struct datum
fake_replace(struct fake_engine *f, str text, str what)
{
    struct datum out;
    struct buf b;

    buf_init(&b, NULL, 1 << 16);
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] != what.ptr[0])
            buf_add(&b, text.ptr + i, 1);
    out = fake_text(f, (str){buf_text(&b), b.len});
    buf_clear(&b);
    return out;
}

static inline struct datum
fake_period(struct datum d, enum period p)
{
    int hour = 0;
    int64_t days;

    if (d.type == TYPE_NULL)
        return d;
    days = d.type == TYPE_TIMESTAMP ? period_day_of((int64_t)d.n, &hour)
                                    : (int64_t)d.n;
    return fake_int(period_number(p, days, hour));
}

static inline struct datum
fake_call(const struct fake_at *at, const struct term *t)
{
    struct datum arg[4] = {FAKE_NULL, FAKE_NULL, FAKE_NULL, FAKE_NULL};
    size_t n = 0;

    for (const struct term_link *l = t->args.first; l && n < 4; l = l->next)
        arg[n++] = fake_term(at, l->term);
    switch (t->function) {
    case TERM_COALESCE:
        for (const struct term_link *l = t->args.first; l; l = l->next) {
            struct datum d = fake_term(at, l->term);

            if (d.type != TYPE_NULL)
                return d;
        }
        return FAKE_NULL;
    case TERM_LEAST: return fake_least(at, t, 1);
    case TERM_GREATEST: return fake_least(at, t, -1);
    case TERM_CLAMP:
    case TERM_WHOLE_OF: return fake_clamp(arg[0], arg[1], arg[2]);
    case TERM_WHOLE_INDEX:
        if (arg[0].type == TYPE_NULL || arg[0].n < arg[1].n ||
            arg[0].n - arg[1].n >= arg[2].n)
            return FAKE_NULL;
        return fake_int(arg[0].n - arg[1].n);
    case TERM_PERIOD: return fake_period(arg[0], (enum period)arg[1].n);
    case TERM_MICROSECONDS:
        return arg[0].type == TYPE_NULL ? arg[0] : fake_int(arg[0].n);
    case TERM_POWER:
        if (arg[1].n < 0)
            return datum_of_double(
                pow(datum_double(&arg[0]), (double)arg[1].n));
        return fake_int(fake_power(fake_nearest(arg[0]), (int)arg[1].n));
    case TERM_IS_NAN: return fake_bool(false);
    case TERM_BYTES:
        return arg[0].type == TYPE_NULL ? arg[0]
                                        : fake_int((i128)arg[0].text.len);
    case TERM_REPLACE:
        return arg[0].type == TYPE_NULL
                   ? arg[0]
                   : fake_replace(at->f, arg[0].text, arg[1].text);
    case TERM_JOINED: return fake_joined(at, &t->args);
    case TERM_HASH: return fake_hash(at->f, fake_joined(at, &t->args), false);
    case TERM_SALTED: return fake_hash(at->f, arg[0], true);
    case TERM_CALENDAR: /* these are in statements of an import only */
    case TERM_ROUND:
    case TERM_IS_FINITE:
    case TERM_CONTAINS:
    case TERM_STARTS_WITH:
    case TERM_LEFT:
    case TERM_ORDINAL:
    case TERM_FUNCTIONS: break;
    }
    fail_msg("the fake engine has no function %d", (int)t->function);
    return FAKE_NULL;
}

/* -------------------------------------------------------- expressions -- */

struct fake_leaf {
    const struct fake_at *at;
    const char *of;
};

static inline bool
fake_column(void *ctx, const struct expr *e, struct value *out)
{
    const struct fake_leaf *l = ctx;
    const struct fake_rows *in = l->at->in;
    char name[FAKE_NAME];

    if (e->kind != EXPR_COLUMN)
        fail_msg("the fake engine sees a leaf of kind %d", (int)e->kind);
    snprintf(name, sizeof name, "column_%d", e->slot);
    *out = (struct value){
        .datum = in->cells[l->at->row * in->width + fake_find(in, l->of, name)],
        .certainty = CERTAIN};
    return true;
}

static inline struct datum
fake_expr(const struct fake_at *at, const struct term *t)
{
    struct fake_leaf leaf = {at, t->of};
    struct scope scope = {.a = at->f->a, .leaf = fake_column, .ctx = &leaf};
    struct value v;

    assert_true(evaluate(&scope, t->expr, &v));
    return v.datum;
}

/* -------------------------------------------- aggregates and windows -- */

static inline bool
fake_same(const struct fake_at *at, size_t row, const struct terms *list)
{
    struct fake_at other = *at;

    other.row = row;
    for (const struct term_link *l = list->first; l; l = l->next) {
        struct datum a = fake_term(at, l->term), b = fake_term(&other, l->term);

        if (datum_cmp(&a, &b) != 0)
            return false;
    }
    return true;
}

/* <0: `row` comes before the row of `at`. */
static inline int
fake_order(const struct fake_at *at, size_t row, const struct terms *list)
{
    struct fake_at other = *at;

    other.row = row;
    for (const struct term_link *l = list->first; l; l = l->next) {
        struct datum a = fake_term(at, l->term), b = fake_term(&other, l->term);
        int order = datum_cmp(&b, &a);

        if (order)
            return order;
    }
    return 0;
}

/* Aggregates over the rows in `rows`; at says where the term stands. */
static inline struct datum
fake_fold(const struct fake_at *at, const struct term *t, const size_t *rows,
          size_t n)
{
    const struct term *of = t->args.first ? t->args.first->term : NULL;
    struct datum *seen = calloc(n + 1, sizeof *seen), out = FAKE_NULL;
    size_t values = 0, distinct = 0;
    i128 sum = 0;

    for (size_t i = 0; i < n; i++) {
        struct fake_at row = {.f = at->f, .in = at->in, .row = rows[i]};
        struct datum d;
        bool known = false;

        if (t->filter && !fake_is_true(fake_term(&row, t->filter)))
            continue;
        d = of ? fake_term(&row, of) : fake_int(1);
        if (d.type == TYPE_NULL)
            continue;
        sum += of ? d.n : 0;
        for (size_t k = 0; k < values && !known; k++)
            known = datum_cmp(&seen[k], &d) == 0;
        distinct += !known;
        if (out.type == TYPE_NULL ||
            (t->aggregate == TERM_MIN ? datum_cmp(&d, &out) < 0
                                      : datum_cmp(&d, &out) > 0))
            out = d;
        seen[values++] = d;
    }
    free(seen);
    switch (t->aggregate) {
    case TERM_COUNT: return fake_int((i128)values);
    case TERM_COUNT_DISTINCT: return fake_int((i128)distinct);
    case TERM_SUM: return values ? fake_int(sum) : FAKE_NULL;
    case TERM_MIN:
    case TERM_MAX: return out;
    default: break;
    }
    fail_msg("the fake engine has no aggregate %d", (int)t->aggregate);
    return out;
}

static inline struct datum
fake_window(const struct fake_at *at, const struct term *t)
{
    size_t *rows = calloc(at->in->n + 1, sizeof *rows), n = 0, before = 0;
    size_t peers = 0; /* different order keys before this row's */
    struct datum out;

    for (size_t i = 0; i < at->in->n; i++) {
        int order;

        if (!fake_same(at, i, &t->window->partition))
            continue;
        rows[n++] = i;
        order = fake_order(at, i, &t->window->order);
        before += order < 0 || (order == 0 && i < at->row);
        if (order < 0) { /* count each order key at its first row */
            struct fake_at earlier = *at;
            bool first = true;

            earlier.row = i;
            for (size_t k = 0; k + 1 < n && first; k++)
                first = fake_order(&earlier, rows[k], &t->window->order) != 0;
            peers += first;
        }
    }
    out = t->aggregate == TERM_ROW_NUMBER   ? fake_int((i128)before + 1)
          : t->aggregate == TERM_DENSE_RANK ? fake_int((i128)peers + 1)
                                            : fake_fold(at, t, rows, n);
    free(rows);
    return out;
}

/* -------------------------------------------------------------- terms -- */

static inline struct datum
fake_case(const struct fake_at *at, const struct term *t)
{
    const struct term_link *l = t->args.first;
    struct datum what = fake_bool(true);

    if (t->kind == TERM_CHOOSE) {
        what = fake_term(at, l->term);
        l = l->next;
    }
    for (; l && l->next; l = l->next->next) {
        struct datum when = fake_term(at, l->term);

        if (what.type != TYPE_NULL && when.type != TYPE_NULL &&
            datum_cmp(&what, &when) == 0)
            return fake_term(at, l->next->term);
    }
    return l ? fake_term(at, l->term) : FAKE_NULL;
}

/* The index of a text among labels, or of a number among others (0: it is one). */
static inline struct datum
fake_index(const struct fake_at *at, const struct term *t)
{
    struct datum what = fake_term(at, t->args.first->term);
    i128 i = 0;

    for (const struct term_link *l = t->args.first->next; l; l = l->next, i++) {
        struct datum d = fake_term(at, l->term);

        if (what.type != TYPE_NULL && datum_cmp(&what, &d) == 0)
            return fake_int(i);
    }
    return FAKE_NULL;
}

static inline struct datum
fake_term(const struct fake_at *at, const struct term *t)
{
    const struct term_link *l = t->args.first;
    struct datum d, low, high;

    switch (t->kind) {
    case TERM_NAME:
        return at->in->cells[at->row * at->in->width +
                             fake_find(at->in, t->of, t->name)];
    case TERM_EXPR:
    case TERM_CONDITION:
    case TERM_PUBLIC: return fake_expr(at, t);
    case TERM_NUMBER: return fake_int(t->number);
    case TERM_TEXT: return (struct datum){.type = TYPE_TEXT, .text = t->text};
    case TERM_DAY:
        assert_true(
            datum_read(t->type.kind == STORE_DATE ? TYPE_DATE : TYPE_TIMESTAMP,
                       t->text, &d));
        return d;
    case TERM_TRUE: return fake_bool(true);
    case TERM_FALSE: return fake_bool(false);
    case TERM_NULL: return FAKE_NULL;
    case TERM_CALL: return fake_call(at, t);
    case TERM_BINARY:
        return fake_binary(at->f, t->operator, fake_term(at, l->term),
                           fake_term(at, t->args.last->term));
    case TERM_NEGATIVE:
        d = fake_term(at, l->term);
        d.n = -d.n;
        return d;
    case TERM_CAST:
    case TERM_TRY_CAST:
        return fake_cast(at->f, fake_term(at, l->term), t->type);
    case TERM_CASE:
    case TERM_CHOOSE: return fake_case(at, t);
    case TERM_LABELS: return fake_index(at, t);
    case TERM_AMONG: return fake_bool(fake_index(at, t).type != TYPE_NULL);
    case TERM_NOT:
        d = fake_term(at, l->term);
        return d.type == TYPE_NULL ? d : fake_bool(!d.n);
    case TERM_PRESENT:
        return fake_bool(fake_term(at, l->term).type != TYPE_NULL);
    case TERM_ABSENT:
        return fake_bool(fake_term(at, l->term).type == TYPE_NULL);
    case TERM_BETWEEN:
        d = fake_term(at, l->term);
        low = fake_term(at, l->next->term);
        high = fake_term(at, t->args.last->term);
        return d.type == TYPE_NULL ? d
                                   : fake_bool(datum_cmp(&low, &d) <= 0 &&
                                               datum_cmp(&d, &high) <= 0);
    case TERM_AGGREGATE:
        return t->window ? fake_window(at, t)
                         : fake_fold(at, t, at->group, at->n_group);
    case TERM_COLUMN: /* these are in statements of an import only */
    case TERM_LIST:
    case TERM_ITEM:
    case TERM_ALL:
    case TERM_ANY: break;
    }
    fail_msg("the fake engine has no term %d", (int)t->kind);
    return FAKE_NULL;
}

/* ------------------------------------------------------------- inputs -- */

static inline struct fake_rows *
fake_new(struct fake_engine *f, size_t rows, size_t width)
{
    struct fake_rows *r = arena_take(f->a, 1, sizeof *r);

    assert_non_null(r);
    assert_true(width <= FAKE_WIDTH);
    r->width = width;
    r->cells = arena_take(f->a, rows * width + 1, sizeof *r->cells);
    assert_non_null(r->cells);
    return r;
}

static inline struct fake_rows *
fake_input(struct fake_engine *f, const struct input *in);

static inline bool
fake_all_hold(const struct fake_at *at, const struct terms *list)
{
    for (const struct term_link *l = list->first; l; l = l->next)
        if (!fake_is_true(fake_term(at, l->term)))
            return false;
    return true;
}

static inline struct fake_rows *
fake_join(struct fake_engine *f, const struct input *in)
{
    const struct fake_rows *a = fake_input(f, in->left);
    const struct fake_rows *b = fake_input(f, in->right);
    struct fake_rows *r = fake_new(f, a->n * b->n + a->n, a->width + b->width);
    struct fake_at at = {.f = f, .in = r};

    memcpy(r->columns, a->columns, a->width * sizeof *r->columns);
    memcpy(r->columns + a->width, b->columns, b->width * sizeof *r->columns);
    for (size_t i = 0; i < a->n; i++) {
        size_t had = r->n;

        for (size_t k = 0; k <= b->n; k++) {
            struct datum *to = &r->cells[r->n * r->width];
            bool alone = k == b->n; /* no row of the right side */

            memcpy(to, &a->cells[i * a->width], a->width * sizeof *to);
            if (alone)
                memset(to + a->width, 0, b->width * sizeof *to);
            else
                memcpy(to + a->width, &b->cells[k * b->width],
                       b->width * sizeof *to);
            at.row = r->n;
            r->n +=
                alone ? in->outer && r->n == had : fake_all_hold(&at, &in->on);
        }
    }
    return r;
}

static inline struct fake_rows *
fake_input(struct fake_engine *f, const struct input *in)
{
    struct fake_rows *r = arena_take(f->a, 1, sizeof *r);

    assert_non_null(r);
    switch (in->kind) {
    case INPUT_TABLE: *r = f->tables[in->table]; break;
    case INPUT_KEPT: *r = *f->kept[in->table]; break;
    case INPUT_SELECT: *r = *fake_select(f, in->select); break;
    case INPUT_JOIN: *r = *fake_join(f, in); break;
    case INPUT_NAMED: fail_msg("the fake engine has no table %s", in->name);
    case INPUT_FILE:
    case INPUT_COLUMNS: fail_msg("the fake engine reads no files");
    }
    for (size_t i = 0; in->as && i < r->width; i++)
        r->columns[i].of = in->as;
    return r;
}

/* ------------------------------------------------------------ selects -- */

static inline bool
fake_has_aggregate(const struct term *t)
{
    if (t->kind == TERM_AGGREGATE && !t->window)
        return true;
    for (const struct term_link *l = t->args.first; l; l = l->next)
        if (fake_has_aggregate(l->term))
            return true;
    return false;
}

/* The rows that pass WHERE. */
static inline struct fake_rows *
fake_where(struct fake_engine *f, const struct select *s)
{
    const struct fake_rows *in = fake_input(f, s->from);
    struct fake_rows *r = fake_new(f, in->n, in->width);
    struct fake_at at = {.f = f, .in = in};

    memcpy(r->columns, in->columns, in->width * sizeof *r->columns);
    for (; at.row < in->n; at.row++)
        if (fake_all_hold(&at, &s->where))
            memcpy(&r->cells[r->n++ * r->width], &in->cells[at.row * in->width],
                   in->width * sizeof *r->cells);
    return r;
}

/* The terms that rows are grouped by; false: they are not grouped. */
static inline bool
fake_keys(struct fake_engine *f, const struct select *s, struct terms *out)
{
    struct builder b = {.a = f->a};
    bool grouped = s->group_by_all || s->group_by.n > 0;

    for (const struct term_link *l = s->group_by.first; l; l = l->next) {
        const struct item *i = s->items;

        for (i128 k = 1; l->term->kind == TERM_NUMBER && k < l->term->number;
             k++)
            i = i->next;
        terms_add(&b, out, l->term->kind == TERM_NUMBER ? i->term : l->term);
    }
    for (const struct item *i = s->items; i; i = i->next) {
        if (fake_has_aggregate(i->term))
            grouped = true;
        else if (s->group_by_all)
            terms_add(&b, out, i->term);
    }
    assert_false(b.failed);
    return grouped;
}

/* Adds the row of `at` to r: all columns of the input if s says so, and the items. */
static inline void
fake_emit(const struct fake_at *at, const struct select *s, struct fake_rows *r)
{
    struct datum *to = &r->cells[r->n++ * r->width];

    if (s->all) {
        memcpy(to, &at->in->cells[at->row * at->in->width],
               at->in->width * sizeof *to);
        to += at->in->width;
    }
    for (const struct item *i = s->items; i; i = i->next)
        *to++ = fake_term(at, i->term);
}

static inline void
fake_groups(struct fake_at *at, const struct select *s,
            const struct terms *keys, struct fake_rows *r)
{
    size_t n = at->in->n, *group = calloc(n + 1, sizeof *group);
    bool *done = calloc(n + 1, sizeof *done);

    for (size_t i = 0; i < n || (i == 0 && keys->n == 0); i++) {
        if (done[i])
            continue;
        at->row = i;
        at->group = group;
        at->n_group = 0;
        for (size_t k = i; k < n; k++)
            if (!done[k] && fake_same(at, k, keys)) {
                group[at->n_group++] = k;
                done[k] = true;
            }
        fake_emit(at, s, r);
        if (n == 0)
            break;
    }
    free(group);
    free(done);
}

struct fake_sorting {
    struct fake_engine *f;
    const struct select *s;
    const struct fake_rows *r;
};

/* NULL is last in datum_cmp, as the statements ask for. */
static inline int
fake_by(const void *a, const void *b, void *ctx)
{
    const struct fake_sorting *c = ctx;
    struct fake_at x = {.f = c->f, .in = c->r, .row = *(const size_t *)a};
    struct fake_at y = {.f = c->f, .in = c->r, .row = *(const size_t *)b};

    for (const struct sort *o = c->s->order_by; o; o = o->next) {
        struct datum p = fake_term(&x, o->term), q = fake_term(&y, o->term);
        int order = datum_cmp(&p, &q);

        if (order)
            return o->descending ? -order : order;
    }
    return x.row < y.row ? -1 : x.row > y.row;
}

static inline struct fake_rows *
fake_sorted(struct fake_engine *f, const struct select *s, struct fake_rows *r)
{
    struct fake_sorting c = {f, s, r};
    size_t *at = calloc(r->n + 1, sizeof *at);
    struct fake_rows *to = fake_new(f, r->n, r->width);

    memcpy(to->columns, r->columns, sizeof to->columns);
    for (size_t i = 0; i < r->n; i++)
        at[i] = i;
    qsort_r(at, r->n, sizeof *at, fake_by, &c);
    for (; to->n < r->n; to->n++)
        memcpy(&to->cells[to->n * r->width], &r->cells[at[to->n] * r->width],
               r->width * sizeof *to->cells);
    free(at);
    return to;
}

/* Names the columns of the result: an item without a name keeps the one that its
   term has. */
static inline void
fake_name_columns(const struct select *s, const struct fake_rows *in,
                  struct fake_rows *r)
{
    size_t at = s->all ? in->width : 0;

    memcpy(r->columns, in->columns, at * sizeof *r->columns);
    for (size_t i = 0; i < at; i++)
        r->columns[i].of = NULL;
    for (const struct item *i = s->items; i; i = i->next, at++) {
        snprintf(r->columns[at].name, FAKE_NAME, "%s",
                 i->as                        ? i->as
                 : i->term->kind == TERM_NAME ? i->term->name
                                              : "");
        r->columns[at].narrow =
            i->term->kind == TERM_CAST && i->term->type.kind == STORE_I32;
    }
}

/* UNION ALL of r and the selects after s. */
static inline struct fake_rows *
fake_union(struct fake_engine *f, const struct select *s, struct fake_rows *r)
{
    const struct fake_rows *more;
    struct fake_rows *to;

    if (!s->and_all)
        return r;
    more = fake_select(f, s->and_all);
    assert_int_equal(more->width, r->width);
    to = fake_new(f, r->n + more->n, r->width);
    memcpy(to->columns, r->columns, sizeof to->columns);
    to->n = r->n + more->n;
    memcpy(to->cells, r->cells, r->n * r->width * sizeof *to->cells);
    memcpy(to->cells + r->n * r->width, more->cells,
           more->n * r->width * sizeof *to->cells);
    return to;
}

static inline struct fake_rows *
fake_select(struct fake_engine *f, const struct select *s)
{
    const struct fake_rows *in = fake_where(f, s);
    struct fake_at at = {.f = f, .in = in};
    struct terms keys = {.n = 0};
    size_t width = s->all ? in->width : 0;
    struct fake_rows *r;

    assert_false(s->distinct || s->having || s->has_limit || s->offset);
    for (const struct item *i = s->items; i; i = i->next)
        width++;
    r = fake_new(f, in->n + 1, width);
    fake_name_columns(s, in, r);
    if (fake_keys(f, s, &keys))
        fake_groups(&at, s, &keys, r);
    else
        for (; at.row < in->n; at.row++)
            fake_emit(&at, s, r);
    if (s->order_by)
        r = fake_sorted(f, s, r);
    return fake_union(f, s, r);
}

/* ------------------------------------------------------------- results -- */

struct fake_result {
    struct result is;
    const struct fake_rows *rows;
    size_t at;
    void *data[FAKE_WIDTH];
    uint64_t *valid[FAKE_WIDTH];
};

/* The layout of a column: the narrowest that holds all values. */
static inline enum column_type
fake_layout(const struct fake_rows *r, size_t k)
{
    enum column_type type = r->columns[k].narrow ? COLUMN_I32 : COLUMN_I64;

    for (size_t i = 0; i < r->n; i++) {
        const struct datum *d = &r->cells[i * r->width + k];

        if (d->type == TYPE_TEXT)
            return COLUMN_TEXT;
        if (d->n > INT64_MAX || d->n < INT64_MIN)
            type = COLUMN_I128;
    }
    return type;
}

static inline void
fake_put(enum column_type type, void *data, size_t i, const struct datum *d)
{
    struct column_string *s;

    switch (type) {
    case COLUMN_I32: ((int32_t *)data)[i] = (int32_t)d->n; break;
    case COLUMN_I64: ((int64_t *)data)[i] = (int64_t)d->n; break;
    case COLUMN_I128:
        ((struct column_wide *)data)[i] =
            (struct column_wide){(uint64_t)d->n, (int64_t)(d->n >> 64)};
        break;
    default:
        s = &((struct column_string *)data)[i];
        s->len = d->type == TYPE_TEXT ? (uint32_t)d->text.len : 0;
        if (s->len > COLUMN_INLINE)
            s->there.all = d->text.ptr;
        else if (s->len > 0)
            memcpy(s->here, d->text.ptr, s->len);
        break;
    }
}

static inline custos_status
fake_next(struct result *r, size_t *n, struct column *columns, custos_err *err)
{
    struct fake_result *f = (struct fake_result *)r;
    const struct fake_rows *rows = f->rows;

    (void)err;
    *n = rows->n - f->at < ROWS_CHUNK_MAX ? rows->n - f->at : ROWS_CHUNK_MAX;
    for (size_t k = 0; k < rows->width; k++) {
        columns[k] = (struct column){.type = fake_layout(rows, k),
                                     .data = f->data[k],
                                     .valid = f->valid[k]};
        memset(f->valid[k], 0, ROWS_CHUNK_MAX / 8);
        for (size_t i = 0; i < *n; i++) {
            const struct datum *d = &rows->cells[(f->at + i) * rows->width + k];

            fake_put(columns[k].type, f->data[k], i, d);
            if (d->type != TYPE_NULL)
                f->valid[k][i / 64] |= UINT64_C(1) << i % 64;
        }
    }
    f->at += *n;
    return CUSTOS_OK;
}

static inline void
fake_result_free(struct result *r)
{
    struct fake_result *f = (struct fake_result *)r;

    for (size_t k = 0; k < f->is.width; k++) {
        free(f->data[k]);
        free(f->valid[k]);
    }
    free(f);
}

/* -------------------------------------------------------------- calls -- */

static inline custos_status
fake_ask(struct engine *e, size_t lane, const struct select *s,
         struct result **out, custos_err *err)
{
    static const struct result_ops ops = {fake_next, fake_result_free};
    struct fake_result *r = calloc(1, sizeof *r);

    (void)lane;
    (void)err;
    assert_non_null(r);
    r->rows = fake_select((struct fake_engine *)e, s);
    r->is = (struct result){.ops = &ops, .width = r->rows->width};
    for (size_t k = 0; k < r->is.width; k++) {
        r->data[k] = calloc(ROWS_CHUNK_MAX, sizeof(struct column_string));
        r->valid[k] = calloc(ROWS_CHUNK_MAX / 64, sizeof(uint64_t));
        assert_true(r->data[k] && r->valid[k]);
    }
    *out = &r->is;
    return CUSTOS_OK;
}

static inline custos_status
fake_keep(struct engine *e, size_t number, const struct select *s,
          custos_err *err)
{
    struct fake_engine *f = (struct fake_engine *)e;

    (void)err;
    assert_true(number < FAKE_KEPT);
    f->kept[number] = fake_select(f, s);
    return CUSTOS_OK;
}

static inline void
fake_forget(struct engine *e, size_t n)
{
    (void)e;
    (void)n;
}

static inline void
fake_close(struct engine *e)
{
    struct fake_engine *f = (struct fake_engine *)e;

    arena_free(f->a);
    free(f);
}

static const struct engine_ops fake_ops = {.ask = fake_ask,
                                           .keep = fake_keep,
                                           .forget = fake_forget,
                                           .close = fake_close};

#endif
