/*
 * Ranges: random expressions on random values within what the policy declares.
 * The result is in the derived range, and is NULL only where it may be.
 */
#include <math.h>

#include "base/ck.h"
#include "num/rat_double.h"
#include "evaluate/evaluate.h"
#include "plan/type/fact.h"
#include "plan/hospital.h"
#include "plan/work.h"

enum { TEXT_MAX = 4000, DEPTH = 4 };

static uint64_t seed;

static uint64_t
random_below(uint64_t n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (seed >> 33) % n;
}

/* ------------------------------------------------------------ expressions -- */

static void number(struct buf *b, int depth);

static void
condition(struct buf *b, int depth)
{
    static const char *const ops[] = {"<", "<=", "=", "<>", ">", ">="};

    buf_add_text(b, "(");
    number(b, depth - 1);
    if (random_below(4) == 0) {
        buf_add_text(b, " IS NULL)");
        return;
    }
    buf_printf(b, " %s ", ops[random_below(COUNT_OF(ops))]);
    number(b, depth - 1);
    buf_add_text(b, ")");
}

static void
leaf_number(struct buf *b)
{
    static const char *const leaves[] = {
        "cost",
        "balance",
        "level",
        "grams",
        "room",
        "day - '2020-03-01'",
        "3",
        "0.25",
        "-7",
        "100",
        "0",
        "1.5",
        "extract(month from day)",
        "extract(dow from day)",
        "extract(doy from day)",
        "extract(year from day)",
        "date_trunc('month', day) - '2019-12-31'",
        "width_bucket(cost, 10, 90, 7)",
    };

    buf_printf(b, "(%s)", leaves[random_below(COUNT_OF(leaves))]);
}

static void
pair(struct buf *b, const char *before, const char *between, int depth)
{
    buf_add_text(b, before);
    number(b, depth - 1);
    buf_add_text(b, between);
    number(b, depth - 1);
    buf_add_text(b, ")");
}

static void
number(struct buf *b, int depth)
{
    static const char *const one[] = {"abs(",  "-(",    "floor(",
                                      "ceil(", "sign(", "round(",
                                      "sqrt(", "ln(",   "exp("};
    static const char *const two[] = {"least(", "greatest(", "coalesce(",
                                      "nullif(", "power("};

    if (depth <= 0) {
        leaf_number(b);
        return;
    }
    switch (random_below(9)) {
    case 0: pair(b, "(", " + ", depth); break;
    case 1: pair(b, "(", " - ", depth); break;
    case 2: pair(b, "(", " * ", depth); break;
    case 3: pair(b, "(", " / ", depth); break;
    case 4:
        buf_add_text(b, one[random_below(COUNT_OF(one))]);
        number(b, depth - 1);
        buf_add_text(b, ")");
        break;
    case 5: pair(b, two[random_below(COUNT_OF(two))], ", ", depth); break;
    case 6:
        buf_add_text(b, "CASE WHEN ");
        condition(b, depth);
        buf_add_text(b, " THEN ");
        number(b, depth - 1);
        if (random_below(2)) {
            buf_add_text(b, " ELSE ");
            number(b, depth - 1);
        }
        buf_add_text(b, " END");
        break;
    case 7:
        buf_add_text(b, "CAST(");
        number(b, depth - 1);
        buf_add_text(b,
                     random_below(2) ? " AS integer)" : " AS decimal(20,1))");
        break;
    default: leaf_number(b);
    }
}

/* ----------------------------------------------------------------- rows -- */

struct row {
    const struct policy_table *table;
    struct datum values[16];
};

static void
row_draw(struct row *r)
{
    for (size_t i = 0; i < r->table->n_columns; i++) {
        const struct policy_column *c = &r->table->columns[i];
        struct datum *d = &r->values[i];

        *d = (struct datum){.type = TYPE_NULL};
        if (!c->has_range || (c->nullable && random_below(8) == 0))
            continue;
        d->type = c->type;
        d->scale =
            c->lower.scale > c->upper.scale ? c->lower.scale : c->upper.scale;
        if (c->type == TYPE_DECIMAL)
            d->scale = c->scale;
        if (c->type == TYPE_REAL)
            d->scale = 6;
        {
            i128 low = c->lower.n, high = c->upper.n;

            for (int s = c->lower.scale; s < d->scale; s++)
                low *= 10;
            for (int s = c->upper.scale; s < d->scale; s++)
                high *= 10;
            switch (random_below(4)) {
            case 0: d->n = low; break;
            case 1: d->n = high; break;
            default:
                d->n = low + (i128)random_below((uint64_t)(high - low + 1));
            }
        }
    }
}

static bool
row_leaf(void *ctx, const struct expr *e, struct value *out)
{
    const struct row *r = ctx;

    *out = (struct value){.datum = r->values[e->slot]};
    return true;
}

/*
 * Whether the value is in the range, with a little slack for rounding of
 * doubles.
 */
static bool
is_inside(const struct expr *e, const struct fact *f, const struct datum *d)
{
    double x = datum_double(d), low = rat_double(&f->lower),
           high = rat_double(&f->upper);
    double slack = e->type == TYPE_REAL || d->type == TYPE_REAL
                       ? 1e-9 * (1 + fabs(low) + fabs(high))
                       : 1e-12 * (fabs(low) + fabs(high));

    return x >= low - slack && x <= high + slack;
}

static void
try_rows(const struct planned *t, const struct expr *e, const char *sql,
         int rows)
{
    struct row r = {.table = t->plan->table};
    struct scope s = {.a = t->a, .leaf = row_leaf, .ctx = &r};
    const struct fact *f = fact_of(e);

    for (int i = 0; i < rows; i++) {
        struct value v;

        row_draw(&r);
        assert_true(evaluate(&s, e, &v));
        if (v.datum.type == TYPE_NULL) {
            /*
             * Our evaluator gives NULL for a number too large for a datum; the
             * engine does not.
             */
            if (!f->nullable && f->known == KNOWN_DECLARED &&
                fabs(rat_double(&f->lower)) < 1e12 &&
                fabs(rat_double(&f->upper)) < 1e12)
                fail_msg("NULL from %s", sql);
            continue;
        }
        if (f->known != KNOWN_NOTHING && !is_inside(e, f, &v.datum)) {
            struct buf b;

            buf_init(&b, NULL, TEXT_MAX);
            datum_write(&v.datum, &b);
            fail_msg("%s gives %s, outside %g .. %g", sql, buf_text(&b),
                     rat_double(&f->lower), rat_double(&f->upper));
        }
    }
}

static void
range_holds_every_value(void **state)
{
    int cases = test_size(40, 600), refused = 0, declared = 0;

    (void)state;
    seed = 20260131;
    for (int i = 0; i < cases; i++) {
        struct planned t;
        struct buf b;

        buf_init(&b, NULL, TEXT_MAX);
        buf_add_text(&b, "SELECT count(*) FROM visits WHERE (");
        number(&b, 1 + (int)random_below(DEPTH));
        buf_add_text(&b, ") IS NOT NULL");
        assert_false(b.failed);
        plan_for(&t, buf_text(&b), NULL);
        if (t.plan) {
            const struct expr *e = t.plan->where->args[0];

            declared += fact_of(e)->known == KNOWN_DECLARED;
            try_rows(&t, e, buf_text(&b), test_size(20, 60));
        } else {
            refused++;
        }
        plan_done(&t);
        buf_clear(&b);
    }
    /* The test would be meaningless if all were rejected or had no range. */
    print_message("# %d expressions, %d refused, %d with a range\n", cases,
                  refused, declared);
    assert_true(refused < cases / 4 && declared > cases / 2);
}

/* ------------------------------------------------------------- by hand -- */

/*
 * Whether the end is exactly this number; for a double it may be slightly
 * further out.
 */
static bool
is_end(const struct expr *e, const rat *end, const char *text, int outwards)
{
    bool near;
    custos_err err = CUSTOS_ERR_INIT;
    rat x, by;

    rat_init(&x);
    rat_init(&by);
    assert_int_equal(rat_read(text, "number", &x, &err), CUSTOS_OK);
    rat_sub(&x, end, &x);
    rat_set_pow2(&by, -40);
    near = rat_sign(&x) == 0;
    if (!near && expr_is_double(e) && rat_sign(&x) == outwards) {
        rat_abs(&x, &x);
        near = rat_cmp(&x, &by) < 0;
    }
    rat_clear(&x);
    rat_clear(&by);
    return near;
}

static void
range_by_hand(void **state)
{
    static const struct {
        const char *expr, *lower, *upper;
        bool nullable;
    } cases[] = {
        {"level + 1", "2", "6", false},
        {"level - room", "-599", "4", false},
        {"balance * level", "-500", "500", false},
        {"balance * balance", "0", "10000", false},
        {"abs(balance)", "0", "100", false},
        {"room / 10", "0", "60", false},
        {"room / (level - 3)", "-600", "600", true},
        {"(-7) / level", "-7", "-1", false},
        {"room % 10", "0", "9", false},
        {"(level - 3) % 2", "-1", "1", false},
        {"cost / 2", "0", "2500", true},
        {"cost / level", "0", "5000", true},
        {"round(balance / 3)", "-33", "33", false},
        {"round(level * 0.75)", "1", "4", false},
        {"round(balance / 3, 1)", "-33.3", "33.3", false},
        {"floor(grams)", "0", "1", true},
        {"ceil(grams - 0.5)", "0", "1", true},
        {"least(level, 3)", "1", "3", false},
        {"least(cost, 3)", "0", "3", false},
        {"least(cost, grams)", "0", "5000", true},
        {"greatest(cost, level)", "1", "5000", false},
        {"coalesce(cost, 10000)", "0", "10000", false},
        {"coalesce(level, 10000)", "1", "5", false},
        {"CASE WHEN level = 1 THEN 10 ELSE 20 END", "10", "20", false},
        {"CASE WHEN level = 1 THEN 10 END", "10", "10", true},
        {"nullif(level, 3)", "1", "5", true},
        {"extract(year from day)", "2020", "2020", true},
        {"extract(hour from at)", "0", "23", true},
        {"day - '2020-12-31'", "-365", "0", true},
        {"CAST(cost AS integer)", "0", "5000", true},
        {"CAST(grams AS decimal(9,1))", "0", "1", true},
        {"width_bucket(cost, 0, 10, 5)", "0", "6", true},
        {"sqrt(balance * balance)", "0", "100", false},
        {"sqrt(balance)", "0", "10", true},
        {"power(level, 2)", "1", "25", false},
        {"power(balance / 100, 2)", "0", "1", false},
        {"power(balance / 100, 3)", "-1", "1", false},
        {"power(level, -1)", "0.2", "1", false},
        {"exp(0 * level)", "1", "1", false},
        {"ln(level) / ln(5)", "0", "1", false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct planned t;
        char sql[TEXT_MAX];
        const struct fact *f;

        snprintf(sql, sizeof sql,
                 "SELECT count(*) FROM visits WHERE (%s) IS NOT NULL",
                 cases[i].expr);
        plan_good(&t, sql, NULL);
        f = fact_of(t.plan->where->args[0]);
        if (f->known != KNOWN_DECLARED ||
            !is_end(t.plan->where->args[0], &f->lower, cases[i].lower, -1) ||
            !is_end(t.plan->where->args[0], &f->upper, cases[i].upper, 1))
            fail_msg("%s: %g .. %g", cases[i].expr, rat_double(&f->lower),
                     rat_double(&f->upper));
        if (f->nullable != cases[i].nullable)
            fail_msg("%s: nullable %d", cases[i].expr, f->nullable);
        plan_done(&t);
    }
}

/*
 * Columns without a range: the ranges that least and greatest give them. NULL
 * means that this end is not known.
 */
static void
range_of_clamps(void **state)
{
    static const struct {
        const char *expr, *lower, *upper;
    } cases[] = {
        {"income", NULL, NULL},
        {"greatest(income, 0)", "0", NULL},
        {"least(income, 10)", NULL, "10"},
        {"least(greatest(income, 0), 10)", "0", "10"},
        {"greatest(least(income, 10), 0, age)", "0", "120"},
        {"least(greatest(income, 20), 10)", "10", "10"},
        {"least(greatest(income, nullif(age, 3)), 10)", NULL, "10"},
        {"least(greatest(income, 0), 10.5)", "0", "10.5"},
        {"least(abs(income), age)", "0", "120"},
        {"-greatest(income, 0)", NULL, NULL},
        {"7 - greatest(income, 0)", NULL, NULL},
        {"coalesce(least(income, 3), 5)", NULL, "3"},
        {"coalesce(nullif(least(income, 3), 2), 5)", NULL, "5"},
        {"CASE WHEN smoker THEN greatest(income, 2) ELSE age END", "0", NULL},
        {"greatest(CAST(diagnosis AS real), 0)", "0", NULL},
        {"least(CAST(greatest(CAST(diagnosis AS real), 0) AS decimal(9,1)), 9)",
         "0", "9"},
        {"greatest(seen, DATE '1970-01-02')", "1", NULL},
        {"least(greatest(seen, DATE '1970-01-02'), DATE '1970-01-09')", "1",
         "8"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *low = cases[i].lower, *high = cases[i].upper;
        struct planned t;
        char sql[TEXT_MAX];
        const struct fact *f;

        snprintf(sql, sizeof sql,
                 "SELECT count(*) FROM patients WHERE (%s) IS NOT NULL",
                 cases[i].expr);
        plan_good(&t, sql, NULL);
        f = fact_of(t.plan->where->args[0]);
        if (fact_has_floor(f) != !!low || fact_has_ceiling(f) != !!high ||
            (low && !rat_is(&f->lower, low)) ||
            (high && !rat_is(&f->upper, high)) ||
            (f->known == KNOWN_DECLARED) != (low && high))
            fail_msg("%s: %d %g .. %d %g", cases[i].expr, fact_has_floor(f),
                     rat_double(&f->lower), fact_has_ceiling(f),
                     rat_double(&f->upper));
        plan_done(&t);
    }
}

/* Whole numbers get 128 bits where 64 are not enough, and never more. */
static void
range_gives_room(void **state)
{
    struct planned t;

    (void)state;
    plan_good(&t, "SELECT count(*) FROM patients WHERE income + 1 > 0", NULL);
    assert_true(t.plan->where->args[0]->wide);
    plan_done(&t);
    plan_good(&t, "SELECT count(*) FROM patients WHERE age + 1 > 0", NULL);
    assert_false(t.plan->where->args[0]->wide);
    plan_done(&t);
    plan_good(&t, "SELECT count(*) FROM patients WHERE income * income > 0",
              NULL);
    assert_true(t.plan->where->args[0]->wide);
    plan_done(&t);
    plan_for(&t, "SELECT count(*) FROM patients WHERE income * income * 2 > 0",
             NULL);
    assert_int_equal(t.status, CUSTOS_EOVERFLOW);
    plan_done(&t);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(range_by_hand),
        cmocka_unit_test(range_of_clamps),
        cmocka_unit_test(range_gives_room),
        cmocka_unit_test(range_holds_every_value),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
