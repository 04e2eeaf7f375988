/*
 * Shared by the files of an import. The steps of an import, in order: stage.c
 * (sources into normalised tables), import_report.c (what was changed or lost),
 * unit_path.c (the unit of each row), version_facts.c (what describes the version),
 * import.c (the sorted tables, and the version). import_step.c runs their statements.
 */
#ifndef ENGINE_IMPORT_H
#define ENGINE_IMPORT_H

#include "engine/duckdb/duck.h"
#include "engine/engine.h"
#include "engine/import/source.h"
#include "engine/statement/statement.h"
#include "engine/import/view.h"

enum { SQL_MOST = 256 << 20 };

/* The format of a version's tables. Since 3, dates and texts are as view.h says;
   since 4, attached files were decoded in full and have marks. Queries rely on
   that, so no older version is opened. */
enum { DATA_FORMAT = 4 };

struct duck_table;

struct import {
    struct store *store;
    const struct policy *policy;
    const char *base;
    uint64_t max_loss_ppm;
    arena *a;
    struct duck *db;
    struct duck_connection *c;
    struct source *sources;   /* by table */
    struct duck_table *views; /* by table: how attached ones are read */
    struct engine_import_table *tables;
    bool lost_too_much;       /* the import fails for this reason */
    engine_progress progress; /* NULL: no reports */
    void *ctx;
    uint64_t steps, step; /* number of steps: in all, done */
    const char *what;
    size_t ordinals; /* columns with ordinals printed so far */
};

/* Runs b as one step, and clears it. The error names the table. */
CUSTOS_MUST_USE custos_status import_step(struct import *m, size_t table,
                                          const char *what, struct buf *b,
                                          custos_err *err);

/* The same for the statement that makes a table of the version or the stage. */
CUSTOS_MUST_USE custos_status import_make(
    struct import *m, size_t table, const char *what, const struct builder *b,
    const char *name, const struct select *s, custos_err *err);

/* Runs a select; rows as from duck_ask. */
CUSTOS_MUST_USE custos_status import_ask(struct import *m,
                                         const struct builder *b,
                                         const struct select *s,
                                         struct result **out, custos_err *err);

/* The result of a select that gives one whole number; NULL is 0. */
CUSTOS_MUST_USE custos_status import_ask_whole(struct import *m,
                                               const struct builder *b,
                                               const struct select *s,
                                               i128 *out, custos_err *err);

/* Is there a table of this name, in the version or the stage? */
CUSTOS_MUST_USE custos_status import_has_table(struct import *m,
                                               const char *name, bool *out,
                                               custos_err *err);

/* The normalised rows of a table: of an attached one its view, else what is
   staged. */
const struct input *
import_rows(struct builder *b, struct import *m, size_t table);

/* Reports that the next step begins. */
void import_show_step(struct import *m, const char *what);

/* Decodes all of attached table i, as one step. May fail: CUSTOS_EPOLICY,
   CUSTOS_EIO, CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status import_attached(struct import *m, size_t i,
                                              custos_err *err);

/*
 * Counts what staging changed in table i, into m->tables[i]: rows, kept and
 * columns. May fail: CUSTOS_EENGINE, CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status import_report_staged(struct import *m, size_t i,
                                                   custos_err *err);

/*
 * Keeps x, which view_changes made from a value of column c, among the examples
 * of its change while there is room. Does not count x. May fail: CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status import_example_add(struct import *m,
                                                 struct engine_import_column *c,
                                                 str x, custos_err *err);
enum view_change import_change_of(str x);

/* Called when the changes of c are counted: sets its `values` and `empty`, and
   guesses the format of the examples. left: how many values are not NULL. */
void import_column_end(struct engine_import_table *t,
                       struct engine_import_column *c, uint64_t left);

/* CUSTOS_EPOLICY if any table has lost too much so far; `refused` says which. */
CUSTOS_MUST_USE custos_status import_loss_check(struct import *m,
                                                custos_err *err);

/* Opens all sources and makes stage.source_<i> of those that are not attached. */
CUSTOS_MUST_USE custos_status import_stage(struct import *m, custos_err *err);

/*
 * Refuses sources in which one person could appear as two units, because their
 * columns have different types. CUSTOS_EPOLICY.
 */
CUSTOS_MUST_USE custos_status import_units(struct import *m, custos_err *err);

/*
 * Makes `people` (u, x): a number u for every value x of a unit; and p<i>_<j>
 * (k, x) for every key, column j of table i, on the path to a unit: the unit x
 * of each value k of the key. May fail: CUSTOS_EPOLICY (a key occurs twice).
 */
CUSTOS_MUST_USE custos_status import_unit_paths(struct import *m,
                                                custos_err *err);

/* Makes the tables that describe the version: cuts (empty), sources, facts. */
CUSTOS_MUST_USE custos_status import_facts(struct import *m, custos_err *err);

/* Prints the statement that adds a cut, and a semicolon. */
void import_print_cut(size_t table, int64_t unit, struct buf *out);

/* Refuses a referenced column in which a value occurs twice: CUSTOS_EPOLICY. */
CUSTOS_MUST_USE custos_status import_references(struct import *m,
                                                custos_err *err);

/* The schema of p<i>_<j>: "" (in the version) if an attached table needs it, else
   "stage.". */
const char *
unit_path_schema(const struct policy *p, const struct policy_table *t,
                 const struct policy_column *key);

/*
 * The rows of table i, whose normalised rows are `rows`, with the value of their
 * unit: the columns unit_rows.unit_value and unit_rows.c0 ... Rows without a unit are
 * left out. unit_path_text: the value of the unit as a text.
 */
const struct input *unit_path_from(struct builder *b, const struct policy *p,
                                   size_t table, const struct input *rows);
const struct term *unit_path_text(struct builder *b);

#endif
