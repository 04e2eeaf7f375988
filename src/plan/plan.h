/*
 * The plan: what a query releases, what that costs and how exact it will be,
 * all from public facts (query, policy, counts of public tables). No byte of
 * private data is read here.
 *
 * A private query becomes *parts*. A part is one exact whole number for every
 * group (rows, non-null values, a sum of grid steps, a sum of their squares,
 * units, distinct values), with a sensitivity and a mechanism of its own. Every aggregate of
 * the query is a function of parts, so avg and variance share theirs; what
 * stands around aggregates (HAVING, ORDER BY, arithmetic) is done after noise.
 */
#ifndef PLAN_PLAN_H
#define PLAN_PLAN_H

#include "account/charge.h"
#include "base/period.h"
#include "base/sha256.h"
#include "num/rat.h"
#include "plan/mechs.h"
#include "policy/policy.h"
#include "sql/tree.h"

struct effort;
struct fact;
struct bound_selection;
struct relation;

/* What one query may ask for; more is refused above the charge. */
enum { PLAN_PARTS_MAX = 200, PLAN_KEYS_MAX = 16, PLAN_QUERIES_MAX = 32 };

/*
 * Bytes of a text of the data that names a group: a longer one is NULL. And so
 * many of each group that a plan shows at most, in the mean: with longer names
 * fewer groups are shown.
 */
enum { KEY_TEXT_MAX = 1024, KEY_TEXT_MEAN = 64 };

/* One step of a public grid: base^-digits. */
struct grid {
    int base; /* 2 or 10 */
    int digits;
};

/*
 * The grid on which a column's numbers are stored and summed: whole numbers
 * and dates 1, decimals 10^-scale, reals a power of two with at most 2^30
 * steps from 0 to the far end of the range.
 */
struct grid grid_of_column(const struct policy_column *c);

/*
 * PART_QUANTILES: of one value, all its ranks at one price. They are released
 * three times: at their places, and at places `off` below and above, which are
 * the ends of error bars. For these the values of a group are padded with
 * `off` of the least and of the largest there can be.
 */
struct part_quantiles {
    const char **rank; /* rising, exact decimals */
    size_t n;
    uint64_t inside; /* places from the end at which ranks 0 and 1 are found */
    uint64_t off;
    custos_quantile *at, *low, *high;
};

enum part_kind {
    PART_ROWS,      /* rows of the group */
    PART_VALUES,    /* rows whose value is not NULL */
    PART_SUM,       /* of values less centre, in steps */
    PART_SQUARES,   /* of their squares */
    PART_UNITS,     /* units with a row in the group */
    PART_DISTINCT,  /* distinct values that are not NULL */
    PART_QUANTILES, /* no number: the sorted values of the group, in steps */
};

struct part {
    enum part_kind kind;
    custos_mech_kind mech_kind;
    struct expr *of;    /* the value; NULL for rows and units */
    struct grid grid;   /* of one value */
    int owner;          /* the aggregate with an epsilon of its own that alone
                           pays for it, or -1 */
    unsigned weight;    /* of the price among those it is shared with */
    i128 lower, upper;  /* of one value, in steps: values clamp into it */
    i128 centre;        /* in steps, within the range */
    uint64_t domain;    /* PART_DISTINCT: so many values there are at most; 0:
                           nobody knows */
    i128 row_most;      /* one row moves the exact number by at most this */
    i128 bar;           /* half width of one value at 95 %, in steps */
    rat l1, l2_squared; /* sensitivity of the whole vector, in steps */
    rat epsilon, delta; /* its share */
    custos_mech *mech;  /* on wide ints, one value a group; of quantiles NULL */
    const char *theorem;              /* the mechanism's */
    struct part_quantiles *quantiles; /* PART_QUANTILES */
    bool one_cell; /* of neighbours at most one group differs */
    bool served;   /* it is the noisy count of the selection: no mech */
};

/* Numbers that a part releases for a group: 1, or three a rank. */
size_t part_width(const struct part *part);

/* How one expression of GROUP BY takes values. */
struct key {
    struct expr *expr;
    enum { KEY_STORED, KEY_WHOLE, KEY_PERIOD, KEY_LISTED, KEY_PRIVATE } kind;
    /* the index column of a column with values; whole numbers from..to;
           periods of the calendar without a gap; values looked up in a
           list; values that only the data know */
    int column;           /* KEY_STORED */
    int scale;            /* KEY_PRIVATE, decimals: digits after the point */
    i128 from;            /* KEY_WHOLE, and the first of KEY_PERIOD */
    enum period period;   /* KEY_PERIOD */
    struct datum *values; /* n of them, in the order of output */
    size_t n;
    bool null_group; /* one more, for NULL and what lies outside; else such
                        rows are in no group */
};

/* What lies in the periods of a KEY_PERIOD: of date_trunc its argument. */
const struct expr *key_in_period(const struct key *k);

/*
 * Where a key is private, groups come from the data, and which of them are
 * shown is a release of its own, by the number of units in each.
 */
struct selection {
    custos_keys *rule;
    rat epsilon, delta;  /* its price */
    unsigned weight;     /* of the price among parts */
    uint64_t half, most; /* units to be shown with 50 %, with 95 % */
    uint64_t least;      /* with fewer never: the owner's or the query's */
    int serves;          /* the part that its noisy counts are, or -1 */
};

/*
 * An aggregate as a function of parts; -1: not used. With N, S, Q the parts
 * rows, sum, squares and c the centre, in steps:
 *
 *   count    N
 *   sum      S, where rows is -1 (then c is 0); else S + c N: the parts of an
 *            average of the same value serve
 *   avg      S/N + c
 *   var_pop  Q/N - (S/N)^2; var_samp: that times N/(N-1)
 *   median, percentile, min, max: `rank` of the part in `rows`
 */
struct plan_aggregate {
    const struct expr *expr;
    enum aggregate kind;
    int rows, sum, squares; /* rows: of PART_ROWS, PART_VALUES, PART_UNITS,
                               PART_DISTINCT, PART_QUANTILES */
    size_t rank;            /* which of the part's */
};

enum bounding {
    BOUND_NONE,    /* the unit is the row */
    BOUND_RANK,    /* rank <= rows, before WHERE: a predicate */
    BOUND_FOLD,    /* the first rows of a unit that pass WHERE, in rank order,
                   and of these the first groups: streamed in unit order */
    BOUND_GENERAL, /* as BOUND_FOLD, by SQL alone: attached tables, distinct
                      values */
};

/*
 * What is done after noise: outputs, HAVING and ORDER BY. In these trees an
 * expression of GROUP BY has become EXPR_KEY (slot: which key), an aggregate
 * has its slot in plan->aggregates, EXPR_INTERVAL its slot in plan->outputs,
 * an output's alias or number the output's own tree; no EXPR_COLUMN is left.
 */
struct plan_output {
    str name;
    enum data_type type;
    struct expr *expr;
    bool is_key;
    size_t key;
    int aggregate; /* the expression is just this aggregate, or -1 */
};

struct plan {
    struct mechs *mechs; /* borrowed while the plan is made; or NULL */
    const struct query *query;
    const struct policy *policy;
    const struct relation *from; /* relation.h; NULL: none, or just `table` */
    const struct policy_table *table; /* the columns of from */
    const struct relation **queries;  /* of IN (SELECT ...), by slot */
    size_t n_queries;
    bool is_public; /* public tables or none: exact, free, no parts */
    bool raced;     /* what tables without a bound have is chosen from the data
                       first: rows is one choice */
    enum bounding bounding;
    str unit;              /* what the unit is called to who asks */
    uint64_t rows, groups; /* per unit */
    struct bound_selection
        *bound_selection; /* the choice: then this plan has no parts of its
                              own, only the price of all; else NULL. bound_selection.h */
    struct expr *where;   /* NULL: all rows */
    struct key *keys;
    size_t n_keys;
    size_t cells; /* groups in all: the product over keys; 1 without keys.
                     The first key varies slowest; a null group comes last.
                     With a selection: the most that are shown */
    struct selection *selection; /* NULL: every key is public */
    struct part *parts;
    size_t n_parts;
    struct plan_aggregate *aggregates;
    size_t n_aggregates;
    struct plan_output *outputs;
    size_t n_outputs;
    struct expr *having;     /* NULL: none */
    struct order *order_by;  /* none: by keys, ascending, NULL last */
    size_t n_order_by;       /* (limit and offset are the query's) */
    rat epsilon, rho, delta; /* the price of the whole, which its noise has */
    struct charge charge;    /* what is paid: that, or the policy's least */
    bool raised;             /* the least is more, in either lane */
    const char **theorems;   /* ids of all that the price rests on */
    size_t n_theorems;
    struct fact *facts;   /* of all expressions; fact.h */
    const char **remarks; /* sentences for the answer: what bounding and
                             clamping may have removed, from public facts */
    size_t n_remarks;
    uint64_t fanout; /* public rows that a private row can meet in FROM, at
                        most: fanout.c; 0: not known */
};

/*
 * What the planner may ask of public tables, by their number in the policy:
 * their rows or, of a column, the most rows that have one value (not NULL).
 * False: not known.
 */
enum { PLAN_ROWS_OF_TABLE = -1 };
struct plan_known {
    void *ctx;
    bool (*count)(void *ctx, size_t table, int column, uint64_t *out);
};

/* Keys whose values a plan of the same question has found: see keys.c. */
struct plan_keys_made {
    struct key keys[PLAN_KEYS_MAX];
    const struct policy_column *columns[PLAN_KEYS_MAX];
    size_t n;
};

/* How the price is asked for; all empty: the policy's default. */
struct plan_options {
    const struct policy_analyst *who; /* NULL: the owner */
    str epsilon;
    str within;          /* the cheapest price with every value within +-this */
    bool jointly;        /* ... all at once, at 95 % */
    struct mechs *mechs; /* where to look for mechanisms; or NULL */
    const struct plan_known *known; /* NULL: nothing is known of the data, and
                                       the plan cannot be run */
    const _Atomic int *stop; /* not 0: the plan is not wanted any more; NULL:
                                nobody stops it */
    /* plan_make's own: the account (effort.h), and what plans share */
    struct effort *effort;
    struct plan_keys_made *keys_made;
};

/*
 * May fail: CUSTOS_ENAME, CUSTOS_EUNSUPPORTED, CUSTOS_EDENIED, CUSTOS_EINVAL,
 * CUSTOS_ERANGE, CUSTOS_EOVERFLOW, CUSTOS_ENOMEM, each with position and
 * reason; CUSTOS_EENGINE where it was stopped. The plan is a function of q, p
 * and what `known` says; so is whether it is too much work (planning-is-bounded).
 * On success the caller frees *out before a.
 */
CUSTOS_MUST_USE custos_status plan_make(arena *a, struct query *q,
                                        const struct policy *p,
                                        const struct plan_options *options,
                                        struct plan **out, custos_err *err);

/*
 * Is the one key a column of the data as it is, and nothing before the bound?
 * Then an engine that stored places of values may bound by these.
 */
bool plan_has_bare_key(const struct plan *p);

/* How many different aggregates an expression has; the most that any of the
   plan's has. */
size_t plan_aggregates(const struct plan *p, const struct expr *e);
size_t plan_levels(const struct plan *p);

/* Frees what does not live in the arena: mechanisms and rationals. */
void plan_free(struct plan *p);

/* EXPLAIN: lines of text, of public facts alone. */
void plan_explain(const struct plan *p, struct buf *out);

/*
 * Equal for plans that release the same at the same charge, and different
 * otherwise, but for collisions of SHA-256: query, policy, bounds, mechanisms,
 * amounts. False without memory; out then means nothing.
 */
CUSTOS_MUST_USE bool
plan_digest(const struct plan *p, uint8_t out[SHA256_BYTES]);

#endif
