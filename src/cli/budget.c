/*
 * `custos budget`: what is promised, spent and left, with bars. Amounts are
 * public; doubles are used only to draw them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/error.h"
#include "cli/args.h"
#include "cli/at_ledger.h"
#include "cli/at_store.h"
#include "cli/cli.h"
#include "cli/document.h"
#include "cli/help.h"
#include "cli/number.h"
#include "cli/paint.h"
#include "contract/contract.h"
#include "report/digits.h"

enum { BUDGET_STORE, BUDGET_AS, BUDGET_JSON, BUDGET_OPTIONS };

static const struct option options[BUDGET_OPTIONS] = {
    [BUDGET_STORE] = {"store", "DIR", STORE_HELP},
    [BUDGET_AS] = {"as", "ANALYST", "show this analyst only"},
    [BUDGET_JSON] = {"json", NULL, "print JSON"},
};

enum { BAR_COLUMNS = 22, NAME_COLUMNS = 12, DIGITS = 6, TERMS_BYTES = 1 << 26 };

/* ----------------------------------------------------------------- table -- */

static double
share_of(const struct ledger_balance *b)
{
    double limit = number_value(b->facts.limit);
    double share = limit > 0 ? number_value(b->facts.spent) / limit : 1;

    return share > 1 ? 1 : share;
}

static void
print_bar(struct painter *p, double share)
{
    int full = (int)(share * BAR_COLUMNS + 0.5);

    if (share > 0 && full == 0)
        full = 1;
    if (share < 1 && full == BAR_COLUMNS)
        full--;
    paint(p, PAINT_BAR);
    for (int i = 0; i < full; i++)
        out_text(p->o, "█");
    paint(p, PAINT_PLAIN);
    paint(p, PAINT_DIM);
    for (int i = full; i < BAR_COLUMNS; i++)
        out_text(p->o, "░");
    paint(p, PAINT_PLAIN);
}

/* One line: name, bar, percentage and amounts. */
static void
print_line(struct painter *p, str name, const struct ledger_balance *b)
{
    char spent[NUMBER_MAX], limit[NUMBER_MAX];

    out_text(p->o, "  ");
    cell_print(p->o, name, NAME_COLUMNS, CELL_PADDED);
    out_text(p->o, " ");
    print_bar(p, share_of(b));
    digits_up(b->facts.spent, DIGITS, spent);
    digits_down(b->facts.limit, DIGITS, limit);
    out_printf(p->o, " %3d %%  %s %s of %s, %" PRIu64 " charge%s\n",
               (int)(share_of(b) * 100 + 0.5), b->facts.currency, spent, limit,
               b->charges, b->charges == 1 ? "" : "s");
}

/* The line below a bar. */
static void
print_left(struct out *o, const struct ledger_balance *b)
{
    char left[NUMBER_MAX], spent[NUMBER_MAX], limit[NUMBER_MAX];

    digits_down(b->left_epsilon, DIGITS, left);
    out_printf(o, "  %*s left: epsilon %s", NAME_COLUMNS, "", left);
    if (strcmp(b->facts.member_delta_limit, "0") != 0) {
        digits_up(b->facts.member_delta_spent, DIGITS, spent);
        digits_down(b->facts.member_delta_limit, DIGITS, limit);
        out_printf(o, "; delta of queries %s of %s", spent, limit);
    }
    out_text(o, "\n");
}

/* Is x above y? Both are decimals of any length, as the ledger writes them. */
static bool
is_above(const char *x, const char *y)
{
    size_t nx = strcspn(x, "."), ny = strcspn(y, ".");

    return nx != ny ? nx > ny : strcmp(x, y) > 0;
}

/* Was more spent than the promise allows? Possible only after the budget was
   lowered. */
static bool
is_overdrawn(const custos_filter_facts *f)
{
    return is_above(f->spent, f->limit) ||
           is_above(f->member_delta_spent, f->member_delta_limit);
}

static void
print_overdrawn(struct out *o, const custos_filter_facts *f)
{
    bool by_delta = !is_above(f->spent, f->limit);
    char spent[NUMBER_MAX], limit[NUMBER_MAX];

    digits_up(by_delta ? f->member_delta_spent : f->spent, DIGITS, spent);
    digits_down(by_delta ? f->member_delta_limit : f->limit, DIGITS, limit);
    out_printf(o,
               "The budget was lowered below what is spent: the answers so far "
               "cost\n%s %s, and this promise allows %s. It does not hold for "
               "them, and no\nprivate query is answered until the budget is "
               "raised.\n",
               by_delta ? "delta" : f->currency, spent, limit);
}

/* What the promise means for one person. */
static void
print_meaning(struct out *o, const struct ledger_balance *b, bool pure)
{
    char factor[NUMBER_MAX];
    custos_risk *risk = NULL;
    custos_risk_facts facts = CUSTOS_RISK_FACTS_INIT;

    if (custos_risk_new(NULL, b->facts.epsilon, b->facts.delta, &risk, NULL) ==
            CUSTOS_OK &&
        custos_risk_report(risk, NULL, NULL, &facts, NULL) == CUSTOS_OK) {
        digits_up(facts.utility_factor, 4, factor);
        out_printf(o,
                   "When all of it is spent, any consequence of the answers is "
                   "at most %s times\nas likely as without any one "
                   "person's data%s.\n",
                   factor, pure ? "" : ", except with probability delta");
    }
    custos_risk_free(risk);
    if (!strcmp(b->facts.currency, "rho"))
        out_text(o,
                 "The sum of epsilon, or of the deltas beside it, exceeds "
                 "the promise, but the sum\nof rho, which grows more "
                 "slowly, still keeps it (theorem filter-best-of-both):\nrho "
                 "is counted now.\n");
}

static void
print_promise(struct painter *p, const struct ledger_balance *b)
{
    struct out *o = p->o;
    bool pure = strcmp(b->facts.delta, "0") == 0;

    paint(p, PAINT_BOLD);
    out_printf(o, "The promise: epsilon %s", b->facts.epsilon);
    if (!pure)
        out_printf(o, ", delta %s", b->facts.delta);
    out_text(o, ", for all answers to everybody together\n");
    paint(p, PAINT_PLAIN);
    if (is_overdrawn(&b->facts))
        print_overdrawn(o, &b->facts);
    else
        print_meaning(o, b, pure);
    out_text(o, "\n");
}

/* --------------------------------------------------------------- analysts -- */

static void
print_analyst(struct painter *p, const struct ledger_analyst *a,
              const struct ledger_balance *own,
              const struct ledger_balance *window)
{
    char name[NAME_COLUMNS + 8];

    if (own->limited) {
        print_line(p, a->name, own);
        print_left(p->o, own);
    } else {
        out_text(p->o, "  ");
        cell_print(p->o, a->name, NAME_COLUMNS, CELL_PADDED);
        out_printf(p->o, " shares the common budget, %" PRIu64 " charge%s\n",
                   own->charges, own->charges == 1 ? "" : "s");
    }
    if (window->limited) {
        snprintf(name, sizeof name, "- %" PRIu32 " day%s", a->window_days,
                 a->window_days == 1 ? "" : "s");
        print_line(p, str_of(name), window);
        print_left(p->o, window);
        out_printf(
            p->o, "  %*s each charge counts here for %" PRIu32 " day%s\n",
            NAME_COLUMNS, "", a->window_days, a->window_days == 1 ? "" : "s");
    }
}

static custos_status
report_analyst(struct ledger *l, struct painter *p,
               const struct ledger_analyst *a, custos_err *err)
{
    struct ledger_balance own, window;
    custos_status st = ledger_balance(l, a->name, &own, err);

    if (!st)
        st = ledger_window(l, a->name, clock_us(), &window, err);
    if (!st)
        print_analyst(p, a, &own, &window);
    return st;
}

/* `who` empty: every analyst. */
static custos_status
print_budgets(struct ledger *l, struct out *o, str who, arena *a,
              custos_err *err)
{
    struct ledger_balance common;
    struct ledger_terms terms;
    struct painter p;
    bool found = !who.len;
    custos_status st = ledger_terms_get(l, a, &terms, err);

    painter_init(&p, o);
    if (!st)
        st = ledger_balance(l, str_of(""), &common, err);
    if (!st) {
        print_promise(&p, &common);
        print_line(&p, str_of("common"), &common);
        print_left(o, &common);
    }
    for (size_t i = 0; !st && i < terms.n_analysts; i++) {
        if (who.len && !str_equal(terms.analysts[i].name, who))
            continue;
        st = report_analyst(l, &p, &terms.analysts[i], err);
        found = true;
    }
    return st || found ? st : ledger_fail_analyst(who, err);
}

static custos_status
print_json(struct ledger *l, struct out *o, str who, arena *a, custos_err *err)
{
    struct document d;
    custos_status st;

    document_begin(&d, o);
    st = contract_budget(&d.json, l, who, READER_OWNER, clock_us(), a, err);
    if (st)
        document_drop(&d);
    else
        document_end(&d);
    return st;
}

static int
run_budget(const struct verb *verb, int argc, char **argv)
{
    static struct out o;
    struct ledger *l = NULL;
    arena *a = NULL;
    struct args args;
    custos_err err = CUSTOS_ERR_INIT;
    custos_status st;
    int code = args_read_options(verb, argc, argv, &args);

    if (code || args.help)
        return code ? code : help_of_verb(verb);
    code = ledger_at(store_given(args.given[BUDGET_STORE]), &l);
    if (code)
        return code;
    a = arena_new(NULL, TERMS_BYTES);
    out_init(&o, STDOUT_FILENO);
    if (!a)
        st = custos_fail(&err, CUSTOS_ENOMEM, "out of memory");
    else
        st = (args.given[BUDGET_JSON] ? print_json : print_budgets)(
            l, &o, str_of(args.given[BUDGET_AS]), a, &err);
    code = st ? fail_status(st, &err) : out_end(&o);
    arena_free(a);
    ledger_close(l);
    return code;
}

const struct verb verb_budget = {
    .name = "budget",
    .summary = "show what is promised, spent and left",
    .usage = "budget [--store DIR] [--as ANALYST] [--json]",
    .about = "The common budget bounds what all answers together reveal about "
             "one person. It\n"
             "never refills, and neither do the budgets that analysts have of "
             "their own\n"
             "within it. A window limits what an analyst spends in a number of "
             "days: a charge\n"
             "leaves it after that many days, and there is room again. "
             "\"left\" is the largest\n"
             "single charge that each would still admit.",
    .examples = "custos budget\n"
                "custos budget --as ana\n"
                "custos budget --json",
    .options = options,
    .n_options = COUNT_OF(options),
    .run = run_budget,
};
