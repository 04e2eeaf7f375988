/*
 * Views: queries that the owner has named. Here they are text; plan/from/views.c
 * parses them, also for `custos policy check`.
 */
#include "base/base.h"
#include "policy/read.h"

enum { VIEWS_MAX = 500 };

static const char *const keys[] = {"sql", "comment"};

static custos_status
read_view(const struct reading *r, const struct node *map,
          const struct policy *p, struct policy_view *v)
{
    const struct node *sql, *comment;
    custos_status st = node_is_map(r, map, "a view", keys, COUNT_OF(keys));

    if (st)
        return st;
    v->name = map->key;
    v->line = map->key_line;
    if (policy_table_find(p, v->name))
        return reading_fail(r, v->line,
                            "there is already a table '%.*s'" HINT
                            "give the view another name",
                            SHOWN(v->name));
    sql = node_find(map, "sql");
    if (!sql)
        return reading_fail(
            r, map->line, "view '%.*s' has no query" HINT "add sql: SELECT ...",
            SHOWN(v->name));
    st = node_text(r, sql, "sql", &v->sql);
    comment = node_find(map, "comment");
    if (!st && comment)
        st = node_text(r, comment, "comment", &v->comment);
    return st;
}

custos_status
read_views(const struct reading *r, const struct node *root, struct policy *p)
{
    const struct node *views = node_find(root, "views");
    custos_status st;

    if (!views)
        return CUSTOS_OK;
    st = node_is_names(r, views, "views");
    if (st)
        return st;
    if (views->n > VIEWS_MAX)
        return reading_fail(r, views->line, "more than %d views", VIEWS_MAX);
    p->views = arena_take(r->a, views->n + 1, sizeof *p->views);
    if (!p->views)
        return reading_no_memory(r);
    for (const struct node *n = views->first; n && !st; n = n->next)
        st = reading_go_on(r, read_view(r, n, p, &p->views[p->n_views++]));
    return st;
}
