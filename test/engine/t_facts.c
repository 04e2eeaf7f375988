/*
 * The fact checker: 20,000 generated expressions, or 10^6 with CUSTOS_LONG,
 * planned as complete queries. The engine evaluates every node of every plan on
 * rows at the edges of their types, and the test compares type, NULLs, least
 * and greatest value with what the planner claims. An engine error counts as a
 * difference whatever the planner claims. The test succeeds with 0 differences.
 *
 * CUSTOS_SEED gives another stream of expressions, CUSTOS_FACTS their number.
 */
#include "fact_causes.h"
#include "fact_data.h"
#include "fact_shrink.h"

enum { CASES_AT_ONCE = 24, SIGNS_MAX = 256, SHOWN_MAX_SIGNS = 40 };

struct sign_count {
    struct fact_sign sign;
    unsigned long n;
};

struct tally {
    unsigned long planned, refused, nodes, differences;
    struct sign_count signs[SIGNS_MAX];
    size_t n_signs;
};

static struct made made;
static struct mechs *mechs;
static struct fact_probes probes, again;

static int
begin(void **state)
{
    (void)state;
    made_folder(&made);
    fact_write(&made);
    made_ready(&made, fact_policy);
    assert_int_equal(made.tables[0].kept, FACT_ROWS);
    mechs = mechs_new();
    assert_non_null(mechs);
    return 0;
}

static int
end(void **state)
{
    (void)state;
    mechs_free(mechs);
    made_close(&made);
    return 0;
}

/* --------------------------------------------------------------- queries -- */

/*
 * A query with an expression alone, or inside a larger one. (Counting an
 * expression that cannot be NULL counts rows, and the expression would not be
 * evaluated.)
 */
static void
make_query(struct maker *m)
{
    static const char *const forms[] = {
        "SELECT count(*) FROM edges WHERE ($i) IS NULL",
        "SELECT count(*) FROM edges WHERE ($i) IS NULL",
        "SELECT count(*) FROM edges WHERE ($i) IS NULL",
        "SELECT count(*) FROM edges WHERE ($r) IS NULL",
        "SELECT count(*) FROM edges WHERE ($r) IS NULL",
        "SELECT count(*) FROM edges WHERE ($m) IS NULL",
        "SELECT count(*) FROM edges WHERE ($t) IS NULL",
        "SELECT count(*) FROM edges WHERE ($D) IS NULL",
        "SELECT count(*) FROM edges WHERE ($T) IS NULL",
        "SELECT count(*) FROM edges WHERE $b",
        "SELECT count(*) FROM edges WHERE $n > $x",
        "SELECT count($i), count($r), count($D) FROM edges",
        "SELECT sum(least(greatest($n, -1000), 1000)) FROM edges",
        "SELECT sum(extract(year FROM $T)) FROM edges",
        "SELECT avg(CASE WHEN $b THEN $w ELSE 0 END) FROM edges",
        "SELECT var_pop(coalesce($w, 5)) FROM edges",
    };
    /* Rarer, because each has its own FROM and so needs its own statement. */
    static const char *const computed[] = {
        "SELECT count(x * $k) FROM (SELECT $i AS x, age, b FROM edges) AS v",
        "SELECT count(coalesce(x, 0) * $k) FROM (SELECT $i AS x FROM edges) AS "
        "v",
        "SELECT count(ceil(x)) FROM (SELECT $r AS x FROM edges) AS v",
        "SELECT count(extract(year FROM x)) FROM (SELECT $D AS x FROM edges) "
        "AS v",
        "SELECT count(length(x)) FROM (SELECT $t AS x FROM edges) AS v",
        "SELECT count(x * $k) FROM (SELECT CAST(y AS bigint) AS x FROM (SELECT "
        "CASE WHEN $b THEN $q ELSE $q END AS y FROM edges) AS u) AS v",
        "SELECT count(extract(year FROM x)) FROM (SELECT CAST(y AS date) AS x "
        "FROM (SELECT CASE WHEN $b THEN $q ELSE $q END AS y FROM edges) AS u) "
        "AS v",
        "SELECT count(length(CAST(x AS text))) FROM (SELECT CASE WHEN $b THEN "
        "$x ELSE $x END AS x FROM edges) AS v",
        "SELECT count(x + 0.5) FROM (SELECT $m AS x FROM edges) AS v",
        "SELECT count(x * $k) FROM (SELECT who, sum($i) AS x FROM people GROUP "
        "BY who) AS v",
        "SELECT count(floor(x)) FROM (SELECT who, avg($n) AS x FROM people "
        "GROUP BY who) AS v",
        "SELECT count(x) FROM (SELECT who, max($n) AS x FROM people GROUP BY "
        "who) AS v",
        "SELECT count(*) FROM edges JOIN codes ON edges.code = codes.code AND "
        "$b",
        "SELECT $i % 7, count(*) FROM edges GROUP BY 1",
        "SELECT extract(year FROM $D), count(*) FROM edges GROUP BY 1",
        "SELECT $b, count(*) FROM edges GROUP BY 1",
    };
    int depth = 1 + (int)below(m, 4);

    buf_clear(&m->b);
    buf_init(&m->b, NULL, QUERY_MAX);
    if (chance(m, 94))
        edge_form(m, &fact_table, forms[below(m, COUNT_OF(forms))], depth + 1);
    else
        edge_form(m, &fact_table, computed[below(m, COUNT_OF(computed))],
                  depth + 1);
}

/* --------------------------------------------------------------- reports -- */

/* Whether this is the first fault of its kind. */
static bool
count_sign(struct tally *t, struct fact_sign sign)
{
    for (size_t i = 0; i < t->n_signs; i++)
        if (fact_sign_equal(t->signs[i].sign, sign)) {
            t->signs[i].n++;
            return false;
        }
    if (t->n_signs == SIGNS_MAX)
        return false;
    t->signs[t->n_signs++] = (struct sign_count){sign, 1};
    return true;
}

/* Prints the smallest query that shows the fault, and the fault. */
static void
show(const struct fact_probe *probe, const char *sql)
{
    struct fact_sign sign = fact_sign_of(probe);
    const struct fact_probe *found;
    struct fact_case c;
    char *text = strdup(sql);
    struct buf b;

    assert_non_null(text);
    fact_shrink(&made, mechs, sign, &again, &text);
    found = fact_try(&made, mechs, text, &c, &again) ? fact_find(&again, sign)
                                                     : NULL;
    buf_init(&b, NULL, FACT_TEXT_MAX);
    if (found && found->e) {
        sql_print_expr(found->e, &b);
        buf_add_text(&b, ": ");
        fact_describe(found->e, &found->seen, &b);
    }
    print_message("# %s: %s\n#   %.300s\n#   engine: %.300s\n#   %.160s\n",
                  fact_fault_names[sign.fault], found ? text : sql,
                  buf_text(&b), found ? found->text : probe->text,
                  found ? found->said : probe->said);
    buf_clear(&b);
    fact_case_clear(&c);
    free(text);
}

/* Prints how often each kind of fault occurred, to know where to look first. */
static void
show_signs(const struct tally *t)
{
    for (size_t i = 0; i < t->n_signs; i++) {
        struct fact_sign s = t->signs[i].sign;

        print_message("# %6lu %s: kind %d, call %d, %s\n", t->signs[i].n,
                      fact_fault_names[s.fault], s.kind, (int)s.call,
                      data_type_name(s.type));
    }
}

/* ----------------------------------------------------------------- batch -- */

struct batch {
    struct fact_case cases[CASES_AT_ONCE];
    char *sql[CASES_AT_ONCE];
    size_t n;
};

static void
batch_end(struct batch *b, struct tally *t)
{
    fact_run_all(&made, &probes);
    fact_blame(&probes);
    t->nodes += probes.n;
    for (size_t i = 0; i < probes.n; i++) {
        const struct fact_probe *p = &probes.list[i];

        if (!p->fault || p->explained)
            continue;
        t->differences++;
        if (count_sign(t, fact_sign_of(p)) && t->n_signs <= SHOWN_MAX_SIGNS)
            show(p, b->sql[p->owner]);
    }
    for (size_t i = 0; i < b->n; i++) {
        fact_case_clear(&b->cases[i]);
        free(b->sql[i]);
    }
    b->n = probes.n = 0;
}

/*
 * Multiplies a whole number by about the largest factor that fits: if its
 * claimed range is slightly too narrow, the product overflows. Writes the
 * query, or nothing.
 */
static void
tighten(const struct fact_case *c, const char *sql, struct maker *m,
        struct buf *out)
{
    static const char before[] = "SELECT count(*) FROM edges WHERE (";
    static const char after[] = ") IS NULL";
    static const long bits[] = {62, 63, 63, 126};
    size_t len = strlen(sql), head = sizeof before - 1, tail = sizeof after - 1;
    const struct expr *where = c->plan->where, *e;
    char digits[41];
    rat most, end;
    i128 k;

    if (len < head + tail || strncmp(sql, before, head) != 0 ||
        strcmp(sql + len - tail, after) != 0 || !where || where->n_args != 1)
        return;
    e = where->args[0];
    if (e->type != TYPE_INT || fact_of(e)->known != KNOWN_DECLARED)
        return;
    rat_init(&most);
    rat_init(&end);
    rat_abs(&most, &fact_of(e)->lower);
    rat_abs(&end, &fact_of(e)->upper);
    if (rat_cmp(&end, &most) > 0)
        rat_set(&most, &end);
    rat_set_pow2(&end, bits[below(m, COUNT_OF(bits))]);
    if (rat_sign(&most) > 0) {
        rat_div(&end, &end, &most);
        if (rat_floor_i128(&end, &k) && k > 2) {
            custos_int_write(chance(m, 70) ? k - 1 : 1 - k, digits);
            buf_printf(out, "%s(%.*s) * %s%s", before, (int)(len - head - tail),
                       sql + head, digits, after);
        }
    }
    rat_clear(&most);
    rat_clear(&end);
}

static void
batch_add(struct batch *b, const char *sql, struct maker *m, struct tally *t)
{
    struct fact_case *c = &b->cases[b->n];
    struct buf more;

    if (fact_plan(&made, mechs, sql, c)) {
        fact_case_clear(c);
        t->refused++;
        return;
    }
    t->planned++;
    b->sql[b->n] = strdup(sql);
    buf_init(&more, NULL, QUERY_MAX);
    if (m && chance(m, 40))
        tighten(c, sql, m, &more);
    fact_walk(&made, &probes, c, b->n++);
    if (b->n == CASES_AT_ONCE || probes.n > FACT_PROBES_MAX / 2)
        batch_end(b, t);
    if (more.len > 0)
        batch_add(b, buf_text(&more), NULL, t);
    buf_clear(&more);
}

/* The stored columns themselves conform to the policy. */
static void
stored_columns_hold(void **state)
{
    static const char sql[] =
        "SELECT count(*) FROM edges WHERE who IS NULL OR i IS NULL OR "
        "most IS NULL OR half IS NULL OR exact IS NULL OR age IS NULL "
        "OR level IS NULL OR code IS NULL OR cost IS NULL OR money IS "
        "NULL OR fine IS NULL OR vast IS NULL OR r IS NULL OR tenth IS "
        "NULL OR weight IS NULL OR wide IS NULL OR steps IS NULL OR s "
        "IS NULL OR note IS NULL OR city IS NULL OR b IS NULL OR yes IS "
        "NULL OR day IS NULL OR born IS NULL OR ever IS NULL OR at IS "
        "NULL OR seen IS NULL";
    struct batch b = {.n = 0};
    struct tally t = {0};

    (void)state;
    probes.n = 0;
    batch_add(&b, sql, NULL, &t);
    batch_end(&b, &t);
    assert_int_equal(t.planned, 1);
    assert_int_equal(t.differences, 0);
}

/* Runs each query alone, so that the output names the wrong one. */
static void
known_causes_hold(void **state)
{
    unsigned wrong = 0, refused = 0;

    (void)state;
    for (size_t i = 0; i < COUNT_OF(fact_causes); i++) {
        struct batch b = {.n = 0};
        struct tally t = {0};

        memset(probes.stored, 0, sizeof probes.stored);
        memset(probes.literals, 0, sizeof probes.literals);
        probes.n = 0;
        batch_add(&b, fact_causes[i], NULL, &t);
        batch_end(&b, &t);
        if (t.differences > 0)
            print_message("# wrong: %s\n", fact_causes[i]);
        else if (t.refused > 0)
            print_message("# refused: %s\n", fact_causes[i]);
        wrong += t.differences > 0;
        refused += t.refused > 0;
    }
    assert_int_equal(wrong, 0);
    assert_int_equal(refused, 0); /* a rejected query tests nothing */
}

/* The test is not statistical: a claim holds for every row or it is false. */
static void
every_claim_holds(void **state)
{
    const char *seed = getenv("CUSTOS_SEED"), *size = getenv("CUSTOS_FACTS");
    unsigned long wanted = size ? strtoul(size, NULL, 10)
                           : getenv("CUSTOS_LONG")
                               ? 1000000
                               : (unsigned long)test_size(500, 20000);
    struct maker m = {.state = seed ? strtoull(seed, NULL, 10) : 1};
    struct batch b = {.n = 0};
    struct tally t = {0};

    (void)state;
    probes.n = 0;
    for (unsigned long next = 50000; t.planned < wanted;) {
        make_query(&m);
        batch_add(&b, buf_text(&m.b), &m, &t);
        if (t.planned >= next) {
            print_message("# %lu expressions, %lu nodes, %lu differences\n",
                          t.planned, t.nodes, t.differences);
            next += 50000;
        }
    }
    batch_end(&b, &t);
    buf_clear(&m.b);
    show_signs(&t);
    print_message("# %lu expressions, %lu refused, %lu nodes, %lu differences "
                  "of %zu kinds\n",
                  t.planned, t.refused, t.nodes, t.differences, t.n_signs);
    assert_int_equal(t.differences, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stored_columns_hold),
        cmocka_unit_test(known_causes_hold),
        cmocka_unit_test(every_claim_holds),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
