/*
 * The engine: runs bounded exact aggregates where the data is. Its results
 * leave it sealed, and its messages never leave it: every failure after the
 * charge is one constant sentence, and the original goes to err->noted.
 */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include "engine/import/view.h"
#include "plan/plan.h"
#include "policy/policy.h"
#include "store/store.h"

struct engine;

/*
 * Opens the data version in force, read-only and sealed off: no access to files
 * except the attached ones that the policy names, no extensions, settings
 * locked. p is borrowed. May fail: CUSTOS_EIO, CUSTOS_ECORRUPT, CUSTOS_ENAME
 * (no data yet), CUSTOS_EUNSUPPORTED (written by a newer custos or DuckDB, or
 * imported by an older custos), CUSTOS_EPOLICY (imported under another policy),
 * CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status engine_open(const struct store *s,
                                          const struct policy *p,
                                          struct engine **out, custos_err *err);

/* The same for a worker process: limits->spill is an existing folder for temporary
   files, which the engine does not remove; memory_bytes is the most memory that the
   engine may use. */
struct engine_limits {
    const char *spill;
    uint64_t memory_bytes;
};
CUSTOS_MUST_USE custos_status engine_open_within(
    const struct store *s, const struct policy *p,
    const struct engine_limits *limits, struct engine **out, custos_err *err);

/*
 * Makes one more handle on the version that e has open, with connections of its
 * own: each handle is for one thread at a time. May fail: CUSTOS_EENGINE,
 * CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status engine_share(struct engine *e,
                                           struct engine **out,
                                           custos_err *err);

/* The last handle closes the version. */
void engine_close(struct engine *e);

/* Called from another thread: interrupts what e runs, which then fails. */
void engine_interrupt(struct engine *e);

uint64_t engine_version(const struct engine *e);

/*
 * For plan_known: counts of public tables, each computed once and kept while the
 * version is open. ctx is the engine. False for a private table, and if the engine
 * fails.
 */
bool engine_count(void *ctx, size_t table, int column, uint64_t *out);

/*
 * Checks that all tables of a plan can be read (the file of each attached one
 * exists and is unchanged since custos init), and that the fan-out of a private
 * plan is known. Called above the charge, and by a worker before it reads; reads no
 * values. May fail: CUSTOS_EIO, CUSTOS_EINVAL.
 */
CUSTOS_MUST_USE custos_status engine_check_attached(struct engine *e,
                                                    const struct plan *plan,
                                                    custos_err *err);

/*
 * Does a private plan have public parts that may fail, such as subqueries with
 * aggregates or attached tables? These are computed first.
 */
bool engine_has_public_parts(const struct plan *plan);

/*
 * Computes the public parts into temporary tables of the handle, by statements that
 * read only public tables; statements that read private tables use the results.
 * Called above the charge, and again by the executor that does the work.
 * engine_unprepare drops the tables. A plan without such parts needs neither call.
 * Whether it fails depends on public data only. May fail: CUSTOS_EINVAL (one
 * constant sentence, nothing is left prepared), CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status engine_prepare(struct engine *e,
                                             const struct plan *plan,
                                             custos_err *err);
void engine_unprepare(struct engine *e);

/*
 * The numbers of a plan's bound selection, all from one statement. out[i] is one
 * sealed int: the number of units that have more rows than bound i, negated. The
 * last bound has no such number. The caller frees each. May fail: CUSTOS_EENGINE,
 * CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status engine_bound_counts(struct engine *e,
                                                  const struct plan *plan,
                                                  custos_sealed **out,
                                                  custos_err *err);

/*
 * The scores of a plan's range selection, from one statement: *out is one sealed
 * int for each candidate. The caller frees it. May fail: CUSTOS_EENGINE,
 * CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status engine_range_scores(struct engine *e,
                                                  const struct plan *plan,
                                                  custos_sealed **out,
                                                  custos_err *err);

/*
 * Computes all parts of a STAGE_VALUES: parts[i] has one wide int for each cell of
 * its space, sealed (all 0 for quantiles: see below); the caller frees each. May
 * fail: CUSTOS_EENGINE, CUSTOS_ENOMEM; nothing is set then.
 */
CUSTOS_MUST_USE custos_status engine_run(struct engine *e,
                                         const struct stage *stage,
                                         custos_sealed **parts,
                                         custos_err *err);

/*
 * The same for a space with discovered groups. Nothing can be asked about the
 * groups until engine_groups_choose has applied the space's selection to them, once.
 * The caller frees *out; stage is borrowed until then. Fails like engine_run.
 */
struct engine_groups;
CUSTOS_MUST_USE custos_status engine_find(struct engine *e,
                                          const struct stage *stage,
                                          struct engine_groups **out,
                                          custos_err *err);
void engine_groups_free(struct engine_groups *g);

/* May fail: CUSTOS_ETAKEN (called before), CUSTOS_EENTROPY, CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status engine_groups_choose(struct engine_groups *g,
                                                   custos_rng *rng,
                                                   custos_err *err);

/* The chosen groups that are shown, ordered by their keys: how many there are, and
   how many more were chosen but are not shown; a key, its text borrowed from g; and
   the noisy number of units by which the selection chose the group. */
size_t engine_groups_count(const struct engine_groups *g);
size_t engine_groups_more(const struct engine_groups *g);
struct datum
engine_groups_key(const struct engine_groups *g, size_t group, size_t k);
int64_t engine_groups_units(const struct engine_groups *g, size_t group);

/* Takes an exact part of a chosen group, sealed; possible once. The caller frees
   it. */
CUSTOS_MUST_USE custos_status engine_groups_part(struct engine_groups *g,
                                                 size_t group, size_t part,
                                                 custos_sealed **out,
                                                 custos_err *err);

/*
 * Collects the values of a PART_QUANTILES, group by group in the order of cells.
 * `take` gets the sealed list of a group, of `cells` wide ints, once and does not
 * keep it. May fail: CUSTOS_EENGINE,
 * CUSTOS_ENOMEM, CUSTOS_EENTROPY; other errors of `take` become CUSTOS_EENGINE.
 */
typedef custos_status (*engine_take)(void *ctx, size_t cell,
                                     custos_sealed *sealed, size_t cells,
                                     custos_err *err);
CUSTOS_MUST_USE custos_status engine_quantiles(struct engine *e,
                                               const struct stage *stage,
                                               size_t part, engine_take take,
                                               void *ctx, custos_err *err);

/* The same for the shown groups of g, which e must have found; the groups come in
   any order, and none comes before engine_groups_choose. May also fail:
   CUSTOS_ETAKEN (called before). */
CUSTOS_MUST_USE custos_status
engine_groups_quantiles(struct engine *e, struct engine_groups *g, size_t part,
                        engine_take take, void *ctx, custos_err *err);

/* The rows of a query over public data only, allocated in `a`. May fail:
   CUSTOS_EENGINE, CUSTOS_ENOMEM. */
struct engine_rows {
    size_t n, n_columns;
    struct datum *cells; /* row by row */
};
CUSTOS_MUST_USE custos_status engine_public(struct engine *e,
                                            const struct plan *plan, arena *a,
                                            struct engine_rows *out,
                                            custos_err *err);

/* Progress of an import: `done` of `total`, in hundredths of a step; `what` names
   the step. */
typedef void (*engine_progress)(void *ctx, uint64_t done, uint64_t total,
                                const char *what);

/* Values of a column that were changed in one way. */
struct engine_import_change {
    uint64_t count;
    str *examples; /* the first in the source; each cut to one short line */
    size_t n_examples;
    const char *found; /* what they look like; NULL: unknown */
    const char *remedy;
};

/*
 * Facts about a column that only the owner may learn: exact numbers and values of
 * private data, for the terminal of `custos init`; never for a log, the ledger or
 * an analyst.
 */
struct engine_import_column {
    const struct policy_column *is;
    uint64_t values; /* not NULL in the source; set for changed columns */
    uint64_t empty;  /* NULL in the source; 0 for a nullable column */
    struct engine_import_change changes[CHANGES];
    bool refused; /* it loses too much */
};

/* The same for a table. */
struct engine_import_table {
    str name;
    const struct policy_table *is;
    bool attached;       /* not imported: units and without_unit are 0 */
    uint64_t rows, kept; /* in the source; in the store */
    uint64_t units;
    uint64_t without_unit; /* dropped: unit is NULL, or no such parent */
    struct engine_import_column *columns;
    bool refused; /* it, or a column of it, loses too much */
};

/* The share of a column's values or a table's rows that an import may lose. */
enum { LOSS_PPM_DEFAULT = 50000, LOSS_PPM_ANY = 1000000 };

/* How many values of the column are NULL in the store but not in the source. */
uint64_t engine_import_lost(const struct engine_import_column *c);

/*
 * Imports every table that is not attached into a new version of the store
 * (under its lock): units resolved, values brought into their domains, rows
 * sorted by unit and rank. The version takes effect when store_commit is
 * called; a failure leaves nothing behind. base: the folder that paths of sources
 * are relative to. May fail: CUSTOS_EPOLICY (a source lacks a column, parent keys
 * are not unique ...), CUSTOS_EBUSY (another import runs), CUSTOS_ENOMEM, and as
 * source_open. If a column or a table would lose more than max_loss_ppm millionths,
 * the import fails with CUSTOS_EPOLICY, and *tables is set: `refused` says which.
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

/* The names of a DuckDB file's tables, in order, allocated in `a`. */
CUSTOS_MUST_USE custos_status engine_source_tables(const char *path, arena *a,
                                                   str **out, size_t *n,
                                                   custos_err *err);

#endif
