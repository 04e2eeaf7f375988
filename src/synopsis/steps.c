/* Checks prices against noise. */
#include "synopsis/steps.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "mech/marginals.h"
#include "mech/running.h"
#include "num/batch.h"
#include "num/rat_round.h"
#include "num/rat_double.h"
#include "synth/candidates.h"
#include "synth/price.h"

/* A file's variance is that of its price up to the rounding of a few doubles. */
#define VARIANCE_ROUNDING 1e-9

static bool
is_change_one(const struct synopsis_facts *f)
{
    return str_equal(f->adjacency, str_of("change-one"));
}

/* ----------------------------------------------------------------- facts -- */

static size_t
digits_at(str text, size_t at)
{
    size_t n = 0;

    while (at + n < text.len && text.ptr[at + n] >= '0' &&
           text.ptr[at + n] <= '9')
        n++;
    return n;
}

/* What rat_write_into writes of a number that is not negative. The text is part of a
   command that readers paste into a shell, so nothing else may be in it. */
static bool
is_number(str text)
{
    const size_t whole = digits_at(text, 0);

    if (whole == 0 || whole == text.len)
        return whole > 0;
    return (text.ptr[whole] == '.' || text.ptr[whole] == '/') &&
           digits_at(text, whole + 1) > 0 &&
           whole + 1 + digits_at(text, whole + 1) == text.len;
}

bool
facts_are_sound(const struct synopsis_facts *f)
{
    amount rho;

    return (is_number(f->epsilon) ||
            str_equal(f->epsilon, str_of("infinity"))) &&
           is_number(f->delta) && amount_read(f->rho, AMOUNT_LOSS, &rho) &&
           rho > 0 && rho < PRICE_MAX && f->rows_per_unit >= 1 &&
           f->rows_per_unit <= STEPS_ROWS_MAX &&
           (is_change_one(f) || str_equal(f->adjacency, str_of("add-remove")));
}

/* ----------------------------------------------------------------- noise -- */

void
step_l2_squared(const struct synopsis *s, const struct released_table *t,
                rat *out)
{
    const bool change = is_change_one(&s->facts);
    size_t size[WORKLOAD_ORDER];
    struct marginals of = {.kind = MARGINALS_RESIDUAL, .size = size};
    rat x;

    rat_init(&x);
    rat_set_i64(out, change ? 2 : 1, 1);
    if (t->kind == RELEASED_RESIDUAL) {
        COLSET_EACH(c, t->set)
        size[of.n_keys++] = s->schema->domain.size[c];
        residual_sensitivity(&of, ((uint32_t)1 << of.n_keys) - 1, change, 0, 1,
                             &x, out);
    }
    rat_set_i128(&x, (i128)s->facts.rows_per_unit);
    rat_mul(out, out, &x);
    rat_mul(out, out, &x);
    rat_clear(&x);
}

/* Has the residual of this set numbers at all? A column of one code leaves none. */
static bool
has_residual(const struct domain *d, struct colset set)
{
    bool has = colset_count(set) <= WORKLOAD_ORDER;

    COLSET_EACH(c, set)
    has = has && d->size[c] > 1;
    return has;
}

/* Is this the variance of noise that costs rho? Changes l2_squared. */
static bool
is_bought(rat *l2_squared, amount rho, double variance)
{
    double bought;
    rat price;

    rat_init(&price);
    amount_to_rat(rho, AMOUNT_LOSS, &price);
    rat_div(l2_squared, l2_squared, &price);
    bought = rat_double(l2_squared) / 2;
    rat_clear(&price);
    return fabs(variance - bought) <= VARIANCE_ROUNDING * bought;
}

static bool
noise_is_bought(const struct synopsis *s, const struct released_table *t)
{
    rat l2_squared;
    bool bought;

    if (t->rho == 0 || t->rho >= PRICE_MAX ||
        (t->kind == RELEASED_RESIDUAL &&
         !has_residual(&s->schema->domain, t->set)))
        return false;
    rat_init(&l2_squared);
    step_l2_squared(s, t, &l2_squared);
    bought = is_bought(&l2_squared, t->rho, t->variance);
    rat_clear(&l2_squared);
    return bought;
}

bool
step_range_l2_squared(arena *a, const struct synopsis *s,
                      const struct released_range *r, rat *out, int *bits)
{
    struct running root;
    uint64_t l1;
    u128 moved;
    rat x;

    if (!running_root(a, r->cells, 1, &root))
        return false;
    running_sensitivity(&root, &l1, &moved);
    rat_init(&x);
    rat_set_i128(out, (i128)moved);
    *bits = (int)running_bits(&root);
    rat_set_i64(&x, is_change_one(&s->facts) ? 2 : 1, 1);
    rat_mul(out, out, &x);
    rat_set_i128(&x, (i128)s->facts.rows_per_unit);
    rat_mul(out, out, &x);
    rat_mul(out, out, &x);
    rat_clear(&x);
    return true;
}

static custos_status
check_ranges(arena *a, const struct synopsis *s, bool *sound, custos_err *err)
{
    custos_status st = CUSTOS_OK;
    rat l2_squared;
    int bits;

    rat_init(&l2_squared);
    for (size_t i = 0; !st && i < s->released->n_ranges; i++) {
        const struct released_range *r = &s->released->ranges[i];

        if (!step_range_l2_squared(a, s, r, &l2_squared, &bits))
            st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
        else
            *sound = *sound && is_bought(&l2_squared, r->rho,
                                         ldexp(r->variance, 2 * bits));
    }
    rat_clear(&l2_squared);
    return st;
}

/* ------------------------------------------------------------------- all -- */

static bool
price_is_kept(const struct synopsis *s)
{
    const struct released *r = s->released;
    amount all = 0, rho;

    for (size_t i = 0; i < r->n_tables; i++)
        all = amount_add(all, r->tables[i].rho);
    for (size_t i = 0; i < r->n_choices; i++)
        all = amount_add(all, r->choices[i]);
    for (size_t i = 0; i < r->n_ranges; i++)
        all = amount_add(all, r->ranges[i].rho);
    return amount_read(s->facts.rho, AMOUNT_LOSS, &rho) && all <= rho;
}

static int
set_cmp(const void *a, const void *b)
{
    const struct colset *x = a, *y = b;

    for (size_t i = 0; i < COUNT_OF(x->word); i++)
        if (x->word[i] != y->word[i])
            return x->word[i] < y->word[i] ? -1 : 1;
    return 0;
}

/* Sorted, since a file may have millions of tables. */
static custos_status
check_residuals_differ(arena *a, const struct released *r, bool *differ,
                       custos_err *err)
{
    struct colset *sets = arena_take(a, r->n_tables + 1, sizeof *sets);
    size_t n = 0;

    if (!sets)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    for (size_t i = 0; i < r->n_tables; i++)
        if (r->tables[i].kind == RELEASED_RESIDUAL)
            sets[n++] = r->tables[i].set;
    qsort(sets, n, sizeof *sets, set_cmp);
    *differ = true;
    for (size_t i = 1; i < n; i++)
        *differ = *differ && !colset_same(sets[i], sets[i - 1]);
    return CUSTOS_OK;
}

custos_status
steps_check(arena *a, const struct synopsis *s, custos_err *err)
{
    bool sound;
    custos_status st = check_residuals_differ(a, s->released, &sound, err);

    if (!st)
        st = check_ranges(a, s, &sound, err);
    if (st)
        return st;
    for (size_t i = 0; sound && i < s->released->n_tables; i++)
        sound = noise_is_bought(s, &s->released->tables[i]);
    return sound && price_is_kept(s)
               ? CUSTOS_OK
               : custos_fail(err, CUSTOS_ECORRUPT,
                             "the synopsis is damaged: its noise is not what "
                             "its price buys");
}
