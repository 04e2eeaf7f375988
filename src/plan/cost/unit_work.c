/*
 * The bound of unit-work, by induction over relations. A side of a join that
 * may have more rows of a unit than its bound is cut before it is joined; this
 * keeps the numbers from multiplying.
 */
#include "plan/cost/unit_work.h"

#include "plan/from/from.h"
#include "plan/cost/text_steps.h"

static uint64_t
least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Rows of a unit that a side brings into a join, after its cut if any. */
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
    case MEET_MANY: /* a plan is not run if its fan-out is unknown */
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

enum { ROW_STEPS = 256 }; /* for each row of a join, union or aggregate */

static uint64_t
steps_of(const struct expr *e)
{
    uint64_t n;

    if (!e)
        return 0;
    n = from_plus(1, text_steps(e));
    for (size_t i = 0; i < e->n_args; i++)
        n = from_plus(n, steps_of(e->args[i]));
    return n;
}

/* Bytes of the texts that a row of r hands on. */
static uint64_t
bytes_carried(const struct relation *r)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < r->as->n_columns; i++)
        if (r->as->columns[i].type == TYPE_TEXT &&
            (relation_carries(r, i) || r->kind == RELATION_UNITS))
            bytes = from_plus(bytes, r->as->columns[i].text_max);
    return bytes;
}

/* Steps of making a row of r, without its expressions. */
static uint64_t
steps_of_making(const struct relation *r)
{
    switch (r->kind) {
    case RELATION_TABLE: return text_steps_read(bytes_carried(r));
    case RELATION_JOIN:
        return from_plus(ROW_STEPS, r->meeting == MEET_MANY
                                        ? text_steps_numbered(bytes_carried(r))
                                        : text_steps_copied(bytes_carried(r)));
    case RELATION_UNION:
    case RELATION_UNITS:
        return from_plus(ROW_STEPS, text_steps_copied(bytes_carried(r)));
    case RELATION_FILTER:
    case RELATION_EXTEND:
    case RELATION_PUBLIC: break;
    }
    return 0;
}

/* Steps that computing one row of r takes: making it, and its expressions. */
static uint64_t
steps_of_row(const struct relation *r)
{
    uint64_t n = from_plus(r->as->n_columns, steps_of(r->on));

    n = from_plus(n, steps_of_making(r));
    for (size_t i = 0; i < r->n_exprs; i++)
        n = from_plus(n, steps_of(r->exprs[i]));
    return n;
}

/* An aggregate is evaluated on the rows of the relation below it. */
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

/* A discovered key passes through the windows that bound groups. */
static uint64_t
steps_of_key(const struct key *k)
{
    uint64_t bytes = k->kind == KEY_PRIVATE && k->expr->type == TYPE_TEXT
                         ? least(k->expr->text_max, KEY_TEXT_MAX)
                         : 0;

    return from_plus(steps_of(k->expr), text_steps_numbered(bytes));
}

/* The work of one pass over the rows. */
static uint64_t
stage_work(const struct stage *s, uint64_t stored)
{
    const struct relation *from = s->plan->from;
    uint64_t steps = steps_of(s->plan->where);

    for (size_t i = 0; i < s->space->n_keys; i++)
        steps = from_plus(steps, steps_of_key(&s->space->keys[i]));
    for (size_t i = 0; i < s->n_parts; i++)
        steps = from_plus(steps, from_plus(1, steps_of(s->parts[i].of)));
    return from_plus(work_of(s->plan, from, stored),
                     from_times(unit_rows(s->plan, from, stored), steps));
}

uint64_t
unit_work(const struct plan *p, uint64_t stored)
{
    uint64_t all = 0;

    for (size_t i = 0; i < p->n_stages; i++)
        if (p->stages[i].kind == STAGE_VALUES)
            all = from_plus(all, stage_work(&p->stages[i], stored));
    return all;
}

custos_status
unit_work_check(struct work *w)
{
    uint64_t most = w->policy->max_unit_work;

    if (unit_work(w->plan, UNIT_ROWS_DECLARED) <= most)
        return CUSTOS_OK;
    return custos_fail_at(
        w->err, CUSTOS_EDENIED, w->q->from->at,
        "the rows of one %.*s could take more than %llu steps of work here, "
        "the policy's max_unit_work" HINT
        "join fewer rows of one %.*s, or compare shorter texts",
        SHOWN(w->plan->unit), (unsigned long long)most, SHOWN(w->plan->unit));
}
