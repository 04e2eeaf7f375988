/*
 * From a policy to the auditor's schema.
 */
#include "cli/audit_schema.h"

#include "base/base.h"
#include "cli/at_store.h"
#include "cli/cli.h"
#include "cli/policy.h"
#include "policy/policy.h"

enum { MAX_ROWS = 8192 };

static void
set_reference(const struct policy *p, const struct policy_column *c,
              struct schema_column *out)
{
    const struct policy_table *t;
    const struct policy_column *key;

    out->references_table = SCHEMA_NONE;
    if (!c->references_table.len)
        return;
    t = policy_table_find(p, c->references_table);
    CUSTOS_REQUIRE(t); /* policy_read has checked it */
    key = policy_column_find(t, c->references_column);
    CUSTOS_REQUIRE(key);
    out->references_table = (int)(t - p->tables);
    out->references_column = (int)(key - t->columns);
}

static bool
copy_columns(arena *a, const struct policy *p, const struct policy_table *t,
             struct schema_table *out)
{
    struct schema_column *columns =
        arena_take(a, t->n_columns + 1, sizeof *columns);

    for (size_t i = 0; columns && i < t->n_columns; i++) {
        const struct policy_column *c = &t->columns[i];

        columns[i] = (struct schema_column){
            .name = c->name,
            .type = c->type,
            .scale = c->scale,
            .nullable = c->nullable,
            .has_range = c->has_range,
            .lower = c->lower,
            .upper = c->upper,
            .values = c->values,
            .n_values = c->n_values,
            .text_max = c->text_max,
        };
        set_reference(p, c, &columns[i]);
    }
    out->columns = columns;
    out->n_columns = t->n_columns;
    return columns != NULL;
}

static bool
copy_tables(arena *a, const struct policy *p, struct schema *out)
{
    struct schema_table *tables =
        arena_take(a, p->n_tables + 1, sizeof *tables);
    bool done = tables != NULL;

    for (size_t i = 0; done && i < p->n_tables; i++) {
        const struct policy_table *t = &p->tables[i];

        tables[i] = (struct schema_table){
            .name = t->name,
            .is_public = t->is_public,
            .attached = t->attached,
            .unit_is_row = t->unit_is_row,
            .unit_column = t->unit_column,
            .rows_per_unit = t->rows_given ? t->rows_per_unit : 0,
            .groups_per_unit = t->groups_given ? t->groups_per_unit : 0,
            .rows_per_group = t->rows_per_group_given ? t->rows_per_group : 0,
            .max_rows = t->max_rows < MAX_ROWS ? t->max_rows : MAX_ROWS,
            .before_where = t->prefer_speed,
        };
        done = copy_columns(a, p, t, &tables[i]);
    }
    out->tables = tables;
    out->n_tables = p->n_tables;
    return done;
}

static bool
copy_views(arena *a, const struct policy *p, struct schema *out)
{
    struct schema_view *views = arena_take(a, p->n_views + 1, sizeof *views);

    for (size_t i = 0; views && i < p->n_views; i++)
        views[i] = (struct schema_view){p->views[i].name, p->views[i].sql};
    out->views = views;
    out->n_views = p->n_views;
    return views != NULL;
}

static bool
copy_policy(arena *a, const struct policy *p, struct schema *out)
{
    *out = (struct schema){
        .adjacency = p->adjacency,
        .budget_epsilon = p->budget.epsilon,
        .budget_delta = p->budget.delta,
        .people = p->has_people ? p->people : 0,
        .query_epsilon = p->default_epsilon,
        .max_epsilon = p->max_epsilon,
        .max_rho = p->max_rho,
        .query_delta = p->query_delta,
        .min_epsilon = p->min_epsilon,
        .min_rho = p->min_rho,
        .min_units = p->min_units,
        .max_groups = p->max_groups,
        .max_fanout = p->max_fanout,
        .max_unit_work = p->max_unit_work,
        .max_planning_steps = p->max_planning_steps,
    };
    return copy_tables(a, p, out) && copy_views(a, p, out);
}

static custos_status
read_store_policy(arena *a, const char *store, str *text, custos_err *err)
{
    struct store s;
    custos_status st = store_open(store, &s, err);

    if (st)
        return st;
    st = store_policy(&s, a, text, err);
    store_close(&s);
    return st;
}

int
audit_schema_read(arena *a, const char *store, const char *policy,
                  struct schema *out)
{
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st = CUSTOS_OK;
    struct policy *p = NULL;
    str text = {NULL, 0};
    int code = CLI_OK;

    if (policy)
        code = file_text(a, policy, &text);
    else
        st = read_store_policy(a, store_given(store), &text, &err);
    if (code)
        return code;
    if (!st)
        st = policy_read(a, text, policy ? policy : "policy", &p, &err);
    if (st)
        return fail_status(st, &err);
    return copy_policy(a, p, out) ? CLI_OK : fail_run("out of memory");
}
