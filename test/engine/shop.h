/*
 * A shop for tests of joins: people, their orders, the lines and returns of the
 * orders, and public tables. The rows are random, with NULL and dangling keys,
 * equal rows, people without rows and one with very many. The same rows are
 * kept in C, where pairs.h computes joins again, pair by pair.
 */
#ifndef TEST_ENGINE_SHOP_H
#define TEST_ENGINE_SHOP_H

#include "engine/statement/relation.h"
#include "made.h"
#include "num/rat.h"
#include "plan/from/relation.h"
#include "sql/tree.h"
#include "support/stages.h"

enum { SHOP_ROWS = 2000, SHOP_COLUMNS = 3, NOTHING = INT32_MIN };
enum shop_table { PEOPLE, ORDERS, LINES, RETURNS, PARTS, TAGS, SHOP_TABLES };

/* Each %d is a bound on the rows of a unit. */
static const char shop_policy[] =
    "custos: 1\nadjacency: add-remove\nbudget: {epsilon: 100}\ntables:\n"
    "  people:\n    source: t0.csv\n    unit: id\n    rows_per_unit: %d\n"
    "    columns:\n      id: {type: integer}\n"
    "      seg: {type: integer, range: [0, 2]}\n"
    "      pk: {type: integer, references: parts.pk}\n"
    "  orders:\n    source: t1.csv\n    unit: id\n    rows_per_unit: %d\n"
    "    columns:\n      ok: {type: integer}\n"
    "      id: {type: integer, references: people.id}\n"
    "      x: {type: integer, range: [-9, 9]}\n"
    "  lines:\n    source: t2.csv\n    unit: ok\n    rows_per_unit: %d\n"
    "    columns:\n      ok: {type: integer, references: orders.ok}\n"
    "      pk: {type: integer, references: parts.pk}\n"
    "      y: {type: integer, range: [-9, 9]}\n"
    "  returns:\n    source: t3.csv\n    unit: ok\n    rows_per_unit: %d\n"
    "    columns:\n      ok: {type: integer, references: orders.ok}\n"
    "      pk: {type: integer}\n"
    "      z: {type: integer, range: [-9, 9]}\n"
    "  far:\n    source: t2.csv\n    attach: true\n    unit: ok\n"
    "    rows_per_unit: %d\n"
    "    columns:\n      ok: {type: integer, references: orders.ok}\n"
    "      pk: {type: integer, references: parts.pk}\n"
    "      y: {type: integer, range: [-9, 9]}\n"
    "  parts:\n    source: t4.csv\n    public: true\n"
    "    columns:\n      pk: {type: integer}\n"
    "      kind: {type: integer, range: [0, 3]}\n"
    "      w: {type: integer, range: [0, 9]}\n"
    "  tags:\n    source: t5.csv\n    public: true\n"
    "    columns:\n      pk: {type: integer}\n"
    "      tag: {type: integer, range: [0, 3]}\n"
    "      w: {type: integer, range: [0, 9]}\n";

static const char *const shop_heads[SHOP_TABLES] = {
    "id,seg,pk", "ok,id,x", "ok,pk,y", "ok,pk,z", "pk,kind,w", "pk,tag,w"};

struct shop {
    struct made made;
    int rows[SHOP_TABLES][SHOP_ROWS][SHOP_COLUMNS];
    size_t n[SHOP_TABLES];
};

static inline uint64_t
shop_draw(uint64_t *state, uint64_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (*state >> 33) % below;
}

static inline void
shop_add(struct shop *s, enum shop_table t, int a, int b, int c)
{
    int row[SHOP_COLUMNS] = {a, b, c};

    assert_true(s->n[t] < SHOP_ROWS);
    memcpy(s->rows[t][s->n[t]++], row, sizeof row);
}

static inline int
shop_value(uint64_t *seed)
{
    return shop_draw(seed, 8) ? (int)shop_draw(seed, 19) - 9 : NOTHING;
}

static inline int
shop_part(uint64_t *seed)
{
    return shop_draw(seed, 6) ? (int)shop_draw(seed, 12) : NOTHING;
}

/* One order of a person with its lines and returns. */
static inline void
shop_order(struct shop *s, uint64_t *seed, int ok, int id)
{
    int copies = shop_draw(seed, 4) == 0 ? 2 : 1;

    shop_add(s, ORDERS, ok, id, shop_value(seed));
    for (uint64_t i = shop_draw(seed, 4); i > 0; i--) {
        int pk = shop_part(seed), y = shop_value(seed);

        for (int k = 0; k < copies; k++)
            shop_add(s, LINES, ok, pk, y);
    }
    for (uint64_t i = shop_draw(seed, 3); i > 0; i--)
        shop_add(s, RETURNS, ok, shop_part(seed), shop_value(seed));
}

/* All rows; those of the person `without` are drawn but left out. */
static inline void
shop_fill(struct shop *s, uint64_t seed, int people, int without)
{
    int ok = 100;
    size_t n[SHOP_TABLES];

    memset(s->n, 0, sizeof s->n);
    for (int pk = 0; pk < 10; pk++) {
        shop_add(s, PARTS, pk, pk % 4, pk % 5);
        for (int i = 0; i < pk % 4; i++)
            shop_add(s, TAGS, pk, i, (pk + i) % 7);
    }
    for (int id = 1; id <= people; id++) {
        uint64_t orders = id == 1 ? 9 : shop_draw(&seed, 4);

        memcpy(n, s->n, sizeof n);
        if (id % 7 != 6) /* else the orders belong to nobody */
            shop_add(s, PEOPLE, id, (int)shop_draw(&seed, 3), shop_part(&seed));
        for (; orders > 0; orders--)
            shop_order(s, &seed, ok++, shop_draw(&seed, 9) ? id : (int)NOTHING);
        if (id == without)
            memcpy(s->n, n, sizeof n);
    }
    shop_add(s, LINES, 99, 1, 1); /* of no order */
    shop_add(s, RETURNS, NOTHING, 1, 1);
}

static inline void
shop_open(struct shop *s, int most)
{
    char name[16], policy[4096], *text = calloc(1, SHOP_ROWS * 48);

    made_folder(&s->made);
    for (int t = 0; t < SHOP_TABLES; t++) {
        size_t len = (size_t)sprintf(text, "%s\n", shop_heads[t]);

        for (size_t i = 0; i < s->n[t]; i++)
            for (int c = 0; c < SHOP_COLUMNS; c++) {
                int v = s->rows[t][i][c];

                len += (size_t)(v == NOTHING ? sprintf(text + len, "%s",
                                                       c == 2 ? "\n" : ",")
                                             : sprintf(text + len, "%d%s", v,
                                                       c == 2 ? "\n" : ","));
            }
        snprintf(name, sizeof name, "t%d.csv", t);
        made_file(&s->made, name, text);
    }
    free(text);
    snprintf(policy, sizeof policy, shop_policy, most > 1 ? 2 : 1, most,
             most + 1, most > 1 ? most - 1 : 1, most + 1);
    made_ready(&s->made, policy);
}

/* The plan and the exact result of a query. */
struct shop_answer {
    struct plan *plan;
    struct exact x;
};

static inline void
shop_plan(struct shop *s, const char *sql, struct shop_answer *a)
{
    struct query *q = NULL;
    custos_status st = sql_read(s->made.a, str_of(sql), &q, &s->made.err);

    if (!st)
        st = plan_make(s->made.a, q, s->made.policy, NULL, &a->plan,
                       &s->made.err);
    if (st)
        fail_msg("%s\n%s", sql, s->made.err.said);
}

static inline void
shop_run(struct shop *s, const char *sql, struct shop_answer *a)
{
    custos_status st = exact_init(&a->x, stage_values(a->plan), &s->made.err);

    assert_int_equal(st, CUSTOS_OK);
    assert_int_equal(engine_prepare(s->made.engine, a->plan, &s->made.err),
                     CUSTOS_OK);
    switch (a->plan->space.bounding) {
    case BOUND_FOLD:
        st = run_fold(s->made.engine, stage_values(a->plan), &a->x,
                      &s->made.err);
        break;
    case BOUND_GENERAL:
        st = run_general(s->made.engine, stage_values(a->plan), &a->x,
                         &s->made.err);
        break;
    default:
        st =
            run_sql(s->made.engine, stage_values(a->plan), &a->x, &s->made.err);
        break;
    }
    engine_unprepare(s->made.engine);
    if (st)
        fail_msg("%s\n%s", sql, s->made.err.noted);
}

static inline void
shop_ask(struct shop *s, const char *sql, struct shop_answer *a)
{
    shop_plan(s, sql, a);
    shop_run(s, sql, a);
}

static inline void
shop_answered(struct shop_answer *a)
{
    exact_clear(&a->x);
    plan_free(a->plan);
}

#endif
