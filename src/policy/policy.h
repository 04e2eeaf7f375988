/*
 * The policy: what the data owner decides, read once from one YAML file and
 * never changed after. Everything in it is public to the planner; an analyst
 * sees only what is granted to them.
 *
 *     custos: 1                       # format of this file
 *     adjacency: add-remove           # or change-one
 *     budget: {epsilon: 1, delta: 1e-7, n: 1000000}
 *     query: {epsilon: 0.1, max_epsilon: 0.5, delta: 1e-12}
 *     tables:
 *       patients:
 *         source: patients.csv
 *         unit: id                    # or row
 *         columns:
 *           id: {type: integer}
 *           age: {type: integer, range: [0, 120]}
 *           city: {type: text, values: [Rome, Oslo], nullable: true}
 *       visits:
 *         source: visits.parquet
 *         unit: patient_id            # its path leads to patients.id
 *         rows_per_unit: 20
 *         columns:
 *           patient_id: {type: integer, references: patients.id}
 *           cost: {type: decimal, scale: 2, range: [0, 5000]}
 *       cities:
 *         public: true
 *         source: cities.csv
 *         columns: {name: {type: text}}
 *     views:
 *       dear: {sql: SELECT patient_id, cost FROM visits WHERE cost > 1000}
 *     analysts:
 *       ana: {budget: {epsilon: 0.5, delta: 1e-8}, tables: {visits: [cost]},
 *             window: {epsilon: 0.1, days: 1}}
 *
 * The unit of a row: `unit: row`, the row itself; `unit: C`, the value of
 * column C, or, where C references T.K, the unit of the row of T whose K it is
 * (and so on). Units of all tables with a column are one set of people: equal
 * values, equal person. So that equal values look alike, all columns in which
 * a path ends have one type and, of decimals, one scale.
 */
#ifndef POLICY_POLICY_H
#define POLICY_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/datum.h"
#include "custos.h"

enum source_kind { SOURCE_CSV, SOURCE_PARQUET, SOURCE_DUCKDB };

struct policy_column {
    str name;
    enum data_type type;
    int scale;      /* TYPE_DECIMAL: digits after the point */
    bool nullable;  /* default true */
    bool has_range; /* numbers, dates, timestamps: values clamp into it */
    struct datum lower, upper;
    struct datum *values; /* the public domain, ordered; NULL: none. */
    size_t n_values;      /* (bool has both values by itself) */
    size_t text_max; /* TYPE_TEXT: bytes of a value; longer ones are NULL */
    str references_table, references_column; /* empty: none */
    str comment; /* the owner's words for analysts; may be empty */
    int line;
};

struct policy_table {
    str name;
    bool is_public;
    bool attached; /* stays where it is: `attach: true` */
    enum source_kind source_kind;
    str source;       /* a path, absolute or from the policy's folder */
    str source_table; /* SOURCE_DUCKDB: which table of the file */
    struct policy_column *columns;
    size_t n_columns;
    bool unit_is_row;
    size_t unit_column;       /* unless unit_is_row; private tables only */
    uint64_t rows_per_unit;   /* m; 1 where the unit is the row, or none is
                                 given: policy_rows_known */
    uint64_t groups_per_unit; /* g <= m where m is given; default m */
    uint64_t max_rows;        /* public ceiling; default 2^40 */
    bool max_rows_given;      /* it stands in the file */
    bool prefer_speed; /* `bound: before-where`: rank <= m before WHERE */
    str comment;
    int line;
    bool rows_given;   /* rows_per_unit stands in the file */
    bool groups_given; /* and groups_per_unit */
    size_t number;     /* its place among the policy's tables */
};

/* A query that the owner has named; analysts ask it like a table. */
struct policy_view {
    str name;
    str sql;     /* its text, unread */
    str comment; /* may be empty */
    int line;
};

struct policy_grant {
    size_t table;
    bool *columns; /* by column: may be used */
};

/* Amounts are the owner's text, checked to be exact numbers in range. */
struct policy_budget {
    str epsilon;
    str delta; /* "0": pure */
    int line;
};

struct policy_analyst {
    str name;
    bool has_budget; /* its own, below the global one */
    struct policy_budget budget;
    bool has_window; /* at most this much in any `days` days */
    struct policy_budget window;
    uint32_t window_days;
    struct policy_grant *grants; /* NULL: every table, column and view */
    size_t n_grants;
    bool
        *views; /* by view: may be used, all its outputs; where grants is set */
    int line;
};

/* `tripwire: overrun_rate` is of so many questions. */
enum { POLICY_OVERRUN_WINDOW = 1000 };

struct policy {
    custos_adjacency adjacency;
    struct policy_budget budget;
    bool has_people; /* the public n of `budget: n` */
    uint64_t people;
    str default_epsilon; /* of a query that asks for none; default 1/10 of
                              the budget's */
    str max_epsilon;     /* cap per query; default: the budget's */
    str query_delta;     /* what one query may use; default: a thousandth of
                              the budget's, "0" when pure */
    str min_epsilon;     /* a query is charged this much at least, in either */
    str min_rho;         /* lane; default: a ten-thousandth of the budget's */
    uint64_t max_failures; /* of all analysts, until nobody is answered; 3 */
    uint64_t max_overruns; /* of an analyst's last POLICY_OVERRUN_WINDOW
                              questions, before it is suspended; 1 */
    uint64_t max_groups;   /* public ceiling of groups per query; 2^20 */
    uint64_t max_fanout;   /* public rows that a private row may meet in FROM */
    uint64_t max_unit_work;      /* steps that one unit's rows may take; 2^27 */
    uint64_t max_planning_steps; /* that one plan may take; 10^7, about 0.25 s
                                    of one core */
    uint64_t min_units;    /* groups of the data of fewer are never shown; 1 */
    uint64_t answer_days;  /* stored answers are kept so long; 0: for good */
    uint64_t answer_bytes; /* and so much of them; 2^30 */
    uint64_t ledger_bytes; /* that an analyst's rows may take; 2^33 */
    uint64_t ledger_minute_bytes; /* and those that come in a minute; 2^28 */
    bool share_answers;           /* between analysts; default false */
    struct policy_table *tables;
    size_t n_tables;
    struct policy_view *views;
    size_t n_views;
    struct policy_analyst *analysts;
    size_t n_analysts;
    str text;          /* the file as it was read */
    uint8_t id[32];    /* SHA-256 of text: names this policy in the ledger */
    bool delta_forced; /* `force_delta: true`: a delta of 1/n or more stands */
    int query_line;    /* of `query:`, or of the budget */
};

/*
 * Reads text into a; everything in *out belongs to a and borrows nothing.
 * `path` names the file in messages ("policy.yaml, line 12: ..."). The first
 * mistake ends it: CUSTOS_EPOLICY; also CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status policy_read(arena *a, str text, const char *path,
                                          struct policy **out, custos_err *err);

/*
 * The same for a policy that this store has had: rules that are newer than it
 * are not held against it. For comparing a new policy with it, nothing else.
 */
CUSTOS_MUST_USE custos_status policy_read_past(arena *a, str text,
                                               const char *path,
                                               struct policy **out,
                                               custos_err *err);

/* The format of a file by the ending of its name; false when it has none. */
bool policy_source_kind(str path, enum source_kind *out);

/* By name, exactly; NULL when there is none. */
const struct policy_table *policy_table_find(const struct policy *p, str name);
const struct policy_column *
policy_column_find(const struct policy_table *t, str name);
const struct policy_view *policy_view_find(const struct policy *p, str name);
const struct policy_analyst *
policy_analyst_find(const struct policy *p, str name);

/*
 * The table that the unit of t is taken from: what its unit column references;
 * NULL where the unit is the row or the column's own value. *key is then the
 * column that is referenced.
 */
const struct policy_table *
policy_unit_parent(const struct policy *p, const struct policy_table *t,
                   const struct policy_column **key);

/* Does another column reference this one? Then no two rows have one value. */
bool policy_is_key(const struct policy *p, const struct policy_table *t,
                   const struct policy_column *c);

/*
 * Is it public how many rows of a unit there can be: declared, or one, since
 * the unit is the row or its column a key? If not, a query on it has a bound
 * chosen from the data (plan/bound_selection.h).
 */
bool policy_rows_known(const struct policy *p, const struct policy_table *t);

/* May this analyst (NULL: the owner) use the column? */
bool policy_grants(const struct policy *p, const struct policy_analyst *who,
                   const struct policy_table *t, const struct policy_column *c);

/* The same for the table: any column of it. */
bool
policy_grants_table(const struct policy *p, const struct policy_analyst *who,
                    const struct policy_table *t);

/* The same for a view: all its outputs, whatever else is granted. */
bool
policy_grants_view(const struct policy *p, const struct policy_analyst *who,
                   const struct policy_view *v);

/* One finding of `custos policy check`. */
struct policy_remark {
    bool danger; /* else: advice */
    int line;
    const char *said;
};

/*
 * policy_read for the owner who wants the whole list: after CUSTOS_EPOLICY all
 * mistakes that do not follow from one another, at most one a line and in the
 * order of lines. What names other tables is read when those are right.
 */
CUSTOS_MUST_USE custos_status policy_read_all(arena *a, str text,
                                              const char *path,
                                              struct policy **out,
                                              struct policy_remark **mistakes,
                                              size_t *n, custos_err *err);

/* "line 12: danger: ...."; and, after all of them, that the policy can be used
   and how many there are. */
void policy_remark_write(const struct policy_remark *r, struct buf *out);
void policy_summary_write(const struct policy *p,
                          const struct policy_remark *remarks, size_t n,
                          struct buf *out);

/* All that is missing or dangerous, in the order of lines. */
CUSTOS_MUST_USE custos_status policy_check(arena *a, const struct policy *p,
                                           struct policy_remark **out,
                                           size_t *n, custos_err *err);

#endif
