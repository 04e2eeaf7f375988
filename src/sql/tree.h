/*
 * The closed tree: everything a query can be. The reader builds nothing else,
 * and the printers cover all of it. A construct that has no node here is
 * rejected.
 *
 * A tree lives in the arena of its query. `at` is a byte offset in the text.
 */
#ifndef SQL_TREE_H
#define SQL_TREE_H

#include <stdbool.h>
#include <string.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/datum.h"
#include "custos.h"

/* The most expressions and tables of one query. Every copy of a WITH query
   counts, and an expression that an engine may compute twice counts twice. */
enum { SQL_NODES_MAX = 20000 };

/* The most sets of GROUPING SETS, ROLLUP and CUBE, and their different keys. */
enum { SQL_SETS_MAX = 256, SQL_SET_KEYS_MAX = 24 };

enum expr_kind {
    EXPR_LITERAL,  /* value */
    EXPR_COLUMN,   /* name, qualifier */
    EXPR_CALL,     /* call, args: operators and functions, all total */
    EXPR_CASE,     /* args: when, then, when, then, ..., else: always an odd
                     number, the last NULL where there is no ELSE */
    EXPR_IN,       /* args: the value, then literals; negated */
    EXPR_IN_QUERY, /* args: the value; query, of one output; negated */
    EXPR_CAST,     /* args: the value; cast_to; NULL where impossible */
    EXPR_AGGREGATE,
    EXPR_INTERVAL, /* DP_INTERVAL_LOW/HIGH: args: an output column's name */
    EXPR_GROUPING, /* GROUPING(...): args: keys of GROUP BY */
    EXPR_KEY,      /* made by the planner: key `slot`, after noise */
};

/* Operators and functions, in the order of their rows. */
enum call {
#define ROW(id, ...) CALL_##id,
#include "sql/functions.def"
};

enum {
    N_CALLS = 0
#define ROW(id, ...) +1
#include "sql/functions.def"
};

/* Aggregates, in the order of their rows. A quantile's args are the value and
   its rank, a literal from 0 to 1; those of a pair are y and x. */
enum aggregate {
#define ROW(id, ...) AGG_##id,
#include "sql/aggregates.def"
};

enum {
    N_AGGREGATES = 0
#define ROW(id, ...) +1
#include "sql/aggregates.def"
};

/* Which contribution_bounds_... an aggregate states. */
enum bounds { BOUNDS_NONE, BOUNDS_PER_GROUP, BOUNDS_PER_ROW };

/*
 * $1 ... $n of a text. In the tree a parameter is a literal: its value or, if
 * it has none (the text is only described), a stand-in. In the latter case the
 * first use that determines its type sets `type`.
 */
enum sql_param_use { SQL_PARAM_UNUSED, SQL_PARAM_VALUE, SQL_PARAM_LIST };

struct sql_param {
    size_t number;
    bool given;         /* it has a value, which may be NULL */
    struct datum value; /* for a list, its text {a,b} */
    enum data_type
        type; /* TYPE_NULL: not known; for a list, that of its values */
    enum sql_param_use use;
};

struct sql_params {
    struct sql_param *list;
    size_t n;
};

struct query;

struct expr {
    enum expr_kind kind;
    int at;
    struct expr **args;
    size_t n_args;
    struct datum value;
    struct sql_param *param; /* EXPR_LITERAL: its parameter, or NULL */
    str qualifier, name;
    enum call call;
    bool negated;
    enum data_type cast_to;
    int cast_precision, cast_scale; /* TYPE_DECIMAL: numeric(p, s); the planner
                                       also sets the scale of a column */
    /* EXPR_AGGREGATE: args holds the value, or nothing for count(*); a quantile
       also has its rank. A running count has its key, then those of PARTITION
       BY; a total only these */
    enum aggregate aggregate;
    str epsilon; /* `epsilon => 0.3`; empty: the planner decides */
    struct expr *lower, *upper; /* the contribution bounds: literals */
    enum bounds bounds;
    /* EXPR_INTERVAL */
    bool high;
    struct query *query; /* EXPR_IN_QUERY; may have union_all */
    /* Written by the planner: */
    bool trusted; /* it is part of a view, which the owner wrote */
    enum data_type type;
    bool wide;  /* TYPE_INT: it needs 128 bits in the engine;
                   EXPR_IN_QUERY: compared as reals */
    int slot;   /* which column of the table, or which aggregate of the plan;
                   EXPR_IN_QUERY: which query of the plan */
    int column; /* EXPR_IN_QUERY: which column of that query */
    i128 whole_low, whole_high; /* TYPE_INT: its range, from its facts */
    bool bare;       /* TYPE_INT: the engine's own arithmetic cannot fail here:
                       theorem bare-arithmetic (plan/type/bare.c) */
    size_t text_max; /* TYPE_TEXT: the most bytes it can have */
    void *fact;      /* the planner's struct fact: its range and more */
};

/* Is it DECIMAL in the engine, and so exact? Other decimals, and a NULL
   literal, are DOUBLE there. The planner and the printer both use this. */
static inline bool
expr_is_exact(const struct expr *e)
{
    if (e->kind == EXPR_LITERAL)
        return e->value.type == TYPE_DECIMAL;
    return e->type == TYPE_DECIMAL &&
           (e->kind == EXPR_COLUMN || e->kind == EXPR_CAST);
}

/* Is it computed as a double in the engine? */
static inline bool
expr_is_double(const struct expr *e)
{
    return e->type == TYPE_REAL ||
           (e->type == TYPE_DECIMAL && !expr_is_exact(e));
}

/* An output may be one element of an array, of which it is element `at` of n.
   Clients of the PostgreSQL protocol get the array as one column, of this name. n = 0:
   it is a column of its own. */
struct array_place {
    str name;
    size_t at, n;
};

/* For LIKE: is % the only special character of the pattern, and the match
   case-sensitive? Then the engine's own matcher is linear and is used;
   otherwise ours is. */
static inline bool
expr_like_is_plain(const struct expr *e)
{
    str pattern = e->args[1]->value.text;

    return (e->call == CALL_LIKE || e->call == CALL_NOT_LIKE) &&
           !memchr(pattern.ptr, '_', pattern.len) &&
           !memchr(pattern.ptr, '\\', pattern.len);
}

struct target {
    struct expr *expr; /* a column without a name: *, or t.* */
    str name;          /* alias, or what PostgreSQL would call the column */
    struct array_place array;
};

struct order {
    struct expr *expr; /* a literal integer is the number of an output */
    bool descending;
    bool nulls_first;
};

/* OPTIONS(...) of WITH DIFFERENTIAL_PRIVACY; empty: not given. */
struct query_options {
    bool given;
    str epsilon, rho, delta;
    str max_groups_contributed, max_rows_contributed;
    str max_rows_per_group; /* max_rows_contributed_per_group */
    str min_units;          /* min_privacy_units_per_group */
    str bars;         /* "simultaneous": all bars of a column hold at once */
    str quantile_bar; /* "off": quantiles are drawn without error bars */
    str table_error;  /* "largest": grouping sets are planned for the least
                         largest error of a cell */
    int epsilon_at, rho_at, delta_at;
};

/*
 * An item of FROM. A name that WITH has defined is a FROM_QUERY with a copy of
 * that query, as if it were written there in parentheses. Commas are joins
 * without ON. A RIGHT JOIN is a LEFT JOIN with its sides exchanged.
 */
enum from_kind { FROM_TABLE, FROM_QUERY, FROM_JOIN };

struct from {
    enum from_kind kind;
    int at;
    str name;            /* FROM_TABLE */
    str alias;           /* FROM_TABLE: may be empty; FROM_QUERY: never is */
    str *columns;        /* AS alias (a, b, ...): new names, from the left */
    size_t n_columns;    /* 0: names are those of the targets or the table */
    struct query *query; /* FROM_QUERY; may have union_all */
    bool trusted; /* set by the planner: the query of a view, which the owner
                     wrote and in which the owner's grants apply */
    /* FROM_JOIN: */
    struct from *left, *right;
    bool outer;      /* LEFT JOIN */
    struct expr *on; /* NULL: a cross join, or USING */
    str *using;      /* JOIN ... USING (a, b, ...) */
    size_t n_using;
};

/*
 * Names are as written. In GROUP BY a name alone is a column of FROM or, if
 * there is none, an output. In ORDER BY names of outputs are already replaced
 * by numbers, so a name is a column. Subqueries have no options, no ORDER BY
 * and no LIMIT.
 */
struct query {
    bool explain;
    struct query_options options;
    struct target *targets;
    size_t n_targets;
    size_t *columns; /* the target that each output column begins with */
    size_t n_columns;
    bool star;         /* some target is * or t.* */
    bool distinct;     /* SELECT DISTINCT */
    struct from *from; /* NULL: none */
    struct expr *where;
    struct expr **group_by;
    size_t n_group_by;
    uint32_t *sets; /* GROUPING SETS, ROLLUP, CUBE: which of group_by each set
                       has, as bits */
    size_t n_sets;  /* 0: all of group_by is one set */
    struct expr *having;
    struct order *order_by;
    size_t n_order_by;
    bool has_limit;
    uint64_t limit, offset;
    struct query *union_all; /* the next SELECT, in subqueries; NULL: none */
};

/*
 * Reads a text into a tree, which lives in a. Whatever the tree has no node for
 * is refused by name and position: CUSTOS_ESYNTAX, CUSTOS_EUNSUPPORTED (with
 * what to write instead, where possible), CUSTOS_EINVAL (a malformed list),
 * CUSTOS_EOVERFLOW (too long); also CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status sql_read(arena *a, str text, struct query **out,
                                       custos_err *err);

/*
 * The same for the query of a view, which is read as a subquery in FROM: UNION
 * ALL is allowed, but not EXPLAIN, options or LIMIT.
 */
CUSTOS_MUST_USE custos_status sql_read_subquery(arena *a, str text,
                                                struct query **out,
                                                custos_err *err);

/* As sql_read, for a text with parameters, which sql_read refuses. Also
   CUSTOS_EINVAL: a $n beyond params, or one used as a value and as a list. */
CUSTOS_MUST_USE custos_status sql_read_with(arena *a, str text,
                                            struct sql_params *params,
                                            struct query **out,
                                            custos_err *err);

enum { SQL_PARAMS_MAX = 10000 };

/*
 * Finds the parameters of a text; all are without a value. There are as many as
 * the highest $n in the text says, but at least `least`. May fail:
 * CUSTOS_ESYNTAX, CUSTOS_EOVERFLOW (too long), CUSTOS_EUNSUPPORTED (too many),
 * CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status sql_params_find(arena *a, str text, size_t least,
                                              struct sql_params *out,
                                              custos_err *err);

/*
 * Gives the parameters these values; texts are borrowed. May fail:
 * CUSTOS_EINVAL (too few), CUSTOS_ESYNTAX (not UTF-8), CUSTOS_EOVERFLOW (too
 * long).
 */
CUSTOS_MUST_USE custos_status sql_params_give(struct sql_params *params,
                                              const struct datum *values,
                                              size_t n, custos_err *err);

/* The text with the values of its parameters as literals, to show people what
   was asked. */
CUSTOS_MUST_USE custos_status sql_fill(arena *a, str text,
                                       const struct sql_params *params,
                                       struct buf *out, custos_err *err);

/*
 * The canonical text of a tree: equal trees have equal texts. It does not
 * depend on spelling, case of keywords, spaces or comments. Used for the ledger
 * and for the key of a stored answer. Arrays of percentiles print as their
 * elements.
 */
void sql_print(const struct query *q, struct buf *out);
void sql_print_expr(const struct expr *e, struct buf *out);

#endif
