/*
 * Will the answer fit? Decided above the charge, from the plan alone: a query
 * that would run out of memory after its charge is refused before it.
 *
 * The estimate is an upper bound on what each group needs while the answer is
 * made: its released numbers, its ORDER BY values, its row, and every text that
 * the expressions around the aggregates make. The length of such a text is
 * bounded by a multiple of the length of all texts in the query and its keys.
 * Keys from the data have at most KEY_TEXT_MEAN bytes on average over all
 * groups, because fewer groups are shown when their keys are longer; with a
 * LIMIT, the groups shown may be those with the longest keys.
 *
 * Error bars are made for each part and each number of aggregates in one
 * expression, before the first group; quantiles need tables for theirs.
 *
 * The number of groups in the data is not known here. So for discovered groups
 * the limit on groups shown is lowered to what fits. The query is refused only
 * if not even LEAST_GROUPS groups fit.
 */
#include "evaluate/evaluate.h"
#include "mech/marginals.h"
#include "mech/quantile_box.h"
#include "mech/running.h"
#include "plan/work.h"

enum {
    GROUP_BYTES = 128, /* overhead, beside what is counted */
    NUMBER_TEXT = 64,  /* a number, date or boolean as text */
    TEXT_FACTOR = 8,   /* how much upper() and lower() may lengthen a text */
    TEXT_ALIGN = 16,
    SHARE_PERCENT = 75, /* of the memory limit */
    LEAST_GROUPS = 1024,
    BAR_BYTES =
        48, /* of a part or aggregate at one level: half width, pointers */
};

/* How many texts an expression makes, and the bytes of the texts at its leaves.
   An interval counts as its output's expression, which is evaluated again for
   it. */
struct extent {
    double made, leaves;
};

/* The bytes of a key's text: the longest public value; for a key from the data,
   the largest mean over all groups that the engine allows. */
static double
key_text(const struct key *k)
{
    size_t most = k->kind == KEY_PRIVATE ? KEY_TEXT_MEAN : 0;

    for (size_t i = 0; i < k->n; i++)
        if (k->values[i].type == TYPE_TEXT && k->values[i].text.len > most)
            most = k->values[i].text.len;
    return (double)most;
}

static void
tree_measure(const struct plan *p, const double *keys, const struct expr *e,
             struct extent *out)
{
    if (e->kind == EXPR_INTERVAL) { /* its output has no intervals */
        tree_measure(p, keys, p->outputs[e->slot].expr, out);
        return;
    }
    if (e->type == TYPE_TEXT && (e->kind == EXPR_CALL || e->kind == EXPR_CAST))
        out->made++;
    if (e->kind == EXPR_KEY)
        out->leaves += keys[e->slot];
    else if (e->kind == EXPR_LITERAL && e->value.type == TYPE_TEXT)
        out->leaves += (double)e->value.text.len;
    else
        out->leaves += NUMBER_TEXT;
    for (size_t i = 0; i < e->n_args; i++)
        if (e->args[i])
            tree_measure(p, keys, e->args[i], out);
}

/* The bytes that the texts of one evaluation take. */
static double
text_bytes(const struct plan *p, const double *keys, const struct expr *e)
{
    struct extent x = {0};

    if (!e)
        return 0;
    tree_measure(p, keys, e, &x);
    if (x.made == 0) /* a key or literal itself, copied at most once */
        return e->type == TYPE_TEXT ? x.leaves + TEXT_ALIGN : 0;
    return (x.made + (e->type == TYPE_TEXT)) * TEXT_FACTOR * x.leaves;
}

static bool
is_within(double bytes, size_t most)
{
    return bytes * 100 <= (double)most * SHARE_PERCENT;
}

/* A bound on the mean bytes of each key over the `rows` groups shown; texts:
   key_text of each key. */
static void
keys_measure(const struct plan *p, const double *texts, double rows,
             double *keys)
{
    double longer = (double)p->space.cells / (rows > 1 ? rows : 1);

    for (size_t i = 0; i < p->space.n_keys; i++) {
        keys[i] = texts[i];
        if (p->space.keys[i].kind == KEY_PRIVATE && keys[i] < KEY_TEXT_MAX)
            keys[i] = keys[i] * longer < KEY_TEXT_MAX ? keys[i] * longer
                                                      : KEY_TEXT_MAX;
    }
}

/* What all error bars take at most. */
static double
bars_bytes(const struct plan *p)
{
    double levels = (double)plan_levels(p), one = BAR_BYTES;
    double numbers = (double)(p->n_parts + p->n_aggregates);
    double bytes;

    if (p->marginals)
        one += sizeof(double) * (double)p->marginals->n_sets;
    bytes = numbers * levels * one;
    for (size_t i = 0; i < p->n_parts; i++) {
        const struct part *part = &p->parts[i];

        if (part->kind == PART_QUANTILES && part->quantiles->counts)
            bytes +=
                (double)box_limit_bytes(part->quantiles->n, (size_t)levels);
        if (part->running)
            bytes += levels * sizeof(double) * (double)part->running->n;
    }
    return bytes;
}

/* Do the plan's groups fit? bars: bars_bytes; texts: key_text of each key; keys:
   scratch, of the same length. */
static bool
groups_fit(const struct plan *p, double bars, const double *texts, double *keys)
{
    double cells = (double)p->space.cells, rows = cells, made, shown = 0;
    double numbers = 0;

    if (p->query->has_limit && (double)p->query->limit < rows)
        rows = (double)p->query->limit;
    for (size_t i = 0; i < p->n_parts; i++)
        numbers +=
            (double)p->parts[i].space->cells * (double)part_width(&p->parts[i]);
    numbers += (double)p->n_layers * cells; /* the tables made of these */
    keys_measure(p, texts, cells, keys);
    made = bars + cells * (GROUP_BYTES + text_bytes(p, keys, p->having));
    for (size_t i = 0; i < p->n_order_by; i++)
        made += cells * ((double)sizeof(struct value) +
                         text_bytes(p, keys, p->order_by[i].expr));
    keys_measure(p, texts, rows, keys);
    for (size_t i = 0; i < p->n_outputs; i++) {
        double text = text_bytes(p, keys, p->outputs[i].expr);

        made += rows * text;
        shown += rows * ((double)ANSWER_CELL_BYTES + text);
    }
    return is_within(made, ANSWER_BYTES) && is_within(shown, ANSWER_BYTES) &&
           is_within(numbers * (double)sizeof(i128), QUERY_BYTES);
}

custos_status
answer_size_limit(struct work *w)
{
    struct plan *p = w->plan;
    double *keys = arena_take(w->a, p->space.n_keys + 1, sizeof *keys);
    double *texts = arena_take(w->a, p->space.n_keys + 1, sizeof *texts);
    double bars = bars_bytes(p);

    if (!keys || !texts)
        return work_no_memory(w);
    for (size_t i = 0; i < p->space.n_keys; i++)
        texts[i] =
            key_text(&p->space.keys[i]); /* computed once, since a key may have
                                             a million values */
    while (p->space.selection && p->space.cells > LEAST_GROUPS &&
           !groups_fit(p, bars, texts, keys))
        p->space.cells /= 2;
    if (groups_fit(p, bars, texts, keys))
        return CUSTOS_OK;
    return custos_fail(w->err, CUSTOS_EOVERFLOW,
                       "an answer of %zu groups with %zu columns is too "
                       "large" HINT "group by fewer keys, ask for fewer "
                       "columns, or add LIMIT",
                       p->space.cells, p->n_outputs);
}
