/*
 * Writes a schema as a policy. Every name and text is quoted, so that YAML reads
 * back any byte of it.
 */
#include "audit/stranger/schema.h"

#include <inttypes.h>

/* ----------------------------------------------------------------- quoting -- */

/* The length of a character that YAML rejects or takes for a line break, and its
   code point; 0 for any other. */
static size_t
special_length(const unsigned char *p, size_t left, unsigned *code)
{
    if (*p < ' ' || *p == 127) {
        *code = *p;
        return 1;
    }
    if (left >= 2 && p[0] == 0xc2 && p[1] < 0xa0) {
        *code = p[1];
        return 2;
    }
    if (left >= 3 && p[0] == 0xe2 && p[1] == 0x80 && (p[2] | 1) == 0xa9) {
        *code = 0x2000 + (p[2] & 0x3fU);
        return 3;
    }
    if (left >= 3 && p[0] == 0xef && p[1] == 0xbb && p[2] == 0xbf) {
        *code = 0xfeff;
        return 3;
    }
    return 0;
}

static void
add_quoted(struct buf *out, str text)
{
    buf_add_text(out, "\"");
    for (size_t i = 0; i < text.len;) {
        unsigned code = 0;
        size_t special = special_length((const unsigned char *)text.ptr + i,
                                        text.len - i, &code);

        if (special)
            buf_printf(out, "\\u%04X", code);
        else if (text.ptr[i] == '"' || text.ptr[i] == '\\')
            buf_printf(out, "\\%c", text.ptr[i]);
        else
            buf_add(out, text.ptr + i, 1);
        i += special ? special : 1;
    }
    buf_add_text(out, "\"");
}

static void
add_datum(struct buf *out, const struct datum *d)
{
    struct buf text;

    if (d->type == TYPE_TEXT) {
        add_quoted(out, d->text);
        return;
    }
    buf_init(&text, NULL, 128);
    datum_write(d, &text);
    add_quoted(out, (str){buf_text(&text), text.len});
    out->failed = out->failed || text.failed;
    buf_clear(&text);
}

/* "name: value, " inside braces; nothing for an empty amount. */
static void
add_amount(struct buf *out, const char *name, str value)
{
    if (!value.len)
        return;
    buf_printf(out, "%s: ", name);
    buf_add(out, value.ptr, value.len);
    buf_add_text(out, ", ");
}

static void
add_count(struct buf *out, const char *name, uint64_t value, const char *end)
{
    if (value)
        buf_printf(out, "%s: %" PRIu64 "%s", name, value, end);
}

/* ------------------------------------------------------------------ tables -- */

/* A table's column as `references` names it: "t"."c", quoted as SQL does, and
   all of it again for YAML. */
static void
add_reference(struct buf *out, const struct schema *s,
              const struct schema_column *c)
{
    const struct schema_table *t = &s->tables[c->references_table];
    str parts[2] = {t->name, t->columns[c->references_column].name};
    struct buf sql;

    buf_init(&sql, NULL, 1024);
    for (size_t i = 0; i < 2; i++) {
        buf_add_text(&sql, i ? ".\"" : "\"");
        for (size_t k = 0; k < parts[i].len; k++) {
            if (parts[i].ptr[k] == '"')
                buf_add_text(&sql, "\"");
            buf_add(&sql, parts[i].ptr + k, 1);
        }
        buf_add_text(&sql, "\"");
    }
    buf_add_text(out, ", references: ");
    add_quoted(out, (str){buf_text(&sql), sql.len});
    out->failed = out->failed || sql.failed;
    buf_clear(&sql);
}

static void
add_column(struct buf *out, const struct schema *s,
           const struct schema_column *c)
{
    buf_add_text(out, "      ");
    add_quoted(out, c->name);
    buf_printf(out, ": {type: %s", data_type_name(c->type));
    if (c->type == TYPE_DECIMAL)
        buf_printf(out, ", scale: %d", c->scale);
    if (!c->nullable)
        buf_add_text(out, ", nullable: false");
    if (c->has_range) {
        buf_add_text(out, ", range: [");
        add_datum(out, &c->lower);
        buf_add_text(out, ", ");
        add_datum(out, &c->upper);
        buf_add_text(out, "]");
    }
    for (size_t i = 0; i < c->n_values; i++) {
        buf_add_text(out, i ? ", " : ", values: [");
        add_datum(out, &c->values[i]);
    }
    if (c->n_values)
        buf_add_text(out, "]");
    if (c->type == TYPE_TEXT && !c->n_values && c->text_max)
        buf_printf(out, ", max_bytes: %zu", c->text_max);
    if (c->references_table != SCHEMA_NONE)
        add_reference(out, s, c);
    buf_add_text(out, "}\n");
}

static void
add_table(struct buf *out, const struct schema *s, size_t number)
{
    const struct schema_table *t = &s->tables[number];

    buf_add_text(out, "  ");
    add_quoted(out, t->name);
    buf_printf(out, ":\n    source: \"%zu.csv\"\n", number);
    if (t->attached)
        buf_add_text(out, "    attach: true\n");
    if (t->is_public) {
        buf_add_text(out, "    public: true\n");
    } else {
        buf_add_text(out, "    unit: ");
        if (t->unit_is_row)
            buf_add_text(out, "row");
        else
            add_quoted(out, t->columns[t->unit_column].name);
        buf_add_text(out, "\n");
        add_count(out, "    rows_per_unit", t->rows_per_unit, "\n");
        add_count(out, "    groups_per_unit", t->groups_per_unit, "\n");
        add_count(out, "    rows_per_unit_and_group", t->rows_per_group, "\n");
        add_count(out, "    max_rows", t->max_rows, "\n");
        if (t->before_where)
            buf_add_text(out, "    bound: before-where\n");
    }
    buf_add_text(out, "    columns:\n");
    for (size_t i = 0; i < t->n_columns; i++)
        add_column(out, s, &t->columns[i]);
}

/* ------------------------------------------------------------------- policy -- */

static bool
is_pure(const struct schema *s)
{
    return !s->budget_delta.len || str_equal(s->budget_delta, str_of("0"));
}

void
schema_raise_budget(struct schema *s)
{
    s->budget_epsilon = str_of("1000000");
    s->max_epsilon = str_of("1000000");
    if (is_pure(s))
        return;
    s->budget_delta = str_of("0.9");
    if (s->max_rho.len)
        s->max_rho = str_of("1000000");
}

static void
add_head(struct buf *out, const struct schema *s)
{
    buf_printf(out, "custos: 2\nadjacency: %s\nbudget: {",
               s->adjacency == CUSTOS_CHANGE_ONE ? "change-one" : "add-remove");
    add_amount(out, "epsilon", s->budget_epsilon);
    if (!is_pure(s)) {
        add_amount(out, "delta", s->budget_delta);
        buf_add_text(out, "force_delta: true, ");
    }
    add_count(out, "n", s->people, ", ");
    buf_add_text(out, "}\nquery: {");
    add_amount(out, "epsilon", s->query_epsilon);
    add_amount(out, "max_epsilon", s->max_epsilon);
    add_amount(out, "max_rho", s->max_rho);
    if (!is_pure(s))
        add_amount(out, "delta", s->query_delta);
    add_amount(out, "min_epsilon", s->min_epsilon);
    add_amount(out, "min_rho", s->min_rho);
    add_count(out, "min_units", s->min_units, ", ");
    add_count(out, "max_groups", s->max_groups, ", ");
    add_count(out, "max_fanout", s->max_fanout, ", ");
    add_count(out, "max_unit_work", s->max_unit_work, ", ");
    add_count(out, "max_planning_steps", s->max_planning_steps, ", ");
    buf_add_text(out, "}\ntripwire: {overrun_rate: 1}\n");
}

void
schema_write_policy(const struct schema *s, size_t analysts, struct buf *out)
{
    add_head(out, s);
    buf_add_text(out, "tables:\n");
    for (size_t i = 0; i < s->n_tables; i++)
        add_table(out, s, i);
    if (s->n_views)
        buf_add_text(out, "views:\n");
    for (size_t i = 0; i < s->n_views; i++) {
        buf_add_text(out, "  ");
        add_quoted(out, s->views[i].name);
        buf_add_text(out, ": {sql: ");
        add_quoted(out, s->views[i].sql);
        buf_add_text(out, "}\n");
    }
    buf_add_text(out, "analysts:\n");
    for (size_t i = 0; i < analysts; i++)
        buf_printf(out, "  analyst%zu: {}\n", i);
}
