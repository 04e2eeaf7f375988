/*
 * Who a row belongs to. The unit of a row is the value of its unit column or,
 * where that column references another table, the unit of the row it points
 * to. A row whose path ends in NULL or in a missing parent belongs to nobody
 * and is in no answer.
 *
 * THEOREM  unit-of-a-row
 *   Every stored row has exactly one unit: parent keys are unique, so each
 *   step of its path finds at most one row, and rows whose path ends early are
 *   dropped. The rows of a unit, in all tables, are those whose path leads to
 *   its value; removing that unit removes these rows and no others.
 * SOURCE   doc/proofs/unit-of-a-row.md
 * NEEDS    a path without cycles that ends in a column (policy_read); one form
 *          of every value (unit-one-form).
 * GIVES    unit_path_from: each row of the relation once, with unit_value, or not at
 *          all.
 * FAILS    CUSTOS_EPOLICY if a key occurs twice.
 * TESTED   units_follow_their_path doubled_parents_are_refused
 */
#include <stdio.h>

#include "base/error.h"
#include "engine/import.h"
#include "engine/refail.h"

/* Does the path to the unit of some table lead through this key of t? If
   only_attached, asks about attached tables only. */
static bool
leads_through(const struct policy *p, const struct policy_table *t,
              const struct policy_column *key, bool only_attached)
{
    for (size_t i = 0; i < p->n_tables; i++) {
        const struct policy_table *from = &p->tables[i];
        const struct policy_column *k = NULL;

        if (from->is_public || (only_attached && !from->attached))
            continue;
        if (policy_unit_parent(p, from, &k) == t && k == key)
            return true;
    }
    return false;
}

const char *
unit_path_schema(const struct policy *p, const struct policy_table *t,
                 const struct policy_column *key)
{
    return leads_through(p, t, key, true) ? "" : "stage.";
}

void
unit_path_from(const struct policy *p, size_t table, const char *relation,
               struct buf *out)
{
    const struct policy_table *t = &p->tables[table], *parent;
    const struct policy_column *own = &t->columns[t->unit_column], *key = NULL;

    parent = policy_unit_parent(p, t, &key);
    if (!parent) {
        /* All units have one type (policy_read), and so has unit_value. */
        buf_printf(out, "(SELECT *, ");
        buf_printf(out,
                   own->type == TYPE_INT ? "c%zu" : "CAST(c%zu AS VARCHAR)",
                   t->unit_column);
        buf_printf(
            out, " AS unit_value FROM %s WHERE c%zu IS NOT NULL) AS unit_rows",
            relation, t->unit_column);
        return;
    }
    buf_printf(out,
               "(SELECT child.*, parent.x AS unit_value FROM %s AS child JOIN "
               "%sp%zu_%zu AS parent ON ",
               relation, unit_path_schema(p, parent, key),
               (size_t)(parent - p->tables), (size_t)(key - parent->columns));
    buf_printf(out, "child.c%zu = parent.k) AS unit_rows",
               t->unit_column); /* both have the same type */
}

/* Prints the normalised rows of a table, attached or staged. */
static void
print_relation(const struct import *m, size_t table, struct buf *out)
{
    if (m->policy->tables[table].attached) {
        buf_add_text(out, "(");
        view_select(&m->policy->tables[table], &m->sources[table], VIEW_ROWS,
                    out);
        buf_add_text(out, ")");
    } else {
        buf_printf(out, "(SELECT * FROM stage.source_%zu WHERE NOT bad)",
                   table);
    }
}

static custos_status
check_unique(struct import *m, size_t table, size_t key, const char *why,
             custos_err *err)
{
    const struct policy_table *t = &m->policy->tables[table];
    struct buf b;
    i128 doubled = 0;
    custos_status st;

    buf_init(&b, NULL, SQL_MOST);
    buf_printf(&b, "SELECT count(c%zu) - count(DISTINCT c%zu) FROM ", key, key);
    print_relation(m, table, &b);
    st = b.failed ? custos_fail(err, CUSTOS_ENOMEM, "out of memory")
                  : duck_ask_whole(m->c, buf_text(&b), &doubled, err);
    buf_clear(&b);
    if (!st && doubled != 0)
        st =
            custos_fail(err, CUSTOS_EPOLICY, "column '%.*s' of table '%.*s' %s",
                        SHOWN(t->columns[key].name), SHOWN(t->name), why);
    return st;
}

/* Makes p<table>_<key>, after the keys that its own path leads through. */
static custos_status
make_key(struct import *m, size_t table, size_t key, custos_err *err)
{
    const struct policy *p = m->policy;
    const struct policy_table *t = &p->tables[table], *parent;
    const struct policy_column *parent_key = NULL;
    struct buf b, rows;
    i128 there = 0;
    custos_status st = CUSTOS_OK;

    buf_init(&b, NULL, SQL_MOST);
    buf_printf(&b,
               "SELECT count(*) FROM duckdb_tables() WHERE table_name = "
               "'p%zu_%zu'",
               table, key);
    st = duck_ask_whole(m->c, buf_text(&b), &there, err);
    buf_clear(&b);
    if (st || there)
        return st;
    parent = policy_unit_parent(p, t, &parent_key);
    if (parent)
        st = make_key(m, (size_t)(parent - p->tables),
                      (size_t)(parent_key - parent->columns), err);
    if (!st)
        st = check_unique(m, table, key,
                          "leads to the unit, but some of its values occur "
                          "twice: a row would belong to two units",
                          err);
    if (st)
        return st;
    buf_init(&rows, NULL, SQL_MOST);
    print_relation(m, table, &rows);
    buf_init(&b, NULL, SQL_MOST);
    buf_printf(&b,
               "CREATE TABLE %sp%zu_%zu AS SELECT c%zu AS k, unit_value AS x "
               "FROM ",
               unit_path_schema(p, t, &t->columns[key]), table, key, key);
    unit_path_from(p, table, buf_text(&rows), &b);
    buf_printf(&b, " WHERE c%zu IS NOT NULL", key);
    b.failed |= rows.failed;
    buf_clear(&rows);
    return import_step(m, table, "finding the people", &b, err);
}

static bool
is_referenced(const struct policy *p, const struct policy_table *t,
              const struct policy_column *c)
{
    for (size_t i = 0; i < p->n_tables; i++)
        for (size_t k = 0; k < p->tables[i].n_columns; k++)
            if (str_equal(p->tables[i].columns[k].references_table, t->name) &&
                str_equal(p->tables[i].columns[k].references_column, c->name))
                return true;
    return false;
}

/*
 * Joins rely on this: through a referenced key, a row meets at most one row.
 * The keys of attached tables are not checked here, so no join relies on them.
 */
custos_status
import_references(struct import *m, custos_err *err)
{
    const struct policy *p = m->policy;
    custos_status st = CUSTOS_OK;

    for (size_t i = 0; i < p->n_tables && !st; i++)
        for (size_t k = 0; k < p->tables[i].n_columns && !st; k++)
            if (!p->tables[i].attached &&
                is_referenced(p, &p->tables[i], &p->tables[i].columns[k]))
                st = check_unique(m, i, k,
                                  "is referenced, but some of its values occur "
                                  "twice: a reference would be ambiguous",
                                  err);
    return st;
}

custos_status
import_unit_paths(struct import *m, custos_err *err)
{
    const struct policy *p = m->policy;
    custos_status st = CUSTOS_OK;
    struct buf b, rows;
    bool any = false;

    buf_init(&b, NULL, SQL_MOST);
    buf_add_text(&b, "CREATE TABLE people AS SELECT row_number() OVER () AS u, "
                     "x FROM (SELECT DISTINCT x FROM (");
    for (size_t i = 0; i < p->n_tables && !st; i++) {
        const struct policy_table *t = &p->tables[i], *parent;
        const struct policy_column *key = NULL;

        if (t->is_public || t->unit_is_row)
            continue;
        parent = policy_unit_parent(p, t, &key);
        if (parent)
            st = make_key(m, (size_t)(parent - p->tables),
                          (size_t)(key - parent->columns), err);
        if (st || t->attached)
            continue;
        buf_add_text(&b, any ? " UNION ALL " : "");
        any = true;
        if (parent) {
            buf_printf(&b, "SELECT x FROM %sp%zu_%zu",
                       unit_path_schema(p, parent, key),
                       (size_t)(parent - p->tables),
                       (size_t)(key - parent->columns));
            continue;
        }
        buf_init(&rows, NULL, SQL_MOST);
        print_relation(m, i, &rows);
        buf_add_text(&b, "SELECT unit_value AS x FROM ");
        unit_path_from(p, i, buf_text(&rows), &b);
        b.failed |= rows.failed;
        buf_clear(&rows);
    }
    buf_add_text(&b, ") WHERE x IS NOT NULL ORDER BY x)");
    if (!st && any)
        return import_step(m, 0, "finding the people", &b, err);
    buf_clear(&b);
    return st;
}
