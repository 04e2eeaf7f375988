/*
 * What EXPLAIN says of a bound or range that is chosen from the data.
 */
#include "plan/explain/explain_selection.h"

#include "plan/explain/words.h"
#include "plan/part/bound_selection.h"
#include "plan/part/range_selection.h"

enum { SHOWN_FIRST = 3 };

void
explain_bound_selection(const struct bound_selection *r, struct buf *out)
{
    buf_printf(out,
               "row bound  the policy has no bound on rows per unit: the first "
               "of 1, 2, 4 ... %llu that about %lld units or fewer exceed\n"
               "           sparse vector, Laplace, scale ",
               1ULL << (r->n - 1), (long long)r->few);
    words_number(&r->scale, out);
    buf_add_text(out, "; epsilon ");
    words_number(&r->share, out);
    buf_printf(out,
               "; with 95 %% probability at most %lld units have more rows "
               "than the bound that is taken\n",
               (long long)r->most);
}

void
explain_range_selection(const struct range_selection *r, struct buf *out)
{
    buf_add_text(out, "range      of ");
    words_expr(r->value.of, out);
    buf_printf(out, " is found from the data, one of %zu: ", r->n);
    for (size_t i = 0; i + 1 < r->n && i < SHOWN_FIRST; i++) {
        range_selection_words(r, i, out);
        buf_add_text(out, ", ");
    }
    buf_add_text(out, r->n > SHOWN_FIRST + 1 ? "... " : "");
    range_selection_words(r, r->n - 1, out);
    buf_add_text(out, "\n           exponential mechanism on the number of "
                      "units with a value outside; each range is "
                      "penalized by ");
    buf_printf(out, "%lld unit%s more than the one before\n           ",
               (long long)r->penalty, r->penalty == 1 ? "" : "s");
    if (!r->plans[0]->in_rho) {
        buf_add_text(out, "epsilon ");
        words_number(&r->share, out);
        buf_add_text(out, ", ");
    }
    buf_add_text(out, "rho ");
    words_number(&r->rho, out);
    buf_add_text(out, "; values outside the range that is found are "
                      "clamped to it\n");
}
