/*
 * Losses, and the probability masses of intervals, against MPFR.
 */
#include <float.h>
#include <math.h>
#include <mpfr.h>
#include <stdlib.h>

#include "account/line.h"
#include "account/loss.h"
#include "support/support.h"

enum { BITS = 1000 }; /* differences of tails cancel many of them */

static const double rates[] = {1, 0.5, 0.01, 1e-7, 0.999, 1 - 1e-9};

/* R = 1 - q + q e^l. */
static void
exact_ratio(mpfr_t r, const mpfr_t l, double q)
{
    mpfr_exp(r, l, MPFR_RNDN);
    mpfr_mul_d(r, r, q, MPFR_RNDN);
    mpfr_add_ui(r, r, 1, MPFR_RNDN);
    mpfr_sub_d(r, r, q, MPFR_RNDN);
}

/* The exact base loss at x. */
static void
exact_base(mpfr_t l, const struct loss *s, double x)
{
    mpfr_set_d(l, x, MPFR_RNDN);
    if (s->base == BASE_GAUSSIAN) {
        mpfr_mul_ui(l, l, 2, MPFR_RNDN);
        mpfr_sub_d(l, l, s->size, MPFR_RNDN);
        mpfr_div_ui(l, l, 2, MPFR_RNDN);
    } else {
        mpfr_mul_ui(l, l, 2, MPFR_RNDN);
        mpfr_sub_ui(l, l, 1, MPFR_RNDN);
    }
    mpfr_mul_d(l, l, s->size, MPFR_RNDN);
}

static void
check_losses(const struct loss *l)
{
    struct loss_range r = loss_range(l, 1e-20);
    double error = loss_error(l, &r);
    mpfr_t v;

    mpfr_init2(v, BITS);
    for (int i = 0; i <= 100; i += test_size(20, 1)) {
        double x = r.from + (r.to - r.from) * i / 100, value, place;

        exact_base(v, l, x);
        exact_ratio(v, v, l->rate);
        mpfr_log(v, v, MPFR_RNDN);
        if (l->order == ORDER_ADD)
            mpfr_neg(v, v, MPFR_RNDN);
        value = loss_value(l, x);
        mpfr_sub_d(v, v, value, MPFR_RNDN);
        assert_true(fabs(mpfr_get_d(v, MPFR_RNDN)) <= error / 4);
        place = loss_place(l, &r, value);
        assert_true(fabs(loss_value(l, place) - value) <= error / 2);
    }
    mpfr_clear(v);
}

static void
losses_agree_with_exact_ones(void **state)
{
    const double sizes[] = {1e-6, 0.01, 1, 8};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        for (size_t j = 0; j < 6; j++) {
            for (int order = 0; order < 2; order++) {
                for (int base = BASE_GAUSSIAN; base <= BASE_EXPONENTIAL; base++)
                    check_losses(&(struct loss){.base = (enum loss_base)base,
                                                .order = (enum loss_order)order,
                                                .rate = rates[j],
                                                .size = sizes[i]});
            }
        }
    }
    mpfr_free_cache();
}

/* The exact mass of Q0 or P0 between two points. */
static void
exact_mass(mpfr_t out, const struct loss *l, bool p0, double from, double to)
{
    mpfr_t a, b, t;

    mpfr_inits2(BITS, a, b, t, (mpfr_ptr)0);
    mpfr_set_d(a, from, MPFR_RNDN);
    mpfr_set_d(b, to, MPFR_RNDN);
    if (l->base == BASE_GAUSSIAN) { /* the difference of two upper tails */
        mpfr_sqrt_ui(t, 2, MPFR_RNDN);
        if (p0) {
            mpfr_sub_d(a, a, l->size, MPFR_RNDN);
            mpfr_sub_d(b, b, l->size, MPFR_RNDN);
        }
        mpfr_div(a, a, t, MPFR_RNDN);
        mpfr_div(b, b, t, MPFR_RNDN);
        mpfr_erfc(a, a, MPFR_RNDN);
        mpfr_erfc(b, b, MPFR_RNDN);
        mpfr_sub(out, a, b, MPFR_RNDN);
        mpfr_div_ui(out, out, 2, MPFR_RNDN);
    } else { /* Q0: (e^-sa - e^-sb)/2; P0: mirrored */
        if (p0) {
            mpfr_ui_sub(t, 1, a, MPFR_RNDN);
            mpfr_ui_sub(a, 1, b, MPFR_RNDN);
            mpfr_set(b, t, MPFR_RNDN);
        }
        mpfr_mul_d(a, a, -l->size, MPFR_RNDN);
        mpfr_mul_d(b, b, -l->size, MPFR_RNDN);
        mpfr_exp(a, a, MPFR_RNDN);
        mpfr_exp(b, b, MPFR_RNDN);
        mpfr_sub(out, a, b, MPFR_RNDN);
        if (l->base == BASE_EXPONENTIAL) {
            mpfr_set_d(t, -l->size, MPFR_RNDN);
            mpfr_expm1(t, t, MPFR_RNDN);
            mpfr_neg(t, t, MPFR_RNDN);
        } else {
            mpfr_set_ui(t, 2, MPFR_RNDN);
        }
        mpfr_div(out, out, t, MPFR_RNDN);
    }
    mpfr_clears(a, b, t, (mpfr_ptr)0);
}

/* Intervals of all lengths everywhere, for P and Q, after sampling. */
static double
worst_piece(const struct loss *l)
{
    double worst = 0;
    struct line line;
    mpfr_t p, q;

    mpfr_inits2(BITS, p, q, (mpfr_ptr)0);
    assert_int_equal(line_init(&line, NULL, l, 1e-40), CUSTOS_OK);
    for (int i = 0; i < 60; i += test_size(23, 1)) {
        double all = line.range.to - line.range.from;
        double from = line.range.from + all * (i % 20) / 20;
        double to = from + all / 20 * (i < 20 ? 1 : i < 40 ? 1e-2 : 1e-5);
        struct piece s = line_piece(&line, from, to);

        exact_mass(q, l, false, from, to);
        /* Q0 + rate (P0 - Q0) */
        exact_mass(p, l, true, from, to);
        mpfr_sub(p, p, q, MPFR_RNDN);
        mpfr_mul_d(p, p, l->rate, MPFR_RNDN);
        mpfr_add(p, p, q, MPFR_RNDN);
        if (l->order == ORDER_ADD)
            mpfr_swap(p, q);
        mpfr_d_div(p, s.p, p, MPFR_RNDN);
        mpfr_d_div(q, s.q, q, MPFR_RNDN);
        mpfr_sub_ui(p, p, 1, MPFR_RNDN);
        mpfr_sub_ui(q, q, 1, MPFR_RNDN);
        worst = fmax(worst, fabs(mpfr_get_d(p, MPFR_RNDN)) / line.error);
        worst = fmax(worst, fabs(mpfr_get_d(q, MPFR_RNDN)) / line.error);
    }
    line_clear(&line);
    mpfr_clears(p, q, (mpfr_ptr)0);
    return worst;
}

static void
line_pieces_agree_with_exact_integrals(void **state)
{
    const double sizes[] = {1e-6, 0.02, 1, 8};
    double worst = 0;

    (void)state;
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 6; j++)
            for (int order = 0; order < 2; order++)
                for (int base = BASE_GAUSSIAN; base <= BASE_EXPONENTIAL; base++)
                    worst = fmax(worst, worst_piece(&(struct loss){
                                            .base = (enum loss_base)base,
                                            .order = (enum loss_order)order,
                                            .rate = rates[j],
                                            .size = sizes[i]}));
    print_message("worst: %.3f of the bound\n", worst);
    assert_true(worst <= 1);
    assert_true(worst > 0.01); /* the bound is not far too wide */
    mpfr_free_cache();
}

/*
 * Losses of atoms rise under ORDER_ADD and under ORDER_REMOVE, even if some
 * outcomes occur only under P or only under Q.
 */
static void
atoms_rise(void **state)
{
    const struct loss_atom atoms[] = {{0.5, -1}, {0.2, 0}, {0.1, 1}};
    const double q = 0.25;

    (void)state;
    for (int order = 0; order < 2; order++) {
        struct loss l = {.base = BASE_ATOMS,
                         .order = (enum loss_order)order,
                         .rate = q,
                         .atoms = atoms,
                         .n_atoms = 3,
                         .only_p = 0.3,
                         .only_q = 0.2};
        double value, mass, last = -INFINITY, all = loss_infinite(&l);
        size_t n = 0;

        for (; loss_atom(&l, n, &value, &mass); n++) {
            assert_true(value > last);
            last = value;
            all += mass;
        }
        assert_int_equal(n, 4);
        if (order == ORDER_ADD) {
            assert_true(fabs(last + log1p(-q)) < 1e-15);
            assert_true(mass == 0.2 && loss_infinite(&l) == 0);
            assert_true(fabs(all - 1) < 1e-15);
        } else {
            assert_true(fabs(loss_infinite(&l) - q * 0.3) < 1e-16);
        }
        l.rate = 1;
        assert_false(loss_atom(&l, 3, &value, &mass));
        assert_true(loss_infinite(&l) == (order ? 0.2 : 0.3));
    }
}

/* Outermost atoms of tiny mass are left out; their mass counts as outside. */
static void
thin_atoms_are_left_out(void **state)
{
    const struct loss_atom atoms[] = {
        {1e-9, -40}, {0.5, -1}, {0.4, 1}, {1e-30, 60}};
    struct loss l = {.base = BASE_ATOMS,
                     .order = ORDER_ADD,
                     .rate = 1,
                     .atoms = atoms,
                     .n_atoms = 4};
    struct line line;

    (void)state;
    assert_int_equal(line_init(&line, NULL, &l, 1e-20), CUSTOS_OK);
    assert_int_equal(line.n, 3);
    assert_true(line.least == -1 && line.most == 40);
    assert_true(line.range.outside >= 1e-30 && line.range.outside < 2e-30);
    line_clear(&line);
    l.order = ORDER_REMOVE; /* a loss of 60 has mass 1e-30 e^60 now */
    assert_int_equal(line_init(&line, NULL, &l, 1e-20), CUSTOS_OK);
    assert_int_equal(line.n, 3);
    assert_true(line.most == 60);
    line_clear(&line);
}

static void
losses_past_the_limit_are_refused(void **state)
{
    const struct loss_atom far[] = {{0.5, -700}, {0.5, 700}};
    struct loss atoms = {.base = BASE_ATOMS,
                         .rate = 1,
                         .order = ORDER_ADD,
                         .atoms = far,
                         .n_atoms = 2};
    struct loss gauss = {.base = BASE_GAUSSIAN, .rate = 1, .size = 40};
    struct loss_atom *many;
    struct line line;

    (void)state;
    assert_int_equal(line_init(&line, NULL, &atoms, 1e-9), CUSTOS_EOVERFLOW);
    assert_int_equal(line_init(&line, NULL, &gauss, 1e-9), CUSTOS_EOVERFLOW);
    many = calloc(LINE_ATOMS_MAX, sizeof *many);
    assert_non_null(many);
    atoms.atoms = many;
    atoms.n_atoms = LINE_ATOMS_MAX;
    assert_int_equal(line_init(&line, NULL, &atoms, 1e-9), CUSTOS_EOVERFLOW);
    free(many);
    atoms.n_atoms = 0;
    assert_int_equal(line_init(&line, NULL, &atoms, 1e-9), CUSTOS_OK);
    assert_true(line.most == 0);
    line_clear(&line);
}

/* If line_init succeeds, no density on the line underflows. */
static void
densities_that_underflow_are_refused(void **state)
{
    int done = 0, refused = 0;

    (void)state;
    for (double size = 1; size < 34; size++) {
        for (double tail = 1e-10; tail > 1e-220; tail *= 1e-7) {
            struct loss l = {.base = BASE_GAUSSIAN, .rate = 1, .size = size};
            struct line line;

            if (line_init(&line, NULL, &l, tail)) {
                refused++;
                continue;
            }
            done++;
            assert_true(loss_at(&l, line.range.from).p >= DBL_MIN);
            assert_true(loss_at(&l, line.range.to).q >= DBL_MIN);
            line_clear(&line);
        }
    }
    assert_true(done > 300 && refused > 300);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_agree_with_exact_ones),
        cmocka_unit_test(line_pieces_agree_with_exact_integrals),
        cmocka_unit_test(atoms_rise),
        cmocka_unit_test(thin_atoms_are_left_out),
        cmocka_unit_test(losses_past_the_limit_are_refused),
        cmocka_unit_test(densities_that_underflow_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
