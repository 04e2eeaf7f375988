/*
 * Writes the statements that fill an analyst's catalog: the granted tables and
 * views, their granted columns with types and public domains, and the keys
 * between these tables. Object numbers count granted objects only, so that they
 * reveal nothing about the others.
 */
#include "base/error.h"
#include "curator/catalog_setup.h"
#include "curator/shape.h"
#include "engine/duckdb/duck.h"

enum {
    FIRST_TABLE = 16384,
    FIRST_KEY = 1 << 20,
    FIRST_INDEX = 1 << 21,
    VALUES_SHOWN = 20,
    PRECISION = 38,
};

struct filler {
    const struct policy *p;
    const struct policy_analyst *who;
    struct buf *out;
    custos_err *err;
    unsigned keys; /* keys added so far */
};

static unsigned
type_number(enum data_type type)
{
    static const unsigned numbers[] = {
        [TYPE_NULL] = 25,      [TYPE_BOOL] = 16,        [TYPE_INT] = 20,
        [TYPE_DECIMAL] = 1700, [TYPE_REAL] = 701,       [TYPE_TEXT] = 25,
        [TYPE_DATE] = 1082,    [TYPE_TIMESTAMP] = 1114,
    };

    return numbers[type];
}

/* 0 if the table is not granted. */
static unsigned
table_number(const struct filler *f, const struct policy_table *t)
{
    unsigned n = FIRST_TABLE;

    if (!t || !policy_grants_table(f->p, f->who, t))
        return 0;
    for (const struct policy_table *o = f->p->tables; o < t; o++)
        n += policy_grants_table(f->p, f->who, o);
    return n;
}

static unsigned
column_number(const struct filler *f, const struct policy_table *t,
              const struct policy_column *c)
{
    unsigned n = 1;

    if (!c || !policy_grants(f->p, f->who, t, c))
        return 0;
    for (const struct policy_column *o = t->columns; o < c; o++)
        n += policy_grants(f->p, f->who, t, o);
    return n;
}

/* -------------------------------------------------------------- columns -- */

/* Writes the public domain in words: "0 to 100", "one of Oslo, Rome". */
static void
write_domain(const struct policy_column *c, struct buf *b)
{
    if (c->has_range) {
        datum_write(&c->lower, b);
        buf_add_text(b, " to ");
        datum_write(&c->upper, b);
    }
    for (size_t i = 0; i < c->n_values && i <= VALUES_SHOWN; i++) {
        buf_add_text(b, i == 0 ? c->has_range ? "; one of " : "one of " : ", ");
        if (i == VALUES_SHOWN)
            buf_printf(b, "... (%zu)", c->n_values);
        else
            datum_write(&c->values[i], b);
    }
}

/* All columns of a table go into one INSERT, which column 1 begins. */
static void
add_column(struct filler *f, unsigned table, unsigned n,
           const struct policy_column *c)
{
    struct buf comment;

    buf_init(&comment, NULL, 1 << 20);
    buf_add(&comment, c->comment.ptr, c->comment.len);
    if (c->comment.len && (c->has_range || c->n_values))
        buf_add_text(&comment, "; ");
    write_domain(c, &comment);
    buf_printf(f->out, "%s(%u, %u, ",
               n == 1 ? "INSERT INTO pgc.my_columns VALUES " : ", ", table, n);
    duck_quote_text(f->out, c->name);
    buf_printf(f->out, ", %u, %d, %s, ", type_number(c->type),
               c->type == TYPE_DECIMAL ? (PRECISION << 16 | c->scale) + 4 : -1,
               c->nullable ? "false" : "true");
    duck_quote_text(f->out, str_of(buf_text(&comment)));
    buf_add_text(f->out, ")");
    f->out->failed = f->out->failed || comment.failed;
    buf_clear(&comment);
}

/* ----------------------------------------------------------------- keys -- */

/* Does a granted column reference this one, so that its values are known to be
   unique? With an empty name: any column of the table. */
static bool
is_parent(const struct filler *f, const struct policy_table *t, str column)
{
    for (size_t i = 0; i < f->p->n_tables; i++)
        for (size_t k = 0; k < f->p->tables[i].n_columns; k++) {
            const struct policy_column *o = &f->p->tables[i].columns[k];

            if (str_equal(o->references_table, t->name) &&
                (!column.len || str_equal(o->references_column, column)) &&
                policy_grants(f->p, f->who, &f->p->tables[i], o))
                return true;
        }
    return false;
}

/* Writes a constraint's name: patients_pkey, visits_patient_fkey. */
static void
add_key_name(struct filler *f, const struct policy_table *t,
             const struct policy_column *c, const char *end)
{
    struct buf name;

    buf_init(&name, NULL, 1 << 12);
    buf_add(&name, t->name.ptr, t->name.len);
    if (c) {
        buf_add_text(&name, "_");
        buf_add(&name, c->name.ptr, c->name.len);
    }
    buf_add_text(&name, end);
    duck_quote_text(f->out, str_of(buf_text(&name)));
    f->out->failed = f->out->failed || name.failed;
    buf_clear(&name);
}

/* Like PostgreSQL's quote_ident: quoted only if necessary. */
static void
add_name(struct buf *out, str name)
{
    bool plain = name.len > 0 && !(name.ptr[0] >= '0' && name.ptr[0] <= '9');

    for (size_t i = 0; i < name.len; i++)
        plain = plain && ((name.ptr[i] >= 'a' && name.ptr[i] <= 'z') ||
                          (name.ptr[i] >= '0' && name.ptr[i] <= '9') ||
                          name.ptr[i] == '_');
    if (plain)
        buf_add(out, name.ptr, name.len);
    else
        duck_quote_name(out, name);
}

/* Writes a string literal: `before`, then each name followed by its
   `between`. */
static void
add_words(struct filler *f, const char *before, const str *names, size_t n,
          const char *const *between)
{
    struct buf text;

    buf_init(&text, NULL, 1 << 12);
    buf_add_text(&text, before);
    for (size_t i = 0; i < n; i++) {
        add_name(&text, names[i]);
        buf_add_text(&text, between[i]);
    }
    duck_quote_text(f->out, str_of(buf_text(&text)));
    f->out->failed = f->out->failed || text.failed;
    buf_clear(&text);
}

static void
add_unique(struct filler *f, const struct policy_table *t,
           const struct policy_column *c, bool primary)
{
    static const char *const close[] = {")"}, *const on[] = {" USING btree (",
                                                             ")"};
    unsigned n = f->keys++;
    str names[] = {t->name, c->name};

    buf_printf(f->out, "INSERT INTO pgc.my_keys VALUES (%u, ", FIRST_KEY + n);
    add_key_name(f, t, primary ? NULL : c, primary ? "_pkey" : "_key");
    buf_printf(f->out, ", '%c', %u, %u, ", primary ? 'p' : 'u',
               table_number(f, t), column_number(f, t, c));
    duck_quote_text(f->out, c->name);
    buf_printf(f->out, ", %u, 0, 0, 0, ", FIRST_INDEX + n);
    add_words(f, primary ? "PRIMARY KEY (" : "UNIQUE (", &c->name, 1, close);
    buf_add_text(f->out, ", ");
    add_words(f, "CREATE UNIQUE INDEX ON public.", names, 2, on);
    buf_add_text(f->out, ");\n");
}

static void
add_reference(struct filler *f, const struct policy_table *t,
              const struct policy_column *c)
{
    static const char *const words[] = {") REFERENCES ", "(", ")"};
    const struct policy_table *to =
        c->references_table.len ? policy_table_find(f->p, c->references_table)
                                : NULL;
    const struct policy_column *key =
        to ? policy_column_find(to, c->references_column) : NULL;
    str names[3];

    if (!key || !policy_grants(f->p, f->who, to, key))
        return;
    names[0] = c->name;
    names[1] = to->name;
    names[2] = key->name;
    buf_printf(f->out, "INSERT INTO pgc.my_keys SELECT %u, ",
               FIRST_KEY + f->keys++);
    add_key_name(f, t, c, "_fkey");
    buf_printf(f->out, ", 'f', %u, %u, ", table_number(f, t),
               column_number(f, t, c));
    duck_quote_text(f->out, c->name);
    buf_printf(f->out, ", 0, %u, %u, k.index, ", table_number(f, to),
               column_number(f, to, key));
    add_words(f, "FOREIGN KEY (", names, 3, words);
    buf_printf(f->out,
               ", NULL FROM pgc.my_keys k WHERE k.t = %u AND k.n = %u AND "
               "k.kind <> 'f';\n",
               table_number(f, to), column_number(f, to, key));
}

/* --------------------------------------------------------------- tables -- */

static void
add_relation(struct filler *f, unsigned n, str name, char kind, str comment,
             str def)
{
    buf_printf(f->out, "INSERT INTO pgc.my_tables VALUES (%u, ", n);
    duck_quote_text(f->out, name);
    buf_printf(f->out, ", '%c', ", kind);
    duck_quote_text(f->out, comment);
    buf_add_text(f->out, ", ");
    if (def.len)
        duck_quote_text(f->out, def);
    else
        buf_add_text(f->out, "NULL");
    buf_add_text(f->out, ");\n");
}

static void
add_table(struct filler *f, const struct policy_table *t)
{
    unsigned number = table_number(f, t), n = 0;
    bool parent = is_parent(f, t, str_of("")), primary = true;

    add_relation(f, number, t->name, 'r', t->comment, str_of(""));
    for (size_t i = 0; i < t->n_columns; i++)
        if (policy_grants(f->p, f->who, t, &t->columns[i]))
            add_column(f, number, ++n, &t->columns[i]);
    buf_add_text(f->out, n > 0 ? ";\n" : "");
    for (size_t i = 0; i < t->n_columns && parent; i++)
        if (policy_grants(f->p, f->who, t, &t->columns[i]) &&
            is_parent(f, t, t->columns[i].name)) {
            add_unique(f, t, &t->columns[i], primary);
            primary = false;
        }
}

struct view_filler {
    struct filler *f;
    const struct policy_view *view;
    unsigned number, n; /* the view's number; how many columns were added */
};

/* Adds a column of a view; the first column also adds the view itself. A view
   that the analyst cannot query has no columns, so it is not shown. */
static void
add_view_column(void *ctx, const struct policy_column *c, bool unit)
{
    struct view_filler *v = ctx;

    (void)unit;
    if (v->n == 0) /* only the owner sees its SQL, which may name anything */
        add_relation(v->f, v->number, v->view->name, 'v', v->view->comment,
                     v->f->who ? str_of("") : v->view->sql);
    add_column(v->f, v->number, ++v->n, c);
}

static void
add_view(struct filler *f, unsigned number, const struct policy_view *view)
{
    struct view_filler v = {.f = f, .view = view, .number = number};

    shape_of_view(f->p, f->who, view, add_view_column, &v);
    buf_add_text(f->out, v.n > 0 ? ";\n" : "");
}

custos_status
catalog_fill(const struct policy *p, const struct policy_analyst *who,
             struct buf *out, custos_err *err)
{
    struct filler f = {.p = p, .who = who, .out = out, .err = err};
    unsigned number = FIRST_TABLE;

    for (size_t i = 0; i < p->n_tables; i++)
        if (policy_grants_table(p, who, &p->tables[i])) {
            add_table(&f, &p->tables[i]);
            number++;
        }
    for (size_t i = 0; i < p->n_tables; i++)
        for (size_t k = 0; k < p->tables[i].n_columns; k++)
            if (policy_grants(p, who, &p->tables[i], &p->tables[i].columns[k]))
                add_reference(&f, &p->tables[i], &p->tables[i].columns[k]);
    for (size_t i = 0; i < p->n_views; i++)
        if (policy_grants_view(p, who, &p->views[i]))
            add_view(&f, number++, &p->views[i]);
    return out->failed ? custos_fail(err, CUSTOS_ENOMEM, "out of memory")
                       : CUSTOS_OK;
}
