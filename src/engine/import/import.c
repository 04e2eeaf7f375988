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

#include <stdio.h>
#include <unistd.h>

#include "base/base.h"
#include "base/error.h"
#include "engine/duckdb/duck_print_command.h"
#include "engine/duckdb/open.h"
#include "engine/run/key.h"
#include "engine/refail.h"
#include "store/file.h"

enum { CUTS = 64, CUTS_FROM_ROWS = 1 << 16, MEMORY_SHARE = 2 };

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
    duck_print_import_settings(pages / MEMORY_SHARE * (page / 1024) / 1024,
                               spill, &b);
    buf_add_text(&b, "; ");
    duck_print_attach(stage, "stage", DUCK_WRITE, NULL, &b);
    st = duck_do_printed(m->c, &b, err);
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

/* Asks for the units and ranks of t<i>, in the order of its rows. */
static custos_status
ask_ranks(struct import *m, size_t i, struct result **out, custos_err *err)
{
    struct builder b;
    struct select *s;
    custos_status st;

    builder_init(&b, NULL);
    s = select_new(&b, input_named(&b, "t%zu", i));
    select_add_bare(&b, s, term_name(&b, NULL, "u"));
    select_add_bare(&b, s, term_name(&b, NULL, "r"));
    st = import_ask(m, &b, s, out, err);
    builder_clear(&b);
    return st;
}

/* Checks the order of t<i>, counts its units, and writes its cuts. */
static custos_status
import_check(struct import *m, size_t i, custos_err *err)
{
    struct column columns[2];
    struct result *rows = NULL;
    struct walk o = {0};
    struct buf cuts;
    uint64_t kept = m->tables[i].kept, next = 0;
    uint64_t every = kept < CUTS_FROM_ROWS ? kept + 1 : kept / CUTS;
    size_t n = 0;
    custos_status st = ask_ranks(m, i, &rows, err);

    buf_init(&cuts, NULL, 1 << 16);
    while (!st && !(st = result_next(rows, &n, columns, err)) && n > 0) {
        walk_see(&o, columns, n);
        if (o.rows >= next) {
            import_print_cut(i, o.unit, &cuts);
            next = o.rows + every;
        }
    }
    result_free(rows);
    if (!st && o.broken)
        st = custos_fail(err, CUSTOS_EINTERNAL,
                         "the engine did not write rows in order");
    if (!st && cuts.failed)
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    if (!st && cuts.len > 0)
        st = duck_do(m->c, buf_text(&cuts), err);
    buf_clear(&cuts);
    m->tables[i].without_unit = m->tables[i].kept - o.rows;
    m->tables[i].kept = o.rows;
    m->tables[i].units = o.units;
    return st;
}

/* Writes everything to the version's file. */
static custos_status
import_flush(struct import *m, custos_err *err)
{
    struct buf b;

    buf_init(&b, NULL, 256);
    duck_print_checkpoint(&b);
    return duck_do_printed(m->c, &b, err);
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
        st = import_flush(m, err);
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
