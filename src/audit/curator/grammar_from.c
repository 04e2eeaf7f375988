/*
 * What a query reads: a table, a subquery with computed columns, one row for
 * each person, unions, joins along references, with public tables and of one
 * person's rows with each other, and, for time, joins and texts that grow.
 */
#include <stdio.h>

#include "audit/curator/grammar.h"
#include "base/base.h"

enum { FROM_DEPTH = 3, EXPR_DEPTH = 2, TEXT_ROOM = GRAMMAR_TEXT_MAX };

static void
add_source(struct grammar *g, enum aim aim, int depth, struct scope *scope);

static void
add_name(struct grammar *g, str name)
{
    buf_printf(g->out, "\"%.*s\"", (int)name.len, name.ptr);
}

/* Expressions from here on see this scope. */
static const struct scope *
enter_scope(struct grammar *g, const struct scope *scope)
{
    const struct scope *before = g->scope;

    g->scope = scope;
    return before;
}

static bool
has_unit(const struct schema_table *t)
{
    return t && !t->is_public && !t->unit_is_row;
}

/* A private table; if possible one with a unit. */
static const struct schema_table *
pick_private(struct grammar *g)
{
    const struct schema_table *t = grammar_table(g, false);

    for (int i = 0; i < 8 && !has_unit(t); i++)
        t = grammar_table(g, false);
    return t;
}

/* ------------------------------------------------------------------ tables -- */

static void
add_table(struct grammar *g, struct scope *scope)
{
    const struct schema_table *t = pick_private(g);

    add_name(g, t->name);
    scope_add_table(scope, t, "");
}

/* Adds "table AS prefix". */
static void
add_named_table(struct grammar *g, const struct schema_table *t,
                struct scope *scope, char prefix[16])
{
    snprintf(prefix, 16, "t%u", g->serial++);
    add_name(g, t->name);
    buf_printf(g->out, " AS %s", prefix);
    scope_add_table(scope, t, prefix);
}

/* ------------------------------------------------------------------- joins -- */

/* " = " of two columns of one type, one on each side; or a condition. */
static void
add_condition(struct grammar *g, const struct scope *scope, size_t left)
{
    const struct scope *before = enter_scope(g, scope);
    unsigned kind = grammar_below(g, 10);
    bool done = false;

    for (int i = 0; i < 20 && kind < 5 && scope->n > left; i++) {
        const struct scope_column *a = &scope->column[grammar_below(g, left)];
        const struct scope_column *b =
            &scope->column[left + grammar_below(g, scope->n - left)];

        if (a->type != b->type)
            continue;
        buf_printf(g->out, "%s = %s", a->name, b->name);
        done = true;
        break;
    }
    if (!done && kind < 8)
        buf_add_text(g->out, "true");
    else if (!done)
        grammar_expr(g, 'b', EXPR_DEPTH);
    g->scope = before;
}

static void
add_public_join(struct grammar *g, struct scope *scope)
{
    const struct schema_table *t = pick_private(g), *p = grammar_table(g, true);
    char prefix[16];
    size_t left;

    add_named_table(g, t, scope, prefix);
    if (!p)
        return;
    left = scope->n;
    buf_add_text(g->out, grammar_chance(g, 30) ? " LEFT JOIN " : " JOIN ");
    add_named_table(g, p, scope, prefix);
    buf_add_text(g->out, " ON ");
    add_condition(g, scope, left);
}

static void
add_reference_join(struct grammar *g, struct scope *scope)
{
    const struct schema_table *t = pick_private(g);
    char a[16], b[16];
    size_t at = t->n_columns;

    add_named_table(g, t, scope, a);
    for (size_t i = 0; i < t->n_columns; i++)
        if (t->columns[i].references_table != SCHEMA_NONE &&
            (at == t->n_columns || grammar_chance(g, 50)))
            at = i;
    if (at < t->n_columns) {
        const struct schema_column *c = &t->columns[at];
        const struct schema_table *other =
            &g->schema->tables[c->references_table];

        buf_add_text(g->out, grammar_chance(g, 30) ? " LEFT JOIN " : " JOIN ");
        add_named_table(g, other, scope, b);
        buf_printf(g->out, " ON %s.\"%.*s\" = %s.\"%.*s\"", a, (int)c->name.len,
                   c->name.ptr, b,
                   (int)other->columns[c->references_column].name.len,
                   other->columns[c->references_column].name.ptr);
    }
}

/* Rows of one person joined with each other, `times` times. */
static void
add_unit_join(struct grammar *g, unsigned times, struct scope *scope)
{
    const struct schema_table *t = pick_private(g), *u = t;
    char a[16], b[16];

    add_named_table(g, t, scope, a);
    for (unsigned i = 0; i < times && has_unit(t); i++) {
        if (grammar_chance(g, 40))
            u = pick_private(g);
        if (!has_unit(u))
            u = t;
        buf_add_text(g->out, grammar_chance(g, 25) ? " LEFT JOIN " : " JOIN ");
        add_named_table(g, u, scope, b);
        buf_printf(g->out, " ON %s.\"%.*s\" = %s.\"%.*s\"", a,
                   (int)t->columns[t->unit_column].name.len,
                   t->columns[t->unit_column].name.ptr, b,
                   (int)u->columns[u->unit_column].name.len,
                   u->columns[u->unit_column].name.ptr);
    }
}

/* One person's rows meet more and more public rows. */
static void
add_fan_out(struct grammar *g, unsigned times, struct scope *scope)
{
    static const char *const conditions[] = {"true", "%s = $P"};
    const struct schema_table *t = pick_private(g);
    char prefix[16];

    add_named_table(g, t, scope, prefix);
    for (unsigned i = 0; i < times; i++) {
        const struct schema_table *p = grammar_table(g, true);

        if (!p || !scope->unit[0])
            break;
        buf_add_text(g->out, grammar_chance(g, 25) ? " LEFT JOIN " : " JOIN ");
        add_named_table(g, p, scope, prefix);
        buf_add_text(g->out, " ON ");
        if (grammar_chance(g, 50))
            buf_add_text(g->out, conditions[0]);
        else
            buf_printf(g->out, "%s = $P", scope->unit);
    }
}

/* A public aggregate, which may fail for public rows alone. */
static void
add_public_part(struct grammar *g, struct scope *scope)
{
    static const char *const forms[] = {
        "sum($m)",      "sum($i)",     "avg($r)",    "stddev_pop($r)",
        "var_samp($r)", "var_pop($n)", "max($n)",    "min($T)",
        "count($n)",    "median($r)",  "stddev($n)", "max($t)"};
    static const char types[] = "miirrriDirrt";
    const struct schema_table *p = grammar_table(g, true);
    struct scope inside = {.n = 0};
    const struct scope *before;
    unsigned which = grammar_below(g, COUNT_OF(forms)), x = g->serial++;
    char name[16], prefix[16];

    add_named_table(g, pick_private(g), scope, prefix);
    if (!p)
        return;
    scope_add_table(&inside, p, "");
    before = enter_scope(g, &inside);
    buf_add_text(g->out, " JOIN (SELECT ");
    grammar_form(g, forms[which], EXPR_DEPTH + 1);
    buf_printf(g->out, " AS x%u FROM ", x);
    add_name(g, p->name);
    buf_printf(g->out, ") AS q%u ON ", x);
    snprintf(name, sizeof name, "x%u", x);
    scope_add(scope, "", str_of(name), types[which], false, false, false);
    g->scope = scope;
    if (grammar_chance(g, 50))
        buf_add_text(g->out, "true");
    else
        grammar_expr(g, 'b', EXPR_DEPTH);
    g->scope = before;
}

/* -------------------------------------------------------------- subqueries -- */

/* Adds the source to a text of its own; expressions that are added before it can
   then name its columns. */
static void
make_source(struct grammar *g, enum aim aim, int depth, struct scope *scope,
            struct buf *text)
{
    struct buf *before = g->out;

    buf_init(text, NULL, TEXT_ROOM);
    g->out = text;
    add_source(g, aim, depth, scope);
    g->out = before;
}

/* "unit AS u, " if the source has one, and u in the new scope. */
static void
add_unit(struct grammar *g, const struct scope *inside, struct scope *scope)
{
    char name[16];

    if (!inside->unit[0])
        return;
    snprintf(name, sizeof name, "u%u", g->serial++);
    buf_printf(g->out, "%s AS %s, ", inside->unit, name);
    scope_add(scope, "", str_of(name), 'i', false, false, false);
    snprintf(scope->unit, sizeof scope->unit, "%s", name);
}

/* A column that the subquery computes. */
static void
add_computed(struct grammar *g, char type, struct scope *scope)
{
    char name[16];

    snprintf(name, sizeof name, "x%u", g->serial++);
    grammar_expr(g, type, EXPR_DEPTH + 1);
    buf_printf(g->out, " AS %s", name);
    scope_add(scope, "", str_of(name), type == 'e' ? 'i' : type, false,
              type == 'e', false);
}

static void
add_subquery(struct grammar *g, enum aim aim, int depth, struct scope *scope)
{
    static const char types[] = "iiimrtDTbe";
    struct scope inside = {.n = 0};
    unsigned n = 1 + grammar_below(g, 3);
    const struct scope *before;
    struct buf text;

    make_source(g, aim, depth - 1, &inside, &text);
    before = enter_scope(g, &inside);
    buf_add_text(g->out, "(SELECT ");
    add_unit(g, &inside, scope);
    for (unsigned i = 0; i < n; i++) {
        buf_add_text(g->out, i ? ", " : "");
        add_computed(g, types[grammar_below(g, sizeof types - 1)], scope);
    }
    buf_printf(g->out, " FROM %s", buf_text(&text));
    if (grammar_chance(g, 20)) {
        buf_add_text(g->out, " WHERE ");
        grammar_expr(g, 'b', EXPR_DEPTH);
    }
    buf_printf(g->out, ") AS s%u", g->serial++);
    g->scope = before;
    buf_clear(&text);
}

/* One row for each person. */
static void
add_units(struct grammar *g, enum aim aim, int depth, struct scope *scope)
{
    static const char *const forms[] = {
        "count(*)",
        "count($n)",
        "sum($e)",
        "avg($e)",
        "max($e)",
        "min($e)",
        "sum($C)",
        "avg($C)",
        "max($n)",
        "min($D)",
        "max($t)",
        "sum(CASE WHEN $g THEN $k ELSE 0 END)",
        "avg(CASE WHEN $g THEN 0.1 ELSE 0.0 END + 0.2)",
        "count(DISTINCT $n)"};
    static const char types[] = "iirriririDtiri";
    struct scope inside = {.n = 0};
    unsigned n = 1 + grammar_below(g, 2);
    const struct scope *before;
    struct buf text;

    make_source(g, aim, depth - 1, &inside, &text);
    before = enter_scope(g, &inside);
    buf_add_text(g->out, "(SELECT ");
    add_unit(g, &inside, scope);
    for (unsigned i = 0; i < n; i++) {
        unsigned which = grammar_below(g, COUNT_OF(forms));
        char name[16];

        snprintf(name, sizeof name, "x%u", g->serial++);
        buf_add_text(g->out, i ? ", " : "");
        grammar_form(g, forms[which], EXPR_DEPTH);
        buf_printf(g->out, " AS %s", name);
        scope_add(scope, "", str_of(name), types[which], false, which < 8,
                  false);
    }
    buf_printf(g->out, " FROM %s", buf_text(&text));
    if (inside.unit[0])
        buf_printf(g->out, " GROUP BY %s", inside.unit);
    buf_printf(g->out, ") AS s%u", g->serial++);
    g->scope = before;
    buf_clear(&text);
}

static void
add_union(struct grammar *g, struct scope *scope)
{
    static const char types[] = "iirrtDb";
    char type = types[grammar_below(g, sizeof types - 1)], name[16];
    unsigned parts = 2 + grammar_below(g, 2);
    const struct scope *before = g->scope;

    snprintf(name, sizeof name, "x%u", g->serial++);
    buf_add_text(g->out, "(");
    for (unsigned i = 0; i < parts; i++) {
        const struct schema_table *t = pick_private(g);
        struct scope inside = {.n = 0};

        scope_add_table(&inside, t, "");
        g->scope = &inside;
        buf_add_text(g->out, i ? " UNION ALL SELECT " : "SELECT ");
        if (inside.unit[0])
            buf_printf(g->out, "%s%s, ", inside.unit, i ? "" : " AS u");
        grammar_expr(g, type, EXPR_DEPTH);
        buf_printf(g->out, "%s%s FROM ", i ? "" : " AS ", i ? "" : name);
        add_name(g, t->name);
    }
    buf_printf(g->out, ") AS s%u", g->serial++);
    g->scope = before;
    scope_add(scope, "", str_of("u"), 'i', false, false, false);
    snprintf(scope->unit, sizeof scope->unit, "u");
    scope_add(scope, "", str_of(name), type, false, false, false);
}

/* A text that doubles at every level. */
static void
add_growth(struct grammar *g, struct scope *scope)
{
    static const char *const steps[] = {"n || n", "concat(n, n, n, n)",
                                        "upper(n) || n", "n || n || n"};
    const char *step = GRAMMAR_ONE(g, steps);
    unsigned levels = 2 + grammar_below(g, 18);
    const struct schema_table *t = pick_private(g);
    struct scope inside = {.n = 0};
    const struct scope *before = enter_scope(g, &inside);

    scope_add_table(&inside, t, "");
    for (unsigned i = 0; i < levels; i++)
        buf_printf(g->out, "(SELECT %s%s AS n FROM ",
                   inside.unit[0] ? "u, " : "", step);
    buf_add_text(g->out, "(SELECT ");
    if (inside.unit[0])
        buf_printf(g->out, "%s AS u, ", inside.unit);
    grammar_form(g, "CASE WHEN $g THEN $t ELSE '' END AS n FROM ", 1);
    add_name(g, t->name);
    for (unsigned i = 0; i <= levels; i++)
        buf_printf(g->out, ") AS s%u", g->serial++);
    g->scope = before;
    if (inside.unit[0]) {
        scope_add(scope, "", str_of("u"), 'i', false, false, false);
        snprintf(scope->unit, sizeof scope->unit, "u");
    }
    scope_add(scope, "", str_of("n"), 't', false, false, false);
}

/* ------------------------------------------------------------------ choice -- */

static void
add_source(struct grammar *g, enum aim aim, int depth, struct scope *scope)
{
    unsigned kind = grammar_below(g, 100);

    /* Weights: the same source may have several. NOLINTBEGIN(bugprone-branch-clone) */
    if (aim == AIM_TIME && kind < 20)
        add_growth(g, scope);
    else if (aim == AIM_TIME && kind < 32)
        add_fan_out(g, 1 + grammar_below(g, 5), scope);
    else if (aim == AIM_TIME && kind < 44)
        add_unit_join(g, 1 + grammar_below(g, 6), scope);
    else if (aim == AIM_SENSITIVITY && kind < 8)
        add_public_join(g, scope);
    else if (aim == AIM_SENSITIVITY && kind < 14)
        add_unit_join(g, 1 + grammar_below(g, 2), scope);
    else if (depth <= 0 || kind < 40)
        add_table(g, scope);
    else if (kind < 60)
        add_subquery(g, aim, depth, scope);
    else if (kind < 70)
        add_units(g, aim, depth, scope);
    else if (kind < 78)
        add_public_join(g, scope);
    else if (kind < 84)
        add_reference_join(g, scope);
    else if (kind < 90)
        add_union(g, scope);
    else if (kind < 95)
        add_public_part(g, scope);
    else
        add_unit_join(g, 1 + grammar_below(g, 2), scope);
    /* NOLINTEND(bugprone-branch-clone) */
}

void
grammar_from(struct grammar *g, enum aim aim, struct scope *scope)
{
    *scope = (struct scope){.n = 0};
    add_source(g, aim, FROM_DEPTH, scope);
}
