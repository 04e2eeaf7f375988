/*
 * Reads one table: whether it is private, how much one unit may contribute, and
 * its columns. read_source.c reads where its rows are, resolve.c references to
 * other tables.
 */
#include "base/base.h"
#include "policy/read.h"

#define ROWS_DEFAULT ((uint64_t)1 << 40)
#define ROWS_MOST ((uint64_t)1 << 48)
#define PER_UNIT_MOST ((uint64_t)1 << 31)

enum { TABLES_MAX = 500, COLUMNS_MAX = 1000, CONSTRAINTS_MAX = 100 };

static const char *const keys[] = {
    "source",
    "from",
    "format",
    "source_table",
    "public",
    "attach",
    "unit",
    "rows_per_unit",
    "groups_per_unit",
    "rows_per_unit_and_group",
    "bound",
    "max_rows",
    "exact_rows",
    "columns",
    "constraints",
    "comment",
};

/* A public table has no unit, and no keys such as rows_per_unit. */
static custos_status
check_public(const struct reading *r, const struct node *map,
             const struct policy_table *t)
{
    static const char *const private_keys[] = {"unit",
                                               "rows_per_unit",
                                               "groups_per_unit",
                                               "rows_per_unit_and_group",
                                               "exact_rows",
                                               "bound",
                                               "constraints"};

    for (size_t i = 0; i < COUNT_OF(private_keys); i++) {
        const struct node *n = node_find(map, private_keys[i]);

        if (n)
            return reading_fail(
                r, n->key_line,
                "table '%.*s' is public and protects nobody: it cannot have %s",
                SHOWN(t->name), private_keys[i]);
    }
    return CUSTOS_OK;
}

static custos_status
read_bound(const struct reading *r, const struct node *map,
           struct policy_table *t)
{
    const struct node *n = node_find(map, "bound");

    if (!n)
        return CUSTOS_OK;
    t->prefer_speed =
        n->kind == NODE_TEXT && str_equal(n->text, str_of("before-where"));
    if (t->prefer_speed ||
        (n->kind == NODE_TEXT && str_equal(n->text, str_of("after-where"))))
        return CUSTOS_OK;
    return reading_fail(r, n->line,
                        "bound must be after-where or before-where");
}

/* rows: the node of rows_per_unit, which has been read; NULL: none. */
static custos_status
read_rows_per_group(const struct reading *r, const struct node *map,
                    const struct node *rows, struct policy_table *t)
{
    const struct node *n = node_find(map, "rows_per_unit_and_group");
    custos_status st;

    t->rows_per_group = t->rows_per_unit;
    t->rows_per_group_given = n != NULL;
    if (!n)
        return CUSTOS_OK;
    st = node_count(r, n, "rows_per_unit_and_group", 1, PER_UNIT_MOST,
                    &t->rows_per_group);
    if (!st && rows && t->rows_per_group > t->rows_per_unit)
        st = reading_fail(r, n->line,
                          "rows_per_unit_and_group is above rows_per_unit "
                          "(%llu): a unit has no more rows in one group than "
                          "in all",
                          (unsigned long long)t->rows_per_unit);
    return st;
}

/* The public number of rows, which every import of the table must have. An
   attached file could change after the check. */
static custos_status
read_exact_rows(const struct reading *r, const struct node *map,
                struct policy_table *t)
{
    const struct node *n = node_find(map, "exact_rows");
    custos_status st;

    if (!n)
        return CUSTOS_OK;
    if (t->max_rows_given)
        return reading_fail(r, n->line,
                            "exact_rows is also the most rows: the table "
                            "cannot have max_rows besides");
    if (t->attached)
        return reading_fail(r, n->line,
                            "an attached table cannot have exact_rows: its "
                            "file is not checked when it is read");
    st = node_count(r, n, "exact_rows", 1, ROWS_MOST, &t->exact_rows);
    t->max_rows = t->exact_rows;
    t->max_rows_given = true;
    return st;
}

static custos_status
read_limits(const struct reading *r, const struct node *map,
            struct policy_table *t)
{
    const struct node *rows = node_find(map, "rows_per_unit");
    const struct node *groups = node_find(map, "groups_per_unit");
    const struct node *most = node_find(map, "max_rows");
    custos_status st = CUSTOS_OK;

    t->rows_per_unit = 1;
    t->max_rows = ROWS_DEFAULT;
    t->max_rows_given = most != NULL;
    t->rows_given = rows != NULL;
    t->groups_given = groups != NULL;
    if (most)
        st = node_count(r, most, "max_rows", 1, ROWS_MOST, &t->max_rows);
    if (!st && rows)
        st = node_count(r, rows, "rows_per_unit", 1, PER_UNIT_MOST,
                        &t->rows_per_unit);
    t->groups_per_unit = t->rows_per_unit;
    if (!st && groups)
        st = node_count(r, groups, "groups_per_unit", 1, PER_UNIT_MOST,
                        &t->groups_per_unit);
    if (!st && groups && rows && t->groups_per_unit > t->rows_per_unit)
        return reading_fail(r, groups->line,
                            "groups_per_unit is above rows_per_unit (%llu): a "
                            "row is in one group",
                            (unsigned long long)t->rows_per_unit);
    if (!st)
        st = read_rows_per_group(r, map, rows, t);
    if (!st)
        st = read_exact_rows(r, map, t);
    return st ? st : read_bound(r, map, t);
}

static custos_status
read_columns(const struct reading *r, const struct node *map,
             struct policy_table *t)
{
    const struct node *columns = node_find(map, "columns");
    custos_status st;

    if (!columns)
        return reading_fail(r, map->line, "table '%.*s' has no columns",
                            SHOWN(t->name));
    st = node_is_names(r, columns, "columns");
    if (!st && (columns->n == 0 || columns->n > COLUMNS_MAX))
        return reading_fail(r, columns->line, "a table has 1 to %d columns",
                            (int)COLUMNS_MAX);
    if (st)
        return st;
    t->columns = arena_take(r->a, columns->n, sizeof *t->columns);
    if (!t->columns)
        return reading_no_memory(r);
    for (const struct node *c = columns->first; c && !st; c = c->next) {
        t->columns[t->n_columns].name = c->key;
        st = reading_go_on(r, read_column(r, c, &t->columns[t->n_columns++]));
    }
    return st;
}

/* Their SQL is text here; plan/constraints.c parses it. */
static custos_status
read_constraints(const struct reading *r, const struct node *list,
                 struct policy_table *t)
{
    custos_status st = CUSTOS_OK;

    if (list->kind != NODE_LIST || list->n > CONSTRAINTS_MAX)
        return reading_fail(r, list->line,
                            "constraints must be a list of at most %d "
                            "conditions" HINT
                            "write, for example, constraints: [\"age >= 15\"]",
                            (int)CONSTRAINTS_MAX);
    t->constraints = arena_take(r->a, list->n + 1, sizeof *t->constraints);
    if (!t->constraints)
        return reading_no_memory(r);
    for (const struct node *n = list->first; n && !st; n = n->next) {
        struct policy_constraint *c = &t->constraints[t->n_constraints++];

        c->line = n->line;
        st = node_text(r, n, "a constraint", &c->sql);
    }
    return st;
}

static custos_status
read_public(const struct reading *r, const struct node *n,
            struct policy_table *t)
{
    t->is_released =
        n->kind == NODE_TEXT && str_equal(n->text, str_of("released"));
    if (!t->is_released)
        return node_flag(r, n, "public", &t->is_public);
    t->is_public = true;
    return CUSTOS_OK;
}

static custos_status
read_table(const struct reading *r, const struct node *map,
           const struct policy *p, struct policy_table *t)
{
    const struct node *n;
    custos_status st;

    t->name = map->key;
    t->line = map->key_line;
    t->comment = str_of("");
    st = node_is_map(r, map, "a table", keys, COUNT_OF(keys));
    n = st ? NULL : node_find(map, "public");
    if (!st && n)
        st = read_public(r, n, t);
    if (!st)
        st = reading_go_on(r, read_table_source(r, map, p, t));
    if (!st && t->is_public)
        st = reading_go_on(r, check_public(r, map, t));
    if (!st)
        st = reading_go_on(r, read_limits(r, map, t));
    n = st ? NULL : node_find(map, "comment");
    if (!st && n)
        st = node_text(r, n, "comment", &t->comment);
    n = st ? NULL : node_find(map, "constraints");
    if (!st && n)
        st = reading_go_on(r, read_constraints(r, n, t));
    return st ? st : read_columns(r, map, t);
}

custos_status
read_tables(const struct reading *r, const struct node *root, struct policy *p)
{
    const struct node *tables = node_find(root, "tables");
    custos_status st;

    if (!tables)
        return reading_fail(r, root->line, "there are no tables");
    st = node_is_names(r, tables, "tables");
    if (!st && (tables->n == 0 || tables->n > TABLES_MAX))
        return reading_fail(r, tables->line, "a policy has 1 to %d tables",
                            (int)TABLES_MAX);
    if (st)
        return st;
    p->tables = arena_take(r->a, tables->n, sizeof *p->tables);
    if (!p->tables)
        return reading_no_memory(r);
    for (const struct node *t = tables->first; t && !st; t = t->next) {
        struct policy_table *to = &p->tables[p->n_tables];

        st = reading_go_on(r, read_table(r, t, p, to));
        to->number = p->n_tables++;
    }
    return st;
}
