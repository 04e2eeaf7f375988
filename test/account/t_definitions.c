/*
 * Two definitions that do not protect, and the one that does.
 *
 * Vadhan 1.3: a bound on statistical distance alone accepts the mechanism that
 * publishes one random row. Kamath, lecture 5: for delta > 0, a condition on
 * single outcomes accepts a mechanism with many outcomes, each of them rare.
 * The definition, over all events, rejects both, and so does the accountant
 * when it is given the losses of the same mechanisms.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "account/pld_bounds.h"
#include "support/fresh_bounds.h"
#include "support/pld_of.h"
#include "support/support.h"

enum { ROWS = 1000, OUTCOMES = 4096 };

/* Outcome i has probability p[i] on one data set, q[i] on its neighbour. */
struct pair {
    size_t n;
    double p[OUTCOMES], q[OUTCOMES];
};

/* ---------------------------------------------------- three definitions -- */

/* "No event differs by more than gamma." */
static bool
distance_accepts(const struct pair *m, double gamma)
{
    double sum = 0;

    for (size_t i = 0; i < m->n; i++)
        sum += fabs(m->p[i] - m->q[i]) / 2;
    return sum <= gamma;
}

/* "p(y) <= e^eps q(y) + delta for every outcome y", and the other way round. */
static bool
singletons_accept(const struct pair *m, double epsilon, double delta)
{
    for (size_t i = 0; i < m->n; i++)
        if (m->p[i] > exp(epsilon) * m->q[i] + delta ||
            m->q[i] > exp(epsilon) * m->p[i] + delta)
            return false;
    return true;
}

/* The same for every event: the worst one is {y: p(y) > e^eps q(y)}. */
static bool
events_accept(const struct pair *m, double epsilon, double delta)
{
    double there = 0, back = 0;

    for (size_t i = 0; i < m->n; i++) {
        there += fmax(0, m->p[i] - exp(epsilon) * m->q[i]);
        back += fmax(0, m->q[i] - exp(epsilon) * m->p[i]);
    }
    return there <= delta && back <= delta;
}

/*
 * The accountant's bounds on the delta at epsilon for the losses of the same
 * pair. Outcomes with equal loss form one atom.
 */
static struct bounds
accountant_delta(const struct pair *m, double epsilon)
{
    struct loss_atom atoms[8];
    struct pld_part part = {
        .loss = {.base = BASE_ATOMS, .rate = 1, .atoms = atoms}, .count = 1};
    struct bounds out[2];
    size_t n = 0;

    for (size_t i = 0; i < m->n; i++) {
        double loss = log(m->p[i] / m->q[i]);
        size_t k = 0;

        part.loss.only_p += m->q[i] == 0 ? m->p[i] : 0;
        part.loss.only_q += m->p[i] == 0 ? m->q[i] : 0;
        if (m->p[i] == 0 || m->q[i] == 0)
            continue;
        while (k < n && fabs(atoms[k].l0 - loss) > 1e-9)
            k++;
        assert_true(k < 8);
        if (k == n)
            atoms[n++] = (struct loss_atom){0, loss};
        atoms[k].q0 += m->q[i];
    }
    for (size_t i = 1; i < n; i++) /* one pass sorts at most two */
        if (atoms[i].l0 < atoms[i - 1].l0) {
            struct loss_atom swap = atoms[i];

            atoms[i] = atoms[i - 1];
            atoms[i - 1] = swap;
        }
    part.loss.n_atoms = n;
    part.loss.error = 1e-12;
    assert_int_equal(fresh_bounds(NULL, &part, 1,
                                  (struct pld_aim){AIM_EPSILON, epsilon}, 1e-3,
                                  out),
                     CUSTOS_OK);
    return (struct bounds){fmax(out[0].low, out[1].low),
                           fmax(out[0].high, out[1].high)};
}

/* ----------------------------------------------------------- mechanisms -- */

/*
 * Publishes one of ROWS rows at random. The data sets differ in row 0: outcome
 * 0 is that row's old value, outcome 1 its new value, outcome 2 any other row.
 */
static void
publish_a_row(struct pair *m)
{
    const double share = 1.0 / ROWS;

    *m = (struct pair){
        .n = 3, .p = {share, 0, 1 - share}, .q = {0, share, 1 - share}};
}

/*
 * In 99 of 100 cases publishes the person's secret together with a useless
 * random number of 11 bits, so that each single outcome is rare.
 */
static void
publish_with_padding(struct pair *m)
{
    m->n = OUTCOMES;
    for (size_t i = 0; i < OUTCOMES; i++) {
        m->p[i] = (i % 2 ? 0.01 : 1.99) / OUTCOMES;
        m->q[i] = (i % 2 ? 1.99 : 0.01) / OUTCOMES;
    }
}

/* Randomized response: tells the truth in w of 1000 cases. */
static void
respond(struct pair *m, int w)
{
    *m = (struct pair){
        .n = 2, .p = {w / 1e3, 1 - w / 1e3}, .q = {1 - w / 1e3, w / 1e3}};
}

/* ---------------------------------------------------------------- tests -- */

/* One person in a thousand is published for certain; the distance is small. */
static void
distance_alone_accepts_what_is_not_private(void **state)
{
    static struct pair m;

    (void)state;
    publish_a_row(&m);
    assert_true(distance_accepts(&m, 1.0 / ROWS));
    for (double epsilon = 0; epsilon < 50; epsilon++)
        assert_false(events_accept(&m, epsilon, 0.5 / ROWS));
    assert_false(singletons_accept(&m, 50, 0.5 / ROWS));
    assert_true(accountant_delta(&m, 0).low > 0.999 / ROWS);
    assert_true(accountant_delta(&m, 50).low > 0.999 / ROWS);
    assert_true(accountant_delta(&m, 50).high < 1.001 / ROWS);
}

/* Nearly everybody is published; no single outcome shows it. */
static void
singletons_accept_what_is_not_private(void **state)
{
    static struct pair m;

    (void)state;
    publish_with_padding(&m);
    assert_true(singletons_accept(&m, 0, 1e-3));
    for (double epsilon = 0; epsilon <= 3; epsilon++) {
        assert_false(events_accept(&m, epsilon, 0.89));
        assert_true(accountant_delta(&m, epsilon).low > 0.89);
        assert_true(
            events_accept(&m, epsilon, accountant_delta(&m, epsilon).high));
    }
    assert_false(distance_accepts(&m, 0.98));
}

/* The checker accepts a mechanism's own epsilon and rejects a little less. */
static void
all_events_accept_what_is_private(void **state)
{
    static struct pair m;

    (void)state;
    respond(&m, 750); /* two coins: ln 3 */
    assert_true(events_accept(&m, log(3) + 1e-12, 0));
    assert_false(events_accept(&m, log(3) - 1e-9, 0));
    assert_true(events_accept(&m, 0, 0.5));
    assert_false(events_accept(&m, 0, 0.4999));
}

/*
 * The accountant and the checker agree: the checker accepts the accountant's
 * upper bound on epsilon and rejects a little less than its lower bound.
 */
static void
the_accountant_is_the_checker_over_all_events(void **state)
{
    static const char *const deltas[] = {"0.3", "0.1", "0.01"};
    static struct pair m;
    custos_plan *plan = NULL;
    custos_interval got = CUSTOS_INTERVAL_INIT;

    (void)state;
    respond(&m, 900);
    assert_int_equal(custos_plan_new(NULL, CUSTOS_CHANGE_ONE, &plan, NULL),
                     CUSTOS_OK);
    assert_int_equal(custos_plan_add(plan, /* ln 9 */
                                     "randomized-response:"
                                     "epsilon=2.1972245773362194",
                                     NULL),
                     CUSTOS_OK);
    for (size_t i = 0; i < 3; i++) {
        double delta = strtod(deltas[i], NULL);

        assert_int_equal(pld_epsilon_of(plan, deltas[i], "1e-6", &got, NULL),
                         CUSTOS_OK);
        assert_null(got.reason);
        assert_true(events_accept(&m, strtod(got.high, NULL), delta));
        assert_false(events_accept(&m, strtod(got.low, NULL) - 1e-6, delta));
        /* with only two outcomes, the condition on single ones says the same */
        assert_true(singletons_accept(&m, strtod(got.high, NULL), delta));
    }
    custos_plan_free(plan);
}

/*
 * The accountant is right where the wrong definitions are not: a release that
 * reveals somebody with probability delta costs no epsilon at that delta, and
 * no epsilon is enough below it.
 */
static void
the_accountant_rejects_name_and_shame(void **state)
{
    custos_plan *plan = NULL;
    custos_interval got = CUSTOS_INTERVAL_INIT;
    custos_bound basic = CUSTOS_BOUND_INIT;
    custos_risk *risk = NULL;
    custos_risk_facts facts = CUSTOS_RISK_FACTS_INIT;

    (void)state;
    assert_int_equal(custos_plan_new(NULL, CUSTOS_ADD_REMOVE, &plan, NULL),
                     CUSTOS_OK);
    assert_int_equal(
        custos_plan_add(plan, "generic:epsilon=1e-9:delta=0.001", NULL),
        CUSTOS_OK);
    assert_int_equal(pld_epsilon_of(plan, "0.0005", NULL, &got, NULL),
                     CUSTOS_OK);
    assert_non_null(got.reason);
    assert_int_equal(
        custos_plan_epsilon(plan, CUSTOS_BY_BASIC, "0.0005", &basic, NULL),
        CUSTOS_OK);
    assert_non_null(basic.reason);
    custos_plan_free(plan);
    assert_int_equal(custos_risk_new(NULL, "0", "0.001", &risk, NULL),
                     CUSTOS_OK);
    assert_int_equal(custos_risk_report(risk, NULL, "1000", &facts, NULL),
                     CUSTOS_OK);
    assert_int_equal(facts.delta_too_large, 1);
    custos_risk_free(risk);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distance_alone_accepts_what_is_not_private),
        cmocka_unit_test(singletons_accept_what_is_not_private),
        cmocka_unit_test(all_events_accept_what_is_private),
        cmocka_unit_test(the_accountant_is_the_checker_over_all_events),
        cmocka_unit_test(the_accountant_rejects_name_and_shame),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
