/*
 * A query over public rows as a relation. It is a plan of its own, exact, which
 * the engine prints as a subquery in place of the relation.
 */
#include "plan/from/from_query.h"

static custos_status
plan_rows(struct work *w)
{
    custos_status st = work_bind(w);

    if (!st)
        st = work_where(w, CONTEXT_PUBLIC);
    return st ? st : public_make(w);
}

/* Takes over the outputs' names and types; their ranges are not known. */
static custos_status
take_columns(struct work *w, const struct plan *p, struct relation *r)
{
    struct policy_table *as = from_as(r);

    for (size_t i = 0; i < p->n_outputs; i++) {
        struct expr *e = p->outputs[i].expr;

        if (e->type == TYPE_NULL)
            return custos_fail_at(w->err, CUSTOS_EINVAL, e->at,
                                  "%.*s is NULL in every row" HINT
                                  "give it a type with CAST",
                                  SHOWN(p->outputs[i].name));
        as->columns[i] = (struct policy_column){
            .name = p->outputs[i].name,
            .type = e->type,
            .scale = e->type == TYPE_DECIMAL ? fact_of(e)->scale : 0,
            .nullable = true,
            .text_max = e->text_max,
        };
        r->columns[i].nodes = fact_of(e)->nodes;
        r->names[r->n_names++] =
            (struct relation_name){.name = p->outputs[i].name, .slot = i};
    }
    return CUSTOS_OK;
}

custos_status
query_public(struct work *w, struct query *q, struct relation *from,
             struct relation **out)
{
    struct plan *outer = w->plan, *inner = arena_take(w->a, 1, sizeof *inner);
    struct relation *r = NULL;
    custos_status st;

    if (!inner)
        return work_no_memory(w);
    inner->query = q;
    inner->policy = w->policy;
    inner->from = from;
    inner->table = from->as;
    inner->is_public = true;
    inner->space.cells = 1;
    inner->facts = outer->facts;
    inner->queries = outer->queries;
    inner->n_queries = outer->n_queries;
    w->plan = inner;
    st = plan_rows(w);
    outer->facts = inner->facts; /* one list, freed with the outer plan */
    inner->facts = NULL;
    outer->queries = inner->queries;
    outer->n_queries = inner->n_queries;
    w->plan = outer;
    if (!st)
        st = from_new(w, RELATION_PUBLIC, inner->n_outputs, &r);
    if (st)
        return st;
    from_as(r)->name = relation_shown(from);
    from_as(r)->is_public = true;
    r->plan = inner;
    *out = r;
    return take_columns(w, inner, r);
}
