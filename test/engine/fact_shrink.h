/*
 * Shrinks a query that shows a fault: replaces parts of its tree by their
 * arguments or by small leaves as long as the same fault remains.
 */
#ifndef TEST_ENGINE_FACT_SHRINK_H
#define TEST_ENGINE_FACT_SHRINK_H

#include "fact_run.h"

enum { SHRINK_SLOTS = 256, SHRINK_TRIES = 400 };

/* The properties by which two faults count as the same. */
struct fact_sign {
    enum fact_fault fault;
    int kind; /* of the node; -1: a part or key */
    enum call call;
    enum data_type type, cast_to;
};

static inline struct fact_sign
fact_sign_of(const struct fact_probe *p)
{
    struct fact_sign s = {.fault = p->fault, .kind = -1};

    if (!p->e)
        return s;
    s.kind = (int)p->e->kind;
    s.type = p->e->type;
    s.call = p->e->kind == EXPR_CALL ? p->e->call : CALL_AND;
    s.cast_to = p->e->kind == EXPR_CAST ? p->e->cast_to : TYPE_NULL;
    return s;
}

static inline bool
fact_sign_equal(struct fact_sign a, struct fact_sign b)
{
    return a.fault == b.fault && a.kind == b.kind && a.call == b.call &&
           a.type == b.type && a.cast_to == b.cast_to;
}

/* Plans and runs one query and assigns its faults. The caller clears *c. */
static inline bool
fact_try(const struct made *m, struct mechs *mechs, const char *sql,
         struct fact_case *c, struct fact_probes *p)
{
    p->n = 0;
    memset(p->stored, 0, sizeof p->stored);
    memset(p->literals, 0, sizeof p->literals);
    if (fact_plan(m, mechs, sql, c))
        return false;
    fact_walk(m, p, c, 0);
    fact_run_all(m, p);
    fact_blame(p);
    return true;
}

/* The probe that shows the fault, or NULL. */
static inline const struct fact_probe *
fact_find(const struct fact_probes *p, struct fact_sign sign)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->list[i].fault && !p->list[i].explained &&
            fact_sign_equal(fact_sign_of(&p->list[i]), sign))
            return &p->list[i];
    return NULL;
}

static inline bool
fact_shows(const struct made *m, struct mechs *mechs, const char *sql,
           struct fact_sign sign, struct fact_probes *p)
{
    struct fact_case c;
    bool shows = fact_try(m, mechs, sql, &c, p) && fact_find(p, sign) != NULL;

    fact_case_clear(&c);
    return shows;
}

/* ----------------------------------------------------------------- slots -- */

struct shrink {
    const struct made *m;
    struct mechs *mechs;
    struct fact_sign sign;
    struct fact_probes *probes;
    struct query *query;
    struct expr **slots[SHRINK_SLOTS];
    size_t n;
    unsigned tries;
    char *best;
};

static inline void
shrink_slots(struct shrink *s, struct expr **slot)
{
    struct expr *e = *slot;

    if (!e || s->n == SHRINK_SLOTS)
        return;
    if (e->kind != EXPR_AGGREGATE)
        s->slots[s->n++] = slot;
    for (size_t i = 0; i < e->n_args; i++)
        shrink_slots(s, &e->args[i]);
}

static inline void
shrink_query(struct shrink *s, struct query *q)
{
    for (size_t i = 0; i < q->n_targets; i++)
        shrink_slots(s, &q->targets[i].expr);
    shrink_slots(s, &q->where);
    if (q->from && q->from->kind == FROM_QUERY)
        shrink_query(s, q->from->query);
}

/* Whether the current tree is shorter and still shows the fault. */
static inline bool
shrink_keeps(struct shrink *s)
{
    struct buf b;
    bool keeps;

    buf_init(&b, NULL, FACT_TEXT_MAX);
    sql_print(s->query, &b);
    keeps = s->tries++ < SHRINK_TRIES && b.len < strlen(s->best) &&
            fact_shows(s->m, s->mechs, buf_text(&b), s->sign, s->probes);
    if (keeps) {
        free(s->best);
        s->best = strdup(buf_text(&b));
    }
    buf_clear(&b);
    return keeps;
}

static inline bool
shrink_slot(struct shrink *s, struct expr **slot)
{
    static struct expr leaves[] = {
        {.kind = EXPR_LITERAL, .value = {.type = TYPE_INT, .n = 1}},
        {.kind = EXPR_LITERAL, .value = {.type = TYPE_BOOL, .n = 1}},
        {.kind = EXPR_LITERAL, .value = {.type = TYPE_TEXT, .text = {"", 0}}},
        {.kind = EXPR_COLUMN, .name = {"i", 1}},
        {.kind = EXPR_COLUMN, .name = {"r", 1}},
        {.kind = EXPR_COLUMN, .name = {"s", 1}},
        {.kind = EXPR_COLUMN, .name = {"b", 1}},
        {.kind = EXPR_COLUMN, .name = {"day", 3}},
        {.kind = EXPR_COLUMN, .name = {"born", 4}},
        {.kind = EXPR_COLUMN, .name = {"money", 5}},
    };
    struct expr *e = *slot;

    for (size_t i = 0; i < e->n_args; i++) {
        if (!e->args[i])
            continue;
        *slot = e->args[i];
        if (shrink_keeps(s))
            return true;
    }
    for (size_t i = 0; e->n_args > 0 && i < COUNT_OF(leaves); i++) {
        *slot = &leaves[i];
        if (shrink_keeps(s))
            return true;
    }
    *slot = e;
    return false;
}

/*
 * On success replaces *text by the smallest query found; the caller frees it.
 */
static inline void
fact_shrink(const struct made *m, struct mechs *mechs, struct fact_sign sign,
            struct fact_probes *probes, char **text)
{
    struct shrink s = {
        .m = m, .mechs = mechs, .sign = sign, .probes = probes, .best = *text};
    arena *a = arena_new(NULL, (size_t)1 << 26);
    custos_err err = CUSTOS_ERR_INIT;
    bool changed = true;

    assert_non_null(a);
    if (sql_read(a, str_of(arena_copy(a, str_of(*text))), &s.query, &err))
        changed = false;
    while (changed && s.tries < SHRINK_TRIES) {
        changed = false;
        s.n = 0;
        shrink_query(&s, s.query);
        for (size_t i = 0; i < s.n && !changed; i++)
            changed = shrink_slot(&s, s.slots[i]);
    }
    *text = s.best;
    arena_free(a);
}

#endif
