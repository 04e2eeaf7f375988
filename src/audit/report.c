/*
 * Pieces that every form of a report has.
 */
#include "audit/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/claim.h"
#include "audit/data_pairs.h"

enum { DIGITS = 4, SET_MAX = 400 };

void
report_claim(const struct claim *c, struct buf *out)
{
    if (claim_unit(c) == CLAIM_MU)
        buf_printf(out, "mu %.6g (Gaussian differential privacy)", c->mu);
    else if (claim_unit(c) == CLAIM_RHO)
        buf_printf(out,
                   c->delta > 0 ? "rho %.6g at delta %.6g (zero-concentrated "
                                  "differential privacy)"
                                : "rho %.6g (zero-concentrated differential "
                                  "privacy)",
                   c->rho, c->delta);
    else if (c->delta > 0)
        buf_printf(out, "epsilon %.6g at delta %.6g", c->epsilon, c->delta);
    else
        buf_printf(out, "epsilon %.6g", c->epsilon);
}

void
report_confidence(double level, char text[REPORT_NUMBER_MAX])
{
    snprintf(text, REPORT_NUMBER_MAX, "%.10g %%", 100 * (1 - level));
}

/* DIGITS significant digits, and the next such number if that lies on the wrong
   side. */
static void
write_rounded(double x, int side, char text[REPORT_NUMBER_MAX])
{
    double step;

    snprintf(text, REPORT_NUMBER_MAX, "%.*g", DIGITS, x);
    if (x == 0 || !isfinite(x) || side * (strtod(text, NULL) - x) >= 0)
        return;
    step = pow(10, floor(log10(fabs(x))) - DIGITS + 1);
    snprintf(text, REPORT_NUMBER_MAX, "%.*g", DIGITS, x + side * step / 2);
}

void
report_down(double x, char text[REPORT_NUMBER_MAX])
{
    write_rounded(x, -1, text);
}

void
report_up(double x, char text[REPORT_NUMBER_MAX])
{
    write_rounded(x, 1, text);
}

void
report_count(uint64_t n, char text[REPORT_NUMBER_MAX])
{
    char digits[24];
    size_t len = (size_t)snprintf(digits, sizeof digits, "%" PRIu64, n), to = 0;

    for (size_t i = 0; i < len; i++) {
        if (i && (len - i) % 3 == 0)
            text[to++] = ',';
        text[to++] = digits[i];
    }
    text[to] = '\0';
}

size_t
report_neighbour(const struct neighbour *n, const struct data *data,
                 struct buf *out)
{
    char text[SET_MAX];

    if (n->words) {
        buf_add_text(out, n->words);
        return n->rows;
    }
    data_describe(data, text, sizeof text);
    buf_add_text(out, text);
    return data->n;
}

void
report_escape(const char *text, struct buf *out)
{
    for (; *text; text++)
        switch (*text) {
        case '<': buf_add_text(out, "&lt;"); break;
        case '>': buf_add_text(out, "&gt;"); break;
        case '&': buf_add_text(out, "&amp;"); break;
        case '"': buf_add_text(out, "&quot;"); break;
        default: buf_add(out, (unsigned char)*text < ' ' ? " " : text, 1);
        }
}

void
report_verdict(const struct finding *f, struct buf *out)
{
    const char *name = claim_unit_name(&f->claim);
    double found = claim_found(f);
    char confidence[REPORT_NUMBER_MAX], value[REPORT_NUMBER_MAX];

    report_confidence(f->level, confidence);
    report_down(found, value);
    if (f->refuted) {
        buf_printf(out, "The claim is false: %s is at least %s", name, value);
        if (claim_unit(&f->claim) != CLAIM_MU && f->claim.delta > 0)
            buf_printf(out, " at delta %.6g", f->claim.delta);
        buf_printf(out, ", with %s confidence.", confidence);
    } else if (found > 0) {
        buf_printf(out,
                   "Nothing contradicts the claim. The evidence refutes every "
                   "%s below %s, with %s confidence.",
                   name, value, confidence);
    } else {
        buf_printf(out,
                   "Nothing contradicts the claim. No difference between "
                   "neighbours was certified, at %s confidence.",
                   confidence);
    }
}

void
report_reason(const struct finding *f, struct buf *out)
{
    char low[REPORT_NUMBER_MAX], high[REPORT_NUMBER_MAX],
        value[REPORT_NUMBER_MAX];

    report_down(f->p_low, low);
    report_up(f->other_high, high);
    report_down(claim_found(f), value);
    if (!(claim_found(f) > 0))
        return;
    if (claim_unit(&f->claim) == CLAIM_MU)
        buf_printf(out, "the normal quantile of %s less that of %s is %s", low,
                   high, value);
    else if (claim_unit(&f->claim) == CLAIM_RHO)
        buf_printf(out,
                   "the Renyi divergence of order a between coins with %s and "
                   "%s is at least %s a for some a",
                   low, high, value);
    else if (f->claim.delta > 0)
        buf_printf(out, "ln((%s - %.6g) / %s) = %s", low, f->claim.delta, high,
                   value);
    else
        buf_printf(out, "ln(%s / %s) = %s", low, high, value);
    buf_printf(out, ", and a mechanism with a smaller %s cannot do this",
               claim_unit_name(&f->claim));
}
