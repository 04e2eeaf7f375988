/*
 * EXPLAIN: what a plan does, in lines of words and numbers, all public.
 */
#include "num/rat_round.h"
#include "plan/work.h"

enum { SHORT_TEXT = 12, DIGITS = 6 };

/* Exact where that is short, else six digits, rounded up. */
static void
write_number(struct buf *out, const rat *r)
{
    char text[RAT_DECIMAL_MAX];
    struct buf exact;
    long places;
    rat x;

    buf_init(&exact, NULL, 1 << 12);
    rat_write(r, &exact);
    if (!exact.failed && exact.len <= SHORT_TEXT) {
        buf_add(out, buf_text(&exact), exact.len);
    } else {
        rat_init(&x);
        places = DIGITS - 1 - rat_log2_floor(r) * 30103 / 100000;
        rat_places_up(&x, r, places > 0 ? (unsigned)places : 0);
        rat_decimal(&x, RAT_UP, text);
        buf_add_text(out, text);
        rat_clear(&x);
    }
    buf_clear(&exact);
}

/* n steps of a grid, as a number. */
static void
write_steps(struct buf *out, i128 n, struct grid g)
{
    rat x, step;

    rat_init(&x);
    rat_init(&step);
    rat_set_i128(&x, n);
    grid_step(g, &step);
    rat_mul(&x, &x, &step);
    if (rat_sign(&x) < 0) {
        buf_add_text(out, "-");
        rat_abs(&x, &x);
    }
    write_number(out, &x);
    rat_clear(&x);
    rat_clear(&step);
}

/* ----------------------------------------------------------- what it is -- */

static void
explain_protected(const struct plan *p, struct buf *out)
{
    const struct policy_table *t = p->table;
    bool change = p->policy->adjacency == CUSTOS_CHANGE_ONE;

    buf_add_text(out, "protects   ");
    if (t->unit_is_row)
        buf_printf(out, "each row of %.*s", SHOWN(t->name));
    else
        buf_printf(out, "each %.*s of %.*s, with all its rows",
                   SHOWN(t->columns[t->unit_column].name), SHOWN(t->name));
    buf_printf(out, "; neighbours differ in one that is %s\n",
               change ? "replaced (change-one)"
                      : "there or not (add-remove)");
}

static void
explain_bounding(const struct plan *p, struct buf *out)
{
    static const char *const HOW[] = {
        [BOUND_NONE] = "",
        [BOUND_RANK] = ", by rank, before WHERE",
        [BOUND_FOLD] = ", by rank, of those that pass WHERE",
        [BOUND_GENERAL] = ", by rank, of those that pass WHERE, in the "
                          "engine's SQL",
    };

    buf_add_text(out, "bounding   ");
    if (p->bounding == BOUND_NONE) {
        buf_add_text(out, "none needed: a row is a unit\n");
        return;
    }
    buf_printf(out, "%llu row%s of a unit, in %llu group%s%s%s\n",
               (unsigned long long)p->rows, p->rows == 1 ? "" : "s",
               (unsigned long long)p->groups, p->groups == 1 ? "" : "s",
               HOW[p->bounding],
               p->bounding == BOUND_RANK && p->where
                   ? ": rows that would pass may be left out"
                   : "");
}

static void
explain_groups(const struct plan *p, struct buf *out)
{
    if (p->n_keys == 0)
        return;
    buf_printf(out, "groups     %zu, all shown:", p->cells);
    for (size_t i = 0; i < p->n_keys; i++) {
        const struct key *k = &p->keys[i];

        buf_add_text(out, i > 0 ? ", by " : " by ");
        sql_print_expr(k->expr, out);
        buf_printf(out, " (%zu%s)", k->n, k->null_group ? " and NULL" : "");
    }
    buf_add_text(out, "\n");
}

/* ---------------------------------------------------------------- parts -- */

static void
explain_name(const struct part *part, struct buf *out)
{
    static const char *const NAMES[] = {
        [PART_ROWS] = "rows",          [PART_VALUES] = "values of ",
        [PART_SUM] = "sum of ",        [PART_SQUARES] = "squares of ",
        [PART_UNITS] = "distinct units",
    };

    buf_printf(out, "noise on   %s", NAMES[part->kind]);
    if (!part->of)
        return;
    sql_print_expr(part->of, out);
    if (part->kind == PART_VALUES)
        return;
    if (part->centre != 0) {
        buf_add_text(out, " less ");
        write_steps(out, part->centre, part->grid);
    }
    buf_add_text(out, ", each clamped to ");
    write_steps(out, part->lower, part->grid);
    buf_add_text(out, " .. ");
    write_steps(out, part->upper, part->grid);
}

/* The step of the released number: squares have the square of the value's. */
static struct grid
released_grid(const struct part *part)
{
    struct grid g = part->grid;

    if (part->kind == PART_SQUARES)
        g.digits *= 2;
    return g;
}

static void
explain_part(const struct part *part, struct buf *out)
{
    const custos_facts *f = custos_mech_facts(part->mech);
    struct grid g = released_grid(part);
    bool gauss = part->mech_kind == CUSTOS_GAUSSIAN;

    explain_name(part, out);
    buf_printf(out, "\n           %s, %s %s", gauss ? "Gaussian" : "Laplace",
               gauss ? "sigma" : "scale", f->scale);
    buf_add_text(out, "; sensitivity l1 ");
    write_number(out, &part->l1);
    buf_add_text(out, ", l2 squared ");
    write_number(out, &part->l2_squared);
    if (g.digits != 0) {
        buf_add_text(out, "; in steps of ");
        write_steps(out, 1, g);
    }
    buf_add_text(out, "\n           epsilon ");
    write_number(out, &part->epsilon);
    if (gauss) {
        buf_add_text(out, ", delta ");
        write_number(out, &part->delta);
    }
    buf_add_text(out, "; within ");
    write_steps(out, part->bar, g);
    buf_add_text(out, " at 95 %\n");
}

static void
explain_price(const struct plan *p, struct buf *out)
{
    buf_add_text(out, "price      epsilon ");
    write_number(out, &p->epsilon);
    buf_add_text(out, ", rho ");
    write_number(out, &p->rho);
    buf_add_text(out, ", delta ");
    write_number(out, &p->delta);
    buf_add_text(out, "\nrests on  ");
    for (size_t i = 0; i < p->n_theorems; i++)
        buf_printf(out, " %s", p->theorems[i]);
    buf_add_text(out, "\n");
}

void
plan_explain(const struct plan *p, struct buf *out)
{
    if (p->is_public) {
        buf_add_text(out, "public     no private row is read: the answer is "
                          "exact and free\n");
        return;
    }
    explain_protected(p, out);
    explain_bounding(p, out);
    explain_groups(p, out);
    for (size_t i = 0; i < p->n_parts; i++)
        explain_part(&p->parts[i], out);
    explain_price(p, out);
    for (size_t i = 0; i < p->n_remarks; i++)
        buf_printf(out, "note       %s\n", p->remarks[i]);
}
