/*
 * Results that the caller allocates: an older caller, whose struct is smaller,
 * gets the members that it knows and nothing past them; a newer one, whose
 * struct is larger, keeps its own members.
 */
#include "base/base.h"
#include "support/pld_of.h"
#include "support/support.h"

enum { PAST = 64, FILL = 0x5a };

/* A result of any type, with room behind it for a newer caller's members. */
struct result {
    union {
        size_t size;
        custos_sensitivity sensitivity;
        custos_select_facts select;
        custos_filter_facts filter;
        custos_odometer_facts odometer;
        custos_bound bound;
        custos_group group;
        custos_interval interval;
        custos_calibrated calibrated;
        custos_risk_facts risk;
    } as;
    char past[PAST];
};

/* ------------------------------------------------------- the functions -- */

static custos_status
make_sensitivity(struct result *out)
{
    custos_query q = {.size = sizeof q, .family = CUSTOS_COUNT};

    return custos_sensitivity_of(&q, CUSTOS_ADD_REMOVE, &out->as.sensitivity,
                                 NULL);
}

static custos_status
make_sensitivity_max(struct result *out)
{
    static const char *const l1[] = {"1", "2"};

    return custos_sensitivity_max(l1, 2, &out->as.sensitivity, NULL);
}

static custos_status
make_select(struct result *out)
{
    custos_select_options o = {.size = sizeof o, .epsilon = "1"};

    return custos_select_report(&o, &out->as.select, NULL);
}

static custos_status
make_filter(struct result *out)
{
    custos_filter_options o = {.size = sizeof o,
                               .kind = CUSTOS_FILTER_PURE,
                               .epsilon = "1",
                               .delta = "0"};
    custos_filter *f = NULL;
    custos_status st;

    assert_int_equal(custos_filter_new(NULL, &o, &f, NULL), CUSTOS_OK);
    st = custos_filter_report(f, &out->as.filter, NULL);
    custos_filter_free(f);
    return st;
}

static custos_status
make_odometer(struct result *out)
{
    custos_odometer_options o = {.size = sizeof o, .delta = "1e-6"};
    custos_odometer *m = NULL;
    custos_status st;

    assert_int_equal(custos_odometer_new(NULL, &o, &m, NULL), CUSTOS_OK);
    st = custos_odometer_read(m, &out->as.odometer, NULL);
    custos_odometer_free(m);
    return st;
}

static custos_status
make_conversion(struct result *out)
{
    custos_convert_options o = {.size = sizeof o,
                                .from = CUSTOS_IN_PURE,
                                .amount = "1",
                                .to = CUSTOS_IN_ZCDP};

    return custos_convert(&o, &out->as.bound, NULL);
}

static custos_status
make_budget(struct result *out)
{
    return custos_convert_budget("1", "1e-6", CUSTOS_IN_ZCDP, NULL,
                                 &out->as.bound, NULL);
}

static custos_status
make_group(struct result *out)
{
    return custos_group_approx("1", "1e-6", 3, &out->as.group, NULL);
}

static custos_status
make_group_rho(struct result *out)
{
    return custos_group_rho("1", 3, &out->as.group, NULL);
}

static custos_plan *
plan_of_one(void)
{
    custos_plan *plan = NULL;

    assert_int_equal(custos_plan_new(NULL, CUSTOS_ADD_REMOVE, &plan, NULL),
                     CUSTOS_OK);
    assert_int_equal(custos_plan_add(plan, "laplace:epsilon=0.5", NULL),
                     CUSTOS_OK);
    return plan;
}

static custos_status
make_plan_bound(struct result *out)
{
    custos_plan *plan = plan_of_one();
    custos_status st =
        custos_plan_epsilon(plan, CUSTOS_BY_BASIC, "0", &out->as.bound, NULL);

    custos_plan_free(plan);
    return st;
}

static custos_status
make_pld_epsilon(struct result *out)
{
    custos_plan *plan = plan_of_one();
    custos_status st =
        pld_epsilon_of(plan, "1e-3", "0.01", &out->as.interval, NULL);

    custos_plan_free(plan);
    return st;
}

static custos_status
make_pld_delta(struct result *out)
{
    custos_plan *plan = plan_of_one();
    custos_status st =
        pld_delta_of(plan, "0.1", "0.01", &out->as.interval, NULL);

    custos_plan_free(plan);
    return st;
}

static custos_status
make_noise(struct result *out)
{
    custos_plan *plan = plan_of_one();
    custos_status st =
        custos_calibrate_noise(plan, "1", "0", &out->as.calibrated, NULL);

    custos_plan_free(plan);
    return st;
}

static custos_status
make_count(struct result *out)
{
    custos_plan *plan = plan_of_one();
    custos_status st =
        custos_calibrate_count(plan, "1", "0", &out->as.calibrated, NULL);

    custos_plan_free(plan);
    return st;
}

static custos_status
make_risk(struct result *out)
{
    custos_risk *risk = NULL;
    custos_status st;

    assert_int_equal(custos_risk_new(NULL, "1", NULL, &risk, NULL), CUSTOS_OK);
    st = custos_risk_report(risk, NULL, NULL, &out->as.risk, NULL);
    custos_risk_free(risk);
    return st;
}

static const struct {
    custos_status (*make)(struct result *out);
    size_t size;
} rows[] = {
    {make_sensitivity, sizeof(custos_sensitivity)},
    {make_sensitivity_max, sizeof(custos_sensitivity)},
    {make_select, sizeof(custos_select_facts)},
    {make_filter, sizeof(custos_filter_facts)},
    {make_odometer, sizeof(custos_odometer_facts)},
    {make_conversion, sizeof(custos_bound)},
    {make_budget, sizeof(custos_bound)},
    {make_group, sizeof(custos_group)},
    {make_group_rho, sizeof(custos_group)},
    {make_plan_bound, sizeof(custos_bound)},
    {make_pld_epsilon, sizeof(custos_interval)},
    {make_pld_delta, sizeof(custos_interval)},
    {make_noise, sizeof(custos_calibrated)},
    {make_count, sizeof(custos_calibrated)},
    {make_risk, sizeof(custos_risk_facts)},
};

/* ----------------------------------------------------------- the tests -- */

static void
fill(struct result *r, size_t size)
{
    memset(r, FILL, sizeof *r);
    r->as.size = size;
}

/* Whether the bytes from `from` on are as fill() left them. */
static bool
is_untouched(const struct result *r, size_t from)
{
    const char *at = (const char *)r;

    for (size_t i = from; i < sizeof *r; i++)
        if (at[i] != FILL)
            return false;
    return true;
}

static void
an_older_caller_gets_what_it_knows(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct result whole, part;

        fill(&whole, rows[i].size);
        assert_int_equal(rows[i].make(&whole), CUSTOS_OK);
        assert_int_equal(whole.as.size, rows[i].size);
        assert_true(is_untouched(&whole, rows[i].size));
        assert_false(is_untouched(&whole, sizeof(size_t)));
        for (size_t size = 2 * sizeof size; size < rows[i].size;
             size += sizeof size) {
            fill(&part, size);
            assert_int_equal(rows[i].make(&part), CUSTOS_OK);
            assert_int_equal(part.as.size, size);
            assert_memory_equal((char *)&part + sizeof size,
                                (char *)&whole + sizeof size,
                                size - sizeof size);
            assert_true(is_untouched(&part, size));
        }
    }
}

static void
a_newer_caller_keeps_its_own(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct result r;

        fill(&r, rows[i].size + sizeof(size_t));
        assert_int_equal(rows[i].make(&r), CUSTOS_OK);
        assert_int_equal(r.as.size, rows[i].size + sizeof(size_t));
        assert_true(is_untouched(&r, rows[i].size));
    }
}

static void
a_result_without_its_size_is_rejected(void **state)
{
    static const size_t wrong[] = {0, 1, sizeof(size_t),
                                   2 * sizeof(size_t) + 1};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        for (size_t k = 0; k < COUNT_OF(wrong); k++) {
            struct result r;

            fill(&r, wrong[k]);
            assert_int_equal(rows[i].make(&r), CUSTOS_EINVAL);
            assert_int_equal(r.as.size, wrong[k]);
            assert_true(is_untouched(&r, sizeof(size_t)));
        }
}

static void
the_message_says_what_to_do(void **state)
{
    custos_err err = CUSTOS_ERR_INIT;
    custos_group g = {.size = 0};

    (void)state;
    assert_int_equal(custos_group_rho("1", 3, &g, &err), CUSTOS_EINVAL);
    assert_string_equal(err.said, "the result must not be NULL and must have "
                                  "its size set");
    assert_string_equal(err.hint, "initialise it with the _INIT macro of its "
                                  "type");
}

/* Every _INIT macro sets the size of its own type, and nothing else. */
static void
init_macros_fit_their_types(void **state)
{
    custos_sensitivity a = CUSTOS_SENSITIVITY_INIT;
    custos_filter_facts b = CUSTOS_FILTER_FACTS_INIT;
    custos_odometer_facts c = CUSTOS_ODOMETER_FACTS_INIT;
    custos_bound d = CUSTOS_BOUND_INIT;
    custos_group e = CUSTOS_GROUP_INIT;
    custos_interval f = CUSTOS_INTERVAL_INIT;
    custos_calibrated g = CUSTOS_CALIBRATED_INIT;
    custos_risk_facts h = CUSTOS_RISK_FACTS_INIT;
    custos_select_facts i = CUSTOS_SELECT_FACTS_INIT;

    (void)state;
    assert_true(a.size == sizeof a && !a.l1[0] && !a.l2_squared[0]);
    assert_true(b.size == sizeof b && !b.epsilon[0] && !b.theorem);
    assert_true(c.size == sizeof c && !c.epsilon[0] && !c.theorem);
    assert_true(d.size == sizeof d && !d.value[0] && !d.reason);
    assert_true(e.size == sizeof e && !e.epsilon[0] && !e.source);
    assert_true(f.size == sizeof f && !f.low[0] && !f.reason);
    assert_true(g.size == sizeof g && g.count == 0 && !g.theorem);
    assert_true(h.size == sizeof h && !h.exposed[0] && !h.delta_too_large);
    assert_true(i.size == sizeof i && !i.epsilon[0] && !i.theorem);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_older_caller_gets_what_it_knows),
        cmocka_unit_test(a_newer_caller_keeps_its_own),
        cmocka_unit_test(a_result_without_its_size_is_rejected),
        cmocka_unit_test(the_message_says_what_to_do),
        cmocka_unit_test(init_macros_fit_their_types),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
