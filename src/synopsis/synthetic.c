#include "synopsis/synthetic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/ck.h"
#include "base/error.h"
#include "random/rng.h"
#include "synopsis/value.h"
#include "synth/recode.h"
#include "synth/rows.h"

enum { PROGRESS_ROWS = 1 << 16 };

static custos_status
no_memory(custos_err *err)
{
    return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
}

/* ----------------------------------------------------------------- drawing -- */

/* Turns codes of the last coding into those of the schema. */
static custos_status
decode_column(const struct synopsis *s, size_t column, custos_rng *rng,
              size_t n, uint16_t *codes, custos_err *err)
{
    const struct released_coding *now = released_now(s->released);
    const struct merged_codes merged = {.map = now->map[column],
                                        .from = s->schema->domain.size[column],
                                        .to = now->domain.size[column],
                                        .share =
                                            s->share ? s->share[column] : NULL};

    return merged_codes_draw(&merged, NULL, rng, n, codes, err);
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
    const size_t most = synthetic_rows_most(s->schema->domain.n);
    struct synthetic_rows rows = {.n = n};
    custos_status st;

    if (!s->model)
        return custos_fail(err, CUSTOS_EINVAL,
                           "this release has no model to draw rows from");
    if (n == SYNTHETIC_ROWS_NOISY)
        rows.n = (size_t)fmin(nearbyint(s->model->total), (double)most);
    if (rows.n > most)
        return custos_fail(err, CUSTOS_EOVERFLOW,
                           "more than %zu rows of %zu columns cannot be drawn",
                           most, s->schema->domain.n);
    rows.codes = calloc(rows.n * s->schema->domain.n + 1, sizeof *rows.codes);
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

struct writing {
    const struct schema *schema;
    const struct synthetic_rows *rows;
    const struct synthetic_rules *rules; /* or NULL */
    custos_rng *rng;
    uint64_t *words;             /* of a row */
    struct datum *values, *last; /* of a row; of the last that was written */
    custos_err *err;
};

/* Draws the values of a row, but for its number; *holds: they satisfy the rules. */
static custos_status
draw_row(const struct writing *w, size_t row, bool *holds)
{
    const struct schema *s = w->schema;
    custos_status st = rng_words(w->rng, w->words, s->n);

    *holds = true;
    if (st)
        return custos_fail(w->err, st, "%s", custos_status_words(st));
    for (size_t i = 0; i < s->n; i++) {
        const struct schema_column *c = &s->columns[i];

        if (c->coding != SCHEMA_NUMBER)
            w->values[i] = code_drawn(
                c, w->rows->codes[c->place * w->rows->n + row], w->words[i]);
    }
    return w->rules ? w->rules->settle(w->rules->ctx, w->rows, row, w->values,
                                       w->rng, holds, w->err)
                    : CUSTOS_OK;
}

static void
write_row(const struct writing *w, size_t number, struct table_writer *to)
{
    for (size_t i = 0; i < w->schema->n; i++) {
        const struct schema_column *c = &w->schema->columns[i];

        if (c->coding == SCHEMA_NUMBER)
            w->values[i] = numbered_value(c, number);
        table_writer_datum(to, &w->values[i]);
    }
    table_writer_end_row(to);
}

static custos_status
write_rows(struct writing *w,
           void (*progress)(void *ctx, size_t done, size_t all), void *ctx,
           struct table_writer *to)
{
    const size_t n = w->rows->n;
    size_t written = 0;

    for (size_t row = 0; row < n; row++) {
        bool holds;
        custos_status st = draw_row(w, row, &holds);

        if (st)
            return st;
        if (holds || written > 0) {
            if (holds)
                memcpy(w->last, w->values, w->schema->n * sizeof *w->last);
            else
                memcpy(w->values, w->last, w->schema->n * sizeof *w->last);
            write_row(w, ++written, to);
        }
        if (progress && (row % PROGRESS_ROWS == 0 || row + 1 == n))
            progress(ctx, row + 1, n);
    }
    return CUSTOS_OK;
}

custos_status
synthetic_write(const struct synopsis *s, const struct synthetic_rows *rows,
                const struct synthetic_rules *rules, custos_rng *rng,
                const char *dir, arena *a,
                void (*progress)(void *ctx, size_t done, size_t all), void *ctx,
                struct table_file *out, custos_err *err)
{
    const size_t n = s->schema->n;
    struct table_column *columns = arena_take(a, n + 1, sizeof *columns);
    struct writing w = {.schema = s->schema,
                        .rows = rows,
                        .rules = rules,
                        .rng = rng,
                        .words = arena_take(a, n + 1, sizeof *w.words),
                        .values = arena_take(a, n + 1, sizeof *w.values),
                        .last = arena_take(a, n + 1, sizeof *w.last),
                        .err = err};
    struct table_writer to;
    custos_status st, closed;

    if (!columns || !w.words || !w.values || !w.last)
        return no_memory(err);
    for (size_t i = 0; i < n; i++)
        columns[i] = (struct table_column){s->schema->columns[i].name,
                                           s->schema->columns[i].type,
                                           s->schema->columns[i].scale};
    *out = (struct table_file){str_of("synthetic"), columns, n};
    st = table_writer_open(&to, dir, out, err);
    if (!st)
        st = write_rows(&w, progress, ctx, &to);
    closed = table_writer_close(&to, st ? NULL : err);
    return st ? st : closed;
}
