/*
 * The plan of a query over the view has the view's outputs by name. The
 * relation below the view may have more columns; an analyst to whom the view is
 * granted must not learn that they exist.
 */
#include "curator/shape.h"

#include "plan/plan.h"
#include "plan/from/relation.h"
#include "sql/print.h"
#include "sql/tree.h"

enum { PLAN_BYTES = 1 << 28, SQL_BYTES = 1 << 12 };

static void
take_outputs(const struct policy *p, const struct relation *r,
             void (*take)(void *ctx, const struct policy_column *c, bool unit),
             void *ctx)
{
    for (size_t i = 0; i < r->n_names; i++) {
        size_t slot = r->names[i].slot;
        struct policy_column c = r->as->columns[slot];

        c.name = r->names[i].name;
        take(ctx, &c, !r->as->is_public && relation_is_unit(r, slot, p));
    }
}

void
shape_of_view(const struct policy *p, const struct policy_analyst *who,
              const struct policy_view *v,
              void (*take)(void *ctx, const struct policy_column *c, bool unit),
              void *ctx)
{
    struct plan_options options = {.who = who};
    arena *a = arena_new(NULL, PLAN_BYTES);
    struct plan *made = NULL;
    struct query *q;
    struct buf sql;
    custos_err quiet = CUSTOS_ERR_INIT;

    buf_init(&sql, NULL, SQL_BYTES);
    buf_add_text(&sql, "SELECT count(*) FROM ");
    print_name(v->name, &sql);
    if (a && !sql.failed && !sql_read(a, str_of(buf_text(&sql)), &q, &quiet) &&
        !plan_make(a, q, p, &options, &made, &quiet) && made->from)
        take_outputs(p, made->from, take, ctx);
    plan_free(made);
    buf_clear(&sql);
    arena_free(a);
}
