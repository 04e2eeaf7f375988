/*
 * The stored rows of the tables of asked.h, for references that bound and
 * aggregate them by hand.
 */
#ifndef TEST_ENGINE_STORED_ROWS_H
#define TEST_ENGINE_STORED_ROWS_H

#include "asked.h"

/* A stored row as the reference sees it; -1000000 stands for NULL. */
enum { NONE = -1000000 };
struct row {
    int64_t unit, rank, key, n, d;
    int64_t f;
};

/* Reads the rows of v in the order of units and ranks; without units, each row
   is one. */
static inline size_t
read_rows(struct made *m, struct row *rows, bool units)
{
    struct column c[6];
    struct result *found = NULL;
    size_t n = 0, all = 0;
    char sql[256];

    snprintf(sql, sizeof sql,
             "SELECT %s, CAST(coalesce(k1, 4) AS BIGINT), coalesce(c2, %d), "
             "coalesce(CAST(g3 AS BIGINT), %d), CAST(coalesce(g4, %d) AS "
             "BIGINT) FROM t%zu ORDER BY 1, 2",
             units ? "u, r" : "row_number() OVER (), CAST(1 AS BIGINT)", NONE,
             NONE, NONE,
             (size_t)(policy_table_find(m->policy, str_of("v")) -
                      m->policy->tables));
    assert_int_equal(
        duck_ask(duck_of(m->engine)->connections[0], sql, &found, &m->err),
        CUSTOS_OK);
    while (!result_next(found, &n, c, &m->err) && n > 0)
        for (size_t i = 0; i < n; i++, all++) {
            assert_true(all < ROWS_MOST);
            rows[all] = (struct row){(int64_t)column_whole(&c[0], i),
                                     (int64_t)column_whole(&c[1], i),
                                     (int64_t)column_whole(&c[2], i),
                                     (int64_t)column_whole(&c[3], i),
                                     (int64_t)column_whole(&c[5], i),
                                     (int64_t)column_whole(&c[4], i)};
        }
    result_free(found);
    return all;
}

/* What bounding has kept so far of the rows of one unit. */
struct kept {
    const struct row *last;
    bool seen[CELLS];
    uint64_t used, groups;
};

/* Does bounding keep the next row, after WHERE? In a new unit it begins anew. */
static inline bool
keeps(struct kept *k, const struct row *r, const struct plan *plan)
{
    size_t c = plan->space.n_keys ? (size_t)r->key : 0;
    bool keep = !plan->where || (r->n != NONE && r->n > 0);

    if (!k->last || r->unit != k->last->unit)
        *k = (struct kept){0};
    k->last = r;
    if (plan->space.bounding == BOUND_RANK)
        keep = keep && (uint64_t)r->rank <= plan->rows;
    if (plan->space.bounding == BOUND_GENERAL && keep) {
        keep = k->used < plan->rows;
        k->used += keep;
        keep = keep && (k->seen[c] || k->groups < plan->space.groups);
        k->groups += keep && !k->seen[c];
        k->seen[c] = k->seen[c] || keep;
    }
    return keep;
}

#endif
