/*
 * Where bare arithmetic is printed and where our own functions are; how long
 * texts can be; how ranges of doubles are widened.
 */
#include "num/rat_double.h"
#include "plan/hospital.h"
#include "plan/type/range.h"
#include "plan/work.h"
#include "sql/duckdb.h"

#include <math.h>

/* The engine's text of an expression over visits. */
static void
printed(const char *expr, struct buf *out)
{
    struct planned t;
    char sql[1024];

    snprintf(sql, sizeof sql,
             "SELECT count(*) FROM visits WHERE (%s) IS NOT NULL", expr);
    plan_good(&t, sql, NULL);
    buf_init(out, NULL, 1 << 16);
    duckdb_print_expr(t.plan->where->args[0], "t", out);
    assert_false(out->failed);
    plan_done(&t);
}

/*
 * level is in 1 .. 5, room in 1 .. 600; patient_id has no range. Only a range
 * that follows from stored, clamped columns is enough.
 */
static void
arithmetic_is_bare_only_where_it_is_proven(void **state)
{
    static const struct {
        const char *expr;
        bool bare;
    } cases[] = {
        {"level + room * 2 - 7", true},
        {"-abs(level - room)", true},
        {"coalesce(level, 3) * room", true},
        {"CASE WHEN level > 1 THEN room ELSE level END + 1", true},
        {"extract(year FROM day) * 100 + extract(month FROM day)", true},
        {"CAST(cost AS integer) * 2", true},
        {"floor(grams * 10) * 3000000000000000", true},
        {"(day - DATE '2020-01-01') * 3", true},
        {"level / 2 + 1", true},
        {"level % 3 + 1", true},
        {"patient_id + 1", false},
        {"-patient_id", false},
        {"abs(patient_id)", false},
        {"CAST(note AS integer) + 1", false},
        {"least(CAST(note AS integer), 5) + 1", false},
        {"greatest(least(patient_id, 100), 0) + 1", false},
        {"greatest(least(patient_id, 100), 0) - 1", false},
        {"greatest(least(patient_id, 100), 0) * 3", false},
        {"-greatest(least(patient_id, 100), 0)", false},
        {"abs(greatest(least(patient_id, 100), 0))", false},
        {"greatest(least(CAST(note AS integer), 100), 0) + 1", false},
        {"room * 9000000000000000", false},
        {"floor(grams * 0) * 4611686018427387903 * 4", false},
        {"(floor(grams - 4e18) + 4000000000000000000) + (floor(grams - 4e18) "
         "+ 4000000000000000000)",
         false},
        {"level / level", false},
        {"level % level", false},
        {"room * room * room * room * room * room * room", false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        static const char *const own[] = {
            "whole_add(", "whole_sub(", "whole_mul(", "whole_neg(",
            "whole_abs(", "whole_div(", "whole_mod(",
        };
        bool bare = true;
        struct buf b;

        printed(cases[i].expr, &b);
        for (size_t k = 0; k < COUNT_OF(own); k++)
            bare = bare && !strstr(buf_text(&b), own[k]);
        if (bare != cases[i].bare)
            fail_msg("%s: %s", cases[i].expr, buf_text(&b));
        buf_clear(&b);
    }
}

/* Limits that the engine does not enforce by itself are printed. */
static void
limits_are_printed(void **state)
{
    static const char *const cases[][2] = {
        {"upper(note)", "text_short(upper(text_short("},
        {"trim(note)", "text_short(trim("},
        {"substring(note, 2)", "text_short(substring("},
        {"note || 'x'", "text_concat("},
        {"greatest(least(patient_id * 3, 100), 0)", "whole_narrow("},
        {"floor(grams * 10)", "whole_of("},
        {"CAST(grams AS integer)", "whole_of("},
        {"CAST(cost AS integer)", "whole_clamp("},
        {"day + room", "date_shift("},
        {"note LIKE 'a_b'", "text_like("},
        {"note LIKE 'a\\%b'", "text_like("},
        {"note NOT ILIKE 'a%'", "text_like(lower("},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct buf b;

        printed(cases[i][0], &b);
        if (!strstr(buf_text(&b), cases[i][1]))
            fail_msg("%s: %s", cases[i][0], buf_text(&b));
        buf_clear(&b);
    }
}

/* The matcher may give up on a long text, but never on a short one. */
static void
long_matches_may_be_null(void **state)
{
    static const struct {
        const char *expr;
        bool nullable;
    } cases[] = {
        {"coalesce(note, '') LIKE '%a_b%c_d%e_f'", true},
        {"ward LIKE '%a_b%c_d%e_f'", false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct planned t;
        char sql[1024];

        snprintf(sql, sizeof sql,
                 "SELECT count(*) FROM %s WHERE (%s) IS NOT NULL",
                 i ? "patients" : "visits", cases[i].expr);
        plan_good(&t, sql, NULL);
        assert_int_equal(fact_of(t.plan->where->args[0])->nullable,
                         cases[i].nullable);
        plan_done(&t);
    }
}

/*
 * Each of n subqueries uses the column of the one below twice, which makes 2^n
 * nodes: 5 subqueries can be planned, 30 are rejected.
 */
static void
expressions_do_not_double(void **state)
{
    (void)state;
    for (int steps = 5; steps <= 30; steps += 25) {
        struct planned t;
        struct buf b;

        buf_init(&b, NULL, 1 << 16);
        buf_add_text(&b, "SELECT count(*) FROM ");
        for (int i = 0; i < steps; i++)
            buf_add_text(&b, "(SELECT least(x, x) AS x FROM ");
        buf_add_text(&b, "(SELECT level AS x FROM visits) AS v");
        for (int i = 0; i < steps; i++)
            buf_printf(&b, ") AS v%d", i);
        buf_add_text(&b, " WHERE x > 3");
        plan_for(&t, buf_text(&b), NULL);
        assert_int_equal(t.status, steps > 5 ? CUSTOS_EUNSUPPORTED : CUSTOS_OK);
        plan_done(&t);
        buf_clear(&b);
    }
}

/*
 * A stored text has at most 64 KiB, a computed one 4 KiB, a number as text 64
 * bytes.
 */
static void
texts_are_bounded(void **state)
{
    static const struct {
        const char *expr;
        size_t most;
        bool nullable;
    } cases[] = {
        {"note", 65536, true},
        {"ward", 5, false},
        {"ward || ward", 10, false},
        {"lower(ward)", 10, false},
        {"upper(note)", 4096, true},
        {"coalesce(note, '') || 'x'", 4096, true},
        {"substring(coalesce(note, ''), 1, 10)", 40, false},
        {"coalesce(substring(note, 2), '')", 4096, false},
        {"CASE WHEN age > 3 THEN ward ELSE 'elsewhere' END", 9, false},
        {"CAST(age AS text)", 64, false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        bool visits = strstr(cases[i].expr, "note") != NULL;
        const struct expr *e;
        struct planned t;
        char sql[1024];

        snprintf(sql, sizeof sql,
                 "SELECT count(*) FROM %s WHERE (%s) IS NOT NULL",
                 visits ? "visits" : "patients", cases[i].expr);
        plan_good(&t, sql, NULL);
        e = t.plan->where->args[0];
        if (e->text_max != cases[i].most ||
            fact_of(e)->nullable != cases[i].nullable)
            fail_msg("%s: %zu bytes, nullable %d", cases[i].expr, e->text_max,
                     fact_of(e)->nullable);
        plan_done(&t);
    }
}

/*
 * A pattern that is too long for the matcher is rejected: it would give NULL
 * where the plan claims that there is none.
 */
static void
long_patterns_are_refused(void **state)
{
    static const struct {
        const char *like;
        int bytes;
        bool good;
    } cases[] = {
        {"LIKE", 1024, true},
        {"LIKE", 1025, false},
        {"NOT ILIKE", 512, true},
        {"ILIKE", 513, false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct planned t;
        char sql[2048];

        snprintf(sql, sizeof sql,
                 "SELECT count(*) FROM patients WHERE ward %s '%0*d'",
                 cases[i].like, cases[i].bytes, 0);
        plan_for(&t, sql, NULL);
        assert_int_equal(t.status,
                         cases[i].good ? CUSTOS_OK : CUSTOS_EUNSUPPORTED);
        plan_done(&t);
    }
}

static void
rat_set_double(rat *r, double x)
{
    enum { BITS = 53 };
    int exponent;
    double mantissa = frexp(x, &exponent);
    rat scale;

    rat_init(&scale);
    rat_set_i64(r, (int64_t)ldexp(mantissa, BITS), 1);
    rat_set_pow2(&scale, exponent - BITS);
    rat_mul(r, r, &scale);
    rat_clear(&scale);
}

/* The ends of stored reals are those of the policy, rounded outward. */
static void
reals_of_the_policy_are_doubles(void **state)
{
    struct datum values[] = {{.type = TYPE_REAL, .scale = 1, .n = 1},
                             {.type = TYPE_REAL, .scale = 1, .n = 3}};
    struct policy_column c[] = {
        {.type = TYPE_REAL,
         .has_range = true,
         .lower = values[0],
         .upper = values[1]},
        {.type = TYPE_REAL, .values = values, .n_values = COUNT_OF(values)},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(c); i++) {
        struct fact f = {.known = KNOWN_NOTHING};
        rat tenth, x;

        rat_init(&f.lower);
        rat_init(&f.upper);
        rat_init(&tenth);
        rat_init(&x);
        rat_set_i64(&tenth, 1, 10);
        range_column(&f, &c[i]);
        assert_int_equal(f.known, KNOWN_DECLARED);
        assert_true(rat_cmp(&f.lower, &tenth) < 0);
        rat_set_double(&x, 0.3); /* below 3/10 */
        assert_true(rat_cmp(&f.upper, &x) > 0);
        rat_clear(&f.lower);
        rat_clear(&f.upper);
        rat_clear(&tenth);
        rat_clear(&x);
    }
}

/*
 * The ends of a range of doubles are doubles, and no rounded result is outside.
 */
static void
ranges_of_doubles_are_outward(void **state)
{
    static const char *const numbers[] = {
        "0.1", "0.2",   "0.3", "1/3",  "-2/3", "1e-300", "7e-324", "1e15",
        "1",   "-1e-5", "2/7", "1e22", "1e23", "0",      "-0.1",   "3e-308",
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        struct fact f = {.known = KNOWN_DECLARED};
        custos_err err = CUSTOS_ERR_INIT;
        double low, high;
        rat exact, x;

        rat_init(&f.lower);
        rat_init(&f.upper);
        rat_init(&exact);
        rat_init(&x);
        assert_false(rat_read(numbers[i], "number", &exact, &err));
        rat_set(&f.lower, &exact);
        rat_set(&f.upper, &exact);
        range_outward(&f);
        assert_true(rat_cmp(&f.lower, &exact) <= 0);
        assert_true(rat_cmp(&f.upper, &exact) >= 0);
        low = rat_double(&f.lower);
        high = rat_double(&f.upper);
        rat_set_double(&x, low);
        assert_true(rat_cmp(&x, &f.lower) == 0);
        rat_set_double(&x, high);
        assert_true(rat_cmp(&x, &f.upper) == 0);
        assert_true(high == low || high == nextafter(low, INFINITY));
        rat_clear(&f.lower);
        rat_clear(&f.upper);
        rat_clear(&exact);
        rat_clear(&x);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic_is_bare_only_where_it_is_proven),
        cmocka_unit_test(limits_are_printed),
        cmocka_unit_test(long_matches_may_be_null),
        cmocka_unit_test(expressions_do_not_double),
        cmocka_unit_test(texts_are_bounded),
        cmocka_unit_test(long_patterns_are_refused),
        cmocka_unit_test(reals_of_the_policy_are_doubles),
        cmocka_unit_test(ranges_of_doubles_are_outward),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
