/*
 * Looks up parts of a policy by exact name, and what an analyst may use.
 */
#include "base/base.h"
#include "policy/policy.h"

const struct policy_source *
policy_source_find(const struct policy *p, str name)
{
    for (size_t i = 0; i < p->n_sources; i++)
        if (str_equal(p->sources[i].name, name))
            return &p->sources[i];
    return NULL;
}

const struct policy_table *
policy_table_find(const struct policy *p, str name)
{
    for (size_t i = 0; i < p->n_tables; i++)
        if (str_equal(p->tables[i].name, name))
            return &p->tables[i];
    return NULL;
}

const struct policy_column *
policy_column_find(const struct policy_table *t, str name)
{
    for (size_t i = 0; i < t->n_columns; i++)
        if (str_equal(t->columns[i].name, name))
            return &t->columns[i];
    return NULL;
}

const struct policy_view *
policy_view_find(const struct policy *p, str name)
{
    for (size_t i = 0; i < p->n_views; i++)
        if (str_equal(p->views[i].name, name))
            return &p->views[i];
    return NULL;
}

const struct policy_analyst *
policy_analyst_find(const struct policy *p, str name)
{
    for (size_t i = 0; i < p->n_analysts; i++)
        if (str_equal(p->analysts[i].name, name))
            return &p->analysts[i];
    return NULL;
}

const struct policy_table *
policy_unit_parent(const struct policy *p, const struct policy_table *t,
                   const struct policy_column **key)
{
    const struct policy_table *to;
    const struct policy_column *c;

    if (t->is_public || t->unit_is_row)
        return NULL;
    c = &t->columns[t->unit_column];
    if (c->references_table.len == 0)
        return NULL;
    to = policy_table_find(p, c->references_table);
    CUSTOS_REQUIRE(to);
    *key = policy_column_find(to, c->references_column);
    CUSTOS_REQUIRE(*key);
    return to;
}

bool
policy_is_key(const struct policy *p, const struct policy_table *t,
              const struct policy_column *c)
{
    for (size_t i = 0; i < p->n_tables; i++)
        for (size_t k = 0; k < p->tables[i].n_columns; k++) {
            const struct policy_column *by = &p->tables[i].columns[k];

            if (str_equal(by->references_table, t->name) &&
                str_equal(by->references_column, c->name))
                return true;
        }
    return false;
}

/* Without rows_per_unit, a unit has one row of t if t's unit column is a key,
   and every reference on the way from there to the unit points to the unit
   column of another table. */
bool
policy_rows_known(const struct policy *p, const struct policy_table *t)
{
    const struct policy_column *key = NULL;

    if (t->rows_given || t->unit_is_row || t->is_public)
        return true;
    if (!policy_is_key(p, t, &t->columns[t->unit_column]))
        return false;
    for (t = policy_unit_parent(p, t, &key); t;
         t = policy_unit_parent(p, t, &key))
        if (t->unit_is_row || key != &t->columns[t->unit_column])
            return false;
    return true;
}

static const struct policy_grant *
grant_of(const struct policy *p, const struct policy_analyst *who,
         const struct policy_table *t)
{
    for (size_t i = 0; i < who->n_grants; i++)
        if (&p->tables[who->grants[i].table] == t)
            return &who->grants[i];
    return NULL;
}

bool
policy_grants(const struct policy *p, const struct policy_analyst *who,
              const struct policy_table *t, const struct policy_column *c)
{
    const struct policy_grant *g;

    if (!who || !who->grants)
        return true;
    g = grant_of(p, who, t);
    return g && g->columns[c - t->columns];
}

bool
policy_grants_table(const struct policy *p, const struct policy_analyst *who,
                    const struct policy_table *t)
{
    return !who || !who->grants || grant_of(p, who, t);
}

bool
policy_grants_view(const struct policy *p, const struct policy_analyst *who,
                   const struct policy_view *v)
{
    return !who || !who->grants || who->views[v - p->views];
}
