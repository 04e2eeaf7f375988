/*
 * Rules are tried on the values of a cell: first on those that were drawn, then on others of
 * the same codes, at last on a combination that is known to satisfy them.
 */
#include "release/rules.h"

#include "base/error.h"
#include "evaluate/evaluate.h"
#include "random/rng.h"
#include "release/schema.h"
#include "synopsis/value.h"

/* How often values of a row are drawn before known ones are taken: first those of the
   codes, then those that constraints are tried on, which are what constraints compare
   with. */
enum { DRAWS_MAX = 128, DRAWS_OF_CODES = 32 };

/* The most combinations of values of columns that the release does not have, on which
   a row's values are tried. */
enum { ABSENT_MAX = 4096 };

static custos_status
no_memory(custos_err *err)
{
    return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
}

static bool
is_absent(const struct rule *r, size_t i)
{
    return r->place[i] == SYNTH_COLUMNS_MAX;
}

/* ---------------------------------------------------------------- making -- */

/* The codes of the columns, as the release has them, or as it would. */
static custos_status
find_codes(arena *a, const struct schema *s, const size_t *field, size_t offset,
           struct rule *r, custos_err *err)
{
    custos_status st = CUSTOS_OK;

    for (size_t i = 0; !st && i < r->c.n_columns; i++) {
        const struct policy_column *c = &r->c.table->columns[r->c.columns[i]];
        size_t place = 0;

        st = schema_column_make(a, c, c->name, r->c.table->name, &r->codes[i],
                                err);
        while (place < s->domain.n && field[place] != offset + r->c.columns[i])
            place++;
        r->place[i] = place < s->domain.n ? place : SYNTH_COLUMNS_MAX;
        if (place < s->domain.n)
            r->set = colset_or(r->set, colset_of(place));
    }
    return st;
}

custos_status
rule_make(arena *a, const struct policy *p, const struct policy_table *t,
          const struct policy_constraint *c, const struct schema *s,
          const size_t *field, size_t offset, struct rule *out, custos_err *err)
{
    custos_status st;

    *out = (struct rule){.good = NULL};
    st = constraint_read(a, p, t, c, &out->c, err);
    if (!st)
        st = find_codes(a, s, field, offset, out, err);
    return st ? st : tries_make(a, &out->c, out->codes, &out->tries, err);
}

/* ------------------------------------------------------------ evaluating -- */

/* The values that a constraint is evaluated on. */
struct trial {
    const struct rule *r;
    struct datum
        value[CONSTRAINT_COLUMNS_MAX]; /* by column of the constraint */
};

static bool
trial_leaf(void *ctx, const struct expr *e, struct value *out)
{
    const struct trial *t = ctx;
    size_t i = 0;

    while (t->r->c.columns[i] != (size_t)e->slot)
        i++;
    *out = (struct value){.datum = t->value[i]};
    return true;
}

/* A constraint that is NULL is not failed. */
static custos_status
evaluate_trial(struct trial *t, arena *scratch, bool *holds, custos_err *err)
{
    const struct scope s = {.a = scratch, .leaf = trial_leaf, .ctx = t};
    struct value v;

    if (!evaluate(&s, t->r->c.is, &v))
        return no_memory(err);
    *holds = v.datum.type == TYPE_NULL || v.datum.n != 0;
    arena_reset(scratch);
    return CUSTOS_OK;
}

/* ----------------------------------------------------------------- cells -- */

/* Sets at[i] to the number of the value of column i in a combination. */
static void
split(const struct rule *r, size_t number, size_t *at)
{
    for (size_t i = 0; i < r->c.n_columns; i++) {
        at[i] = number % r->tries.n[i];
        number /= r->tries.n[i];
    }
}

static size_t
column_at(const struct rule *r, size_t place)
{
    size_t i = 0;

    while (r->place[i] != place)
        i++;
    return i;
}

static size_t
cell_of(const struct rule *r, const struct domain *d, const size_t *at)
{
    size_t cell = 0;

    COLSET_EACH(place, r->set)
    {
        const size_t i = column_at(r, place);

        cell = cell * d->size[place] + r->tries.of[i][at[i]].code;
    }
    return cell;
}

/* The cell in which all columns are NULL, which an outer join adds. */
static size_t
null_cell(const struct rule *r, const struct domain *d)
{
    size_t cell = 0;

    COLSET_EACH(place, r->set)
    cell = (cell + 1) * d->size[place] - 1;
    return cell;
}

custos_status
rule_try(const struct rule *r, const struct domain *d, bool outer,
         arena *scratch, uint8_t *seen, uint32_t *good, custos_err *err)
{
    const size_t cells = domain_cells(d, r->set);
    size_t at[CONSTRAINT_COLUMNS_MAX];
    struct trial t = {.r = r};

    for (size_t k = 0; k < r->tries.all; k++) {
        custos_status st;
        size_t cell;
        bool holds;

        split(r, k, at);
        cell = cell_of(r, d, at);
        if (seen[cell] == (CELL_HOLDS | CELL_FAILS))
            continue;
        for (size_t i = 0; i < r->c.n_columns; i++)
            t.value[i] = r->tries.of[i][at[i]].value;
        st = evaluate_trial(&t, scratch, &holds, err);
        if (st)
            return st;
        seen[cell] |= holds ? CELL_HOLDS : CELL_FAILS;
        if (holds && good[cell] == 0)
            good[cell] = (uint32_t)k + 1;
    }
    if (outer)
        seen[null_cell(r, d)] = CELL_HOLDS;
    for (size_t i = 0; i < cells; i++)
        if (seen[i] != (CELL_HOLDS | CELL_FAILS))
            good[i] = 0;
    return CUSTOS_OK;
}

/* ------------------------------------------------------------------ rows -- */

/* A synthetic row: its codes stay, its values may change. */
struct settling {
    const struct rules *rules;
    const struct synthetic_rows *rows;
    size_t row;
    struct datum *values;
    custos_err *err;
};

static uint32_t
code_at(const struct settling *w, size_t place)
{
    return w->rows->codes[place * w->rows->n + w->row];
}

static struct datum *
value_at(const struct settling *w, size_t place)
{
    return &w->values[w->rules->schema->column[place]];
}

/* The rule's known combination for the row's cell; 0: none is needed. */
static uint32_t
good_at(const struct settling *w, const struct rule *r)
{
    const struct domain *d = &w->rules->schema->domain;
    size_t cell = 0;

    COLSET_EACH(place, r->set)
    cell = cell * d->size[place] + code_at(w, place);
    return r->good[cell];
}

/* Are the row's values those of the known combination? */
static bool
is_known(const struct settling *w, const struct rule *r, const size_t *at)
{
    for (size_t i = 0; i < r->c.n_columns; i++)
        if (!is_absent(r, i) && datum_cmp(value_at(w, r->place[i]),
                                          &r->tries.of[i][at[i]].value) != 0)
            return false;
    return true;
}

/* Do the row's values satisfy the constraint, with some values of the columns that
   the release does not have? */
static custos_status
check(const struct settling *w, const struct rule *r, bool *holds)
{
    size_t at[CONSTRAINT_COLUMNS_MAX], absent = 1;
    const uint32_t good = good_at(w, r);
    custos_status st = CUSTOS_OK;
    struct trial t = {.r = r};

    *holds = good == 0;
    if (*holds)
        return CUSTOS_OK;
    split(r, good - 1, at);
    *holds = is_known(w, r, at);
    for (size_t i = 0; i < r->c.n_columns; i++)
        if (is_absent(r, i))
            absent *= r->tries.n[i]; /* at most TRIES_MAX */
        else
            t.value[i] = *value_at(w, r->place[i]);
    if (absent > ABSENT_MAX)
        return CUSTOS_OK;
    for (size_t k = 0; !st && !*holds && k < absent; k++) {
        size_t number = k;

        for (size_t i = 0; i < r->c.n_columns; i++) {
            if (!is_absent(r, i))
                continue;
            t.value[i] = r->tries.of[i][number % r->tries.n[i]].value;
            number /= r->tries.n[i];
        }
        st = evaluate_trial(&t, w->rules->scratch, holds, w->err);
    }
    return st;
}

/* One of the values of the code on which column i of a constraint is tried. */
static struct datum
tried_drawn(const struct rule *r, size_t i, uint32_t code, uint64_t word)
{
    size_t from = 0, to;

    while (r->tries.of[i][from].code != code)
        from++;
    for (to = from; to < r->tries.n[i] && r->tries.of[i][to].code == code;)
        to++;
    return r->tries.of[i][from + (size_t)(word % (to - from))].value;
}

enum draw_from { DRAW_CODES, DRAW_TRIES };

/* Draws the values of the rule's columns again. */
static custos_status
draw(const struct settling *w, const struct rule *r, enum draw_from from,
     custos_rng *rng)
{
    const struct schema *s = w->rules->schema;
    uint64_t words[CONSTRAINT_COLUMNS_MAX];
    custos_status st = rng_words(rng, words, COUNT_OF(words));

    if (st)
        return custos_fail(w->err, st, "%s", custos_status_words(st));
    for (size_t i = 0; i < r->c.n_columns; i++) {
        uint32_t code;

        if (is_absent(r, i))
            continue;
        code = code_at(w, r->place[i]);
        *value_at(w, r->place[i]) =
            from == DRAW_TRIES ? tried_drawn(r, i, code, words[i])
                               : code_drawn(&s->columns[s->column[r->place[i]]],
                                            code, words[i]);
    }
    return CUSTOS_OK;
}

static void
take_known(const struct settling *w, const struct rule *r)
{
    size_t at[CONSTRAINT_COLUMNS_MAX];

    split(r, good_at(w, r) - 1, at);
    for (size_t i = 0; i < r->c.n_columns; i++)
        if (!is_absent(r, i))
            *value_at(w, r->place[i]) = r->tries.of[i][at[i]].value;
}

/* The first rule from `from` on that the row fails; rules->n: none. */
static custos_status
find_failed(const struct settling *w, size_t from, size_t *out)
{
    custos_status st = CUSTOS_OK;
    bool holds = true;

    for (*out = from; !st && *out < w->rules->n; *out += holds) {
        st = check(w, &w->rules->of[*out], &holds);
        if (!holds)
            break;
    }
    return st;
}

custos_status
rules_settle(void *ctx, const struct synthetic_rows *rows, size_t row,
             struct datum *values, custos_rng *rng, bool *holds,
             custos_err *err)
{
    const struct rules *rules = ctx;
    const struct settling w = {rules, rows, row, values, err};
    size_t failed;
    custos_status st = find_failed(&w, 0, &failed);

    for (int i = 0; !st && failed < rules->n && i < DRAWS_MAX; i++) {
        st = draw(&w, &rules->of[failed],
                  i < DRAWS_OF_CODES ? DRAW_CODES : DRAW_TRIES, rng);
        if (!st)
            st = find_failed(&w, 0, &failed);
    }
    while (!st && failed < rules->n) {
        take_known(&w, &rules->of[failed]);
        st = find_failed(&w, failed + 1, &failed);
    }
    if (!st)
        st = find_failed(&w, 0,
                         &failed); /* known values of one may fail another */
    *holds = failed == rules->n;
    return st;
}
