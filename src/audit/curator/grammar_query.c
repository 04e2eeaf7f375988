/*
 * Whole queries: many expressions in one, so that one charge tests many.
 */
#include "audit/curator/grammar.h"
#include "base/base.h"

enum {
    DEPTH = 4,
    ITEMS_FAILURE = 24,
    ITEMS_TIME = 12,
    ITEMS_SENSITIVITY = 3,
    EPSILON_A_PART = 100, /* one person's change stands out of the noise */
};

/* ------------------------------------------------------------------- items -- */

static void
begin_item(struct grammar *g, struct made *m)
{
    g->used = &m->forms[m->n_items];
    *g->used = (struct form_set){{0}};
    m->start[m->n_items] = m->items.len;
    m->dropped[m->n_items] = false;
}

static void
end_item(struct made *m)
{
    m->start[++m->n_items] = m->items.len;
}

static void
add_item(struct grammar *g, struct made *m, char letter, int depth)
{
    begin_item(g, m);
    grammar_expr(g, letter, depth);
    end_item(m);
}

/* Work on texts: patterns, and changes of case. */
static void
add_text_work(struct grammar *g, struct made *m)
{
    static const char *const forms[] = {
        "count(CASE WHEN $g AND $t LIKE $p THEN 1 END)",
        "count(CASE WHEN (CASE WHEN $g THEN $t ELSE '' END) LIKE $p THEN 1 "
        "END)",
        "count(CASE WHEN (CASE WHEN $g THEN $l ELSE '' END) LIKE $p THEN 1 "
        "END)",
        "count(CASE WHEN (CASE WHEN $g THEN $t ELSE '' END) ILIKE $p THEN 1 "
        "END)",
        "count(CASE WHEN (CASE WHEN $g THEN $l ELSE '' END) ILIKE $p THEN 1 "
        "END)",
        "count(CASE WHEN lower(CASE WHEN $g THEN $t END) = 'y' THEN 1 END)",
        "count(CASE WHEN upper(CASE WHEN $g THEN $t END) = $t THEN 1 END)",
        "count(CASE WHEN trim(CASE WHEN $g THEN $t END) = 'y' THEN 1 END)",
        "count(CASE WHEN CASE WHEN $g THEN $t END || $l = $t THEN 1 END)",
    };

    begin_item(g, m);
    grammar_form(g, GRAMMAR_ONE(g, forms), 2);
    end_item(m);
}

/* Running counts in the order of the only key, as counts or as shares. */
static void
add_running(struct grammar *g, struct made *m)
{
    struct buf key;

    buf_init(&key, NULL, GRAMMAR_TEXT_MAX);
    buf_add(&key, buf_text(&m->items), m->start[1]);
    begin_item(g, m);
    buf_printf(g->out, "sum(count(*)) OVER (ORDER BY %s)%s", buf_text(&key),
               grammar_chance(g, 50) ? "" : " / sum(count(*)) OVER ()");
    end_item(m);
    buf_clear(&key);
}

/* What tables have. */
static void
add_table_item(struct grammar *g, struct made *m)
{
    static const char *const forms[] = {
        "avg(least(greatest($n, -7), 10))",
        "avg($b)",
        "count(*) + sum(CASE WHEN $g THEN 9 ELSE 1 END)",
        "sum(CASE WHEN $g THEN $w % 100 ELSE -1 END)",
    };

    if (m->plain || grammar_chance(g, 50)) {
        add_item(g, m, 'S', DEPTH - 1);
        return;
    }
    begin_item(g, m);
    grammar_form(g, GRAMMAR_ONE(g, forms), 2);
    end_item(m);
}

static void
add_items(struct grammar *g, struct made *m)
{
    size_t n;

    if (m->tables) {
        m->plain = m->aim == AIM_SENSITIVITY;
        n = m->n_items + 1 + grammar_below(g, ITEMS_SENSITIVITY);
        while (m->n_items < n)
            add_table_item(g, m);
        m->epsilon = EPSILON_A_PART * (double)(n - m->n_keys);
        return;
    }

    switch (m->aim) {
    case AIM_SENSITIVITY:
        m->plain = true;
        n = m->n_items + 1 + grammar_below(g, ITEMS_SENSITIVITY);
        while (m->n_items < n)
            add_item(g, m, 'S', DEPTH - 1);
        m->epsilon = EPSILON_A_PART * (double)(n - m->n_keys);
        return;
    case AIM_TIME:
        n = m->n_items + 1 + grammar_below(g, ITEMS_TIME);
        while (m->n_items < n)
            if (grammar_chance(g, 70))
                add_text_work(g, m);
            else
                add_item(g, m, 'a', DEPTH - 1);
        return;
    default:
        n = m->n_items + 4 + grammar_below(g, ITEMS_FAILURE - 4);
        /* A quantile works on every value of its domain, in every group. */
        if (m->n_keys == 0 && grammar_chance(g, 10))
            add_item(g, m, 'Q', DEPTH - 1);
        if (m->n_keys == 1 && grammar_chance(g, 15))
            add_running(g, m);
        while (m->n_items < n)
            add_item(g, m, grammar_chance(g, 6) ? 'o' : 'a', DEPTH);
        return;
    }
}

/* -------------------------------------------------------------------- keys -- */

static void
add_plain_key(struct grammar *g)
{
    const struct scope *s = g->scope;
    size_t found = 0, which;

    for (size_t i = 0; i < s->n; i++)
        found += s->column[i].is_key;
    if (!found) {
        grammar_form(g, "CASE WHEN $b THEN 'x' ELSE 'y' END", 2);
        return;
    }
    which = grammar_below(g, found);
    for (size_t i = 0; i < s->n; i++)
        if (s->column[i].is_key && which-- == 0)
            buf_add_text(g->out, s->column[i].name);
}

static void
add_key(struct grammar *g, struct made *m)
{
    static const char *const forms[] = {
        "$b",
        "CAST($b AS integer)",
        "($w % 5)",
        "CASE WHEN $b THEN $k ELSE 0 END",
        "CASE WHEN $g THEN $x ELSE 0.5 END",
        "CAST(CASE WHEN $g THEN $q ELSE '1' END AS bigint)",
        "CAST(CASE WHEN $g THEN $q ELSE '2000-01-01' END AS date)",
        "CAST(CASE WHEN $g THEN 10 ELSE 1 END AS numeric(1, 0))",
        "($d + CASE WHEN $g THEN $w ELSE 0 END)",
        "date_trunc('month', $D)",
        "extract(year FROM $D)",
        "(date '0001-01-03' + $w % 3 - CASE WHEN $g THEN 4 ELSE 0 END)",
        "width_bucket($n, 0, 10, 4)",
        "floor($r)",
        "upper(substring($t, 1, 2))",
        "$i",
        "$t",
        "$T",
        "$m",
    };

    begin_item(g, m);
    if (m->n_keys == 0 && g->scope->unit[0] && !m->tables &&
        grammar_chance(g, 10)) {
        grammar_form(g, "CASE WHEN $g THEN 'only $P' ELSE $t END", 1);
        m->only_person = true;
    } else if (grammar_chance(g, m->tables ? 75 : 40)) {
        add_plain_key(g);
    } else {
        grammar_form(g, GRAMMAR_ONE(g, forms), 3);
    }
    end_item(m);
    m->n_keys++;
}

/* -------------------------------------------------------------------- tail -- */

static const char *
grouping_of(struct grammar *g, const struct made *m)
{
    static const char *const one[] = {"ROLLUP (1)", "GROUPING SETS ((1), (1))"};
    static const char *const two[] = {"CUBE (1, 2)", "ROLLUP (1, 2)",
                                      "GROUPING SETS ((1), (2))",
                                      "GROUPING SETS ((1, 2), (2), ())"};

    if (!m->tables)
        return m->n_keys > 1 ? "1, 2" : "1";
    return m->n_keys > 1 ? GRAMMAR_ONE(g, two) : GRAMMAR_ONE(g, one);
}

static void
add_tail(struct grammar *g, struct made *m)
{
    static const char *const having[] = {
        " HAVING count(*) > 3", " HAVING $o IS NOT NULL",
        " HAVING sum(least(greatest($n, 0), 10)) / count(*) < $x"};
    static const char *const order[] = {" ORDER BY 1", " ORDER BY 1 DESC",
                                        " ORDER BY count(*) DESC, 1"};

    g->used = &m->rest;
    if (grammar_chance(g, 35)) {
        buf_add_text(g->out, " WHERE ");
        if (grammar_chance(g, 30))
            grammar_form(g, "$g AND ", 1);
        grammar_expr(g, 'b', DEPTH - 1);
    }
    if (m->n_keys)
        buf_printf(g->out, " GROUP BY %s", grouping_of(g, m));
    if (m->aim != AIM_FAILURE)
        return;
    if (grammar_chance(g, 8))
        grammar_form(g, GRAMMAR_ONE(g, having), 2);
    if (grammar_chance(g, 15))
        buf_add_text(g->out, GRAMMAR_ONE(g, order));
    if (grammar_chance(g, 6))
        buf_add_text(g->out, " LIMIT 3");
}

static void
add_head(struct grammar *g, struct made *m)
{
    static const char *const options[] = {"max_rows_contributed = 2",
                                          "max_rows_contributed = 3",
                                          "max_groups_contributed = 1"};

    buf_add_text(&m->head, "SELECT ");
    if (m->tables) {
        if (grammar_chance(g, 30))
            buf_add_text(&m->head, "WITH DIFFERENTIAL_PRIVACY "
                                   "OPTIONS(table_error = largest) ");
        return;
    }
    if (grammar_chance(g, m->aim == AIM_SENSITIVITY ? 20 : 4))
        buf_printf(&m->head, "WITH DIFFERENTIAL_PRIVACY OPTIONS(%s) ",
                   GRAMMAR_ONE(g, options));
}

/* One value of a buf's limit stays: the text is emptied. */
static void
empty(struct buf *b)
{
    buf_clear(b);
    buf_init(b, NULL, GRAMMAR_TEXT_MAX);
}

void
grammar_make(struct grammar *g, enum aim aim, struct made *out)
{
    unsigned keys = grammar_chance(g, 22) ? 1 + (grammar_below(g, 4) == 0) : 0;
    struct scope scope;
    struct buf from;

    empty(&out->head);
    empty(&out->items);
    empty(&out->tail);
    out->aim = aim;
    out->n_items = out->n_keys = 0;
    out->start[0] = 0;
    out->plain = out->only_person = false;
    out->epsilon = 1;
    out->tables = keys > 0 && grammar_chance(g, 30);
    out->rest = (struct form_set){{0}};
    g->serial = 0;
    buf_init(&from, NULL, GRAMMAR_TEXT_MAX);
    g->out = &from;
    g->used = &out->rest;
    grammar_from(g, aim, &scope);
    /* Only while this query is made. cppcheck-suppress autoVariables */
    g->scope = &scope;
    add_head(g, out);
    g->out = &out->items;
    for (unsigned i = 0; i < keys; i++)
        add_key(g, out);
    add_items(g, out);
    buf_printf(&out->tail, " FROM %s", buf_text(&from));
    g->out = &out->tail;
    add_tail(g, out);
    g->scope = NULL;
    g->out = NULL;
    buf_clear(&from);
}
