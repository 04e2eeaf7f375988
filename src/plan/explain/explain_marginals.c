/*
 * EXPLAIN of GROUPING SETS, ROLLUP and CUBE: the tables, and what gets noise.
 */
#include <math.h>

#include "plan/explain/words.h"
#include "plan/part/marginals.h"

enum { TABLES_SHOWN = 24 };

void
words_set(const struct plan *p, uint32_t set, struct buf *out)
{
    const char *before = "(";

    for (size_t k = 0; k < p->space.n_keys; k++)
        if (set >> k & 1) {
            buf_add_text(out, before);
            words_expr(p->space.keys[k].expr, out);
            before = ", ";
        }
    buf_add_text(out, set ? ")" : "()");
}

/* What a layer has in a cell. */
static void
write_layer(const struct part *part, struct buf *out)
{
    if (!part->of) {
        buf_add_text(out, "a count");
        return;
    }
    buf_add_text(out, part->kind == PART_SUM ? "a sum of " : "a count of ");
    words_expr(part->of, out);
    if (part->centre != 0) {
        buf_add_text(out, " less ");
        words_whole_steps(part->centre, part->grid, out);
    }
}

/* How far a cell of table s of a layer deviates. */
static void
write_deviation(const struct plan *p, size_t layer, size_t s, struct buf *out)
{
    const struct part *part = &p->parts[layer];
    double fourth, steps = sqrt(marginals_variance(p, layer, s, &fourth));

    buf_add_text(out, layer == 0 ? "; " : ", ");
    write_layer(part, out);
    buf_printf(out, " deviates by about %.4g",
               steps * pow(part->grid.base, -part->grid.digits));
}

void
words_marginals(const struct plan *p, struct buf *out)
{
    const struct marginals *m = p->marginals;

    buf_printf(out, "tables     %zu, with %zu groups, all shown\n", m->n_sets,
               p->space.cells);
    for (size_t s = 0; s < m->n_sets && s < TABLES_SHOWN; s++) {
        size_t cells = m->first[s + 1] - m->first[s];

        buf_add_text(out, "           by ");
        words_set(p, m->sets[s], out);
        buf_printf(out, ": %zu group%s", cells, cells == 1 ? "" : "s");
        for (size_t l = 0; l < p->n_layers; l++)
            write_deviation(p, l, s, out);
        buf_add_text(out, "\n");
    }
    if (m->n_sets > TABLES_SHOWN)
        buf_printf(out, "           and %zu more\n", m->n_sets - TABLES_SHOWN);
    if (m->kind == MARGINALS_TABLES)
        buf_add_text(out,
                     m->n_noisy == 1
                         ? "           all are sums of a table with noise\n"
                         : "           all follow by least squares from "
                           "tables with noise, and add up\n");
}

/* The part of a layer that has the most of the keys. */
static void
write_residual(const struct plan *p, size_t layer, struct buf *out)
{
    const size_t i = p->n_parts - p->n_layers + layer;
    const struct part *part = &p->parts[i];
    struct grid squared = {part->grid.base, 2 * part->grid.digits};

    buf_add_text(out, layer == 0 ? ", of which " : "\n           and ");
    words_number(&part->rho, out);
    buf_add_text(out, " for ");
    words_set(p, p->marginals->noisy[marginals_table(p, i)], out);
    if (part->of) {
        buf_add_text(out, ", ");
        write_layer(part, out);
    }
    if (part->kind == PART_SUM) {
        buf_add_text(out, ", each clamped to ");
        words_whole_steps(part->lower, part->grid, out);
        buf_add_text(out, " .. ");
        words_whole_steps(part->upper, part->grid, out);
    }
    buf_add_text(out, ": sensitivity l2 squared ");
    words_steps(&part->l2_squared, squared, out);
    buf_printf(out, " on %zu cells", part->space->cells);
}

void
words_residuals(const struct plan *p, struct buf *out)
{
    const size_t n = p->marginals->n_noisy;

    buf_printf(out,
               "noise on   residuals of %zu table%s, divided for the least "
               "%s variance; all tables follow from them and add up\n"
               "           Gaussian; ",
               n, n == 1 ? "" : "s",
               p->query->options.table_error.len ? "largest" : "total");
    if (p->in_rho) {
        buf_add_text(out, "rho ");
        words_number(&p->rho, out);
    } else {
        buf_add_text(out, "epsilon ");
        words_number(&p->epsilon, out);
        buf_add_text(out, ", delta ");
        words_number(&p->delta, out);
        buf_add_text(out, ", converted to rho ");
        words_number(&p->rho, out);
    }
    for (size_t l = 0; l < p->n_layers; l++)
        write_residual(p, l, out);
    buf_add_text(out, "\n");
}

void
words_table(const struct plan *p, const struct part *part, struct buf *out)
{
    if (part->centre != 0) {
        buf_add_text(out, " less ");
        words_whole_steps(part->centre, part->grid, out);
    }
    buf_add_text(out, " of ");
    words_set(
        p, p->marginals->noisy[marginals_table(p, (size_t)(part - p->parts))],
        out);
}
