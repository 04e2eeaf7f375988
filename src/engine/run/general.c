/*
 * General bounding, by window functions of the engine, where neither a predicate
 * nor the fold can bound: attached tables, some joins and queries with IN (SELECT
 * ...), some quantiles and distinct counts. It keeps exactly what the fold keeps:
 * the rows of a unit that pass WHERE and have a key are numbered in the order of
 * their hash or rank, and its groups in the order of their first rows.
 *
 * THEOREM  general-equals-fold
 *   Of each unit the first `rows` rows by hash are kept, and of these the rows
 *   of its first `groups` cells. fold-bounds-units keeps the same rows of the
 *   imported table, since hash and rank have the same order.
 * SOURCE   doc/proofs/fold-bounds-units.md
 * NEEDS    rank-of-own-rows, unit-of-a-row.
 * GIVES    x filled with the exact numbers; the weights of units are those of
 *          fold-bounds-groups. If rows per group are limited, the rows beyond
 *          that are left out first (group-bound).
 * FAILS    CUSTOS_EENGINE.
 * TESTED   general_equals_the_fold attached_equals_imported
 *          weights_equal_the_reference
 */
#include "base/error.h"
#include "engine/import/import.h"
#include "engine/statement/relation.h"
#include "engine/statement/work.h"

const struct input *
general_rows(struct builder *b, const struct plan *plan)
{
    const struct policy_table *t = plan->table;
    bool stored = !plan->from || plan->from->kind == RELATION_TABLE;
    struct select *s;

    if (!stored || b->engine->tables[t->number].sorted) {
        s = select_new(b, relation_of_plan(b, plan));
        s->all = true;
        select_add(b, s, term_name(b, NULL, "rank"), "row_order");
        return input_select(b, s);
    }
    s = select_new(b, unit_path_from(b, plan->policy, t->number,
                                     input_table(b, t->number)));
    select_add(b, s, term_name(b, NULL, "unit_value"), "unit");
    select_add(b, s, view_rank(b, t, unit_path_text(b)), "row_order");
    relation_named(b, t, plan->from, s);
    return input_select(b, s);
}

/* Adds key_0, key_1, ... */
static void
add_keys(struct builder *b, const struct stage *stage, struct terms *to)
{
    for (size_t i = 0; i < stage->space->n_keys; i++)
        terms_add(b, to, term_name(b, NULL, "key_%zu", i));
}

/* All columns of s, for which `name` is at most `most`. */
static struct select *
at_most(struct builder *b, const struct select *s, const char *name,
        uint64_t most)
{
    struct select *to = select_new(b, input_select(b, s));

    to->all = true;
    select_where(b, to,
                 term_binary(b, term_name(b, NULL, "%s", name), TERM_AT_MOST,
                             term_number(b, most)));
    return to;
}

/* The rows of each unit, of which each group has at most per_group: unit, row_order,
   key_0 ..., value_0 ..., row_no. They are numbered in two steps, since what is left
   out of a group must not count in row_no. */
static struct select *
rows_of_groups(struct builder *b, const struct stage *stage,
               const struct work_values *values)
{
    struct select *s =
        select_new(b, input_as(b, general_rows(b, stage->plan), "t"));
    const struct term *unit = term_name(b, NULL, "unit");
    const struct term *order = term_name(b, NULL, "row_order");
    struct window group = {.partition = {.n = 0}};
    struct window own = {.partition = {.n = 0}};

    select_add_bare(b, s, term_name(b, "t", "unit"));
    select_add_bare(b, s, term_name(b, "t", "row_order"));
    work_columns(b, stage, values, s);
    select_where(b, s, term_true(b));
    work_conditions(b, stage, &s->where);
    s = select_new(b, input_select(b, s));
    s->all = true;
    terms_add(b, &group.partition, unit);
    add_keys(b, stage, &group.partition);
    terms_add(b, &group.order, order);
    select_add(b, s, term_window(b, TERM_ROW_NUMBER, NULL, &group),
               "group_row_no");
    s = at_most(b, s, "group_row_no", stage->space->per_group);
    terms_add(b, &own.partition, unit);
    terms_add(b, &own.order, order);
    select_add(b, s, term_window(b, TERM_ROW_NUMBER, NULL, &own), "row_no");
    return s;
}

/* The numbered rows of each unit: unit, key_0 ..., value_0 ..., row_no. */
static struct select *
rows_numbered(struct builder *b, const struct stage *stage,
              const struct work_values *values)
{
    struct select *s =
        select_new(b, input_as(b, general_rows(b, stage->plan), "t"));
    const struct term *unit = term_name(b, "t", "unit");
    struct window own = {.partition = {.n = 0}};

    terms_add(b, &own.partition, unit);
    terms_add(b, &own.order, term_name(b, "t", "row_order"));
    select_add_bare(b, s, unit);
    work_columns(b, stage, values, s);
    select_add(b, s, term_window(b, TERM_ROW_NUMBER, NULL, &own), "row_no");
    select_where(b, s, term_true(b));
    work_conditions(b, stage, &s->where);
    return s;
}

/* Is the number of groups limited, or are units counted? */
static bool
is_tracked(const struct stage *stage)
{
    for (size_t i = 0; i < stage->n_parts; i++)
        if (stage->parts[i].kind == PART_UNITS)
            return true;
    if (stage->space->selection)
        return true;
    return stage->space->groups < stage->plan->rows &&
           stage->space->groups < stage->space->cells;
}

/* If is_tracked, there is also first_row_no: the row_no of the unit's first row in
   the group. If units have weights, there is also held: the number of the unit's
   groups. */
struct select *
general_bounded(struct builder *b, const struct stage *stage,
                const struct work_values *values)
{
    struct select *rows =
        at_most(b,
                (stage->space->per_group > 0 ? rows_of_groups
                                             : rows_numbered)(b, stage, values),
                "row_no", stage->plan->rows);
    const struct term *unit = term_name(b, NULL, "unit");
    struct window group = {.partition = {.n = 0}};
    struct window all = {.partition = {.n = 0}};
    struct window whole = {.partition = {.n = 0}};
    struct select *s;

    if (!is_tracked(stage))
        return rows;
    terms_add(b, &group.partition, unit);
    add_keys(b, stage, &group.partition);
    select_add(b, rows,
               term_window(b, TERM_MIN, term_name(b, NULL, "row_no"), &group),
               "first_row_no");
    terms_add(b, &all.partition, unit);
    terms_add(b, &all.order, term_name(b, NULL, "first_row_no"));
    s = select_new(b, input_select(b, rows));
    s->all = true;
    select_add(b, s, term_window(b, TERM_DENSE_RANK, NULL, &all), "group_no");
    s = at_most(b, s, "group_no", stage->space->groups);
    terms_add(b, &whole.partition, unit);
    if (selection_weighs(stage->space->selection))
        select_add(
            b, s,
            term_window(b, TERM_MAX, term_name(b, NULL, "group_no"), &whole),
            "held");
    return s;
}

/* The sum, over the units of a group, of their weights. `first` is true in one row
   of each unit and group. */
static const struct term *
sum_of_weights(struct builder *b, const struct cell_space *space,
               const struct term *first)
{
    struct terms cases = {.n = 0};

    terms_add(b, &cases, term_name(b, NULL, "held"));
    for (uint64_t held = 1; held <= space->groups; held++) {
        uint64_t weight = custos_keys_weight(space->selection->rule, held);

        terms_add(b, &cases, term_number(b, (i128)held));
        terms_add(b, &cases, term_number(b, (i128)weight));
    }
    return term_filtered(b, TERM_SUM, term_of_list(b, TERM_CHOOSE, &cases),
                         first);
}

/* The sums of all groups of the kept rows. */
static struct select *
sums_of_groups(struct builder *b, const struct stage *stage,
               const struct work_values *values)
{
    struct select *s =
        select_new(b, input_select(b, general_bounded(b, stage, values)));
    const struct term *first =
        term_binary(b, term_name(b, NULL, "row_no"), TERM_EQUAL,
                    term_name(b, NULL, "first_row_no"));
    const struct term *units = term_filtered(b, TERM_COUNT, NULL, first);

    relation_queries(b, stage->plan, stage->plan->n_queries, s);
    for (size_t i = 0; i < stage->space->n_keys; i++)
        select_add_bare(b, s, term_name(b, NULL, "key_%zu", i));
    if (stage->space->n_keys == 0)
        select_add_bare(b, s, term_number(b, 0));
    work_sums(b, stage, values, units,
              selection_weighs(stage->space->selection)
                  ? sum_of_weights(b, stage->space, first)
                  : units,
              s);
    add_keys(b, stage, &s->group_by);
    return s;
}

custos_status
run_general(struct engine *e, const struct stage *stage, struct exact *x,
            custos_err *err)
{
    struct work_values values;
    struct builder b;
    custos_status st = work_values(stage, &values, err);

    if (st)
        return st;
    builder_init(&b, e);
    st = work_collect(&b, stage, sums_of_groups(&b, stage, &values), x, err);
    builder_clear(&b);
    return st;
}
