/* `custos synopsis info`: what a synopsis has, and what it cost. */
#include <inttypes.h>
#include <math.h>
#include <unistd.h>

#include "cli/args.h"
#include "cli/cli.h"
#include "cli/help.h"
#include "cli/out.h"
#include "cli/number.h"
#include "cli/synopsis.h"
#include "release/measuring.h"
#include "synopsis/synopsis.h"
#include "synth/price.h"

enum { SETS_SHOWN = 100, TEXT_BYTES = 1 << 12, AMOUNT_SHOWN = 14 };

static void
print_fact(struct out *o, const char *name, str value)
{
    if (value.len)
        out_printf(o, "%-10s %.*s\n", name, (int)value.len, value.ptr);
}

static void
print_facts(struct out *o, const struct synopsis *s)
{
    const struct synopsis_facts *f = &s->facts;

    print_fact(o, "table", s->schema->table);
    out_printf(o, "%-10s epsilon %.*s, delta %.*s\n", "promise",
               (int)f->epsilon.len, f->epsilon.ptr, (int)f->delta.len,
               f->delta.ptr);
    out_printf(o, "%-10s rho %.*s\n", "price", (int)f->rho.len, f->rho.ptr);
    print_fact(o, "neighbours", f->adjacency);
    out_printf(o, "%-10s %.*s, of whom at most %" PRIu64 " row%s count\n",
               "unit", (int)f->unit.len, f->unit.ptr, f->rows_per_unit,
               f->rows_per_unit == 1 ? "" : "s");
    print_fact(o, "method", f->method);
    out_printf(o, "%-10s %" PRIu64 "  %.*s\n", "receipt", f->receipt,
               (int)f->receipt_hash.len, f->receipt_hash.ptr);
    print_fact(o, "theorems", f->theorems);
    print_fact(o, "made by", f->version);
    if (s->model)
        out_printf(o, "%-10s %.0f, expected by the model\n", "rows",
                   s->model->total);
}

static void
print_column(struct out *o, const struct schema_column *c, size_t width)
{
    out_printf(o, "  %-*.*s  %-9s  ", (int)width, (int)c->name.len, c->name.ptr,
               data_type_name(c->type));
    switch (c->coding) {
    case SCHEMA_NUMBER: out_text(o, "not measured: a number of the row"); break;
    case SCHEMA_VALUES: out_printf(o, "%" PRIu32 " values", c->n); break;
    case SCHEMA_CUTS: out_printf(o, "%" PRIu32 " runs", c->n); break;
    }
    out_text(o, c->nullable ? ", or NULL\n" : "\n");
}

static void
print_columns(struct out *o, const struct schema *s)
{
    size_t width = 0;

    out_text(o, "\nColumns\n");
    for (size_t i = 0; i < s->n; i++)
        width = s->columns[i].name.len > width ? s->columns[i].name.len : width;
    for (size_t i = 0; i < s->n; i++)
        print_column(o, &s->columns[i], width);
}

static void
print_set(struct out *o, const struct schema *s, struct colset set)
{
    const char *comma = "";

    if (colset_is_empty(set))
        out_text(o, "all rows");
    COLSET_EACH(c, set)
    {
        const str name = s->columns[s->column[c]].name;

        out_printf(o, "%s%.*s", comma, (int)name.len, name.ptr);
        comma = ", ";
    }
}

static void
print_tables(struct out *o, const struct synopsis *s)
{
    const struct released *r = s->released;

    out_text(o, "\nNoisy tables, in the order in which they were measured\n"
                "     cells     sigma             rho  columns\n");
    for (size_t i = 0; i < r->n_tables && i < SETS_SHOWN; i++) {
        const struct released_table *t = &r->tables[i];
        char rho[AMOUNT_TEXT_MAX];

        amount_write(t->rho, AMOUNT_LOSS, rho);
        out_printf(o, "%10zu %9.2f  %14.*s  ", t->cells, sqrt(t->variance),
                   AMOUNT_SHOWN, rho);
        print_set(o, s->schema, t->set);
        out_text(o, t->kind == RELEASED_RESIDUAL ? " (residual)\n" : "\n");
    }
    if (r->n_tables > SETS_SHOWN)
        out_printf(o, "  and %zu more\n", r->n_tables - SETS_SHOWN);
}

/* As arguments for custos account, which is how anybody can check the price. sigma is
   rounded up in its last digit. */
static void
print_steps(struct out *o, uint64_t l2_squared, bool selects, amount rho,
            size_t n)
{
    char epsilon[NUMBER_MAX];
    rat e;

    if (!selects) {
        out_printf(o,
                   " \\\n    --mechanism discrete-gaussian:sigma=%.14g:"
                   "sensitivity-squared=%" PRIu64 ":count=%zu",
                   price_sigma(rho, l2_squared) * (1 + 1e-13), l2_squared, n);
        return;
    }
    rat_init(&e);
    price_epsilon(rho, &e);
    if (rat_write_into(&e, epsilon, sizeof epsilon))
        out_printf(o, " \\\n    --mechanism exponential:epsilon=%s:count=%zu",
                   epsilon, n);
    rat_clear(&e);
}

/* The price of step i: first the measurements, then the selections. */
static amount
step_price(const struct released *r, size_t i)
{
    return i < r->n_tables ? r->tables[i].rho : r->choices[i - r->n_tables];
}

static void
print_price(struct out *o, const struct synopsis *s)
{
    const struct released *r = s->released;
    const bool change_one = str_equal(s->facts.adjacency, str_of("change-one"));
    const str delta = str_equal(s->facts.delta, str_of("0"))
                          ? str_of("1e-9") /* any: the price is a rho */
                          : s->facts.delta;
    const size_t n = r->n_tables + r->n_choices;
    uint64_t l1, l2_squared;

    /* Nothing had to be chosen for one table of counts. Else this is an older file,
       which does not say what choices cost, or has residuals. */
    if (r->n_choices == 0 &&
        (r->n_tables != 1 || r->tables[0].kind != RELEASED_COUNTS))
        return;
    measuring_bounds(change_one ? CUSTOS_CHANGE_ONE : CUSTOS_ADD_REMOVE,
                     s->facts.rows_per_unit, &l1, &l2_squared);
    out_printf(o,
               "\nTo compute the price again (row zCDP)\n"
               "  custos account compose --delta %.*s%s",
               (int)delta.len, delta.ptr,
               change_one ? " --adjacency change-one" : "");
    for (size_t i = 0, next; i < n; i = next) {
        const size_t end = i < r->n_tables ? r->n_tables : n;

        for (next = i + 1;
             next < end && step_price(r, next) == step_price(r, i);)
            next++;
        print_steps(o, l2_squared, i >= r->n_tables, step_price(r, i),
                    next - i);
    }
    out_text(o, "\n");
}

static void
print_workload(struct out *o, const struct synopsis *s)
{
    if (s->n_workload == 0)
        return;
    out_printf(o, "\nAsked for: %zu tables\n", s->n_workload);
    for (size_t i = 0; i < s->n_workload && i < SETS_SHOWN; i++) {
        out_text(o, "  ");
        print_set(o, s->schema, s->workload[i]);
        out_text(o, "\n");
    }
    if (s->n_workload > SETS_SHOWN)
        out_printf(o, "  and %zu more\n", s->n_workload - SETS_SHOWN);
}

static int
run_synopsis_info(const struct verb *verb, int argc, char **argv)
{
    custos_err err = CUSTOS_ERR_INIT;
    struct synopsis *s = NULL;
    struct args args;
    struct out o;
    arena *a;
    custos_status st;
    int code = args_read(verb, argc, argv, &args);

    if (code || args.help)
        return code ? code : help_of_verb(verb);
    if (args.n_words != 1)
        return fail_usage("synopsis info needs a file");
    a = arena_new(NULL, SYNOPSIS_ARENA_BYTES);
    st = a ? synopsis_read(a, args.words[0], &s, &err) : CUSTOS_ENOMEM;
    if (st) {
        code = fail_status(st, &err);
    } else {
        out_init(&o, STDOUT_FILENO);
        print_facts(&o, s);
        print_columns(&o, s->schema);
        print_tables(&o, s);
        print_workload(&o, s);
        print_price(&o, s);
        code = out_end(&o);
    }
    synopsis_close(s);
    arena_free(a);
    return code;
}

const struct verb verb_synopsis_info = {
    .name = "synopsis info",
    .summary =
        "show what a synopsis has: columns, tables, noise, price, receipt",
    .usage = "synopsis info FILE",
    .about = "The price of each table is a rho; together they are at most the "
             "price of the release, which the last command shown computes "
             "again.",
    .examples = "custos synopsis info synopsis.custos\n",
    .run = run_synopsis_info,
};
