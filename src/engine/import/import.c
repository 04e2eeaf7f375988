/*
 * Makes a new data version: stages the sources, numbers the units, and writes each
 * table sorted by unit and rank. All of this happens in tmp/; the version gets its
 * name when it is complete and synced.
 *
 * Tables of the version: t<i> for table i of the policy; people (the number of each
 * unit); p<i>_<j> (import.h), if an attached table needs them; facts (those of the
 * policy that the columns depend on); sources (attached tables, with the marks of
 * their files); cuts (units at about equal distances in rows, where threads divide
 * their work).
 */
#include "engine/import/import.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/base.h"
#include "base/error.h"
#include "engine/import/csv_fault.h"
#include "engine/duckdb/duck_print.h"
#include "engine/duckdb/open.h"
#include "engine/run/key.h"
#include "engine/refail.h"
#include "store/file.h"

enum { CUTS = 64, CUTS_FROM_ROWS = 1 << 16, MEMORY_SHARE = 2 };

static void
step_percent(void *ctx, unsigned percent)
{
    struct import *m = ctx;

    if (m->progress)
        m->progress(m->ctx, m->step * 100 + percent, m->steps * 100, m->what);
}

/*
 * Tells the owner why a step failed; for a CSV file, with line and cause. Analysts
 * never see this.
 */
static custos_status
step_failed(const struct policy_table *t, const char *what, custos_err *err)
{
    const char *fault = err ? csv_fault_of(err->noted) : NULL;

    if (!fault)
        return refail(err, CUSTOS_EIO,
                      "table '%.*s' could not be imported (%s): its file "
                      "cannot be read, or the disk is full",
                      SHOWN(t->name), what);
    return refail(err, CUSTOS_EPOLICY, "table '%.*s': %s", SHOWN(t->name),
                  fault);
}

void
import_show_step(struct import *m, const char *what)
{
    m->what = what;
    if (m->step < m->steps)
        step_percent(m, 0);
}

custos_status
import_step(struct import *m, size_t table, const char *what, struct buf *b,
            custos_err *err)
{
    const struct policy_table *t = &m->policy->tables[table];
    custos_status st;

    import_show_step(m, what);
    if (b->failed)
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    else
        st = duck_do_slowly(m->c, buf_text(b), step_percent, m, err);
    buf_clear(b);
    if (m->step < m->steps)
        m->step++;
    if (st == CUSTOS_EENGINE)
        st = step_failed(t, what, err);
    return st;
}

custos_status
import_make(struct import *m, size_t table, const char *what,
            const struct builder *b, const char *name, const struct select *s,
            custos_err *err)
{
    struct buf text;

    buf_init(&text, NULL, SQL_MOST);
    if (b->failed)
        text.failed = true;
    else
        duck_print_table(DUCK_TABLE_STORED, name, s, m->views, &text);
    return import_step(m, table, what, &text, err);
}

const struct input *
import_rows(struct builder *b, struct import *m, size_t table)
{
    struct select *s;

    if (m->policy->tables[table].attached)
        return input_table(b, table);
    s = select_new(b, input_named(b, "stage.source_%zu", table));
    s->all = true;
    select_where(b, s, term_not(b, term_name(b, NULL, "bad")));
    return input_select(b, s);
}

custos_status
import_has_table(struct import *m, const char *name, bool *out, custos_err *err)
{
    i128 there = 0;
    struct builder b;
    struct select *s;
    custos_status st;

    builder_init(&b, NULL);
    s = select_new(&b, input_named(&b, "duckdb_tables()"));
    select_add_bare(&b, s, term_aggregate(&b, TERM_COUNT, NULL));
    select_where(&b, s,
                 term_binary(&b, term_name(&b, NULL, "table_name"), TERM_EQUAL,
                             term_text(&b, str_of(name))));
    st = import_ask_whole(m, &b, s, &there, err);
    builder_clear(&b);
    *out = there > 0;
    return st;
}

custos_status
import_ask(struct import *m, const struct builder *b, const struct select *s,
           struct result **out, custos_err *err)
{
    custos_status st;
    struct buf text;

    buf_init(&text, NULL, SQL_MOST);
    if (!b->failed)
        duck_print_select(s, m->views, &text);
    st = b->failed || text.failed
             ? custos_fail(err, CUSTOS_ENOMEM, "out of memory")
             : duck_ask(m->c, buf_text(&text), out, err);
    buf_clear(&text);
    return st;
}

custos_status
import_ask_whole(struct import *m, const struct builder *b,
                 const struct select *s, i128 *out, custos_err *err)
{
    custos_status st;
    struct buf text;

    buf_init(&text, NULL, SQL_MOST);
    if (!b->failed)
        duck_print_select(s, m->views, &text);
    st = b->failed || text.failed
             ? custos_fail(err, CUSTOS_ENOMEM, "out of memory")
             : duck_ask_whole(m->c, buf_text(&text), out, err);
    buf_clear(&text);
    return st;
}

/* How many columns of all tables have ordinals. */
static size_t
count_ordinals(const struct policy *p)
{
    size_t n = 0;

    for (size_t i = 0; i < p->n_tables; i++)
        for (size_t k = 0; k < p->tables[i].n_columns; k++)
            n += view_has_ordinal(&p->tables[i], k);
    return n;
}

/* Prepares the connection: settings, the stage, the salt and our functions. */
static custos_status
import_prepare(struct import *m, const char *spill, custos_err *err)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    struct buf b;
    custos_status st;
    char stage[STORE_PATH_MAX];

    store_path(m->store, "tmp/stage.duckdb", stage);
    buf_init(&b, NULL, 1 << 16);
    buf_printf(&b, "SET memory_limit = '%ldMB'; SET temp_directory = ",
               pages / MEMORY_SHARE * (page / 1024) / 1024);
    duck_quote_text(&b, str_of(spill));
    buf_add_text(&b, "; SET enable_progress_bar = true; SET "
                     "enable_progress_bar_print = false; SET "
                     "progress_bar_time = 0; ATTACH ");
    duck_quote_text(&b, str_of(stage));
    buf_add_text(&b, " AS stage");
    st = b.failed ? custos_fail(err, CUSTOS_ENOMEM, "out of memory")
                  : duck_do(m->c, buf_text(&b), err);
    buf_clear(&b);
    if (!st)
        st = view_salt(m->c, m->store->secret, err);
    if (!st)
        st = duck_own_add(m->c, err);
    if (!st)
        st = duck_ordinal_add(m->c, count_ordinals(m->policy), err);
    return st ? refail(err, CUSTOS_EIO, "the store cannot be written") : st;
}

/* Adds the columns of the view, those of the input `of`. */
static void
add_view(struct builder *b, const struct policy_table *t, const char *of,
         struct select *to)
{
    for (size_t i = 0; i < t->n_columns; i++) {
        select_add_bare(b, to, term_name(b, of, "c%zu", i));
        if (view_has_steps(&t->columns[i]))
            select_add_bare(b, to, term_name(b, of, "g%zu", i));
        if (view_has_index(&t->columns[i]))
            select_add_bare(b, to, term_name(b, of, "k%zu", i));
    }
}

/* Adds h<i> for every column that has ordinals, computed from u, row_no and c<i>. */
static void
add_ordinals(struct builder *b, struct import *m, const struct policy_table *t,
             struct select *to)
{
    for (size_t i = 0; i < t->n_columns; i++)
        if (view_has_ordinal(t, i))
            select_add(
                b, to,
                term_call(b, TERM_ORDINAL, term_number(b, (i128)m->ordinals++),
                          term_name(b, NULL, "row_no"), term_name(b, NULL, "u"),
                          key_term(b, t->columns[i].type, false,
                                   term_name(b, NULL, "c%zu", i)),
                          NULL),
                "h%zu", i);
}

/* The rows of table i with the number of their unit, sorted by it and by hash. */
static struct select *
rows_sorted(struct builder *b, struct import *m, size_t i)
{
    const struct policy_table *t = &m->policy->tables[i];
    struct input *join =
        input_join(b, unit_path_from(b, m->policy, i, import_rows(b, m, i)),
                   input_named(b, "people"));
    struct select *s = select_new(b, join);

    terms_add(b, &join->on,
              term_binary(b, term_name(b, "unit_rows", "unit_value"),
                          TERM_EQUAL, term_name(b, "people", "x")));
    select_add_bare(b, s, term_name(b, "people", "u"));
    add_view(b, t, "unit_rows", s);
    select_add(b, s, view_rank(b, t, unit_path_text(b)), "row_hash");
    select_order(b, s, &(struct sort){.term = term_name(b, NULL, "u")});
    select_order(b, s, &(struct sort){.term = term_name(b, NULL, "row_hash")});
    return s;
}

/* The same with row_no, and with first_row_no where a unit begins. */
static struct select *
rows_numbered(struct builder *b, struct import *m, size_t i)
{
    const struct term *unit = term_name(b, NULL, "u");
    struct window every = {.partition = {.n = 0}};
    struct select *s = select_new(b, input_select(b, rows_sorted(b, m, i)));

    s->all = true;
    select_add(b, s, term_window(b, TERM_ROW_NUMBER, NULL, &every), "row_no");
    s = select_new(b, input_select(b, s));
    s->all = true;
    select_add(b, s,
               term_if(b,
                       term_binary(b, term_window(b, TERM_LAG, unit, &every),
                                   TERM_DISTINCT, unit),
                       term_name(b, NULL, "row_no")),
               "first_row_no");
    return s;
}

/*
 * The rows of t<i> of a table with units. They are sorted by unit and hash, then
 * numbered as they stream by: r is the row's number minus that of its unit's first
 * row, plus 1. A window per unit would be shorter to write, but does not spill to
 * disk. import_check checks that the rows are in this order, and value_ordinal checks
 * that it gets rows in the order of row_no; within a unit, r has the same order. Rows
 * of a unit with the same hash are equal.
 */
static struct select *
sorted_table(struct builder *b, struct import *m, size_t i)
{
    const struct policy_table *t = &m->policy->tables[i];
    struct select *s = select_new(b, input_select(b, rows_numbered(b, m, i)));
    struct window so_far = {.so_far = true};
    const struct term *first =
        term_window(b, TERM_MAX, term_name(b, NULL, "first_row_no"), &so_far);

    select_add_bare(b, s, term_name(b, NULL, "u"));
    select_add(b, s,
               term_binary(b,
                           term_binary(b, term_name(b, NULL, "row_no"),
                                       TERM_MINUS, first),
                           TERM_PLUS, term_number(b, 1)),
               "r");
    add_view(b, t, NULL, s);
    add_ordinals(b, m, t, s);
    return s;
}

/* The rows of t<i> of a public table, or of one in which the unit is the row. */
static struct select *
plain_table(struct builder *b, size_t i, const struct policy_table *t)
{
    struct select *s = select_new(b, input_named(b, "stage.source_%zu", i));

    add_view(b, t, NULL, s);
    select_where(b, s, term_not(b, term_name(b, NULL, "bad")));
    return s;
}

static custos_status
import_table(struct import *m, size_t i, custos_err *err)
{
    const struct policy_table *t = &m->policy->tables[i];
    bool plain = t->is_public || t->unit_is_row;
    char name[48];
    struct builder b;
    struct buf drop;
    custos_status st;

    builder_init(&b, NULL);
    snprintf(name, sizeof name, "t%zu", i);
    st = import_make(m, i, "sorting by unit", &b, name,
                     plain ? plain_table(&b, i, t) : sorted_table(&b, m, i),
                     err);
    builder_clear(&b);
    if (st)
        return st;
    snprintf(name, sizeof name, "stage.source_%zu", i);
    buf_init(&drop, NULL, 256);
    duck_print_drop(DUCK_TABLE_STORED, name, &drop);
    return import_step(m, i, "sorting by unit", &drop, err);
}

/* The state of import_check: the last row it saw, and counts. */
struct walk {
    int64_t unit, rank;
    uint64_t rows, units;
    bool broken;
};

static void
walk_see(struct walk *o, const struct column *columns, size_t n)
{
    const int64_t *u = columns[0].data, *r = columns[1].data;

    for (size_t i = 0; i < n; i++) {
        bool next = u[i] != o->unit;

        o->units += next;
        o->broken |= u[i] < o->unit || r[i] != (next ? 1 : o->rank + 1);
        o->unit = u[i];
        o->rank = r[i];
    }
    o->rows += n;
}

/* Checks the order of t<i>, counts its units, and writes its cuts. */
static custos_status
import_check(struct import *m, size_t i, custos_err *err)
{
    struct column columns[2];
    struct result *rows = NULL;
    struct walk o = {0};
    struct buf b, cuts;
    uint64_t kept = m->tables[i].kept, next = 0;
    uint64_t every = kept < CUTS_FROM_ROWS ? kept + 1 : kept / CUTS;
    size_t n = 0;
    custos_status st;

    buf_init(&b, NULL, 256);
    buf_init(&cuts, NULL, 1 << 16);
    buf_printf(&b, "SELECT u, r FROM t%zu", i);
    st = duck_ask(m->c, buf_text(&b), &rows, err);
    buf_clear(&b);
    while (!st && !(st = result_next(rows, &n, columns, err)) && n > 0) {
        walk_see(&o, columns, n);
        if (o.rows >= next) {
            buf_printf(&cuts, "INSERT INTO cuts VALUES (%zu, %lld);", i,
                       (long long)o.unit);
            next = o.rows + every;
        }
    }
    result_free(rows);
    if (!st && o.broken)
        st = custos_fail(err, CUSTOS_EINTERNAL,
                         "the engine did not write rows in order");
    if (!st && cuts.len > 0)
        st = duck_do(m->c, buf_text(&cuts), err);
    buf_clear(&cuts);
    m->tables[i].without_unit = m->tables[i].kept - o.rows;
    m->tables[i].kept = o.rows;
    m->tables[i].units = o.units;
    return st;
}

/* Makes the tables that describe the version: cuts (empty), sources, facts. */
static custos_status
import_facts(struct import *m, custos_err *err)
{
    const struct select *view;
    struct builder v;
    struct buf b, facts;
    custos_status st;

    builder_init(&v, NULL);
    buf_init(&b, NULL, SQL_MOST);
    buf_init(&facts, NULL, SQL_MOST);
    view_facts(m->policy, &facts);
    buf_add_text(
        &b, "CREATE TABLE cuts (t BIGINT, u BIGINT); CREATE TABLE "
            "sources (t BIGINT, attach VARCHAR, path VARCHAR, view VARCHAR, "
            "size BIGINT, changed_ns BIGINT, inode BIGINT); "
            "CREATE TABLE facts (format BIGINT, text VARCHAR); "
            "INSERT INTO facts VALUES (");
    buf_printf(&b, "%d, ", (int)DATA_FORMAT);
    duck_quote_text(&b, str_of(buf_text(&facts)));
    buf_add_text(&b, ")");
    for (size_t i = 0; i < m->policy->n_tables; i++) {
        if (!m->policy->tables[i].attached)
            continue;
        buf_clear(&facts);
        view = view_select(&v, &m->policy->tables[i], &m->sources[i],
                           VIEW_ROWS);
        if (!v.failed)
            duck_print_select(view, NULL, &facts);
        b.failed |= v.failed;
        buf_printf(&b, "; INSERT INTO sources VALUES (%zu, ", i);
        duck_quote_text(&b, str_of(m->sources[i].attach));
        buf_add_text(&b, ", ");
        duck_quote_text(&b, str_of(m->sources[i].file.path));
        buf_add_text(&b, ", ");
        duck_quote_text(&b, str_of(buf_text(&facts)));
        buf_printf(&b, ", %" PRId64 ", %" PRId64 ", %" PRId64 ")",
                   m->sources[i].mark.size, m->sources[i].mark.changed_ns,
                   m->sources[i].mark.inode);
    }
    st = b.failed || facts.failed
             ? custos_fail(err, CUSTOS_ENOMEM, "out of memory")
             : duck_do(m->c, buf_text(&b), err);
    buf_clear(&b);
    buf_clear(&facts);
    builder_clear(&v);
    return st;
}

static custos_status
import_all(struct import *m, custos_err *err)
{
    const struct policy *p = m->policy;
    custos_status st = import_stage(m, err);

    if (!st)
        st = import_unit_paths(m, err);
    if (!st)
        st = import_references(m, err);
    if (!st)
        st = import_facts(m, err);
    for (size_t i = 0; i < p->n_tables && !st; i++) {
        const struct policy_table *t = &p->tables[i];

        if (t->attached) {
            st = import_attached(m, i, err);
            continue;
        }
        st = import_table(m, i, err);
        if (!st && !t->is_public && !t->unit_is_row)
            st = import_check(m, i, err);
        else
            m->tables[i].units = t->is_public ? 0 : m->tables[i].kept;
    }
    if (!st)
        st = import_loss_check(m, err);
    if (!st)
        st = duck_do(m->c, "CHECKPOINT", err);
    return st;
}

/* Writes the version as a file in tmp/, and closes it. */
static custos_status
import_file(struct import *m, custos_err *err)
{
    char path[STORE_PATH_MAX], spill[STORE_PATH_MAX];
    int held = -1;
    custos_status st = store_spill_new(m->store, spill, &held, err);

    if (st)
        return st;
    store_import_path(m->store, path);
    st = duck_open(path, DUCK_WRITE, &m->db, err);
    if (!st)
        st = duck_connect(m->db, &m->c, err);
    if (!st)
        st = import_prepare(m, spill, err);
    if (!st)
        st = import_all(m, err);
    duck_disconnect(m->c);
    duck_close(m->db);
    store_spill_free(spill, held);
    store_path(m->store, "tmp/stage.duckdb", spill);
    tree_remove(spill);
    if (st == CUSTOS_EENGINE)
        st = refail(err, CUSTOS_EIO,
                    "the import failed: the disk is full, or a source cannot "
                    "be read");
    if (st)
        tree_remove(path);
    return st;
}

/* Makes an empty report for every table. */
static bool
tables_new(struct import *m)
{
    const struct policy *p = m->policy;

    m->tables = arena_take(m->a, p->n_tables + 1, sizeof *m->tables);
    for (size_t i = 0; i < p->n_tables && m->tables; i++) {
        const struct policy_table *t = &p->tables[i];
        struct engine_import_column *columns =
            arena_take(m->a, t->n_columns + 1, sizeof *columns);

        if (!columns)
            return false;
        for (size_t k = 0; k < t->n_columns; k++)
            columns[k].is = &t->columns[k];
        m->tables[i] = (struct engine_import_table){.name = t->name,
                                                    .is = t,
                                                    .attached = t->attached,
                                                    .columns = columns};
    }
    return m->tables != NULL;
}

custos_status
engine_import(struct store *s, const struct policy *p, const char *base,
              uint64_t max_loss_ppm, engine_progress progress, void *ctx,
              arena *a, struct engine_import_table **tables, uint64_t *version,
              custos_err *err)
{
    struct import m = {.store = s,
                       .policy = p,
                       .base = base,
                       .max_loss_ppm = max_loss_ppm,
                       .a = a,
                       .progress = progress,
                       .ctx = ctx};
    custos_status st;

    m.sources = arena_take(a, p->n_tables + 1, sizeof *m.sources);
    m.views = arena_take(a, p->n_tables + 1, sizeof *m.views);
    if (!m.sources || !m.views || !tables_new(&m))
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    for (size_t i = 0; i < p->n_tables; i++)
        m.steps += p->tables[i].attached ? 1 : 3;
    m.steps += 1;
    st = store_import_begin(s, err);
    if (st)
        return st;
    st = import_file(&m, err);
    if (!st)
        st = store_import_keep(s, version, err);
    if (st)
        store_import_end(s);
    else if (progress)
        progress(ctx, m.steps * 100, m.steps * 100, "done");
    if (!st || m.lost_too_much)
        *tables = m.tables;
    return st;
}
