/*
 * Sets of columns are counted in dense tables, first all true rows and then all
 * synthetic ones; sets whose tables would be too large are left out of the scores.
 */
#include "release/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/error.h"
#include "release/logistic.h"
#include "release/mix.h"

enum {
    BLOCK = 1024, /* rows that are counted at once */
    GROUPS = 20,  /* of an ordered column */
    CELLS_MAX = 1 << 20,
    TRIPLES_MAX = 500,
    EXAMPLES_MAX = 20000, /* of each kind, to learn from */
    STEPS_MAX = 50000000, /* rows to learn from times pairs of columns */
};

/* Percent of the true rows in samples; the last is all of them. */
static const unsigned SAMPLES[] = {1,  2,  5,  10, 20, 30, 40,
                                   50, 60, 70, 80, 90, 100};
enum { N_SAMPLES = COUNT_OF(SAMPLES) };

/* One side's rows, their codes grouped. */
struct side {
    size_t n;
    uint16_t **code;       /* by column and row: the group */
    const uint16_t **read; /* the same, for those who only read */
};

struct judging {
    const struct schema *s;
    const struct judge_rows *rows[2]; /* the true and the synthetic ones */
    struct side side[2];
    uint32_t *groups; /* by column: how many */
    arena *a;
    uint32_t *count[2]; /* CELLS_MAX each */
    uint32_t *sampled;  /* CELLS_MAX: of one more sample each time */
    /* The true rows, first those of the smallest sample, and where each one ends. The
       rows of the side are in this order. */
    uint32_t *order;
    size_t end[N_SAMPLES];
    void (*progress)(void *ctx, unsigned done);
    void *ctx;
};

enum { TRUE_ROWS, SYNTHETIC };

static custos_status
no_memory(custos_err *err)
{
    return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
}

static void
report(const struct judging *j, unsigned done)
{
    if (j->progress)
        j->progress(j->ctx, done);
}

/* ----------------------------------------------------------------- samples -- */

/* The smallest sample that has a row: the sample of p percent is in that of more. */
static size_t
sample_of(size_t row)
{
    const uint64_t at = mix(row + 1) / (UINT64_MAX / 100 + 1);
    size_t p = 0;

    while (at >= SAMPLES[p])
        p++;
    return p;
}

static bool
order_samples(struct judging *j)
{
    const size_t n = j->rows[TRUE_ROWS]->n;
    size_t at[N_SAMPLES] = {0};

    j->order = arena_take(j->a, n, sizeof *j->order);
    if (!j->order)
        return false;
    for (size_t i = 0; i < n; i++)
        j->end[sample_of(i)]++;
    for (size_t p = 1; p < N_SAMPLES; p++) {
        at[p] = j->end[p - 1];
        j->end[p] += at[p];
    }
    for (size_t i = 0; i < n; i++)
        j->order[at[sample_of(i)]++] = (uint32_t)i;
    return true;
}

/* ------------------------------------------------------------------ groups -- */

/* The group of each code of an ordered column: about as many true rows in each. */
static void
cut(const struct judging *j, size_t column, uint16_t *group)
{
    const struct schema_column *c = &j->s->columns[j->s->column[column]];
    const struct judge_rows *rows = j->rows[TRUE_ROWS];
    size_t passed = 0, all = 0;

    memset(j->count[0], 0, schema_codes(c) * sizeof **j->count);
    for (size_t i = 0; i < rows->n; i++)
        j->count[0][rows->codes[column][i]]++;
    for (uint32_t k = 0; k < c->n; k++)
        all += j->count[0][k];
    for (uint32_t k = 0; k < c->n; k++) {
        const size_t middle = passed + j->count[0][k] / 2;

        group[k] = (uint16_t)(middle * GROUPS / (all + 1));
        passed += j->count[0][k];
    }
    if (c->nullable)
        group[c->n] = GROUPS;
}

static bool
group_column(struct judging *j, size_t column)
{
    const struct schema_column *c = &j->s->columns[j->s->column[column]];
    const uint32_t codes = schema_codes(c);
    uint16_t *group = arena_take(j->a, codes, sizeof *group);

    if (!group)
        return false;
    j->groups[column] = codes;
    for (uint32_t k = 0; k < codes; k++)
        group[k] = (uint16_t)k;
    if (c->ordered && c->n > GROUPS) {
        cut(j, column, group);
        j->groups[column] = GROUPS + (c->nullable ? 1 : 0);
    }
    for (int side = 0; side < 2; side++) {
        const uint16_t *code = j->rows[side]->codes[column];
        const size_t n = j->rows[side]->n;
        uint16_t *to = arena_take(j->a, n, sizeof *to);

        if (!to)
            return false;
        for (size_t i = 0; i < n; i++)
            to[i] = group[code[side == TRUE_ROWS ? j->order[i] : i]];
        j->side[side].code[column] = to;
        j->side[side].read[column] = to;
    }
    return true;
}

static bool
group_all(struct judging *j)
{
    const size_t d = j->s->domain.n;

    j->groups = arena_take(j->a, d, sizeof *j->groups);
    j->sampled = arena_take(j->a, CELLS_MAX, sizeof *j->sampled);
    for (int side = 0; side < 2; side++) {
        j->side[side].n = j->rows[side]->n;
        j->side[side].code = arena_take(j->a, d, sizeof *j->side[side].code);
        j->side[side].read = arena_take(j->a, d, sizeof *j->side[side].read);
        j->count[side] = arena_take(j->a, CELLS_MAX, sizeof **j->count);
        if (!j->side[side].code || !j->side[side].read || !j->count[side])
            return false;
    }
    for (size_t c = 0; c < d; c++)
        if (!j->groups || !j->sampled || !group_column(j, c))
            return false;
    return true;
}

/* --------------------------------------------------------------- distances -- */

/* The cells of a set; CELLS_MAX + 1 if there are more. */
static size_t
cells_of(const struct judging *j, struct colset set)
{
    size_t cells = 1;

    COLSET_EACH(c, set)
    {
        cells *= j->groups[c];
        if (cells > CELLS_MAX)
            return (size_t)CELLS_MAX + 1;
    }
    return cells;
}

/* Counts rows from ... to - 1: block by block, the numbers of their cells column by
   column. */
static void
add_rows(const struct judging *j, const struct side *s, struct colset set,
         size_t from, size_t to, uint32_t *count)
{
    uint32_t cell[BLOCK];

    for (size_t i = from, n; i < to; i += n) {
        n = to - i < BLOCK ? to - i : BLOCK;
        memset(cell, 0, n * sizeof *cell);
        COLSET_EACH(c, set)
        {
            const uint16_t *code = s->code[c] + i;
            const uint32_t groups = j->groups[c];

            for (size_t k = 0; k < n; k++)
                cell[k] = cell[k] * groups + code[k];
        }
        for (size_t k = 0; k < n; k++)
            count[cell[k]]++;
    }
}

static void
count_set(const struct judging *j, int side, struct colset set, size_t cells)
{
    const struct side *s = &j->side[side];

    memset(j->count[side], 0, cells * sizeof **j->count);
    add_rows(j, s, set, 0, s->n, j->count[side]);
}

static double
distance(const uint32_t *a, double n_a, const uint32_t *b, double n_b,
         size_t cells)
{
    double l1 = 0;

    for (size_t k = 0; k < cells; k++)
        l1 += fabs(a[k] / n_a - b[k] / n_b);
    return l1;
}

static double
judge_set(const struct judging *j, struct colset set, size_t cells)
{
    count_set(j, TRUE_ROWS, set, cells);
    count_set(j, SYNTHETIC, set, cells);
    return distance(j->count[TRUE_ROWS], (double)j->side[TRUE_ROWS].n,
                    j->count[SYNTHETIC], (double)j->side[SYNTHETIC].n, cells);
}

/* Adds to each sample's sum its distance from all true rows, which are counted. */
static void
judge_samples(const struct judging *j, struct colset set, size_t cells,
              double *sum)
{
    const struct side *s = &j->side[TRUE_ROWS];
    size_t i = 0;

    memset(j->sampled, 0, cells * sizeof *j->sampled);
    for (size_t p = 0; p < N_SAMPLES; p++) {
        add_rows(j, s, set, i, j->end[p], j->sampled);
        i = j->end[p];
        sum[p] += i == 0 ? 2
                         : distance(j->count[TRUE_ROWS], (double)s->n,
                                    j->sampled, (double)i, cells);
    }
}

static int
compare(const void *a, const void *b)
{
    const double x = ((const struct judged_set *)a)->l1;
    const double y = ((const struct judged_set *)b)->l1;

    return (x < y) - (x > y);
}

static double
score(double sum_l1, size_t n)
{
    return n > 0 ? 500 * (2 - sum_l1 / (double)n) : 1000;
}

/* Univariate distances are of the codes themselves. */
static bool
judge_columns(struct judging *j, struct judgement *out)
{
    const size_t d = j->s->domain.n;

    out->n_columns = d;
    out->columns = arena_take(j->a, d, sizeof *out->columns);
    if (!out->columns)
        return false;
    for (size_t c = 0; c < d; c++) {
        const uint32_t codes = j->s->domain.size[c];

        for (int side = 0; side < 2; side++) {
            memset(j->count[side], 0, codes * sizeof **j->count);
            for (size_t i = 0; i < j->rows[side]->n; i++)
                j->count[side][j->rows[side]->codes[c][i]]++;
        }
        out->columns[c] = (struct judged_set){
            colset_of(c),
            distance(j->count[TRUE_ROWS], (double)j->rows[TRUE_ROWS]->n,
                     j->count[SYNTHETIC], (double)j->rows[SYNTHETIC]->n,
                     codes)};
    }
    qsort(out->columns, d, sizeof *out->columns, compare);
    return true;
}

/* The percent of a sample with this score: by lines between the samples' own. */
static double
like_percent(double of, const double *sum, size_t n)
{
    double before = 0, percent = 0;

    for (size_t p = 0; p < N_SAMPLES; p++) {
        const double here = score(sum[p], n);

        if (of < here)
            return percent +
                   (SAMPLES[p] - percent) * (of - before) / (here - before);
        before = here;
        percent = SAMPLES[p];
    }
    return 100;
}

static bool
judge_pairs(struct judging *j, struct judgement *out)
{
    const size_t d = j->s->domain.n;
    double sum = 0, samples[N_SAMPLES] = {0};

    out->pairs = arena_take(j->a, d * (d - 1) / 2 + 1, sizeof *out->pairs);
    if (!out->pairs)
        return false;
    for (size_t a = 0; a < d; a++) {
        for (size_t b = a + 1; b < d; b++) {
            const struct colset set = colset_or(colset_of(a), colset_of(b));
            const size_t cells = cells_of(j, set);
            double l1;

            if (cells > CELLS_MAX)
                continue;
            l1 = judge_set(j, set, cells);
            judge_samples(j, set, cells, samples);
            out->pairs[out->n_pairs++] = (struct judged_set){set, l1};
            sum += l1;
        }
        report(j, (unsigned)(50 * (a + 1) / d));
    }
    qsort(out->pairs, out->n_pairs, sizeof *out->pairs, compare);
    out->score_pairs = score(sum, out->n_pairs);
    out->like_percent = like_percent(out->score_pairs, samples, out->n_pairs);
    return true;
}

/* All triples, or TRIPLES_MAX of them at equal distances. */
static void
judge_triples(struct judging *j, struct judgement *out)
{
    const size_t d = j->s->domain.n;
    const size_t all = d * (d - 1) * (d - 2) / 6;
    const size_t step = (all + TRIPLES_MAX - 1) / TRIPLES_MAX;
    size_t at = 0;
    double sum = 0;

    for (size_t a = 0; d >= 3 && a < d; a++)
        for (size_t b = a + 1; b < d; b++)
            for (size_t c = b + 1; c < d; c++) {
                const struct colset set = colset_or(
                    colset_of(a), colset_or(colset_of(b), colset_of(c)));
                const size_t cells = cells_of(j, set);

                if (at++ % step != 0 || cells > CELLS_MAX)
                    continue;
                sum += judge_set(j, set, cells);
                out->n_triples++;
                report(j, 50 + (unsigned)(20 * at / all));
            }
    out->score_triples = score(sum, out->n_triples);
}

/* ----------------------------------------------------------------- matches -- */

static int
compare_words(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* The rows as 64-bit hashes, sorted. NULL: no memory. */
static uint64_t *
hashes(const struct judging *j, int side)
{
    const struct judge_rows *rows = j->rows[side];
    uint64_t *h = calloc(rows->n + 1, sizeof *h);

    for (size_t i = 0; h && i < rows->n; i++)
        for (size_t c = 0; c < j->s->domain.n; c++)
            h[i] = mix(h[i] * UINT64_C(0x9e3779b97f4a7c15) + rows->codes[c][i] +
                       1);
    if (h)
        qsort(h, rows->n, sizeof *h, compare_words);
    return h;
}

static bool
judge_matches(const struct judging *j, struct judgement *out)
{
    uint64_t *t = hashes(j, TRUE_ROWS), *s = hashes(j, SYNTHETIC);
    size_t n_t = j->rows[TRUE_ROWS]->n, n_s = j->rows[SYNTHETIC]->n;
    size_t matches = 0, unique = 0, unique_matches = 0, k = 0;
    const bool all = t && s;

    for (size_t i = 0, end; all && i < n_t; i = end) {
        size_t same = 0;

        for (end = i; end < n_t && t[end] == t[i]; end++)
            continue;
        while (k < n_s && s[k] < t[i])
            k++;
        for (; k < n_s && s[k] == t[i]; k++)
            same++;
        matches += same;
        unique += end - i == 1;
        unique_matches += end - i == 1 && same > 0;
    }
    out->matches = (double)matches / (double)n_s;
    out->unique_matches =
        unique > 0 ? (double)unique_matches / (double)unique : 0;
    free(t);
    free(s);
    return all;
}

/* ---------------------------------------------------------------- learning -- */

/* As many examples of each kind as there is time for. */
static size_t
examples_most(const struct judging *j)
{
    const size_t d = j->s->domain.n;
    size_t n = STEPS_MAX / (d * (d + 1) / 2 + 1);

    n = n < EXAMPLES_MAX ? n : EXAMPLES_MAX;
    for (int side = 0; side < 2; side++)
        n = n < j->rows[side]->n ? n : j->rows[side]->n;
    return n;
}

/* n rows at equal distances, in an order that has nothing to do with theirs. */
static void
take_rows(const struct coded_rows_of *of, size_t rows, size_t n, bool label,
          struct example *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (struct example){of, (uint32_t)((u128)i * rows / n), label};
    for (size_t i = n; i > 1; i--) {
        const size_t k = (size_t)(mix(i) % i);
        const struct example last = out[i - 1];

        out[i - 1] = out[k];
        out[k] = last;
    }
}

/* Half of the rows of both sides to learn from, half to be told apart. */
static custos_status
judge_propensity(const struct judging *j, struct judgement *out,
                 custos_err *err)
{
    const size_t n = examples_most(j) / 2 * 2, d = j->s->domain.n;
    const struct coded_rows_of of[2] = {{j->side[TRUE_ROWS].read, d, SIZE_MAX},
                                        {j->side[SYNTHETIC].read, d, SIZE_MAX}};
    struct example *x = arena_take(j->a, 2 * n + 1, sizeof *x);
    double *chance = arena_take(j->a, n + 1, sizeof *chance);
    custos_status st;

    if (!x || !chance)
        return no_memory(err);
    /* Halves are learnt from: true rows 0 .. n/2, synthetic ones up to n. */
    take_rows(&of[TRUE_ROWS], j->side[TRUE_ROWS].n, n, true, x);
    take_rows(&of[SYNTHETIC], j->side[SYNTHETIC].n, n, false, x + n);
    for (size_t i = 0; i < n / 2; i++) {
        const struct example other = x[n / 2 + i];

        x[n / 2 + i] = x[n + i];
        x[n + i] = other;
    }
    st = logistic_learn(x, n, x + n, n, chance, err);
    for (size_t i = 0; !st && i < n; i++)
        out->propensity += pow(chance[i] - 0.5, 2) / (double)n;
    if (!st)
        st = logistic_area(x + n, chance, n, &out->told_apart, err);
    return st;
}

/* A column with the fewest codes, from two on; false: there is none. */
static bool
choose_target(const struct judging *j, size_t asked, size_t *out)
{
    uint32_t fewest = UINT32_MAX;

    if (asked < j->s->domain.n) {
        *out = asked;
        return true;
    }
    for (size_t c = 0; c < j->s->domain.n; c++)
        if (j->groups[c] >= 2 && j->groups[c] < fewest) {
            fewest = j->groups[c];
            *out = c;
        }
    return fewest < UINT32_MAX;
}

static void
label(const struct judging *j, int side, size_t target, uint32_t code,
      struct example *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i].label = j->side[side].code[target][x[i].row] == code;
}

static uint32_t
most_frequent(const struct judging *j, size_t column)
{
    uint32_t most = 0;

    count_set(j, TRUE_ROWS, colset_of(column), j->groups[column]);
    for (uint32_t k = 1; k < j->groups[column]; k++)
        if (j->count[TRUE_ROWS][k] > j->count[TRUE_ROWS][most])
            most = k;
    return most;
}

/* Learns to predict the target once from half of the true rows and once from as many
   synthetic ones; both are tested on the other half. */
static custos_status
judge_learning(const struct judging *j, size_t asked, struct judgement *out,
               custos_err *err)
{
    const size_t n = examples_most(j) / 2 * 2;
    struct coded_rows_of of[2];
    struct example *x = arena_take(j->a, 2 * n + 1, sizeof *x);
    double *chance = arena_take(j->a, n + 1, sizeof *chance);
    custos_status st;

    if (!x || !chance)
        return no_memory(err);
    out->has_target = choose_target(j, asked, &out->target);
    if (!out->has_target)
        return CUSTOS_OK;
    out->target_code = most_frequent(j, out->target);
    for (int side = 0; side < 2; side++) {
        of[side] = (struct coded_rows_of){j->side[side].read, j->s->domain.n,
                                          out->target};
        take_rows(&of[side], j->side[side].n, n, false, x + (size_t)side * n);
        label(j, side, out->target, out->target_code, x + (size_t)side * n, n);
    }
    st = logistic_learn(x, n / 2, x + n / 2, n / 2, chance, err);
    if (!st)
        st = logistic_area(x + n / 2, chance, n / 2, &out->learnt_from_true,
                           err);
    if (!st)
        st = logistic_learn(x + n, n / 2, x + n / 2, n / 2, chance, err);
    if (!st)
        st = logistic_area(x + n / 2, chance, n / 2,
                           &out->learnt_from_synthetic, err);
    return st;
}

/* --------------------------------------------------------------------- all -- */

custos_status
judge(const struct schema *s, const struct judge_rows *truth,
      const struct judge_rows *synthetic, size_t target, arena *a,
      void (*progress)(void *ctx, unsigned done), void *ctx,
      struct judgement *out, custos_err *err)
{
    struct judging j = {.s = s,
                        .rows = {truth, synthetic},
                        .a = a,
                        .progress = progress,
                        .ctx = ctx};
    custos_status st = CUSTOS_OK;

    *out = (struct judgement){.n_true = truth->n, .n_synthetic = synthetic->n};
    if (truth->n == 0 || synthetic->n == 0)
        return custos_fail(err, CUSTOS_EINVAL,
                           "there are no rows to compare" HINT
                           "the report needs true and synthetic rows");
    if (!order_samples(&j) || !group_all(&j) || !judge_columns(&j, out) ||
        !judge_pairs(&j, out))
        return no_memory(err);
    judge_triples(&j, out);
    if (!judge_matches(&j, out))
        return no_memory(err);
    report(&j, 80);
    st = judge_propensity(&j, out, err);
    report(&j, 90);
    if (!st)
        st = judge_learning(&j, target, out, err);
    report(&j, 100);
    return st;
}
