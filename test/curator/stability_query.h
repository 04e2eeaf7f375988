/*
 * Random queries over the tables of stability_data.h, from the grammar of
 * stability_rules.h.
 */
#ifndef TEST_CURATOR_STABILITY_QUERY_H
#define TEST_CURATOR_STABILITY_QUERY_H

#include "curator/query_maker.h"
#include "curator/stability_rules.h"

/* A query being written. */
struct writer {
    struct maker *m;     /* its buffer receives the text */
    const char *letters; /* of the tables in scope */
    struct buf with;
    unsigned n_with, depth;
    unsigned turn; /* index of the next rule of FROM */
    bool used[RULES];
};

static void put_piece(struct writer *w, const char *name);

/* Writes text, with each {name} replaced by a piece. */
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

/* A random rule of this name that is possible here, or NULL. */
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

/* The next rule of FROM, in turn. These rules come first in the list. */
static const struct rule *
rule_next(struct writer *w)
{
    unsigned i = w->turn++;

    if (strcmp(rules[i].name, "from") != 0)
        i = 0, w->turn = 1;
    w->used[i] = true;
    return &rules[i];
}

/*
 * Writes SELECT columns FROM ... WHERE ... end. Makes FROM first, because it
 * decides which columns exist.
 */
static void
put_query(struct writer *w, const char *before, const char *columns,
          const char *end)
{
    const char *outer = w->letters;
    struct buf done = w->m->b, from;
    const struct rule *r;

    if (w->depth++ == 0)
        r = rule_next(w);
    else
        do {
            r = rule_pick(w, "from");
        } while (!strpbrk(r->letters, "pvosa"));
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

/* The columns of a subquery, and how it groups. */
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
    {"units", "{who} AS who, max({int}) AS x, min({decimal}) AS y",
     " GROUP BY 1"},
    {"unitkeys",
     "sum({int}) AS x, sum({decimal}) AS y, {k} AS k, {text} AS n, {who} AS "
     "who",
     " GROUP BY 3, 4, 5"},
};

/* Writes the piece for {name}; nothing if no rule is possible. */
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

/* Writes a complete query; w->used says which rules it used. */
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
