/*
 * Checks references between tables. Every private table must lead to the unit
 * it protects: its unit is the row, a column whose value identifies the person,
 * or a column that references a table whose unit is found in one of the last
 * two ways. This needs no data.
 */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "policy/read.h"

/* The node of a table; it exists, since the table was read from it. */
static const struct node *
table_node(const struct node *root, const struct policy_table *t)
{
    const struct node *n = node_find(root, "tables")->first;

    while (!str_equal(n->key, t->name))
        n = n->next;
    return n;
}

static const struct node *
column_node(const struct node *table, const struct policy_column *c)
{
    const struct node *n = node_find(table, "columns")->first;

    while (!str_equal(n->key, c->name))
        n = n->next;
    return n;
}

/* Is text this name, unquoted or in SQL's double quotes? */
static bool
is_name(str text, str name)
{
    size_t at = 0;

    if (str_equal(text, name))
        return true;
    if (text.len < 2 || text.ptr[0] != '"' || text.ptr[text.len - 1] != '"')
        return false;
    for (size_t i = 1; i < text.len - 1; i++, at++) {
        if (text.ptr[i] == '"' && text.ptr[++i] != '"')
            return false;
        if (i >= text.len - 1 || at >= name.len || name.ptr[at] != text.ptr[i])
            return false;
    }
    return at == name.len;
}

static const struct policy_column *
column_named(const struct policy_table *t, str text)
{
    for (size_t i = 0; i < t->n_columns; i++)
        if (is_name(text, t->columns[i].name))
            return &t->columns[i];
    return NULL;
}

/* Splits "table.column"; the names may contain dots, or be quoted. */
static bool
split_reference(const struct policy *p, str text, const struct policy_table **t,
                const struct policy_column **c)
{
    for (size_t i = 0; i < text.len; i++) {
        str rest = {text.ptr + i + 1, text.len - i - 1};

        for (size_t k = 0; k < p->n_tables && text.ptr[i] == '.'; k++) {
            *t = &p->tables[k];
            *c = is_name((str){text.ptr, i}, (*t)->name)
                     ? column_named(*t, rest)
                     : NULL;
            if (*c)
                return true;
        }
    }
    return false;
}

static custos_status
check_reference(const struct reading *r, const struct node *n,
                const struct policy_table *t, const struct policy_column *c,
                const struct policy_table *to, const struct policy_column *key)
{
    if (t->is_public && !to->is_public)
        return reading_fail(r, n->line,
                            "table '%.*s' is public and cannot reference the "
                            "private table '%.*s'",
                            SHOWN(t->name), SHOWN(to->name));
    if (c->type != key->type || c->scale != key->scale)
        return reading_fail(
            r, n->line,
            "column '%.*s' is %s, but the column that it references is %s" HINT
            "give both the same type",
            SHOWN(c->name), data_type_name(c->type), data_type_name(key->type));
    if (c->type == TYPE_REAL)
        return reading_fail(r, n->line,
                            "a real cannot be a key: equal numbers may differ "
                            "in their last digit");
    return CUSTOS_OK;
}

static custos_status
resolve_reference(const struct reading *r, const struct node *map,
                  const struct policy *p, const struct policy_table *t,
                  struct policy_column *c)
{
    const struct node *n = node_find(map, "references");
    const struct policy_table *to;
    const struct policy_column *key;
    custos_status st;
    str text;

    if (!n)
        return CUSTOS_OK;
    st = node_text(r, n, "references", &text);
    if (st)
        return st;
    if (!memchr(text.ptr, '.', text.len))
        return reading_fail(r, n->line,
                            "references must be table.column, not '%.*s'",
                            SHOWN(text));
    if (!split_reference(p, text, &to, &key))
        return reading_fail(
            r, n->line, "there is no column '%.*s' to reference", SHOWN(text));
    c->references_table = to->name;
    c->references_column = key->name;
    return check_reference(r, n, t, c, to, key);
}

/* Reads `unit`: row means the row; "row" in quotes means the column of that
   name. */
static custos_status
read_unit(const struct reading *r, const struct node *map,
          struct policy_table *t)
{
    const struct node *n = node_find(map, "unit");
    const struct policy_column *c;
    custos_status st;
    str text;

    if (!n)
        return reading_fail(r, t->line,
                            "table '%.*s' does not say whom it protects" HINT
                            "add unit: and a column (or row), or public: true",
                            SHOWN(t->name));
    st = node_text(r, n, "unit", &text);
    if (st)
        return st;
    c = policy_column_find(t, text);
    t->unit_is_row = n->plain && str_equal(text, str_of("row"));
    if (t->unit_is_row && c)
        return reading_fail(r, n->line,
                            "table '%.*s' has a column row: write \"row\" in "
                            "quotes for it, or rename it",
                            SHOWN(t->name));
    if (!t->unit_is_row && !c)
        return reading_fail(r, n->line,
                            "the unit '%.*s' is not a column of table '%.*s'",
                            SHOWN(text), SHOWN(t->name));
    if (t->unit_is_row && t->rows_per_unit != 1)
        return reading_fail(r, node_find(map, "rows_per_unit")->line,
                            "the unit is the row: rows_per_unit must be 1");
    if (t->unit_is_row && t->groups_per_unit != 1)
        return reading_fail(r, node_find(map, "groups_per_unit")->line,
                            "the unit is the row: groups_per_unit must be 1");
    if (t->unit_is_row && t->rows_per_group != 1)
        return reading_fail(r, node_find(map, "rows_per_unit_and_group")->line,
                            "the unit is the row: rows_per_unit_and_group "
                            "must be 1");
    if (!t->unit_is_row && t->exact_rows > 0)
        return reading_fail(r, node_find(map, "exact_rows")->line,
                            "exact_rows needs unit: row; one unit that is "
                            "replaced could otherwise change the number of "
                            "rows");
    if (c)
        t->unit_column = (size_t)(c - t->columns);
    return CUSTOS_OK;
}

/* A unit column has no range, since clamping would merge people, and is neither
   real nor boolean, since such values do not identify anybody. */
static custos_status
check_unit_key(const struct reading *r, const struct policy_table *t,
               const struct policy_column *c)
{
    if (c->find_range)
        return reading_fail(r, c->line,
                            "column '%.*s' of '%.*s' names the unit and has no "
                            "range to be found",
                            SHOWN(c->name), SHOWN(t->name));
    if (c->has_range)
        return reading_fail(r, c->line,
                            "column '%.*s' of '%.*s' names the unit and can "
                            "have no range: clamping would merge people",
                            SHOWN(c->name), SHOWN(t->name));
    if (c->type == TYPE_REAL || c->type == TYPE_BOOL)
        return reading_fail(r, c->line,
                            "column '%.*s' of '%.*s' is %s, which cannot name "
                            "a unit",
                            SHOWN(c->name), SHOWN(t->name),
                            data_type_name(c->type));
    return CUSTOS_OK;
}

static custos_status
check_path(const struct reading *r, const struct policy *p,
           const struct policy_table *start)
{
    const struct policy_table *t = start;

    for (size_t steps = 0; !t->unit_is_row; steps++) {
        const struct policy_column *c = &t->columns[t->unit_column], *key;
        custos_status st = check_unit_key(r, t, c);
        const struct policy_table *to = policy_unit_parent(p, t, &key);

        if (st)
            return st;
        if (!to)
            return CUSTOS_OK;
        if (steps >= p->n_tables)
            return reading_fail(
                r, start->line,
                "the unit of table '%.*s' has circular references",
                SHOWN(start->name));
        if (to->is_public)
            return reading_fail(r, c->line,
                                "the unit of table '%.*s' leads to '%.*s', "
                                "which is public and has none",
                                SHOWN(t->name), SHOWN(to->name));
        st = check_unit_key(r, to, key);
        if (st)
            return st;
        if (to->unit_is_row)
            return reading_fail(r, to->line,
                                "rows of '%.*s' belong to rows of '%.*s', "
                                "whose unit must then be a column, such as "
                                "%.*s",
                                SHOWN(t->name), SHOWN(to->name),
                                SHOWN(key->name));
        t = to;
    }
    return CUSTOS_OK;
}

/* The column whose value itself is the unit of t's rows; NULL if there is
   none. */
static const struct policy_column *
unit_value(const struct policy *p, const struct policy_table *t)
{
    const struct policy_column *key;

    if (t->is_public || t->unit_is_row || policy_unit_parent(p, t, &key))
        return NULL;
    return &t->columns[t->unit_column];
}

static void
type_words(const struct policy_column *c, char out[32])
{
    if (c->type == TYPE_DECIMAL)
        snprintf(out, 32, "decimal of scale %d", c->scale);
    else
        snprintf(out, 32, "%s", data_type_name(c->type));
}

/*
 * The units of all tables are one set of people, distinguished by their values.
 * In columns of different types one value could have two forms (1 and 1.0, a
 * date and its midnight), and one person would count as two.
 */
static custos_status
check_unit_types(const struct reading *r, const struct policy *p)
{
    const struct policy_table *first = NULL;
    const struct policy_column *as = NULL;
    custos_status st = CUSTOS_OK;
    char is[32], was[32];

    for (size_t i = 0; i < p->n_tables && !st; i++) {
        const struct policy_table *t = &p->tables[i];
        const struct policy_column *c = unit_value(p, t);

        if (!c)
            continue;
        if (!first) {
            first = t;
            as = c;
        }
        if (c->type == as->type && c->scale == as->scale)
            continue;
        type_words(c, is);
        type_words(as, was);
        st = reading_go_on(
            r,
            reading_fail(r, c->line,
                         "the unit of table '%.*s' is %s, that of '%.*s' "
                         "%s: one person could count as two" HINT "give both "
                         "columns one type",
                         SHOWN(t->name), is, SHOWN(first->name), was));
    }
    return st;
}

custos_status
resolve_tables(const struct reading *r, const struct node *root,
               struct policy *p)
{
    custos_status st = CUSTOS_OK;

    for (size_t i = 0; i < p->n_tables && !st; i++) {
        struct policy_table *t = &p->tables[i];
        const struct node *map = table_node(root, t);

        for (size_t k = 0; k < t->n_columns && !st; k++)
            st = reading_go_on(
                r, resolve_reference(r, column_node(map, &t->columns[k]), p, t,
                                     &t->columns[k]));
        if (!st && !t->is_public)
            st = reading_go_on(r, read_unit(r, map, t));
    }
    if (r->all && r->all->n)
        return st; /* check_path needs correct units and references */
    for (size_t i = 0; i < p->n_tables && !st; i++)
        if (!p->tables[i].is_public)
            st = reading_go_on(r, check_path(r, p, &p->tables[i]));
    if (!st && !r->past && !(r->all && r->all->n))
        st = check_unit_types(r, p);
    return st;
}
