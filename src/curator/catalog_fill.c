/*
 * The rows of an analyst's catalog: the granted tables and views, their granted
 * columns with types and public domains, and the keys between these tables. Object
 * numbers count granted objects only, so that they reveal nothing about the others.
 */
#include "curator/catalog_setup.h"
#include "curator/shape.h"

enum {
    FIRST_TABLE = 16384,
    FIRST_KEY = 1 << 20,
    FIRST_INDEX = 1 << 21,
    VALUES_SHOWN = 20,
    PRECISION = 38,
    TEXT_MOST = 1 << 20,
};

/* Columns of my_keys. */
enum { KEY_TABLE = 3, KEY_COLUMN = 4, KEY_INDEX = 6 };

struct filler {
    const struct policy *p;
    const struct policy_analyst *who;
    struct catalog_content *out;
    struct sandbox_table *tables, *columns, *keys; /* my_tables, ... */
};

/* Moves the text of the buf into a cell. */
static struct datum
cell_take(struct filler *f, struct buf *text)
{
    struct datum d = content_copy(f->out, str_of(buf_text(text)));

    f->out->failed = f->out->failed || text->failed;
    buf_clear(text);
    return d;
}

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

/* c need not outlive the call: columns of a view are made for it. */
static void
add_column(struct filler *f, unsigned table, unsigned n,
           const struct policy_column *c)
{
    struct buf comment;

    buf_init(&comment, NULL, TEXT_MOST);
    buf_add(&comment, c->comment.ptr, c->comment.len);
    if (c->comment.len && (c->has_range || c->n_values))
        buf_add_text(&comment, "; ");
    write_domain(c, &comment);
    content_row(
        f->out, f->columns, content_whole(table), content_whole(n),
        content_copy(f->out, c->name), content_whole(type_number(c->type)),
        content_whole(c->type == TYPE_DECIMAL ? (PRECISION << 16 | c->scale) + 4
                                              : -1),
        content_flag(!c->nullable), cell_take(f, &comment));
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

/* A constraint's name: patients_pkey, visits_patient_fkey. */
static struct datum
key_name(struct filler *f, const struct policy_table *t,
         const struct policy_column *c, const char *end)
{
    struct buf name;

    buf_init(&name, NULL, TEXT_MOST);
    buf_add(&name, t->name.ptr, t->name.len);
    if (c) {
        buf_add_text(&name, "_");
        buf_add(&name, c->name.ptr, c->name.len);
    }
    buf_add_text(&name, end);
    return cell_take(f, &name);
}

static unsigned
keys_so_far(const struct filler *f)
{
    return f->keys ? (unsigned)f->keys->n_rows : 0;
}

static void
add_unique(struct filler *f, const struct policy_table *t,
           const struct policy_column *c, bool primary)
{
    unsigned n = keys_so_far(f);

    content_row(f->out, f->keys,

                content_whole(FIRST_KEY + n),
                key_name(f, t, primary ? NULL : c, primary ? "_pkey" : "_key"),
                content_word(primary ? "p" : "u"),
                content_whole(table_number(f, t)),
                content_whole(column_number(f, t, c)), content_text(c->name),
                content_whole(FIRST_INDEX + n), content_whole(0),
                content_whole(0), content_whole(0));
}

/* The index of the key that a granted reference refers to, which was added before
   (is_parent); only foreign keys have none. */
static int64_t
index_find(const struct filler *f, unsigned table, unsigned column)
{
    for (size_t i = 0; f->keys && i < f->keys->n_rows; i++) {
        const struct datum *key = f->keys->cells + i * f->keys->n_columns;

        if (key[KEY_TABLE].n == table && key[KEY_COLUMN].n == column &&
            key[KEY_INDEX].n > 0)
            return (int64_t)key[KEY_INDEX].n;
    }
    return 0;
}

static void
add_reference(struct filler *f, const struct policy_table *t,
              const struct policy_column *c)
{
    const struct policy_table *to =
        c->references_table.len ? policy_table_find(f->p, c->references_table)
                                : NULL;
    const struct policy_column *key =
        to ? policy_column_find(to, c->references_column) : NULL;
    unsigned table, column;

    if (!key || !policy_grants(f->p, f->who, to, key))
        return;
    table = table_number(f, to);
    column = column_number(f, to, key);
    content_row(f->out, f->keys, content_whole(FIRST_KEY + keys_so_far(f)),
                key_name(f, t, c, "_fkey"), content_word("f"),
                content_whole(table_number(f, t)),
                content_whole(column_number(f, t, c)), content_text(c->name),
                content_whole(0), content_whole(table), content_whole(column),
                content_whole(index_find(f, table, column)));
}

/* --------------------------------------------------------------- tables -- */

static void
add_relation(struct filler *f, unsigned n, str name, const char *kind,
             str comment, str def)
{
    content_row(f->out, f->tables, content_whole(n), content_text(name),
                content_word(kind), content_text(comment),
                def.len ? content_text(def) : content_null());
}

static void
add_table(struct filler *f, const struct policy_table *t)
{
    unsigned number = table_number(f, t), n = 0;
    bool parent = is_parent(f, t, str_of("")), primary = true;

    add_relation(f, number, t->name, "r", t->comment, str_of(""));
    for (size_t i = 0; i < t->n_columns; i++)
        if (policy_grants(f->p, f->who, t, &t->columns[i]))
            add_column(f, number, ++n, &t->columns[i]);
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
        add_relation(v->f, v->number, v->view->name, "v", v->view->comment,
                     v->f->who ? str_of("") : v->view->sql);
    add_column(v->f, v->number, ++v->n, c);
}

static void
add_view(struct filler *f, unsigned number, const struct policy_view *view)
{
    struct view_filler v = {.f = f, .view = view, .number = number};

    shape_of_view(f->p, f->who, view, add_view_column, &v);
}

void
catalog_fill(const struct policy *p, const struct policy_analyst *who,
             struct catalog_content *c)
{
    struct filler f = {.p = p, .who = who, .out = c};
    unsigned number = FIRST_TABLE;

    f.tables = content_table(c, CATALOG_SCHEMA, "my_tables",
                             "oid:o name kind comment def");
    f.columns = content_table(c, CATALOG_SCHEMA, "my_columns",
                              "t:o n:s name type:o typmod:i must:b comment");
    f.keys = content_table(c, CATALOG_SCHEMA, "my_keys",
                           "oid:o key kind t:o n:s name index:o ft:o fn:s "
                           "findex:o");
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
}
