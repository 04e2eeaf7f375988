/*
 * Bounding by a predicate, in one aggregate query of the engine.
 *
 * Parts need sums of values v minus a centre c. Such a sum follows exactly from the
 * sum and the number n of the values; squares are summed after the subtraction:
 *
 *     sum(v - c) = sum(v) - c n      sum((v - c)^2), computed as it is written
 *
 * THEOREM  bounded-by-rank
 *   With `rank <= m` every unit has at most m rows in the exact numbers, and
 *   which rows these are depends on no other unit. If the unit is the row, it
 *   has one row. So a unit moves rows, values and sums by at most m times
 *   row_most in all cells together.
 * SOURCE   doc/proofs/rank-of-own-rows.md
 * NEEDS    ranks from rank-of-own-rows; every cell's numbers are sums over rows.
 * GIVES    x filled with the exact numbers; cells without rows are 0.
 * FAILS    CUSTOS_EENGINE, with one constant sentence.
 * TESTED   rank_equals_the_reference removing_a_unit_moves_little
 */
#include "base/ck.h"
#include "base/error.h"
#include "engine/statement/ask.h"
#include "engine/statement/relation.h"
#include "engine/statement/work.h"

custos_status
exact_init(struct exact *x, const struct stage *stage, custos_err *err)
{
    size_t numbers = 0;

    *x = (struct exact){.stage = stage, .cells = stage->space->cells};
    for (size_t i = 0; i < stage->n_parts; i++)
        numbers += part_numbers(&stage->parts[i]);
    if (ck_mul_size(x->cells, numbers, &x->n))
        x->values = calloc(x->n + 1, sizeof *x->values);
    if (!x->values)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    return CUSTOS_OK;
}

void
exact_clear(struct exact *x)
{
    if (x->values)
        wipe(x->values, x->n * sizeof *x->values);
    free(x->values);
    x->values = NULL;
}

i128 *
exact_part(const struct exact *x, size_t part)
{
    size_t before = 0;

    for (size_t i = 0; i < part; i++)
        before += part_numbers(&x->stage->parts[i]);
    return x->values + before * x->cells;
}

/* (value - centre)^2, at most 2^48 (grid_lay). */
static const struct term *
square(struct builder *b, const struct term *value, i128 centre)
{
    const struct term *from = term_whole(b, centre, STORED(I128));
    const struct term *off = term_binary(b, value, TERM_MINUS, from);

    off = term_cast(b, off, STORED(I64));
    return term_binary(b, off, TERM_TIMES, off);
}

/* The first column of a part; value is NULL if it adds none. */
static const struct term *
sum_of(struct builder *b, const struct part *p, const struct term *value,
       const struct term *units)
{
    switch (p->kind) {
    case PART_ROWS: return term_aggregate(b, TERM_COUNT, NULL);
    case PART_UNITS: return units;
    case PART_VALUES: return term_aggregate(b, TERM_COUNT, value);
    case PART_QUANTILES: break;
    case PART_DISTINCT: return term_aggregate(b, TERM_COUNT_DISTINCT, value);
    case PART_SUM:
    case PART_SHARE: return term_aggregate(b, TERM_SUM, value);
    case PART_SQUARES:
        return term_aggregate(b, TERM_SUM, square(b, value, p->centre));
    }
    return term_number(b, 0);
}

void
work_sums(struct builder *b, const struct stage *stage,
          const struct work_values *values, const struct term *units,
          const struct term *weights, struct select *to)
{
    for (size_t i = 0; i < stage->n_parts; i++) {
        const struct part *p = &stage->parts[i];
        const struct term *value =
            values->part[i] == WORK_NO_VALUE
                ? NULL
                : term_name(b, NULL, "value_%d", values->part[i]);

        select_add_bare(b, to, sum_of(b, p, value, units));
        select_add_bare(b, to,
                        p->kind == PART_SHARE ||
                                (p->kind == PART_SUM && p->centre)
                            ? term_aggregate(b, TERM_COUNT, value)
                            : term_number(b, 0));
    }
    if (stage->space->selection)
        select_add_bare(b, to, weights);
}

/* How many columns come before the sums: the keys, or one constant without keys. */
static size_t
key_columns(const struct stage *stage)
{
    return stage->space->n_keys ? stage->space->n_keys : 1;
}

bool
work_cell(const struct stage *stage, const struct column *columns, size_t row,
          size_t *out)
{
    size_t cell = 0;

    for (size_t i = 0; i < stage->space->n_keys; i++) {
        const struct key *k = &stage->space->keys[i];
        i128 n = column_is_null(&columns[i], row)
                     ? (i128)k->n
                     : column_whole(&columns[i], row);

        if (n < 0 || n >= (i128)work_key_size(k))
            return false;
        cell = cell * work_key_size(k) + (size_t)n;
    }
    *out = cell;
    return cell < stage->space->cells;
}

/* Adds to the two numbers of a share. sum and n: of the row's values. */
static void
add_share(const struct part *p, i128 sum, i128 n, i128 *to)
{
    to[0] += sum - p->lower * n;
    to[1] += p->upper * n - sum;
}

/* Adds the sums of a result row to a cell. */
static void
add_row(const struct stage *stage, const struct column *columns, size_t row,
        size_t cell, struct exact *x)
{
    i128 *first = x->values; /* of the part */

    for (size_t i = 0; i < stage->n_parts; i++) {
        const struct part *p = &stage->parts[i];
        const struct column *c = &columns[key_columns(stage) + 2 * i];
        i128 *to =
            (x->groups ? x->groups->values[i] : first) + cell * part_numbers(p);
        i128 sum = column_is_null(&c[0], row) ? 0 : column_whole(&c[0], row);

        if (!x->groups)
            first += part_numbers(p) * x->cells;
        if (p->kind == PART_SHARE) {
            add_share(p, sum, column_whole(&c[1], row), to);
            continue;
        }
        *to += sum;
        if (p->kind == PART_SUM)
            *to -= p->centre * column_whole(&c[1], row);
    }
}

/* Adds result rows to public cells; skips rows that are in no cell. */
static bool
collect_cells(const struct stage *stage, const struct column *columns, size_t n,
              struct exact *x)
{
    size_t cell;

    for (size_t row = 0; row < n; row++)
        if (work_cell(stage, columns, row, &cell))
            add_row(stage, columns, row, cell, x);
    return true;
}

/* Adds result rows to discovered groups; their last column is the number of units
   or the sum of their weights. */
static bool
collect_groups(const struct stage *stage, const struct column *columns,
               size_t n, struct exact *x)
{
    const struct column *units =
        &columns[stage->space->n_keys + 2 * stage->n_parts];
    uint32_t rows[WORK_CHUNK_MOST] = {0};
    int32_t cell[WORK_CHUNK_MOST];

    if (n > WORK_CHUNK_MOST)
        return false;
    for (uint32_t row = 0; row < n; row++)
        rows[row] = row;
    if (!groups_find(x->groups, columns, rows, n, cell))
        return false;
    for (size_t row = 0; row < n; row++) {
        x->groups->units[cell[row]] += column_whole(units, row);
        add_row(stage, columns, row, (size_t)cell[row], x);
    }
    return true;
}

custos_status
work_collect(struct builder *b, const struct stage *stage,
             const struct select *s, struct exact *x, custos_err *err)
{
    struct column columns[ROWS_COLUMNS_MAX];
    struct result *rows = NULL;
    size_t n = 0;
    custos_status st;
    bool good = true;

    if (key_columns(stage) + 2 * stage->n_parts + 1 > ROWS_COLUMNS_MAX)
        return custos_fail(err, CUSTOS_EOVERFLOW, "too many sums in one query");
    st = ask_rows(b, 0, s, &rows, err);
    while (!st && good && !(st = result_next(rows, &n, columns, err)) && n > 0)
        good =
            (x->groups ? collect_groups : collect_cells)(stage, columns, n, x);
    result_free(rows);
    if (!st && !good)
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    return st;
}

struct select *
sql_bounded(struct builder *b, const struct stage *stage,
            const struct work_values *values)
{
    struct select *s =
        select_new(b, input_as(b, relation_of_plan(b, stage->plan), "t"));

    if (stage->space->bounding == BOUND_RANK) {
        select_add(b, s, term_name(b, "t", "unit"), "unit");
        select_where(b, s,
                     term_binary(b, term_name(b, "t", "rank"), TERM_AT_MOST,
                                 term_number(b, stage->plan->rows)));
    } else {
        select_add(b, s, term_number(b, 1), "one");
        select_where(b, s, term_true(b));
    }
    work_columns(b, stage, values, s);
    work_conditions(b, stage, &s->where);
    return s;
}

/* The sums of all groups of the kept rows. */
static struct select *
sums_of_groups(struct builder *b, const struct stage *stage,
               const struct work_values *values)
{
    struct select *s =
        select_new(b, input_select(b, sql_bounded(b, stage, values)));
    /* If each unit has one row, the number of rows is the number of units. */
    bool distinct =
        stage->space->bounding == BOUND_RANK && stage->plan->rows > 1;
    const struct term *units =
        distinct
            ? term_aggregate(b, TERM_COUNT_DISTINCT, term_name(b, NULL, "unit"))
            : term_aggregate(b, TERM_COUNT, NULL);

    relation_queries(b, stage->plan, stage->plan->n_queries, s);
    for (size_t i = 0; i < stage->space->n_keys; i++) {
        const struct term *key = term_name(b, NULL, "key_%zu", i);

        select_add_bare(b, s, key);
        select_group(b, s, key);
    }
    if (stage->space->n_keys == 0)
        select_add_bare(b, s, term_number(b, 0));
    work_sums(b, stage, values, units, units, s);
    return s;
}

/* The predicate bounds a unit's groups only through its rows, and does not know how
   many they are. A space that relies on fewer groups, on fewer rows in each or on
   weights is refused. */
static bool
is_bounded(const struct stage *stage)
{
    const struct cell_space *space = stage->space;

    if (selection_weighs(space->selection) || space->per_group > 0)
        return false;
    return space->groups >= stage->plan->rows ||
           (!space->selection && space->groups >= space->cells);
}

custos_status
run_sql(struct engine *e, const struct stage *stage, struct exact *x,
        custos_err *err)
{
    struct work_values values;
    struct builder b;
    custos_status st = work_values(stage, &values, err);

    if (!st && stage->space->bounding == BOUND_RANK && !is_bounded(stage))
        st = custos_fail(err, CUSTOS_EINTERNAL, "groups are not bounded");
    if (st)
        return st;
    builder_init(&b, e);
    st = work_collect(&b, stage, sums_of_groups(&b, stage, &values), x, err);
    builder_clear(&b);
    return st;
}
