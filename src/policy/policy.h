/*
 * The policy: what the data owner decides. It is read once from one YAML file
 * and never changes afterwards. The planner treats all of it as public; an
 * analyst sees only what is granted to them.
 *
 *     custos: 2                       # format of this file
 *     adjacency: add-remove           # or change-one
 *     budget: {epsilon: 1, delta: 1e-7, n: 1000000}
 *     query: {epsilon: 0.1, max_epsilon: 0.5, delta: 1e-12}
 *     sources:                        # databases, by name
 *       archive: {engine: duckdb, file: archive.duckdb}
 *     tables:
 *       patients:
 *         source: patients.csv        # a file; or from: archive
 *         unit: id                    # or row
 *         columns:
 *           id: {type: integer}
 *           age: {type: integer, range: [0, 120]}
 *           city: {type: text, values: [Rome, Oslo], nullable: true}
 *         constraints: ["age >= 18 OR city = 'Oslo'"]
 *       visits:
 *         source: visits.parquet
 *         unit: patient_id            # references patients.id
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
 * The privacy unit of a row: with `unit: row` the row itself; with `unit: C`
 * the value of column C or, if C references T.K, the unit of the row of T with
 * that K, and so on. Equal values in any two tables mean the same person. So
 * that values can be compared, all columns at which these references end must
 * have one type and, for decimals, one scale.
 */
#ifndef POLICY_POLICY_H
#define POLICY_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/datum.h"
#include "custos.h"

enum source_kind { SOURCE_CSV, SOURCE_PARQUET, SOURCE_DUCKDB };

/* The engines that can hold tables. The files of `source: FILE` need none. */
enum source_engine { ENGINE_DUCKDB };

/* A database that tables are read from (`from: NAME`). */
struct policy_source {
    str name;
    enum source_engine engine;
    str file;        /* a path, absolute or relative to the policy's folder */
    str secret_file; /* the path of the file with its key; empty: none */
    int line;
};

struct policy_column {
    str name;
    enum data_type type;
    int scale;      /* TYPE_DECIMAL: digits after the point */
    bool nullable;  /* default true */
    bool has_range; /* numbers, dates, timestamps: values are clamped to it */
    struct datum lower, upper;
    bool find_range; /* numbers: a query may find a narrower range from the data
                        (plan/part/range_selection.h) */
    struct datum *values; /* the public domain, ordered; NULL: none is listed */
    size_t n_values;      /* 0 for a boolean, whose two values are public */
    size_t text_max; /* TYPE_TEXT: most bytes of a value; longer ones become
                        NULL */
    str references_table, references_column; /* empty: none */
    str comment; /* the owner's words for analysts; may be empty */
    int line;
};

/*
 * What the engine that holds a table can promise: public facts, on which plans and
 * EXPLAIN may depend.
 */
struct engine_facts {
    bool sorted;        /* if it has units: their rows come together, with
                           ranks */
    bool keys_enforced; /* a key that others refer to is unique, always */
    bool may_change;    /* by somebody else: checked before a charge */
    bool steps_stored;  /* values are normalised and on their grids already */
};

/* Those of a table that was imported, and of one that stays in its file. */
#define FACTS_IMPORTED                                                         \
    ((struct engine_facts){                                                    \
        .sorted = true, .keys_enforced = true, .steps_stored = true})
#define FACTS_ATTACHED ((struct engine_facts){.may_change = true})

/* A condition that no row of a table fails, as its owner states: a public fact. */
struct policy_constraint {
    str sql; /* its text, not parsed (plan/constraints.h) */
    int line;
};

struct policy_table {
    str name;
    bool is_public;
    bool is_released; /* public, but not exact: it stands for a synopsis */
    bool attached;    /* read from its file in every query: `attach: true` */
    const struct policy_source *from; /* where source is; NULL: a file that
                                         the table names */
    struct engine_facts facts;        /* of the engine that holds it */
    enum source_kind source_kind;
    str source;       /* a path, absolute or relative to the policy's folder */
    str source_table; /* SOURCE_DUCKDB: which table of the file */
    struct policy_column *columns;
    size_t n_columns;
    struct policy_constraint *constraints;
    size_t n_constraints;
    bool unit_is_row;
    size_t unit_column;       /* unless unit_is_row; private tables only */
    uint64_t rows_per_unit;   /* m; 1 if the unit is the row, or if not given
                                 (policy_rows_known) */
    uint64_t groups_per_unit; /* g; at most m if m is given; default m */
    uint64_t rows_per_group;  /* r, `rows_per_unit_and_group`: the most rows of
                                 a unit in one group; as g */
    uint64_t max_rows;        /* public upper bound; default 2^40 */
    bool max_rows_given;      /* the file has it, or exact_rows */
    uint64_t exact_rows;      /* the public number of rows, which is then
                                 max_rows, too; 0: not given */
    bool prefer_speed; /* `bound: before-where`: the first m rows of a unit by
                          rank are chosen before WHERE */
    str comment;
    int line;
    bool rows_given;   /* the file has rows_per_unit */
    bool groups_given; /* the file has groups_per_unit */
    bool rows_per_group_given;
    size_t number; /* its index in the policy's tables */
};

/* A query that the owner has named; analysts use it like a table. */
struct policy_view {
    str name;
    str sql;     /* its text, not parsed */
    str comment; /* may be empty */
    int line;
};

struct policy_grant {
    size_t table;
    bool *columns; /* by column: may it be used? */
};

/* Amounts are the owner's text, checked to be exact numbers in range. */
struct policy_budget {
    str epsilon;
    str delta; /* "0": pure */
    int line;
};

struct policy_analyst {
    str name;
    bool has_budget; /* one of its own, within the common budget */
    struct policy_budget budget;
    bool has_window; /* a limit on spending in window_days days */
    struct policy_budget window;
    uint32_t window_days;
    struct policy_grant *grants; /* NULL: every table, column and view */
    size_t n_grants;
    bool
        *views; /* for each view: may it be used? valid only if grants is set */
    int line;
};

/*
 * The formats of the file. Each one adds keys, so a policy of an older format
 * keeps its meaning (policy/migrate.h).
 */
enum { POLICY_FORMAT_OLDEST = 1, POLICY_FORMAT = 2 };

/* `tripwire: overrun_rate` is a share of this many questions: the analyst's
   last ones. */
enum { POLICY_OVERRUN_WINDOW = 1000 };

struct policy {
    uint32_t format; /* of the file: POLICY_FORMAT_OLDEST to POLICY_FORMAT */
    int format_line;
    custos_adjacency adjacency;
    struct policy_budget budget;
    bool has_people; /* `budget: n`, the public number, is given */
    uint64_t people;
    str default_epsilon;    /* of a query without a price; default: a tenth of
                               the budget's, but at most max_epsilon */
    str max_epsilon;        /* limit per query; default: the budget's */
    str max_rho;            /* limit of a price in rho; default empty: no query
                               may be priced in rho */
    str query_delta;        /* delta of one query; default: a thousandth of the
                               budget's, "0" when pure */
    str min_epsilon;        /* the least epsilon that a query is charged */
    str min_rho;            /* and the least rho; default of both: a
                               ten-thousandth of the budget's (min_epsilon: at
                               most max_epsilon) */
    uint64_t max_failures;  /* failures of this many analysts suspend everybody;
                               default 3 */
    uint64_t max_overruns;  /* an analyst with more overruns among their last
                               POLICY_OVERRUN_WINDOW questions is suspended;
                               default 1 */
    uint64_t max_groups;    /* most groups of a query; default 2^20 */
    uint64_t max_fanout;    /* public rows that a private row may join in FROM;
                               default 1000 */
    uint64_t max_unit_work; /* steps that one unit's rows may take; default
                               2^27 */
    uint64_t max_planning_steps; /* steps that one plan may take; default 10^7,
                                    about 0.25 s of one core */
    uint64_t min_units;    /* smaller discovered groups are never shown; default
                              1 */
    uint64_t answer_days;  /* how long cached answers are kept; 0: for good */
    uint64_t answer_bytes; /* how many bytes of them are kept; default 2^30 */
    uint64_t ledger_bytes; /* bytes of an analyst's rows in the ledger; default
                              2^33 */
    uint64_t
        ledger_minute_bytes; /* the same for the rows of one minute; default
                                2^28 */
    bool share_answers;      /* between analysts; default false */
    struct policy_source *sources;
    size_t n_sources;
    struct policy_table *tables;
    size_t n_tables;
    struct policy_view *views;
    size_t n_views;
    struct policy_analyst *analysts;
    size_t n_analysts;
    str text;          /* the file as it was read */
    uint8_t id[32];    /* SHA-256 of text: names this policy in the ledger */
    bool delta_forced; /* `force_delta: true`: delta may be 1/n or more */
    int query_line;    /* of `query:`, or of the budget */
};

/*
 * Parses text; *out and everything in it are allocated in a and borrow nothing.
 * `path` names the file in messages ("policy.yaml, line 12: ..."). Stops at the
 * first mistake with CUSTOS_EPOLICY. Also fails with CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status policy_read(arena *a, str text, const char *path,
                                          struct policy **out, custos_err *err);

/*
 * The same for a policy that was in force in this store: rules that are newer
 * than it are not applied. Only for comparing a new policy with it.
 */
CUSTOS_MUST_USE custos_status policy_read_past(arena *a, str text,
                                               const char *path,
                                               struct policy **out,
                                               custos_err *err);

/* The format of a file by the ending of its name; false if unknown. */
bool policy_source_kind(str path, enum source_kind *out);

/* Find a part by its exact name; NULL if there is none. */
const struct policy_source *
policy_source_find(const struct policy *p, str name);
const struct policy_table *policy_table_find(const struct policy *p, str name);
const struct policy_column *
policy_column_find(const struct policy_table *t, str name);
const struct policy_view *policy_view_find(const struct policy *p, str name);
const struct policy_analyst *
policy_analyst_find(const struct policy *p, str name);

/*
 * The table that t's unit column references, and in *key the referenced column.
 * NULL if the unit is the row or the column's own value.
 */
const struct policy_table *
policy_unit_parent(const struct policy *p, const struct policy_table *t,
                   const struct policy_column **key);

/* Does another column reference this one? Then this one's values are unique. */
bool policy_is_key(const struct policy *p, const struct policy_table *t,
                   const struct policy_column *c);

/*
 * Is the number of rows per unit public: declared, or one because the unit is
 * the row or its column is a key? If not, each query chooses a bound from the
 * data (plan/part/bound_selection.h).
 */
bool policy_rows_known(const struct policy *p, const struct policy_table *t);

/* May this analyst (NULL: the owner) use the column? */
bool policy_grants(const struct policy *p, const struct policy_analyst *who,
                   const struct policy_table *t, const struct policy_column *c);

/* May they use at least one column of the table? */
bool
policy_grants_table(const struct policy *p, const struct policy_analyst *who,
                    const struct policy_table *t);

/* May they use the view? A grant covers all its outputs. */
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
 * Like policy_read, but collects mistakes: after CUSTOS_EPOLICY, *mistakes has
 * those that do not follow from one another, at most one per line and 100 in
 * all, in the order of lines. References between tables are checked only if no
 * mistake was found before; the same holds for views, and for analysts.
 */
CUSTOS_MUST_USE custos_status policy_read_all(arena *a, str text,
                                              const char *path,
                                              struct policy **out,
                                              struct policy_remark **mistakes,
                                              size_t *n, custos_err *err);

/* policy_remark_write writes "line 12: danger: ...". policy_summary_write
   writes that the policy can be used, and how many remarks there are. */
void policy_remark_write(const struct policy_remark *r, struct buf *out);
void policy_summary_write(const struct policy *p,
                          const struct policy_remark *remarks, size_t n,
                          struct buf *out);

/* Everything that is missing or dangerous, in the order of lines. */
CUSTOS_MUST_USE custos_status policy_check(arena *a, const struct policy *p,
                                           struct policy_remark **out,
                                           size_t *n, custos_err *err);

#endif
