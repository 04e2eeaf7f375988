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
#include "engine/import/import.h"
#include "engine/refail.h"

enum { KEY_NAME_MAX = 64 };

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

/* The name of p<i>_<j>: the units of the values of a key of t. */
static void
key_name(const struct policy *p, const struct policy_table *t,
         const struct policy_column *key, char out[KEY_NAME_MAX])
{
    snprintf(out, KEY_NAME_MAX, "%sp%zu_%zu", unit_path_schema(p, t, key),
             (size_t)(t - p->tables), (size_t)(key - t->columns));
}

const struct term *
unit_path_text(struct builder *b)
{
    return term_cast(b, term_name(b, "unit_rows", "unit_value"), STORED(TEXT));
}

const struct input *
unit_path_from(struct builder *b, const struct policy *p, size_t table,
               const struct input *rows)
{
    const struct policy_table *t = &p->tables[table], *parent;
    const struct policy_column *own = &t->columns[t->unit_column], *key = NULL;
    const struct term *unit;
    char name[KEY_NAME_MAX];
    struct input *join;
    struct select *s;

    parent = policy_unit_parent(p, t, &key);
    if (!parent) {
        unit = term_name(b, NULL, "c%zu", t->unit_column);
        s = select_new(b, rows);
        s->all = true;
        /* All units have one type (policy_read), and so has unit_value. */
        select_add(b, s,
                   own->type == TYPE_INT ? unit
                                         : term_cast(b, unit, STORED(TEXT)),
                   "unit_value");
        select_where(b, s, term_present(b, unit));
        return input_as(b, input_select(b, s), "unit_rows");
    }
    key_name(p, parent, key, name);
    join = input_join(b, input_as(b, rows, "child"),
                      input_as(b, input_named(b, "%s", name), "parent"));
    terms_add(b, &join->on, /* both have the same type */
              term_binary(b, term_name(b, "child", "c%zu", t->unit_column),
                          TERM_EQUAL, term_name(b, "parent", "k")));
    s = select_new(b, join);
    s->all = true;
    s->all_of = "child";
    select_add(b, s, term_name(b, "parent", "x"), "unit_value");
    return input_as(b, input_select(b, s), "unit_rows");
}

static custos_status
check_unique(struct import *m, size_t table, size_t key, const char *why,
             custos_err *err)
{
    const struct policy_table *t = &m->policy->tables[table];
    const struct term *value;
    struct builder b;
    struct select *s;
    i128 doubled = 0;
    custos_status st;

    builder_init(&b, NULL);
    value = term_name(&b, NULL, "c%zu", key);
    s = select_new(&b, import_rows(&b, m, table));
    select_add_bare(
        &b, s,
        term_binary(&b, term_aggregate(&b, TERM_COUNT, value), TERM_MINUS,
                    term_aggregate(&b, TERM_COUNT_DISTINCT, value)));
    st = import_ask_whole(m, &b, s, &doubled, err);
    builder_clear(&b);
    if (!st && doubled != 0)
        st =
            custos_fail(err, CUSTOS_EPOLICY, "column '%.*s' of table '%.*s' %s",
                        SHOWN(t->columns[key].name), SHOWN(t->name), why);
    return st;
}

/* Does p<table>_<key> exist? */
static custos_status
key_exists(struct import *m, size_t table, size_t key, bool *out,
           custos_err *err)
{
    char name[KEY_NAME_MAX];

    snprintf(name, sizeof name, "p%zu_%zu", table, key);
    return import_has_table(m, name, out, err);
}

/* Makes p<table>_<key>, after the keys that its own path leads through. */
static custos_status
make_key(struct import *m, size_t table, size_t key, custos_err *err)
{
    const struct policy *p = m->policy;
    const struct policy_table *t = &p->tables[table], *parent;
    const struct policy_column *parent_key = NULL;
    const struct term *value;
    char name[KEY_NAME_MAX];
    struct builder b;
    struct select *s;
    bool there = false;
    custos_status st = key_exists(m, table, key, &there, err);

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
    builder_init(&b, NULL);
    value = term_name(&b, NULL, "c%zu", key);
    s = select_new(&b, unit_path_from(&b, p, table, import_rows(&b, m, table)));
    select_add(&b, s, value, "k");
    select_add(&b, s, term_name(&b, NULL, "unit_value"), "x");
    select_where(&b, s, term_present(&b, value));
    key_name(p, t, &t->columns[key], name);
    st = import_make(m, table, "finding the people", &b, name, s, err);
    builder_clear(&b);
    return st;
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

/* The units of table i: those of its parent's keys, or of its own rows. */
static struct select *
units_of(struct builder *b, struct import *m, size_t i)
{
    const struct policy *p = m->policy;
    const struct policy_table *t = &p->tables[i], *parent;
    const struct policy_column *key = NULL;
    char name[KEY_NAME_MAX];
    struct select *s;

    parent = policy_unit_parent(p, t, &key);
    if (parent) {
        key_name(p, parent, key, name);
        s = select_new(b, input_named(b, "%s", name));
        select_add_bare(b, s, term_name(b, NULL, "x"));
        return s;
    }
    s = select_new(b, unit_path_from(b, p, i, import_rows(b, m, i)));
    select_add(b, s, term_name(b, NULL, "unit_value"), "x");
    return s;
}

/* Makes `people` from the units of all tables. */
static custos_status
make_people(struct import *m, struct builder *b, const struct select *units,
            custos_err *err)
{
    const struct term *x = term_name(b, NULL, "x");
    struct select *distinct = select_new(b, input_select(b, units)), *s;
    struct window every = {.partition = {.n = 0}};

    distinct->distinct = true;
    select_add_bare(b, distinct, x);
    select_where(b, distinct, term_present(b, x));
    select_order(b, distinct, &(struct sort){.term = x});
    s = select_new(b, input_select(b, distinct));
    select_add(b, s, term_window(b, TERM_ROW_NUMBER, NULL, &every), "u");
    select_add_bare(b, s, x);
    return import_make(m, 0, "finding the people", b, "people", s, err);
}

custos_status
import_unit_paths(struct import *m, custos_err *err)
{
    const struct policy *p = m->policy;
    struct select *first = NULL, *last = NULL;
    custos_status st = CUSTOS_OK;
    struct builder b;

    builder_init(&b, NULL);
    for (size_t i = 0; i < p->n_tables && !st; i++) {
        const struct policy_table *t = &p->tables[i], *parent;
        const struct policy_column *key = NULL;
        struct select *s;

        if (t->is_public || t->unit_is_row)
            continue;
        parent = policy_unit_parent(p, t, &key);
        if (parent)
            st = make_key(m, (size_t)(parent - p->tables),
                          (size_t)(key - parent->columns), err);
        if (st || t->attached)
            continue;
        s = units_of(&b, m, i);
        if (last)
            last->and_all = s;
        else
            first = s;
        last = s;
    }
    if (!st && first)
        st = make_people(m, &b, first, err);
    builder_clear(&b);
    return st;
}
