/*
 * A file is named by its number in the workload and its columns, such as
 * 03-age-ward: names of columns may hold anything, and two sets could have the same
 * names joined.
 */
#include "synopsis/tables.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "synopsis/value.h"
#include "synth/nonnegative.h"

enum { NAME_BYTES = 120 };
#define SOLVED_BYTES ((size_t)1 << 32)

struct writing {
    const struct synopsis *s;
    const struct synthetic_rows *rows;
    enum tables_kind kind;
    const char *dir;
    arena *a;       /* the names */
    arena *scratch; /* of one table */
    const struct nonnegative
        *solved; /* consistent tables of residuals; or NULL */
};

static custos_status
no_memory(custos_err *err)
{
    return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
}

/* ------------------------------------------------------------------- names -- */

/* The name of the file of set number i of n. NULL: no memory. */
static const char *
name_file(const struct writing *w, size_t i, struct colset set)
{
    const struct schema *s = w->s->schema;
    size_t width = 1;
    const char *name;
    struct buf b;

    for (size_t n = w->s->n_workload; n >= 10; n /= 10)
        width++;
    buf_init(&b, NULL, 1 << 20);
    buf_printf(&b, "%0*zu", (int)width, i + 1);
    COLSET_EACH(c, set)
    {
        str column = s->columns[s->column[c]].name;

        buf_add_text(&b, "-");
        for (size_t k = 0; k < column.len && b.len < NAME_BYTES; k++) {
            const char letter = column.ptr[k];
            const bool plain = (letter >= 'a' && letter <= 'z') ||
                               (letter >= 'A' && letter <= 'Z') ||
                               (letter >= '0' && letter <= '9');

            buf_add(&b, plain ? &letter : "_", 1);
        }
    }
    name = b.failed ? NULL : arena_copy(w->a, str_of(buf_text(&b)));
    buf_clear(&b);
    return name;
}

static const char *
name_end(arena *a, str column, const char *end)
{
    struct buf b;
    const char *name;

    buf_init(&b, NULL, 1 << 20);
    buf_add(&b, column.ptr, column.len);
    buf_add_text(&b, end);
    name = b.failed ? NULL : arena_copy(a, str_of(buf_text(&b)));
    buf_clear(&b);
    return name;
}

/* The columns of the file: values of the set's columns, estimate, standard error. */
static bool
columns_make(const struct writing *w, struct colset set, struct table_file *f)
{
    static const char *const ends[] = {"_from", "_to"};
    const struct schema *s = w->s->schema;
    struct table_column *to =
        arena_take(w->a, 2 * colset_count(set) + 2, sizeof *to);
    size_t n = 0;

    if (!to)
        return false;
    COLSET_EACH(i, set)
    {
        const struct schema_column *c = &s->columns[s->column[i]];
        const bool single = column_is_single(c);

        for (size_t end = 0; end < (single ? 1 : 2); end++) {
            const char *name = single ? arena_copy(w->a, c->name)
                                      : name_end(w->a, c->name, ends[end]);

            if (!name)
                return false;
            to[n++] = (struct table_column){str_of(name), c->type, c->scale};
        }
    }
    to[n++] = (struct table_column){str_of("estimate"), TYPE_REAL, 0};
    to[n++] = (struct table_column){str_of("standard_error"), TYPE_REAL, 0};
    f->columns = to;
    f->n_columns = n;
    return table_names_differ(w->a, to, n);
}

/* ------------------------------------------------------------------- cells -- */

static custos_status
estimate(const struct writing *w, struct colset set, size_t cells, double *x,
         double *error, custos_err *err)
{
    if (w->kind == TABLES_UNBIASED)
        return estimate_measured(w->s, w->rows, set, x, error, err);
    for (size_t k = 0; k < cells; k++)
        error[k] = NAN;
    if (w->solved) {
        nonnegative_table(w->solved, set, x);
        return CUSTOS_OK;
    }
    if (!w->s->model)
        return custos_fail(err, CUSTOS_EUNSUPPORTED,
                           "the synopsis has no model to make tables of");
    return estimate_consistent(w->s, set, x, err);
}

static void
write_values(const struct writing *w, struct colset set, size_t cell,
             size_t cells, struct table_writer *to)
{
    const struct schema *s = w->s->schema;

    COLSET_EACH(i, set)
    {
        const struct schema_column *c = &s->columns[s->column[i]];
        uint32_t code;
        struct datum d;

        cells /= s->domain.size[i];
        code = (uint32_t)(cell / cells % s->domain.size[i]);
        d = code_value(c, code, CODE_FIRST);
        table_writer_datum(to, &d);
        if (column_is_single(c))
            continue;
        d = code_value(c, code, CODE_LAST);
        table_writer_datum(to, &d);
    }
}

static double
in_parts(double x, double parts)
{
    const double rounded = nearbyint(x * parts) / parts;

    return rounded == 0 ? 0 : rounded; /* no -0 */
}

/* Thousandths of a row are far below any noise. */
static double
in_thousandths(double x)
{
    return in_parts(x, 1000);
}

/* Sums of consistent cells agree in what is written, too. */
static double
in_file(const struct writing *w, double x)
{
    return in_parts(x, w->kind == TABLES_CONSISTENT ? 1e6 : 1000);
}

static void
describe(struct table_facts *out, const double *error)
{
    size_t measured = 0;
    double sum = 0;

    for (size_t k = 0; k < out->cells; k++) {
        measured += isnan(error[k]) ? 0 : 1;
        sum += error[k];
        out->largest_error = fmax(out->largest_error, error[k]);
    }
    out->mean_error = sum / (double)out->cells;
    out->estimates = measured == out->cells ? "measured"
                     : measured > 0         ? "measured in part"
                                            : "model";
}

/* Nothing is written of a model's table that is too large. */
static custos_status
write_table(const struct writing *w, struct colset set,
            struct table_facts *facts, struct table_file *out, custos_err *err)
{
    const size_t cells = facts->cells;
    double *x = arena_take(w->scratch, cells, sizeof *x);
    double *error = arena_take(w->scratch, cells, sizeof *error);
    struct table_writer to;
    custos_err why = CUSTOS_ERR_INIT;
    custos_status st, closed;

    if (!x || !error)
        return no_memory(err);
    st = estimate(w, set, cells, x, error, &why);
    if (st == CUSTOS_EOVERFLOW)
        return CUSTOS_OK;
    if (st)
        return custos_fail(err, st, "%s", why.said);
    if (!columns_make(w, set, out))
        return no_memory(err);
    st = table_writer_open(&to, w->dir, out, err);
    for (size_t k = 0; !st && k < cells; k++) {
        write_values(w, set, k, cells, &to);
        table_writer_number(&to, in_file(w, x[k]));
        table_writer_number(&to, in_thousandths(error[k]));
        table_writer_end_row(&to);
    }
    closed = table_writer_close(&to, st ? NULL : err);
    describe(facts, error);
    if (w->solved)
        facts->estimates = "non-negative";
    return st ? st : closed;
}

/* ------------------------------------------------------------------- index -- */

static void
write_index_row(const struct table_facts *t, struct table_writer *to)
{
    const struct datum cells = {.type = TYPE_INT, .n = (i128)t->cells};

    table_writer_text(to, t->name);
    table_writer_datum(to, &cells);
    table_writer_text(to, str_of(t->estimates));
    table_writer_number(to, in_thousandths(t->largest_error));
    table_writer_end_row(to);
}

static custos_status
write_index(const struct writing *w, const struct table_facts *of, size_t n,
            struct table_file *out, custos_err *err)
{
    static const struct table_column columns[] = {
        {{"table", 5}, TYPE_TEXT, 0},
        {{"cells", 5}, TYPE_INT, 0},
        {{"estimates", 9}, TYPE_TEXT, 0},
        {{"largest_standard_error", 22}, TYPE_REAL, 0},
    };
    struct table_writer to;
    custos_status st, closed;

    *out = (struct table_file){str_of("index"), columns,
                               sizeof columns / sizeof *columns};
    st = table_writer_open(&to, w->dir, out, err);
    for (size_t i = 0; !st && i < n; i++)
        write_index_row(&of[i], &to);
    closed = table_writer_close(&to, st ? NULL : err);
    return st ? st : closed;
}

/* --------------------------------------------------------------------- all -- */

static bool
is_written(const struct synopsis *s, struct colset set)
{
    return domain_cells(&s->schema->domain, set) <= TABLES_CELLS_MAX;
}

/* Of consistent tables that are made of residuals: all at once, in the arena. *out stays
   NULL if there are no residuals. */
static custos_status
solve(const struct synopsis *s, arena *a, const struct nonnegative **out,
      custos_err *err)
{
    const struct released *r = s->released;
    struct nonnegative *solved = arena_take(a, 1, sizeof *solved);
    struct residual *parts = arena_take(a, r->n_tables + 1, sizeof *parts);
    struct colset *sets = arena_take(a, s->n_workload + 1, sizeof *sets);
    size_t n_parts = 0, n_sets = 0;
    custos_status st;

    if (!solved || !parts || !sets)
        return no_memory(err);
    for (size_t i = 0; i < r->n_tables; i++)
        if (r->tables[i].kind == RELEASED_RESIDUAL)
            parts[n_parts++] = (struct residual){
                r->tables[i].set, r->tables[i].values, r->tables[i].variance};
    for (size_t i = 0; i < s->n_workload; i++)
        if (is_written(s, s->workload[i]))
            sets[n_sets++] = s->workload[i];
    if (n_parts == 0)
        return CUSTOS_OK;
    st = nonnegative_make(a, &s->schema->domain, parts, n_parts, sets, n_sets,
                          solved, err);
    if (!st)
        *out = solved;
    return st;
}

/* out->columns stays NULL if the table is too large; the index names it. */
static custos_status
write_set(const struct writing *w, size_t i, struct table_facts *facts,
          struct table_file *out, custos_err *err)
{
    const struct colset set = w->s->workload[i];
    const char *name = name_file(w, i, set);

    if (!name)
        return no_memory(err);
    *facts =
        (struct table_facts){.name = str_of(name),
                             .cells = domain_cells(&w->s->schema->domain, set),
                             .estimates = "too large to be written",
                             .mean_error = NAN,
                             .largest_error = NAN};
    *out = (struct table_file){.name = facts->name};
    return is_written(w->s, set) ? write_table(w, set, facts, out, err)
                                 : CUSTOS_OK;
}

custos_status
tables_write(const struct synopsis *s, const struct synthetic_rows *rows,
             enum tables_kind kind, const char *dir, arena *a,
             void (*progress)(void *ctx, size_t done, size_t all), void *ctx,
             struct tables_list *out, custos_err *err)
{
    struct writing w = {.s = s, .rows = rows, .kind = kind, .dir = dir, .a = a};
    const size_t n = s->n_workload;
    arena *solved = arena_new(NULL, SOLVED_BYTES);
    custos_status st = CUSTOS_OK;

    out->n = 0;
    out->files = arena_take(a, n + 1, sizeof *out->files);
    out->facts = arena_take(a, n + 1, sizeof *out->facts);
    w.scratch = arena_new(NULL, (size_t)1 << 30);
    if (!out->files || !out->facts || !w.scratch || !solved)
        st = no_memory(err);
    if (!st && kind == TABLES_CONSISTENT)
        st = solve(s, solved, &w.solved, err);
    for (size_t i = 0; !st && i < n; i++) {
        st = write_set(&w, i, &out->facts[i], &out->files[out->n], err);
        arena_reset(w.scratch);
        out->n += !st && out->files[out->n].columns;
        if (!st && progress)
            progress(ctx, i + 1, n);
    }
    if (!st)
        st = write_index(&w, out->facts, n, &out->files[out->n], err);
    out->n += !st;
    arena_free(w.scratch);
    arena_free(solved);
    return st;
}
