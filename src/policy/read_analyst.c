/*
 * Analysts: their own budgets and windows within the common budget, and what
 * they may use. Without `tables` an analyst may use every table; an empty list
 * grants none.
 */
#include "base/base.h"
#include "policy/read.h"

enum { DAYS_MAX = 36500 };

static const char *const keys[] = {"budget", "window", "tables"};
static const char *const budget_keys[] = {"epsilon", "delta"};
static const char *const window_keys[] = {"epsilon", "delta", "days"};

static custos_status
read_window(const struct reading *r, const struct node *map,
            const struct policy *p, struct policy_analyst *who)
{
    const struct node *days;
    uint64_t n = 0;
    custos_status st =
        node_is_map(r, map, "window", window_keys, COUNT_OF(window_keys));

    if (!st)
        st = read_amounts(r, map, "window",
                          who->has_budget ? who->budget.delta : p->budget.delta,
                          &who->window);
    days = st ? NULL : node_find(map, "days");
    if (!st && !days)
        return reading_fail(r, map->line,
                            "the window has no length" HINT
                            "add its days, such as days: 1");
    if (!st)
        st = node_count(r, days, "days", 1, DAYS_MAX, &n);
    who->window_days = (uint32_t)n;
    who->has_window = true;
    return st;
}

static custos_status
fail_table(const struct reading *r, const struct node *at, str name)
{
    return reading_fail(
        r, at->line, "there is no table or view '%.*s' to grant", SHOWN(name));
}

/* Reads the columns of a grant: a list of names, or the word all. */
static custos_status
read_grant_columns(const struct reading *r, const struct node *n,
                   const struct policy_table *t, struct policy_grant *g)
{
    if (n->kind == NODE_TEXT && str_equal(n->text, str_of("all"))) {
        for (size_t i = 0; i < t->n_columns; i++)
            g->columns[i] = true;
        return CUSTOS_OK;
    }
    if (n->kind != NODE_LIST || n->n == 0)
        return reading_fail(r, n->line,
                            "a grant of '%.*s' must be a list of columns, or "
                            "all",
                            SHOWN(t->name));
    for (const struct node *c = n->first; c; c = c->next) {
        const struct policy_column *column =
            c->kind == NODE_TEXT ? policy_column_find(t, c->text) : NULL;

        if (!column)
            return reading_fail(r, c->line,
                                "there is no column '%.*s' in table '%.*s' to "
                                "grant",
                                SHOWN(c->text), SHOWN(t->name));
        if (g->columns[column - t->columns])
            return reading_fail(r, c->line, "column '%.*s' is granted twice",
                                SHOWN(c->text));
        g->columns[column - t->columns] = true;
    }
    return CUSTOS_OK;
}

static custos_status
add_grant(const struct reading *r, const struct policy *p,
          const struct policy_table *t, const struct node *at,
          struct policy_analyst *who)
{
    struct policy_grant *g = &who->grants[who->n_grants];

    g->table = (size_t)(t - p->tables);
    for (size_t i = 0; i < who->n_grants; i++)
        if (who->grants[i].table == g->table)
            return reading_fail(r, at->line, "table '%.*s' is granted twice",
                                SHOWN(t->name));
    g->columns = arena_take(r->a, t->n_columns, sizeof *g->columns);
    if (!g->columns)
        return reading_no_memory(r);
    who->n_grants++;
    return CUSTOS_OK;
}

/* Grants a view as a whole: the owner has chosen its outputs. */
static custos_status
grant_view(const struct reading *r, const struct policy *p,
           const struct policy_view *v, const struct node *columns, int line,
           struct policy_analyst *who)
{
    if (columns->kind != NODE_TEXT || !str_equal(columns->text, str_of("all")))
        return reading_fail(r, line,
                            "view '%.*s' can only be granted as a whole" HINT
                            "write all",
                            SHOWN(v->name));
    if (who->views[v - p->views])
        return reading_fail(r, line, "view '%.*s' is granted twice",
                            SHOWN(v->name));
    who->views[v - p->views] = true;
    return CUSTOS_OK;
}

static custos_status
grant_table(const struct reading *r, const struct policy *p,
            const struct policy_table *t, const struct node *columns,
            const struct node *at, struct policy_analyst *who)
{
    custos_status st = add_grant(r, p, t, at, who);

    return st ? st
              : read_grant_columns(r, columns, t,
                                   &who->grants[who->n_grants - 1]);
}

/* {visits: [cost], cities: all}, or [visits, cities] for all their columns. */
static custos_status
read_grants(const struct reading *r, const struct node *tables,
            const struct policy *p, struct policy_analyst *who)
{
    static const struct node all = {.text = {"all", 3}};
    bool map = tables->kind == NODE_MAP;
    custos_status st = CUSTOS_OK;

    if (tables->kind == NODE_TEXT)
        return reading_fail(r, tables->line,
                            "tables must be a list of tables, or a map of "
                            "tables to columns");
    who->grants = arena_take(r->a, tables->n + 1, sizeof *who->grants);
    who->views = arena_take(r->a, p->n_views + 1, sizeof *who->views);
    if (!who->grants || !who->views)
        return reading_no_memory(r);
    for (const struct node *n = tables->first; n && !st; n = n->next) {
        bool named = map || n->kind == NODE_TEXT;
        str name = map ? n->key : n->text;
        const struct policy_table *t =
            named ? policy_table_find(p, name) : NULL;
        const struct policy_view *v = named ? policy_view_find(p, name) : NULL;

        if (t)
            st = grant_table(r, p, t, map ? n : &all, n, who);
        else if (v)
            st = grant_view(r, p, v, map ? n : &all, n->line, who);
        else
            st = fail_table(r, n, name);
    }
    return st;
}

static custos_status
read_analyst(const struct reading *r, const struct node *map,
             const struct policy *p, struct policy_analyst *who)
{
    const struct node *n;
    custos_status st;

    who->name = map->key;
    who->line = map->key_line;
    if (str_equal(who->name, str_of("owner"))) /* whom the ledger calls so */
        return reading_fail(r, who->line,
                            "an analyst cannot be called owner" HINT
                            "choose another name");
    st = node_is_map(r, map, "an analyst", keys, COUNT_OF(keys));
    if (st)
        return st;
    n = node_find(map, "budget");
    if (n) {
        st = node_is_map(r, n, "an analyst's budget", budget_keys,
                         COUNT_OF(budget_keys));
        if (!st)
            st = read_amounts(r, n, "an analyst's budget", str_of("0"),
                              &who->budget);
        who->has_budget = true;
    }
    n = node_find(map, "window");
    if (!st && n)
        st = read_window(r, n, p, who);
    n = node_find(map, "tables");
    if (!st && n)
        st = read_grants(r, n, p, who);
    return st;
}

custos_status
read_analysts(const struct reading *r, const struct node *root,
              struct policy *p)
{
    const struct node *analysts = node_find(root, "analysts");
    custos_status st;

    if (!analysts)
        return CUSTOS_OK;
    st = node_is_names(r, analysts, "analysts");
    if (st)
        return st;
    p->analysts = arena_take(r->a, analysts->n + 1, sizeof *p->analysts);
    if (!p->analysts)
        return reading_no_memory(r);
    for (const struct node *n = analysts->first; n && !st; n = n->next)
        st = reading_go_on(
            r, read_analyst(r, n, p, &p->analysts[p->n_analysts++]));
    return st;
}
