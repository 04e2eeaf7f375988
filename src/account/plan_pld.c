/*
 * Each mechanism becomes the loss of its dominating pair. For the upper bound
 * delta is converted to a double rounded down, for the lower bound rounded up,
 * so that the interval holds for the exact delta.
 */
#include "account/plan_pld.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "account/search.h"
#include "base/alloc.h"
#include "base/ck.h"
#include "num/ival.h"
#include "num/rat_double.h"
#include "num/rat_round.h"

#define COUNT_TOP ((uint64_t)1 << 40)

static const char count_too_high[] = "a count is past 2^40";

static const char out_of_reach[] =
    "a parameter is out of the reach of the privacy-loss distribution";

/* sensitivity / sigma; a square root is rounded up. */
static bool
gauss_mu_up(const struct mechanism *m, rat *mu)
{
    bool good = true;
    ival x;

    if (rat_sign(&m->sensitivity) > 0) {
        rat_div(mu, &m->sensitivity, &m->sigma);
        return true;
    }
    ival_init(&x, 192);
    ival_set_rat(&x, &m->sensitivity_squared);
    ival_sqrt(&x, &x);
    good = bound_up(&x, mu);
    ival_clear(&x);
    if (good)
        rat_div(mu, mu, &m->sigma);
    return good;
}

static custos_status
make_gaussian(const struct mechanism *m, struct loss_of *out)
{
    custos_status st = CUSTOS_EOVERFLOW;
    rat mu;

    rat_init(&mu);
    if (gauss_mu_up(m, &mu))
        st = loss_of_gaussian(&mu, &m->sample, out);
    rat_clear(&mu);
    return st;
}

/* Needs a scalar: one number that moves by an integer sensitivity. */
static custos_status
discrete_gaussian(const custos_alloc *alloc, const struct mechanism *m,
                  struct loss_of *out, const char **reason)
{
    custos_status st = CUSTOS_EOVERFLOW;
    uint64_t move = 0;
    rat variance;

    if (rat_sign(&m->sensitivity) == 0 &&
        rat_cmp_i64(&m->sensitivity_squared, 1) != 0) {
        *reason = "discrete Gaussian noise on several numbers at once has no "
                  "known dominating pair";
        return CUSTOS_EOVERFLOW;
    }
    rat_init(&variance);
    rat_mul(&variance, &m->sigma, &m->sigma);
    if (rat_sign(&m->sensitivity) == 0)
        move = 1;
    if (move == 1 || rat_floor_u64(&m->sensitivity, &move))
        st = loss_of_discrete_gaussian(alloc, &variance, move, &m->sample, out);
    rat_clear(&variance);
    if (st == CUSTOS_EOVERFLOW)
        *reason = "a discrete Gaussian is too wide for the privacy-loss "
                  "distribution";
    return st;
}

static custos_status
discrete_laplace(const custos_alloc *alloc, const struct mechanism *m,
                 struct loss_of *out)
{
    uint64_t move = 0;

    if (!rat_floor_u64(&m->sensitivity, &move))
        return CUSTOS_EOVERFLOW;
    return loss_of_discrete_laplace(alloc, &m->epsilon, move, &m->sample, out);
}

static custos_status
loss_of_mechanism(const custos_alloc *alloc, const struct mechanism *m,
                  struct loss_of *out, const char **reason)
{
    switch (m->kind) {
    case MECHANISM_LAPLACE:
        return loss_of_laplace(&m->epsilon, &m->sample, out);
    case MECHANISM_DISCRETE_LAPLACE: return discrete_laplace(alloc, m, out);
    case MECHANISM_GAUSSIAN: return make_gaussian(m, out);
    case MECHANISM_DISCRETE_GAUSSIAN:
        return discrete_gaussian(alloc, m, out, reason);
    case MECHANISM_RESPONSE:
        return loss_of_response(alloc, &m->epsilon, m->values, &m->sample, out);
    case MECHANISM_EXPONENTIAL:
        return loss_of_exponential(&m->epsilon, &m->sample, out);
    case MECHANISM_PERMUTE_FLIP:
    case MECHANISM_NOISY_MAX:
    case MECHANISM_SPARSE_VECTOR:
    case MECHANISM_GENERIC: break;
    }
    return loss_of_approximate(alloc, &m->epsilon, &m->delta, &m->sample, out);
}

/*
 * Whether two mechanisms are the same, apart from their counts. Equal ones next
 * to each other in the list become one part.
 */
static bool
is_same(const struct mechanism *a, const struct mechanism *b)
{
    return a->kind == b->kind && a->values == b->values &&
           !rat_cmp(&a->epsilon, &b->epsilon) &&
           !rat_cmp(&a->delta, &b->delta) && !rat_cmp(&a->sigma, &b->sigma) &&
           !rat_cmp(&a->sensitivity, &b->sensitivity) &&
           !rat_cmp(&a->sensitivity_squared, &b->sensitivity_squared) &&
           !rat_cmp(&a->sample, &b->sample);
}

static custos_status
fill_parts(struct plan_parts *p, const struct mechanism *m, size_t n)
{
    custos_status st = CUSTOS_OK;

    for (size_t i = 0; i < n && !st; i++) {
        struct pld_part *part;

        if (m[i].count > COUNT_TOP) {
            p->reason = count_too_high;
            return CUSTOS_EOVERFLOW;
        }
        if (p->n > 0 && is_same(&m[i - 1], &m[i])) {
            p->parts[p->n - 1].count += m[i].count;
            continue;
        }
        st = loss_of_mechanism(&p->alloc, &m[i], &p->owned[p->n], &p->reason);
        if (st)
            break;
        part = &p->parts[p->n];
        part->loss = p->owned[p->n++].loss;
        part->count = m[i].count;
    }
    return st;
}

/* Makes room for n parts. */
static custos_status
parts_take(struct plan_parts *p, const custos_alloc *alloc, size_t n)
{
    *p = (struct plan_parts){.alloc = alloc_or_default(alloc), .room = n};
    p->parts = alloc_take(&p->alloc, n, sizeof *p->parts);
    p->owned = alloc_take(&p->alloc, n, sizeof *p->owned);
    return p->parts && p->owned ? CUSTOS_OK : CUSTOS_ENOMEM;
}

/* Ends the making of parts: what is out of reach becomes a reason. */
static custos_status
parts_end(struct plan_parts *p, custos_status st)
{
    if (st == CUSTOS_EOVERFLOW) {
        if (!p->reason)
            p->reason = out_of_reach;
        st = CUSTOS_OK;
    }
    if (st)
        plan_parts_clear(p);
    return st;
}

custos_status
plan_parts_init(struct plan_parts *p, const custos_alloc *alloc,
                const struct mechanism *m, size_t n)
{
    custos_status st;

    CUSTOS_REQUIRE(n >= 1);
    st = parts_take(p, alloc, n);
    if (!st)
        st = fill_parts(p, m, n);
    return parts_end(p, st);
}

custos_status
plan_parts_of_arrays(struct plan_parts *p, const custos_alloc *alloc,
                     const double *losses, const double *masses, size_t n,
                     double infinite)
{
    custos_status st = parts_take(p, alloc, 1);

    if (!st)
        st = loss_of_arrays(&p->alloc, losses, masses, n, infinite,
                            &p->owned[0]);
    if (!st)
        p->parts[p->n++] = (struct pld_part){p->owned[0].loss, 1};
    return parts_end(p, st);
}

/* Whether two losses are the same, number by number. */
static bool
is_same_loss(const struct loss *a, const struct loss *b)
{
    return a->base == b->base && a->rate == b->rate && a->size == b->size &&
           a->n_atoms == b->n_atoms && a->both_orders == b->both_orders &&
           a->only_p == b->only_p && a->only_q == b->only_q &&
           a->lost == b->lost && a->error == b->error &&
           (a->n_atoms == 0 ||
            memcmp(a->atoms, b->atoms, a->n_atoms * sizeof *a->atoms) == 0);
}

/* Adds `count` runs of a loss, which is copied if it is a new one. */
static custos_status
parts_add(struct plan_parts *p, const struct loss_of *loss, uint64_t count)
{
    custos_status st;
    size_t i = 0;

    while (i < p->n && !is_same_loss(&p->parts[i].loss, &loss->loss))
        i++;
    if (i == p->n) {
        st = loss_of_copy(&p->alloc, loss, &p->owned[i]);
        if (st)
            return st;
        p->parts[p->n++].loss = p->owned[i].loss;
    }
    if (count > COUNT_TOP || p->parts[i].count + count > COUNT_TOP) {
        p->reason = count_too_high;
        return CUSTOS_EOVERFLOW;
    }
    p->parts[i].count += count;
    return CUSTOS_OK;
}

static custos_status
parts_add_all(struct plan_parts *p, const struct plan_parts *from,
              uint64_t times)
{
    custos_status st = CUSTOS_OK;

    if (from->reason) {
        p->reason = from->reason;
        return CUSTOS_EOVERFLOW;
    }
    for (size_t i = 0; i < from->n && times > 0 && !st; i++) {
        uint64_t count;

        if (!ck_mul_u64(from->parts[i].count, times, &count))
            count = UINT64_MAX; /* parts_add says that it is too high */
        st = parts_add(p, &from->owned[i], count);
    }
    return st;
}

custos_status
plan_parts_join(struct plan_parts *p, const custos_alloc *alloc,
                const struct plan_parts *a, uint64_t times_a,
                const struct plan_parts *b, uint64_t times_b)
{
    custos_status st = parts_take(p, alloc, a->room + b->room);

    if (!st)
        st = parts_add_all(p, a, times_a);
    if (!st)
        st = parts_add_all(p, b, times_b);
    return parts_end(p, st);
}

void
plan_parts_clear(struct plan_parts *p)
{
    pld_kept_clear(&p->kept[0]);
    pld_kept_clear(&p->kept[1]);
    for (size_t i = 0; p->owned && i < p->room; i++)
        if (p->owned[i].atoms)
            loss_of_clear(&p->owned[i]);
    alloc_give(&p->alloc, p->owned, p->room, sizeof *p->owned);
    alloc_give(&p->alloc, p->parts, p->room, sizeof *p->parts);
    p->owned = NULL;
    p->parts = NULL;
}

/*
 * Whether the mechanisms' own deltas use up all of delta. The bound would then
 * be infinite, and another theorem may do better.
 */
static bool
is_used_up(const struct plan_parts *p, double delta)
{
    double sum = 0;

    for (size_t i = 0; i < p->n; i++)
        sum += (double)p->parts[i].count * p->parts[i].loss.rate *
               p->parts[i].loss.only_p;
    return sum * (1 + 1e-9) >= delta;
}

/* One call of pld_bounds; the larger bounds of the two orders. */
static custos_status
bounds_at(struct plan_parts *p, struct pld_aim aim, double width,
          struct bounds *out, const char **reason)
{
    struct bounds both[2];
    custos_status st;

    *reason = p->reason;
    if (!p->reason && aim.at == AIM_DELTA && is_used_up(p, aim.value))
        *reason = "the mechanisms' own deltas use up all of delta";
    if (*reason)
        return CUSTOS_OK;
    st = pld_bounds(&p->alloc, p->parts, p->n, aim, width, p->kept, both);
    if (st == CUSTOS_ENOMEM)
        return st;
    if (st) {
        *reason = st == CUSTOS_EINVAL
                      ? "the number asked for is out of the reach of the "
                        "privacy-loss distribution"
                      : "counts or losses are too large for the privacy-loss "
                        "distribution";
        return CUSTOS_OK;
    }
    out->low = fmax(both[0].low, both[1].low);
    out->high = fmax(both[0].high, both[1].high);
    return CUSTOS_OK;
}

/*
 * Both curves fall, so the upper bound is computed at the value rounded down
 * and the lower bound at the value rounded up.
 */
static custos_status
bounds_around(struct plan_parts *p, struct pld_aim aim, double width,
              struct bounds *out, const char **reason)
{
    struct bounds at[2];
    custos_status st = bounds_at(p, aim, width, &at[0], reason);

    if (st || *reason)
        return st;
    aim.value = nextafter(aim.value, INFINITY);
    st = bounds_at(p, aim, width, &at[1], reason);
    if (!st && !*reason)
        *out = (struct bounds){at[1].low, at[0].high};
    return st;
}

custos_status
plan_pld_epsilon(struct plan_parts *p, const rat *delta, double width,
                 struct bounds *out, const char **reason)
{
    return bounds_around(p, (struct pld_aim){AIM_DELTA, rat_double(delta)},
                         width, out, reason);
}

custos_status
plan_pld_delta(struct plan_parts *p, const rat *epsilon, double width,
               struct bounds *out, const char **reason)
{
    return bounds_around(p, (struct pld_aim){AIM_EPSILON, rat_double(epsilon)},
                         width, out, reason);
}

custos_status
plan_pld_epsilon_up(struct plan_parts *p, const rat *delta, double width,
                    struct bounds *out, const char **reason)
{
    return bounds_at(p, (struct pld_aim){AIM_DELTA, rat_double(delta)}, width,
                     out, reason);
}

void
bound_exact(double x, rat *out)
{
    int e = 0;
    double m = frexp(x, &e);
    rat power;

    rat_init(&power);
    rat_set_i64(out, (int64_t)(m * 0x1p53), 1);
    rat_set_pow2(&power, e - 53);
    rat_mul(out, out, &power);
    rat_clear(&power);
}

static void
bound_write(double x, enum rat_direction direction,
            char text[CUSTOS_NUMBER_MAX])
{
    rat exact;

    if (!isfinite(x)) {
        snprintf(text, CUSTOS_NUMBER_MAX, "infinity");
        return;
    }
    rat_init(&exact);
    bound_exact(x, &exact);
    rat_decimal(&exact, direction, text);
    rat_clear(&exact);
}

void
bound_write_up(double x, char text[CUSTOS_NUMBER_MAX])
{
    bound_write(x, RAT_UP, text);
}

void
bound_write_down(double x, char text[CUSTOS_NUMBER_MAX])
{
    bound_write(x, RAT_DOWN, text);
}
