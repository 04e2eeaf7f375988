/*
 * Stability: for random queries and random neighbours, the exact parts differ
 * by no more than the plan says. 2,000 triples (query, data, neighbour), 10^5
 * with CUSTOS_LONG.
 *
 * The test runs the real engine and examines its results before any noise. It
 * checks what the price depends on: the l1 and l2 distance of the complete
 * vector, over all groups, in grid steps; that only one group differs where the
 * calibration relies on it; and for discovered groups, that no more groups gain
 * or lose a unit than the selection assumes. The test counts how often
 * something moved, how often by the maximum, and how many queries of each
 * construct were planned: queries that are always rejected would test nothing.
 */
#include "plan/part/bound_selection.h"
#include "plan/part/marginals.h"
#include "plan/part/range_selection.h"

#include "curator/stability_data.h"
#include "curator/stability_forms.h"
#include "curator/stability_query.h"
#include "curator/stability_values.h"
#include "mech/marginals.h"
#include "mech/running.h"
#include "sql/tree.h"
#include "support/stages.h"

enum {
    TRIPLES = 500, /* for each dataset */
    ENOUGH = 2000, /* triples after which everything must have occurred */
    SHOWN_MOST = 10,
    LOW = 4, /* bounds 1, 2, 4, 8 of a bound selection */
};

/* Counts for one kind of query. */
struct tally {
    int asked, planned, moved;
};

struct count {
    int triples, differ, reached, chosen, weighed, quantiles, violations;
    int races, races_moved;
    int ranges[2], ranges_moved[2]; /* under add-remove, under change-one */
    int tables[2];                  /* by enum marginals_kind */
    int known;                      /* moved, of a known number of rows */
    int by_bounding[4];
    struct tally all, by_rule[RULES];
};

/* One query against all sides of a dataset. */
struct check {
    struct dataset *dataset;
    const struct plan *plan;
    const char *sql;
    struct count *count;
    bool moved;
};

static void
violated(struct check *c, const char *what, size_t which)
{
    if (c->count->violations++ < SHOWN_MOST)
        print_message("# %s (%zu): %s\n", what, which, c->sql);
}

/* --------------------------------------------------------------- compare -- */

/* What gets the noise of a running count is C x, and of a residual Q x. */
static void
multiply(const struct plan *plan, size_t part, i128 *cells)
{
    const struct running *r = plan->parts[part].running;
    size_t n = plan->parts[part].space->cells;
    i128 *line = r ? calloc(2 * r->n, sizeof *line) : NULL;

    if (plan->parts[part].residual)
        residual_multiply(plan->marginals,
                          plan->marginals->noisy[marginals_table(plan, part)],
                          cells);
    if (!r)
        return;
    assert_non_null(line);
    running_multiply(r, cells, n, line);
    free(line);
}

/* Checks how far a part moved. */
static void
check_part(struct check *c, size_t which, size_t n, const i128 *a,
           const i128 *b)
{
    const struct part *part = &c->plan->parts[which];
    size_t cells = 0;
    int far;
    rat l1, l2, x;

    rat_init(&l1);
    rat_init(&l2);
    rat_init(&x);
    for (size_t i = 0; i < n; i++) {
        if (a[i] == b[i])
            continue;
        rat_set_i128(&x, a[i] < b[i] ? b[i] - a[i] : a[i] - b[i]);
        cells++;
        rat_add(&l1, &l1, &x);
        rat_mul(&x, &x, &x);
        rat_add(&l2, &l2, &x);
    }
    far = rat_cmp(&l1, &part->l1);
    if (far > 0 || rat_cmp(&l2, &part->l2_squared) > 0)
        violated(c, "this part moves too far", which);
    if (part->one_cell && cells > 1)
        violated(c, "several groups of this part differ", which);
    c->moved = c->moved || cells > 0;
    c->count->differ += cells > 0;
    c->count->reached += far == 0;
    rat_clear(&l1);
    rat_clear(&l2);
    rat_clear(&x);
}

static void
no_answer(struct check *c, const struct made *m)
{
    fail_msg("%s: %s (%s)", c->sql, m->err.said, m->err.noted);
}

/* --------------------------------------------------------------- cells -- */

/* The most numbers that a part of the plan has. */
static size_t
most_cells(const struct plan *plan)
{
    size_t most = 1;

    for (size_t i = 0; i < plan->n_parts; i++) {
        size_t n = plan->parts[i].space->cells * part_numbers(&plan->parts[i]);

        most = n > most ? n : most;
    }
    return most;
}

/* The engine's results of one stage, part by part, with the seals opened. */
static void
stage_cells(struct check *c, struct made *m, const struct stage *s,
            i128 *values)
{
    const size_t most = most_cells(c->plan);
    custos_sealed *parts[PLAN_PARTS_MAX];

    if (engine_run(m->engine, s, parts, &m->err))
        no_answer(c, m);
    for (size_t i = 0; i < s->n_parts; i++) {
        size_t n = s->space->cells * part_numbers(&s->parts[i]);
        i128 *exact = NULL;

        if (s->parts[i].kind != PART_QUANTILES) {
            assert_int_equal(
                sealed_open(parts[i], SEALED_WIDE, n, &exact, &m->err),
                CUSTOS_OK);
            multiply(c->plan, s->first + i, exact);
            memcpy(values + (s->first + i) * most, exact, n * sizeof *values);
        }
        custos_sealed_free(parts[i]);
    }
}

static i128 *
cells_of(struct check *c, struct made *m)
{
    const struct plan *plan = c->plan;
    i128 *values = calloc(plan->n_parts * most_cells(plan) + 1, sizeof *values);

    assert_non_null(values);
    for (size_t i = 0; i < plan->n_stages; i++)
        stage_cells(c, m, &plan->stages[i], values);
    return values;
}

/*
 * The values for a quantile: the number that appear or disappear, and the
 * number of groups they are in, are within what the price assumes.
 */
static void
check_values(struct check *c, size_t which, const struct values *a,
             const struct values *b)
{
    struct unshared u = values_compare(a, b);
    bool change = c->dataset->change;

    if (change ? u.gone > c->plan->rows || u.come > c->plan->rows
               : u.gone + u.come > c->plan->rows)
        violated(c, "too many values of this part come or go", which);
    if (u.groups > c->plan->space.groups * (change ? 2 : 1))
        violated(c, "values of this part come or go in many groups", which);
    c->moved = c->moved || u.groups > 0;
    c->count->differ += u.groups > 0;
    c->count->reached += u.gone + u.come == c->plan->rows * (change ? 2 : 1);
}

static void
check_quantiles(struct check *c, size_t which)
{
    struct values v[SIDES] = {{NULL, 0, 0}};

    for (int side = 0; side < SIDES; side++) {
        struct made *m = &c->dataset->made[side];

        if (engine_quantiles(m->engine, stage_values(c->plan), which,
                             values_take, &v[side], &m->err))
            no_answer(c, m);
    }
    for (size_t p = 0; p < c->dataset->n_pairs; p++)
        check_values(c, which, &v[c->dataset->pairs[p][0]],
                     &v[c->dataset->pairs[p][1]]);
    for (int side = 0; side < SIDES; side++)
        free(v[side].all);
}

static void
check_cells(struct check *c)
{
    size_t cells = most_cells(c->plan);
    i128 *values[SIDES];

    for (int side = 0; side < SIDES; side++)
        values[side] = cells_of(c, &c->dataset->made[side]);
    for (size_t i = 0; i < c->plan->n_parts; i++) {
        if (c->plan->parts[i].kind == PART_QUANTILES) {
            check_quantiles(c, i);
            continue;
        }
        for (size_t p = 0; p < c->dataset->n_pairs; p++)
            check_part(c, i, cells, values[c->dataset->pairs[p][0]] + i * cells,
                       values[c->dataset->pairs[p][1]] + i * cells);
    }
    for (int side = 0; side < SIDES; side++)
        free(values[side]);
}

/* -------------------------------------------------------------- groups -- */

static void
groups_of(struct check *c, struct made *m, struct groups *g)
{
    struct exact x = {.groups = g};

    assert_true(groups_init(g, stage_values(c->plan)));
    if (work_fill(m->engine, stage_values(c->plan), &x, &m->err))
        no_answer(c, m);
}

static void
groups_negate(struct groups *g)
{
    for (size_t k = 0; k < g->n; k++)
        g->units[k] = -g->units[k];
    for (size_t i = 0; i < g->stage->n_parts; i++)
        for (size_t k = 0; k < g->n * part_numbers(&g->stage->parts[i]); k++)
            g->values[i][k] = -g->values[i][k];
}

/*
 * Theorem keys-weighted: a unit that is in l groups moves the sum of each by the
 * weight for l. Where it moves between groups, the squared distance is at most
 * twice that of one group.
 */
static void
check_weights(struct check *c, const struct groups *g, uint64_t moved)
{
    const custos_keys *rule = c->plan->space.selection->rule;
    const i128 one = (i128)custos_keys_weight(rule, 1);
    const i128 each = (i128)custos_keys_weight(rule, moved);
    i128 squares = 0;

    for (size_t k = 0; k < g->n; k++) {
        i128 by = g->units[k] < 0 ? -g->units[k] : g->units[k];

        squares += by * by;
        if (!c->dataset->change && by != 0 && by != each)
            violated(c, "a unit has another weight in this group", k);
    }
    if (squares > (c->dataset->change ? 2 : 1) * one * one)
        violated(c, "the weights of a unit move so many groups too far", moved);
    c->count->weighed += moved > 1;
}

static void
check_difference(struct check *c, const struct groups *g)
{
    const struct selection *s = c->plan->space.selection;
    i128 *none = calloc(2 * g->n + 1, sizeof *none);
    uint64_t moved = 0;

    assert_non_null(none);
    for (size_t k = 0; k < g->n; k++) {
        if (!selection_weighs(s) && (g->units[k] < -1 || g->units[k] > 1))
            violated(c, "a unit counts twice in this group", k);
        moved += g->units[k] != 0;
    }
    if (selection_weighs(s) && moved > 0)
        check_weights(c, g, moved);
    if (moved > c->plan->space.groups * (c->dataset->change ? 2 : 1))
        violated(c, "so many groups gain or lose a unit", moved);
    for (size_t i = 0; i < c->plan->n_parts; i++)
        if (c->plan->parts[i].kind != PART_QUANTILES)
            check_part(c, i, g->n * part_numbers(&c->plan->parts[i]),
                       g->values[i], none);
    c->moved = c->moved || moved > 0;
    c->count->chosen++;
    free(none);
}

/*
 * The values in the groups of a pair; all must be in groups that this side
 * found.
 */
static struct values
values_among(struct check *c, struct made *m, size_t which,
             const struct groups *own, const struct groups *both)
{
    struct values v = {NULL, 0, 0}, mine = {NULL, 0, 0};

    if (quantiles_collect(m->engine, stage_values(c->plan), which, both,
                          values_take, &v, &m->err) ||
        quantiles_collect(m->engine, stage_values(c->plan), which, own,
                          values_take, &mine, &m->err))
        no_answer(c, m);
    if (v.n != mine.n)
        violated(c, "values of this part are of groups not found", which);
    free(mine.all);
    values_sort(&v);
    return v;
}

static void
check_group_values(struct check *c, size_t which, const size_t pair[2],
                   const struct groups *found, const struct groups *both)
{
    struct values v[2];

    for (int i = 0; i < 2; i++)
        v[i] = values_among(c, &c->dataset->made[pair[i]], which,
                            &found[pair[i]], both);
    check_values(c, which, &v[0], &v[1]);
    c->count->quantiles++;
    free(v[0].all);
    free(v[1].all);
}

static void
check_groups(struct check *c)
{
    struct groups found[SIDES], both;

    for (int side = 0; side < SIDES; side++)
        groups_of(c, &c->dataset->made[side], &found[side]);
    for (size_t p = 0; p < c->dataset->n_pairs; p++) {
        const size_t pair[2] = {(size_t)c->dataset->pairs[p][0],
                                (size_t)c->dataset->pairs[p][1]};
        struct groups *other = &found[pair[1]];

        assert_true(groups_init(&both, stage_values(c->plan)));
        assert_true(groups_merge(&both, &found[c->dataset->pairs[p][0]]));
        groups_negate(other);
        assert_true(groups_merge(&both, other));
        groups_negate(other);
        check_difference(c, &both);
        for (size_t i = 0; i < c->plan->n_parts; i++)
            if (c->plan->parts[i].kind == PART_QUANTILES)
                check_group_values(c, i, pair, found, &both);
        groups_clear(&both);
    }
    for (int side = 0; side < SIDES; side++)
        groups_clear(&found[side]);
}

/* ------------------------------------------------------ bound selections -- */

/*
 * How many units exceed each bound, before noise; negated, as they are sealed.
 */
static void
bound_counts_of(struct check *c, struct made *m, const struct plan *plan,
                i128 below[BOUND_SELECTION_MAX])
{
    custos_sealed *few[BOUND_SELECTION_MAX] = {NULL};

    if (engine_bound_counts(m->engine, plan, few, &m->err))
        no_answer(c, m);
    for (size_t i = 0; i + 1 < plan_bound_selection(plan)->n; i++) {
        i128 *exact = NULL;

        assert_int_equal(sealed_open(few[i], SEALED_INTS, 1, &exact, &m->err),
                         CUSTOS_OK);
        below[i] = *exact;
        custos_sealed_free(few[i]);
    }
}

/*
 * All counts move in the same direction, none by more than 1 (theorem
 * bound-race).
 */
static void
check_race(struct check *c, const struct plan *plan)
{
    i128 below[SIDES][BOUND_SELECTION_MAX];

    for (int side = 0; side < SIDES; side++)
        bound_counts_of(c, &c->dataset->made[side], plan, below[side]);
    for (size_t p = 0; p < c->dataset->n_pairs; p++) {
        bool up = false, down = false;

        for (size_t i = 0; i + 1 < plan_bound_selection(plan)->n; i++) {
            i128 moved = below[c->dataset->pairs[p][0]][i] -
                         below[c->dataset->pairs[p][1]][i];

            if (moved > 1 || moved < -1)
                violated(c, "a bound selection moved far", i);
            up = up || moved > 0;
            down = down || moved < 0;
        }
        if (up && down)
            violated(c, "a bound selection moved both ways", p);
        c->count->races_moved += up || down;
        c->count->races++;
    }
}

/* ------------------------------------------------------ range selections -- */

static void
range_scores_of(struct check *c, struct made *m, const struct plan *plan,
                i128 scores[RANGES_MAX])
{
    size_t n = plan_range_selection(plan)->n;
    custos_sealed *sealed = NULL;
    i128 *exact = NULL;

    if (engine_range_scores(m->engine, plan, &sealed, &m->err))
        no_answer(c, m);
    assert_int_equal(sealed_open(sealed, SEALED_INTS, n, &exact, &m->err),
                     CUSTOS_OK);
    memcpy(scores, exact, n * sizeof *scores);
    custos_sealed_free(sealed);
}

/*
 * No score moves by more than 1; where the mechanism relies on it, all move in the
 * same direction (theorem range-found).
 */
static void
check_ranges(struct check *c, const struct plan *plan)
{
    const struct range_selection *r = plan_range_selection(plan);
    i128 scores[SIDES][RANGES_MAX];

    for (int side = 0; side < SIDES; side++)
        range_scores_of(c, &c->dataset->made[side], plan, scores[side]);
    for (size_t p = 0; p < c->dataset->n_pairs; p++) {
        bool up = false, down = false;

        for (size_t i = 0; i < r->n; i++) {
            i128 moved = scores[c->dataset->pairs[p][0]][i] -
                         scores[c->dataset->pairs[p][1]][i];

            if (moved > 1 || moved < -1)
                violated(c, "the score of a range moved far", i);
            up = up || moved > 0;
            down = down || moved < 0;
        }
        if (up && down && r->scores == CUSTOS_SCORES_MONOTONE)
            violated(c, "the scores of ranges moved both ways", p);
        c->count->ranges[c->dataset->change]++;
        c->count->ranges_moved[c->dataset->change] += up || down;
    }
}

/* --------------------------------------------------------------- queries -- */

static struct plan *
plan_of(struct made *m, arena *a, const char *sql)
{
    struct plan_options options = {0};
    struct plan *plan = NULL;
    struct query *q;

    if (sql_read(a, str_of(sql), &q, &m->err) ||
        plan_make(a, q, m->policy, &options, &plan, &m->err) ||
        (!plan->is_public && !q->explain))
        return plan;
    plan_free(plan);
    return NULL;
}

static void
tally(struct tally *t, bool planned, bool moved)
{
    t->asked++;
    t->planned += planned;
    t->moved += moved;
}

/* All sides have the number of rows that the policy states. */
static void
check_known_rows(struct check *c)
{
    size_t table = c->plan->table->number;

    for (int side = 0; side < SIDES; side++)
        if (c->dataset->made[side].tables[table].kept != c->plan->known_rows)
            violated(c, "another number of rows", (size_t)side);
}

/* used: the grammar rules that made the query, or NULL. */
static void
check_query(struct dataset *w, const char *sql, const bool *used,
            struct count *count)
{
    arena *a = arena_new(NULL, (size_t)1 << 28);
    struct plan *plan;
    struct check c = {.dataset = w, .sql = sql, .count = count};

    assert_non_null(a);
    c.plan = plan = plan_of(&w->made[0], a, sql);
    for (int side = 0; side < SIDES && plan; side++)
        if (engine_prepare(w->made[side].engine, plan, &w->made[side].err))
            no_answer(&c, &w->made[side]);
    if (plan && plan_bound_selection(
                    plan)) { /* any bound may be chosen: tests a low one */
        size_t low = (size_t)count->triples / 4 % LOW;

        check_race(&c, plan);
        c.plan = plan_bound_selection(plan)
                     ->plans[low % plan_bound_selection(plan)->n];
    }
    if (plan && plan_range_selection(plan)) { /* likewise any range */
        const struct range_selection *r = plan_range_selection(plan);

        check_ranges(&c, plan);
        c.plan = r->plans[(size_t)count->triples / 4 % r->n];
    }
    if (plan) {
        if (c.plan->space.selection)
            check_groups(&c);
        else
            check_cells(&c);
        count->known += c.moved && c.plan->known_rows > 0;
        if (c.plan->known_rows > 0)
            check_known_rows(&c);
        if (c.plan->marginals)
            count->tables[c.plan->marginals->kind] += c.moved;
        count->triples += (int)w->n_pairs;
        count->by_bounding[c.plan->space.bounding] += (int)w->n_pairs;
    } else if (getenv("STABILITY_SHOW")) {
        print_message("#%.100s | %s\n", w->made[0].err.said, sql);
    }
    if (used)
        tally(&count->all, plan, c.moved);
    for (size_t i = 0; used && i < RULES; i++)
        if (used[i])
            tally(&count->by_rule[i], plan, c.moved);
    for (int side = 0; side < SIDES; side++)
        engine_unprepare(w->made[side].engine);
    plan_free(plan);
    arena_free(a);
}

/* ------------------------------------------------------------------ tests -- */

/*
 * The sum over all rules of a construct, at its first rule. False at the
 * others.
 */
static bool
construct_tally(const struct count *count, size_t rule, struct tally *out)
{
    const char *what = rules[rule].what;

    *out = (struct tally){0};
    for (size_t i = 0; i < RULES; i++) {
        if (!what || !rules[i].what || strcmp(what, rules[i].what) != 0)
            continue;
        if (i < rule)
            return false;
        out->asked += count->by_rule[i].asked;
        out->planned += count->by_rule[i].planned;
        out->moved += count->by_rule[i].moved;
    }
    return what != NULL;
}

/*
 * Of every construct some queries were planned and some parts moved; no join
 * without the unit was planned.
 */
static void
check_constructs(const struct count *count, int wanted)
{
    struct tally t;

    for (size_t i = 0; i < RULES; i++) {
        bool none = rules[i].what && !strcmp(rules[i].what, "no unit");

        if (!construct_tally(count, i, &t))
            continue;
        print_message("# %-17s %5d asked, %5d planned, %5d moved\n",
                      rules[i].what, t.asked, t.planned, t.moved);
        if (wanted < ENOUGH)
            continue;
        if (none ? t.planned != 0 || t.asked == 0
                 : t.planned < wanted / 500 || t.moved < wanted / 1000)
            fail_msg("%s is not tested", rules[i].what);
    }
}

static void
neighbours_differ_as_the_plan_says(void **state)
{
    int wanted = getenv("CUSTOS_LONG") ? 100000 : test_size(200, ENOUGH);
    struct maker m = {.state = 7};
    struct count count = {0};
    static struct writer writer;
    uint64_t seed = 11;
    unsigned datasets = 0;

    (void)state;
    buf_init(&m.b, NULL, QUERY_MAX);
    while (count.triples < wanted) {
        int before = count.triples;
        struct dataset w;

        dataset_make(&w, datasets++ % 2, &seed);
        while (count.triples < wanted && count.triples < before + TRIPLES) {
            unsigned way = below(&m, 13);

            if (way == 3)
                put_whole(&m);
            else if (way == 2)
                put_tables(&m);
            else if (way == 0)
                maker_query(&m);
            else if (way == 1)
                put_plain(&m);
            else if (way == 4)
                put_ranges(&m);
            else
                writer_query(&writer, &m);
            check_query(&w, buf_text(&m.b), way > 4 ? writer.used : NULL,
                        &count);
        }
        dataset_end(&w);
    }
    buf_clear(&m.b);
    print_message("# %d triples (row %d, rank %d, fold %d, general %d; groups "
                  "chosen %d): %d parts moved, %d as far as they may\n",
                  count.triples, count.by_bounding[BOUND_NONE],
                  count.by_bounding[BOUND_RANK], count.by_bounding[BOUND_FOLD],
                  count.by_bounding[BOUND_GENERAL], count.chosen, count.differ,
                  count.reached);
    print_message("# %d pairs with units that weigh in several groups\n",
                  count.weighed);
    print_message("# tables by residuals %d, by tables %d moved\n",
                  count.tables[0], count.tables[1]);
    print_message("# %d moved with a known number of rows\n", count.known);
    print_message("# %d pairs of quantiles by chosen groups\n",
                  count.quantiles);
    print_message("# %d races, %d moved\n", count.races, count.races_moved);
    for (int i = 0; i < 2; i++)
        print_message("# %d range selections, %d moved\n", count.ranges[i],
                      count.ranges_moved[i]);
    print_message("# %d queries by the grammar: %d planned, %d moved\n",
                  count.all.asked, count.all.planned, count.all.moved);
    printf("bench: stability_violations %d\n", count.violations);
    assert_int_equal(count.violations, 0);
    check_constructs(&count, wanted);
    assert_true(count.differ > wanted / 2 && count.reached > wanted / 20);
    for (int i = 0; i < 4 && wanted >= ENOUGH; i++)
        assert_true(count.by_bounding[i] > wanted / 100);
    assert_true(count.chosen > wanted / 20 || wanted < ENOUGH);
    assert_true(count.weighed > wanted / 100 || wanted < ENOUGH);
    for (int i = 0; i < 2 && wanted >= ENOUGH; i++)
        assert_true(count.tables[i] > 0);
    assert_true(count.known > 0 || wanted < ENOUGH);
    assert_true(count.quantiles > wanted / 50);
    for (int i = 0; i < 2 && wanted >= ENOUGH; i++)
        assert_true(count.ranges[i] > wanted / 100 &&
                    count.ranges_moved[i] > wanted / 200);
    assert_true(count.races > wanted / 20 && count.races_moved > wanted / 100);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_differ_as_the_plan_says),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
