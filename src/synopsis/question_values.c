/* Values of codes. */
#include "synopsis/question_values.h"

#include <stdlib.h>

#include "base/base.h"
#include "synopsis/value.h"

enum { SPLITS_MAX = 4096, PARTS_OF_RUN = 8 };

i128
values_each(const struct schema_column *c)
{
    return c->coding == SCHEMA_CUTS ? c->cuts[c->n] - c->cuts[0] : c->n;
}

/* ------------------------------------------------------------- splitting -- */

/* The largest step that is at most the constant, and whether it is the constant;
   false if that is not known. */
static bool
find_step(const struct schema_column *c, const struct datum *d, i128 *step,
          bool *is_step)
{
    i128 n = d->n, below = 1;

    if (c->type == TYPE_DATE || c->type == TYPE_TIMESTAMP) {
        *step = n;
        *is_step = true;
        return d->type == c->type;
    }
    if (!data_type_is_number(d->type) || c->digits < 0)
        return false;
    for (int i = 0; i < c->digits; i++)
        if (__builtin_mul_overflow(n, (i128)c->base, &n))
            return false;
    for (int i = 0; i < d->scale; i++)
        if (__builtin_mul_overflow(below, (i128)10, &below))
            return false;
    *step = n / below - (n % below < 0);
    *is_step = n % below == 0;
    return true;
}

static bool
add_split(arena *a, struct column_use *use, i128 step)
{
    if (use->n_splits == use->room) {
        const size_t room = use->room ? 2 * use->room : 8;
        i128 *to = arena_take(a, room, sizeof *to);

        if (!to)
            return false;
        if (use->n_splits)
            memcpy(to, use->splits, use->n_splits * sizeof *to);
        use->splits = to;
        use->room = room;
    }
    use->splits[use->n_splits++] = step;
    return true;
}

bool
values_split(arena *a, const struct schema_column *c, struct column_use *use,
             const struct datum *constant)
{
    bool is_step;
    i128 step;

    if (c->coding != SCHEMA_CUTS || constant->type == TYPE_NULL)
        return true;
    if (!find_step(c, constant, &step, &is_step) || use->n_splits >= SPLITS_MAX)
        return false;
    return (!is_step || add_split(a, use, step)) && add_split(a, use, step + 1);
}

/* ---------------------------------------------------------------- values -- */

static int
step_cmp(const void *a, const void *b)
{
    const i128 x = *(const i128 *)a, y = *(const i128 *)b;

    return (x > y) - (x < y);
}

static void
add_value(const struct schema_column *c, uint32_t code, i128 step, double share,
          struct column_value *out, size_t *n)
{
    out[(*n)++] = (struct column_value){
        .datum = step_value(c, step), .code = code, .share = share};
}

/* The steps from `from` to `to` - 1 of a run: one value if it is one step, else its
   first and its last. */
static void
add_part(const struct schema_column *c, uint32_t code, i128 from, i128 to,
         struct column_value *out, size_t *n)
{
    const double share = run_share(c, code, from, to);

    if (to - from == 1) {
        add_value(c, code, from, share, out, n);
    } else {
        add_value(c, code, from, share / 2, out, n);
        add_value(c, code, to - 1, share / 2, out, n);
    }
}

static void
add_run(const struct schema_column *c, const struct column_use *use,
        uint32_t code, size_t *split, struct column_value *out, size_t *n)
{
    const i128 end = c->cuts[code + 1];
    i128 at = c->cuts[code];

    while (at < end) {
        i128 to = end;

        if (use->each)
            to = at + 1;
        while (*split < use->n_splits && use->splits[*split] <= at)
            ++*split;
        if (*split < use->n_splits && use->splits[*split] < to)
            to = use->splits[*split];
        add_part(c, code, at, to, out, n);
        at = to;
    }
}

/* Of a run whose values matter, and of which is known where its rows are: parts of
   equally many rows, over which they are spread more evenly. */
static bool
split_by_rows(arena *a, const struct schema_column *c, struct column_use *use)
{
    for (uint32_t k = 0; k < c->n; k++)
        for (int i = 1; i < PARTS_OF_RUN; i++)
            if (!add_split(a, use,
                           run_quantile(c, k, (double)i / PARTS_OF_RUN)))
                return false;
    return true;
}

struct column_value *
values_of(arena *a, const struct schema_column *c, struct column_use *use,
          size_t *n)
{
    const bool parts =
        c->coding == SCHEMA_CUTS && c->spread && c->n < c->spread->n;
    const bool is_split =
        !parts || !use->value || use->each || split_by_rows(a, c, use);
    const size_t room =
        use->each ? (size_t)values_each(c) : 2 * ((size_t)c->n + use->n_splits);
    struct column_value *out = arena_take(a, room + 2, sizeof *out);
    size_t split = 0;

    *n = 0;
    if (!out || !is_split)
        return NULL;
    if (use->n_splits)
        qsort(use->splits, use->n_splits, sizeof *use->splits, step_cmp);
    for (uint32_t k = 0; k < c->n; k++)
        if (c->coding == SCHEMA_VALUES)
            out[(*n)++] = (struct column_value){
                .datum = c->values[k], .code = k, .share = 1};
        else
            add_run(c, use, k, &split, out, n);
    if (c->nullable)
        out[(*n)++] = (struct column_value){.code = c->n, .share = 1};
    return out;
}
