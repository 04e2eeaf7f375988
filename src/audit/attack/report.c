/*
 * What the attacks share: rows and curves of a report, the ceiling on guesses,
 * and counts released by libcustos.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "audit/attack/attack.h"
#include "audit/bound.h"
#include "base/base.h"
#include "base/error.h"

bool
attack_broken(const struct attack_row *row)
{
    if (row->server != SERVER_CUSTOS || isnan(row->ceiling))
        return false;
    if (row->is_share)
        return bound_p_low(row->hits, row->n, ATTACK_BLAME) > row->ceiling;
    return row->value > row->ceiling;
}

double
attack_number(const char *text)
{
    char *end;
    double top = strtod(text, &end);

    return *end == '/' ? top / strtod(end + 1, NULL) : top;
}

double
attack_percent_up(double p)
{
    return p <= 0 ? 0 : ceil(1000 * p - 1e-9) / 10;
}

void
attack_grouped(uint64_t x, char text[ATTACK_GROUPED])
{
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)x);
    int len = 0;

    for (int i = 0; i < n; i++) {
        if (i && (n - i) % 3 == 0)
            text[len++] = ',';
        text[len++] = digits[i];
    }
    text[len] = '\0';
}

static struct attack_row *
add_row(struct attack_report *r, enum attack_server server, const char *measure)
{
    struct attack_row *row = &r->rows[r->n_rows++];

    CUSTOS_REQUIRE(r->n_rows <= ATTACK_ROWS_MAX);
    *row = (struct attack_row){
        .measure = measure,
        .server = server,
        .low = NAN,
        .high = NAN,
        .ceiling = NAN,
    };
    return row;
}

struct attack_row *
attack_add_share(struct attack_report *r, enum attack_server server,
                 const char *measure, uint64_t hits, uint64_t n)
{
    struct attack_row *row = add_row(r, server, measure);

    row->is_share = true;
    row->hits = hits;
    row->n = n;
    row->value = (double)hits / (double)n;
    row->low = bound_p_low(hits, n, 0.025);
    row->high = bound_p_high(hits, n, 0.025);
    return row;
}

struct attack_row *
attack_add_number(struct attack_report *r, enum attack_server server,
                  const char *measure, double value)
{
    struct attack_row *row = add_row(r, server, measure);

    row->value = value;
    return row;
}

struct attack_curve *
attack_add_curve(struct attack_report *r, const char *label)
{
    struct attack_curve *c = &r->curves[r->n_curves++];

    CUSTOS_REQUIRE(r->n_curves <= ATTACK_CURVES_MAX);
    *c = (struct attack_curve){.n = 0};
    snprintf(c->label, sizeof c->label, "%s", label);
    return c;
}

void
attack_add_point(struct attack_curve *c, double x, double y)
{
    CUSTOS_REQUIRE(c->n < ATTACK_POINTS_MAX);
    c->x[c->n] = x;
    c->y[c->n++] = y;
}

void
attack_add_level(struct attack_report *r, const char *label, double y)
{
    struct attack_curve *c = attack_add_curve(r, label);

    c->faint = true;
    attack_add_point(c, r->x.least, y);
    attack_add_point(c, r->x.most, y);
}

custos_status
attack_ceiling(const char *epsilon, const char *delta, double *out,
               custos_err *err)
{
    custos_risk_facts facts = CUSTOS_RISK_FACTS_INIT;
    custos_risk *risk = NULL;
    custos_status st = custos_risk_new(NULL, epsilon, delta, &risk, err);

    if (!st)
        st = custos_risk_report(risk, NULL, NULL, &facts, err);
    if (!st)
        *out = strtod(facts.guess, NULL);
    custos_risk_free(risk);
    return st;
}

/* ----------------------------------------------- counts of libcustos -- */

struct attack_counts {
    custos_mech *mech;
    custos_rng *rng;
    size_t n;
};

custos_status
attack_counts_new(const char *epsilon, unsigned moves, size_t n,
                  struct attack_counts **out, custos_err *err)
{
    struct attack_counts *c = calloc(1, sizeof *c);
    char sensitivity[16];
    custos_status st;

    if (!c)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    snprintf(sensitivity, sizeof sensitivity, "%u", moves);
    c->n = n;
    st = custos_mech_new(NULL,
                         &(custos_mech_options){
                             .size = sizeof(custos_mech_options),
                             .kind = CUSTOS_LAPLACE,
                             .domain = CUSTOS_INTS,
                             .values = n,
                             .epsilon = epsilon,
                             .sensitivity = sensitivity,
                         },
                         &c->mech, err);
    if (!st)
        st = custos_rng_new(&c->rng, err);
    if (st)
        attack_counts_free(c);
    else
        *out = c;
    return st;
}

void
attack_counts_free(struct attack_counts *c)
{
    if (!c)
        return;
    custos_mech_free(c->mech);
    custos_rng_free(c->rng);
    free(c);
}

custos_status
attack_counts_release(struct attack_counts *c, const int64_t *exact,
                      int64_t *out, custos_err *err)
{
    custos_sealed *sealed = NULL;
    custos_status st = custos_seal_ints(NULL, exact, c->n, &sealed, err);

    if (!st)
        st = custos_release_ints(c->mech, c->rng, sealed, out, c->n, err);
    custos_sealed_free(sealed);
    return st;
}

double
attack_counts_scale(const struct attack_counts *c)
{
    return attack_number(custos_mech_facts(c->mech)->scale);
}

custos_status
attack_counts_error(const struct attack_counts *c, int64_t *half_width,
                    custos_err *err)
{
    return custos_mech_error_i64(c->mech, "0.05", 1, half_width, err);
}
