/*
 * Answers: evaluates everything around the aggregates (HAVING, ORDER BY, LIMIT,
 * arithmetic) on the released values, group by group.
 *
 * THEOREM  after-noise
 *   A function of released values alone, deterministic or not, keeps their
 *   privacy: it costs nothing.
 * SOURCE   Dwork, Roth 2014, proposition 2.1
 * NEEDS    no exact value is reachable from here: struct released and the plan
 *          are all that these functions are given.
 * GIVES    every aggregate is released once, and SELECT, HAVING, ORDER BY and
 *          interval columns read that one value.
 * FAILS    CUSTOS_ENOMEM.
 * TESTED   one_release_is_read_everywhere
 */
#include "curator/answer.h"

#include <assert.h>
#include <stdlib.h>

#include "base/error.h"
#include "curator/aggregate.h"
#include "curator/quotient.h"
#include "evaluate/evaluate.h"
#include "mech/marginals.h"

enum { EXPLAIN_MAX = 1 << 20 };

static_assert(sizeof(struct answer_cell) <= ANSWER_CELL_BYTES,
              "plan/cost/answer_size.c would expect too little memory");

static custos_status
no_memory(custos_err *err)
{
    return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
}

/* -------------------------------------------------------------- shapes -- */

bool
released_take(arena *a, const struct stage *s, size_t cells,
              struct released *out)
{
    if (!out->values)
        out->values = arena_take(a, s->plan->n_parts + 1, sizeof *out->values);
    for (size_t i = 0; out->values && i < s->n_parts; i++) {
        i128 *values =
            arena_take(a, cells * part_width(&s->parts[i]) + 1, sizeof *values);

        if (!values)
            return false;
        out->values[s->first + i] = values;
    }
    return out->values != NULL;
}

custos_status
answer_new(size_t n_columns, struct answer **out, custos_err *err)
{
    /* room for the answer and for the message that may have brought it */
    arena *a = arena_new(NULL, 2 * ANSWER_BYTES);
    struct answer *answer = a ? arena_take(a, 1, sizeof *answer) : NULL;

    if (answer)
        answer->columns = arena_take(a, n_columns, sizeof *answer->columns);
    if (!answer || !answer->columns) {
        arena_free(a);
        return no_memory(err);
    }
    answer->arena = a;
    answer->n_columns = n_columns;
    *out = answer;
    return CUSTOS_OK;
}

void
answer_free(struct answer *a)
{
    if (a)
        arena_free(a->arena);
}

static bool
copy_text(arena *a, str from, str *to)
{
    char *text = arena_copy(a, from);

    *to = (str){text, from.len};
    return text != NULL;
}

/* A copy of a datum, with its text in the answer's arena. */
static bool
copy_datum(arena *a, const struct datum *from, struct datum *to)
{
    *to = *from;
    return from->type != TYPE_TEXT || copy_text(a, from->text, &to->text);
}

static bool
copy_amount(arena *a, amount x, enum amount_unit unit, str *to)
{
    char text[AMOUNT_TEXT_MAX];
    size_t len = amount_write(x, unit, text);

    return copy_text(a, (str){text, len}, to);
}

/* Adds the price and the remarks that go with every private answer. */
static bool
answer_label(struct answer *answer, const struct plan *p)
{
    struct buf remarks;
    bool good;

    buf_init(&remarks, NULL, EXPLAIN_MAX);
    for (size_t i = 0; i < p->n_remarks; i++)
        buf_printf(&remarks, "%s%s", i ? "\n" : "", p->remarks[i]);
    good =
        !remarks.failed &&
        copy_text(answer->arena, str_of(buf_text(&remarks)),
                  &answer->remarks) &&
        copy_amount(answer->arena, p->charge.epsilon, AMOUNT_LOSS,
                    &answer->epsilon) &&
        copy_amount(answer->arena, p->charge.rho, AMOUNT_LOSS, &answer->rho) &&
        copy_amount(answer->arena, p->charge.delta, AMOUNT_DELTA,
                    &answer->delta);
    buf_clear(&remarks);
    return good;
}

void
answer_remark(struct answer *answer, const char *sentence)
{
    struct buf remarks;
    str all;

    buf_init(&remarks, NULL, EXPLAIN_MAX);
    buf_add(&remarks, answer->remarks.ptr, answer->remarks.len);
    buf_printf(&remarks, "%s%s", answer->remarks.len ? "\n" : "", sentence);
    if (!remarks.failed &&
        copy_text(answer->arena, str_of(buf_text(&remarks)), &all))
        answer->remarks = all;
    buf_clear(&remarks);
}

custos_status
answer_for(const struct plan *p, struct answer **out, custos_err *err)
{
    struct answer *answer = NULL;
    custos_status st = answer_new(p->n_outputs, &answer, err);

    if (st)
        return st;
    for (size_t i = 0; i < p->n_outputs; i++) {
        struct answer_column *c = &answer->columns[i];

        c->type = p->outputs[i].type;
        c->is_key = p->outputs[i].is_key;
        c->array = p->outputs[i].array;
        if (!copy_text(answer->arena, p->outputs[i].name, &c->name) ||
            !copy_text(answer->arena, p->outputs[i].array.name,
                       &c->array.name)) {
            answer_free(answer);
            return no_memory(err);
        }
    }
    *out = answer;
    return CUSTOS_OK;
}

custos_status
answer_of_explain(const struct plan *p, const char *more, struct answer **out,
                  custos_err *err)
{
    struct answer *answer = NULL;
    struct buf text;
    size_t lines = 0;
    custos_status st = answer_new(1, &answer, err);

    if (st)
        return st;
    buf_init(&text, NULL, EXPLAIN_MAX);
    plan_explain(p, &text);
    buf_add_text(&text, more);
    answer->explained = true;
    answer->is_released = plan_is_released(p);
    if (!p->is_public && !answer_label(answer, p))
        st = no_memory(err);
    answer->columns[0] =
        (struct answer_column){.name = {"plan", 4}, .type = TYPE_TEXT};
    for (size_t i = 0; i < text.len; i++)
        lines += text.ptr[i] == '\n';
    answer->cells = arena_take(answer->arena, lines, sizeof *answer->cells);
    if (!answer->cells || text.failed)
        st = no_memory(err);
    for (const char *s = text.ptr; !st && answer->n_rows < lines;) {
        const char *end = memchr(s, '\n', text.len - (size_t)(s - text.ptr));
        struct datum line = {.type = TYPE_TEXT, .text = {s, (size_t)(end - s)}};

        if (!copy_datum(answer->arena, &line,
                        &answer->cells[answer->n_rows++].value))
            st = no_memory(err);
        s = end + 1;
    }
    buf_clear(&text);
    if (!st)
        *out = answer;
    else
        answer_free(answer);
    return st;
}

custos_status
answer_of_rows(const struct plan *p, const struct engine_rows *rows,
               struct answer **out, custos_err *err)
{
    struct answer *answer = NULL;
    custos_status st = answer_for(p, &answer, err);
    size_t cells = rows->n * rows->n_columns;

    if (st)
        return st;
    answer->is_public = true;
    answer->n_rows = rows->n;
    answer->cells = arena_take(answer->arena, cells + 1, sizeof *answer->cells);
    if (!answer->cells)
        st = no_memory(err);
    for (size_t i = 0; i < cells && !st; i++)
        if (!copy_datum(answer->arena, &rows->cells[i],
                        &answer->cells[i].value))
            st = no_memory(err);
    if (!st)
        *out = answer;
    else
        answer_free(answer);
    return st;
}

/* --------------------------------------------------------- after noise -- */

struct after {
    const struct plan *p;
    const struct released *r;
    const struct bars *bars;
    struct scope scope;
    size_t cell;
    size_t level; /* how many bars share the 5 % of this expression */
    const struct quotients *quotients; /* by output */
    const struct quotients *now;       /* those of this expression, or NULL */
};

/* The value of key k in a row of the tables; NULL in those that it is not in. */
static struct datum
table_key(const struct plan *p, size_t cell, size_t k)
{
    const struct marginals *m = p->marginals;
    size_t set = marginals_set_of(m, cell), index = p->space.keys[k].n;

    if (m->sets[set] >> k & 1)
        index = marginals_value(m, set, cell, k);
    if (index == p->space.keys[k].n)
        return (struct datum){.type = TYPE_NULL};
    return p->space.keys[k].values[index];
}

/* GROUPING(a, b, ...): a bit for each key, 1 if the row is not grouped by it. */
static struct datum
grouping_value(const struct after *w, const struct expr *e)
{
    const struct marginals *m = w->p->marginals;
    uint32_t set = m ? m->sets[marginals_set_of(m, w->cell)] : UINT32_MAX;
    i128 bits = 0;

    for (size_t i = 0; i < e->n_args; i++)
        bits = 2 * bits + !(set >> e->args[i]->slot & 1);
    return (struct datum){.type = TYPE_INT, .n = bits};
}

/* The value of key k in the current cell. */
static struct datum
key_value(const struct after *w, size_t k)
{
    size_t rest = w->cell, index = 0;

    if (w->p->marginals)
        return table_key(w->p, w->cell, k);
    if (w->r->keys)
        return w->r->keys[w->cell * w->p->space.n_keys + k];
    for (size_t i = w->p->space.n_keys; i-- > k;) {
        size_t n = w->p->space.keys[i].n + w->p->space.keys[i].null_group;

        index = rest % n;
        rest /= n;
    }
    if (index == w->p->space.keys[k].n)
        return (struct datum){.type = TYPE_NULL};
    return w->p->space.keys[k].values[index];
}

static bool
evaluate_at(struct after *w, const struct expr *e, struct value *out);

/* One end of a bar; for a date or timestamp it has the same type. */
static struct datum
bar_end(const struct value *v, bool high)
{
    enum data_type type = v->datum.type;
    const int64_t unit = type == TYPE_DATE ? 1 : DAY_US;
    double x = high ? v->high : v->low;

    if (type != TYPE_DATE && type != TYPE_TIMESTAMP)
        return datum_of_double(x);
    return (struct datum){
        .type = type,
        .n = bar_whole(x, high, DATE_FIRST * unit, (DATE_LAST + 1) * unit - 1)};
}

static bool
leaf_value(void *ctx, const struct expr *e, struct value *out)
{
    struct after *w = ctx;
    struct value v;

    switch (e->kind) {
    case EXPR_KEY:
        *out = (struct value){.datum = key_value(w, (size_t)e->slot)};
        return true;
    case EXPR_GROUPING:
        *out =
            (struct value){.datum = grouping_value(w, e), .certainty = CERTAIN};
        return true;
    case EXPR_AGGREGATE:
        return aggregate_value(w->p, w->r, w->bars, (size_t)e->slot, w->cell,
                               w->level, out);
    case EXPR_INTERVAL:
        if (!evaluate_at(w, w->p->outputs[e->slot].expr, &v))
            return false;
        *out = (struct value){.certainty = CERTAIN};
        if (v.certainty == BARRED)
            out->datum = bar_end(&v, e->high);
        return true;
    default: return false; /* UNREACHABLE: the planner makes no other leaves */
    }
}

static void
narrow_quotient(void *ctx, const struct expr *e, struct value *v)
{
    const struct after *w = ctx;

    for (size_t i = 0; w->now && i < w->now->n; i++)
        if (w->now->list[i].expr == e)
            quotient_narrow(&w->now->list[i], w->r, w->bars, w->cell, w->level,
                            v);
}

/* Evaluates a complete expression; its bar covers at 95 % for all aggregates
   together. */
static bool
evaluate_at(struct after *w, const struct expr *e, struct value *out)
{
    const struct after before = *w;
    bool good;

    w->now = NULL;
    w->level = plan_aggregates(w->p, e);
    for (size_t i = 0; i < w->p->n_outputs; i++)
        if (w->p->outputs[i].expr == e) {
            w->now = &w->quotients[i];
            w->level = w->now->level;
        }
    good = evaluate(&w->scope, e, out);
    w->now = before.now;
    w->level = before.level;
    return good;
}

/* False without memory. */
static bool
find_quotients(struct after *w, arena *a)
{
    const struct plan *p = w->p;
    struct quotients *all = arena_take(a, p->n_outputs + 1, sizeof *all);

    for (size_t i = 0; all && i < p->n_outputs; i++)
        if (!quotients_find(a, p, p->outputs[i].expr, &all[i]))
            return false;
    w->quotients = all;
    return all != NULL;
}

/* ---------------------------------------------------------------- rows -- */

struct row {
    size_t cell;
    struct value *order; /* the values of ORDER BY */
};

static int
row_cmp(const void *a, const void *b, void *ctx)
{
    const struct plan *p = ctx;
    const struct row *x = a, *y = b;

    for (size_t i = 0; i < p->n_order_by; i++) {
        const struct datum *s = &x->order[i].datum, *t = &y->order[i].datum;
        int order = datum_cmp(s, t); /* NULL last */

        if (s->type == TYPE_NULL || t->type == TYPE_NULL)
            order = p->order_by[i].nulls_first ? -order : order;
        else if (p->order_by[i].descending)
            order = -order;
        if (order)
            return order;
    }
    return (x->cell > y->cell) - (x->cell < y->cell);
}

/* The groups that pass HAVING, sorted by ORDER BY. */
static custos_status
choose_rows(struct after *w, struct row **out, size_t *n, custos_err *err)
{
    const struct plan *p = w->p;
    struct row *rows = arena_take(w->scope.a, w->r->cells + 1, sizeof *rows);
    struct value keep;

    *n = 0;
    if (!rows)
        return no_memory(err);
    for (w->cell = 0; w->cell < w->r->cells; w->cell++) {
        struct row *row = &rows[*n];

        if (p->having && !evaluate_at(w, p->having, &keep))
            return no_memory(err);
        if (p->having && (keep.datum.type == TYPE_NULL || !keep.datum.n))
            continue;
        row->cell = w->cell;
        row->order =
            arena_take(w->scope.a, p->n_order_by + 1, sizeof *row->order);
        if (!row->order)
            return no_memory(err);
        for (size_t i = 0; i < p->n_order_by; i++)
            if (!evaluate_at(w, p->order_by[i].expr, &row->order[i]))
                return no_memory(err);
        ++*n;
    }
    if (p->n_order_by)
        qsort_r(rows, *n, sizeof *rows, row_cmp, (void *)p);
    *out = rows;
    return CUSTOS_OK;
}

static bool
fill_cell(struct after *w, arena *a, size_t output, struct answer_cell *cell)
{
    struct value v;

    if (!evaluate_at(w, w->p->outputs[output].expr, &v) ||
        !copy_datum(a, &v.datum, &cell->value))
        return false;
    cell->has_bar = v.certainty == BARRED && v.datum.type != TYPE_NULL;
    if (cell->has_bar) {
        cell->low = bar_end(&v, false);
        cell->high = bar_end(&v, true);
    }
    return true;
}

static custos_status
fill_rows(struct after *w, const struct row *rows, size_t n,
          struct answer *answer, custos_err *err)
{
    const struct query *q = w->p->query;
    size_t from = q->offset < n ? (size_t)q->offset : n;
    size_t columns = answer->n_columns;

    n -= from;
    if (q->has_limit && q->limit < n)
        n = (size_t)q->limit;
    answer->n_rows = n;
    answer->cells =
        arena_take(answer->arena, n * columns + 1, sizeof *answer->cells);
    if (!answer->cells)
        return no_memory(err);
    for (size_t i = 0; i < n; i++) {
        w->cell = rows[from + i].cell;
        for (size_t j = 0; j < columns; j++)
            if (!fill_cell(w, answer->arena, j,
                           &answer->cells[i * columns + j]))
                return no_memory(err);
    }
    return CUSTOS_OK;
}

custos_status
answer_of_released(const struct plan *p, const struct released *r,
                   const struct receipt *receipt, struct answer **out,
                   custos_err *err)
{
    arena *a = arena_new(NULL, ANSWER_BYTES);
    struct after w = {.p = p, .r = r, .level = 1};
    struct bars bars = {0};
    struct answer *answer = NULL;
    struct row *rows = NULL;
    size_t n = 0;
    custos_status st = a ? CUSTOS_OK : no_memory(err);

    if (!st)
        st = bars_make(a, p, plan_levels(p), r->cells, &bars, err);
    if (!st)
        st = answer_for(p, &answer, err);
    if (st)
        goto out;
    w.bars = &bars;
    w.scope = (struct scope){
        .a = a, .leaf = leaf_value, .narrow = narrow_quotient, .ctx = &w};
    answer->receipt = *receipt;
    if (!find_quotients(&w, a) || !answer_label(answer, p))
        st = no_memory(err);
    if (!st)
        st = choose_rows(&w, &rows, &n, err);
    if (!st)
        st = fill_rows(&w, rows, n, answer, err);
    if (!st) {
        *out = answer;
        answer = NULL;
    }
out:
    answer_free(answer);
    arena_free(a);
    return st;
}
