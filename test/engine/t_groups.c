/*
 * Discovered groups: the fold, the general way and a simple reference find the
 * same groups; one unit changes few of them; nothing leaves the engine before
 * the selection.
 */
#include <stdio.h>

#include "engine/run/groups.h"
#include "made.h"
#include "mech/sealed.h"
#include "support/stages.h"

enum { ROWS = 1500, UNITS = 40, GROUPS_MOST = 400, LINE_MOST = 1200 };

#define COLUMNS                                                                \
    "      who: {type: integer}\n"                                             \
    "      k: {type: text}\n"                                                  \
    "      n: {type: integer}\n"                                               \
    "      d: {type: date}\n"                                                  \
    "      v: {type: integer, range: [-5, 5]}\n"                               \
    "      w: {type: text, values: [a, b]}\n"
#define TABLE(more)                                                            \
    "custos: 1\nbudget: {epsilon: 1, delta: 1e-3}\ntables:\n"                  \
    "  v:\n    source: v.csv\n    unit: who\n    rows_per_unit: 4\n" more      \
    "    columns:\n" COLUMNS

static const char STORED[] = TABLE("");
static const char ATTACHED[] = TABLE("    attach: true\n");

/* One row of the file: its values in the order of the columns. */
struct line {
    int who; /* 0: nobody */
    int k, n, d, v, w;
};

static const char *const texts[] = {
    "",        "a", "A", "a long text of a group", "\"with \"\"quotes\"\"\"",
    "\xc3\xa9"};

/*
 * A key is one of `texts`, or a text of one of these lengths in bytes: that of
 * the longest key, and two that are too long.
 */
static const int lengths[] = {KEY_TEXT_MAX, KEY_TEXT_MAX + 1, KEY_TEXT_MAX + 2};

static size_t
write_key(char *to, size_t room, int k)
{
    int other = k - (int)COUNT_OF(texts);

    if (other < 0)
        return (size_t)snprintf(to, room, "%s", texts[k]);
    return (size_t)snprintf(to, room, "%0*d", lengths[other], 0);
}

static uint64_t
draw(uint64_t *state, uint64_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (*state >> 33) % below;
}

static void
write_lines(const struct made *m, uint64_t seed, int without)
{
    static char text[ROWS * LINE_MOST];
    size_t len = (size_t)snprintf(text, 64, "who,k,n,d,v,w\n");

    for (int i = 0; i < ROWS; i++) {
        struct line l = {.who =
                             draw(&seed, 3) ? 1 + (int)draw(&seed, UNITS) : 1};

        l.k = (int)draw(&seed, COUNT_OF(texts) + COUNT_OF(lengths));
        l.n = (int)draw(&seed, 4);
        l.d = (int)draw(&seed, 4);
        l.v = (int)draw(&seed, 15) - 7;
        l.w = (int)draw(&seed, 3);
        if (l.who == without)
            continue;
        len += (size_t)snprintf(text + len, 80, "%d,", l.who);
        len += write_key(text + len, LINE_MOST, l.k);
        len += (size_t)snprintf(text + len, 80, ",");
        if (l.n)
            len +=
                (size_t)snprintf(text + len, 80, "%lld",
                                 (l.n - 2) * 4611686018427387904LL + 2 * l.n);
        len += (size_t)snprintf(text + len, 80, ",");
        if (l.d)
            len += (size_t)snprintf(text + len, 80, "%d-02-28",
                                    l.d == 3 ? 12000 : 2000 + l.d * 20);
        len += (size_t)snprintf(text + len, 80, ",%d,%.*s\n", l.v, l.w > 0,
                                l.w == 1 ? "a" : "b");
    }
    made_file(m, "v.csv", text);
}

/* Keys k, n, d and the public w; parts for rows, a sum and units. */
struct asked {
    struct expr exprs[4], v;
    struct key keys[4];
    struct part parts[3];
    struct selection selection;
    struct plan plan;
    struct stage stage;
};

static void
ask(struct asked *q, const struct made *m, enum bounding bounding,
    uint64_t rows, uint64_t groups, unsigned keys)
{
    static const enum data_type types[] = {TYPE_TEXT, TYPE_INT, TYPE_DATE};
    const struct policy_table *t = policy_table_find(m->policy, str_of("v"));

    memset(q, 0, sizeof *q);
    q->selection.serves = -1;
    q->plan = (struct plan){.policy = m->policy,
                            .table = t,
                            .rows = rows,
                            .space = {.keys = q->keys,
                                      .cells = GROUPS_MOST,
                                      .groups = groups,
                                      .bounding = bounding,
                                      .selection = &q->selection},
                            .parts = q->parts,
                            .n_parts = 3};
    for (int i = 0; i < 3; i++)
        if (keys >> i & 1) {
            struct expr *e = &q->exprs[i];

            *e = (struct expr){
                .kind = EXPR_COLUMN, .slot = i + 1, .type = types[i]};
            q->keys[q->plan.space.n_keys++] = (struct key){
                .expr = e, .kind = KEY_PRIVATE, .null_group = true};
        }
    if (keys >> 3) {
        q->exprs[3] =
            (struct expr){.kind = EXPR_COLUMN, .slot = 5, .type = TYPE_TEXT};
        q->keys[q->plan.space.n_keys++] =
            (struct key){.expr = &q->exprs[3],
                         .kind = KEY_STORED,
                         .column = 5,
                         .values = t->columns[5].values,
                         .n = 2,
                         .null_group = true};
    }
    q->v = (struct expr){.kind = EXPR_COLUMN, .slot = 4, .type = TYPE_INT};
    q->parts[0].kind = PART_ROWS;
    q->parts[1] = (struct part){.kind = PART_SUM,
                                .of = &q->v,
                                .grid = {10, 0},
                                .lower = -5,
                                .upper = 5,
                                .centre = 2};
    q->parts[2].kind = PART_UNITS;
    q->stage = *STAGE_OF(&q->plan);
}

static void
find(struct made *m, struct asked *q, struct groups *g)
{
    struct exact x = {.groups = g};

    assert_true(groups_init(g, &q->stage));
    if (work_fill(m->engine, &q->stage, &x, &m->err))
        fail_msg("%s (%s)", m->err.said, m->err.noted);
}

static void
negate(struct groups *g)
{
    for (size_t k = 0; k < g->n; k++) {
        g->units[k] = -g->units[k];
        for (size_t i = 0; i < 3; i++)
            g->values[i][k] = -g->values[i][k];
    }
}

/* Subtracts b from a. */
static void
subtract(struct groups *a, struct groups *b)
{
    negate(b);
    assert_true(groups_merge(a, b));
    negate(b);
}

/* ------------------------------------------------------------- reference -- */

/*
 * The stored rows, in the order of unit and rank, folded slowly: with lists
 * instead of a hash table, row by row.
 */
/* Adds what a unit adds to the groups that it is in. */
static void
add_unit(const struct asked *q, struct groups *g, const i128 *met, size_t n)
{
    for (size_t i = 0; i < n; i++)
        g->units[met[i]] +=
            q->selection.rule ? custos_keys_weight(q->selection.rule, n) : 1;
}

static void
refer(struct made *m, const struct asked *q, struct groups *g)
{
    struct column columns[8];
    struct result *rows = NULL;
    i128 unit = 0, met[GROUPS_MOST];
    size_t n = 0, n_met = 0;
    uint64_t used = 0;
    struct buf sql;

    buf_init(&sql, NULL, 1 << 12);
    buf_add_text(&sql, "SELECT u, c4");
    for (size_t i = 0; i < q->plan.space.n_keys; i++) {
        static const char *const forms[] = {
            [1] = ", CASE WHEN strlen(c1) <= 1024 THEN c1 END",
            [2] = ", c2",
            [3] = ", CASE WHEN c3 < DATE '10000-01-01' THEN c3 END",
            [5] = ", k5"};

        buf_add_text(&sql, forms[q->keys[i].expr->slot]);
    }
    buf_add_text(&sql, " FROM t0 ORDER BY u, r");
    assert_true(groups_init(g, &q->stage));
    assert_false(duck_ask(duck_of(m->engine)->connections[0], buf_text(&sql),
                          &rows, &m->err));
    while (!result_next(rows, &n, columns, &m->err) && n > 0)
        for (uint32_t row = 0; row < n; row++) {
            int32_t cell[WORK_CHUNK_MOST];
            size_t i = 0;

            if (column_whole(&columns[0], row) != unit) {
                unit = column_whole(&columns[0], row);
                add_unit(q, g, met, n_met);
                used = n_met = 0;
            }
            if (used++ >= q->plan.rows)
                continue;
            assert_true(groups_find(g, columns + 2, &row, 1, cell));
            while (i < n_met && met[i] != cell[row])
                i++;
            if (i == n_met && n_met == q->plan.space.groups)
                continue;
            if (i == n_met) {
                met[n_met++] = cell[row];
                g->values[2][cell[row]]++;
            }
            g->values[0][cell[row]]++;
            if (!column_is_null(&columns[1], row))
                g->values[1][cell[row]] += column_whole(&columns[1], row) - 2;
        }
    add_unit(q, g, met, n_met);
    result_free(rows);
    buf_clear(&sql);
}

static void
is_nothing(const struct groups *g)
{
    for (size_t k = 0; k < g->n; k++)
        assert_true(g->units[k] == 0 && g->values[0][k] == 0 &&
                    g->values[1][k] == 0 && g->values[2][k] == 0);
}

static void
groups_fold_equals_the_reference(void **state)
{
    struct made m;

    (void)state;
    made_folder(&m);
    write_lines(&m, 3, -1);
    made_ready(&m, STORED);
    for (unsigned keys = 1; keys < 16; keys++)
        for (uint64_t groups = 1; groups <= 4; groups++) {
            struct groups fold, general, plain;
            struct asked q;

            if (keys == 8) /* no private key */
                continue;
            ask(&q, &m, BOUND_FOLD, 4, groups, keys);
            find(&m, &q, &fold);
            q.plan.space.bounding = BOUND_GENERAL;
            find(&m, &q, &general);
            refer(&m, &q, &plain);
            assert_true(plain.n > 2);
            subtract(&plain, &fold);
            is_nothing(&plain);
            subtract(&general, &fold);
            is_nothing(&general);
            groups_clear(&fold);
            groups_clear(&general);
            groups_clear(&plain);
        }
    made_close(&m);
}

static custos_keys *
weighted_rule(uint64_t keys)
{
    const custos_keys_options o = {.size = sizeof o,
                                   .rule = CUSTOS_KEYS_WEIGHTED,
                                   .adjacency = CUSTOS_ADD_REMOVE,
                                   .keys_per_unit = keys,
                                   .epsilon = "1",
                                   .delta = "1e-6"};
    custos_keys *rule = NULL;

    assert_int_equal(custos_keys_new(NULL, &o, &rule, NULL), CUSTOS_OK);
    return rule;
}

/* Under the weighted rule a unit in l groups adds the weight for l to each: in the
   fold, the general way and the reference, and not in ways that cannot know l. */
static void
weights_equal_the_reference(void **state)
{
    struct made m;

    (void)state;
    made_folder(&m);
    write_lines(&m, 3, -1);
    made_ready(&m, STORED);
    for (unsigned keys = 1; keys < 8; keys++)
        for (uint64_t groups = 1; groups <= 4; groups++) {
            struct groups fold, general, plain, none;
            struct exact x = {.groups = &none};
            i128 sum = 0;
            struct asked q;

            ask(&q, &m, BOUND_FOLD, 4, groups, keys);
            q.selection.rule = weighted_rule(groups);
            assert_false(fits_ordinal(m.engine, &q.stage));
            find(&m, &q, &fold);
            q.plan.space.bounding = BOUND_GENERAL;
            find(&m, &q, &general);
            refer(&m, &q, &plain);
            for (size_t k = 0; k < plain.n; k++)
                sum += plain.units[k];
            assert_true(sum > 2 * custos_keys_weight(q.selection.rule, 1));
            subtract(&plain, &fold);
            is_nothing(&plain);
            subtract(&general, &fold);
            is_nothing(&general);
            q.plan.space.bounding = BOUND_RANK;
            assert_true(groups_init(&none, &q.stage));
            assert_int_equal(run_sql(m.engine, &q.stage, &x, &m.err),
                             CUSTOS_EINTERNAL);
            custos_keys_free(q.selection.rule);
            groups_clear(&fold);
            groups_clear(&general);
            groups_clear(&plain);
            groups_clear(&none);
        }
    made_close(&m);
}

/* Bounding by ordinals against the fold, on plans that both support. */
static void
placed_equals_the_fold(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct made m;

        made_folder(&m);
        write_lines(&m, seed, -1);
        made_ready(&m, STORED);
        for (unsigned keys = 1; keys <= 4; keys *= 2)
            for (uint64_t rows = 1; rows <= 600; rows = 2 * rows + 1)
                for (uint64_t groups = 1; groups <= 9 && groups <= rows;
                     groups += 2) {
                    struct groups fold, placed;
                    struct asked q;
                    struct exact x = {.groups = &fold};

                    ask(&q, &m, BOUND_FOLD, rows, groups, keys);
                    assert_true(fits_ordinal(m.engine, &q.stage));
                    assert_true(groups_init(&fold, &q.stage));
                    assert_true(groups_init(&placed, &q.stage));
                    assert_false(run_fold(m.engine, &q.stage, &x, &m.err));
                    x.groups = &placed;
                    assert_false(run_ordinal(m.engine, &q.stage, &x, &m.err));
                    subtract(&placed, &fold);
                    assert_true(fold.n > 0 && placed.n >= fold.n);
                    is_nothing(&placed);
                    groups_clear(&fold);
                    groups_clear(&placed);
                }
        made_close(&m);
    }
}

/* Other plans do not use ordinals; only the plan and the format decide this. */
static void
places_are_for_one_bare_key(void **state)
{
    struct asked q;
    struct made m;

    (void)state;
    made_folder(&m);
    write_lines(&m, 3, -1);
    made_ready(&m, STORED);
    ask(&q, &m, BOUND_FOLD, 4, 2, 1);
    assert_true(fits_ordinal(m.engine, &q.stage));
    q.plan.where = &q.v;
    assert_false(fits_ordinal(m.engine, &q.stage));
    q.plan.where = NULL;
    q.plan.rows = INT16_MAX + 1;
    assert_false(fits_ordinal(m.engine, &q.stage));
    q.plan.rows = 4;
    q.parts[1].kind = PART_DISTINCT;
    assert_false(fits_ordinal(m.engine, &q.stage));
    q.parts[1].kind = PART_SUM;
    q.exprs[0].kind = EXPR_CALL;
    assert_false(fits_ordinal(m.engine, &q.stage));
    ask(&q, &m, BOUND_FOLD, 4, 2, 3);
    assert_false(fits_ordinal(m.engine, &q.stage));
    made_close(&m);
}

/* ------------------------------------------------------------ neighbours -- */

/*
 * Without one unit: at most `groups` groups lose it, and rows and sums change
 * little.
 */
static void
check_unit(struct made *m, struct made *n, enum bounding bounding,
           uint64_t groups, unsigned keys)
{
    struct groups with, without;
    struct asked q, o;
    i128 rows = 0, sum = 0, lost = 0;

    ask(&q, m, bounding, 4, groups, keys);
    ask(&o, n, bounding, 4, groups, keys);
    find(m, &q, &with);
    find(n, &o, &without);
    subtract(&with, &without);
    for (size_t k = 0; k < with.n; k++) {
        i128 d = with.values[1][k];

        assert_true(with.units[k] == 0 || with.units[k] == 1);
        assert_true(with.units[k] == with.values[2][k]);
        assert_true(with.units[k] || (!with.values[0][k] && !d));
        lost += with.units[k];
        rows += with.values[0][k];
        sum += d < 0 ? -d : d;
    }
    assert_true(lost > 0 && lost <= (i128)groups);
    assert_true(rows > 0 && rows <= 4 && sum <= 4 * 7);
    groups_clear(&with);
    groups_clear(&without);
}

static void
removing_a_unit_moves_few_groups(void **state)
{
    static const char *const policies[] = {STORED, ATTACHED};

    (void)state;
    for (int p = 0; p < 2; p++)
        for (int without = 1; without <= 2; without++) {
            struct made m, n;

            made_folder(&m);
            made_folder(&n);
            write_lines(&m, 5, -1);
            write_lines(&n, 5, without);
            made_ready(&m, policies[p]);
            made_ready(&n, policies[p]);
            for (uint64_t groups = 1; groups <= 4; groups++) {
                check_unit(&m, &n, BOUND_GENERAL, groups, 1 + (unsigned)groups);
                if (p == 0)
                    check_unit(&m, &n, BOUND_FOLD, groups,
                               1 + (unsigned)groups);
            }
            made_close(&m);
            made_close(&n);
        }
}

/* -------------------------------------------------------------- choosing -- */

static struct engine_groups *
found(struct made *m, struct asked *q)
{
    struct engine_groups *g = NULL;

    if (engine_find(m->engine, &q->stage, &g, &m->err))
        fail_msg("%s (%s)", m->err.said, m->err.noted);
    return g;
}

static custos_keys *
rule_make(const char *epsilon, custos_keys_rule kind)
{
    custos_keys_options o = {.size = sizeof o,
                             .rule = kind,
                             .adjacency = CUSTOS_ADD_REMOVE,
                             .keys_per_unit = 4,
                             .epsilon = epsilon,
                             .delta = "1e-3"};
    custos_keys *rule = NULL;
    custos_err err = CUSTOS_ERR_INIT;

    if (custos_keys_new(NULL, &o, &rule, &err))
        fail_msg("%s", err.said);
    return rule;
}

static void
nothing_leaves_before_the_choice(void **state)
{
    custos_rng *rng = NULL;
    struct engine_groups *g;
    custos_sealed *sealed = NULL;
    struct asked q;
    struct made m;

    (void)state;
    test_rng_new_silent();
    assert_false(custos_rng_new(&rng, NULL));
    made_folder(&m);
    write_lines(&m, 3, -1);
    made_ready(&m, STORED);
    ask(&q, &m, BOUND_FOLD, 4, 4, 1);
    q.selection.rule = rule_make("4", CUSTOS_KEYS_GEOMETRIC);
    g = found(&m, &q);
    assert_int_equal(engine_groups_count(g), 0);
    assert_false(engine_groups_choose(g, rng, &m.err)); /* no noise: all */
    assert_int_equal(engine_groups_count(g), COUNT_OF(texts) + 1);
    assert_int_equal(engine_groups_choose(g, rng, &m.err), CUSTOS_ETAKEN);
    assert_false(engine_groups_part(g, 0, 0, &sealed, &m.err));
    custos_sealed_free(sealed);
    sealed = NULL;
    assert_int_equal(engine_groups_part(g, 0, 0, &sealed, &m.err),
                     CUSTOS_ETAKEN);
    engine_groups_free(g);
    custos_keys_free(q.selection.rule);
    /* A threshold above all counts: no group, as if there were no rows. */
    q.selection.rule = rule_make("0.01", CUSTOS_KEYS_LAPLACE);
    q.selection.serves = 2;
    g = found(&m, &q);
    assert_false(engine_groups_choose(g, rng, &m.err));
    assert_int_equal(engine_groups_count(g), 0);
    engine_groups_free(g);
    custos_keys_free(q.selection.rule);
    custos_rng_free(rng);
    made_close(&m);
}

static void
chosen_groups_are_in_order(void **state)
{
    custos_rng *rng = NULL;
    struct engine_groups *g;
    struct asked q;
    struct made m;
    size_t all = 0;

    (void)state;
    test_rng_new_silent();
    assert_false(custos_rng_new(&rng, NULL));
    made_folder(&m);
    write_lines(&m, 3, -1);
    made_ready(&m, STORED);
    ask(&q, &m, BOUND_FOLD, 4, 4, 15);
    q.selection.rule = rule_make("4", CUSTOS_KEYS_GEOMETRIC);
    for (size_t most = 7; most <= GROUPS_MOST; most *= 10) {
        q.plan.space.cells = most;
        g = found(&m, &q);
        assert_false(engine_groups_choose(g, rng, &m.err));
        assert_true(engine_groups_count(g) > 1 &&
                    engine_groups_count(g) <= most);
        if (most == 7)
            all = engine_groups_count(g) + engine_groups_more(g);
        assert_true(all > 100);
        assert_int_equal(engine_groups_count(g) + engine_groups_more(g), all);
        for (size_t i = 1; i < engine_groups_count(g); i++) {
            int order = 0;

            for (size_t k = 0; k < 4 && !order; k++) {
                struct datum a = engine_groups_key(g, i - 1, k);
                struct datum b = engine_groups_key(g, i, k);

                order = datum_cmp(&a, &b);
            }
            assert_true(order < 0);
        }
        engine_groups_free(g);
    }
    custos_keys_free(q.selection.rule);
    custos_rng_free(rng);
    made_close(&m);
}

/* The sealed values as they arrived: number and sum in each group. */
struct seen {
    size_t n[GROUPS_MOST], times[GROUPS_MOST], all;
    i128 sum[GROUPS_MOST];
};

static custos_status
see(void *ctx, size_t cell, custos_sealed *sealed, size_t cells,
    custos_err *err)
{
    struct seen *s = ctx;
    i128 *v = NULL;

    s->all++;
    assert_true(cell < GROUPS_MOST);
    assert_false(sealed_open(sealed, SEALED_WIDE, cells, &v, err));
    s->times[cell]++;
    s->n[cell] = cells - 1;
    for (size_t i = 1; i < cells; i++)
        s->sum[cell] += v[i];
    return CUSTOS_OK;
}

static i128
opened(struct engine_groups *g, size_t group, size_t part, custos_err *err)
{
    custos_sealed *sealed = NULL;
    i128 *v = NULL, value;

    assert_false(engine_groups_part(g, group, part, &sealed, err));
    assert_false(sealed_open(sealed, SEALED_WIDE, 1, &v, err));
    value = *v;
    custos_sealed_free(sealed);
    return value;
}

/*
 * The values for quantiles are given out, sealed, for selected groups only and
 * only once. They are those of the counted rows: their number and sum agree
 * with the other parts.
 */
static void
check_chosen_values(struct made *m, custos_rng *rng, struct asked *q)
{
    struct part_quantiles of = {.n = 1};
    struct seen before = {.all = 0}, s = {.all = 0};
    struct engine_groups *g;
    size_t n;

    q->parts[0] = (struct part){.kind = PART_VALUES, .of = &q->v, .upper = 1};
    q->parts[1].centre = 0;
    q->parts[2] = q->parts[1];
    q->parts[2].kind = PART_QUANTILES;
    q->parts[2].quantiles = &of;
    g = found(m, q);
    assert_false(
        engine_groups_quantiles(m->engine, g, 2, see, &before, &m->err));
    assert_int_equal(before.all, 0);
    assert_false(engine_groups_choose(g, rng, &m->err));
    n = engine_groups_count(g);
    assert_false(engine_groups_quantiles(m->engine, g, 2, see, &s, &m->err));
    assert_true(n > 2 && n < 7);
    assert_int_equal(s.all, n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(s.times[i], 1);
        assert_true(opened(g, i, 0, &m->err) == (i128)s.n[i]);
        assert_true(opened(g, i, 1, &m->err) == s.sum[i]);
    }
    assert_int_equal(engine_groups_quantiles(m->engine, g, 2, see, &s, &m->err),
                     CUSTOS_ETAKEN);
    assert_int_equal(s.all, n);
    engine_groups_free(g);
}

static void
quantiles_are_of_the_chosen_alone(void **state)
{
    static const char *const policies[] = {STORED, ATTACHED};
    custos_rng *rng = NULL;
    struct asked q;

    (void)state;
    test_rng_new_silent();
    assert_false(custos_rng_new(&rng, NULL));
    for (size_t p = 0; p < COUNT_OF(policies); p++) {
        struct made m;

        made_folder(&m);
        write_lines(&m, 3, -1);
        made_ready(&m, policies[p]);
        for (uint64_t groups = 1; groups <= 4; groups++) {
            ask(&q, &m, BOUND_GENERAL, 4, groups, 1);
            q.plan.space.cells = 6; /* of 7 groups */
            q.selection.rule = rule_make("4", CUSTOS_KEYS_GEOMETRIC);
            check_chosen_values(&m, rng, &q);
            q.plan.space.bounding = BOUND_RANK;
            q.plan.rows = groups;
            if (p == 0)
                check_chosen_values(&m, rng, &q);
            custos_keys_free(q.selection.rule);
        }
        made_close(&m);
    }
    custos_rng_free(rng);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_fold_equals_the_reference),
        cmocka_unit_test(weights_equal_the_reference),
        cmocka_unit_test(placed_equals_the_fold),
        cmocka_unit_test(places_are_for_one_bare_key),
        cmocka_unit_test(removing_a_unit_moves_few_groups),
        cmocka_unit_test(nothing_leaves_before_the_choice),
        cmocka_unit_test(chosen_groups_are_in_order),
        cmocka_unit_test(quantiles_are_of_the_chosen_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
