/*
 * Walks the plan of a query: every node of every expression that the engine
 * will see becomes a probe, with the relation on whose rows it is evaluated.
 * The number that a part sums and the index of a key are probes too, in the
 * text that src/engine prints for them.
 */
#ifndef TEST_ENGINE_FACT_WALK_H
#define TEST_ENGINE_FACT_WALK_H

#include "engine/statement/relation.h"
#include "fact_compare.h"
#include "printed.h"
#include "sql/duckdb.h"

enum { FACT_PROBES_MAX = 4096, FACT_TEXT_MAX = 1 << 20 };

/* One query with everything that its probes refer to. */
struct fact_case {
    arena *a;
    struct query *query;
    struct plan *plan;
    custos_err err;
};

struct fact_probe {
    const struct expr *e; /* the node; NULL: a part's number, a key's index */
    size_t owner;         /* index of the case in the batch */
    size_t parent;        /* the probe of the node above; SIZE_MAX: none */
    bool limited;         /* least and most hold for the printed number */
    bool never_null;      /* claimed for a part or a key */
    i128 least, most;
    char *text;       /* as the engine reads it */
    const char *from; /* after FROM, without alias */
    struct fact_seen seen;
    enum fact_fault fault;
    bool explained; /* by the fault of a node below */
    char said[160]; /* FACT_ERROR: what the engine said */
};

struct fact_probes {
    struct fact_probe list[FACT_PROBES_MAX];
    size_t n;
    /*
     * What was probed before: columns of the plain table, and literals, by a
     * hash of their text and type.
     */
    bool stored[64];
    uint64_t literals[4096];
};

static inline custos_status
fact_plan(const struct made *m, struct mechs *mechs, const char *sql,
          struct fact_case *out)
{
    struct plan_options o = {.mechs = mechs};
    custos_status st;

    *out = (struct fact_case){.a = arena_new(NULL, (size_t)1 << 26),
                              .err = CUSTOS_ERR_INIT};
    assert_non_null(out->a);
    st = sql_read(out->a, str_of(sql), &out->query, &out->err);
    return st ? st
              : plan_make(out->a, out->query, m->policy, &o, &out->plan,
                          &out->err);
}

static inline void
fact_case_clear(struct fact_case *c)
{
    plan_free(c->plan);
    arena_free(c->a);
}

static inline char *
fact_keep(struct fact_case *c, struct buf *b)
{
    char *text = NULL;

    assert_false(b->failed);
    text = arena_copy(c->a, (str){buf_text(b), b->len});
    assert_non_null(text);
    buf_clear(b);
    return text;
}

/* ----------------------------------------------------------------- nodes -- */

static inline struct fact_probe *
fact_add(struct fact_probes *p, size_t owner, const char *from, size_t parent)
{
    struct fact_probe *probe;

    if (p->n == FACT_PROBES_MAX)
        fail_msg("more nodes than a batch has room for");
    probe = &p->list[p->n++];
    *probe =
        (struct fact_probe){.owner = owner, .parent = parent, .from = from};
    return probe;
}

/* Whether it is a column of the plain table that was probed before. */
static inline bool
fact_was_seen(struct fact_probes *p, const struct expr *e, const char *from)
{
    bool before;

    if (e->kind != EXPR_COLUMN || from[0] == '(' ||
        (size_t)e->slot >= COUNT_OF(p->stored))
        return false;
    before = p->stored[e->slot];
    p->stored[e->slot] = true;
    return before;
}

/* The same for a literal, whose fact depends only on its text and type. */
static inline bool
fact_literal_was_seen(struct fact_probes *p, const struct expr *e,
                      const char *text)
{
    uint64_t hash = 14695981039346656037u + (uint64_t)e->type;
    uint64_t *slot;

    if (e->kind != EXPR_LITERAL)
        return false;
    for (const char *c = text; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    slot = &p->literals[hash % COUNT_OF(p->literals)];
    if (*slot == hash)
        return true;
    *slot = hash;
    return false;
}

static inline void
fact_nodes(struct fact_probes *p, struct fact_case *c, size_t owner,
           const struct expr *e, const char *from, size_t parent)
{
    struct fact_probe *probe;
    struct buf b;
    size_t self;

    if (!e || !fact_of(e) || fact_was_seen(p, e, from))
        return;
    self = parent;
    if (e->kind != EXPR_AGGREGATE) {
        char *text;

        buf_init(&b, NULL, FACT_TEXT_MAX);
        duckdb_print_expr(e, "t", &b);
        text = fact_keep(c, &b);
        if (fact_literal_was_seen(p, e, text))
            return;
        self = p->n;
        probe = fact_add(p, owner, from, parent);
        probe->e = e;
        probe->text = text;
    }
    for (size_t i = 0; i < e->n_args; i++)
        fact_nodes(p, c, owner, e->args[i], from, self);
}

/* ------------------------------------------------------------- relations -- */

static inline const char *
fact_from(const struct made *m, struct fact_case *c, const struct relation *r)
{
    struct buf b;

    buf_init(&b, NULL, FACT_TEXT_MAX);
    print_relation(m->engine, r, &b);
    return fact_keep(c, &b);
}

/* All pairs of rows of a join, on which its condition is evaluated. */
static inline const char *
fact_pairs(const struct made *m, struct fact_case *c, const struct relation *r)
{
    struct buf b;
    size_t left = r->left->as->n_columns;

    buf_init(&b, NULL, FACT_TEXT_MAX);
    buf_add_text(&b, "(SELECT x.*");
    for (size_t i = 0; i < r->right->as->n_columns; i++)
        if (relation_carries(r->right, i))
            buf_printf(&b, ", y.column_%zu AS column_%zu", i, left + i);
    buf_printf(&b, " FROM %s AS x, ", fact_from(m, c, r->left));
    buf_printf(&b, "%s AS y)", fact_from(m, c, r->right));
    return fact_keep(c, &b);
}

static inline void
fact_relation(const struct made *m, struct fact_probes *p, struct fact_case *c,
              size_t owner, const struct relation *r)
{
    if (!r || r->kind == RELATION_TABLE || r->kind == RELATION_PUBLIC)
        return;
    if (r->on)
        fact_nodes(p, c, owner, r->on,
                   r->kind == RELATION_JOIN ? fact_pairs(m, c, r)
                                            : fact_from(m, c, r->left),
                   SIZE_MAX);
    for (size_t i = 0; i < r->n_exprs; i++)
        if (r->kind != RELATION_EXTEND ||
            relation_carries(r, r->left->as->n_columns + i))
            fact_nodes(p, c, owner, r->exprs[i], fact_from(m, c, r->left),
                       SIZE_MAX);
    fact_relation(m, p, c, owner, r->left);
    fact_relation(m, p, c, owner, r->right);
    for (size_t i = 0; i < r->n_branches; i++)
        fact_relation(m, p, c, owner, r->branches[i]);
}

/*
 * The number that the engine sums for a part: whole, within the part's limits.
 */
static inline void
fact_part(struct fact_probes *p, struct fact_case *c, size_t owner,
          const struct part *part, const char *from)
{
    struct fact_probe *probe = fact_add(p, owner, from, SIZE_MAX);
    struct buf b;

    buf_init(&b, NULL, FACT_TEXT_MAX);
    print_value(c->plan, part, &b);
    probe->text = fact_keep(c, &b);
    probe->limited = part->kind == PART_SUM || part->kind == PART_SQUARES;
    probe->never_null = fact_of(part->of) && !fact_of(part->of)->nullable &&
                        fact_of(part->of)->known == KNOWN_DECLARED;
    probe->least = part->lower;
    probe->most = part->upper;
}

static inline void
fact_key(struct fact_probes *p, struct fact_case *c, size_t owner, size_t k,
         const char *from)
{
    const struct key *key = &c->plan->space.keys[k];
    struct fact_probe *probe = fact_add(p, owner, from, SIZE_MAX);
    struct buf b;

    buf_init(&b, NULL, FACT_TEXT_MAX);
    print_key(c->plan, k, &b);
    probe->text = fact_keep(c, &b);
    probe->limited = key->kind != KEY_PRIVATE;
    probe->never_null =
        probe->limited && fact_of(key->expr) && !fact_of(key->expr)->nullable;
    probe->least = 0;
    probe->most = (i128)key->n - 1;
}

static inline void
fact_walk(const struct made *m, struct fact_probes *p, struct fact_case *c,
          size_t owner)
{
    const struct plan *plan = c->plan;
    const char *from;
    struct buf b;

    buf_init(&b, NULL, FACT_TEXT_MAX);
    print_of_plan(m->engine, plan, &b);
    from = fact_keep(c, &b);
    fact_nodes(p, c, owner, plan->where, from, SIZE_MAX);
    for (size_t i = 0; i < plan->space.n_keys; i++) {
        fact_nodes(p, c, owner, plan->space.keys[i].expr, from, SIZE_MAX);
        fact_key(p, c, owner, i, from);
    }
    for (size_t i = 0; i < plan->n_parts; i++)
        if (plan->parts[i].of) {
            fact_nodes(p, c, owner, plan->parts[i].of, from, SIZE_MAX);
            if (plan->parts[i].kind != PART_QUANTILES)
                fact_part(p, c, owner, &plan->parts[i], from);
        }
    if (plan->from)
        fact_relation(m, p, c, owner, plan->from);
}

#endif
