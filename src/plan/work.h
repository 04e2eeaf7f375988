/*
 * What the files of the planner share while one plan is made. Everything lives
 * in the query's arena, except rationals and mechanisms, which plan_free frees.
 */
#ifndef PLAN_WORK_H
#define PLAN_WORK_H

#include "base/error.h"
#include "evaluate/effort.h"
#include "plan/type/fact.h"
#include "plan/plan.h"
#include "plan/from/relation.h"

/* What an expression is computed on: private rows, public rows, or values after
   noise. On rows, a whole number that could exceed 2^126 is refused; after
   noise, a value that does not fit is just NULL. */
enum context { CONTEXT_ROWS, CONTEXT_PUBLIC, CONTEXT_AFTER };

struct work {
    arena *a;
    const struct policy *policy;
    struct relation *from;            /* where names are looked up; or NULL */
    const struct policy_table *table; /* its columns */
    const struct plan_options *options;
    struct query *q;     /* the planner's copy; a subquery while it is read */
    struct expr *lifted; /* conditions of subqueries, to be added to WHERE */
    unsigned depth;      /* of FROM */
    uint64_t assumed;    /* rows per unit of tables that declare no bound */
    size_t range; /* the candidate that plan->ranged is clamped to, ... */
    rat range_lower, range_upper; /* ... and its ends */
    struct plan *plan;
    custos_err *err;
    struct expr **typed;  /* plan->aggregates as typed copies */
    enum context context; /* of the expression being typed */
    rat delta;            /* the delta that this query may use */
    rat *shares;          /* by aggregate: the epsilon it states, or 0 */
    size_t n_shares;
    rat own;             /* the sum of shares */
    size_t at_once;      /* values whose bars hold jointly; 0: each alone */
    uint64_t known_rows; /* those that the query reads; 0: not known, or not all
                            rows of a table (part/known_rows.c) */
};

/* How much of a name a message shows: "%.*s", SHOWN(name). */
enum { SHOWN_MAX = 40 };
#define SHOWN(s) words_shown(s), (s).ptr

/* Bytes of s that a message shows: no character is cut in two. */
int words_shown(str s);

/* Inline, so that static analysers see that it never returns CUSTOS_OK. */
static inline custos_status
work_no_memory(struct work *w)
{
    return custos_fail(w->err, CUSTOS_ENOMEM, "out of memory");
}

/* Takes steps from the plan's limit (effort.h). */
CUSTOS_MUST_USE static inline custos_status
work_spend(struct work *w, uint64_t steps)
{
    return effort_spend(w->options->effort, steps, w->err);
}

/* An expression's text, cut to what messages show; "" without memory. */
const char *work_text(struct work *w, const struct expr *e);

/* ---------------------------------------------------------------- trees -- */

/* A copy that may be rewritten; NULL without memory. */
struct query *query_copy(arena *a, const struct query *q);
struct expr *expr_copy(arena *a, const struct expr *e);

/* Are they the same tree but for positions? Bound columns compare by slot. */
bool expr_same(const struct expr *a, const struct expr *b);

/* As expr_same; adds the steps of the comparison to *steps. */
bool
expr_same_counted(const struct expr *a, const struct expr *b, uint64_t *steps);

/* The first aggregate or interval in e, or NULL. */
const struct expr *expr_aggregate(const struct expr *e);

/* -------------------------------------------------------------- fan-out -- */

/* Sets plan->fanout, for everything that the plan reads. May fail:
   CUSTOS_EDENIED past the policy's max_fanout, CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status fanout_make(struct work *w);

/* ---------------------------------------------------------------- names -- */

/* The granted table or view whose name is nearest, or NULL. */
const char *names_nearest_table(struct work *w, const char *name);

/* Gives every EXPR_COLUMN below e its slot. */
CUSTOS_MUST_USE custos_status names_bind(struct work *w, struct expr *e);

/* Does e name a column of w->from? */
bool names_has(const struct work *w, const struct expr *e);

/* The first name of r that matches the column e; *n: how many do. */
const struct relation_name *
names_find(const struct relation *r, const struct expr *e, size_t *n);

/* Steps of one such search. */
uint64_t names_steps(const struct relation *r);

/* Expands every * of SELECT. */
CUSTOS_MUST_USE custos_status names_stars(struct work *w);

/* Replaces aliases and numbers of outputs in ORDER BY and GROUP BY by the
   outputs' trees. */
CUSTOS_MUST_USE custos_status names_outputs(struct work *w);

/* ---------------------------------------------------------------- types -- */

/* Types e and all below it, and gives each its facts. */
CUSTOS_MUST_USE custos_status types_set(struct work *w, struct expr *e,
                                        enum context context);

/* As types_set; e must be a truth value. `what` is WHERE, HAVING or ON. */
CUSTOS_MUST_USE custos_status types_truth(struct work *w, struct expr *e,
                                          enum context context,
                                          const char *what);

/* The type of an aggregate from that of its argument, which is typed. */
CUSTOS_MUST_USE custos_status types_aggregate(struct work *w, struct expr *e);

/* A fact of the plan in which nothing is known; NULL without memory. */
struct fact *fact_new(struct work *w);

/* A copy of what is known of x; NULL without memory. */
struct fact *fact_copy(struct work *w, const struct expr *x);

/* A literal of unknown type takes the type of the operand beside it. */
CUSTOS_MUST_USE custos_status adapt_literal(struct work *w, struct expr *e,
                                            enum data_type to, int scale);

/* Gives args[from], args[from + step] ... one type; *scale: of decimals. */
CUSTOS_MUST_USE custos_status adapt_all(struct work *w, struct expr **args,
                                        size_t n, size_t from, size_t step,
                                        enum data_type *type, int *scale);

/* --------------------------------------------------------------- ranges -- */

/* The range of a typed call from those of its arguments. */
void range_call(struct expr *e);
void range_literal(struct expr *e);
void range_column(struct fact *f, const struct policy_column *c);
void range_cast(struct expr *e);
void range_of_type(struct fact *f, enum data_type type);

/* Sets e->bare from the facts of e and its arguments. */
void bare_set(struct expr *e, enum context context);

/* Sets e->text_max of a text, and makes it nullable if it may be too long. */
void text_limit_set(struct work *w, struct expr *e);

/* Rounds the ends of a range outwards where their numbers have grown long;
   drops ends that are too large. */
void range_settle(struct fact *f);

/* x in steps of a grid, to the nearest; false past 2^120. */
bool range_steps(const rat *x, struct grid g, i128 *steps);
void grid_step(struct grid g, rat *step);

/* ----------------------------------------------------------------- from -- */

/* The relation of q's FROM, or NULL if it has none. Conditions of WHERE that
   became conditions of joins without ON are removed from WHERE. */
CUSTOS_MUST_USE custos_status from_make(struct work *w, struct query *q,
                                        struct relation **out);

/* from_make for the outermost query: sets from and table of w and the plan. */
CUSTOS_MUST_USE custos_status from_top(struct work *w);

/* x IN (SELECT ...), x bound: adds the SELECT to plan->queries. */
CUSTOS_MUST_USE custos_status from_in(struct work *w, struct expr *e);

/* ------------------------------------------------------- the plan itself -- */

/* work_bind: binds the names in all of w->q but FROM. work_where: types WHERE
   and makes it plan->where. */
CUSTOS_MUST_USE custos_status work_bind(struct work *w);
CUSTOS_MUST_USE custos_status work_where(struct work *w, enum context context);

CUSTOS_MUST_USE custos_status keys_make(struct work *w);
CUSTOS_MUST_USE custos_status outputs_make(struct work *w);

/* Is this count(distinct unit)? It counts units, and costs less. */
bool outputs_counts_units(const struct work *w, const struct expr *e);
CUSTOS_MUST_USE custos_status parts_make(struct work *w);
CUSTOS_MUST_USE custos_status bounds_make(struct work *w);
CUSTOS_MUST_USE custos_status stages_make(struct work *w);

/* max_rows_contributed, at most FROM_ROWS_MAX; 1 if it is not given or not a
   whole number above 0. */
uint64_t bounds_asked(const struct query *q);

/* Can the engine's printer print all that is computed over private rows? May
   fail: CUSTOS_EUNSUPPORTED, CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status printable_check(struct work *w);
CUSTOS_MUST_USE custos_status sensitivity_make(struct work *w);

/* The range of what one row can add to a count or sum, extended to contain 0; not
   0 alone. The most rows of a unit that count, M, and the largest sum of the squares of
   their numbers in each group, L (part-rows-per-group). */
void sensitivity_row_ends(const struct part *part, i128 *low, i128 *high);
uint64_t sensitivity_rows(const struct plan *p, const struct cell_space *s);
void
sensitivity_squares(const struct plan *p, const struct cell_space *s, rat *out);
CUSTOS_MUST_USE custos_status price_delta(struct work *w);
CUSTOS_MUST_USE custos_status price_make(struct work *w);
void split_weigh(struct plan *p);
CUSTOS_MUST_USE custos_status split_make(struct work *w);

/* What a part would get of the plan's rho, if that were the price. */
void split_rho(const struct plan *p, size_t part, rat *share);
CUSTOS_MUST_USE custos_status choose_make(struct work *w);

/* rho_check: can the query be priced in rho? rho_offer: for EXPLAIN, says what
   such a price would gain where the policy allows it and there are many values
   to release. */
CUSTOS_MUST_USE custos_status rho_check(struct work *w);
void rho_offer(const struct plan *p, struct buf *out);
CUSTOS_MUST_USE custos_status select_start(struct work *w);
void select_weigh(struct plan *p);
void select_reserve(struct work *w);
CUSTOS_MUST_USE custos_status select_make(struct work *w);
void select_clear(struct selection *s);
void select_forget(struct plan_keys_made *made); /* frees its rules */
CUSTOS_MUST_USE custos_status within_make(struct work *w);
CUSTOS_MUST_USE custos_status charge_make(struct work *w);

/* The charge of a plan whose stage costs epsilon and rho and selects one of the
   plans that may follow. */
void charge_selection(struct plan *p, const rat *epsilon, const rat *rho);

/* Raises the charge of a whole plan to the policy's least price. */
void least_make(struct plan *p);
CUSTOS_MUST_USE custos_status remarks_make(struct work *w);

/* Adds a theorem that the plan rests on, once; there is room for it. */
void plan_add_theorem(struct plan *p, const char *id);

/*
 * Is there room for the answer, whatever is released? For discovered groups,
 * lowers plan->space.cells, the limit on groups shown, to what fits. May fail:
 * CUSTOS_EOVERFLOW, CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status answer_size_limit(struct work *w);
CUSTOS_MUST_USE custos_status public_make(struct work *w);

/*
 * plan_make with `rows` rows per unit for tables that declare no bound, and with
 * candidate `range` for a value whose range is found. If out->raced, the bound
 * must be selected; if out->ranged, the range. This is one candidate's plan then.
 */
CUSTOS_MUST_USE custos_status plan_assuming(arena *a, struct query *q,
                                            const struct policy *p,
                                            const struct plan_options *options,
                                            uint64_t rows, size_t range,
                                            struct plan **out, custos_err *err);

#endif
