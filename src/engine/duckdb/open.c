/*
 * Opens a data version read-only and seals it off. The attached files, which the
 * engine may also read, are fixed before its settings are locked.
 *
 * The version records the facts of the policy under which it was made. Under a
 * policy with other facts its columns would mean something else, so it is not
 * opened.
 */
#include "engine/duckdb/open.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/base.h"
#include "base/error.h"
#include "engine/duckdb/duck_print_command.h"
#include "engine/import/file_age.h"
#include "engine/import/import.h"
#include "engine/refail.h"
#include "engine/statement/ask.h"

enum { ARENA_MOST = 256 << 20, MEMORY_SHARE = 2 };

/* READ_SORTED: by all columns that are read; rows with a NULL in one are left out. */
enum read_order { READ_ANY_ORDER, READ_SORTED };

/* Reads columns of a table that the import wrote; `names` ends with NULL. */
static custos_status
read_table(struct duck_engine *e, const char *table, const char *const *names,
           enum read_order order, struct result **out, custos_err *err)
{
    struct builder b;
    struct select *s;
    custos_status st;

    builder_init(&b, &e->is);
    s = select_new(&b, input_named(&b, "%s", table));
    for (; *names; names++) {
        const struct term *column = term_name(&b, NULL, "%s", *names);

        select_add_bare(&b, s, column);
        if (order == READ_SORTED) {
            select_where(&b, s, term_present(&b, column));
            select_order(&b, s, &(struct sort){.term = column});
        }
    }
    st = ask_rows(&b, 0, s, out, err);
    builder_clear(&b);
    return st;
}

static custos_status
check_facts(struct duck_engine *e, custos_err *err)
{
    static const char *const names[] = {"format", "text", NULL};
    struct column columns[2];
    struct result *rows = NULL;
    struct buf facts;
    size_t n = 0;
    custos_status st;

    buf_init(&facts, NULL, SQL_MOST);
    view_facts(e->data->policy, &facts);
    st = read_table(e, "facts", names, READ_ANY_ORDER, &rows, err);
    if (!st)
        st = result_next(rows, &n, columns, err);
    if (st || n != 1)
        st = refail(err, CUSTOS_ECORRUPT,
                    "the data in the store is damaged" HINT
                    "import it again with custos init");
    else if (column_whole(&columns[0], 0) > DATA_FORMAT)
        st = custos_fail(
            err, CUSTOS_EUNSUPPORTED,
            "the data in the store was imported by a newer custos" HINT
            "use that version, or import the data again with "
            "custos init");
    else if (column_whole(&columns[0], 0) < DATA_FORMAT)
        st = custos_fail(err, CUSTOS_EUNSUPPORTED,
                         "the data in the store was imported by an older "
                         "custos" HINT "import it again with custos init (the "
                         "ledger and its budget stay)");
    else if (facts.failed ||
             !str_equal(column_text(&columns[1], 0), str_of(buf_text(&facts))))
        st = custos_fail(err, CUSTOS_EPOLICY,
                         "the data was imported under another policy (tables, "
                         "columns or units differ)" HINT "run custos init");
    result_free(rows);
    buf_clear(&facts);
    return st;
}

/* Takes over what the import wrote about an attached table: its view, its file and
   the statement that opens it. */
static custos_status
source_take(struct duck_engine *e, const struct column *columns, size_t row,
            custos_err *err)
{
    size_t i = (size_t)column_whole(&columns[0], row);
    str view = column_text(&columns[3], row);
    struct duck_table *t;
    struct buf b;

    if (i >= e->data->policy->n_tables)
        return custos_fail(err, CUSTOS_ECORRUPT, "the store is damaged");
    t = &e->data->read[i];
    buf_init(&b, NULL, SQL_MOST);
    buf_add_text(&b, "(");
    buf_add(&b, view.ptr, view.len);
    buf_add_text(&b, ")");
    t->from = b.failed ? NULL : arena_copy(e->data->a, str_of(buf_text(&b)));
    buf_clear(&b);
    t->attach = arena_copy(e->data->a, column_text(&columns[1], row));
    t->path = arena_copy(e->data->a, column_text(&columns[2], row));
    t->mark = (struct file_mark){
        .size = (int64_t)column_whole(&columns[4], row),
        .changed_ns = (int64_t)column_whole(&columns[5], row),
        .inode = (int64_t)column_whole(&columns[6], row)};
    return t->from && t->attach && t->path
               ? CUSTOS_OK
               : custos_fail(err, CUSTOS_ENOMEM, "out of memory");
}

/*
 * Opens the database of an attached table; other files are opened when they are
 * read. If the file is missing, other tables can still be queried: attached_check.c.
 */
static void
attach_table(struct duck_engine *e, struct duck_table *t)
{
    custos_err quiet = CUSTOS_ERR_INIT;

    if (t->attach[0] != '\0')
        t->missing = duck_do(e->connections[0], t->attach, &quiet) != CUSTOS_OK;
}

/*
 * Reads the views of attached tables, as the import wrote them. All are read before
 * the first table is attached: a statement ends the open result of its connection.
 */
static custos_status
open_sources(struct duck_engine *e, custos_err *err)
{
    static const char *const names[] = {"t",    "attach",     "path",  "view",
                                        "size", "changed_ns", "inode", NULL};
    struct column columns[7];
    struct result *rows = NULL;
    size_t n = 0;
    custos_status st;

    st = read_table(e, "sources", names, READ_ANY_ORDER, &rows, err);
    while (!st && !(st = result_next(rows, &n, columns, err)) && n > 0)
        for (size_t k = 0; k < n && !st; k++)
            st = source_take(e, columns, k, err);
    result_free(rows);
    for (size_t i = 0; i < e->data->policy->n_tables && !st; i++)
        if (e->data->read[i].path)
            attach_table(e, &e->data->read[i]);
    return st;
}

static custos_status
open_tables(struct duck_engine *e, custos_err *err)
{
    const struct policy *p = e->data->policy;
    char name[32];

    e->data->tables =
        arena_take(e->data->a, p->n_tables + 1, sizeof *e->data->tables);
    e->data->read =
        arena_take(e->data->a, p->n_tables + 1, sizeof *e->data->read);
    if (!e->data->tables || !e->data->read)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    e->is.tables = e->data->tables;
    for (size_t i = 0; i < p->n_tables; i++) {
        const struct policy_table *t = &p->tables[i];

        snprintf(name, sizeof name, "t%zu", i);
        e->data->read[i].from = arena_copy(e->data->a, str_of(name));
        e->data->tables[i].sorted =
            !t->attached && !t->is_public && !t->unit_is_row;
        e->data->tables[i].counts = arena_take(
            e->data->a, t->n_columns + 1, sizeof *e->data->tables[i].counts);
        if (!e->data->read[i].from || !e->data->tables[i].counts)
            return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    }
    return CUSTOS_OK;
}

static custos_status
open_cuts(struct duck_engine *e, custos_err *err)
{
    static const char *const names[] = {"t", "u", NULL};
    struct column columns[2];
    struct result *rows = NULL;
    size_t n = 0;
    custos_status st;

    st = read_table(e, "cuts", names, READ_SORTED, &rows, err);
    while (!st && !(st = result_next(rows, &n, columns, err)) && n > 0)
        for (size_t k = 0; k < n; k++) {
            size_t i = (size_t)column_whole(&columns[0], k);
            struct engine_table *t = &e->data->tables[i];

            if (i >= e->data->policy->n_tables)
                continue;
            if (!t->cuts)
                t->cuts =
                    arena_take(e->data->a, ENGINE_CUTS_MAX, sizeof *t->cuts);
            if (t->cuts && t->n_cuts < ENGINE_CUTS_MAX)
                t->cuts[t->n_cuts++] = (int64_t)column_whole(&columns[1], k);
        }
    result_free(rows);
    return st;
}

/* From here on the engine can read only what is open or allowed. */
static custos_status
seal_off(struct duck_engine *e, custos_err *err)
{
    struct buf b;

    buf_init(&b, NULL, SQL_MOST);
    duck_print_seal(e->data, &b);
    return duck_do_printed(e->connections[0], &b, err);
}

/* How many rows the largest table of the version has, as the engine estimates it. */
static custos_status
most_rows(struct duck_engine *e, i128 *out, custos_err *err)
{
    struct builder b;
    struct select *s;
    custos_status st;

    builder_init(&b, &e->is);
    s = select_new(&b, input_named(&b, "duckdb_tables()"));
    select_add_bare(
        &b, s,
        term_aggregate(&b, TERM_MAX, term_name(&b, NULL, "estimated_size")));
    st = ask_whole(&b, s, out, err);
    builder_clear(&b);
    return st;
}

enum duck_reuse
open_reuse(const struct duck_engine *e)
{
    return e->data->small   ? DUCK_REUSE_OTHER_NUMBERS
           : e->data->fixed ? DUCK_REUSE_SAME_TEXT
                            : DUCK_REUSE_NONE;
}

/* Opens one connection for each core, up to ENGINE_THREADS_MAX; only one if the
   data is small. */
static custos_status
connect_all(struct duck_engine *e, custos_err *err)
{
    long cores = e->data->small ? 1 : sysconf(_SC_NPROCESSORS_ONLN);
    size_t want = cores < 1                    ? 1
                  : cores > ENGINE_THREADS_MAX ? ENGINE_THREADS_MAX
                                               : (size_t)cores;
    custos_status st = CUSTOS_OK;

    while (e->is.lanes < want && !st) {
        st = duck_connect(e->data->db, &e->connections[e->is.lanes], err);
        e->is.lanes += !st;
    }
    for (size_t i = 0; i < e->is.lanes; i++)
        duck_reuse(e->connections[i], open_reuse(e));
    return st;
}

/*
 * If nothing is attached, and all tables are so small that the engine would scan
 * them on one thread anyway, the data counts as small and the engine gets only one
 * thread: waking others costs more than a small query. The time of a query may
 * reveal this, like everything that the engine does; serve/reply_queue.h and
 * serve/response_steps.h deal with that.
 */
static custos_status
open_size(struct duck_engine *e, int64_t small_rows, custos_err *err)
{
    i128 most = 0;
    custos_status st = most_rows(e, &most, err);
    struct buf b;

    e->data->fixed = true;
    for (size_t i = 0; i < e->data->policy->n_tables; i++)
        e->data->fixed = e->data->fixed && !e->data->read[i].path;
    e->data->small = e->data->fixed && most <= small_rows;
    if (!st && e->data->small) {
        buf_init(&b, NULL, SQL_MOST);
        duck_print_threads(1, &b);
        st = duck_do_printed(e->connections[0], &b, err);
    }
    return st ? st : connect_all(e, err);
}

/* Opens the file of the version; an error says what is wrong with the file. */
static custos_status
open_file(struct duck_engine *e, const char *path, custos_err *err)
{
    char writer[FILE_WRITER_MAX];
    custos_status st = duck_open(path, DUCK_READ, &e->data->db, err);

    if (st != CUSTOS_EIO)
        return st;
    if (file_age(path, writer) == FILE_AGE_NEWER)
        return refail(err, CUSTOS_EUNSUPPORTED,
                      "the data in the store was written by a newer DuckDB" HINT
                      "use the custos that wrote it, or import it again with "
                      "custos init");
    return refail(err, CUSTOS_EIO,
                  "the data in the store cannot be opened" HINT
                  "restore a backup, or import it again with custos init");
}

/* Decides where temporary files go, and how much memory the engine may use. */
static custos_status
open_limits(struct engine_data *d, const struct store *s,
            const struct engine_limits *limits, custos_err *err)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);

    if (limits) {
        d->memory_bytes = limits->memory_bytes;
        snprintf(d->spill, sizeof d->spill, "%s", limits->spill);
        return CUSTOS_OK;
    }
    d->memory_bytes = (uint64_t)pages / MEMORY_SHARE * (uint64_t)page;
    /* Without a spill folder, a query has only this memory. */
    return store_is_read_only(s) ? CUSTOS_OK
                                 : store_spill_new(s, d->spill, &d->held, err);
}

static custos_status
open_all(struct duck_engine *e, const struct store *s, int64_t small_rows,
         custos_err *err)
{
    char path[STORE_PATH_MAX];
    custos_status st;

    store_data_path(s, s->version, path);
    st = open_file(e, path, err);
    if (!st)
        st = duck_connect(e->data->db, &e->connections[0], err);
    e->is.lanes = !st;
    if (!st)
        st = check_facts(e, err);
    if (!st)
        st = open_tables(e, err);
    if (!st)
        st = open_sources(e, err);
    if (!st)
        st = open_cuts(e, err);
    if (!st)
        st = view_salt(e->connections[0], s->secret, err);
    if (!st)
        st = duck_own_add(e->connections[0], err);
    if (!st)
        st = open_size(e, small_rows, err);
    if (!st)
        st = seal_off(e, err);
    if (st == CUSTOS_EENGINE)
        st = refail(err, CUSTOS_ECORRUPT,
                    "the data in the store is damaged" HINT
                    "import it again with custos init");
    return st;
}

/* Makes a handle, which shares d with other handles; NULL if out of memory. */
static struct duck_engine *
engine_new(struct engine_data *d)
{
    struct duck_engine *e = calloc(1, sizeof *e);

    if (!e)
        return NULL;
    e->is = (struct engine){.ops = &duck_engine_ops,
                            .policy = d->policy,
                            .version = d->version,
                            .tables = d->tables};
    e->data = d;
    atomic_fetch_add(&d->handles, 1);
    return e;
}

static custos_status
open_with(const struct store *s, const struct policy *p, int64_t small_rows,
          const struct engine_limits *limits, struct engine **out,
          custos_err *err)
{
    struct engine_data *d;
    struct duck_engine *e;
    custos_status st;
    arena *a;

    if (s->version == 0)
        return custos_fail(err, CUSTOS_ENAME,
                           "the store has no data yet" HINT "import it with "
                           "custos init");
    a = arena_new(NULL, ARENA_MOST);
    d = a ? arena_take(a, 1, sizeof *d) : NULL;
    if (d) {
        d->a = a;
        d->policy = p;
        d->version = s->version;
        d->held = -1;
    }
    e = d ? engine_new(d) : NULL;
    if (!e) {
        arena_free(a);
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    }
    st = open_limits(d, s, limits, err);
    if (!st)
        st = open_all(e, s, small_rows, err);
    if (st)
        engine_close(&e->is);
    else
        *out = &e->is;
    return st;
}

custos_status
engine_open_for(const struct store *s, const struct policy *p,
                int64_t small_rows, struct engine **out, custos_err *err)
{
    return open_with(s, p, small_rows, NULL, out, err);
}

custos_status
engine_open_within(const struct store *s, const struct policy *p,
                   const struct engine_limits *limits, struct engine **out,
                   custos_err *err)
{
    return open_with(s, p, ENGINE_SMALL_ROWS, limits, out, err);
}

custos_status
engine_open(const struct store *s, const struct policy *p, struct engine **out,
            custos_err *err)
{
    return engine_open_for(s, p, ENGINE_SMALL_ROWS, out, err);
}

custos_status
open_share(struct engine *e, struct engine **out, custos_err *err)
{
    struct duck_engine *more = engine_new(duck_of(e)->data);
    custos_status st;

    if (!more)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    st = connect_all(more, err);
    if (st)
        engine_close(&more->is);
    else
        *out = &more->is;
    return st;
}

static void
data_close(struct engine_data *d)
{
    duck_close(d->db);
    store_spill_free(d->spill, d->held);
    arena_free(d->a);
}

void
open_close(struct engine *e)
{
    struct duck_engine *d = duck_of(e);

    for (size_t i = 0; i < e->lanes; i++)
        duck_disconnect(d->connections[i]);
    if (atomic_fetch_sub(&d->data->handles, 1) == 1)
        data_close(d->data);
    free(d);
}
