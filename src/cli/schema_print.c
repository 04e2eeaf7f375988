#include "cli/schema_print.h"

#include <inttypes.h>

#include "cli/cli.h"

enum { VALUES_SHOWN = 6, TEXT_MAX = 1 << 14 };

static void
print_datum(struct out *o, const struct datum *d)
{
    struct buf b;

    buf_init(&b, NULL, TEXT_MAX);
    datum_write(d, &b);
    out_text(o, buf_text(&b));
    buf_clear(&b);
}

/* Characters, not bytes, of UTF-8. */
static size_t
columns_of(str text)
{
    size_t n = 0;

    for (size_t i = 0; i < text.len; i++)
        n += ((unsigned char)text.ptr[i] & 0xc0) != 0x80;
    return n;
}

static void
print_name(struct out *o, str name, size_t width)
{
    out_add(o, name.ptr, name.len);
    for (size_t i = columns_of(name); i < width; i++)
        out_text(o, " ");
}

/* Prints what the privacy unit is, and how many of its rows count. */
static void
print_unit(struct out *o, const struct policy *p,
           const struct policy_analyst *who, const struct policy_table *t)
{
    if (t->is_public) {
        out_text(o, "public: answered exactly and for free");
    } else if (t->unit_is_row) {
        out_text(o, "private; the unit is the row");
    } else {
        const struct policy_column *c = &t->columns[t->unit_column];
        const char *s = t->rows_per_unit == 1 ? "" : "s";

        out_text(o, "private; ");
        /* only analysts who are granted the column see its name */
        if (policy_grants(p, who, t, c))
            out_printf(o, "the unit is %.*s, ", (int)c->name.len, c->name.ptr);
        if (policy_rows_known(p, t))
            out_printf(o, "at most %" PRIu64 " row%s of one unit count%s",
                       t->rows_per_unit, s, *s ? "" : "s");
        else
            out_text(o, "each query spends a quarter of its epsilon to choose "
                        "how many rows of one unit count");
    }
    out_text(o, "\n");
}

static void
print_column(struct out *o, const struct policy_column *c, size_t width)
{
    bool follows = c->has_range || c->find_range || c->n_values ||
                   !c->nullable || c->comment.len;

    out_text(o, "  ");
    print_name(o, c->name, width);
    out_printf(o, follows ? "  %-9s" : "  %s", data_type_name(c->type));
    if (c->has_range) {
        out_text(o, "  from ");
        print_datum(o, &c->lower);
        out_text(o, " to ");
        print_datum(o, &c->upper);
    }
    if (c->find_range)
        out_text(o, "  range found by queries");
    if (c->n_values) {
        out_text(o, "  one of ");
        for (size_t i = 0; i < c->n_values && i < VALUES_SHOWN; i++) {
            if (i)
                out_text(o, ", ");
            print_datum(o, &c->values[i]);
        }
        if (c->n_values > VALUES_SHOWN)
            out_printf(o, " ... (%zu)", c->n_values);
    }
    if (!c->nullable)
        out_text(o, "  not null");
    if (c->comment.len) {
        out_text(o, "  -- ");
        out_add(o, c->comment.ptr, c->comment.len);
    }
    out_text(o, "\n");
}

static void
print_table(struct out *o, const struct policy *p,
            const struct policy_analyst *who, const struct policy_table *t)
{
    size_t width = 0;

    for (size_t i = 0; i < t->n_columns; i++)
        if (policy_grants(p, who, t, &t->columns[i]) &&
            columns_of(t->columns[i].name) > width)
            width = columns_of(t->columns[i].name);
    out_text(o, "  ");
    print_unit(o, p, who, t);
    for (size_t i = 0; i < t->n_columns; i++)
        if (policy_grants(p, who, t, &t->columns[i]))
            print_column(o, &t->columns[i], width);
}

static void
print_view(struct out *o, const struct policy_view *v)
{
    out_text(o, "a view: a query that can be asked like a table");
    if (v->comment.len) {
        out_text(o, "  -- ");
        out_add(o, v->comment.ptr, v->comment.len);
    }
    out_text(o, "\n");
}

static void
print_one(struct out *o, const struct policy *p,
          const struct policy_analyst *who, const char *name)
{
    const struct policy_table *t = policy_table_find(p, str_of(name));
    const struct policy_view *v = policy_view_find(p, str_of(name));

    if (t && policy_grants_table(p, who, t)) {
        print_table(o, p, who, t);
    } else if (v && policy_grants_view(p, who, v)) {
        out_text(o, "  ");
        print_view(o, v);
    } else {
        (void)fail_usage("there is no table %.60s" HINT
                         "\\d lists the tables you may use",
                         name);
    }
}

void
schema_print(struct out *o, const struct policy *p,
             const struct policy_analyst *who, const char *name)
{
    size_t width = 0;

    if (*name) {
        print_one(o, p, who, name);
        return;
    }
    for (size_t i = 0; i < p->n_tables; i++)
        if (policy_grants_table(p, who, &p->tables[i]) &&
            columns_of(p->tables[i].name) > width)
            width = columns_of(p->tables[i].name);
    for (size_t i = 0; i < p->n_views; i++)
        if (policy_grants_view(p, who, &p->views[i]) &&
            columns_of(p->views[i].name) > width)
            width = columns_of(p->views[i].name);
    for (size_t i = 0; i < p->n_tables; i++)
        if (policy_grants_table(p, who, &p->tables[i])) {
            out_text(o, "  ");
            print_name(o, p->tables[i].name, width + 2);
            print_unit(o, p, who, &p->tables[i]);
        }
    for (size_t i = 0; i < p->n_views; i++)
        if (policy_grants_view(p, who, &p->views[i])) {
            out_text(o, "  ");
            print_name(o, p->views[i].name, width + 2);
            print_view(o, &p->views[i]);
        }
}
