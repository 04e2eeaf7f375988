/* `custos synopsis info`: what a synopsis has, and what it cost. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/args.h"
#include "cli/cli.h"
#include "cli/help.h"
#include "cli/out.h"
#include "cli/number.h"
#include "cli/synopsis.h"
#include "synopsis/steps.h"
#include "synth/price.h"

enum { SETS_SHOWN = 100, AMOUNT_SHOWN = 14, STEP_BYTES = 2 * NUMBER_MAX };

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
    if (str_equal(f->epsilon, str_of("infinity")))
        out_printf(o, "%-10s rho %.*s (zCDP)\n", "promise", (int)f->rho.len,
                   f->rho.ptr);
    else
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
    out_text(o,
             c->nullable && c->coding != SCHEMA_NUMBER ? ", or NULL\n" : "\n");
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
    for (size_t i = 0; i < r->n_ranges; i++) {
        const struct released_range *x = &r->ranges[i];
        char rho[AMOUNT_TEXT_MAX];

        amount_write(x->rho, AMOUNT_LOSS, rho);
        out_printf(o, "%10zu %9.2f  %14.*s  ", x->cells, sqrt(x->variance),
                   AMOUNT_SHOWN, rho);
        print_set(o, s->schema, colset_of(x->column));
        out_text(o, " (running sums, before the others)\n");
    }
}

/*
 * As arguments for custos account, which is how anybody can check the price: first the
 * measurements, then the selections. sigma is that of the noise, as the file has it,
 * rounded up in its last digit; equal steps are one argument.
 */
static void
write_gaussian(const rat *l2_squared, double variance, char *text, size_t room)
{
    char squared[NUMBER_MAX] = "";

    if (rat_write_into(l2_squared, squared, sizeof squared))
        snprintf(text, room,
                 "discrete-gaussian:sigma=%.14g:sensitivity-squared=%s",
                 sqrt(variance) * (1 + 1e-13), squared);
}

static void
write_measurement(const struct synopsis *s, const struct released_table *t,
                  char *text, size_t room)
{
    rat l2_squared;

    rat_init(&l2_squared);
    step_l2_squared(s, t, &l2_squared);
    write_gaussian(&l2_squared, t->variance, text, room);
    rat_clear(&l2_squared);
}

/* In steps of its lattice, which the accountant's laws are on. */
static void
write_range(const struct synopsis *s, const struct released_range *r,
            char *text, size_t room)
{
    arena *a = arena_new(NULL, SYNOPSIS_ARENA_BYTES);
    rat l2_squared;
    int bits;

    rat_init(&l2_squared);
    if (a && step_range_l2_squared(a, s, r, &l2_squared, &bits))
        write_gaussian(&l2_squared, ldexp(r->variance, 2 * bits), text, room);
    rat_clear(&l2_squared);
    arena_free(a);
}

static void
write_selection(amount rho, char *text, size_t room)
{
    char epsilon[NUMBER_MAX];
    rat e;

    rat_init(&e);
    price_epsilon(rho, &e);
    if (rat_write_into(&e, epsilon, sizeof epsilon))
        snprintf(text, room, "exponential:epsilon=%s", epsilon);
    rat_clear(&e);
}

static void
write_step(const struct synopsis *s, size_t i, char text[STEP_BYTES])
{
    const struct released *r = s->released;

    *text = '\0';
    if (i < r->n_ranges)
        write_range(s, &r->ranges[i], text, STEP_BYTES);
    else if (i - r->n_ranges < r->n_tables)
        write_measurement(s, &r->tables[i - r->n_ranges], text, STEP_BYTES);
    else
        write_selection(r->choices[i - r->n_ranges - r->n_tables], text,
                        STEP_BYTES);
}

/* Files of the first versions do not say what their selections cost, and there were
   some unless all tables were asked for or there are only single columns. */
static bool
tells_all_steps(const struct synopsis *s)
{
    const struct released *r = s->released;
    bool is_chosen = false;

    for (size_t i = 0; i < r->n_tables; i++)
        is_chosen = is_chosen || (r->tables[i].kind == RELEASED_COUNTS &&
                                  colset_count(r->tables[i].set) > 1);
    return r->n_tables > 0 && (r->n_choices > 0 || !is_chosen);
}

static void
print_price(struct out *o, const struct synopsis *s)
{
    const bool change_one = str_equal(s->facts.adjacency, str_of("change-one"));
    const str delta = str_equal(s->facts.delta, str_of("0"))
                          ? str_of("1e-9") /* any: the price is a rho */
                          : s->facts.delta;
    const struct released *r = s->released;
    const size_t n = r->n_ranges + r->n_tables + r->n_choices;
    char step[STEP_BYTES], next[STEP_BYTES];
    size_t count = 1;

    if (!tells_all_steps(s))
        return;
    out_printf(o,
               "\nTo compute the price again (row zCDP)\n"
               "  custos account compose --delta %.*s%s",
               (int)delta.len, delta.ptr,
               change_one ? " --adjacency change-one" : "");
    write_step(s, 0, step);
    for (size_t i = 1; i <= n; i++, count++) {
        *next = '\0';
        if (i < n)
            write_step(s, i, next);
        if (!strcmp(step, next))
            continue;
        out_printf(o, " \\\n    --mechanism %s:count=%zu", step, count);
        memcpy(step, next, sizeof step);
        count = 0;
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
    .summary = "columns, tables, noise, price and receipt",
    .usage = "synopsis info FILE",
    .about = "The price of each table is a rho; together they are at most the "
             "price of the release, which the last command shown computes "
             "again.",
    .examples = "custos synopsis info synopsis.custos\n",
    .run = run_synopsis_info,
};
