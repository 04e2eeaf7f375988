/*
 * Computes the formula of theorem keys-gauss (keys_gauss.c), for shifts by w
 * that of keys-weighted (keys_weight.c). Its half-line sums depend only on j, w
 * and an integer m, which hardly changes during the search for a threshold.
 */
#include "mech/gauss_sums.h"

#include "num/gauss_sum.h"
#include "num/ival_more.h"
#include "num/rat_round.h"

void
gauss_sums_init(struct gauss_sums *s, const rat *variance, long bits)
{
    rat_init(&s->variance);
    rat_set(&s->variance, variance);
    s->bits = bits;
    s->n = s->next = 0;
    ival_init(&s->all, bits);
    gauss_sum_all(&s->all, variance);
}

void
gauss_sums_clear(struct gauss_sums *s)
{
    for (unsigned i = 0; i < s->n; i++) {
        rat_clear(&s->kept[i].m);
        ival_clear(&s->kept[i].near);
        ival_clear(&s->kept[i].far);
        ival_clear(&s->kept[i].all);
    }
    rat_clear(&s->variance);
    ival_clear(&s->all);
}

void
gauss_sums_tail(const struct gauss_sums *s, int64_t m, ival *r)
{
    rat at;

    rat_init(&at);
    rat_set_i64(&at, m, 1);
    gauss_sum(r, &s->variance, &at);
    ival_div(r, r, &s->all);
    rat_clear(&at);
}

/* r = ((1+s)/(1-s))^(j-1), s = 3 exp(-pi^2 v) < 1. */
static void
sum_factor(ival *r, const rat *variance, uint64_t j)
{
    ival s, x;
    rat count;

    ival_init(&s, ival_bits(r));
    ival_init(&x, ival_bits(r));
    rat_init(&count);
    ival_pi(&s);
    ival_mul(&s, &s, &s);
    ival_set_rat(&x, variance);
    ival_mul(&s, &s, &x);
    ival_neg(&s, &s);
    ival_exp(&s, &s);
    ival_set_i64(&x, 3);
    ival_mul(&s, &s, &x);
    ival_log1p(r, &s);
    ival_neg(&s, &s);
    ival_log1p(&s, &s);
    ival_sub(r, r, &s);
    rat_set_i128(&count, (i128)j - 1);
    ival_set_rat(&x, &count);
    ival_mul(r, r, &x);
    ival_exp(r, r);
    ival_clear(&s);
    ival_clear(&x);
    rat_clear(&count);
}

/* The first integer above e v / w - j w / 2. */
static void
sum_edge(rat *m, const rat *e, const rat *variance, uint64_t j, uint64_t w)
{
    rat half;

    rat_init(&half);
    rat_set_i128(&half, (i128)w);
    rat_mul(m, e, variance);
    rat_div(m, m, &half);
    rat_set_i64(&half, (int64_t)(j * w), 2);
    rat_sub(m, m, &half);
    rat_floor(m, m);
    rat_set_i64(&half, 1, 1);
    rat_add(m, m, &half);
    rat_clear(&half);
}

/*
 * Fills an initialised entry with the factors of the formula that do not
 * depend on e.
 */
static void
kept_fill(struct gauss_sums_kept *k, const rat *variance, uint64_t j,
          uint64_t w, const rat *m)
{
    ival factor;
    rat wide, count;

    ival_init(&factor, ival_bits(&k->all));
    rat_init(&wide);
    rat_init(&count);
    k->j = j;
    k->w = w;
    rat_set(&k->m, m);
    rat_set_i128(&count, (i128)j);
    rat_mul(&wide, variance, &count);
    rat_set_i128(&count, (i128)j * (i128)w);
    rat_add(&count, &count, m);
    sum_factor(&factor, variance, j);
    gauss_sum(&k->near, &wide, m);
    ival_mul(&k->near, &k->near, &factor);
    gauss_sum(&k->far, &wide, &count);
    ival_div(&k->far, &k->far, &factor);
    gauss_sum_all(&k->all, &wide);
    ival_clear(&factor);
    rat_clear(&wide);
    rat_clear(&count);
}

/* Finds the entry for j, w and m, or computes it in place of the oldest. */
static const struct gauss_sums_kept *
kept_find(struct gauss_sums *s, uint64_t j, uint64_t w, const rat *m)
{
    struct gauss_sums_kept *k;

    for (unsigned i = 0; i < s->n; i++)
        if (s->kept[i].j == j && s->kept[i].w == w &&
            rat_cmp(&s->kept[i].m, m) == 0)
            return &s->kept[i];
    k = &s->kept[s->next];
    if (s->n < GAUSS_SUMS_KEPT) {
        rat_init(&k->m);
        ival_init(&k->near, s->bits);
        ival_init(&k->far, s->bits);
        ival_init(&k->all, s->bits);
        s->n++;
    }
    s->next = (s->next + 1) % GAUSS_SUMS_KEPT;
    kept_fill(k, &s->variance, j, w, m);
    return k;
}

void
gauss_sums_divergence(struct gauss_sums *s, const rat *e, uint64_t j,
                      uint64_t w, ival *r)
{
    const struct gauss_sums_kept *k;
    ival x;
    rat m;

    ival_init(&x, s->bits);
    rat_init(&m);
    sum_edge(&m, e, &s->variance, j, w);
    k = kept_find(s, j, w, &m);
    ival_set_rat(&x, e);
    ival_exp(&x, &x);
    ival_mul(&x, &x, &k->far);
    ival_sub(r, &k->near, &x);
    ival_div(r, r, &k->all);
    ival_clear(&x);
    rat_clear(&m);
}
