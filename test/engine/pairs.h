/*
 * Joins computed again in C, by checking every pair of rows.
 */
#ifndef TEST_ENGINE_PAIRS_H
#define TEST_ENGINE_PAIRS_H

#include "shop.h"

enum { SIDES = 4, PAIRS_MOST = 60000, ANY = -1 };

/* Joins one more table: its column `own` must equal column `column` of side
   `side` (ANY: no condition), and its last column must be at least `least`
   (NOTHING: no condition). */
struct step {
    enum shop_table table;
    bool outer;
    int side, column, own;
    int least;
};

/* Joined rows, by side; NULL where LEFT JOIN found no row. */
struct pairs {
    const int *row[PAIRS_MOST][SIDES];
    size_t n;
};

static struct pairs before, after;

static inline bool
has_row(const struct shop *s, enum shop_table t, int column, int value)
{
    for (size_t i = 0; i < s->n[t]; i++)
        if (s->rows[t][i][column] == value && value != NOTHING)
            return true;
    return false;
}

/* Whether the row has a unit. */
static inline bool
is_someones(const struct shop *s, enum shop_table t, const int *row)
{
    if (t == PEOPLE)
        return row[0] != NOTHING;
    if (t == ORDERS)
        return has_row(s, PEOPLE, 0, row[1]);
    if (t == PARTS || t == TAGS)
        return true;
    for (size_t i = 0; i < s->n[ORDERS]; i++)
        if (s->rows[ORDERS][i][0] == row[0] && row[0] != NOTHING)
            return is_someones(s, ORDERS, s->rows[ORDERS][i]);
    return false;
}

static inline bool
meets(const struct step *j, const int *const *sides, const int *row)
{
    const int *with = j->side == ANY ? NULL : sides[j->side];

    if (j->side != ANY &&
        (!with || with[j->column] == NOTHING || with[j->column] != row[j->own]))
        return false;
    return j->least == NOTHING || (row[2] != NOTHING && row[2] >= j->least);
}

static inline void
keep(const int *const *sides, size_t n, const int *row)
{
    assert_true(after.n < PAIRS_MOST);
    for (size_t i = 0; i < n; i++)
        after.row[after.n][i] = sides[i];
    after.row[after.n++][n] = row;
}

/* Joins the rows of all steps; the result is in `before`. */
static inline void
reference(const struct shop *s, const struct step *steps, size_t n)
{
    static const int *const none[SIDES] = {NULL};

    before.n = 1;
    memcpy(before.row[0], none, sizeof none);
    for (size_t k = 0; k < n; k++) {
        const struct step *j = &steps[k];

        after.n = 0;
        for (size_t p = 0; p < before.n; p++) {
            size_t had = after.n;

            for (size_t i = 0; i < s->n[j->table]; i++) {
                const int *row = s->rows[j->table][i];

                if (is_someones(s, j->table, row) &&
                    meets(j, before.row[p], row))
                    keep(before.row[p], k, row);
            }
            if (j->outer && after.n == had)
                keep(before.row[p], k, NULL);
        }
        before = after;
    }
}

static inline i128
sum_of(size_t side, int column)
{
    i128 sum = 0;

    for (size_t p = 0; p < before.n; p++) {
        const int *row = before.row[p][side];

        if (row && row[column] != NOTHING)
            sum += row[column];
    }
    return sum;
}

#endif
