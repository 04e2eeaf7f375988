/* Rows from a model, one column after the other. */
#include "synth/rows.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/base.h"
#include "base/error.h"
#include "random/rng.h"

/* Words in advance. They decide about released values only. */
struct words {
    custos_rng *rng;
    size_t left;
    uint64_t at[256];
};

static custos_status
next_word(struct words *w, uint64_t *out)
{
    if (w->left == 0) {
        custos_status st = rng_words(w->rng, w->at, COUNT_OF(w->at));

        if (st)
            return st;
        w->left = COUNT_OF(w->at);
    }
    *out = w->at[--w->left];
    return CUSTOS_OK;
}

struct sampler {
    const struct model *m;
    size_t n;
    uint16_t *rows;
    struct words words;
    uint32_t *order; /* rows, sorted by the group that they are in */
    uint32_t
        *cell; /* by row: its cell in the marginal of its group's columns */
    uint32_t *start; /* by cell: its first place in order, while sorting */
    uint16_t *codes; /* of a group, before they are dealt out */
};

/* Sorts the rows by their codes in the columns `given`. */
static void
sort_rows(struct sampler *s, struct colset given, size_t cells)
{
    const struct domain *d = &s->m->domain;

    memset(s->cell, 0, s->n * sizeof *s->cell);
    COLSET_EACH(c, given)
    {
        const uint16_t *code = s->rows + c * s->n;
        const uint32_t size = d->size[c];

        for (size_t i = 0; i < s->n; i++)
            s->cell[i] = s->cell[i] * size + code[i];
    }
    memset(s->start, 0, (cells + 1) * sizeof *s->start);
    for (size_t i = 0; i < s->n; i++)
        s->start[s->cell[i] + 1]++;
    for (size_t c = 0; c < cells; c++)
        s->start[c + 1] += s->start[c];
    for (size_t i = 0; i < s->n; i++)
        s->order[s->start[s->cell[i]]++] = (uint32_t)i;
}

/*
 * Chooses the codes of g rows with these weights: whole parts first, then one
 * more for every code in whose share of the fractions a point u, u + 1, ... lies.
 * A code of weight 0 is never chosen, unless all are 0. What rounding leaves over,
 * and all rows if the weights are too small to divide by, get the heaviest code.
 */
static void
choose_codes(uint16_t *codes, size_t g, const double *weight, size_t step,
             size_t n_codes, double u)
{
    double all = 0, passed = 0, by;
    size_t n = 0, heaviest = 0;

    for (size_t k = 0; k < n_codes; k++) {
        all += weight[k * step];
        if (weight[k * step] > weight[heaviest * step])
            heaviest = k;
    }
    by = all > 0x1p-900 ? (double)g / all : 0;
    for (size_t k = 0; k < n_codes; k++) {
        size_t whole = (size_t)(weight[k * step] * by);

        for (; whole > 0 && n < g; whole--)
            codes[n++] = (uint16_t)k;
    }
    for (size_t k = 0; k < n_codes && n < g; k++) {
        double expected = weight[k * step] * by;

        passed += expected - floor(expected);
        while (u < passed && n < g) {
            codes[n++] = (uint16_t)k;
            u += 1;
        }
    }
    while (n < g)
        codes[n++] = (uint16_t)heaviest;
}

/* The codes of one group in random order (Fisher, Yates). A word of 64 bits
   decides each place: no value is less likely than another by 2^-32. */
static custos_status
shuffle(struct words *words, uint16_t *codes, size_t n)
{
    custos_status st = CUSTOS_OK;

    for (size_t i = n; !st && i > 1; i--) {
        uint64_t word = 0;
        uint16_t code = codes[i - 1];
        size_t k;

        st = next_word(words, &word);
        k = (size_t)((u128)word * i >> 64);
        codes[i - 1] = codes[k];
        codes[k] = code;
    }
    return st;
}

/* Deals out the codes of a column to all groups; table: the marginal of the
   group's columns and this one, `step` cells from one code to the next. */
static custos_status
deal(struct sampler *s, size_t column, const double *table, size_t step)
{
    const size_t n_codes = s->m->domain.size[column];
    custos_status st = CUSTOS_OK;

    for (size_t i = 0, end; !st && i < s->n; i = end) {
        const size_t cell = s->cell[s->order[i]];
        const double *weight =
            table + cell / step * step * n_codes + cell % step;
        uint64_t word = 0;

        for (end = i + 1; end < s->n && s->cell[s->order[end]] == cell;)
            end++;
        st = next_word(&s->words, &word);
        choose_codes(s->codes, end - i, weight, step, n_codes,
                     (double)(word >> 11) * 0x1p-53);
        if (!st)
            st = shuffle(&s->words, s->codes, end - i);
        for (size_t k = i; k < end; k++)
            s->rows[column * s->n + s->order[k]] = s->codes[k - i];
    }
    return st;
}

/* Draws a column of a node, given these of its columns. */
static custos_status
draw_column(struct sampler *s, size_t node, struct colset given, size_t column,
            custos_err *err)
{
    const struct model *m = s->m;
    const struct belief *b = &m->beliefs[node];
    const struct colset set = colset_or(given, colset_of(column));
    const size_t cells = domain_cells(&m->domain, set);
    const size_t groups = domain_cells(&m->domain, given);
    double *table = alloc_take(&m->alloc, cells, sizeof *table);
    custos_status st = CUSTOS_OK;
    struct beside at;
    size_t step = 1;

    s->start = alloc_take(&m->alloc, groups + 1, sizeof *s->start);
    if (!table || !s->start) {
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
        goto out;
    }
    COLSET_EACH(c, given)
    step *= c > column ? m->domain.size[c] : 1;
    walk_beside(&b->walk, &m->domain, set, &at);
    walk_collapse(&b->walk, b->table, &(struct smaller){&at, table});
    sort_rows(s, given, groups);
    st = deal(s, column, table, step);
    if (st)
        custos_fail(err, st, "%s", custos_status_words(st));
out:
    alloc_give(&m->alloc, table, cells, sizeof *table);
    alloc_give(&m->alloc, s->start, groups + 1, sizeof *s->start);
    return st;
}

static custos_status
check_sizes(const struct model *m, size_t n, custos_err *err)
{
    bool fits = n <= (size_t)1 << 31;

    for (size_t c = 0; c < m->domain.n; c++)
        fits = fits && m->domain.size[c] <= 1 << 16;
    for (size_t i = 0; i < m->tree.n; i++)
        fits = fits && m->tree.node[i].cells <= UINT32_MAX;
    return fits ? CUSTOS_OK
                : custos_fail(err, CUSTOS_EOVERFLOW,
                              "too many rows or codes to draw");
}

custos_status
model_rows(const struct model *m, custos_rng *rng, size_t n, uint16_t *out,
           custos_err *err)
{
    struct sampler s = {.m = m, .n = n, .rows = out, .words = {.rng = rng}};
    const custos_alloc *a = &m->alloc;
    custos_status st = check_sizes(m, n, err);

    if (st || n == 0)
        return st;
    s.order = alloc_take(a, n, sizeof *s.order);
    s.cell = alloc_take(a, n, sizeof *s.cell);
    s.codes = alloc_take(a, n, sizeof *s.codes);
    if (!s.order || !s.cell || !s.codes)
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    for (size_t i = 0; !st && i < m->tree.n; i++) {
        struct colset given = m->tree.node[i].separator;
        struct colset left = colset_minus(m->tree.node[i].set, given);

        for (size_t c = colset_next(left, 0); !st && c < SYNTH_COLUMNS_MAX;
             c = colset_next(left, c + 1)) {
            st = draw_column(&s, i, given, c, err);
            given = colset_or(given, colset_of(c));
        }
    }
    alloc_give(a, s.order, n, sizeof *s.order);
    alloc_give(a, s.cell, n, sizeof *s.cell);
    alloc_give(a, s.codes, n, sizeof *s.codes);
    return st;
}
