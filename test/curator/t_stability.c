/*
 * Stability: for random queries and random neighbours, the exact parts differ
 * by no more than the plan says. 400 triples (query, data, neighbour), 10^4
 * with CUSTOS_LONG.
 *
 * Neighbours differ in one unit, in all tables at once: it is gone
 * (add-remove) or another one stands in its place (change-one). The engine is
 * the real one, with noise of 0. What is compared is what the price rests on:
 * l1 and l2 of the whole vector, over all groups, in steps; and that one group
 * differs where the calibration relies on it. Where groups come from the data,
 * also that no more groups gain or lose a unit than a selection counts on. Values lie at the ends of their
 * ranges and beyond, and some units have very many rows, so that bounds are
 * reached; the test counts how often.
 */
#include <stdio.h>

#include "curator/query_maker.h"
#include "engine/made.h"
#include "plan/plan.h"
#include "sql/tree.h"

enum {
    UNITS = 12,
    VISITS_MOST = 40,
    ROWS = 12,
    TEXT_MOST = 1 << 18,
    QUERIES = 60, /* of one pair of neighbours */
};

/* One table, bounded in all the ways that there are. */
#define COLUMNS                                                                \
    "    columns:\n"                                                           \
    "      patient: {type: integer, references: patients.id}\n"                \
    "      nights: {type: integer, range: [0, 10], nullable: false}\n"         \
    "      cost: {type: decimal, scale: 2, range: [-50, 5000]}\n"              \
    "      level: {type: integer, range: [1, 5]}\n"                            \
    "      seen: {type: timestamp,\n"                                          \
    "             range: [2020-01-01 00:00:00, 2020-12-31 23:59:59]}\n"

static const char policy[] =
    "custos: 1\n"
    "adjacency: %s\n"
    "budget: {epsilon: 1000000, delta: %s, n: 100}\n"
    "query: {epsilon: 0.1, max_epsilon: 10, max_groups: 2000}\n"
    "tables:\n"
    "  patients:\n"
    "    source: patients.csv\n"
    "    unit: id\n"
    "    columns:\n"
    "      id: {type: integer, nullable: false}\n"
    "      age: {type: integer, range: [0, 100], nullable: false}\n"
    "      city: {type: text, values: [Oslo, Rome]}\n"
    "      weight: {type: real, range: [-10, 200]}\n"
    "      smoker: {type: boolean}\n"
    "      born: {type: date, range: [1920-01-01, 2019-12-31]}\n"
    "      note: {type: text}\n"
    "      income: {type: integer}\n"
    "      debt: {type: real}\n"
    "  floors:\n"
    "    public: true\n"
    "    source: floors.csv\n"
    "    columns: {name: {type: text}, floor: {type: integer},\n"
    "              area: {type: real}}\n"
    "  visits:\n    source: visits.csv\n    unit: patient\n"
    "    rows_per_unit: %u\n    groups_per_unit: %u\n" COLUMNS
    "  visits_fast:\n    source: visits.csv\n    unit: patient\n"
    "    rows_per_unit: %u\n    groups_per_unit: %u\n"
    "    bound: before-where\n" COLUMNS
    "  visits_far:\n    source: visits.csv\n    unit: patient\n"
    "    rows_per_unit: %u\n    groups_per_unit: %u\n"
    "    attach: true\n" COLUMNS
    "  visits_rows:\n    source: rows.csv\n    unit: row\n" COLUMNS;

/* ------------------------------------------------------------------ data -- */

static uint64_t
draw(uint64_t *state, uint64_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (*state >> 33) % below;
}

#define ONE_OF(state, list) (list)[draw(state, COUNT_OF(list))]

static void
put_patient(struct buf *b, unsigned id, uint64_t seed)
{
    static const char *const ages[] = {"0", "100", "50", "-7", "999", "17"};
    static const char *const cities[] = {"Oslo", "Rome", "Paris", ""};
    static const char *const weights[] = {"-10", "200", "1e9", "nan",
                                          "inf", "",    "70.5"};
    static const char *const truths[] = {"true", "false", ""};
    static const char *const dates[] = {"1920-01-01", "2019-12-31", "",
                                        "1970-01-01", "9999-12-31"};
    static const char *const notes[] = {"secret", "12", "", "%_"};
    static const char *const incomes[] = {"9223372036854775807",
                                          "-9223372036854775808", "0", ""};
    static const char *const debts[] = {"1e308", "-1e308", "0", "nan"};

    buf_printf(b, "%u,%s,%s,%s", id, ONE_OF(&seed, ages), ONE_OF(&seed, cities),
               ONE_OF(&seed, weights));
    buf_printf(b, ",%s,%s,%s", ONE_OF(&seed, truths), ONE_OF(&seed, dates),
               ONE_OF(&seed, notes));
    buf_printf(b, ",%s,%s\n", ONE_OF(&seed, incomes), ONE_OF(&seed, debts));
}

static void
put_visit(struct buf *b, unsigned patient, uint64_t seed)
{
    static const char *const nights[] = {"0", "10", "10", "99", "-1", "3"};
    static const char *const costs[] = {"5000", "-50",  "99999", "",
                                        "0",    "-1e9", "0.01"};
    static const char *const levels[] = {"1", "2", "3", "4", "5", ""};
    static const char *const seen[] = {
        "2020-01-01 00:00:00",        "2020-12-31 23:59:59",
        "2020-07-01 12:30:00",        "1999-01-01 00:00:00",
        "2020-02-29 23:59:59.999999", ""};

    if (patient)
        buf_printf(b, "%u", patient);
    buf_printf(b, ",%s,%s", ONE_OF(&seed, nights), ONE_OF(&seed, costs));
    buf_printf(b, ",%s,%s\n", ONE_OF(&seed, levels), ONE_OF(&seed, seen));
}

/* The data of one side: who is in place i, and the seed of all they have. */
struct side {
    unsigned id[UNITS]; /* 0: nobody */
    uint64_t seed[UNITS], rows[ROWS];
    size_t n_rows;
};

static void
side_write(const struct side *s, const struct made *m)
{
    static const char head[] = "patient,nights,cost,level,seen\n";
    struct buf patients, visits, rows;

    buf_init(&patients, NULL, TEXT_MOST);
    buf_init(&visits, NULL, TEXT_MOST);
    buf_init(&rows, NULL, TEXT_MOST);
    buf_add_text(&patients,
                 "id,age,city,weight,smoker,born,note,income,debt\n");
    buf_add_text(&visits, head);
    buf_add_text(&rows, head);
    put_visit(&visits, 0, 1);         /* nobody's */
    put_visit(&visits, UNITS * 9, 2); /* of no patient */
    for (size_t i = 0; i < UNITS; i++) {
        uint64_t seed = s->seed[i], alike = draw(&seed, 3);
        uint64_t n = draw(&seed, 4) ? draw(&seed, 6) : VISITS_MOST;

        if (!s->id[i])
            continue;
        put_patient(&patients, s->id[i], s->seed[i]);
        for (uint64_t k = 0; k < n; k++)
            put_visit(&visits, s->id[i],
                      s->seed[i] * 31 + (alike ? k : 0)); /* or all the same */
    }
    for (size_t i = 0; i < s->n_rows; i++)
        put_visit(&rows, (unsigned)i + 1, s->rows[i]);
    assert_false(patients.failed || visits.failed || rows.failed);
    made_file(m, "patients.csv", buf_text(&patients));
    made_file(m, "visits.csv", buf_text(&visits));
    made_file(m, "rows.csv", buf_text(&rows));
    made_file(m, "floors.csv", "name,floor,area\nward,1,100.5\n");
    buf_clear(&patients);
    buf_clear(&visits);
    buf_clear(&rows);
}

/* Two sides that differ in one unit, and in one row of the table of rows. */
static void
sides_make(struct side side[2], bool change, uint64_t *state)
{
    size_t unit = draw(state, UNITS), row = draw(state, ROWS);

    for (size_t i = 0; i < UNITS; i++) {
        side[0].id[i] = (unsigned)i + 1;
        side[0].seed[i] = draw(state, UINT32_MAX);
    }
    for (size_t i = 0; i < ROWS; i++)
        side[0].rows[i] = draw(state, UINT32_MAX);
    side[0].n_rows = ROWS;
    side[1] = side[0];
    if (change) {
        side[1].seed[unit] = draw(state, UINT32_MAX);
        if (draw(state, 2))
            side[1].id[unit] = UNITS + 1;
        side[1].rows[row] = draw(state, UINT32_MAX);
        return;
    }
    side[1].id[unit] = 0;
    side[1].rows[row] = side[1].rows[ROWS - 1]; /* order is nothing */
    side[1].n_rows--;
}

struct pair {
    struct made made[2];
    bool change;
};

static void
pair_make(struct pair *p, uint64_t *state)
{
    static const unsigned bounds[][2] = {{1, 1}, {3, 2}, {4, 1}, {5, 5}};
    const unsigned *n = bounds[draw(state, COUNT_OF(bounds))];
    static char text[1 << 14];
    struct side side[2];

    p->change = draw(state, 2);
    snprintf(text, sizeof text, policy, p->change ? "change-one" : "add-remove",
             draw(state, 2) ? "1e-3" : "0", n[0], n[1], n[0], n[1], n[0], n[1]);
    sides_make(side, p->change, state);
    for (int i = 0; i < 2; i++) {
        made_folder(&p->made[i]);
        side_write(&side[i], &p->made[i]);
        made_ready(&p->made[i], text);
    }
}

/* --------------------------------------------------------------- compare -- */

struct count {
    int triples, differ, reached, chosen;
    int by_bounding[4];
};

/* The exact parts: noise is 0. */
static void
run(struct made *m, const struct plan *plan, custos_rng *rng,
    custos_int *values, const char *sql)
{
    custos_sealed *parts[PLAN_PARTS_MAX];
    custos_status st = engine_run(m->engine, plan, parts, &m->err);

    if (st)
        fail_msg("%s: %s (%s)", sql, m->err.said, m->err.noted);
    for (size_t i = 0; i < plan->n_parts; i++) {
        st =
            custos_release_wide(plan->parts[i].mech, rng, parts[i],
                                values + i * plan->cells, plan->cells, &m->err);
        custos_sealed_free(parts[i]);
        assert_int_equal(st, CUSTOS_OK);
    }
}

static bool
same_plan(const struct plan *a, const struct plan *b)
{
    struct buf x, y;
    bool same;

    buf_init(&x, NULL, TEXT_MOST);
    buf_init(&y, NULL, TEXT_MOST);
    plan_explain(a, &x);
    plan_explain(b, &y);
    same = str_equal(str_of(buf_text(&x)), str_of(buf_text(&y)));
    buf_clear(&x);
    buf_clear(&y);
    return same;
}

/* How far a part moved; fails when it was too far. */
static void
check_part(const struct plan *plan, const struct part *part, size_t n,
           const custos_int *a, const custos_int *b, const char *sql,
           struct count *count)
{
    size_t cells = 0;
    int far;
    rat l1, l2, x;

    rat_init(&l1);
    rat_init(&l2);
    rat_init(&x);
    for (size_t i = 0; i < n; i++) {
        rat_set_i128(&x, a[i] < b[i] ? b[i] - a[i] : a[i] - b[i]);
        cells += a[i] != b[i];
        rat_add(&l1, &l1, &x);
        rat_mul(&x, &x, &x);
        rat_add(&l2, &l2, &x);
    }
    far = rat_cmp(&l1, &part->l1);
    if (far > 0 || rat_cmp(&l2, &part->l2_squared) > 0)
        fail_msg("part %zu moves too far: %s", (size_t)(part - plan->parts),
                 sql);
    if (part->one_cell && cells > 1)
        fail_msg("%zu groups of part %zu differ: %s", cells,
                 (size_t)(part - plan->parts), sql);
    count->differ += cells > 0;
    count->reached += far == 0;
    rat_clear(&l1);
    rat_clear(&l2);
    rat_clear(&x);
}

/* Groups of both sides; those of the second count the other way. */
static void
groups_make(struct pair *p, struct plan *const plan[2], struct groups both[2],
            const char *sql)
{
    for (int i = 0; i < 2; i++) {
        struct made *m = &p->made[i];
        struct groups *g = &both[i];
        struct exact x = {.groups = g};

        assert_true(groups_init(g, plan[i]));
        if (work_fill(m->engine, plan[i], &x, &m->err))
            fail_msg("%s: %s (%s)", sql, m->err.said, m->err.noted);
    }
    for (size_t k = 0; k < both[1].n; k++) {
        both[1].units[k] = -both[1].units[k];
        for (size_t i = 0; i < plan[1]->n_parts; i++)
            both[1].values[i][k] = -both[1].values[i][k];
    }
    assert_true(groups_merge(&both[0], &both[1]));
}

static void
check_groups(struct pair *p, struct plan *const plan[2], const char *sql,
             struct count *count)
{
    struct groups both[2];
    custos_int *none;
    uint64_t moved = 0;

    groups_make(p, plan, both, sql);
    none = calloc(both[0].n + 1, sizeof *none);
    assert_non_null(none);
    for (size_t k = 0; k < both[0].n; k++) {
        assert_true(both[0].units[k] >= -1 && both[0].units[k] <= 1);
        moved += both[0].units[k] != 0;
    }
    if (moved > plan[0]->groups * (p->change ? 2 : 1))
        fail_msg("%llu groups: %s", (unsigned long long)moved, sql);
    for (size_t i = 0; i < plan[0]->n_parts; i++)
        check_part(plan[0], &plan[0]->parts[i], both[0].n, both[0].values[i],
                   none, sql, count);
    count->chosen++;
    free(none);
    groups_clear(&both[0]);
    groups_clear(&both[1]);
}

static void
check_cells(struct pair *p, struct plan *const plan[2], custos_rng *rng,
            const char *sql, struct count *count)
{
    size_t cells = plan[0]->cells, n = plan[0]->n_parts * cells;
    custos_int *values = calloc(2 * n, sizeof *values);

    assert_non_null(values);
    for (int i = 0; i < 2; i++)
        run(&p->made[i], plan[i], rng, values + (size_t)i * n, sql);
    for (size_t i = 0; i < plan[0]->n_parts; i++)
        check_part(plan[0], &plan[0]->parts[i], cells, values + i * cells,
                   values + n + i * cells, sql, count);
    free(values);
}

static bool
plan_of(struct made *m, arena *a, str sql, struct plan **out)
{
    struct plan_options options = {0};
    struct query *q;

    *out = NULL;
    return !sql_read(a, sql, &q, &m->err) &&
           !plan_make(a, q, m->policy, &options, out, &m->err) &&
           !(*out)->is_public && !q->explain;
}

static void
check_query(struct pair *p, str sql, custos_rng *rng, struct count *count)
{
    arena *a = arena_new(NULL, (size_t)1 << 28);
    struct plan *plan[2] = {NULL, NULL};
    bool valid = true;
    char shown[400];

    assert_non_null(a);
    for (int i = 0; i < 2; i++)
        valid = plan_of(&p->made[i], a, sql, &plan[i]) && valid;
    if (valid) {
        snprintf(shown, sizeof shown, "%.*s", (int)sql.len, sql.ptr);
        assert_true(same_plan(plan[0], plan[1]));
        if (plan[0]->selection)
            check_groups(p, plan, shown, count);
        else
            check_cells(p, plan, rng, shown, count);
        count->triples++;
        count->by_bounding[plan[0]->bounding]++;
    }
    plan_free(plan[0]);
    plan_free(plan[1]);
    arena_free(a);
}

/* --------------------------------------------------------------- queries -- */

/* Short ones, that let many rows through to many groups. */
static void
put_plain(struct maker *m)
{
    static const char *const keys[] = {"level",
                                       "nights",
                                       "level % 2",
                                       "extract(month FROM seen)",
                                       "CASE WHEN nights > 5 THEN level END",
                                       "cost",
                                       "date_trunc('hour', seen)",
                                       "CAST(seen AS text)",
                                       "patient % 3"};
    static const char *const values[] = {
        "count(*)",
        "count(cost)",
        "count(DISTINCT patient)",
        "count(DISTINCT nights)",
        "count(DISTINCT cost)",
        "count(DISTINCT seen)",
        "sum(cost)",
        "sum(-cost)",
        "sum(-nights)",
        "sum(level - 5)",
        "sum(cost * cost)",
        "sum(cost, contribution_bounds_per_row => (-90, -10))",
        "sum(nights, contribution_bounds_per_row => (3, 7))",
        "avg(level)",
        "avg(-cost / 3)",
        "variance(nights)",
        "stddev(cost, contribution_bounds_per_row => (0, 10))"};
    static const char *const tests[] = {
        "true",       "nights > 0",      "cost IS NOT NULL",
        "level <> 3", "patient % 2 = 0", "seen >= date '2020-02-01'"};
    static const char *const options[] = {
        "", "WITH DIFFERENTIAL_PRIVACY OPTIONS(max_groups_contributed = 1) "};
    static const char *const tables[] = {"visits", "visits_fast", "visits_far",
                                         "visits_rows"};
    unsigned n = below(m, 3);
    bool rows;

    m->table = tables[below(m, COUNT_OF(tables))];
    rows = !strcmp(m->table, "visits_rows");
    buf_clear(&m->b);
    buf_init(&m->b, NULL, QUERY_MAX);
    put(m, "SELECT ");
    PUT_ONE(m, options);
    for (unsigned i = 0; i < 2; i++) {
        unsigned k = below(m, COUNT_OF(values));

        put(m, i ? ", " : "");
        put(m, rows && k == 2 ? "count(*)" : values[k]);
    }
    put(m, " FROM ");
    put(m, m->table);
    put(m, " WHERE ");
    PUT_ONE(m, tests);
    for (unsigned i = 0; i < n; i++) {
        put(m, i ? ", " : " GROUP BY ");
        PUT_ONE(m, keys);
    }
}

/* ------------------------------------------------------------------ tests -- */

static void
neighbours_differ_as_the_plan_says(void **state)
{
    int wanted = getenv("CUSTOS_LONG") ? 10000 : test_size(40, 250);
    struct maker m = {.state = 7};
    struct count count = {0};
    uint64_t seed = 11;
    custos_rng *rng = NULL;
    custos_err err;

    (void)state;
    test_rng_new_silent();
    assert_int_equal(custos_rng_new(&rng, &err), CUSTOS_OK);
    buf_init(&m.b, NULL, QUERY_MAX);
    while (count.triples < wanted) {
        int before = count.triples;
        struct pair p;

        pair_make(&p, &seed);
        while (count.triples < wanted && count.triples < before + QUERIES) {
            if (chance(&m, 50))
                put_plain(&m);
            else
                maker_query(&m);
            check_query(&p, (str){m.b.ptr, m.b.len}, rng, &count);
        }
        made_close(&p.made[0]);
        made_close(&p.made[1]);
    }
    buf_clear(&m.b);
    custos_rng_free(rng);
    print_message("# %d triples (row %d, rank %d, fold %d, general %d; groups "
                  "chosen %d): %d parts moved, %d as far as they may\n",
                  count.triples, count.by_bounding[BOUND_NONE],
                  count.by_bounding[BOUND_RANK], count.by_bounding[BOUND_FOLD],
                  count.by_bounding[BOUND_GENERAL], count.chosen, count.differ,
                  count.reached);
    for (int i = 0; i < 4; i++)
        assert_true(count.by_bounding[i] > wanted / 40);
    assert_true(count.differ > wanted / 5 && count.reached > wanted / 20);
    assert_true(count.chosen > wanted / 20);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_differ_as_the_plan_says),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
