/*
 * The rows of an answer: outputs, HAVING, ORDER BY and LIMIT, on the aggregates of
 * each group.
 *
 * synth/released.h and curator/answer.h both name a struct released, so this file
 * makes its answers without the latter.
 */
#include "synopsis/answer.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "synopsis/aggregate.h"
#include "synopsis/fine.h"

#define BETA 0.05

enum { REMARKS_MAX = 4096 };

/* The most bytes of the rows of an answer. */
#define REPLY_BYTES ((size_t)64 << 20)

struct answering {
    const struct question *q;
    const struct cell_counts *e; /* by reading */
    size_t group;
    double beta; /* of one aggregate of the expression at hand */
    bool *seen;  /* by aggregate: it is in the expression at hand */
    bool barless;
    struct scope scope;
};

static custos_status
no_memory(custos_err *err)
{
    return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
}

/* ---------------------------------------------------------------- values -- */

static bool
group_leaf(void *ctx, const struct expr *e, struct value *out)
{
    struct answering *w = ctx;

    if (e->kind == EXPR_KEY) {
        *out = (struct value){
            .datum = w->q->readings[0].groups[w->group].keys[e->slot]};
        return true;
    }
    question_reset_scratch(w->q);
    return !question_is_stopped(w->q) &&
           aggregate_of(w->q, w->e, w->group, (size_t)e->slot, w->beta,
                        w->q->scratch, out);
}

/* Why an expression has no value: aggregates take long enough to be stopped. */
static custos_status
fail_value(const struct answering *w, custos_err *err)
{
    return question_is_stopped(w->q) ? question_fail_stopped(err)
                                     : no_memory(err);
}

/* How many different aggregates an expression has, besides those seen before. */
static size_t
count_aggregates(const struct expr *e, bool *seen)
{
    size_t n = 0;

    if (e->kind == EXPR_AGGREGATE) {
        n = !seen[e->slot];
        seen[e->slot] = true;
        return n;
    }
    for (size_t i = 0; i < e->n_args; i++)
        n += e->args[i] ? count_aggregates(e->args[i], seen) : 0;
    return n;
}

/* The bar of an expression covers for all its aggregates together. */
static bool
evaluate_group(struct answering *w, const struct expr *e, struct value *out)
{
    size_t n;

    memset(w->seen, 0, w->q->n_aggregates * sizeof *w->seen);
    n = count_aggregates(e, w->seen);
    w->beta = BETA / (double)(n > 0 ? n : 1);
    return evaluate(&w->scope, e, out);
}

static struct datum
bar_end(const struct value *v, bool high)
{
    const enum data_type type = v->datum.type;
    const double x = high ? v->high : v->low;

    if ((type == TYPE_DATE || type == TYPE_TIMESTAMP) && fabs(x) < 0x1p62)
        return (struct datum){.type = type, .n = (i128)llround(x)};
    return datum_of_double(x);
}

static bool
fill_cell(struct answering *w, arena *a, const struct expr *e,
          struct answer_cell *cell)
{
    struct value v;

    if (!evaluate_group(w, e, &v))
        return false;
    cell->value = v.datum;
    if (v.datum.type == TYPE_TEXT) {
        char *text = arena_copy(a, v.datum.text);

        if (!text)
            return false;
        cell->value.text = (str){text, v.datum.text.len};
    }
    cell->has_bar = v.certainty == BARRED && v.datum.type != TYPE_NULL;
    w->barless |= v.certainty == UNCERTAIN && v.datum.type != TYPE_NULL;
    if (cell->has_bar) {
        cell->low = bar_end(&v, false);
        cell->high = bar_end(&v, true);
    }
    return true;
}

/* ------------------------------------------------------------------ rows -- */

struct row {
    size_t group;
    struct datum *order;
};

static int
row_cmp(const void *a, const void *b, void *ctx)
{
    const struct plan *p = ctx;
    const struct row *x = a, *y = b;

    for (size_t i = 0; i < p->n_order_by; i++) {
        const struct datum *s = &x->order[i], *t = &y->order[i];
        int order = datum_cmp(s, t); /* NULL last */

        if (s->type == TYPE_NULL || t->type == TYPE_NULL)
            order = p->order_by[i].nulls_first ? -order : order;
        else if (p->order_by[i].descending)
            order = -order;
        if (order)
            return order;
    }
    return (x->group > y->group) - (x->group < y->group);
}

static custos_status
choose_rows(struct answering *w, struct row **out, size_t *n, custos_err *err)
{
    const struct question *q = w->q;
    const struct plan *p = q->plan;
    struct row *rows =
        arena_take(q->a, q->readings[0].n_groups + 1, sizeof *rows);
    struct value v;

    *n = 0;
    if (!rows)
        return no_memory(err);
    for (size_t i = 0; i < q->readings[0].n_groups; i++) {
        struct row *row = &rows[*n];

        w->group = row->group = i;
        if (question_is_stopped(q))
            return question_fail_stopped(err);
        if (p->having && !evaluate_group(w, p->having, &v))
            return fail_value(w, err);
        if (p->having && (v.datum.type == TYPE_NULL || !v.datum.n))
            continue;
        row->order = arena_take(q->a, p->n_order_by + 1, sizeof *row->order);
        if (!row->order)
            return no_memory(err);
        for (size_t k = 0; k < p->n_order_by; k++) {
            if (!evaluate_group(w, p->order_by[k].expr, &v))
                return fail_value(w, err);
            row->order[k] = v.datum;
        }
        ++*n;
    }
    if (p->n_order_by)
        qsort_r(rows, *n, sizeof *rows, row_cmp, (void *)p);
    *out = rows;
    return CUSTOS_OK;
}

/* An empty answer with the columns of the plan. */
static custos_status
answer_begin(const struct plan *p, struct answer **out, custos_err *err)
{
    arena *a = arena_new(NULL, ANSWER_BYTES);
    struct answer *answer = a ? arena_take(a, 1, sizeof *answer) : NULL;

    if (answer)
        answer->columns = arena_take(a, p->n_outputs, sizeof *answer->columns);
    if (!answer || !answer->columns) {
        arena_free(a);
        return no_memory(err);
    }
    arena_allow(a, REPLY_BYTES);
    answer->arena = a;
    answer->n_columns = p->n_outputs;
    answer->is_public = true;
    answer->is_released = p->from != NULL;
    for (size_t i = 0; i < p->n_outputs; i++) {
        const struct plan_output *o = &p->outputs[i];
        char *name = arena_copy(a, o->name);
        char *array = arena_copy(a, o->array.name);

        if (!name || !array) {
            arena_free(a);
            return no_memory(err);
        }
        answer->columns[i] =
            (struct answer_column){.name = {name, o->name.len},
                                   .array = o->array,
                                   .type = o->type,
                                   .is_key = o->expr->kind == EXPR_KEY};
        answer->columns[i].array.name = (str){array, o->array.name.len};
    }
    *out = answer;
    return CUSTOS_OK;
}

/* What a reader of the numbers should know. */
static bool
add_remarks(const struct answering *w, const struct synopsis *s,
            struct answer *answer)
{
    const struct synopsis_facts *f = &s->facts;
    const char *text = NULL;
    struct buf b;

    buf_init(&b, NULL, REMARKS_MAX);
    if (w->barless)
        buf_add_text(&b, "A value without an error bar comes from the model "
                         "alone: no measurement bounds its error.");
    if (w->q->plan->from && f->rows_per_unit > 1)
        buf_printf(&b, "%sat most %" PRIu64 " rows of each %.*s count",
                   b.len ? "\n" : "", f->rows_per_unit, (int)f->unit.len,
                   f->unit.ptr);
    if (!b.failed)
        text = arena_copy(answer->arena, str_of(buf_text(&b)));
    buf_clear(&b);
    if (text)
        answer->remarks = str_of(text);
    return text != NULL;
}

static custos_status
fill_rows(struct answering *w, const struct synopsis *s, const struct row *rows,
          size_t n, struct answer *answer, custos_err *err)
{
    const struct plan *p = w->q->plan;
    const size_t from = p->query->offset < n ? (size_t)p->query->offset : n;

    n -= from;
    if (p->query->has_limit && p->query->limit < n)
        n = (size_t)p->query->limit;
    answer->n_rows = n;
    answer->cells =
        arena_take(answer->arena, n * p->n_outputs + 1, sizeof *answer->cells);
    if (!answer->cells)
        return no_memory(err);
    for (size_t i = 0; i < n; i++) {
        w->group = rows[from + i].group;
        if (question_is_stopped(w->q))
            return question_fail_stopped(err);
        for (size_t k = 0; k < p->n_outputs; k++)
            if (!fill_cell(w, answer->arena, p->outputs[k].expr,
                           &answer->cells[i * p->n_outputs + k]))
                return fail_value(w, err);
    }
    return add_remarks(w, s, answer) ? CUSTOS_OK : no_memory(err);
}

/* What is known of the cells of a reading. */
static custos_status
make_counts(const struct question *q, const struct synopsis *s,
            struct colset set, struct cell_counts *out, custos_err *err)
{
    if (question_is_stopped(q))
        return question_fail_stopped(err);
    if (q->is_fine && !colset_is_empty(set))
        return cell_counts_of_range(
            q->a, fine_range(s, q->columns[0].is->place), out, err);
    return effort_take(q->effort, cell_counts_make_steps(s, set))
               ? cell_counts_make(q->a, s, set, out, err)
               : no_memory(err);
}

/* Why a question has no answer: a limit that was reached looks like a lack of
   memory. */
static custos_status
refuse(const struct question *q, const struct answer *answer, custos_status st,
       custos_err *err)
{
    const bool denied = arena_is_denied(q->a) || arena_is_denied(q->scratch) ||
                        arena_is_denied(answer->arena);

    if (st != CUSTOS_ENOMEM)
        return st;
    if (q->effort->state == EFFORT_STOPPED)
        return question_fail_stopped(err);
    if (q->effort->state == EFFORT_GOES_ON && !denied)
        return st;
    return custos_fail(err, CUSTOS_EOVERFLOW,
                       "answering this question takes too %s" HINT
                       "use fewer columns in it, compare them with constants, "
                       "or ask for fewer aggregates",
                       denied ? "much memory" : "many steps");
}

static custos_status
answer_question(const struct synopsis *s, struct question *q, struct plan *p,
                struct answering *w, struct answer *answer, custos_err *err)
{
    struct cell_counts *e = NULL;
    struct row *rows = NULL;
    size_t n;
    custos_status st = CUSTOS_OK;

    q->fine = fine_columns(q->a, s);
    st = q->fine ? question_make(q, p, err) : no_memory(err);
    if (!st && !p->from && q->n_aggregates > 0)
        st = custos_fail(err, CUSTOS_EUNSUPPORTED,
                         "an aggregate needs FROM, with the synopsis's table");
    if (!st) {
        w->e = e = arena_take(q->a, q->n_readings, sizeof *e);
        w->seen = arena_take(q->a, q->n_aggregates + 1, sizeof *w->seen);
        st = e && w->seen ? CUSTOS_OK : no_memory(err);
    }
    for (size_t i = 0; !st && i < q->n_readings; i++)
        if (q->readings[i].n_aggregates > 0)
            st = make_counts(q, s, q->readings[i].set, &e[i], err);
    for (size_t i = 0; i < p->n_outputs && !st; i++)
        answer->columns[i].is_key = p->outputs[i].expr->kind == EXPR_KEY;
    if (!st)
        st = choose_rows(w, &rows, &n, err);
    return st ? st : fill_rows(w, s, rows, n, answer, err);
}

custos_status
synopsis_answer(const struct synopsis *s, struct plan *p,
                const _Atomic int *stop, struct answer **out, custos_err *err)
{
    struct effort effort = {.remaining = SYNOPSIS_STEPS, .stop = stop};
    struct question q = {.a = arena_new(NULL, QUERY_BYTES),
                         .scratch = arena_new(NULL, QUERY_BYTES),
                         .effort = &effort,
                         .plan = p,
                         .schema = s->schema};
    struct answering w = {
        .q = &q,
        .scope = {.a = q.a, .effort = &effort, .leaf = group_leaf, .ctx = &w}};
    struct answer *answer = NULL;
    custos_status st = q.a && q.scratch ? CUSTOS_OK : no_memory(err);

    if (!st)
        st = answer_begin(p, &answer, err);
    if (!st) {
        arena_allow(q.a, QUESTION_BYTES);
        st = answer_question(s, &q, p, &w, answer, err);
        st = refuse(&q, answer, st, err);
    }
    if (!st)
        *out = answer;
    else
        answer_free(answer);
    arena_free(q.scratch);
    arena_free(q.a);
    return st;
}

/* The tree of a text, with the values of its parameters. */
static custos_status
read_ask(arena *a, const struct ask *ask, struct query **q, custos_err *err)
{
    struct sql_params params;
    custos_status st;

    if (ask->n_params == 0)
        return sql_read(a, ask->sql, q, err);
    st = sql_params_find(a, ask->sql, 0, &params, err);
    if (!st)
        st = sql_params_give(&params, ask->params, ask->n_params, err);
    return st ? st : sql_read_with(a, ask->sql, &params, q, err);
}

custos_status
synopsis_ask(const struct synopsis *s, const struct policy *policy,
             const struct ask *ask, struct answer **out, custos_err *err)
{
    const struct plan_options options = {.who = NULL, .stop = ask->stop};
    arena *a = arena_new(NULL, QUERY_BYTES);
    struct plan *p = NULL;
    struct query *q;
    custos_status st = a ? CUSTOS_OK : no_memory(err);

    if (!st)
        st = read_ask(a, ask, &q, err);
    if (!st && q->explain)
        st = custos_fail(err, CUSTOS_EUNSUPPORTED,
                         "a synopsis answers for free: there is nothing to "
                         "explain");
    if (!st)
        st = plan_make(a, q, policy, &options, &p, err);
    if (!st)
        st = synopsis_answer(s, p, ask->stop, out, err);
    plan_free(p);
    arena_free(a);
    return st;
}
