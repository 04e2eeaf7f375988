/*
 * What the files of an import share: its steps in order are stage.c (sources
 * into normalised tables), import_report.c (what was changed or lost), unit_path.c
 * (who each row belongs to), import.c (the sorted tables, and the version as a
 * whole).
 */
#ifndef ENGINE_IMPORT_H
#define ENGINE_IMPORT_H

#include "engine/duck.h"
#include "engine/engine.h"
#include "engine/source.h"
#include "engine/view.h"

enum { SQL_MOST = 256 << 20 };

/* Of the tables in a version. From 3 on dates and texts are as view.h says; from
   4 on attached files were decoded in full and have marks. No older version is
   opened: queries rely on it. */
enum { DATA_FORMAT = 4 };

struct import {
    struct store *store;
    const struct policy *policy;
    const char *base;
    uint64_t max_loss_ppm;
    arena *a;
    struct duck *db;
    struct duck_connection *c;
    struct source *sources; /* by table */
    struct engine_import_table *tables;
    bool lost_too_much;       /* why it failed */
    engine_progress progress; /* NULL: nobody asks */
    void *ctx;
    uint64_t steps, step; /* statements in all and done */
    const char *what;
    size_t places; /* columns with places so far */
};

/* Runs b as one step, and clears it. The error names the table. */
CUSTOS_MUST_USE custos_status import_step(struct import *m, size_t table,
                                          const char *what, struct buf *b,
                                          custos_err *err);

/* Tells whoever watches that the next step begins. */
void import_show_step(struct import *m, const char *what);

/* Decodes all of attached table i, as one step. May fail: CUSTOS_EPOLICY,
   CUSTOS_EIO. */
CUSTOS_MUST_USE custos_status import_attached(struct import *m, size_t i,
                                              custos_err *err);

/*
 * Counts what staging changed in table i, into m->tables[i]: rows, kept and
 * columns. May fail: CUSTOS_EENGINE, CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status import_report_staged(struct import *m, size_t i,
                                                   custos_err *err);

/*
 * Keeps x, which view_changes made of a value of column c, among the examples
 * of its change while there is room; the caller counts. May fail: CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status import_example_add(struct import *m,
                                                 struct engine_import_column *c,
                                                 str x, custos_err *err);
enum view_change import_change_of(str x);

/* With the changes of c counted: sets its values, and what examples look like. */
void import_column_end(struct engine_import_table *t,
                       struct engine_import_column *c, uint64_t left);

/* Has any table lost too much so far? CUSTOS_EPOLICY, and the tables say it. */
CUSTOS_MUST_USE custos_status import_loss_check(struct import *m,
                                                custos_err *err);

/* Opens all sources and makes stage.s<i> of those that are not attached. */
CUSTOS_MUST_USE custos_status import_stage(struct import *m, custos_err *err);

/*
 * Refuses sources in which one person's unit could look like two: of one type
 * here, of another there. CUSTOS_EPOLICY.
 */
CUSTOS_MUST_USE custos_status import_units(struct import *m, custos_err *err);

/*
 * Makes `people` (u, x): a number for every value of a unit; and p<i>_<j>
 * (k, x) for every column j of a table i that units lead through: of the key k
 * the unit x. May fail: CUSTOS_EPOLICY (a key is there twice).
 */
CUSTOS_MUST_USE custos_status import_unit_paths(struct import *m,
                                                custos_err *err);

/* Refuses a column that is referenced and has a value twice: CUSTOS_EPOLICY. */
CUSTOS_MUST_USE custos_status import_references(struct import *m,
                                                custos_err *err);

/* Which database p<i>_<j> is in: kept when an attached table needs it. */
const char *
unit_path_schema(const struct policy *p, const struct policy_table *t,
                 const struct policy_column *key);

/*
 * FROM text of the rows of table i with their unit as x and their columns as
 * v.c0 ...: rows without a unit are not in it. relation is a bracketed select.
 */
void unit_path_from(const struct policy *p, size_t table, const char *relation,
                    struct buf *out);

#endif
