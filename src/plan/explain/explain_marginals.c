/*
 * EXPLAIN of GROUPING SETS, ROLLUP and CUBE: the tables, and what gets noise.
 */
#include <math.h>

#include "plan/explain/words.h"
#include "plan/part/marginals.h"

enum { TABLES_SHOWN = 24 };

/* (a, b) */
static void
write_set(const struct plan *p, uint32_t set, struct buf *out)
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

void
words_marginals(const struct plan *p, struct buf *out)
{
    const struct marginals *m = p->marginals;

    buf_printf(out, "tables     %zu, with %zu groups, all shown\n", m->n_sets,
               p->space.cells);
    for (size_t s = 0; s < m->n_sets && s < TABLES_SHOWN; s++) {
        size_t cells = m->first[s + 1] - m->first[s];
        double fourth;

        buf_add_text(out, "           by ");
        write_set(p, m->sets[s], out);
        buf_printf(out, ": %zu group%s; a count deviates by about %.4g\n",
                   cells, cells == 1 ? "" : "s",
                   sqrt(marginals_variance(p, s, &fourth)));
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

void
words_residuals(const struct plan *p, struct buf *out)
{
    const struct part *part = &p->parts[p->n_parts - 1];

    buf_printf(out,
               "noise on   residuals of %zu table%s, divided for the least "
               "total variance; all tables follow from them and add up\n"
               "           Gaussian; ",
               p->n_parts, p->n_parts == 1 ? "" : "s");
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
    buf_add_text(out, ", of which ");
    words_number(&part->rho, out);
    buf_add_text(out, " for ");
    write_set(p, p->marginals->noisy[p->n_parts - 1], out);
    buf_add_text(out, ": sensitivity l2 squared ");
    words_number(&part->l2_squared, out);
    buf_printf(out, " on %zu cells\n", part->space->cells);
}

void
words_table(const struct plan *p, const struct part *part, struct buf *out)
{
    buf_add_text(out, " of ");
    write_set(p, p->marginals->noisy[part - p->parts], out);
}
