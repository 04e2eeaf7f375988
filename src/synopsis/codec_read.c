/*
 * Reads a synopsis from bytes. Every count is checked against the bytes that are
 * left before memory is taken for it, so that few bytes never take much memory; what
 * the model takes is known before its tables are made.
 */
#include "synopsis/codec.h"

#include <math.h>

#include "base/error.h"
#include "base/utf8.h"
#include "synopsis/fine.h"
#include "synopsis/steps.h"
#include "synth/price.h"

enum {
    COLUMNS_MAX = 4096,
    CODES_MAX = 1 << 16,
    DIGITS_MAX = 38,
    REAL_DIGITS = 56,   /* the smallest step of a real is 2^-56 */
    NUMBER_DIGITS = 36, /* of a number, as datum_read has it */
    /* A model of pairs whose cliques are its nodes takes so many times its
       potentials, whatever their size. */
    MODEL_TIMES = 10,
};

#define NUMBER_MOST                                                            \
    ((i128)1000000000000000000 * 1000000000000000000) /* 10^36 */

#define CUT_MOST ((i128)1 << 120)
#define REAL_STEPS ((i128)1 << 52)

struct reader {
    struct unpack u;
    arena *a;
    size_t bytes; /* of all */
    bool no_memory;
};

/* ---------------------------------------------------------------- values -- */

/* n items, each of which takes at least `bytes` bytes of what is left; NULL after a
   failure. */
static void *
take(struct reader *r, size_t n, size_t bytes, size_t size)
{
    void *p = NULL;

    if (r->u.failed || n > (size_t)(r->u.end - r->u.ptr) / bytes) {
        r->u.failed = true;
        return NULL;
    }
    p = arena_take(r->a, n + 1, size);
    r->no_memory |= !p;
    r->u.failed |= !p;
    return p;
}

static void
require(struct reader *r, bool fact)
{
    r->u.failed |= !fact;
}

/* A line of text that a terminal can show. */
static str
unpack_line(struct reader *r)
{
    str text = unpack_text(&r->u);

    require(r, utf8_is_line(text));
    return r->u.failed ? (str){"", 0} : text;
}

static uint64_t
unpack_count(struct reader *r)
{
    const i128 n = unpack_number(&r->u);

    require(r, n >= 0 && n <= (i128)UINT64_MAX);
    return r->u.failed ? 0 : (uint64_t)n;
}

static i128
unpack_between(struct reader *r, i128 least, i128 most)
{
    const i128 n = unpack_number(&r->u);

    require(r, n >= least && n <= most);
    return r->u.failed ? least : n;
}

static double
unpack_double(struct reader *r)
{
    unsigned char bytes[8];
    uint64_t bits = 0;
    double x;

    unpack_bytes(&r->u, bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++)
        bits |= (uint64_t)bytes[i] << 8 * i;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static struct colset
unpack_set(struct reader *r, const struct domain *d)
{
    struct colset set;

    set.word[0] = unpack_count(r);
    set.word[1] = unpack_count(r);
    require(r, colset_within(set, domain_all(d)));
    return r->u.failed ? (struct colset){{0, 0}} : set;
}

/* ---------------------------------------------------------------- schema -- */

static void
unpack_facts(struct reader *r, struct synopsis_facts *f)
{
    f->epsilon = unpack_line(r);
    f->delta = unpack_line(r);
    f->rho = unpack_line(r);
    f->adjacency = unpack_line(r);
    f->unit = unpack_line(r);
    f->rows_per_unit = unpack_count(r);
    f->method = unpack_line(r);
    f->theorems = unpack_line(r);
    f->receipt = unpack_count(r);
    f->receipt_hash = unpack_line(r);
    f->version = unpack_line(r);
    require(r, facts_are_sound(f));
}

/* Is n with so many more digits still a number that a datum can have? */
static bool
fits(i128 n, int more_digits)
{
    for (int i = 0; i < more_digits; i++)
        if (__builtin_mul_overflow(n, (i128)10, &n))
            return false;
    return true;
}

/* Is it a value that the policy of a release can declare? */
static bool
value_is_sound(const struct datum *d)
{
    switch (d->type) {
    case TYPE_BOOL: return d->n == 0 || d->n == 1;
    case TYPE_INT:
    case TYPE_DECIMAL:
    case TYPE_REAL:
        return d->scale <= NUMBER_DIGITS && d->n > -NUMBER_MOST &&
               d->n < NUMBER_MOST;
    case TYPE_TEXT: return utf8_is_line(d->text);
    case TYPE_DATE: return d->n >= DATE_FIRST && d->n <= DATE_LAST;
    case TYPE_TIMESTAMP:
        return d->n >= DATE_FIRST * (i128)DAY_US &&
               d->n < (DATE_LAST + 1) * (i128)DAY_US;
    case TYPE_NULL: break;
    }
    return false;
}

static void
unpack_values(struct reader *r, struct schema_column *c)
{
    c->values = take(r, c->n, 4, sizeof *c->values);
    for (uint32_t k = 0; !r->u.failed && k < c->n; k++) {
        c->values[k] = unpack_datum(&r->u);
        require(r, c->values[k].type == c->type ||
                       (data_type_is_number(c->type) &&
                        data_type_is_number(c->values[k].type)));
        require(r, value_is_sound(&c->values[k]));
        require(r, fits(c->values[k].n, c->scale - c->values[k].scale));
    }
}

/* Can every step be written as a value of the column? */
static bool
cuts_are_sound(const struct schema_column *c)
{
    const i128 first = c->cuts[0], last = c->cuts[c->n] - 1;

    switch (c->type) {
    case TYPE_INT: return c->digits == 0;
    case TYPE_DECIMAL:
        return c->base == 10 && c->digits >= 0 && c->digits <= c->scale &&
               fits(first, c->scale - c->digits) &&
               fits(last, c->scale - c->digits);
    case TYPE_REAL:
        return first > -REAL_STEPS && last < REAL_STEPS &&
               (c->base == 2 || c->base == 10) &&
               c->digits * (c->base == 2 ? 1 : 4) <= REAL_DIGITS &&
               c->digits >= -REAL_DIGITS / 4;
    case TYPE_DATE: return first >= DATE_FIRST && last <= DATE_LAST;
    case TYPE_TIMESTAMP:
        return first >= DATE_FIRST * (i128)DAY_US &&
               last < (DATE_LAST + 1) * (i128)DAY_US;
    default: return false;
    }
}

/* The cuts of a column whose n, base and digits are known. */
static void
unpack_cuts(struct reader *r, struct schema_column *c)
{
    c->cuts = take(r, (size_t)c->n + 1, 1, sizeof *c->cuts);
    for (uint32_t k = 0; !r->u.failed && k <= c->n; k++) {
        c->cuts[k] = unpack_between(r, -CUT_MOST, CUT_MOST);
        require(r, k == 0 || c->cuts[k] > c->cuts[k - 1]);
    }
    require(r, r->u.failed || cuts_are_sound(c));
}

static void
unpack_column(struct reader *r, struct schema_column *c)
{
    c->name = unpack_line(r);
    require(r, c->name.len > 0);
    c->type = (enum data_type)unpack_between(r, TYPE_BOOL, TYPE_TIMESTAMP);
    c->scale = (int)unpack_between(r, 0, DIGITS_MAX);
    c->coding = (enum schema_coding)unpack_between(r, 0, SCHEMA_NUMBER);
    c->ordered = unpack_between(r, 0, 1);
    c->nullable = unpack_between(r, 0, 1);
    if (c->coding == SCHEMA_NUMBER)
        return;
    c->n = (uint32_t)unpack_between(r, c->nullable ? 0 : 1,
                                    CODES_MAX - c->nullable);
    if (c->coding == SCHEMA_VALUES) {
        unpack_values(r, c);
        return;
    }
    c->base = (int)unpack_between(r, 2, 10);
    c->digits = (int)unpack_between(r, -DIGITS_MAX, DIGITS_MAX);
    unpack_cuts(r, c);
}

static struct schema *
unpack_schema(struct reader *r)
{
    struct schema *s = take(r, 1, 1, sizeof *s);
    uint32_t *size;

    if (!s)
        return NULL;
    s->table = unpack_line(r);
    s->n = (size_t)unpack_between(r, 1, COLUMNS_MAX);
    s->columns = take(r, s->n, 6, sizeof *s->columns);
    size = arena_take(r->a, SYNTH_COLUMNS_MAX, sizeof *size);
    s->column = arena_take(r->a, SYNTH_COLUMNS_MAX, sizeof *s->column);
    r->no_memory |= !size || !s->column;
    r->u.failed |= r->no_memory;
    for (size_t i = 0; !r->u.failed && i < s->n; i++) {
        struct schema_column *c = &s->columns[i];

        unpack_column(r, c);
        for (size_t k = 0; k < i; k++)
            require(r, !str_equal(s->columns[k].name, c->name));
        if (c->coding == SCHEMA_NUMBER)
            continue;
        require(r, s->domain.n < SYNTH_COLUMNS_MAX);
        if (r->u.failed)
            break;
        c->place = s->domain.n++;
        size[c->place] = schema_codes(c);
        s->column[c->place] = i;
    }
    s->domain.size = size;
    require(r, s->domain.n > 0);
    return s;
}

/* ---------------------------------------------------------------- tables -- */

/* Codings only merge: codes that were one stay one. */
static void
unpack_coding(struct reader *r, const struct released *of,
              struct released_coding *c)
{
    const struct domain *d = &of->codings[0].domain;

    c->size = take(r, d->n, 1, sizeof *c->size);
    c->map = take(r, d->n, 1, sizeof *c->map);
    for (size_t i = 0; !r->u.failed && i < d->n; i++) {
        c->size[i] = (uint32_t)unpack_between(r, 1, d->size[i]);
        c->map[i] = take(r, d->size[i], 1, sizeof **c->map);
        for (uint32_t k = 0; !r->u.failed && k < d->size[i]; k++)
            c->map[i][k] = (uint16_t)unpack_between(r, 0, c->size[i] - 1);
    }
    c->domain = (struct domain){d->n, c->size};
}

/* Do codes that `from` merges stay together in `to`? */
static bool
coding_refines(const struct reader *r, const struct released_coding *from,
               const struct released_coding *to, const struct domain *schema)
{
    for (size_t i = 0; i < schema->n; i++) {
        uint32_t *first = arena_take(r->a, from->size[i], sizeof *first);

        for (uint32_t k = 0; first && k < schema->size[i]; k++) {
            uint32_t *f = &first[from->map[i][k]];

            if (*f == 0)
                *f = to->map[i][k] + 1u;
            else if (*f != to->map[i][k] + 1u)
                return false;
        }
        if (!first)
            return false;
    }
    return true;
}

static void
unpack_table(struct reader *r, const struct released *of,
             struct released_table *t)
{
    const struct domain *schema = &of->codings[0].domain;

    t->kind = (enum released_kind)unpack_between(r, 0, RELEASED_RESIDUAL);
    t->set = unpack_set(r, schema);
    t->coding = (size_t)unpack_between(r, 0, (i128)of->n_codings - 1);
    require(r, t->kind == RELEASED_COUNTS || t->coding == 0);
    t->rho = (amount)unpack_between(r, 1, (i128)PRICE_MAX - 1);
    t->variance = unpack_double(r);
    require(r, isfinite(t->variance) && t->variance > 0);
    if (r->u.failed)
        return;
    t->cells = domain_cells(&of->codings[t->coding].domain, t->set);
    t->values = take(r, t->cells, 1, sizeof *t->values);
    for (size_t k = 0; !r->u.failed && k < t->cells; k++)
        t->values[k] = (int64_t)unpack_between(r, INT64_MIN, INT64_MAX);
}

static void
unpack_codings(struct reader *r, struct released *of)
{
    const struct domain *schema = &of->codings[0].domain;
    const size_t n = (size_t)unpack_between(r, 1, COLUMNS_MAX);
    struct released_coding *codings = take(r, n - 1, 1, sizeof *codings);

    if (!codings)
        return;
    codings[0] = of->codings[0];
    of->codings = codings;
    for (size_t i = 1; !r->u.failed && i < n; i++) {
        unpack_coding(r, of, &codings[i]);
        require(r, r->u.failed ||
                       coding_refines(r, &codings[i - 1], &codings[i], schema));
    }
    of->n_codings = n;
}

static void
unpack_limits(struct reader *r, struct released *of)
{
    of->n_limits = (size_t)unpack_between(r, 0, INT32_MAX);
    of->limits = take(r, of->n_limits, 10, sizeof *of->limits);
    for (size_t i = 0; !r->u.failed && i < of->n_limits; i++) {
        of->limits[i].set = unpack_set(r, &of->codings[0].domain);
        of->limits[i].l1 = unpack_double(r);
        require(r, of->limits[i].l1 >= 0);
    }
}

static struct released *
unpack_released(struct reader *r, const struct domain *schema)
{
    struct released *of = NULL;

    if (released_new(r->a, schema, &of, NULL)) {
        r->no_memory = r->u.failed = true;
        return NULL;
    }
    unpack_codings(r, of);
    of->n_tables = (size_t)unpack_between(r, 0, INT32_MAX);
    of->tables = take(r, of->n_tables, 13, sizeof *of->tables);
    for (size_t i = 0; !r->u.failed && i < of->n_tables; i++)
        unpack_table(r, of, &of->tables[i]);
    if (!r->u.failed)
        unpack_limits(r, of);
    return of;
}

static void
unpack_workload(struct reader *r, const struct domain *d, struct synopsis *s)
{
    struct colset *sets;

    s->n_workload = (size_t)unpack_between(r, 0, INT32_MAX);
    sets = take(r, s->n_workload, 2, sizeof *sets);
    for (size_t i = 0; !r->u.failed && i < s->n_workload; i++)
        sets[i] = unpack_set(r, d);
    s->workload = sets;
}

/* ----------------------------------------------------------------- model -- */

struct stored_clique {
    struct colset set;
    size_t cells;
    const char *potentials; /* 8 bytes for each cell */
};

static void
unpack_cliques(struct reader *r, const struct domain *d,
               struct stored_clique *cliques, size_t n)
{
    for (size_t i = 0; !r->u.failed && i < n; i++) {
        struct stored_clique *c = &cliques[i];

        c->set = unpack_set(r, d);
        for (size_t k = 0; k < i; k++)
            require(r, !colset_within(c->set, cliques[k].set) &&
                           !colset_within(cliques[k].set, c->set));
        c->cells = domain_cells(d, c->set);
        c->potentials = r->u.ptr;
        require(r, c->cells <= (size_t)(r->u.end - r->u.ptr) / sizeof(double));
        if (!r->u.failed)
            r->u.ptr += c->cells * sizeof(double);
    }
}

/* Makes a clique of each set. Sets that are added last come first in the model's
   order, which the order of its sums follows. */
static custos_status
span_cliques(struct reader *r, struct model *m,
             const struct stored_clique *cliques, size_t n, custos_err *err)
{
    const size_t most = SYNOPSIS_MODEL_BYTES + MODEL_TIMES * r->bytes;
    custos_status st = CUSTOS_OK;

    for (size_t i = n; !st && i-- > 0;) {
        struct forbidden none = {.set = cliques[i].set};
        uint8_t *zero = arena_take(r->a, cliques[i].cells, 1);

        none.zero = zero;
        st = zero ? model_forbid(m, &none, err)
                  : custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    }
    if (st)
        return st;
    if (model_bytes(m) > most)
        return custos_fail(err, CUSTOS_EOVERFLOW,
                           "the model of the synopsis needs more than %zu MB",
                           most >> 20);
    return model_build(m, err);
}

/* The potentials that were stored; false if they are none. */
static bool
copy_potentials(struct model *m, const struct stored_clique *cliques)
{
    bool sound = true;

    for (size_t i = 0; i < m->n_cliques; i++) {
        const struct clique *c = &m->cliques[i];
        struct reader r = {
            .u = {.ptr = cliques[i].potentials,
                  .end = cliques[i].potentials + c->cells * sizeof(double)}};

        CUSTOS_REQUIRE(colset_same(c->set, cliques[i].set));
        for (size_t k = 0; k < c->cells; k++) {
            const double x = unpack_double(&r);

            sound = sound && x < 0x1p100 && (x > -0x1p100 || x == -INFINITY);
            m->potentials[c->first + k] = x;
        }
    }
    return sound;
}

static custos_status
unpack_model(struct reader *r, const struct domain *d, struct model **out,
             custos_err *err)
{
    struct stored_clique *cliques;
    struct model *m;
    custos_status st;
    double total;
    size_t n;

    if (unpack_between(r, 0, 1) == 0)
        return CUSTOS_OK;
    total = unpack_double(r);
    require(r, total >= 1 && total < 0x1p63);
    n = (size_t)unpack_between(r, 0, COLUMNS_MAX);
    cliques = take(r, n, 2, sizeof *cliques);
    unpack_cliques(r, d, cliques, n);
    if (r->u.failed)
        return CUSTOS_OK;
    m = model_new(NULL, d);
    if (!m)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    *out = m;
    st = span_cliques(r, m, cliques, n, err);
    if (st)
        return st;
    m->total = total;
    if (copy_potentials(m, cliques))
        model_believe(m, m->marginals);
    else
        r->u.failed = true;
    return CUSTOS_OK;
}

static void
unpack_share(struct reader *r, const struct domain *d, struct synopsis *s)
{
    if (unpack_between(r, 0, 1) == 0)
        return;
    s->share = take(r, d->n, 8, sizeof *s->share);
    for (size_t c = 0; !r->u.failed && c < d->n; c++) {
        s->share[c] = take(r, d->size[c], 8, sizeof **s->share);
        for (uint32_t k = 0; !r->u.failed && k < d->size[c]; k++) {
            s->share[c][k] = unpack_double(r);
            require(r, s->share[c][k] >= 0 && s->share[c][k] <= 1);
        }
    }
}

/* Files of the first versions of this format have none. */
static void
unpack_choices(struct reader *r, struct released *of)
{
    if (r->u.failed || r->u.ptr == r->u.end)
        return;
    of->n_choices = (size_t)unpack_between(r, 0, INT32_MAX);
    of->choices = take(r, of->n_choices, 1, sizeof *of->choices);
    for (size_t i = 0; !r->u.failed && i < of->n_choices; i++)
        of->choices[i] = (amount)unpack_between(r, 1, (i128)PRICE_MAX - 1);
}

static void
unpack_range(struct reader *r, const struct schema *s, struct released_range *x)
{
    struct schema_column fine;

    x->column = (size_t)unpack_between(r, 0, (i128)s->domain.n - 1);
    fine = s->columns[s->column[x->column]];
    require(r, fine.coding == SCHEMA_CUTS);
    x->n = fine.n = (uint32_t)unpack_between(r, 1, FINE_CELLS - fine.nullable);
    if (r->u.failed)
        return;
    unpack_cuts(r, &fine);
    x->cuts = fine.cuts;
    x->rho = (amount)unpack_between(r, 1, (i128)PRICE_MAX - 1);
    x->variance = unpack_double(r);
    require(r, isfinite(x->variance) && x->variance > 0);
    x->cells = schema_codes(&fine);
    x->sums = take(r, x->cells, 1, sizeof *x->sums);
    for (size_t k = 0; !r->u.failed && k < x->cells; k++)
        x->sums[k] = (int64_t)unpack_between(r, INT64_MIN, INT64_MAX);
}

/* Files of earlier versions of this format end here. */
static void
unpack_ranges(struct reader *r, const struct schema *s, struct released *of)
{
    if (r->u.failed || r->u.ptr == r->u.end)
        return;
    of->n_ranges = (size_t)unpack_between(r, 0, (i128)s->domain.n);
    of->ranges = take(r, of->n_ranges, 4, sizeof *of->ranges);
    for (size_t i = 0; !r->u.failed && i < of->n_ranges; i++)
        unpack_range(r, s, &of->ranges[i]);
}

custos_status
synopsis_unpack(arena *a, str bytes, struct synopsis **out, custos_err *err)
{
    struct reader r = {.u = unpack_of(bytes), .a = a, .bytes = bytes.len};
    struct synopsis *s = arena_take(a, 1, sizeof *s);
    custos_status st = CUSTOS_OK;

    if (!s)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    unpack_facts(&r, &s->facts);
    s->schema = unpack_schema(&r);
    s->released = r.u.failed ? NULL : unpack_released(&r, &s->schema->domain);
    if (!r.u.failed)
        unpack_workload(&r, &s->schema->domain, s);
    if (!r.u.failed)
        st = unpack_model(&r, &released_now(s->released)->domain, &s->model,
                          err);
    if (!st && !r.u.failed)
        unpack_share(&r, &s->schema->domain, s);
    if (!st && !r.u.failed)
        unpack_choices(&r, s->released);
    if (!st && !r.u.failed)
        unpack_ranges(&r, s->schema, s->released);
    if (!st && !r.u.failed && !fine_spread(a, s))
        r.no_memory = true;
    if (!st && r.no_memory)
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    if (!st && !unpack_end(&r.u))
        st = custos_fail(err, CUSTOS_ECORRUPT, "the synopsis is damaged");
    if (!st)
        st = steps_check(a, s, err);
    if (st)
        synopsis_close(s);
    else
        *out = s;
    return st;
}

void
synopsis_close(struct synopsis *s)
{
    if (!s)
        return;
    model_free(s->model);
    s->model = NULL;
}
