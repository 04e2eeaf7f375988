/*
 * Random queries over the tables of stability_data.h, from a grammar: a list
 * of rules, each a piece of text in which {name} is a piece by another rule
 * of that name. A rule of FROM says which letters (tables and subqueries) its
 * text brings in; a rule with a letter is there only where that letter is.
 *
 *   p patients   v, w visits   o, q orders   l, m lines   t returns
 *   d drugs   g tags (both public)   s, r subqueries   a aggregates per unit
 */
#ifndef TEST_CURATOR_STABILITY_QUERY_H
#define TEST_CURATOR_STABILITY_QUERY_H

#include "curator/query_maker.h"

struct rule {
    const char *name, *letters, *text;
    const char *what;  /* the construct that it is; NULL: none */
    const char *where; /* of FROM: what WHERE has to say */
};

#define LINES_ORDERS "lines l JOIN orders o ON l.ord = o.id"
#define PATIENTS_ORDERS "patients p JOIN orders o ON p.id = o.patient"

static const struct rule rules[] = {
    /* one table */
    {"from", "p", "patients p", NULL, NULL},
    {"from", "v", "visits v", NULL, NULL},
    {"from", "v", "visits_fast v", NULL, NULL},
    {"from", "o", "orders o", NULL, NULL},
    {"from", "l", "lines l", NULL, NULL},
    {"from", "t", "returns t", NULL, NULL},
    /* along references, either way */
    {"from", "po", PATIENTS_ORDERS, "depth 1", NULL},
    {"from", "po", "orders o JOIN patients p ON o.patient = p.id", "depth 1",
     NULL},
    {"from", "pv", "visits v JOIN patients p ON v.patient = p.id", "depth 1",
     NULL},
    {"from", "lo", LINES_ORDERS, "depth 1", NULL},
    {"from", "lo", "orders o JOIN lines l ON l.ord = o.id", "depth 1", NULL},
    {"from", "lop", LINES_ORDERS " JOIN patients p ON o.patient = p.id",
     "depth 2", NULL},
    {"from", "lop", PATIENTS_ORDERS " JOIN lines l ON l.ord = o.id", "depth 2",
     NULL},
    {"from", "tlo", "returns t JOIN (" LINES_ORDERS ") ON t.line = l.id",
     "depth 2", NULL},
    {"from", "tlop",
     "returns t JOIN lines l ON t.line = l.id JOIN orders o ON l.ord = o.id "
     "JOIN patients p ON p.id = o.patient",
     "depth 3", NULL},
    {"from", "tlop",
     PATIENTS_ORDERS " JOIN lines l ON l.ord = o.id JOIN returns t ON t.line = "
                     "l.id",
     "depth 3", NULL},
    {"from", "po", "patients p, orders o", "comma", "p.id = o.patient"},
    {"from", "lop", "lines l, orders o, patients p", "comma",
     "o.patient = p.id AND l.ord = o.id"},
    {"from", "tlo", "orders o, lines l, returns t", "comma",
     "t.line = l.id AND o.id = l.ord"},
    {"from", "ld", "lines l, drugs d", "comma", "l.drug = d.id"},
    /* outer */
    {"from", "po",
     "orders o LEFT JOIN patients p ON p.id = o.patient AND "
     "{test}",
     "left parent", NULL},
    {"from", "lo", "lines l LEFT JOIN orders o ON l.ord = o.id", "left parent",
     NULL},
    {"from", "po", "patients p LEFT JOIN orders o ON p.id = o.patient",
     "left child", NULL},
    {"from", "po",
     "patients p LEFT JOIN orders o ON p.id = o.patient AND {test}",
     "left child", NULL},
    {"from", "lo", "orders o LEFT JOIN lines l ON l.ord = o.id AND {test}",
     "left child", NULL},
    {"from", "pol",
     "patients p LEFT JOIN orders o ON p.id = o.patient LEFT JOIN lines l ON "
     "o.id = l.ord",
     "left child", NULL},
    /* two private sides on the unit */
    {"from", "vo", "visits v JOIN orders o ON v.patient = o.patient",
     "two private", NULL},
    {"from", "vo", "visits v JOIN orders o USING (patient)", "using", NULL},
    {"from", "vo", "orders o JOIN visits_fast v USING (patient)", "using",
     NULL},
    {"from", "vo", "visits v LEFT JOIN orders o USING (patient)", "using",
     NULL},
    {"from", "vo", "visits v, orders o", "two private",
     "v.patient = o.patient AND v.nights > o.pieces"},
    {"from", "vo", "visits v LEFT JOIN orders o ON v.patient = o.patient",
     "left private", NULL},
    {"from", "vo",
     "visits v LEFT JOIN orders o ON v.patient = o.patient AND {test}",
     "left private", NULL},
    {"from", "olm",
     "orders o JOIN lines l ON l.ord = o.id JOIN lines m ON "
     "m.ord = o.id",
     "two children", NULL},
    {"from", "pvo",
     "patients p JOIN visits v ON v.patient = p.id JOIN orders "
     "o ON o.patient = p.id",
     "two children", NULL},
    {"from", "pvo",
     "patients p LEFT JOIN visits v ON v.patient = p.id LEFT "
     "JOIN orders o ON o.patient = p.id",
     "two children", NULL},
    {"from", "volp",
     "visits v JOIN (" LINES_ORDERS ") ON o.patient = v.patient "
     "JOIN patients p ON p.id = v.patient",
     "two children", NULL},
    {"from", "vw", "visits v JOIN visits w ON v.patient = w.patient", "self",
     NULL},
    {"from", "vw", "visits v JOIN visits w USING (patient)", "self",
     "v.nights <> w.nights"},
    {"from", "lm", "lines l JOIN lines m ON l.ord = m.ord", "self", NULL},
    {"from", "oq", "orders o JOIN orders q ON o.id = q.id", "self", NULL},
    {"from", "oq",
     "orders o LEFT JOIN orders q ON o.patient = q.patient AND "
     "o.pieces < q.pieces",
     "self", NULL},
    /* public sides */
    {"from", "ld", "lines l JOIN drugs d ON l.drug = d.id", "lookup", NULL},
    {"from", "ld", "drugs d JOIN lines l ON l.drug = d.id", "lookup", NULL},
    {"from", "ld", "lines l LEFT JOIN drugs d ON l.drug = d.id AND d.kind > 0",
     "lookup", NULL},
    {"from", "ldo", LINES_ORDERS " JOIN drugs d ON l.drug = d.id", "lookup",
     NULL},
    {"from", "lg", "lines l JOIN tags g ON l.drug = g.drug", "many", NULL},
    {"from", "lg", "tags g JOIN lines l USING (drug)", "many", NULL},
    {"from", "lg", "lines l LEFT JOIN tags g ON l.drug = g.drug AND {test}",
     "many", NULL},
    {"from", "vg", "visits v JOIN tags g ON g.w >= v.level", "many", NULL},
    {"from", "pg", "patients p CROSS JOIN tags g", "many", NULL},
    {"from", "vg", "visits_rows v JOIN tags g ON g.tag = v.level", "many",
     NULL},
    {"from", "lgd",
     "lines l JOIN tags g ON g.drug = l.drug JOIN drugs d ON "
     "d.id = g.drug",
     "many", NULL},
    {"from", "lgo",
     "lines l JOIN tags g ON g.drug = l.drug JOIN orders o ON "
     "l.ord = o.id",
     "many below", NULL},
    {"from", "lgo",
     "orders o JOIN (lines l JOIN tags g ON g.drug = l.drug) ON "
     "l.ord = o.id",
     "many below", NULL},
    {"from", "vog",
     "visits v JOIN tags g ON g.tag = v.level JOIN orders o ON "
     "v.patient = o.patient",
     "many below", NULL},
    {"from", "vog",
     "visits v JOIN orders o ON v.patient = o.patient JOIN tags "
     "g ON g.tag = v.level",
     "many", NULL},
    {"from", "l",
     "lines l JOIN (SELECT drug, count(*) AS n FROM tags GROUP BY "
     "drug) h ON h.drug = l.drug",
     "public query", NULL},
    /* subqueries */
    {"from", "s", "({inner}) s", "subquery", NULL},
    {"from", "s", "({inner}) s", "subquery", NULL},
    {"from", "sp", "({inner}) s JOIN patients p ON p.id = s.who", "subquery",
     NULL},
    {"from", "sv", "visits v LEFT JOIN ({inner}) s ON v.patient = s.who",
     "subquery", NULL},
    {"from", "sr", "({inner}) s JOIN ({inner}) r ON s.who = r.who", "subquery",
     NULL},
    {"from", "s", "{with} s", "with", NULL},
    {"from", "sr", "{with} s JOIN {with} r USING (who)", "with", NULL},
    {"from", "s", "({inner} UNION ALL {inner}) s", "union", NULL},
    {"from", "s", "({inner} UNION ALL {inner} UNION ALL {inner}) s", "union",
     NULL},
    {"from", "sp",
     "patients p JOIN ({inner} UNION ALL {inner}) s ON s.who = "
     "p.id",
     "union", NULL},
    {"from", "a", "({units}) a", "per unit", NULL},
    {"from", "a", "({units}) a", "per unit", NULL},
    {"from", "av", "({units}) a JOIN visits v ON v.patient = a.who", "per unit",
     NULL},
    {"from", "pa", "patients p LEFT JOIN ({units}) a ON a.who = p.id",
     "per unit", NULL},
    {"from", "s", "({unitkeys}) s", "per unit and key", NULL},
    {"from", "s", "({unitkeys} UNION ALL {inner}) s", "per unit and key", NULL},
    /* without the unit: to be refused */
    {"from", "vo", "visits v JOIN orders o ON v.level = o.pieces", "no unit",
     NULL},
    {"from", "po", "orders o JOIN patients p ON o.by = p.id", "no unit", NULL},
    {"from", "oq", "orders o LEFT JOIN orders q ON o.by = q.patient", "no unit",
     NULL},
    {"from", "vg", "tags g LEFT JOIN visits v ON g.tag = v.level", "no unit",
     NULL},

    /* columns by letter */
    {"int", "p", "p.age", NULL, NULL},
    {"int", "v", "v.nights", NULL, NULL},
    {"int", "v", "v.level", NULL, NULL},
    {"int", "w", "w.nights", NULL, NULL},
    {"int", "o", "o.pieces", NULL, NULL},
    {"int", "q", "q.pieces", NULL, NULL},
    {"int", "l", "l.qty", NULL, NULL},
    {"int", "m", "m.qty", NULL, NULL},
    {"int", "t", "t.amount", NULL, NULL},
    {"int", "d", "d.kind", NULL, NULL},
    {"int", "g", "g.w", NULL, NULL},
    {"int", "s", "s.x", NULL, NULL},
    {"int", "r", "r.x", NULL, NULL},
    {"int", "a", "a.x", NULL, NULL},
    {"decimal", "p", "p.age * 0.25", NULL, NULL},
    {"decimal", "v", "v.cost", NULL, NULL},
    {"decimal", "w", "w.cost", NULL, NULL},
    {"decimal", "o", "o.total", NULL, NULL},
    {"decimal", "q", "q.total", NULL, NULL},
    {"decimal", "l", "l.price", NULL, NULL},
    {"decimal", "m", "m.price", NULL, NULL},
    {"decimal", "t", "t.amount * 0.25", NULL, NULL},
    {"decimal", "d", "d.cost", NULL, NULL},
    {"decimal", "g", "g.w * 0.50", NULL, NULL},
    {"decimal", "s", "s.y", NULL, NULL},
    {"decimal", "r", "r.y", NULL, NULL},
    {"decimal", "a", "a.y", NULL, NULL},
    {"k", "p", "p.age % 4", NULL, NULL},
    {"k", "v", "v.level", NULL, NULL},
    {"k", "w", "w.level", NULL, NULL},
    {"k", "o", "o.pieces", NULL, NULL},
    {"k", "q", "q.pieces % 2", NULL, NULL},
    {"k", "l", "l.qty", NULL, NULL},
    {"k", "m", "m.qty % 3", NULL, NULL},
    {"k", "t", "t.amount", NULL, NULL},
    {"k", "d", "d.kind", NULL, NULL},
    {"k", "g", "g.tag", NULL, NULL},
    {"k", "s", "s.k", NULL, NULL},
    {"k", "r", "r.k", NULL, NULL},
    {"k", "a", "a.x", NULL, NULL},
    {"text", "p", "p.note", NULL, NULL},
    {"text", "p", "p.city", NULL, NULL},
    {"text", "v", "CAST(v.level AS text)", NULL, NULL},
    {"text", "v", "CAST(v.seen AS text)", NULL, NULL},
    {"text", "w", "CAST(w.nights AS text)", NULL, NULL},
    {"text", "o", "o.memo", NULL, NULL},
    {"text", "q", "lower(q.memo)", NULL, NULL},
    {"text", "l", "CAST(l.qty AS text)", NULL, NULL},
    {"text", "m", "CAST(m.drug AS text)", NULL, NULL},
    {"text", "t", "t.why", NULL, NULL},
    {"text", "d", "d.name", NULL, NULL},
    {"text", "g", "CAST(g.tag AS text)", NULL, NULL},
    {"text", "s", "s.n", NULL, NULL},
    {"text", "r", "r.n", NULL, NULL},
    {"text", "a", "CAST(a.x AS text)", NULL, NULL},
    {"who", "p", "p.id", NULL, NULL},
    {"who", "v", "v.patient", NULL, NULL},
    {"who", "w", "w.patient", NULL, NULL},
    {"who", "o", "o.patient", NULL, NULL},
    {"who", "s", "s.who", NULL, NULL},
    {"who", "a", "a.who", NULL, NULL},

    /* expressions */
    {"number", "", "{int}", NULL, NULL},
    {"number", "", "{int}", NULL, NULL},
    {"number", "", "{decimal}", NULL, NULL},
    {"number", "", "{decimal}", NULL, NULL},
    {"number", "p", "p.weight", NULL, NULL},
    {"number", "", "-{decimal}", "expression", NULL},
    {"number", "", "{int} * {decimal}", "expression", NULL},
    {"number", "l", "{decimal} * (1 - l.disc)", "expression", NULL},
    {"number", "", "{int} - {int}", "expression", NULL},
    {"number", "", "abs({int} - 5)", "expression", NULL},
    {"number", "", "least({int}, {int})", "expression", NULL},
    {"number", "", "greatest(coalesce({int}, -2), 0)", "expression", NULL},
    {"number", "", "CASE WHEN {test} THEN {int} ELSE -{int} END", "expression",
     NULL},
    {"number", "", "round({decimal})", "expression", NULL},
    {"number", "", "{decimal} / {int}, contribution_bounds_per_row => (-4, 9)",
     "expression", NULL},
    {"number", "", "{int}, contribution_bounds_per_row => (2, 5)", "expression",
     NULL},
    {"number", "o", "o.day - date '2020-03-01'", "expression", NULL},
    {"number", "", "length({text}), contribution_bounds_per_row => (0, 3)",
     "expression", NULL},
    {"any", "", "{int}", NULL, NULL},
    {"any", "", "{decimal}", NULL, NULL},
    {"any", "", "{text}", NULL, NULL},
    {"any", "", "{k}", NULL, NULL},
    {"aggregate", "", "count(*)", NULL, NULL},
    {"aggregate", "", "count(*)", NULL, NULL},
    {"aggregate", "", "count({any})", NULL, NULL},
    {"aggregate", "", "count(DISTINCT {who})", "units", NULL},
    {"aggregate", "", "count(DISTINCT {any})", "distinct", NULL},
    {"aggregate", "", "sum({number})", "sum", NULL},
    {"aggregate", "", "sum({number})", "sum", NULL},
    {"aggregate", "", "avg({number})", "avg", NULL},
    {"aggregate", "", "var_pop({number})", "variance", NULL},
    {"aggregate", "", "stddev({number})", "variance", NULL},
    {"small", "", "0", NULL, NULL},
    {"small", "", "1", NULL, NULL},
    {"small", "", "3", NULL, NULL},
    {"test", "", "true", NULL, NULL},
    {"test", "", "{int} > {small}", NULL, NULL},
    {"test", "", "{k} <= {small}", NULL, NULL},
    {"test", "", "{text} IS NOT NULL", NULL, NULL},
    {"test", "", "{who} % 2 = 0", NULL, NULL},
    {"test", "", "NOT ({test})", NULL, NULL},
    {"test", "", "{test} OR {test}", NULL, NULL},
    {"test", "l", "l.drug IN (SELECT id FROM drugs WHERE kind < 2)", "in",
     NULL},
    {"test", "", "{k} NOT IN (SELECT tag FROM tags WHERE w > 1)", "in", NULL},
    {"test", "", "{k} IN (SELECT kind FROM drugs)", "in", NULL},

    /* groups */
    {"group", "", "{k}", NULL, NULL},
    {"group", "", "{k}", NULL, NULL},
    {"group", "", "{k} % 2", NULL, NULL},
    {"group", "p", "p.smoker", NULL, NULL},
    {"group", "p", "p.city", NULL, NULL},
    {"group", "o", "extract(month FROM o.day)", NULL, NULL},
    {"group", "", "CASE WHEN {test} THEN {k} END", NULL, NULL},
    {"private", "", "{text}", "text groups", NULL},
    {"private", "", "substring({text}, 1, 1)", "text groups", NULL},
    {"private", "p", "p.income", "whole groups", NULL},
    {"private", "", "{who} % 3", "whole groups", NULL},
    {"private", "l", "l.drug", "whole groups", NULL},
    {"private", "", "{decimal}", "decimal groups", NULL},
    {"keys", "", "", NULL, NULL},
    {"keys", "", "", NULL, NULL},
    {"keys", "", " GROUP BY {group}", "public groups", NULL},
    {"keys", "", " GROUP BY {group}", "public groups", NULL},
    {"keys", "", " GROUP BY {group}, {group}", "public groups", NULL},
    {"keys", "", " GROUP BY {private}", NULL, NULL},
    {"keys", "", " GROUP BY {private}, {private}", "several private", NULL},
    {"keys", "", " GROUP BY {private}, {group}", "mixed groups", NULL},
    {"options", "", "", NULL, NULL},
    {"options", "", "", NULL, NULL},
    {"options", "", "max_rows_contributed = 1", "max rows", NULL},
    {"options", "", "max_groups_contributed = 1", "max groups", NULL},
    {"options", "", "max_rows_contributed = 2, max_groups_contributed = 2",
     "max rows", NULL},
};

enum { RULES = COUNT_OF(rules) };

/* A query on its way. */
struct writer {
    struct maker *m;     /* its buffer is the one that is written to */
    const char *letters; /* that may be used here */
    struct buf with;
    unsigned n_with, depth;
    bool used[RULES];
};

static void put_piece(struct writer *w, const char *name);

/* text, with what stands in braces put in its place. */
static void
put_text_of(struct writer *w, const char *text)
{
    char name[32];

    for (; *text; text++) {
        size_t n = strcspn(text + 1, "}");

        if (*text != '{') {
            buf_add(&w->m->b, text, 1);
            continue;
        }
        snprintf(name, sizeof name, "%.*s", (int)n, text + 1);
        put_piece(w, name);
        text += n + 1;
    }
}

/* One of the rules that have this name and are possible here, or NULL. */
static const struct rule *
rule_pick(struct writer *w, const char *name)
{
    const struct rule *found = NULL;
    bool from = !strcmp(name, "from");
    unsigned n = 0;

    for (size_t i = 0; i < RULES; i++) {
        const struct rule *r = &rules[i];

        if (strcmp(r->name, name) != 0 ||
            (from ? w->depth > 1 && strchr(r->text, '(')
                  : r->letters[0] && !strstr(w->letters, r->letters)))
            continue;
        if (below(w->m, ++n) == 0)
            found = r;
    }
    if (found)
        w->used[found - rules] = true;
    return found;
}

/* SELECT columns FROM ... WHERE ... end; FROM is written first, for it says
   which columns there are. */
static void
put_query(struct writer *w, const char *before, const char *columns,
          const char *end)
{
    const char *outer = w->letters;
    struct buf done = w->m->b, from;
    const struct rule *r;

    w->depth++;
    do {
        r = rule_pick(w, "from");
    } while (w->depth > 1 && !strpbrk(r->letters, "pvosa"));
    w->letters = r->letters;
    buf_init(&w->m->b, NULL, QUERY_MAX);
    put_text_of(w, r->text);
    from = w->m->b;
    w->m->b = done;
    put(w->m, "SELECT ");
    put(w->m, before);
    put_text_of(w, columns);
    put(w->m, " FROM ");
    put(w->m, buf_text(&from));
    buf_clear(&from);
    if (r->where || chance(w->m, 40)) {
        put(w->m, " WHERE ");
        put(w->m, r->where ? r->where : "true");
        if (chance(w->m, 50))
            put_text_of(w, " AND ({test})");
    }
    put_text_of(w, end);
    w->letters = outer;
    w->depth--;
}

/* What a subquery shows, and how it groups. */
static const struct {
    const char *name, *columns, *end;
} selects[] = {
    {"inner", "{int} AS x, {decimal} AS y, {k} AS k, {text} AS n, {who} AS who",
     ""},
    {"units", "{who} AS who, count(*) AS x, sum({decimal}) AS y",
     " GROUP BY 1"},
    {"units", "{who} AS who, sum({int}) AS x, sum({decimal}) AS y",
     " GROUP BY 1 HAVING count(*) > 1"},
    {"units", "{who} AS who, count(DISTINCT {k}) AS x, avg({decimal}) AS y",
     " GROUP BY 1"},
    {"unitkeys",
     "sum({int}) AS x, sum({decimal}) AS y, {k} AS k, {text} AS n, {who} AS "
     "who",
     " GROUP BY 3, 4, 5"},
};

/* The piece for {name}; nothing where no rule is possible. */
static void
put_piece(struct writer *w, const char *name)
{
    const struct rule *r;
    unsigned found = 0, n = 0;

    if (!strcmp(name, "with")) {
        struct buf done = w->m->b;

        buf_init(&w->m->b, NULL, QUERY_MAX);
        put_piece(w, "inner");
        buf_printf(&w->with, "%s c%u AS (%s)", w->n_with ? "," : "WITH",
                   w->n_with, buf_text(&w->m->b));
        buf_clear(&w->m->b);
        w->m->b = done;
        buf_printf(&w->m->b, "c%u", w->n_with++);
        return;
    }
    for (unsigned i = 0; i < COUNT_OF(selects); i++)
        if (!strcmp(selects[i].name, name) && below(w->m, ++n) == 0)
            found = i;
    if (n > 0) {
        put_query(w, "", selects[found].columns, selects[found].end);
        return;
    }
    r = rule_pick(w, name);
    if (r)
        put_text_of(w, r->text);
}

/* A whole query; which rules it came by is in w->used. */
static void
writer_query(struct writer *w, struct maker *m)
{
    static const char *const columns[] = {"{aggregate}",
                                          "{aggregate}, {aggregate}"};
    struct buf body;
    char options[160] = "";

    memset(w->used, 0, sizeof w->used);
    w->m = m;
    w->letters = "";
    w->n_with = w->depth = 0;
    buf_clear(&m->b);
    buf_init(&m->b, NULL, QUERY_MAX);
    buf_init(&w->with, NULL, QUERY_MAX);
    put_piece(w, "options");
    if (m->b.len > 0)
        snprintf(options, sizeof options,
                 "WITH DIFFERENTIAL_PRIVACY OPTIONS(%s) ", buf_text(&m->b));
    buf_clear(&m->b);
    buf_init(&m->b, NULL, QUERY_MAX);
    put_query(w, options, columns[below(m, COUNT_OF(columns))], "{keys}");
    body = m->b;
    buf_init(&m->b, NULL, QUERY_MAX);
    buf_printf(&m->b, "%s %s", w->n_with ? buf_text(&w->with) : "",
               buf_text(&body));
    buf_clear(&body);
    buf_clear(&w->with);
}

#endif
