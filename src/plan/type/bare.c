/*
 * Where the engine's own whole-number arithmetic may be printed.
 *
 * THEOREM  bare-arithmetic
 *   Call a whole-number node proven when it is one of these: a literal; a
 *   column with a declared range, into which the import, the view of an
 *   attached table or the relation that computes it has clamped every value; a
 *   call that our own function clamps, or whose range is small by definition
 *   (a part of a date, a length, a sign); a choice among proven nodes; a
 *   quotient or remainder of proven nodes; or a sum, difference, product,
 *   negation or absolute value of proven nodes, if its reach is within 2^62.
 *   The reach of a leaf is its largest possible distance from 0, at least 1.
 *   The reach of a sum or difference is the sum, and that of a product is the
 *   product, of the reaches of its operands. In such arithmetic no operation on
 *   64 bits overflows, for any row, even if the engine reorders its terms and
 *   factors.
 * SOURCE   doc/proofs/totality.md
 * NEEDS    part-clamp's stored ranges; columns of computed relations clamped
 *          (engine/statement/relation.c); dates of the years 1 to 9999 (view.h).
 * GIVES    e->bare; all other arithmetic goes through total-functions.
 * FAILS    cannot.
 * TESTED   arithmetic_is_bare_only_where_it_is_proven
 *          literals_of_sums_and_products_are_computed_first
 */
#include "plan/work.h"

enum { ROOM_LOG2 = 62 };

static void
prove_range(struct fact *f, i128 low, i128 high)
{
    const i128 room = (i128)1 << ROOM_LOG2;

    f->proven = -room < low && low <= high && high < room;
    f->proven_low = low;
    f->proven_high = high;
}

/* Proves e, a choice: its range covers those of all values it chooses among. */
static void
prove_choice(struct expr *e)
{
    struct fact *f = fact_of(e);
    bool is_case = e->kind == EXPR_CASE, found = false;
    i128 low = 0, high = 0;

    for (size_t i = 0; i < e->n_args; i++) {
        const struct expr *x = e->args[i];
        const struct fact *a = x ? fact_of(x) : NULL;

        if (!x || (is_case && i % 2 == 0 && i + 1 < e->n_args) ||
            (x->kind == EXPR_LITERAL && x->value.type == TYPE_NULL))
            continue;
        if (!a->proven)
            return;
        low = found && low < a->proven_low ? low : a->proven_low;
        high = found && high > a->proven_high ? high : a->proven_high;
        found = true;
    }
    if (found)
        prove_range(f, low, high);
}

static i128
larger_of(i128 a, i128 b)
{
    return a > b ? a : b;
}

/* At least 1: a factor that is always 0 must not hide how large others are. */
static i128
reach_of(const struct fact *a)
{
    return larger_of(1, larger_of(-a->proven_low, a->proven_high));
}

static void
prove_arithmetic(struct expr *e)
{
    const struct fact *a = fact_of(e->args[0]);
    const struct fact *b = fact_of(e->args[e->n_args - 1]);
    const i128 days = (i128)DATE_LAST - DATE_FIRST;
    i128 reach = reach_of(a);

    if (e->args[0]->type == TYPE_DATE) {
        prove_range(fact_of(e), -days, days);
        return;
    }
    if (!a->proven || !b->proven)
        return;
    if (e->call == CALL_ADD || e->call == CALL_SUB)
        reach += reach_of(b);
    else if (e->call == CALL_MUL)
        reach *= reach_of(b); /* below 2^124, for both are below 2^62 */
    /* a quotient or remainder is no larger than the dividend */
    prove_range(fact_of(e), -reach, reach);
    e->bare = fact_of(e)->proven && e->call != CALL_DIV && e->call != CALL_MOD;
}

/* The values are in the claimed range by definition. */
static void
prove_claimed(struct expr *e)
{
    prove_range(fact_of(e), e->whole_low, e->whole_high);
}

/* A whole number stays as it is; others are clamped to the claimed range by
   whole_of or whole_clamp (sql/duckdb_call.c). */
static void
prove_rounding(struct expr *e)
{
    if (e->args[0]->type == TYPE_INT)
        prove_choice(e);
    else
        prove_claimed(e);
}

static void
prove_year(struct expr *e)
{
    prove_range(fact_of(e), 1, 9999);
}

static const struct {
    void (*prove)(struct expr *e); /* NULL: nothing is proven */
} rules[N_CALLS] = {
#define ROW(id, ...) [CALL_##id] = {__VA_ARGS__},
#define PROVEN(rule) rule
#include "sql/functions.def"
};

static void
prove_cast(struct expr *e)
{
    const struct expr *x = e->args[0];
    struct fact *f = fact_of(e);

    if (x->type == TYPE_BOOL)
        prove_range(f, 0, 1);
    else if (x->type == TYPE_INT)
        prove_choice(e);
    else if (x->type == TYPE_DECIMAL || x->type == TYPE_REAL)
        /* clamped, unless the range is all of the type */
        prove_range(f, e->whole_low, e->whole_high);
}

void
bare_set(struct expr *e, enum context context)
{
    struct fact *f = fact_of(e);

    e->bare = false;
    f->proven = false;
    if (e->type != TYPE_INT || context == CONTEXT_AFTER)
        return;
    switch (e->kind) {
    case EXPR_LITERAL:
        if (e->value.type == TYPE_INT)
            prove_range(f, e->value.n, e->value.n);
        break;
    case EXPR_COLUMN:
        if (context == CONTEXT_ROWS && f->known == KNOWN_DECLARED)
            prove_range(f, e->whole_low, e->whole_high);
        break;
    case EXPR_CASE: prove_choice(e); break;
    case EXPR_CALL:
        if (rules[e->call].prove)
            rules[e->call].prove(e);
        break;
    case EXPR_CAST: prove_cast(e); break;
    default: break;
    }
}
