/*
 * Adds up rows times operators over a plan's relations, in picoseconds that
 * saturate at 2^64 - 1 (213 days). It uses only numbers that the planner knows.
 */
#include "plan/cost/reply_class.h"

#include <stdio.h>

#include "plan/from/from.h"
#include "plan/part/bound_selection.h"
#include "plan/cost/quantile_work.h"
#include "plan/part/range_selection.h"
#include "plan/cost/tables_time.h"
#include "plan/cost/unit_work.h"

enum {
    SIMPLE = 8,          /* simple operators that cost as much as one scan */
    COMPUTED = 4,        /* nodes that cost as much as one computed value */
    TEXT_NODE = 64,      /* bytes of text that cost as much as one node */
    TEXT_MOST = 1024,    /* at most so many bytes of text are counted */
    LABELS_FEW = 16,     /* up to so many listed values are compared in turn */
    TRACKING = 3,        /* windows when bounding by unit and group */
    MEETING = 2,         /* windows, over all columns, after MEET_MANY */
    READING = 3,         /* reading an attached row costs as much as 3 sorts */
    SQUARES = 8,         /* a square costs as much as 8 simple operators */
    CELL_PS = 2000000,   /* noise and output of one value */
    PLANNING_PS = 25000, /* a step of planning (evaluate/effort.h) */
    UNIT_STEP_PS = 1000  /* a step of unit-work */
};

/* Opening an attached file and finding out what is in it. */
#define ATTACHED_PS INT64_C(100000000000)

struct cost {
    const struct plan *plan;
    const struct stage *stage; /* a STAGE_VALUES; NULL: only FROM */
    const struct reply_speeds *speeds;
    uint64_t scan, heavy; /* picoseconds */
};

static uint64_t
largest(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t
least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void
add_scan(struct cost *c, uint64_t rows, uint64_t times)
{
    uint64_t ps = from_times(rows, (uint64_t)c->speeds->scan_ps);

    c->scan = from_plus(c->scan, from_times(ps, times));
}

static void
add_heavy(struct cost *c, uint64_t rows, int64_t ps, uint64_t times)
{
    c->heavy =
        from_plus(c->heavy, from_times(from_times(rows, (uint64_t)ps), times));
}

/* ------------------------------------------------------------------ rows -- */

static uint64_t
rows_of_table(const struct cost *c, const struct policy_table *t)
{
    const struct plan_known *known = c->speeds->known;
    const uint64_t *bounds = c->speeds->rows;
    uint64_t rows;

    if (t->is_public && known &&
        known->count(known->ctx, t->number, PLAN_ROWS_OF_TABLE, &rows))
        return rows;
    if (t->max_rows_given)
        return t->max_rows;
    return !t->is_public && bounds && bounds[t->number] ? bounds[t->number]
                                                        : UINT64_MAX;
}

static uint64_t rows_of(const struct cost *c, const struct relation *r);

static uint64_t
rows_of_join(const struct cost *c, const struct relation *r)
{
    uint64_t a = rows_of(c, r->left), b = rows_of(c, r->right);
    uint64_t fanout = c->plan->fanout ? c->plan->fanout : 1, pairs;

    switch (r->meeting) {
    case MEET_LEFT: return a;
    case MEET_RIGHT: return b;
    case MEET_EITHER: return from_plus(a, b);
    case MEET_PUBLIC: return from_times(largest(a, b), fanout);
    case MEET_MANY: return from_times(r->left->as->is_public ? b : a, fanout);
    case MEET_UNIT: break;
    }
    pairs = least(from_times(a, r->right->as->rows_per_unit),
                  from_times(b, r->left->as->rows_per_unit));
    return r->outer ? from_plus(a, pairs) : pairs;
}

/* The rows, of all units and of public tables, that computing r makes. */
static uint64_t
rows_of(const struct cost *c, const struct relation *r)
{
    uint64_t rows = 0;

    switch (r->kind) {
    case RELATION_TABLE: return rows_of_table(c, r->as);
    case RELATION_FILTER:
    case RELATION_EXTEND:
    case RELATION_UNITS: return rows_of(c, r->left);
    case RELATION_JOIN: return rows_of_join(c, r);
    case RELATION_UNION:
        for (size_t i = 0; i < r->n_branches; i++)
            rows = from_plus(rows, rows_of(c, r->branches[i]));
        return rows;
    case RELATION_PUBLIC:
        rows = r->plan->from ? rows_of(c, r->plan->from) : 1;
        return r->plan->query->has_limit ? least(rows, r->plan->query->limit)
                                         : rows;
    }
    return UINT64_MAX; /* UNREACHABLE: all kinds are above */
}

/* ----------------------------------------------------------- expressions -- */

/* Operators per row: simple ones, and nodes of computed ones. */
struct operators {
    uint64_t simple, computed;
};

static const bool simple_calls[N_CALLS] = {
#define ROW(id, ...) [CALL_##id] = 0 __VA_ARGS__,
#define SIMPLE() +1
#include "sql/functions.def"
};

static bool
is_simple(const struct expr *e)
{
    switch (e->kind) {
    case EXPR_LITERAL:
    case EXPR_COLUMN:
    case EXPR_AGGREGATE:
    case EXPR_IN: return true;
    case EXPR_CALL: return e->bare || simple_calls[e->call];
    default: return false;
    }
}

/* Counts a likely length of texts. The bound of unit-work covers what one
   unit's texts may have beyond that. */
static uint64_t
nodes_of_texts(const struct expr *e)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < e->n_args; i++)
        if (e->args[i])
            bytes = from_plus(bytes, e->args[i]->text_max);
    return least(bytes, TEXT_MOST) / TEXT_NODE;
}

static void
add_operators(const struct expr *e, struct operators *o)
{
    if (!e || e->kind == EXPR_LITERAL || e->kind == EXPR_COLUMN)
        return;
    if (!is_simple(e))
        o->computed += 1 + nodes_of_texts(e);
    else
        o->simple += e->kind == EXPR_IN ? 1 + e->n_args / SIMPLE : 1;
    for (size_t i = 0; i < e->n_args; i++)
        add_operators(e->args[i], o);
}

static void
add_row_work(struct cost *c, uint64_t rows, const struct operators *o)
{
    add_scan(c, rows, o->simple / SIMPLE);
    add_heavy(c, rows, c->speeds->computed_ps,
              (o->computed + COMPUTED - 1) / COMPUTED);
}

/* ------------------------------------------------------------- relations -- */

static void add_relation(struct cost *c, const struct relation *r);

static void
add_join(struct cost *c, const struct relation *r)
{
    uint64_t out = rows_of(c, r);
    uint64_t sides = largest(rows_of(c, r->left), rows_of(c, r->right));

    add_heavy(c, largest(out, sides), c->speeds->text_ps, 1);
    if (r->meeting == MEET_MANY) { /* numbered anew, by a window; the public
                                      side's texts are hashed before */
        add_heavy(c, out, c->speeds->sort_ps, MEETING);
        add_heavy(c, sides, c->speeds->text_ps, 1);
    }
}

/* Adds the work of the relation itself, without those below it. */
static void
add_relation_own(struct cost *c, const struct relation *r)
{
    struct operators o = {0};

    switch (r->kind) {
    case RELATION_TABLE:
        add_scan(c, rows_of(c, r), 1);
        if (!r->as->facts.steps_stored) { /* opened, read and normalised anew */
            add_heavy(c, rows_of(c, r), c->speeds->sort_ps, READING);
            add_heavy(c, 1, ATTACHED_PS, 1);
        }
        return;
    case RELATION_JOIN: add_join(c, r); break;
    case RELATION_UNITS:
        add_heavy(c, rows_of(c, r), c->speeds->text_ps, 1);
        break;
    case RELATION_PUBLIC:
        if (r->plan->from)
            add_relation(c, r->plan->from);
        add_heavy(c, rows_of(c, r), c->speeds->text_ps, 1);
        return;
    case RELATION_FILTER:
    case RELATION_EXTEND:
    case RELATION_UNION: break;
    }
    add_operators(r->on, &o);
    for (size_t i = 0; i < r->n_exprs; i++)
        add_operators(r->exprs[i], &o);
    add_row_work(c, rows_of(c, r), &o);
}

static void
add_relation(struct cost *c, const struct relation *r)
{
    if (!r)
        return;
    add_relation(c, r->left);
    add_relation(c, r->right);
    for (size_t i = 0; i < r->n_branches; i++)
        add_relation(c, r->branches[i]);
    add_relation_own(c, r);
}

/* Rows that WHERE is evaluated on. */
static uint64_t
rows_of_plan(const struct cost *c)
{
    const struct plan *p = c->plan;

    if (p->from)
        return rows_of(c, p->from);
    return p->table ? rows_of_table(c, p->table) : 1;
}

/* Adds one reading of FROM and of the queries of IN (SELECT ...). */
static void
add_from(struct cost *c)
{
    const struct plan *p = c->plan;
    uint64_t rows = rows_of_plan(c);

    if (p->from)
        add_relation(c, p->from);
    else
        add_scan(c, rows, 1);
    for (size_t i = 0; i < p->n_queries; i++) {
        add_relation(c, p->queries[i]);
        add_heavy(c, rows, c->speeds->text_ps, 1);
    }
}

/* ----------------------------------------------------------------- plans -- */

static void
add_keys(struct cost *c, uint64_t rows, struct operators *o)
{
    for (size_t i = 0; i < c->stage->space->n_keys; i++) {
        const struct key *k = &c->stage->space->keys[i];

        o->simple++;
        add_operators(k->expr, o);
        if (k->kind == KEY_WHOLE && k->expr->kind != EXPR_COLUMN)
            o->computed++;
        else if (k->kind == KEY_PERIOD)
            o->computed += 2;
        else if (k->kind == KEY_LISTED && k->n <= LABELS_FEW)
            o->computed += 1 + k->n / COMPUTED;
        else if (k->kind == KEY_LISTED) /* printed as text, then hashed */
            add_heavy(c, rows, c->speeds->text_ps, 2);
        else if (k->kind == KEY_PRIVATE)
            add_heavy(c, rows, c->speeds->text_ps,
                      k->expr->type == TYPE_TEXT ? 4 : 2);
    }
}

static void
add_part(struct cost *c, const struct part *part, uint64_t rows,
         struct operators *o)
{
    add_operators(part->of, o);
    switch (part->kind) {
    case PART_SQUARES: o->simple += SQUARES; return;
    case PART_DISTINCT: add_heavy(c, rows, c->speeds->text_ps, 1); return;
    case PART_UNITS:
        if (c->stage->space->bounding == BOUND_RANK && c->plan->rows > 1)
            add_heavy(c, rows, c->speeds->text_ps, 1);
        o->simple++;
        return;
    default: o->simple++; return;
    }
}

/* Does the general bounding need windows by unit and group, besides the one by
   unit? It does where groups are limited, or counted by unit. */
static bool
tracks_groups(const struct stage *stage)
{
    const struct cell_space *s = stage->space;
    bool tracks =
        s->selection || (s->groups < stage->plan->rows && s->groups < s->cells);

    for (size_t i = 0; i < stage->n_parts; i++)
        tracks = tracks || stage->parts[i].kind == PART_UNITS;
    return tracks;
}

/* Adds FROM, WHERE, keys and bounding, which each pass over the rows needs. */
static void
add_pass(struct cost *c, uint64_t rows, struct operators *o)
{
    add_from(c);
    add_operators(c->plan->where, o);
    add_keys(c, rows, o);
    if (c->stage->space->bounding == BOUND_GENERAL)
        add_heavy(c, rows, c->speeds->sort_ps,
                  (tracks_groups(c->stage) ? TRACKING : 1) +
                      (uint64_t)selection_weighs(c->stage->space->selection) +
                      (uint64_t)(c->stage->space->per_group > 0));
}

/* The most groups that are shown. A discovered group of fewer than `half` units
   is shown with probability below 1/2, and a much smaller one hardly ever; so
   hardly more than rows / half are shown. That is doubled for safety. */
static uint64_t
cells_of(const struct cell_space *s, uint64_t rows)
{
    uint64_t half = s->selection ? s->selection->half : 0;

    if (half == 0)
        return s->cells;
    return least(s->cells, from_plus(from_times(rows / half, 2), 1));
}

/* The values of a part are read and sorted once for all of its ranks. */
static void
add_quantiles(struct cost *c, const struct part *part, uint64_t rows)
{
    struct operators o = {0};
    uint64_t row_ps = (uint64_t)c->speeds->quantile_ps;

    add_pass(c, rows, &o);
    add_operators(part->of, &o);
    add_row_work(c, rows, &o);
    add_heavy(c, rows, c->speeds->quantile_ps, 1);
    c->heavy =
        from_plus(c->heavy, quantile_work(part->quantiles, rows,
                                          cells_of(c->stage->space, rows),
                                          plan_levels(c->plan), row_ps));
}

/* Adds a pass over the rows for all numbers of the stage, and one for each of its
   quantiles. */
static void
add_values(struct cost *c)
{
    const struct stage *s = c->stage;
    uint64_t rows = rows_of_plan(c);
    struct operators o = {0};
    size_t numbers = s->space->selection != NULL;

    for (size_t i = 0; i < s->n_parts; i++) {
        if (s->parts[i].kind == PART_QUANTILES) {
            add_quantiles(c, &s->parts[i], rows);
            continue;
        }
        numbers++;
        add_part(c, &s->parts[i], rows, &o);
    }
    if (s->first == 0) /* once for the plan, after all its stages */
        c->heavy = from_plus(
            c->heavy,
            from_plus(tables_ps(c->plan),
                      bars_ps(c->plan, cells_of(&c->plan->space, rows))));
    if (numbers > 0 || c->plan->is_public)
        add_pass(c, rows, &o);
    add_row_work(c, rows, &o);
    add_heavy(c, from_times(cells_of(c->stage->space, rows), numbers), CELL_PS,
              1);
}

static uint64_t work_of(const struct plan *p, const struct reply_speeds *s);

/* A bound selection counts rows by unit, at the largest bound; then comes the plan
   that takes longest. */
static uint64_t
work_of_bounds(const struct bound_selection *r, const struct reply_speeds *s)
{
    struct cost c = {.plan = r->plans[r->n - 1], .speeds = s};
    uint64_t most = 0;

    for (size_t i = 0; i < r->n; i++)
        most = largest(most, work_of(r->plans[i], s));
    add_from(&c);
    add_heavy(&c, rows_of_plan(&c), s->text_ps, 1);
    return from_plus(most, largest(c.scan, c.heavy));
}

/* A range selection places the value of each row among the candidates, and takes
   the outermost places of each unit; then comes the plan that takes longest. */
static uint64_t
work_of_ranges(const struct range_selection *r, const struct reply_speeds *s)
{
    const struct plan *last = r->plans[r->n - 1];
    struct cost c = {.plan = last, .speeds = s};
    struct operators o = {0};
    uint64_t most = 0, rows;

    for (size_t i = 0; i < r->n; i++)
        most = largest(most, work_of(r->plans[i], s));
    c.stage = last->stages;
    add_from(&c);
    rows = rows_of_plan(&c);
    add_operators(r->value.of, &o);
    add_pass(&c, rows, &o);
    add_row_work(&c, rows, &o);
    add_heavy(&c, rows, s->text_ps, 1);
    return from_plus(most, largest(c.scan, c.heavy));
}

/* Groups are found in the pass of their values. */
static uint64_t
work_of_stage(const struct stage *stage, const struct reply_speeds *s)
{
    struct cost c = {.plan = stage->plan, .stage = stage, .speeds = s};

    switch (stage->kind) {
    case STAGE_BOUND: return work_of_bounds(stage->bounds, s);
    case STAGE_RANGE: return work_of_ranges(stage->ranges, s);
    case STAGE_GROUPS: return 0;
    case STAGE_VALUES: break;
    }
    add_values(&c);
    return largest(c.scan, c.heavy);
}

/* Picoseconds of the plan's work, without margin: its stages run one after
   another. */
static uint64_t
work_of(const struct plan *p, const struct reply_speeds *s)
{
    uint64_t all = 0;

    if (p->is_public)
        return work_of_stage(&(struct stage){.kind = STAGE_VALUES,
                                             .plan = p,
                                             .space = &p->space},
                             s);
    for (size_t i = 0; i < p->n_stages; i++)
        all = from_plus(all, work_of_stage(&p->stages[i], s));
    return all;
}

static uint64_t
unit_ps(const struct plan *p)
{
    size_t n;
    struct plan *const *next = plan_next(p, &n);
    uint64_t most = 0;

    for (size_t i = 0; i < n; i++)
        most = largest(most, unit_ps(next[i]));
    if (plan_range_selection(p)) /* it reads what the plan reads after it */
        most = from_plus(most, most);
    if (n > 0 || p->is_public || !p->from)
        return most;
    return from_times(unit_work(p, UNIT_ROWS_DECLARED), UNIT_STEP_PS);
}

/* The least class of at least `us` microseconds. A class is 8 to 15 eighths of
   100 ms times a power of two, from 2^-6 on. In units of 1/512 microsecond all
   classes are whole numbers. */
static int64_t
class_above(uint64_t us)
{
    const uint64_t unit = 512;
    uint64_t eighth = REPLY_CLASS_STEP_US; /* an eighth of 100 ms / 64 */
    uint64_t want = from_times(us, unit);

    while (eighth <= UINT64_MAX / 32 && 16 * eighth <= want)
        eighth *= 2;
    want = want > 8 * eighth ? (want - 1) / eighth + 1 : 8;
    return (int64_t)((want * (eighth / 8) - 1) / (unit / 8) + 1);
}

/* A worker process makes the plan again before it reads the data, in the time of
   the reply. For one plan the fixed time suffices; plans of which one follows are
   all made again. */
static uint64_t
planning_of(const struct plan *p)
{
    size_t n;

    (void)plan_next(p, &n);
    return n > 0 ? from_times(p->planning_steps, PLANNING_PS) : 0;
}

int64_t
plan_class_us(const struct plan *p, const struct reply_speeds *s)
{
    const uint64_t ps_of_us = 1000000;
    uint64_t ps = from_plus(work_of(p, s), planning_of(p)), us;

    ps = from_plus(from_times(ps, REPLY_CLASS_MARGIN), unit_ps(p));
    us = from_plus(ps / ps_of_us + 1, (uint64_t)s->fixed_us);
    if (ps == UINT64_MAX)
        return INT64_MAX;
    return class_above(us);
}

void
reply_class_write(int64_t class_us, char out[REPLY_CLASS_TEXT])
{
    /* in units of 0.1 ms, 1 ms or 0.1 s, rounded up */
    const int64_t unit = class_us <= 9900    ? 100
                         : class_us <= 99000 ? 1000
                                             : 100000;
    long long n = class_us / unit + (class_us % unit > 0);

    if (class_us == INT64_MAX)
        snprintf(out, REPLY_CLASS_TEXT, "an unknown time");
    else if (unit == 1000)
        snprintf(out, REPLY_CLASS_TEXT, "%lld ms", n);
    else
        snprintf(out, REPLY_CLASS_TEXT, "%lld.%lld %s", n / 10, n % 10,
                 unit == 100 ? "ms" : "s");
}
