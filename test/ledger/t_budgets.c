/*
 * Budgets: exact to the last digit; analysts' own budgets beside the common
 * one; sliding windows; changing terms; and errors that say which budget does
 * not suffice, what is needed and what is left.
 */
#include "account/filter.h"
#include "ledger/helpers.h"
#include "support/said.h"

static struct ledger_analyst
analyst(const char *name)
{
    return (struct ledger_analyst){.name = str_of(name)};
}

static void
budgets_exhaust_exactly(void **state)
{
    struct ledger_terms t = terms_of("1", "0");
    struct place p;
    struct ledger *l;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    l = place_begin(&p);
    set_terms(l, &t);
    for (int i = 0; i < 10; i++)
        assert_int_equal(charge(l, "", "0.1"), CUSTOS_OK);
    assert_balance(l, "", "1", "0");
    assert_int_equal(charge_at(l, "", "1e-20", 1, NULL, &err), CUSTOS_ESPENT);
    assert_string_equal(whole_said(&err),
                        "the common budget (of all analysts) is spent: this "
                        "needs epsilon 0.00000000000000000001, and 0 is left");
    assert_verifies(l, NULL);
    ledger_close(l);
    l = open_at(&p);
    assert_balance(l, "", "1", "0");
    assert_int_equal(charge(l, "", "1e-20"), CUSTOS_ESPENT);
    place_end(l, &p);
}

static void
budgets_refused_leave_no_trace(void **state)
{
    struct ledger_terms t = terms_of("1", "0");
    struct ledger_balance b;
    struct place p;
    struct ledger *l;

    (void)state;
    l = place_begin(&p);
    set_terms(l, &t);
    assert_int_equal(charge(l, "", "0.9"), CUSTOS_OK);
    assert_int_equal(charge(l, "", "0.2"), CUSTOS_ESPENT);
    assert_int_equal(charge(l, "", "0.1"), CUSTOS_OK);
    assert_int_equal(ledger_balance(l, str_of(""), &b, NULL), CUSTOS_OK);
    assert_int_equal(b.charges, 2);
    assert_string_equal(b.facts.spent, "1");
    place_end(l, &p);
}

/*
 * Each analyst stays within their own budget, all together within the common
 * one.
 */
static void
budgets_own_below_common(void **state)
{
    struct ledger_analyst who[] = {analyst("ana"), analyst("bo"),
                                   analyst("cy")};
    struct ledger_terms t = terms_of("1", "0");
    struct ledger_balance b;
    struct place p;
    struct ledger *l;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    l = place_begin(&p);
    who[0].has_budget = who[1].has_budget = true;
    who[0].budget = (struct ledger_budget){str_of("0.5"), str_of("0")};
    who[1].budget = (struct ledger_budget){str_of("0.8"), str_of("0")};
    t.analysts = who;
    t.n_analysts = COUNT_OF(who);
    set_terms(l, &t);
    assert_int_equal(charge(l, "ana", "0.4"), CUSTOS_OK);
    assert_balance(l, "ana", "0.4", "0.1");
    assert_int_equal(charge_at(l, "ana", "0.2", 1, NULL, &err), CUSTOS_ESPENT);
    assert_string_equal(whole_said(&err),
                        "your own budget does not suffice: this "
                        "needs epsilon 0.2, and 0.1 is left");
    assert_int_equal(charge(l, "bo", "0.5"), CUSTOS_OK);
    assert_int_equal(charge_at(l, "bo", "0.2", 1, NULL, &err), CUSTOS_ESPENT);
    assert_string_equal(whole_said(&err),
                        "the common budget (of all analysts) does not "
                        "suffice: this needs epsilon 0.2, and 0.1 is left");
    assert_balance(l, "bo", "0.5", "0.1");
    assert_int_equal(ledger_balance(l, str_of("cy"), &b, NULL), CUSTOS_OK);
    assert_false(b.limited);
    assert_string_equal(b.left_epsilon, "0.1");
    assert_int_equal(charge(l, "cy", "0.1"), CUSTOS_OK);
    assert_int_equal(charge(l, "", "0.1"), CUSTOS_ESPENT);
    assert_int_equal(charge_at(l, "dee", "0.1", 1, NULL, &err), CUSTOS_ENAME);
    assert_verifies(l, NULL);
    place_end(l, &p);
}

/* A shared answer is charged to the asker's own budget, not the common one. */
static void
budgets_shared_answers_cost_who_asks(void **state)
{
    struct ledger_analyst who[] = {analyst("ana"), analyst("bo")};
    struct charge c = charge_of("0.4", "0");
    struct ledger_terms t = terms_of("1", "0");
    struct ledger_request r = {.who = str_of("bo"),
                               .query = str_of("SELECT 1"),
                               .charge = &c,
                               .data_version = 1,
                               .now = 1,
                               .shared = true};
    struct receipt receipt;
    struct place p;
    struct ledger *l;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    l = place_begin(&p);
    who[0].has_budget = who[1].has_budget = who[1].has_window = true;
    who[0].budget = (struct ledger_budget){str_of("1"), str_of("0")};
    who[1].budget = (struct ledger_budget){str_of("0.9"), str_of("0")};
    who[1].window = (struct ledger_budget){str_of("0.8"), str_of("0")};
    who[1].window_days = 1;
    t.analysts = who;
    t.n_analysts = COUNT_OF(who);
    set_terms(l, &t);
    memcpy(r.policy, t.policy, sizeof r.policy);
    assert_int_equal(charge(l, "ana", "1"), CUSTOS_OK);
    assert_balance(l, "", "1", "0");
    for (int i = 0; i < 2; i++)
        assert_ok(post_charge(l, &r, &receipt, &err), &err);
    assert_balance(l, "", "1", "0");
    assert_balance(l, "bo", "0.8", "0");
    assert_int_equal(post_charge(l, &r, &receipt, &err), CUSTOS_ESPENT);
    assert_non_null(strstr(whole_said(&err), "your own budget"));
    c = charge_of("0.1", "0");
    assert_int_equal(post_charge(l, &r, &receipt, &err), CUSTOS_ESPENT);
    assert_non_null(strstr(whole_said(&err), "your window"));
    r.shared = false;
    r.now = (int64_t)2 * 86400 * 1000000;
    assert_int_equal(post_charge(l, &r, &receipt, &err), CUSTOS_ESPENT);
    assert_non_null(strstr(whole_said(&err), "common"));
    r.shared = true;
    r.who = str_of("");
    assert_int_equal(post_charge(l, &r, &receipt, &err), CUSTOS_EINVAL);
    assert_verifies(l, NULL);
    place_end(l, &p);
}

static int64_t
days(int64_t n)
{
    return n * 86400 * 1000000;
}

static void
budgets_window_slides(void **state)
{
    struct ledger_analyst who[] = {analyst("ana")};
    struct ledger_terms t = terms_of("1", "0");
    struct ledger_balance b;
    struct place p;
    struct ledger *l;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    l = place_begin(&p);
    who[0].has_window = true;
    who[0].window = (struct ledger_budget){str_of("0.2"), str_of("0")};
    who[0].window_days = 2;
    t.analysts = who;
    t.n_analysts = 1;
    set_terms(l, &t);
    assert_int_equal(charge_at(l, "ana", "0.15", days(10), NULL, NULL), 0);
    assert_int_equal(charge_at(l, "ana", "0.1", days(11), NULL, &err),
                     CUSTOS_ESPENT);
    assert_string_equal(whole_said(&err),
                        "your window of 2 days does not suffice: this needs "
                        "epsilon 0.1, and 0.05 is left; each charge counts "
                        "for 2 days");
    assert_int_equal(charge_at(l, "ana", "0.05", days(11), NULL, NULL), 0);
    assert_int_equal(charge_at(l, "ana", "0.1", days(12) - 1, NULL, &err),
                     CUSTOS_ESPENT);
    assert_string_equal(whole_said(&err),
                        "your window of 2 days is spent: this needs epsilon "
                        "0.1, and 0 is left; each charge counts for 2 days");
    assert_int_equal(ledger_window(l, str_of("ana"), days(12), &b, NULL), 0);
    assert_string_equal(b.facts.spent, "0.05");
    assert_string_equal(b.left_epsilon, "0.15");
    assert_int_equal(charge_at(l, "ana", "0.15", days(12), NULL, NULL), 0);
    /* Setting the clock back does not refill the window. */
    assert_int_equal(charge_at(l, "ana", "0.05", days(1), NULL, &err),
                     CUSTOS_ESPENT);
    /* The common budget never refills. */
    assert_int_equal(charge(l, "", "0.65"), CUSTOS_OK);
    assert_int_equal(charge_at(l, "ana", "0.1", days(99), NULL, &err),
                     CUSTOS_ESPENT);
    assert_memory_equal(whole_said(&err), "the common", 10);
    place_end(l, &p);
}

/*
 * A window without a delta ignores the delta of a charge; an analyst's own
 * budget without a delta rejects such a charge.
 */
static void
budgets_window_without_delta(void **state)
{
    struct ledger_analyst who[] = {analyst("ana"), analyst("bo")};
    struct ledger_terms t = terms_of("1", "1e-6");
    struct charge c = charge_of("0.06", "1e-9");
    struct ledger_request r = {.charge = &c, .who = str_of("ana")};
    struct ledger_balance b;
    struct receipt got;
    struct place p;
    struct ledger *l;

    (void)state;
    l = place_begin(&p);
    who[0].has_window = who[1].has_budget = true;
    who[0].window = (struct ledger_budget){str_of("0.1"), str_of("0")};
    who[0].window_days = 1;
    who[1].budget = who[0].window;
    t.analysts = who;
    t.n_analysts = 2;
    set_terms(l, &t);
    memset(r.policy, 7, sizeof r.policy);
    assert_int_equal(post_charge(l, &r, &got, NULL), CUSTOS_OK);
    assert_int_equal(ledger_window(l, r.who, 0, &b, NULL), CUSTOS_OK);
    assert_string_equal(b.facts.spent, "0.06");
    assert_string_equal(b.left_epsilon, "0.04");
    assert_int_equal(post_charge(l, &r, &got, NULL), CUSTOS_ESPENT);
    r.who = str_of("bo");
    assert_int_equal(post_charge(l, &r, &got, NULL), CUSTOS_ESPENT);
    place_end(l, &p);
}

/*
 * Many small charges: the sum of epsilon exceeds the budget while the sum of
 * rho still fits. The balance is then given in rho.
 */
static void
budgets_best_of_both_outlasts_the_sum(void **state)
{
    struct ledger_terms t = terms_of("1", "1e-6");
    struct ledger_balance b;
    struct place p;
    struct ledger *l;
    int n = 0;

    (void)state;
    l = place_begin(&p);
    set_terms(l, &t);
    while (n < 1000 && charge(l, "", "0.01") == CUSTOS_OK)
        n++;
    assert_in_range(n, 150, 900);
    assert_int_equal(ledger_balance(l, str_of(""), &b, NULL), CUSTOS_OK);
    assert_string_equal(b.facts.currency, "rho");
    assert_string_equal(b.facts.theorem, "filter-best-of-both");
    assert_true(strtod(b.left_epsilon, NULL) < 0.01);
    /* A charge of exactly what is left is admitted. */
    if (strcmp(b.left_epsilon, "0") != 0)
        assert_int_equal(charge(l, "", b.left_epsilon), CUSTOS_OK);
    assert_int_equal(ledger_balance(l, str_of(""), &b, NULL), CUSTOS_OK);
    assert_true(strtod(b.left_epsilon, NULL) < 1e-8);
    assert_verifies(l, NULL);
    place_end(l, &p);
}

/* What the ledger sums up, as text. */
static void
assert_spent(struct ledger *l, const char *who, const char *epsilon,
             const char *rho)
{
    struct ledger_spent s;
    custos_err err = CUSTOS_ERR_INIT;

    assert_ok(ledger_spent(l, str_of(who), &s, &err), &err);
    assert_string_equal(s.epsilon, epsilon);
    assert_string_equal(s.rho, rho);
    assert_string_equal(s.delta, "0");
}

/*
 * Mixed lanes: after one price in rho, the sum of epsilon is infinite for good
 * and the sum of rho decides, exactly, for prices in either currency. The
 * promise stays, the chain verifies, and another handle reads the same.
 */
static void
budgets_count_prices_in_rho(void **state)
{
    struct ledger_terms t = terms_of("1", "1e-6");
    struct ledger_remaining left;
    struct ledger_balance b;
    struct place p;
    struct ledger *l;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    place_make(&p);
    l = open_at(&p);
    set_terms(l, &t);
    assert_int_equal(charge(l, "", "0.1"), CUSTOS_OK);
    assert_balance(l, "", "0.1", "0.9"); /* in epsilon */
    assert_ok(charge_rho(l, "", "0.005", &err), &err);
    assert_spent(l, "", "infinity", "0.00999583749578799722");
    assert_int_equal(ledger_balance(l, str_of(""), &b, NULL), CUSTOS_OK);
    assert_string_equal(b.facts.epsilon, "1"); /* the promise */
    assert_string_equal(b.facts.delta, "0.000001");
    assert_string_equal(b.facts.currency, "rho");
    assert_string_equal(b.facts.spent, "0.00999583749578799722");
    assert_ok(ledger_remaining(l, str_of(""), 1, NULL, &left, &err), &err);
    assert_true(left.in_rho);
    /* A price that the sum of epsilon would have allowed does not fit. */
    assert_int_equal(charge(l, "", "0.9"), CUSTOS_ESPENT);
    assert_int_equal(charge(l, "", b.left_epsilon), CUSTOS_OK);
    assert_verifies(l, NULL);
    ledger_close(l);
    l = open_at(&p);
    assert_int_equal(ledger_balance(l, str_of(""), &b, NULL), CUSTOS_OK);
    assert_string_equal(b.facts.currency, "rho");
    assert_int_equal(b.charges, 3);
    assert_int_equal(charge_rho(l, "", "0.02", &err), CUSTOS_ESPENT);
    assert_non_null(strstr(whole_said(&err), "this needs rho 0.02, and "));
    assert_verifies(l, NULL);
    ledger_close(l);
    place_remove(&p);
}

/* Prices in rho alone exhaust the limit of the rho lane exactly. */
static void
budgets_exhaust_rho_exactly(void **state)
{
    char limit[AMOUNT_TEXT_MAX], unit[] = "0.00000000000000000001";
    struct ledger_terms t = terms_of("1", "1e-6");
    struct place p;
    struct ledger *l;
    custos_err err = CUSTOS_ERR_INIT;
    struct filter f;

    (void)state;
    assert_int_equal(filter_of_promise("1", "1e-6", &f, NULL), CUSTOS_OK);
    amount_write(f.limit[1], AMOUNT_LOSS, limit);
    place_make(&p);
    l = open_at(&p);
    set_terms(l, &t);
    assert_ok(charge_rho(l, "", limit, &err), &err);
    assert_balance(l, "", limit, "0");
    assert_int_equal(charge_rho(l, "", unit, &err), CUSTOS_ESPENT);
    assert_string_equal(whole_said(&err),
                        "the common budget (of all analysts) is spent: this "
                        "needs rho 0.00000000000000000001, and 0 is left");
    assert_int_equal(charge(l, "", "0.000001"), CUSTOS_ESPENT);
    ledger_close(l);
    place_remove(&p);
}

/* A budget or window without a delta has no lane for a price in rho. */
static void
budgets_without_delta_take_no_rho(void **state)
{
    struct ledger_analyst who[] = {analyst("ana"), analyst("bo"),
                                   analyst("cy")};
    struct ledger_terms t = terms_of("1", "1e-6"), pure = terms_of("1", "0");
    struct ledger_remaining left;
    struct ledger_balance b;
    struct place p;
    struct ledger *l;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    who[0].has_budget = true;
    who[0].budget = (struct ledger_budget){str_of("0.5"), str_of("0")};
    who[1].has_window = who[2].has_window = true;
    who[1].window = (struct ledger_budget){str_of("0.5"), str_of("0")};
    who[2].window = (struct ledger_budget){str_of("0.5"), str_of("1e-7")};
    who[1].window_days = who[2].window_days = 1;
    t.analysts = who;
    t.n_analysts = COUNT_OF(who);
    place_make(&p);
    l = open_at(&p);
    set_terms(l, &t);
    assert_int_equal(charge_rho(l, "ana", "0.001", &err), CUSTOS_ESPENT);
    assert_string_equal(whole_said(&err),
                        "your own budget has no delta and counts only "
                        "epsilon, and no epsilon bounds a price in rho; ask "
                        "for a price in epsilon");
    assert_int_equal(charge_rho(l, "bo", "0.001", &err), CUSTOS_ESPENT);
    assert_non_null(strstr(err.said, "your window of 1 day has no delta"));
    assert_ok(charge_rho(l, "cy", "0.001", &err), &err);
    assert_spent(l, "", "infinity", "0.001");
    assert_spent(l, "ana", "0", "0");
    assert_ok(ledger_window(l, str_of("cy"), 2000, &b, &err), &err);
    assert_string_equal(b.facts.currency, "rho");
    assert_string_equal(b.facts.spent, "0.001");
    /* Others go on with prices in epsilon, their own sums being finite. */
    assert_int_equal(charge(l, "ana", "0.01"), CUSTOS_OK);
    assert_ok(ledger_balance(l, str_of("ana"), &b, &err), &err);
    assert_string_equal(b.facts.spent, "0.01"); /* in epsilon */
    assert_ok(ledger_remaining(l, str_of("ana"), 2000, NULL, &left, &err),
              &err);
    assert_true(left.in_rho); /* of the common budget */
    /* Without a delta the common budget admits nothing any more. */
    set_terms(l, &pure);
    assert_balance(l, "", "infinity", "0");
    assert_int_equal(charge(l, "", "0.01"), CUSTOS_ESPENT);
    set_terms(l, &t);
    assert_int_equal(charge(l, "", "0.01"), CUSTOS_OK);
    assert_verifies(l, NULL);
    ledger_close(l);
    place_remove(&p);
}

static void
budgets_delta_is_counted(void **state)
{
    struct ledger_terms t = terms_of("1", "4e-6");
    struct charge c = charge_of("0.01", "6e-7");
    struct ledger_request r = {.charge = &c};
    struct receipt got;
    struct place p;
    struct ledger *l;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    l = place_begin(&p);
    set_terms(l, &t);
    memset(r.policy, 7, sizeof r.policy);
    assert_int_equal(post_charge(l, &r, &got, &err), CUSTOS_OK);
    assert_int_equal(post_charge(l, &r, &got, &err), CUSTOS_ESPENT);
    assert_string_equal(whole_said(&err),
                        "the common budget (of all analysts) does not "
                        "suffice: this needs delta 0.0000006, and 0.0000004 "
                        "is left for queries counted in epsilon");
    place_end(l, &p);
}

/*
 * Gaussian queries end the deltas of the epsilon lane (25 of them) and go on in
 * rho; discovered groups pay their delta in both lanes. The same for an
 * analyst's own budget and window, and for a shared answer.
 */
static void
budgets_have_two_delta_sums(void **state)
{
    struct ledger_analyst ana = {
        .name = str_of("ana"),
        .has_budget = true,
        .has_window = true,
        .budget = {str_of("0.5"), str_of("1e-7")},
        .window = {str_of("0.4"), str_of("0")},
        .window_days = 7,
    };
    struct ledger_terms t = terms_of("1", "1e-7");
    struct charge gauss = charge_of_lanes("0.00001", "1e-9", "1e-8", "0"),
                  keys = charge_of_lanes("0.00001", "1e-8", "1e-8", "1e-8");
    struct ledger_request r = {
        .who = str_of("ana"), .charge = &gauss, .now = 2000};
    struct ledger_remaining left;
    struct ledger_balance b;
    struct receipt got;
    custos_err err = CUSTOS_ERR_INIT;
    struct place p;
    struct ledger *l;

    (void)state;
    l = place_begin(&p);
    t.analysts = &ana;
    t.n_analysts = 1;
    set_terms(l, &t);
    memset(r.policy, 7, sizeof r.policy);
    for (int i = 0; i < 40; i++) { /* 25 fill the deltas of epsilon */
        r.shared = i % 3 == 2;
        assert_ok(post_charge(l, &r, &got, &err), &err);
    }
    r.shared = false;
    assert_int_equal(ledger_balance(l, str_of(""), &b, NULL), CUSTOS_OK);
    assert_string_equal(b.facts.currency, "rho");
    assert_string_equal(b.facts.member_delta_spent, "0");
    assert_string_equal(b.facts.member_delta_limit, "0.000000025");
    assert_int_equal(ledger_balance(l, str_of("ana"), &b, NULL), CUSTOS_OK);
    assert_string_equal(b.facts.currency, "rho");
    assert_int_equal(ledger_window(l, str_of("ana"), 2000, &b, NULL),
                     CUSTOS_OK);
    assert_string_equal(b.facts.currency, "epsilon");
    assert_string_equal(b.facts.spent, "0.0004");
    r.charge = &keys;
    for (int i = 0; i < 2; i++)
        assert_ok(post_charge(l, &r, &got, &err), &err);
    assert_int_equal(
        ledger_remaining(l, str_of("ana"), 2000, &keys, &left, NULL),
        CUSTOS_ESPENT);
    assert_int_equal(post_charge(l, &r, &got, &err), CUSTOS_ESPENT);
    assert_string_equal(whole_said(&err),
                        "your own budget does not suffice: this needs delta "
                        "0.00000001, and 0.000000005 is left for queries "
                        "counted in rho");
    r.charge = &gauss;
    assert_int_equal(
        ledger_remaining(l, str_of("ana"), 2000, &gauss, &left, NULL),
        CUSTOS_OK);
    assert_true(left.in_rho);
    assert_ok(post_charge(l, &r, &got, &err), &err);
    assert_verifies(l, &got);
    place_end(l, &p);
}

static void
budgets_terms_change(void **state)
{
    struct ledger_terms t = terms_of("1", "0"), other;
    struct receipt a, b;
    struct place p;
    struct ledger *l;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    l = place_begin(&p);
    assert_int_equal(charge_at(l, "", "0.1", 1, NULL, &err), CUSTOS_EPOLICY);
    set_terms(l, &t);
    assert_int_equal(charge(l, "", "0.6"), CUSTOS_OK);
    /* Setting the same terms again adds no row. */
    assert_int_equal(ledger_terms_set(l, &t, str_of("o"), 5, &a, NULL), 0);
    assert_int_equal(ledger_terms_set(l, &t, str_of("o"), 6, &b, NULL), 0);
    assert_int_equal(a.seq, b.seq);
    t.budget.epsilon = str_of("0.5");
    set_terms(l, &t);
    assert_balance(l, "", "0.6", "0");
    assert_int_equal(charge(l, "", "0.1"), CUSTOS_ESPENT);
    t.budget.epsilon = str_of("0.7");
    set_terms(l, &t);
    assert_balance(l, "", "0.6", "0.1");
    /* Now with a delta; the sum of rho was counted from the start. */
    t.budget = (struct ledger_budget){str_of("2"), str_of("1e-6")};
    set_terms(l, &t);
    assert_int_equal(charge(l, "", "1.4"), CUSTOS_OK);
    assert_int_equal(charge(l, "", "0.1"), CUSTOS_ESPENT);
    other = t;
    other.adjacency = CUSTOS_CHANGE_ONE;
    assert_int_equal(ledger_terms_set(l, &other, str_of(""), 1, &a, &err),
                     CUSTOS_EPOLICY);
    other = t;
    other.unit = str_of("row");
    assert_int_equal(ledger_terms_set(l, &other, str_of(""), 1, &a, &err),
                     CUSTOS_EPOLICY);
    assert_verifies(l, NULL);
    place_end(l, &p);
}

/* Nothing is charged under a policy that is no longer in force. */
static void
budgets_policy_must_be_in_force(void **state)
{
    struct ledger_terms t = terms_of("1", "0");
    struct place p;
    struct ledger *l, *m;
    custos_err err = CUSTOS_ERR_INIT;

    (void)state;
    l = place_begin(&p);
    m = open_at(&p);
    set_terms(l, &t);
    assert_int_equal(charge(m, "", "0.1"), CUSTOS_OK);
    t.policy[0] ^= 1;
    set_terms(l, &t);
    assert_int_equal(charge_at(m, "", "0.1", 1, NULL, &err), CUSTOS_EPOLICY);
    ledger_close(m);
    place_end(l, &p);
}

static void
budgets_bad_terms_are_refused(void **state)
{
    struct ledger_analyst who[] = {analyst("ana"), analyst("ana")};
    static const char *const bad[][2] = {
        {"0", "0"}, {"-1", "0"}, {"nan", "0"}, {"1", "1"}, {"1", "x"}};
    struct receipt r;
    struct place p;
    struct ledger *l;

    (void)state;
    l = place_begin(&p);
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        struct ledger_terms t = terms_of(bad[i][0], bad[i][1]);

        assert_int_equal(ledger_terms_set(l, &t, str_of(""), 1, &r, NULL),
                         CUSTOS_EPOLICY);
    }
    for (int i = 0; i < 3; i++) {
        struct ledger_terms t = terms_of("1", "0");

        t.analysts = who;
        t.n_analysts = 2;
        who[1].name = str_of(i == 0 ? "ana" : i == 1 ? "" : "bo");
        who[1].has_window = true;
        who[1].window = t.budget;
        assert_int_equal(ledger_terms_set(l, &t, str_of(""), 1, &r, NULL),
                         CUSTOS_EPOLICY);
    }
    place_end(l, &p);
}

/* Names may contain anything; terms read back unchanged. */
static void
budgets_terms_come_back(void **state)
{
    struct ledger_analyst who[3] = {analyst("a b\nown 1 0"), analyst("%41%"),
                                    analyst("\xc3\xa9")};
    struct ledger_terms t = terms_of("1/3", "1e-6"), got;
    arena *a = arena_new(NULL, 1 << 20);
    struct place p;
    struct ledger *l;

    (void)state;
    l = place_begin(&p);
    for (int i = 0; i < 3; i++) {
        who[i].has_budget = i != 1;
        who[i].budget = (struct ledger_budget){str_of("0.1"), str_of("0")};
        who[i].has_window = i != 0;
        who[i].window = (struct ledger_budget){str_of("0.1"), str_of("1e-9")};
        who[i].window_days = 30;
    }
    t.analysts = who;
    t.n_analysts = 3;
    t.unit = str_of("the row\nitself");
    set_terms(l, &t);
    assert_int_equal(ledger_terms_get(l, a, &got, NULL), CUSTOS_OK);
    assert_true(str_equal(got.unit, t.unit));
    assert_true(str_equal(got.budget.epsilon, t.budget.epsilon));
    assert_int_equal(got.n_analysts, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_true(str_equal(got.analysts[i].name, who[i].name));
        assert_int_equal(got.analysts[i].has_budget, who[i].has_budget);
        assert_int_equal(got.analysts[i].has_window, who[i].has_window);
    }
    assert_true(str_equal(got.analysts[2].window.delta, str_of("1e-9")));
    assert_int_equal(got.analysts[2].window_days, 30);
    assert_int_equal(charge(l, "a b\nown 1 0", "0.1"), CUSTOS_OK);
    assert_verifies(l, NULL);
    arena_free(a);
    place_end(l, &p);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(budgets_exhaust_exactly),
        cmocka_unit_test(budgets_refused_leave_no_trace),
        cmocka_unit_test(budgets_own_below_common),
        cmocka_unit_test(budgets_shared_answers_cost_who_asks),
        cmocka_unit_test(budgets_window_slides),
        cmocka_unit_test(budgets_window_without_delta),
        cmocka_unit_test(budgets_best_of_both_outlasts_the_sum),
        cmocka_unit_test(budgets_count_prices_in_rho),
        cmocka_unit_test(budgets_exhaust_rho_exactly),
        cmocka_unit_test(budgets_without_delta_take_no_rho),
        cmocka_unit_test(budgets_delta_is_counted),
        cmocka_unit_test(budgets_have_two_delta_sums),
        cmocka_unit_test(budgets_terms_change),
        cmocka_unit_test(budgets_policy_must_be_in_force),
        cmocka_unit_test(budgets_bad_terms_are_refused),
        cmocka_unit_test(budgets_terms_come_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
