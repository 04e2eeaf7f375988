/*
 * Keys and conditions as terms of a statement. A public key is the index of its
 * value, a key from the data is the value itself.
 */
#include "engine/run/key.h"
#include "engine/import/view.h"
#include "engine/statement/work.h"
#include "plan/from/relation.h"

enum { LABEL_BYTES = 1 << 20 };

size_t
work_key_size(const struct key *k)
{
    return k->n + (k->null_group ? 1 : 0);
}

/* A listed value of a key as an expression. */
static const struct term *
key_literal(struct builder *b, const struct key *k, size_t i)
{
    struct expr *literal =
        b->failed ? NULL : arena_take(b->a, 1, sizeof *literal);

    b->failed |= !literal;
    if (!literal)
        return term_null(b);
    *literal = (struct expr){
        .kind = EXPR_LITERAL, .type = k->expr->type, .value = k->values[i]};
    return term_expr(b, literal, "t");
}

/*
 * Finds the index in a list of literals. Decimals are compared as doubles: the engine
 * would convert decimals of two scales to the larger scale, where one may not fit.
 */
static const struct term *
key_listed(struct builder *b, const struct key *k, const struct term *e)
{
    bool decimal = k->expr->type == TYPE_DECIMAL;
    struct terms args = {.n = 0};

    terms_add(b, &args, decimal ? term_cast(b, e, STORED(F64)) : e);
    for (size_t i = 0; i < k->n; i++) {
        const struct term *literal = key_literal(b, k, i);

        terms_add(b, &args,
                  decimal ? term_cast(b, literal, STORED(F64)) : literal);
        terms_add(b, &args, term_number(b, (i128)i));
    }
    return term_of_list(b, TERM_CHOOSE, &args);
}

/* The number of decimal places with which all values of a decimal key are written. */
static int
label_scale(const struct key *k)
{
    int scale = 0;

    for (size_t i = 0; i < k->n; i++)
        if (k->values[i].scale > scale)
            scale = k->values[i].scale;
    return scale;
}

/* The text by which a value is looked up; for a timestamp its microseconds. */
static const struct term *
label_value(struct builder *b, const struct key *k, const struct term *e)
{
    if (k->expr->type == TYPE_TIMESTAMP)
        e = term_call(b, TERM_MICROSECONDS, e, NULL);
    else if (k->expr->type == TYPE_DECIMAL)
        e = term_try_cast(b, e, STORED_DECIMAL(DIGITS_WIDE, label_scale(k)));
    return term_cast(b, e, STORED(TEXT));
}

/* The same for a listed value. */
static void
label_text(const struct key *k, const struct datum *v, struct buf *out)
{
    struct datum d = *v;

    if (v->type == TYPE_TIMESTAMP)
        d.type = TYPE_INT;
    for (; k->expr->type == TYPE_DECIMAL && d.scale < label_scale(k); d.scale++)
        d.n *= 10; /* cannot overflow: values have few digits (evaluate.h) */
    datum_write(&d, out);
}

/* For many values: the engine finds a label by hashing. */
static const struct term *
key_labelled(struct builder *b, const struct key *k, const struct term *e)
{
    struct terms args = {.n = 0};
    struct buf text;

    terms_add(b, &args, label_value(b, k, e));
    for (size_t i = 0; i < k->n; i++) {
        buf_init(&text, NULL, LABEL_BYTES);
        label_text(k, &k->values[i], &text);
        b->failed |= text.failed;
        terms_add(b, &args, term_text(b, (str){buf_text(&text), text.len}));
        buf_clear(&text);
    }
    return term_of_list(b, TERM_LABELS, &args);
}

static i128
whole_last(const struct key *k)
{
    return k->from + (i128)k->n - 1;
}

/* Are 64 bits enough? 128 bits cost the engine several times as much. */
static bool
whole_is_narrow(const struct key *k)
{
    return k->from >= INT64_MIN && whole_last(k) <= INT64_MAX;
}

static const struct term *
whole_literal(struct builder *b, const struct key *k, i128 n)
{
    return term_whole(b, n, whole_is_narrow(k) ? STORED(I64) : STORED(I128));
}

/* The index of a whole number among n numbers from k->from on, or NULL. */
static const struct term *
key_whole(struct builder *b, const struct key *k)
{
    bool narrow = whole_is_narrow(k) && !k->expr->wide;
    struct store_type type = narrow ? STORED(I64) : STORED(I128);
    const struct term *e = term_expr(b, k->expr, "t");

    return term_call(b, TERM_WHOLE_INDEX, narrow ? e : term_cast(b, e, type),
                     term_whole(b, k->from, type),
                     term_whole(b, (i128)k->n, type), NULL);
}

static const struct term *
key_period(struct builder *b, const struct key *k)
{
    const struct term *period =
        term_call(b, TERM_PERIOD, term_expr(b, key_in_period(k), "t"),
                  term_whole(b, (i128)k->period, STORED(I64)), NULL);

    return term_call(b, TERM_WHOLE_INDEX, period, whole_literal(b, k, k->from),
                     term_whole(b, (i128)k->n, STORED(I64)), NULL);
}

/*
 * Is the key a column whose stored values are all within from..last? Then its index
 * is just the difference, and the engine knows that its range is small.
 */
static bool
key_is_bare(const struct plan *plan, const struct key *k)
{
    const struct policy_column *c;
    i128 lower, upper;

    if (k->kind != KEY_WHOLE || k->column < 0 || !whole_is_narrow(k) ||
        (plan->from && !plan->from->columns[k->column].stored))
        return false;
    c = &plan->table->columns[k->column];
    return c->type == TYPE_INT && view_steps(c, &lower, &upper) &&
           k->from <= lower && upper <= whole_last(k);
}

const struct term *
work_key(struct builder *b, const struct stage *stage, size_t index)
{
    enum { FEW = 16 };
    const struct key *k = &stage->space->keys[index];
    const struct term *e;

    if (k->kind == KEY_STORED)
        return term_name(b, "t", "index_%d", k->column);
    if (key_is_bare(stage->plan, k)) {
        e = term_name(b, "t", "column_%d", k->column);
        return k->from
                   ? term_binary(b, e, TERM_MINUS, whole_literal(b, k, k->from))
                   : e;
    }
    if (k->kind == KEY_WHOLE)
        return key_whole(b, k);
    if (k->kind == KEY_PERIOD)
        return key_period(b, k);
    e = term_expr(b, k->expr, "t");
    if (k->kind == KEY_PRIVATE)
        return key_term(b, k->expr->type, k->expr->wide, e);
    e = k->n > FEW ? key_labelled(b, k, e) : key_listed(b, k, e);
    return term_cast(b, e, STORED(I32));
}

/* Does every stored row have this key? True for a column that is not nullable: rows
   with NULL in it are not imported. */
static bool
key_is_there(const struct plan *plan, const struct key *k)
{
    return (k->kind == KEY_STORED || key_is_bare(plan, k)) &&
           !plan->table->columns[k->column].nullable;
}

/* Conditions use stored steps, but not where these would have to be computed
   first. */
static const struct term *
where_term(struct builder *b, const struct plan *plan)
{
    const struct policy_table *t = plan->table;
    bool *stepped =
        b->failed ? NULL : arena_take(b->a, t->n_columns + 1, sizeof *stepped);

    b->failed |= !stepped;
    for (size_t i = 0; stepped && i < t->n_columns; i++)
        stepped[i] = t->facts.steps_stored && view_has_steps(&t->columns[i]) &&
                     (!plan->from || plan->from->columns[i].stored);
    return term_condition(b, plan->where, "t", stepped);
}

void
work_conditions(struct builder *b, const struct stage *stage, struct terms *to)
{
    if (stage->plan->where)
        terms_add(b, to, where_term(b, stage->plan));
    for (size_t i = 0; i < stage->space->n_keys; i++)
        if (!stage->space->keys[i].null_group &&
            !key_is_there(stage->plan, &stage->space->keys[i]))
            terms_add(b, to, term_present(b, work_key(b, stage, i)));
}

void
work_columns(struct builder *b, const struct stage *stage,
             const struct work_values *values, struct select *to)
{
    for (size_t i = 0; i < stage->space->n_keys; i++)
        select_add(b, to, work_key(b, stage, i), "key_%zu", i);
    for (size_t i = 0; i < values->n; i++)
        select_add(b, to, work_value(b, stage->plan, values->of[i]),
                   "value_%zu", i);
}
