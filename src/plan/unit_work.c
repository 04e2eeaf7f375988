/*
 * The bound of unit-work, by induction over relations. Sides of joins that may
 * have more rows of a unit than their bound are cut before they are joined;
 * this is what keeps the numbers from multiplying.
 */
#include "plan/unit_work.h"

#include "plan/from.h"
#include "sql/text_limits.h"

static uint64_t
least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Rows of a unit that a side brings into a join, cut there or not. */
static uint64_t
rows_brought(const struct plan *p, const struct relation *r, uint64_t stored)
{
    uint64_t rows = unit_rows(p, r, stored);

    return r->renumbered ? least(rows, r->as->rows_per_unit) : rows;
}

static uint64_t
rows_of_join(const struct plan *p, const struct relation *r, uint64_t stored)
{
    const struct relation *a = r->left, *b = r->right;

    switch (r->meeting) {
    case MEET_PUBLIC: return 0;
    case MEET_LEFT: return rows_brought(p, a, stored);
    case MEET_RIGHT: return rows_brought(p, b, stored);
    case MEET_EITHER:
        return from_plus(a->as->rows_per_unit, rows_brought(p, b, stored));
    case MEET_UNIT:
        return from_times(a->as->rows_per_unit, b->as->rows_per_unit);
    case MEET_MANY: /* unknown, it is not run: engine_ready */
        return from_times((a->as->is_public ? b : a)->as->rows_per_unit,
                          p->fanout ? p->fanout : 1);
    }
    return UINT64_MAX; /* UNREACHABLE: all meetings are above */
}

uint64_t
unit_rows(const struct plan *p, const struct relation *r, uint64_t stored)
{
    uint64_t rows = 0;

    if (r->as->is_public)
        return 0;
    switch (r->kind) {
    case RELATION_TABLE:
        return stored == UNIT_ROWS_DECLARED ? r->as->rows_per_unit : stored;
    case RELATION_FILTER:
    case RELATION_EXTEND: return unit_rows(p, r->left, stored);
    case RELATION_JOIN: return rows_of_join(p, r, stored);
    case RELATION_UNION:
        for (size_t i = 0; i < r->n_branches; i++)
            rows = from_plus(rows, least(unit_rows(p, r->branches[i], stored),
                                         r->branches[i]->as->rows_per_unit));
        return rows;
    case RELATION_UNITS:
        return least(unit_rows(p, r->left, stored), r->left->as->rows_per_unit);
    case RELATION_PUBLIC: return 0;
    }
    return UINT64_MAX; /* UNREACHABLE: all kinds are above */
}

/* ----------------------------------------------------------------- steps -- */

enum {
    ROW_STEPS = 256,      /* of a row that a join, union or aggregate makes */
    BYTES_OF_A_STEP = 4,  /* of a text that a function reads */
    LIKE_STEPS_LOG2 = 20, /* of our matcher, on one value at most */
};

/* Of our matcher: text times the longest segment, as far as it goes. */
static uint64_t
like_steps(const struct expr *e)
{
    uint64_t text = from_times(TEXT_CASE_GROWTH, e->args[0]->text_max);
    uint64_t steps = from_times(text, e->args[1]->text_max + 2);

    return least(steps, (uint64_t)1 << LIKE_STEPS_LOG2);
}

/* What a node takes by itself: 1, and what the texts it reads take. */
static uint64_t
steps_of_node(const struct expr *e)
{
    uint64_t bytes = 0;

    if (e->kind == EXPR_CALL && e->call >= CALL_LIKE &&
        e->call <= CALL_NOT_ILIKE && !expr_like_is_plain(e))
        return from_plus(1, like_steps(e));
    for (size_t i = 0; i < e->n_args; i++)
        if (e->args[i])
            bytes = from_plus(bytes, e->args[i]->text_max);
    return from_plus(1, bytes / BYTES_OF_A_STEP);
}

static uint64_t
steps_of(const struct expr *e)
{
    uint64_t n;

    if (!e)
        return 0;
    n = steps_of_node(e);
    for (size_t i = 0; i < e->n_args; i++)
        n = from_plus(n, steps_of(e->args[i]));
    return n;
}

/* Steps that computing r takes on a row: its own, and its columns. */
static uint64_t
steps_of_row(const struct relation *r)
{
    uint64_t n = from_plus(r->as->n_columns, steps_of(r->on));

    if (r->kind == RELATION_JOIN || r->kind == RELATION_UNION ||
        r->kind == RELATION_UNITS)
        n = from_plus(n, ROW_STEPS);
    for (size_t i = 0; i < r->n_exprs; i++)
        n = from_plus(n, steps_of(r->exprs[i]));
    return n;
}

/* A filter or aggregate is evaluated on the rows of what is below it. */
static uint64_t
work_of(const struct plan *p, const struct relation *r, uint64_t stored)
{
    uint64_t work;

    if (!r || r->as->is_public)
        return 0;
    work = from_times(
        unit_rows(p, r->kind == RELATION_UNITS ? r->left : r, stored),
        steps_of_row(r));
    work = from_plus(work, work_of(p, r->left, stored));
    work = from_plus(work, work_of(p, r->right, stored));
    for (size_t i = 0; i < r->n_branches; i++)
        work = from_plus(work, work_of(p, r->branches[i], stored));
    return work;
}

uint64_t
unit_work(const struct plan *p, uint64_t stored)
{
    uint64_t steps = steps_of(p->where);

    for (size_t i = 0; i < p->n_keys; i++)
        steps = from_plus(steps, steps_of(p->keys[i].expr));
    for (size_t i = 0; i < p->n_parts; i++)
        steps = from_plus(steps, from_plus(1, steps_of(p->parts[i].of)));
    return from_plus(work_of(p, p->from, stored),
                     from_times(unit_rows(p, p->from, stored), steps));
}

custos_status
unit_work_check(struct work *w)
{
    uint64_t most = w->policy->max_unit_work;

    if (unit_work(w->plan, UNIT_ROWS_DECLARED) <= most)
        return CUSTOS_OK;
    return custos_fail_at(w->err, CUSTOS_EDENIED, w->q->from->at,
                          "the rows of one %.*s could take more than %llu "
                          "steps of work here, the policy's max_unit_work: "
                          "join fewer rows of one %.*s, or compare shorter "
                          "texts",
                          SHOWN(w->plan->unit), (unsigned long long)most,
                          SHOWN(w->plan->unit));
}
