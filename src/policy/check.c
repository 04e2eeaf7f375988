/*
 * Finds what is missing or dangerous in a usable policy. A danger is a promise
 * that protects less than it seems; advice is everything else, such as a column
 * without a range. Only the policy is read, no data.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "account/filter.h"
#include "base/base.h"
#include "base/error.h"
#include "policy/amounts.h"
#include "policy/node.h"
#include "policy/policy.h"

enum { SAID_MAX = 400 };

enum weight { ADVICE, DANGER };

struct remark {
    struct policy_remark said;
    size_t order;
    struct remark *next;
};

struct check {
    arena *a;
    const struct policy *p;
    struct remark *last; /* newest first */
    size_t n;
    bool failed;
};

CUSTOS_PRINTF(4, 5)
static void
add_remark(struct check *c, enum weight weight, int line, const char *said, ...)
{
    struct remark *remark = arena_take(c->a, 1, sizeof *remark);
    char text[SAID_MAX];
    va_list args;

    va_start(args, said);
    vsnprintf(text, sizeof text, said, args);
    va_end(args);
    if (remark)
        remark->said = (struct policy_remark){weight == DANGER, line,
                                              arena_copy(c->a, str_of(text))};
    if (!remark || !remark->said.said) {
        c->failed = true;
        return;
    }
    remark->order = c->n++;
    remark->next = c->last;
    c->last = remark;
}

static bool
is_zero(str text)
{
    return amounts_cmp(text, str_of("0")) == 0;
}

static void
check_format(struct check *c)
{
    if (c->p->format < POLICY_FORMAT)
        add_remark(c, ADVICE, c->p->format_line,
                   "the file has format %u, which lacks the keys of newer "
                   "ones; custos policy migrate writes it in format %d and "
                   "keeps its comments",
                   (unsigned)c->p->format, (int)POLICY_FORMAT);
}

/* -------------------------------------------------------------- budgets -- */

static void
check_budget(struct check *c)
{
    const struct policy *p = c->p;
    const struct policy_budget *b = &p->budget;
    bool pure = is_zero(b->delta);

    if (amounts_cmp(b->epsilon, str_of("10")) > 0)
        add_remark(
            c, DANGER, b->line,
            "epsilon %s is above 10: whatever may happen to somebody may "
            "become more than 20,000 times as likely by taking part; hardly "
            "anything is promised",
            b->epsilon.ptr);
    else if (amounts_cmp(b->epsilon, str_of("1")) > 0)
        add_remark(
            c, ADVICE, b->line,
            "epsilon %s is above 1, the usual upper end of strong promises; "
            "custos risk --epsilon %s says what it means",
            b->epsilon.ptr, b->epsilon.ptr);
    if (p->delta_forced && !pure)
        add_remark(
            c, DANGER, b->line,
            "force_delta keeps a delta of any size: at 1/n or more it permits "
            "publishing somebody's data outright");
    else if (!p->has_people && !pure)
        add_remark(
            c, DANGER, b->line,
            "n, the public number of people, is not given: nobody can check "
            "that delta %s is below 1/n",
            b->delta.ptr);
}

static void
check_query(struct check *c)
{
    const struct policy *p = c->p;

    if (amounts_cmp(p->default_epsilon, p->max_epsilon) > 0)
        add_remark(
            c, ADVICE, p->query_line,
            "a query that names no epsilon would take %s, above max_epsilon "
            "%s, and be rejected",
            p->default_epsilon.ptr, p->max_epsilon.ptr);
    if (amounts_cmp(p->max_epsilon, p->budget.epsilon) > 0)
        add_remark(
            c, ADVICE, p->query_line,
            "max_epsilon %s is above the whole budget %s: it limits nothing",
            p->max_epsilon.ptr, p->budget.epsilon.ptr);
    else if (amounts_cmp(p->max_epsilon, p->budget.epsilon) == 0)
        add_remark(
            c, ADVICE, p->query_line,
            "max_epsilon is not below the budget: one query may spend all of "
            "it");
}

/* A price in rho changes what everybody's charges are counted in. */
static void
check_rho(struct check *c)
{
    const struct policy *p = c->p;
    char limit[AMOUNT_TEXT_MAX];
    struct filter f;

    if (p->max_rho.len == 0)
        return;
    add_remark(c, ADVICE, p->query_line,
               "max_rho allows prices in rho: after the first of them the sum "
               "of epsilon is infinite, and the budget counts in rho alone, "
               "for everybody");
    if (filter_of_promise(p->budget.epsilon.ptr, p->budget.delta.ptr, &f, NULL))
        return;
    amount_write(f.limit[1], AMOUNT_LOSS, limit);
    if (amounts_cmp(p->max_rho, str_of(limit)) >= 0)
        add_remark(c, ADVICE, p->query_line,
                   "max_rho %s is not below %s, the rho that keeps the budget: "
                   "one query may spend all of it",
                   p->max_rho.ptr, limit);
}

/* --------------------------------------------------------------- tables -- */

static void
check_column(struct check *c, const struct policy_table *t, size_t i)
{
    const struct policy_column *column = &t->columns[i];
    bool pure = is_zero(c->p->query_delta) || column->type == TYPE_REAL;
    const char *grouped = pure ? "you cannot group by it"
                               : "if you group by it, only groups of many "
                                 "units are shown";
    str name = column->name;

    if ((!t->unit_is_row && t->unit_column == i) ||
        column->references_table.len > 0 || policy_is_key(c->p, t, column))
        return;
    if (column->find_range)
        add_remark(c, ADVICE, column->line,
                   "column '%.*s' has find_range: a query that sums, averages "
                   "or ranks it without limits of its own spends a fifth of "
                   "its price to find a range%s",
                   SHOWN(name),
                   column->has_range
                       ? ""
                       : ", which lies within -10^12 to 10^12 as long as the "
                         "column has no range of its own");
    else if (data_type_is_number(column->type) && !column->has_range &&
             !column->values)
        add_remark(
            c, ADVICE, column->line,
            "column '%.*s' has no range: a query that sums or averages it must "
            "state limits; %s",
            SHOWN(name), grouped);
    else if (column->type == TYPE_TEXT && !column->values)
        add_remark(c, ADVICE, column->line, "column '%.*s' has no values: %s",
                   SHOWN(name), grouped);
    else if ((column->type == TYPE_DATE || column->type == TYPE_TIMESTAMP) &&
             !column->has_range && !column->values)
        add_remark(
            c, ADVICE, column->line,
            "column '%.*s' has no range, so its years and months have none "
            "either: %s",
            SHOWN(name), grouped);
}

static void
check_source(struct check *c, const struct policy_source *s)
{
    for (size_t i = 0; i < c->p->n_tables; i++)
        if (c->p->tables[i].from == s)
            return;
    add_remark(c, ADVICE, s->line, "no table is from the source '%.*s'",
               SHOWN(s->name));
}

static void
check_table(struct check *c, const struct policy_table *t)
{
    if (t->is_public)
        return;
    if (t->unit_is_row)
        add_remark(
            c, ADVICE, t->line,
            "table '%.*s' protects single rows: somebody with k rows is "
            "promised only k times epsilon; if a column names people, let it "
            "be the unit",
            SHOWN(t->name));
    else if (!policy_rows_known(c->p, t))
        add_remark(
            c, ADVICE, t->line,
            "table '%.*s' does not say rows_per_unit: each query spends a "
            "quarter of its epsilon on choosing a bound; where a unit has one "
            "row, say rows_per_unit: 1",
            SHOWN(t->name));
    if (t->exact_rows > 0 && c->p->adjacency != CUSTOS_CHANGE_ONE)
        add_remark(
            c, ADVICE, t->line,
            "exact_rows of table '%.*s' only checks the import: a number of "
            "rows is public with adjacency: change-one alone",
            SHOWN(t->name));
    if (!t->max_rows_given)
        add_remark(
            c, ADVICE, t->line,
            "table '%.*s' has no max_rows: every custos init charges for a "
            "noisy count, since reply times depend on the number of rows",
            SHOWN(t->name));
    for (size_t i = 0; i < t->n_columns; i++)
        check_column(c, t, i);
}

/* ------------------------------------------------------------- analysts -- */

static void
check_own_budget(struct check *c, const struct policy_analyst *who)
{
    const struct policy_budget *all = &c->p->budget, *own = &who->budget;

    if (amounts_cmp(own->epsilon, all->epsilon) > 0)
        add_remark(
            c, ADVICE, own->line,
            "the epsilon of '%.*s', %s, is above the common %s, which is "
            "spent first",
            SHOWN(who->name), own->epsilon.ptr, all->epsilon.ptr);
    if (amounts_cmp(own->delta, all->delta) > 0)
        add_remark(c, ADVICE, own->line,
                   "the delta of '%.*s', %s, is above the common %s, which is "
                   "spent first",
                   SHOWN(who->name), own->delta.ptr, all->delta.ptr);
    if (is_zero(own->delta) && !is_zero(all->delta))
        add_remark(c, ADVICE, own->line,
                   "'%.*s' has no delta: answers come with Laplace noise only",
                   SHOWN(who->name));
}

/* Without a delta, a budget or window has no sum of rho. */
static void
check_own_rho(struct check *c, const struct policy_analyst *who)
{
    bool budget = who->has_budget && is_zero(who->budget.delta);
    bool window = who->has_window && is_zero(who->window.delta);

    if (c->p->max_rho.len > 0 && (budget || window))
        add_remark(c, ADVICE, budget ? who->budget.line : who->window.line,
                   "'%.*s' cannot ask at a price in rho: the %s has no delta",
                   SHOWN(who->name), budget ? "budget" : "window");
}

static void
check_analyst(struct check *c, const struct policy_analyst *who)
{
    check_own_rho(c, who);
    if (who->has_budget)
        check_own_budget(c, who);
    else
        add_remark(c, ADVICE, who->line,
                   "'%.*s' has no budget and may spend all of the common one",
                   SHOWN(who->name));
    if (!who->grants)
        add_remark(c, ADVICE, who->line,
                   "'%.*s' has no list of tables and may use every one",
                   SHOWN(who->name));
    if (who->has_window &&
        amounts_cmp(who->window.epsilon, who->has_budget
                                             ? who->budget.epsilon
                                             : c->p->budget.epsilon) >= 0)
        add_remark(
            c, ADVICE, who->window.line,
            "the window of '%.*s' is no smaller than the budget: it never "
            "slows them down",
            SHOWN(who->name));
}

enum kind { EPSILON, DELTA };

static str
amount_of(const struct policy_budget *b, enum kind kind)
{
    return kind == DELTA ? b->delta : b->epsilon;
}

/* Compares the sum of all analysts' own budgets, in epsilon or in delta, with
   the common budget. */
static void
check_sum(struct check *c, enum kind kind)
{
    const struct policy *p = c->p;
    str most = amount_of(&p->budget, kind);
    struct buf text;
    size_t n = 0;
    int line = 0;
    rat sum, all;

    rat_init(&sum);
    rat_init(&all);
    buf_init(&text, NULL, SAID_MAX);
    amounts_add(&all, most);
    for (size_t i = 0; i < p->n_analysts; i++) {
        const struct policy_analyst *who = &p->analysts[i];

        if (!who->has_budget)
            continue;
        amounts_add(&sum, amount_of(&who->budget, kind));
        n++;
        line = line ? line : who->line;
    }
    rat_write(&sum, &text);
    if (n > 1 && rat_cmp(&sum, &all) > 0)
        add_remark(
            c, ADVICE, line,
            "analysts are overcommitted: the %s of %zu of them adds up to %s, "
            "above the common %s; whoever asks last may find it spent",
            kind == DELTA ? "delta" : "epsilon", n,
            text.failed ? "more" : buf_text(&text), most.ptr);
    buf_clear(&text);
    rat_clear(&sum);
    rat_clear(&all);
}

/* ------------------------------------------------------------- together -- */

static int
remark_cmp(const void *a, const void *b)
{
    const struct remark *x = a, *y = b;

    if (x->said.line != y->said.line)
        return x->said.line < y->said.line ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static custos_status
in_order(struct check *c, struct policy_remark **out)
{
    struct remark *all = arena_take(c->a, c->n + 1, sizeof *all);
    struct policy_remark *said = arena_take(c->a, c->n + 1, sizeof *said);
    size_t n = 0;

    if (c->failed || !all || !said)
        return CUSTOS_ENOMEM;
    for (const struct remark *r = c->last; r; r = r->next)
        all[n++] = *r;
    qsort(all, n, sizeof *all, remark_cmp);
    for (size_t i = 0; i < n; i++)
        said[i] = all[i].said;
    *out = said;
    return CUSTOS_OK;
}

custos_status
policy_check(arena *a, const struct policy *p, struct policy_remark **out,
             size_t *n, custos_err *err)
{
    struct check c = {.a = a, .p = p};

    check_format(&c);
    check_budget(&c);
    check_query(&c);
    check_rho(&c);
    for (size_t i = 0; i < p->n_sources; i++)
        check_source(&c, &p->sources[i]);
    for (size_t i = 0; i < p->n_tables; i++)
        check_table(&c, &p->tables[i]);
    for (size_t i = 0; i < p->n_analysts; i++)
        check_analyst(&c, &p->analysts[i]);
    check_sum(&c, EPSILON);
    check_sum(&c, DELTA);
    if (in_order(&c, out))
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    *n = c.n;
    return CUSTOS_OK;
}

/* -------------------------------------------------------------- as words -- */

void
policy_remark_write(const struct policy_remark *r, struct buf *out)
{
    buf_printf(out, "line %d: %s%s.", r->line, r->danger ? "danger: " : "",
               r->said);
}

static void
add_count(struct buf *out, size_t n, const char *what, const char *after)
{
    buf_printf(out, "%zu %s%s%s", n, what, n == 1 ? "" : "s", after);
}

void
policy_summary_write(const struct policy *p,
                     const struct policy_remark *remarks, size_t n,
                     struct buf *out)
{
    size_t dangers = 0;

    for (size_t i = 0; i < n; i++)
        dangers += remarks[i].danger;
    buf_add_text(out, "can be used: ");
    add_count(out, p->n_tables, "table", ", ");
    add_count(out, p->n_analysts, "analyst", ", ");
    add_count(out, dangers, "danger", ", ");
    add_count(out, n - dangers, "remark", ".");
}
