/*
 * For tests of bounding: random tables of one shape, with every kind of unit,
 * and plans over them made by hand.
 */
#ifndef TEST_ENGINE_ASKED_H
#define TEST_ENGINE_ASKED_H

#include "made.h"
#include "support/stages.h"

enum { CELLS = 5, ROWS_MOST = 3000 };

#define HEAD "custos: 1\nbudget: {epsilon: 1}\ntables:\n"
#define COLUMNS                                                                \
    "      k: {type: text, values: [a, b, c, d]}\n"                            \
    "      n: {type: integer, range: [-50, 50]}\n"                             \
    "      f: {type: real, range: [-2, 2]}\n"                                  \
    "      d: {type: decimal, scale: 1, range: [0, 9]}\n"

static const char COLUMN_UNIT[] __attribute__((unused)) =
    HEAD "  v:\n    source: v.csv\n"
         "    unit: who\n    rows_per_unit: 4\n"
         "    columns:\n"
         "      who: {type: integer}\n" COLUMNS;
static const char ATTACHED_UNIT[] __attribute__((unused)) =
    HEAD "  v:\n    source: v.csv\n    attach: true\n"
         "    unit: who\n    rows_per_unit: 4\n    columns:\n"
         "      who: {type: integer}\n" COLUMNS;
static const char ROW_UNIT[] __attribute__((unused)) =
    HEAD "  v:\n    source: v.csv\n"
         "    unit: row\n    columns:\n"
         "      who: {type: integer}\n" COLUMNS;
#define PATH_PEOPLE                                                            \
    "  p:\n    source: p.csv\n    unit: person\n    columns:\n"                \
    "      card: {type: integer}\n      person: {type: text}\n"
static const char PATH_UNIT[] __attribute__((unused)) =
    HEAD PATH_PEOPLE "  v:\n    source: v.csv\n    unit: who\n"
                     "    rows_per_unit: 4\n    columns:\n"
                     "      who: {type: integer, references: p.card}\n" COLUMNS;
static const char ATTACHED_PATH[] __attribute__((unused)) =
    HEAD PATH_PEOPLE "  v:\n    source: v.csv\n    attach: true\n"
                     "    unit: who\n    rows_per_unit: 4\n    columns:\n"
                     "      who: {type: integer, references: p.card}\n" COLUMNS;

static inline uint64_t
draw(uint64_t *state, uint64_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (*state >> 33) % below;
}

/*
 * Rows for about `units` people; the first has very many rows, the second at
 * most one. Some values are missing, unreadable or out of range. Leaves out the
 * person `without`.
 */
static inline void
write_rows(const struct made *m, uint64_t seed, size_t rows, int units,
           int without)
{
    static const char *const keys[] = {"a", "b", "c", "d", "zzz", "", "\"\""};
    static const char *const reals[] = {"0.5", "-1.75",  "99", "nan",
                                        "inf", "broken", "",   "-2"};
    char *text = calloc(1, rows * 64 + 64);
    size_t len = (size_t)snprintf(text, 64, "who,k,n,f,d\n");

    for (size_t i = 0; i < rows; i++) {
        uint64_t heavy = draw(&seed, 4);
        int who = heavy == 0 ? 1
                  : i == 7   ? 2
                             : 3 + (int)draw(&seed, (uint64_t)units);
        const char *key = keys[draw(&seed, 7)];
        int n = (int)draw(&seed, 140) - 70;
        const char *real = reals[draw(&seed, 8)];
        unsigned d = (unsigned)draw(&seed, 120);
        bool nobody = draw(&seed, 20) == 0;

        if (who == without)
            continue;
        if (nobody)
            len += (size_t)snprintf(text + len, 64, ",%s,%d,%s,%u.%u\n", key, n,
                                    real, d / 10, d % 10);
        else
            len += (size_t)snprintf(text + len, 64, "%d,%s,%d,%s,%u.%u\n", who,
                                    key, n, real, d / 10, d % 10);
    }
    made_file(m, "v.csv", text);
    free(text);
}

/* Cards 1, 2, ... belong to people, two cards to each; some are missing. */
static inline void
write_people(const struct made *m, int units, int without)
{
    char text[4096] = "card,person\n";
    size_t len = strlen(text);

    for (int i = 1; i <= units + 2; i++) {
        if (i % 9 == 8 || i / 2 == without)
            continue;
        len += (size_t)snprintf(text + len, sizeof text - len, "%d,p%d\n", i,
                                i / 2);
    }
    made_file(m, "p.csv", text);
}

/* A plan over table v: six or seven parts, and the key k or no key. */
struct asked {
    struct expr key_expr, n, f, d, where, low;
    struct expr *where_args[2];
    struct key key;
    struct part parts[7];
    struct plan plan;
};

static inline void
ask(struct asked *q, const struct made *m, enum bounding bounding,
    uint64_t rows, uint64_t groups, bool keyed, bool filtered)
{
    const struct policy_table *t = policy_table_find(m->policy, str_of("v"));
    struct grid one = {10, 0}, tenth = {10, 1};

    memset(q, 0, sizeof *q);
    q->key_expr =
        (struct expr){.kind = EXPR_COLUMN, .slot = 1, .type = TYPE_TEXT};
    q->n = (struct expr){.kind = EXPR_COLUMN, .slot = 2, .type = TYPE_INT};
    q->f = (struct expr){.kind = EXPR_COLUMN, .slot = 3, .type = TYPE_REAL};
    q->d = (struct expr){.kind = EXPR_COLUMN, .slot = 4, .type = TYPE_DECIMAL};
    q->key = (struct key){.expr = &q->key_expr,
                          .kind = KEY_STORED,
                          .column = 1,
                          .values = t->columns[1].values,
                          .n = 4,
                          .null_group = true};
    q->parts[0].kind = PART_ROWS;
    q->parts[1] = (struct part){.kind = PART_SUM,
                                .of = &q->n,
                                .grid = one,
                                .lower = -50,
                                .upper = 50,
                                .centre = 3};
    q->parts[2] = (struct part){.kind = PART_VALUES,
                                .of = &q->f,
                                .grid = grid_of_column(&t->columns[3]),
                                .lower = -((i128)1 << 30),
                                .upper = (i128)1 << 30};
    q->parts[3] = q->parts[2];
    q->parts[3].kind = PART_SUM;
    /* Narrower than the stored range, so clamped again. */
    q->parts[4] = (struct part){.kind = PART_SQUARES,
                                .of = &q->d,
                                .grid = tenth,
                                .lower = 10,
                                .upper = 70,
                                .centre = 40};
    /* Narrower at one end. */
    q->parts[5] = (struct part){.kind = PART_SUM,
                                .of = &q->d,
                                .grid = tenth,
                                .lower = 10,
                                .upper = 90,
                                .centre = 40};
    q->parts[6].kind = PART_UNITS;
    q->low = (struct expr){.kind = EXPR_LITERAL,
                           .type = TYPE_INT,
                           .value = {.type = TYPE_INT, .n = 0}};
    q->where_args[0] = &q->n;
    q->where_args[1] = &q->low;
    q->where = (struct expr){.kind = EXPR_CALL,
                             .call = CALL_GT,
                             .type = TYPE_BOOL,
                             .args = q->where_args,
                             .n_args = 2};
    q->plan = (struct plan){.policy = m->policy,
                            .table = t,
                            .rows = rows,
                            .where = filtered ? &q->where : NULL,
                            .space = {.keys = keyed ? &q->key : NULL,
                                      .n_keys = keyed,
                                      .cells = keyed ? CELLS : 1,
                                      .groups = groups,
                                      .bounding = bounding},
                            .parts = q->parts,
                            .n_parts = bounding == BOUND_RANK ? 6 : 7};
}

static inline void
run(struct made *m, struct asked *q, struct exact *x)
{
    custos_status st = exact_init(x, STAGE_OF(&q->plan), &m->err);

    assert_int_equal(st, CUSTOS_OK);
    switch (q->plan.space.bounding) {
    case BOUND_FOLD:
        st = run_fold(m->engine, STAGE_OF(&q->plan), x, &m->err);
        break;
    case BOUND_GENERAL:
        st = run_general(m->engine, STAGE_OF(&q->plan), x, &m->err);
        break;
    default: st = run_sql(m->engine, STAGE_OF(&q->plan), x, &m->err); break;
    }
    if (st)
        print_message("%s | %s\n", m->err.said, m->err.noted);
    assert_int_equal(st, CUSTOS_OK);
}

static inline void
same(const i128 *a, const i128 *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (a[i] != b[i])
            fail_msg("number %zu: %lld, not %lld", i, (long long)a[i],
                     (long long)b[i]);
}

#endif
