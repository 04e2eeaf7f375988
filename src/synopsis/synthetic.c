#include "synopsis/synthetic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/ck.h"
#include "base/error.h"
#include "random/rng.h"
#include "synopsis/value.h"
#include "synth/rows.h"

enum { PROGRESS_ROWS = 1 << 16 };
#define ROWS_MAX ((size_t)1 << 31)

static custos_status
no_memory(custos_err *err)
{
    return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
}

/* ----------------------------------------------------------------- drawing -- */

/* The codes of the schema that became each code of the last coding, one after the
   other, with the sums of their shares so far. */
struct merged {
    uint32_t *first; /* by code of the last coding, and one more */
    uint16_t *code;
    double *up_to;
};

static void
merged_clear(struct merged *m)
{
    free(m->first);
    free(m->code);
    free(m->up_to);
}

/* Shares need not add up to 1: all 0 counts as all equal. */
static bool
merged_make(const struct synopsis *s, size_t column, struct merged *out)
{
    const struct released_coding *now = released_now(s->released);
    const uint32_t n = s->schema->domain.size[column];
    const uint32_t codes = now->domain.size[column];
    uint32_t at = 0;

    out->first = calloc((size_t)codes + 1, sizeof *out->first);
    out->code = calloc(n, sizeof *out->code);
    out->up_to = calloc(n, sizeof *out->up_to);
    if (!out->first || !out->code || !out->up_to)
        return false;
    for (uint32_t c = 0; c < codes; c++) {
        double all = 0;

        out->first[c] = at;
        for (uint32_t k = 0; k < n; k++)
            if (now->map[column][k] == c) {
                all += s->share ? s->share[column][k] : 1;
                out->code[at] = (uint16_t)k;
                out->up_to[at++] = all;
            }
        for (uint32_t i = out->first[c]; all <= 0 && i < at; i++)
            out->up_to[i] = i - out->first[c] + 1;
    }
    out->first[codes] = at;
    return true;
}

static uint16_t
merged_draw(const struct merged *m, uint16_t code, uint64_t word)
{
    const uint32_t end = m->first[code + 1] - 1;
    const double u = (double)(word >> 11) * 0x1p-53 * m->up_to[end];
    uint32_t i = m->first[code];

    while (i < end && u >= m->up_to[i])
        i++;
    return m->code[i];
}

/* Turns codes of the last coding into those of the schema. */
static custos_status
decode_column(const struct synopsis *s, size_t column, custos_rng *rng,
              size_t n, uint16_t *codes, custos_err *err)
{
    struct merged m = {.first = NULL};
    uint64_t words[256];
    custos_status st = CUSTOS_OK;

    if (!merged_make(s, column, &m))
        st = no_memory(err);
    for (size_t i = 0; !st && i < n; i++) {
        if (i % COUNT_OF(words) == 0 &&
            (st = rng_words(rng, words, COUNT_OF(words))))
            custos_fail(err, st, "%s", custos_status_words(st));
        if (!st)
            codes[i] = merged_draw(&m, codes[i], words[i % COUNT_OF(words)]);
    }
    merged_clear(&m);
    return st;
}

static custos_status
draw(const struct synopsis *s, custos_rng *rng, struct synthetic_rows *rows,
     custos_err *err)
{
    const struct domain *from = &released_now(s->released)->domain;
    custos_status st = model_rows(s->model, rng, rows->n, rows->codes, err);

    for (size_t c = 0; !st && c < from->n; c++)
        if (from->size[c] < s->schema->domain.size[c])
            st = decode_column(s, c, rng, rows->n, rows->codes + c * rows->n,
                               err);
    return st;
}

custos_status
synthetic_draw(const struct synopsis *s, custos_rng *rng, size_t n,
               struct synthetic_rows *out, custos_err *err)
{
    struct synthetic_rows rows = {.n = n};
    size_t cells;
    custos_status st;

    if (!s->model)
        return custos_fail(err, CUSTOS_EINVAL,
                           "this release has no model to draw rows from");
    if (n == SYNTHETIC_ROWS_NOISY)
        rows.n = (size_t)fmin(nearbyint(s->model->total), ROWS_MAX);
    if (rows.n > ROWS_MAX || !ck_mul_size(rows.n, s->schema->domain.n, &cells))
        return custos_fail(err, CUSTOS_EOVERFLOW,
                           "more than 2^31 rows cannot be drawn");
    rows.codes = calloc(cells + 1, sizeof *rows.codes);
    if (!rows.codes)
        return no_memory(err);
    st = draw(s, rng, &rows, err);
    if (st)
        synthetic_free(&rows);
    else
        *out = rows;
    return st;
}

void
synthetic_free(struct synthetic_rows *rows)
{
    free(rows->codes);
    rows->codes = NULL;
}

/* ----------------------------------------------------------------- writing -- */

static custos_status
write_rows(const struct synopsis *s, const struct synthetic_rows *rows,
           custos_rng *rng, uint64_t *words,
           void (*progress)(void *ctx, size_t done, size_t all), void *ctx,
           struct table_writer *to, custos_err *err)
{
    for (size_t row = 0; row < rows->n; row++) {
        custos_status st = rng_words(rng, words, s->schema->n);

        if (st)
            return custos_fail(err, st, "%s", custos_status_words(st));
        for (size_t i = 0; i < s->schema->n; i++) {
            const struct schema_column *c = &s->schema->columns[i];
            struct datum d = {.type = TYPE_INT, .n = (i128)row + 1};

            if (c->coding != SCHEMA_NUMBER)
                d = code_drawn(c, rows->codes[c->place * rows->n + row],
                               words[i]);
            table_writer_datum(to, &d);
        }
        table_writer_end_row(to);
        if (progress && (row % PROGRESS_ROWS == 0 || row + 1 == rows->n))
            progress(ctx, row + 1, rows->n);
    }
    return CUSTOS_OK;
}

custos_status
synthetic_write(const struct synopsis *s, const struct synthetic_rows *rows,
                custos_rng *rng, const char *dir, arena *a,
                void (*progress)(void *ctx, size_t done, size_t all), void *ctx,
                struct table_file *out, custos_err *err)
{
    const size_t n = s->schema->n;
    struct table_column *columns = arena_take(a, n + 1, sizeof *columns);
    uint64_t *words = arena_take(a, n + 1, sizeof *words);
    struct table_writer to;
    custos_status st, closed;

    if (!columns || !words)
        return no_memory(err);
    for (size_t i = 0; i < n; i++)
        columns[i] = (struct table_column){s->schema->columns[i].name,
                                           s->schema->columns[i].type,
                                           s->schema->columns[i].scale};
    *out = (struct table_file){str_of("synthetic"), columns, n};
    st = table_writer_open(&to, dir, out, err);
    if (!st)
        st = write_rows(s, rows, rng, words, progress, ctx, &to, err);
    closed = table_writer_close(&to, st ? NULL : err);
    return st ? st : closed;
}
