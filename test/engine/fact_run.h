/*
 * Runs probes, as many as fit in one statement, because a statement takes the
 * engine longer than a node. A statement that fails is halved until each
 * failing node is alone.
 *
 * Every node is a separate column, so that it is computed for every row
 * whatever guards it in the query: the optimizer moves expressions out of a
 * CASE, and it answers IS NULL of a node from statistics.
 */
#ifndef TEST_ENGINE_FACT_RUN_H
#define TEST_ENGINE_FACT_RUN_H

#include "fact_walk.h"
#include "sql/total_statement.h"

enum { FACT_AT_ONCE = 64 };

static inline enum fact_fault
fact_limits_fault(const struct fact_probe *p)
{
    if (p->never_null && p->seen.null)
        return FACT_NULL;
    if (!p->limited || !p->seen.any)
        return FACT_HOLDS;
    return p->seen.least < p->least ? FACT_BELOW
           : p->seen.most > p->most ? FACT_ABOVE
                                    : FACT_HOLDS;
}

/* Runs n probes with the same FROM in one statement. False if it failed. */
static inline bool
fact_statement(const struct made *m, struct fact_probe **list, size_t n,
               custos_err *err)
{
    struct column columns[FACT_AT_ONCE];
    struct result *rows = NULL;
    struct buf b;
    size_t count = 0;
    custos_status st;

    buf_init(&b, NULL, (size_t)1 << 26);
    buf_add_text(&b, "SELECT ");
    for (size_t i = 0; i < n; i++) {
        buf_printf(&b, "%s%s AS n%zu", i ? ", " : "", list[i]->text, i);
        list[i]->seen = (struct fact_seen){.any = false};
    }
    buf_printf(&b, " FROM %s AS t", list[0]->from);
    assert_false(b.failed);
    assert_true(total_is_statement(buf_text(&b), b.len));
    st = duck_ask(duck_of(m->engine)->connections[0], buf_text(&b), &rows, err);
    while (!st && !(st = result_next(rows, &count, columns, err)) && count > 0)
        for (size_t i = 0; i < n; i++)
            fact_see(&list[i]->seen, &columns[i], count);
    result_free(rows);
    buf_clear(&b);
    return st == CUSTOS_OK;
}

static inline void
fact_run(const struct made *m, struct fact_probe **list, size_t n)
{
    custos_err err = CUSTOS_ERR_INIT;

    if (n == 0)
        return;
    if (fact_statement(m, list, n, &err)) {
        for (size_t i = 0; i < n; i++)
            list[i]->fault = list[i]->e
                                 ? fact_compare(list[i]->e, &list[i]->seen)
                                 : fact_limits_fault(list[i]);
    } else if (n == 1) {
        list[0]->fault = FACT_ERROR;
        snprintf(list[0]->said, sizeof list[0]->said, "%.159s", err.noted);
    } else {
        fact_run(m, list, n / 2);
        fact_run(m, list + n / 2, n - n / 2);
    }
}

/* Runs all probes, consecutive ones with the same FROM together. */
static inline void
fact_run_all(const struct made *m, struct fact_probes *p)
{
    struct fact_probe *list[FACT_AT_ONCE];
    size_t n = 0;

    for (size_t i = 0; i < p->n; i++) {
        if (n == FACT_AT_ONCE ||
            (n > 0 && strcmp(list[0]->from, p->list[i].from) != 0)) {
            fact_run(m, list, n);
            n = 0;
        }
        list[n++] = &p->list[i];
    }
    fact_run(m, list, n);
}

/*
 * Decides which faults to report. A node above a wrong one is wrong as a
 * consequence, and so may be a part, a key or a computed column of the same
 * query. The engine error of a node is explained only by another engine error:
 * a wrong range must not lead to one. An explained fault explains no other, so
 * that two faults cannot excuse each other.
 */
static inline void
fact_blame(struct fact_probes *p)
{
    for (size_t i = 0; i < p->n; i++)
        for (size_t up = p->list[i].parent; p->list[i].fault && up != SIZE_MAX;
             up = p->list[up].parent)
            p->list[up].explained |= p->list[up].fault != FACT_ERROR ||
                                     p->list[i].fault == FACT_ERROR;
    for (size_t i = 0; i < p->n; i++) {
        struct fact_probe *x = &p->list[i];
        bool computed = x->e && x->e->kind == EXPR_COLUMN;

        if (!x->fault || (x->e && !computed))
            continue;
        for (size_t k = 0; k < p->n; k++)
            if (k != i && p->list[k].owner == x->owner && p->list[k].fault &&
                !p->list[k].explained && p->list[k].e &&
                p->list[k].e->kind != EXPR_COLUMN)
                x->explained = true;
    }
}

#endif
