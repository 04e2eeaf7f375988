/*
 * The plan: what a query releases, what that costs and how accurate it will be,
 * all from public facts (query, policy, counts of public tables). No byte of
 * private data is read here. Nothing changes a plan once it is made.
 *
 * A private query becomes *parts*. A part is one exact whole number for every
 * group (rows, non-null values, a sum of grid steps, a sum of their squares,
 * units, distinct values), with a sensitivity and a mechanism of its own; a
 * share has two numbers for every group, and the part of a quantile is the
 * group's sorted values instead. Every aggregate of
 * the query is a function of parts, so the avg and the variance of one value
 * share parts; HAVING, ORDER BY and arithmetic on aggregates are computed after
 * noise.
 *
 * What a plan releases is a list of *stages*: which bound on rows applies, which
 * discovered groups are shown, the parts of every group. Each has cells and
 * mechanisms of its own.
 */
#ifndef PLAN_PLAN_H
#define PLAN_PLAN_H

#include "account/charge.h"
#include "base/period.h"
#include "base/sha256.h"
#include "num/rat.h"
#include "plan/price/mechs.h"
#include "policy/policy.h"
#include "sql/tree.h"

struct effort;
struct fact;
struct bound_selection;
struct range_selection;
struct relation;
struct running;
struct marginals;

/* Limits of one query; more is refused above the charge. */
enum { PLAN_PARTS_MAX = 200, PLAN_KEYS_MAX = 16, PLAN_QUERIES_MAX = 32 };

/* Memory limits of a query, and of its answer, where a cell takes at most
   ANSWER_CELL_BYTES beside its text. */
#define QUERY_BYTES ((size_t)1 << 30)
#define ANSWER_BYTES ((size_t)1 << 30)
#define ANSWER_CELL_BYTES (3 * sizeof(struct datum) + 16)

/*
 * KEY_TEXT_MAX: the most bytes of a discovered group's key; a longer text is
 * NULL. KEY_TEXT_MEAN: if all groups are shown, the keys of a group may have
 * about this many bytes on average; with longer keys fewer groups are shown.
 */
enum { KEY_TEXT_MAX = 1024, KEY_TEXT_MEAN = 64 };

/* One step of a public grid: base^-digits. */
struct grid {
    int base; /* 2 or 10 */
    int digits;
};

/*
 * The grid on which a column's numbers are stored and summed. Its step is 1 for
 * whole numbers and dates, 10^-scale for decimals, and for reals a power of two
 * with at most 2^30 steps from 0 to the far end of the range.
 */
struct grid grid_of_column(const struct policy_column *c);

struct cell_space;

/*
 * PART_QUANTILES: all ranks of one value, at one price. A box is drawn around
 * each rank, and then the values between edges around the boxes are counted
 * (mech/quantile_box.h), from which value and ends follow. If the query wants no
 * error bars (quantile_bar = off), the ranks themselves are drawn.
 */
struct part_quantiles {
    const char **rank; /* ascending, exact decimals */
    size_t n;
    uint64_t inside; /* how many places from the ends ranks 0 and 1 (min and
                        max) are released */
    custos_quantile *draws; /* the boxes, or the ranks */
    custos_mech *counts;    /* NULL: no error bars */
};

enum part_kind {
    PART_ROWS,      /* rows of the group */
    PART_VALUES,    /* rows whose value is not NULL */
    PART_SUM,       /* the sum of value - centre, in steps */
    PART_SQUARES,   /* the sum of the squares of value - centre */
    PART_UNITS,     /* units with a row in the group */
    PART_DISTINCT,  /* distinct values that are not NULL */
    PART_QUANTILES, /* no number: the sorted values of the group, in steps */
    PART_SHARE,     /* two numbers: the sums of value - lower and of
                       upper - value. A row adds upper - lower to their sum, so
                       both get the noise of one (share.c) */
};

struct part {
    enum part_kind kind;
    const struct cell_space *space; /* the cells that have a number of it */
    custos_mech_kind mech_kind;
    struct expr *of;  /* the value; NULL for rows and units */
    struct grid grid; /* the grid of one value */
    int owner;        /* the aggregate that states an epsilon of its own and
                           pays for this part, or -1 */
    unsigned weight;  /* the part's weight in the split of the price ... */
    unsigned weight_in_rho; /* ... and if that is a rho */
    i128 lower, upper;  /* range of one value, in steps: values are clamped */
    i128 centre;        /* in steps, within the range */
    uint64_t domain;    /* PART_DISTINCT: the most values there can be; 0: not
                           known */
    i128 row_most;      /* one row moves the exact number by at most this */
    i128 bar;           /* half width of one value at 95 %, in steps */
    rat l1, l2_squared; /* sensitivity of the vector of all groups, in steps */
    rat epsilon, delta; /* the part's share of the price ... */
    rat rho;            /* ... or this, if the plan is priced in rho */
    custos_mech *mech;  /* on wide ints, one value per group; quantiles: NULL */
    const char *theorem;              /* theorem of the mechanism */
    struct part_quantiles *quantiles; /* PART_QUANTILES */
    struct running *running; /* PART_ROWS whose cells are added up along a key
                                (mech/running.h), or NULL. Then grid, l1,
                                l2_squared and mech are those of what gets the
                                noise */
    bool residual; /* of plan->marginals: noise is on the residual of its table
                      (mech/marginals.h) */
    bool one_cell; /* between neighbours at most one group differs */
    bool joint;    /* one of the parts that share one Gaussian (price/joint.c):
                      epsilon, delta and rho are its shares of that release */
    bool served;   /* its values are the noisy counts that the partition
                      selection releases, so it has no mech */
};

/* Exact numbers that get noise, for a group: 1, or 2 of a share. */
static inline size_t
part_numbers(const struct part *part)
{
    return part->kind == PART_SHARE ? 2 : 1;
}

/* Numbers that a part releases for a group: part_numbers, or those of its
   quantiles. */
size_t part_width(const struct part *part);

/* One expression of GROUP BY, and where its values come from. */
struct key {
    struct expr *expr;
    enum { KEY_STORED, KEY_WHOLE, KEY_PERIOD, KEY_LISTED, KEY_PRIVATE } kind;
    /* KEY_STORED: the index column of a column with declared values.
       KEY_WHOLE: a range of whole numbers. KEY_PERIOD: consecutive periods of
       the calendar. KEY_LISTED: values looked up in a list. KEY_PRIVATE: values
       discovered in the data. */
    int column;           /* KEY_STORED */
    int scale;            /* KEY_PRIVATE, decimals: digits after the point */
    i128 from;            /* KEY_WHOLE: the first number; KEY_PERIOD: the number
                             of the first period */
    enum period period;   /* KEY_PERIOD */
    struct datum *values; /* n of them, in the order of output */
    size_t n;
    bool null_group; /* one more group, for NULL and values outside the domain;
                        if false, such rows are in no group */
};

/* For KEY_PERIOD: the expression whose calendar period is the key. This is the
   argument of date_trunc, or the key itself. */
const struct expr *key_in_period(const struct key *k);

/*
 * Where a key is private, groups are discovered in the data. Which of them are
 * shown is a release of its own, a stage, made from the number of units in each.
 */
struct selection {
    custos_keys *rule;
    rat epsilon, delta;  /* its price */
    unsigned weight;     /* in the split of the price */
    uint64_t half, most; /* a group of `half` units is shown with probability
                            50 %, a group of `most` units with 95 %; where units
                            have weights, of units that are in no other group */
    uint64_t full_half, full_most; /* the same for units that are in as many
                                      groups as they may be */
    uint64_t least; /* smaller groups are never shown: set by owner or query */
    int serves;     /* the part that gets its noisy counts as values, or -1 */
};

enum bounding {
    BOUND_NONE,    /* the unit is the row */
    BOUND_RANK,    /* a predicate before WHERE: rank <= rows */
    BOUND_FOLD,    /* a unit's first rows in rank order that pass WHERE, and of
                      these the first groups; streamed in unit order */
    BOUND_GENERAL, /* as BOUND_FOLD, but in SQL: for attached tables, joins,
                      IN (SELECT ...), distinct values and quantiles */
};

/* A space of cells: the groups that rows are divided into. Every cell has one
   number of each part that is released over the space. */
struct cell_space {
    struct key *keys;
    size_t n_keys;
    size_t cells;    /* number of groups: the product over keys; 1 without keys.
                     The first key varies slowest; a null group comes last.
                     With a selection: the most that are shown */
    uint64_t groups; /* the most cells of a unit that count */
    uint64_t per_group; /* the most rows of a unit that count in one cell; 0:
                           only plan->rows limits them. Else BOUND_GENERAL */
    enum bounding bounding;      /* how rows and cells of a unit are bounded */
    struct selection *selection; /* NULL: every key is public */
};

/*
 * A stage: one release of a plan. The stages of a plan are released in their
 * order, and each depends on earlier ones only through what these released. A plan
 * costs the sum of what its stages cost (price/charge.c).
 */
enum stage_kind {
    STAGE_BOUND,  /* how many rows of a unit count. The only stage of its plan,
                     which has no parts: for each bound that can be released
                     there is a plan that follows. It costs its own share and
                     that of the most expensive of these plans */
    STAGE_RANGE,  /* the range that a value is clamped to, likewise */
    STAGE_GROUPS, /* which discovered groups of its space are shown */
    STAGE_VALUES, /* noisy numbers for every cell of its space or, if groups are
                     discovered, for those that the stage before has shown */
};

struct stage {
    enum stage_kind kind;
    const struct plan *plan;
    struct bound_selection *bounds; /* STAGE_BOUND */
    struct range_selection *ranges; /* STAGE_RANGE */
    struct plan *const *next; /* of both: the plans of which one follows */
    size_t n_next;
    const struct cell_space *space; /* STAGE_GROUPS, STAGE_VALUES */
    const struct part *parts;       /* STAGE_VALUES: n_parts of them */
    size_t first, n_parts; /* first: the index of parts[0] in plan->parts */
};

/*
 * An aggregate as a function of parts; -1: not used. With N, S, Q the parts
 * rows, sum, squares and c the centre, in steps:
 *
 *   count    N
 *   sum      S, where rows is -1 (then c is 0); else S + c N, from the parts of
 *            an average of the same value. Where `counted`, N is not released but
 *            the plan's known_rows, here and below
 *   avg      S/N + c; where part `share` is used, with T and R its two numbers
 *            and u its upper limit (its lower limit is 0), u T/(T + R). Then the
 *            sum of the same value is T, and a count of its rows (T + R)/u
 *   var_pop  Q/N - (S/N)^2; var_samp: that times N/(N-1)
 *   of pairs (y, x): N, S and Q of x and of y, over rows where neither is
 *            NULL, and the sum P of (x - c)(y - c'): covar_pop P/N - S S'/N^2
 *   median, percentile, min, max: number `rank` among the ranks of part `rows`
 *   running count: N, whose part adds up its cells; a total: the last of these
 *   in GROUPING SETS: the same, where a part among the first n_layers stands for
 *            the tables that all parts of its layer make together
 */
struct plan_aggregate {
    const struct expr *expr;
    enum aggregate kind;
    int rows, sum, squares; /* parts. rows: of any kind but PART_SUM,
                               PART_SQUARES and PART_SHARE */
    int sum_y, squares_y;   /* of pairs; sum and squares are those of x */
    int product;            /* PART_SUM of the products of a pair */
    int share;              /* a PART_SHARE, used alone */
    bool counted; /* its number of rows is the plan's known_rows; rows is -1 */
    size_t rank;  /* which of the ranks of part `rows` */
};

/*
 * What is computed after noise: outputs, HAVING and ORDER BY. In these trees
 * each expression of GROUP BY is an EXPR_KEY (slot: which key). The slot of an
 * aggregate is its index in plan->aggregates, that of an EXPR_INTERVAL its
 * index in plan->outputs. An alias or number of an output is replaced by the
 * output's tree. No EXPR_COLUMN is left.
 */
struct plan_output {
    str name;
    struct array_place array;
    enum data_type type;
    struct expr *expr;
    bool is_key;
    size_t key;
    int aggregate; /* which, if the expression is just one aggregate; or -1 */
};

struct plan {
    struct mechs *mechs; /* borrowed while the plan is made; or NULL */
    const struct query *query;
    const struct policy *policy;
    const struct relation *from; /* relation.h; NULL: the query has no FROM */
    const struct policy_table *table; /* the columns of `from` */
    const struct relation **queries;  /* one per IN (SELECT ...), by slot */
    size_t n_queries;
    bool is_public;          /* public tables or none: exact, free, no parts */
    uint64_t planning_steps; /* that plan_make took (effort.h); 0 in a plan that
                                follows another */
    bool raced; /* the bound of tables that declare none is selected from
                       the data first: `rows` is one candidate */
    struct expr *ranged;         /* the value whose range is found from the data
                                  first: its limits are one candidate; or NULL */
    str unit;                    /* the unit's name as shown to the analyst */
    uint64_t rows;               /* the most that count per unit */
    struct expr *where;          /* NULL: all rows */
    struct cell_space space;     /* the groups of the query */
    struct marginals *marginals; /* GROUPING SETS, ROLLUP, CUBE; else NULL. Then
                                    space.cells are the rows of the answer. Of
                                    each of n_layers counts and sums: the tables,
                                    alike but for the size of their cells */
    size_t n_layers;
    struct cell_space *tables; /* part number i is over tables[i / n_layers] */
    struct part *parts;        /* of all stages */
    size_t n_parts;
    struct plan_aggregate *aggregates;
    size_t n_aggregates;
    struct stage *stages; /* none: the plan is public */
    size_t n_stages;
    struct plan_output *outputs;
    size_t n_outputs;
    struct expr *having;     /* NULL: none */
    struct order *order_by;  /* none: by keys, ascending, NULL last */
    size_t n_order_by;       /* (limit and offset are the query's) */
    rat epsilon, rho, delta; /* the price that its noise is calibrated to */
    rat delta_rho;           /* the delta up to which rho holds */
    struct charge charge;    /* that price, or the least price if higher */
    bool in_rho;           /* the price is rho: no epsilon bounds it (rho.c) */
    bool raised;           /* the least price was higher, in epsilon or rho */
    const char **theorems; /* ids of all theorems that the price rests on */
    size_t n_theorems;
    struct fact *facts;   /* of all expressions; fact.h */
    const char **remarks; /* sentences for the answer: what bounding and
                             clamping may have removed, from public facts */
    size_t n_remarks;
    uint64_t known_rows; /* the policy's number of rows, where the answer rests
                            on it; else 0 (part/known_rows.c) */
    uint64_t fanout;     /* the most public rows that a private row can meet in
                        FROM: fanout.c; 0: not known */
};

/*
 * What the planner may ask about public tables, by their number in the policy:
 * how many rows a table has or, given a column, the most rows that share one
 * value (not NULL). False: not known.
 */
enum { PLAN_ROWS_OF_TABLE = -1 };
struct plan_known {
    void *ctx;
    bool (*count)(void *ctx, size_t table, int column, uint64_t *out);
};

/* Keys whose values another plan of the same query has found: see keys.c; and the
   last two rules of each kind that one has made for discovered groups, by their
   options as text, or why there is none: see select.c. */
struct plan_keys_made {
    struct key keys[PLAN_KEYS_MAX];
    const struct policy_column *columns[PLAN_KEYS_MAX];
    size_t n;
    struct plan_rule_made {
        const char *options;
        custos_keys *rule;
        custos_status status;
        struct plan_rule_point { /* keys_units_held() of the rule */
            uint64_t held;
            const char *chance;
            uint64_t units;
        } points[4];
        size_t n_points;
    } rules[CUSTOS_KEYS_WEIGHTED + 1][2]; /* the newer first */
};

/* Who asks, and at which price; without epsilon, rho and `within` at the
   policy's default price. */
struct plan_options {
    const struct policy_analyst *who; /* NULL: the owner */
    str epsilon;
    str rho;             /* instead of epsilon */
    str within;          /* asks for the least price at which every value is
                            within +-this */
    bool jointly;        /* ... all of them at once, at 95 % */
    struct mechs *mechs; /* where to look for mechanisms; or NULL */
    const struct plan_known *known; /* NULL: no counts are known, and the plan
                                       cannot be run */
    const _Atomic int *stop; /* not 0: planning is cancelled; NULL: it cannot be
                                cancelled */
    uint64_t *steps; /* of several plans together: the planning steps that
                        remain; NULL: one plan, as the policy limits it */
    /* Set by plan_make: its limits (effort.h), and keys that plans share */
    struct effort *effort;
    struct plan_keys_made *keys_made;
    bool frugal; /* there are so many plans that Gaussian noise is not tried */
};

/*
 * May fail: CUSTOS_ENAME, CUSTOS_EUNSUPPORTED, CUSTOS_EDENIED, CUSTOS_EINVAL,
 * CUSTOS_ERANGE, CUSTOS_EOVERFLOW, CUSTOS_EPARSE (an option is not a number),
 * CUSTOS_EPOLICY (a view that cannot be used), CUSTOS_ENOMEM, each with its
 * reason and most with a position; CUSTOS_EENGINE where it was cancelled. The
 * plan is a function of q, p, the options and the counts in `known`; so is
 * whether planning is too much work (planning-is-bounded). On success the
 * caller frees *out before a.
 */
CUSTOS_MUST_USE custos_status plan_make(arena *a, struct query *q,
                                        const struct policy *p,
                                        const struct plan_options *options,
                                        struct plan **out, custos_err *err);

/* The bounds that a plan with a STAGE_BOUND chooses from; NULL for other plans. */
static inline struct bound_selection *
plan_bound_selection(const struct plan *p)
{
    return p->n_stages > 0 ? p->stages[0].bounds : NULL;
}

/* The ranges that a plan with a STAGE_RANGE chooses from; NULL for other plans. */
static inline struct range_selection *
plan_range_selection(const struct plan *p)
{
    return p->n_stages > 0 ? p->stages[0].ranges : NULL;
}

/* The plans of which one follows the first stage of p, and their number: 0 where
   no stage of p selects one. */
static inline struct plan *const *
plan_next(const struct plan *p, size_t *n)
{
    *n = p->n_stages > 0 ? p->stages[0].n_next : 0;
    return *n > 0 ? p->stages[0].next : NULL;
}

/*
 * Do units in fewer groups than they may be in weigh more? Then a unit adds
 * custos_keys_weight() of the rule to each of its groups, and not 1.
 */
bool selection_weighs(const struct selection *s);

/*
 * Has s exactly one key, a discovered one that is a stored column itself, and p
 * nothing that filters before the bound, and are units without weights? Then an
 * engine that has stored ordinals of values may bound by these.
 */
/* Does it ask a synopsis, whose values were released earlier? */
bool plan_is_released(const struct plan *p);

bool plan_has_bare_key(const struct plan *p, const struct cell_space *s);

/* How many numbers a plan releases, where quantiles count as one for each cell. */
size_t plan_values(const struct plan *p);

/* plan_aggregates: how many different aggregates an expression has.
   plan_levels: the maximum over all expressions of the plan. */
size_t plan_aggregates(const struct plan *p, const struct expr *e);
size_t plan_levels(const struct plan *p);

/* Frees what does not live in the arena: mechanisms and rationals. */
void plan_free(struct plan *p);

/* EXPLAIN: lines of text, from public facts alone. */
void plan_explain(const struct plan *p, struct buf *out);

/*
 * Equal for plans that release the same at the same charge, and different
 * otherwise (except for collisions of SHA-256): it covers query, policy,
 * bounds, mechanisms and amounts. False without memory; *out is then undefined.
 */
CUSTOS_MUST_USE bool
plan_digest(const struct plan *p, uint8_t out[SHA256_BYTES]);

#endif
