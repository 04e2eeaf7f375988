/*
 * The tail probabilities from which error bars are computed, against plain
 * sums.
 */
#include "curator/tail.h"

#include <math.h>
#include <string.h>

#include "base/base.h"
#include "curator/bars.h"
#include "curator/tail_convex.h"
#include "support/support.h"

static const char *const kinds[] = {"Laplace", "Gauss"};

/* P[N = j] without the normaliser. */
static double
point(struct bar_law law, double j)
{
    double z = fabs(j) / law.scale;

    return law.kind == BAR_LAPLACE ? exp(-z) : exp(-0.5 * z * z);
}

enum { PLAIN_MAX = 2000 };

struct plain {
    int reach;
    double at[PLAIN_MAX + 1];    /* j = 0, 1, ... */
    double above[PLAIN_MAX + 2]; /* P[N >= k], k = 0, 1, ... */
};

static void
plain_make(struct plain *p, struct bar_law law)
{
    double sum = 0;

    p->reach = (int)ceil((law.kind == BAR_LAPLACE ? 36 : 9) * law.scale) + 1;
    assert_true(p->reach <= PLAIN_MAX);
    p->above[p->reach + 1] = 0;
    for (int j = p->reach; j >= 0; j--) {
        p->at[j] = point(law, j);
        p->above[j] = p->above[j + 1] + p->at[j];
        sum += (j ? 2 : 1) * p->at[j];
    }
    for (int j = 0; j <= p->reach; j++) {
        p->at[j] /= sum;
        p->above[j] /= sum;
    }
}

static double
plain_above(const struct plain *p, double y)
{
    double k = ceil(y);

    if (k > p->reach)
        return 0;
    if (k <= -p->reach)
        return 1;
    return k >= 0 ? p->above[(int)k] : 1 - p->above[(int)(1 - k)];
}

/* P[X + k Y >= x]. */
static double
plain_sum_above(const struct plain *x, const struct plain *y, double k,
                double at)
{
    double p = 0;

    for (int j = y->reach; j > 0; j--)
        p += y->at[j] *
             (plain_above(x, at + k * j) + plain_above(x, at - k * j));
    return p + y->at[0] * plain_above(x, at);
}

/*
 * Every method of tail.c against the plain sum over both lattices: never below
 * it, and never above the sum a few steps further in.
 */
static void
tail_is_an_upper_bound(void **state)
{
    static const double scales[] = {0.2, 0.7, 2, 9, 15.5, 20, 50};
    static const double ks[] = {0, 0.01, 0.3, 1, 2.5, 30};
    static struct plain x, y;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(scales) * COUNT_OF(scales) * 4; i++) {
        struct bar_law lx = {i & 1 ? BAR_GAUSSIAN : BAR_LAPLACE,
                             scales[i / 4 % COUNT_OF(scales)]};
        struct bar_law ly = {i & 2 ? BAR_GAUSSIAN : BAR_LAPLACE,
                             scales[i / 4 / COUNT_OF(scales)]};
        double one = 1;
        struct tail t;

        plain_make(&x, lx);
        plain_make(&y, ly);
        tail_init(&t, &lx, &one, &one, 1, ly);
        for (size_t k = 0; k < COUNT_OF(ks); k++)
            for (double z = 0; z < 8; z += test_size(2, 1) * 0.37) {
                double at = z * hypot(lx.scale, ks[k] * ly.scale);
                double bound = tail_above(&t, ks[k], at);
                double exact = plain_sum_above(&x, &y, ks[k], at - 1e-12);
                double in = 2 + (t.y_reach < 0 ? 1.6 * ks[k] : 0), near;

                if (bound < exact * (1 - 1e-12))
                    fail_msg("%s %g, %s %g, k %g, x %g: %.9g < %.9g",
                             kinds[lx.kind], lx.scale, kinds[ly.kind], ly.scale,
                             ks[k], at, bound, exact);
                if (t.tables)
                    in = 0.001;
                near = plain_sum_above(&x, &y, ks[k], at - in);
                if (at > in && bound > near * 1.001 + 1e-6)
                    fail_msg("%s %g, %s %g, k %g, x %g: %.9g, far from %.9g",
                             kinds[lx.kind], lx.scale, kinds[ly.kind], ly.scale,
                             ks[k], at, bound, near);
            }
    }
}

/*
 * Three noises, as in a variance, with factors known only within limits: never
 * below the plain sum for any of the factors, and close to the largest.
 */
static void
tail_holds_for_all_factors(void **state)
{
    static const double mosts[] = {0, 1e-6, 0.01, 0.5, 1};
    static const double ks[] = {0.5, 9, 300};
    static struct plain x, y, z;

    (void)state;
    for (int i = 0; i < 8 * (int)COUNT_OF(mosts) * test_size(1, 2); i++) {
        struct bar_law l[2] = {{i & 1, 25}, {i >> 1 & 1, 25}};
        struct bar_law c = {i >> 2 & 1, i % 3 ? 3 : 0.6};
        double most[2] = {1, mosts[i / 8 % (int)COUNT_OF(mosts)]};
        double least[2] = {1, i % 5 ? most[1] : 0};
        struct tail t;

        plain_make(&x, l[0]);
        plain_make(&y, l[1]);
        plain_make(&z, c);
        tail_init(&t, l, least, most, 2, c);
        for (int at_i = 0; at_i < 24; at_i++) {
            double k = ks[at_i % 3], at = 20 * pow(1.9, at_i / 3);
            double bound = tail_above(&t, k, at), in = 2 + 2 * most[1];
            double exact = 0, less = 0, near = most[1] - least[1];
            double within = 0;

            for (int j = -z.reach; j <= z.reach; j++) {
                double p = z.at[abs(j)], to = at - 1e-12;

                exact += p * plain_sum_above(&x, &y, most[1], to + k * j);
                less += p * plain_sum_above(&x, &y, least[1], to + k * j / 2);
                near += p * plain_sum_above(&x, &y, most[1], to + k * j - in);
                within += p * plain_sum_above(&x, &y, least[1], to + k * j);
            }
            if (bound < fmax(exact, fmax(less, within)) * (1 - 1e-12) ||
                (at > in && bound > near * 1.02 + 1e-6))
                fail_msg(
                    "%d, k %g, x %g: %.9g, not in %.9g, %.9g, %.9g to %.9g", i,
                    k, at, bound, exact, less, within, near);
        }
    }
}

/*
 * Many noises, compared with a plain convolution on the lattice: factors are
 * whole numbers.
 */
static void
tail_of_many_is_an_upper_bound(void **state)
{
    enum { REACH = 6000, N = 5 };
    static const double factors[][N] = {
        {1, 1, 1}, {1, 2, 3, 1}, {1, 1, 1, 1, 1}, {7, 1, 4, 2, 3}};
    static double at[2 * REACH + 1], next[2 * REACH + 1];
    static struct plain x;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(factors) * 8; i++) {
        const double *f = factors[i / 8];
        struct bar_law laws[N];
        double sum = 0, sigma = 0, in = 0, above = 0;

        memset(at, 0, sizeof at);
        at[REACH] = 1;
        for (int k = 0; k < N; k++) {
            laws[k] = (struct bar_law){
                (i + (size_t)k * (i & 4)) % 2 ? BAR_GAUSSIAN : BAR_LAPLACE,
                i & 2 ? 6 : 5 + k};
            if (f[k] == 0)
                continue;
            plain_make(&x, laws[k]);
            memset(next, 0, sizeof next);
            for (int j = 0; j <= 2 * REACH; j++)
                for (int m = -x.reach; m <= x.reach && at[j] > 1e-18; m++) {
                    int to = j + m * (int)f[k];

                    if (to >= 0 && to <= 2 * REACH)
                        next[to] += at[j] * x.at[abs(m)];
                }
            memcpy(at, next, sizeof at);
            sigma = hypot(sigma, f[k] * laws[k].scale);
            in += 1.1 * f[k];
        }
        for (int j = 2 * REACH; j > REACH; j--) {
            double y = j - REACH, bound;

            above += at[j];
            if ((int)y % 3)
                continue;
            bound = tail_many_above(laws, f, N, y);
            if (bound < above * (1 - 1e-9))
                fail_msg("%zu, x %g: %.9g < %.9g", i, y, bound, above);
            /* not far above the sum a few steps further in */
            sum = 0;
            for (int m = j - (int)in - 1 - (int)(0.05 * y); m < j; m++)
                sum += m > REACH ? at[m] : 0.01;
            if (y > 2 * in && y < 4 * sigma &&
                bound > (above + sum) * 1.01 + 1e-6)
                fail_msg("%zu, x %g: %.9g, far from %.9g", i, y, bound,
                         above + sum);
        }
    }
}

/* A convex function of two noises, as in a variance; not finite for few j. */
struct bowl {
    double i, j, mix, size;
};

static double
bowl_at(const void *ctx, double i, double j)
{
    const struct bowl *b = ctx;
    double off = i - b->mix * j;

    return b->size + j > 0 ? b->i * i + b->j * j + off * off / (b->size + j)
                           : INFINITY;
}

/* P[N + f(I, J) >= x]. */
static double
plain_bowl_above(const struct plain *n, const struct plain *i,
                 const struct plain *j, const struct bowl *b, double x)
{
    double p = 0;

    for (int a = -i->reach; a <= i->reach; a++)
        for (int k = -j->reach; k <= j->reach; k++)
            if (i->at[abs(a)] * j->at[abs(k)] > 1e-12)
                p += i->at[abs(a)] * j->at[abs(k)] *
                     plain_above(n, x - bowl_at(b, a, k));
    return p;
}

/* Never below the plain sum; with a linear part, close to it a little further in. */
static void
tail_of_convex_is_an_upper_bound(void **state)
{
    static const double scales[][3] = {
        {30, 20, 20}, {30, 0.4, 3}, {9, 18, 1}, {40, 2, 17}};
    static const struct bowl bowls[] = {
        {0, 0, 0, 60}, {1, -0.5, 0.3, 400}, {-2, 1, -1, 40}, {0.3, 2, 2, 900}};
    static struct plain plain[3];

    (void)state;
    for (size_t i = 0; i < COUNT_OF(scales) * COUNT_OF(bowls) * 8; i++) {
        const struct bowl *b = &bowls[i / 8 % COUNT_OF(bowls)];
        const double *scale = scales[i / 8 / COUNT_OF(bowls)];
        struct tail_cells cells[2];
        struct bar_law l[3];
        double spread;

        if (i % (size_t)test_size(5, 1))
            continue;
        for (int k = 0; k < 3; k++) {
            l[k] = (struct bar_law){i >> k & 1, scale[k]};
            plain_make(&plain[k], l[k]);
            if (k > 0)
                tail_cells_init(&cells[k - 1], l[k]);
        }
        spread = hypot(hypot(scale[0], b->i * scale[1]), b->j * scale[2]);
        for (double z = 0.5; z < 7; z += 1.1) {
            double x = z * spread, in = 2 + 0.1 * x;
            double bound =
                tail_convex_above(l[0], &cells[0], &cells[1], bowl_at, b, x);
            double exact =
                plain_bowl_above(&plain[0], &plain[1], &plain[2], b, x - 1e-12);
            double near =
                plain_bowl_above(&plain[0], &plain[1], &plain[2], b, x - in);

            if (bound < exact * (1 - 1e-9) - 1e-7 ||
                (b->i == 1 && bound > near * 1.15 + 1e-3))
                fail_msg("%zu, x %g: %.9g, not from %.9g to %.9g", i, x, bound,
                         exact, near);
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tail_is_an_upper_bound),
        cmocka_unit_test(tail_holds_for_all_factors),
        cmocka_unit_test(tail_of_many_is_an_upper_bound),
        cmocka_unit_test(tail_of_convex_is_an_upper_bound),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
