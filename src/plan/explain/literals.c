/*
 * Literals that cannot be meant: a text that is not among the declared values of
 * the column it is compared with, a number or date outside the declared range. A
 * query with one is answered, charged, and of no use, so it gets a warning before.
 *
 * Every expression of the query is examined that decides which rows count, and for
 * what: WHERE, ON, keys, arguments of aggregates, in subqueries too; but not in
 * views, which the owner wrote. The number of warnings, and of values that each compares with its literal, is limited.
 */
#include "base/nearest.h"
#include "plan/explain/useful.h"
#include "plan/explain/words.h"
#include "plan/from/relation.h"
#include "plan/work.h"

enum { SENTENCE_MAX = 1 << 12, COMPARED_MAX = 1 << 12 };

struct search {
    arena *a;
    struct useful *out;
    bool failed;
};

/* A comparison of a column with a literal. */
struct compared {
    const struct expr *whole, *column, *literal;
    const struct policy_column *of;
};

static bool
is_full(const struct search *s)
{
    return s->failed || s->out->n_warnings >= USEFUL_WARNINGS_MAX;
}

/* ------------------------------------------------------------ sentences -- */

/* A value as SQL writes it; a long text is cut, and each sentence is one line. */
static void
write_value(const struct datum *d, struct buf *b)
{
    bool quoted = d->type == TYPE_TEXT || d->type == TYPE_DATE ||
                  d->type == TYPE_TIMESTAMP;
    size_t n = d->type == TYPE_TEXT ? (size_t)words_shown(d->text) : 0;

    buf_add_text(b, quoted ? "'" : "");
    if (d->type != TYPE_TEXT)
        datum_write(d, b);
    for (size_t i = 0; i < n; i++) {
        char c = d->text.ptr[i];

        buf_add(b, (unsigned char)c < ' ' ? " " : &c, 1);
    }
    buf_add_text(b, n < d->text.len && quoted && n ? "..." : "");
    buf_add_text(b, quoted ? "'" : "");
}

static void
add_warning(struct search *s, struct buf *b)
{
    if (!useful_add(s->a, b, s->out->warnings, &s->out->n_warnings))
        s->failed = true;
}

static void
warn_of_value(struct search *s, const struct compared *c,
              const struct datum *near)
{
    struct buf b;

    buf_init(&b, NULL, SENTENCE_MAX);
    write_value(&c->literal->value, &b);
    buf_add_text(&b, " is not among the public values of ");
    words_expr(c->column, &b);
    if (near) {
        buf_add_text(&b, "; nearest: ");
        write_value(near, &b);
    }
    add_warning(s, &b);
}

static void
write_range(const struct datum *low, const struct datum *high, struct buf *b)
{
    write_value(low, b);
    buf_add_text(b, " to ");
    write_value(high, b);
}

static void
warn_of_range(struct search *s, const struct compared *c)
{
    struct buf b;

    buf_init(&b, NULL, SENTENCE_MAX);
    write_value(&c->literal->value, &b);
    buf_add_text(&b, " is outside the public range of ");
    words_expr(c->column, &b);
    buf_add_text(&b, ", ");
    write_range(&c->of->lower, &c->of->upper, &b);
    add_warning(s, &b);
}

static void
warn_of_order(struct search *s, const struct compared *c,
              const struct datum *low, const struct datum *high)
{
    struct buf b;

    buf_init(&b, NULL, SENTENCE_MAX);
    words_expr(c->whole, &b);
    buf_add_text(&b, " is never true: the public range of ");
    words_expr(c->column, &b);
    buf_add_text(&b, " is ");
    write_range(low, high, &b);
    add_warning(s, &b);
}

/* --------------------------------------------------------------- values -- */

/* The index of the first value that is not below d. */
static size_t
value_at(const struct policy_column *of, const struct datum *d)
{
    size_t low = 0, high = of->n_values;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (datum_cmp(&of->values[mid], d) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* The text that is most likely meant, or NULL. */
static const struct datum *
nearest_text(const struct policy_column *of, str text)
{
    size_t best_edits = EDITS_MANY, compared = 0;
    const struct datum *best = NULL;

    for (size_t i = 0; i < of->n_values && compared < COMPARED_MAX; i++) {
        const struct datum *v = &of->values[i];
        size_t longer = v->text.len > text.len ? v->text.len - text.len
                                               : text.len - v->text.len;
        size_t edits;

        if (!edits_are_few(longer, text.len))
            continue;
        compared++;
        edits = edits_between(text, v->text);
        if (edits < best_edits && edits_are_few(edits, text.len)) {
            best_edits = edits;
            best = v;
        }
    }
    return best;
}

/* Is d at most as far from `low` as from `high`? All are numbers or times. */
static bool
is_nearer_low(const struct datum *low, const struct datum *high,
              const struct datum *d)
{
    const struct datum *of[] = {low, high, d};
    bool nearer;
    rat x[3], step;

    rat_init(&step);
    for (size_t i = 0; i < COUNT_OF(x); i++) {
        rat_init(&x[i]);
        rat_set_i128(&x[i], of[i]->n);
        grid_step((struct grid){10, of[i]->scale}, &step);
        rat_mul(&x[i], &x[i], &step);
    }
    rat_sub(&x[0], &x[2], &x[0]);
    rat_sub(&x[1], &x[1], &x[2]);
    nearer = rat_cmp(&x[0], &x[1]) <= 0;
    for (size_t i = 0; i < COUNT_OF(x); i++)
        rat_clear(&x[i]);
    rat_clear(&step);
    return nearer;
}

/* The declared value nearest to one that is not declared, or NULL. */
static const struct datum *
nearest_value(const struct policy_column *of, const struct datum *d)
{
    size_t at;

    if (d->type == TYPE_TEXT)
        return nearest_text(of, d->text);
    at = value_at(of, d);
    if (at == of->n_values ||
        (at > 0 && is_nearer_low(&of->values[at - 1], &of->values[at], d)))
        at--;
    return &of->values[at];
}

static bool
has_value(const struct policy_column *of, const struct datum *d)
{
    size_t at = value_at(of, d);

    return at < of->n_values && datum_cmp(&of->values[at], d) == 0;
}

/* ---------------------------------------------------------- comparisons -- */

static bool
can_compare(enum data_type a, enum data_type b)
{
    return a != TYPE_NULL &&
           (a == b || (data_type_is_number(a) && data_type_is_number(b)));
}

/* Examines `column = literal`, or one literal of an IN list. */
static void
examine_equal(struct search *s, const struct compared *c)
{
    const struct datum *d = &c->literal->value;

    if (c->of->n_values > 0 && can_compare(d->type, c->of->values[0].type)) {
        if (!has_value(c->of, d))
            warn_of_value(s, c, nearest_value(c->of, d));
    } else if (c->of->has_range && can_compare(d->type, c->of->lower.type) &&
               (datum_cmp(d, &c->of->lower) < 0 ||
                datum_cmp(d, &c->of->upper) > 0)) {
        warn_of_range(s, c);
    }
}

/* Examines `column < literal` and the like. Half of these are true of every row
   (day < '2021-01-01'), which is no mistake; those that never hold are. */
static void
examine_order(struct search *s, const struct compared *c, enum call op)
{
    const struct datum *d = &c->literal->value;
    bool listed = c->of->n_values > 0;
    const struct datum *low = listed ? &c->of->values[0] : &c->of->lower;
    const struct datum *high =
        listed ? &c->of->values[c->of->n_values - 1] : &c->of->upper;
    bool never = false;

    if ((!listed && !c->of->has_range) || !can_compare(d->type, low->type) ||
        d->type == TYPE_TEXT)
        return;
    if (op == CALL_LT || op == CALL_LE)
        never = datum_cmp(low, d) >= (op == CALL_LT ? 0 : 1);
    else
        never = datum_cmp(d, high) >= (op == CALL_GT ? 0 : 1);
    if (never)
        warn_of_order(s, c, low, high);
}

/* The comparison with its sides exchanged. */
static enum call
mirror(enum call op)
{
    return op == CALL_LT   ? CALL_GT
           : op == CALL_GT ? CALL_LT
           : op == CALL_LE ? CALL_GE
           : op == CALL_GE ? CALL_LE
                           : op;
}

/* Sets the sides of a comparison; false: it is not of a column and a literal. */
static bool
compared_make(const struct policy_table *t, const struct expr *e, size_t column,
              size_t literal, struct compared *out)
{
    const struct expr *of = e->args[column], *to = e->args[literal];

    if (of->kind != EXPR_COLUMN || to->kind != EXPR_LITERAL || of->slot < 0 ||
        (size_t)of->slot >= t->n_columns || to->value.type == TYPE_NULL)
        return false;
    *out = (struct compared){
        .whole = e, .column = of, .literal = to, .of = &t->columns[of->slot]};
    return true;
}

static void
examine_call(struct search *s, const struct policy_table *t,
             const struct expr *e)
{
    bool orders = e->call == CALL_LT || e->call == CALL_LE ||
                  e->call == CALL_GT || e->call == CALL_GE;
    enum call op = e->call;
    struct compared c;

    if (op == CALL_BETWEEN) {
        if (compared_make(t, e, 0, 1, &c))
            examine_order(s, &c, CALL_GE);
        if (!is_full(s) && compared_make(t, e, 0, 2, &c))
            examine_order(s, &c, CALL_LE);
        return;
    }
    if (e->n_args != 2 || !(orders || op == CALL_EQ || op == CALL_NE))
        return;
    if (!compared_make(t, e, 0, 1, &c)) {
        if (!compared_make(t, e, 1, 0, &c))
            return;
        op = mirror(op);
    }
    if (orders)
        examine_order(s, &c, op);
    else
        examine_equal(s, &c);
}

static void
examine_expr(struct search *s, const struct policy_table *t,
             const struct expr *e)
{
    struct compared c;

    if (!e || is_full(s))
        return;
    if (e->kind == EXPR_CALL && !e->trusted)
        examine_call(s, t, e);
    for (size_t i = 1; e->kind == EXPR_IN && i < e->n_args && !is_full(s); i++)
        if (!e->trusted && compared_make(t, e, 0, i, &c))
            examine_equal(s, &c);
    for (size_t i = 0; i < e->n_args && !is_full(s); i++)
        examine_expr(s, t, e->args[i]);
}

/* ------------------------------------------------------------- the plan -- */

/* Its own expressions and those of the relations that it is made from. */
static void
examine_relation(struct search *s, const struct relation *r)
{
    const struct relation *over;

    if (!r || r->kind == RELATION_PUBLIC || is_full(s))
        return;
    over = r->kind == RELATION_JOIN ? r : r->left;
    if (over)
        examine_expr(s, over->as, r->on);
    for (size_t i = 0; i < r->n_exprs && r->left; i++)
        examine_expr(s, r->left->as, r->exprs[i]);
    examine_relation(s, r->left);
    examine_relation(s, r->right);
    for (size_t i = 0; i < r->n_branches; i++)
        examine_relation(s, r->branches[i]);
}

bool
plan_literals(arena *a, const struct plan *p, struct useful *out)
{
    struct search s = {.a = a, .out = out};

    examine_expr(&s, p->table, p->where);
    for (size_t i = 0; i < p->space.n_keys; i++)
        examine_expr(&s, p->table, p->space.keys[i].expr);
    for (size_t i = 0; i < p->n_aggregates; i++)
        examine_expr(&s, p->table, p->aggregates[i].expr);
    examine_relation(&s, p->from);
    for (size_t i = 0; i < p->n_queries; i++)
        examine_relation(&s, p->queries[i]);
    return !s.failed;
}
