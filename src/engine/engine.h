/*
 * The engine: runs bounded exact aggregates where the data is. Its results
 * leave it sealed, and its messages never leave it: every failure after the
 * charge is one constant sentence, and the original goes to err->noted.
 */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include "engine/view.h"
#include "plan/plan.h"
#include "policy/policy.h"
#include "store/store.h"

struct engine;

/*
 * Opens the data version in force, read-only, sealed off: no external access
 * (attached files excepted, named by the policy), no extensions, settings
 * locked. p is borrowed. May fail: CUSTOS_EIO, CUSTOS_ECORRUPT, CUSTOS_ENAME
 * (no data yet), CUSTOS_EUNSUPPORTED (written by a newer custos or DuckDB, or
 * imported by an older custos).
 */
CUSTOS_MUST_USE custos_status engine_open(const struct store *s,
                                          const struct policy *p,
                                          struct engine **out, custos_err *err);

/* The same for a worker, which is given a folder for its temporary files (that
   it does not own) and a share of the machine's memory. */
struct engine_limits {
    const char *spill;
    uint64_t memory_bytes;
};
CUSTOS_MUST_USE custos_status engine_open_within(
    const struct store *s, const struct policy *p,
    const struct engine_limits *limits, struct engine **out, custos_err *err);

/*
 * One more handle on what e has open, with connections of its own: each handle
 * is for one thread at a time. May fail: CUSTOS_EENGINE, CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status engine_share(struct engine *e,
                                           struct engine **out,
                                           custos_err *err);

/* The last handle closes the version. */
void engine_close(struct engine *e);

/* From another thread: interrupts what e runs, which fails then. */
void engine_interrupt(struct engine *e);

uint64_t engine_version(const struct engine *e);

/*
 * For plan_known: counts of public tables, each made once and kept while the
 * version is open. ctx is the engine. False for a private table and where the
 * engine failed.
 */
bool engine_count(void *ctx, size_t table, int column, uint64_t *out);

/*
 * Can all tables of a plan be read: is the file of each attached one there, and
 * unchanged since custos init? And is the fan-out of a private plan known?
 * Called above the charge, and by a worker before it reads; looks at no values.
 * May fail: CUSTOS_EIO, CUSTOS_EINVAL.
 */
CUSTOS_MUST_USE custos_status engine_check_attached(struct engine *e,
                                                    const struct plan *plan,
                                                    custos_err *err);

/*
 * Does a private plan have parts over public data that may fail: subqueries
 * with aggregates and the like, attached tables? They are computed first.
 */
bool engine_has_public_parts(const struct plan *plan);

/*
 * Computes these parts into temporary tables of the handle, by statements that
 * read public tables alone; statements that read private tables use the result.
 * Called above the charge, and again by whoever does the work; engine_unprepare
 * drops the tables, and a plan without such parts needs neither. A failure is a
 * function of public data. May fail: CUSTOS_EINVAL (one constant sentence, nothing is
 * left prepared), CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status engine_prepare(struct engine *e,
                                             const struct plan *plan,
                                             custos_err *err);
void engine_unprepare(struct engine *e);

/*
 * The numbers of plan's bound_selection, all from one snapshot: out[i] is one
 * sealed int, minus the number of units that have more rows than bound i; the
 * last bound has none. The caller frees each. May fail: CUSTOS_EENGINE,
 * CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status engine_bound_counts(struct engine *e,
                                                  const struct plan *plan,
                                                  custos_sealed **out,
                                                  custos_err *err);

/*
 * Computes all parts of a private plan from one snapshot: parts[i] is sealed,
 * plan->cells wide ints (all 0 for quantiles: see below); the caller frees each.
 * May fail: CUSTOS_EENGINE, CUSTOS_ENOMEM; nothing is set then.
 */
CUSTOS_MUST_USE custos_status engine_run(struct engine *e,
                                         const struct plan *plan,
                                         custos_sealed **parts,
                                         custos_err *err);

/*
 * The same for a plan whose groups come from the data. Nothing can be asked of
 * the groups until engine_groups_choose has applied plan->selection to them,
 * once. The caller frees *out; plan is borrowed until then. May fail as
 * engine_run.
 */
struct engine_groups;
CUSTOS_MUST_USE custos_status engine_find(struct engine *e,
                                          const struct plan *plan,
                                          struct engine_groups **out,
                                          custos_err *err);
void engine_groups_free(struct engine_groups *g);

/* May fail: CUSTOS_ETAKEN (called before), CUSTOS_EENTROPY, CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status engine_groups_choose(struct engine_groups *g,
                                                   custos_rng *rng,
                                                   custos_err *err);

/* The chosen ones, ordered by their keys: how many; a key, its text borrowed
   from g; the selection's noisy number of units, where it serves a part. */
size_t engine_groups_count(const struct engine_groups *g);
size_t engine_groups_more(const struct engine_groups *g); /* not shown */
struct datum
engine_groups_key(const struct engine_groups *g, size_t group, size_t k);
int64_t engine_groups_units(const struct engine_groups *g, size_t group);

/* A chosen group's exact part, sealed, once; the caller frees it. */
CUSTOS_MUST_USE custos_status engine_groups_part(struct engine_groups *g,
                                                 size_t group, size_t part,
                                                 custos_sealed **out,
                                                 custos_err *err);

/*
 * The values of part i, PART_QUANTILES, group by group in the order of cells,
 * each sealed three times: for its quantiles, and padded for the low and the
 * high ends of their bars. `take` gets each seal once, of `cells` wide ints,
 * and does not keep it. May fail: CUSTOS_EENGINE, CUSTOS_ENOMEM, and as take.
 */
enum engine_quantile { QUANTILE_AT, QUANTILE_LOW, QUANTILE_HIGH };
typedef custos_status (*engine_take)(void *ctx, size_t cell,
                                     enum engine_quantile which,
                                     custos_sealed *sealed, size_t cells,
                                     custos_err *err);
CUSTOS_MUST_USE custos_status engine_quantiles(struct engine *e,
                                               const struct plan *plan,
                                               size_t part, engine_take take,
                                               void *ctx, custos_err *err);

/* The same for the groups of g that are shown, found by this e, in any order;
   none before the choice. May also fail: CUSTOS_ETAKEN (called before). */
CUSTOS_MUST_USE custos_status
engine_groups_quantiles(struct engine *e, struct engine_groups *g, size_t part,
                        engine_take take, void *ctx, custos_err *err);

/* Rows of a query over public data alone, in a. May fail: CUSTOS_EENGINE. */
struct engine_rows {
    size_t n, n_columns;
    struct datum *cells; /* row by row */
};
CUSTOS_MUST_USE custos_status engine_public(struct engine *e,
                                            const struct plan *plan, arena *a,
                                            struct engine_rows *out,
                                            custos_err *err);

/* Progress of an import: done of total, in no particular unit. */
typedef void (*engine_progress)(void *ctx, uint64_t done, uint64_t total,
                                const char *what);

/* Values of a column that were changed in one way. */
struct engine_import_change {
    uint64_t count;
    str *examples; /* the first ones in the source, cut and on one line */
    size_t n_examples;
    const char *found; /* what they look like; NULL: unknown */
    const char *remedy;
};

/*
 * What only the owner learns about a column: exact numbers and values of private
 * data, for the terminal of `custos init` and for no log, ledger or analyst.
 */
struct engine_import_column {
    const struct policy_column *is;
    uint64_t values; /* in the source, NULL left out; of changed columns */
    uint64_t empty;  /* NULL in the source; of columns that are not nullable */
    struct engine_import_change changes[CHANGES];
    bool refused; /* it loses too much */
};

/* The same about a table. */
struct engine_import_table {
    str name;
    const struct policy_table *is;
    bool attached;       /* not imported: units and without_unit are 0 */
    uint64_t rows, kept; /* in the source; in the store */
    uint64_t units;
    uint64_t without_unit; /* dropped: NULL or missing parent */
    struct engine_import_column *columns;
    bool refused; /* it, or a column of it, loses too much */
};

/* The share of a column's values or a table's rows that an import may lose. */
enum { LOSS_PPM_DEFAULT = 50000, LOSS_PPM_ANY = 1000000 };

/* Values of the column that are NULL in the store and were not in the source. */
uint64_t engine_import_lost(const struct engine_import_column *c);

/*
 * Imports every table that is not attached into a new version of the store
 * (under its lock): units resolved, values brought into their domains, rows
 * sorted by unit and rank. The version takes effect when store_commit is
 * called; a failure leaves nothing behind. base: the folder that paths of sources
 * are relative to. May fail: CUSTOS_EIO, CUSTOS_EPOLICY (the
 * source has no such column, parent keys are not unique ...), CUSTOS_ENOMEM.
 * Where a column or a table would lose more than max_loss_ppm millionths, it
 * fails with CUSTOS_EPOLICY, and *tables is set: `refused` says which.
 */
CUSTOS_MUST_USE custos_status engine_import(
    struct store *s, const struct policy *p, const char *base,
    uint64_t max_loss_ppm, engine_progress progress, void *ctx, arena *a,
    struct engine_import_table **tables, uint64_t *version, custos_err *err);

/* Column names and types of a file, for `custos policy draft`; no values. */
struct engine_source_column {
    str name;
    enum data_type type;
    int scale;
};
CUSTOS_MUST_USE custos_status engine_schema(const char *path,
                                            enum source_kind kind,
                                            const char *table, arena *a,
                                            struct engine_source_column **out,
                                            size_t *n, custos_err *err);

/* The names of a DuckDB file's tables, in order, in a. */
CUSTOS_MUST_USE custos_status engine_source_tables(const char *path, arena *a,
                                                   str **out, size_t *n,
                                                   custos_err *err);

#endif
