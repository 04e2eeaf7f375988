/*
 * Expands templates to expressions, and remembers which were used.
 */
#include "audit/curator/grammar.h"

#include <stdio.h>

#include "audit/curator/leaves.h"
#include "base/base.h"

enum { LEAF_PERCENT = 20, FORMS_TRIED = 8 };

void
grammar_init(struct grammar *g, const struct schema *schema, uint64_t seed,
             uint64_t stream)
{
    *g = (struct grammar){.schema = schema};
    coins_seed(&g->coins, seed, stream);
}

/* ------------------------------------------------------------------- scope -- */

char
type_letter(enum data_type type)
{
    switch (type) {
    case TYPE_INT: return 'i';
    case TYPE_DECIMAL: return 'm';
    case TYPE_REAL: return 'r';
    case TYPE_TEXT: return 't';
    case TYPE_DATE: return 'D';
    case TYPE_TIMESTAMP: return 'T';
    case TYPE_BOOL:
    case TYPE_NULL: break;
    }
    return 'b';
}

void
scope_add(struct scope *scope, const char *prefix, str name, char type,
          bool small, bool ranged, bool is_key)
{
    struct scope_column *c = &scope->column[scope->n];
    bool quoted = false;

    if (scope->n == SCOPE_COLUMNS_MAX)
        return;
    for (size_t i = 0; i < name.len; i++)
        quoted = quoted || !((name.ptr[i] >= 'a' && name.ptr[i] <= 'z') ||
                             name.ptr[i] == '_' ||
                             (i && name.ptr[i] >= '0' && name.ptr[i] <= '9'));
    snprintf(c->name, sizeof c->name, "%s%s%s%.*s%s", prefix,
             *prefix ? "." : "", quoted ? "\"" : "", (int)name.len, name.ptr,
             quoted ? "\"" : "");
    c->type = type;
    c->small = small;
    c->ranged = ranged;
    c->is_key = is_key;
    scope->n++;
}

/* Does every value of the column lie within ten million? */
static bool
is_small(const struct schema_column *c)
{
    enum { MOST = 10000000 };

    return c->type == TYPE_INT && c->has_range && c->lower.n >= -MOST &&
           c->upper.n <= MOST;
}

void
scope_add_table(struct scope *scope, const struct schema_table *table,
                const char *prefix)
{
    for (size_t i = 0; i < table->n_columns; i++) {
        const struct schema_column *c = &table->columns[i];
        bool exact = c->type == TYPE_INT || c->type == TYPE_DATE;
        bool is_unit =
            !table->is_public && !table->unit_is_row && i == table->unit_column;

        scope_add(scope, prefix, c->name, type_letter(c->type), is_small(c),
                  c->has_range,
                  !is_unit && (c->n_values || c->type == TYPE_BOOL ||
                               (exact && c->has_range && is_small(c))));
        if (is_unit && !scope->unit[0])
            snprintf(scope->unit, sizeof scope->unit, "%s",
                     scope->column[scope->n - 1].name);
    }
}

const struct scope_column *
scope_pick(struct grammar *g, const struct scope *scope, char type)
{
    size_t found = 0, which;
    bool small = type == 'w';

    type = small ? 'i' : type;
    for (size_t i = 0; i < scope->n; i++)
        found +=
            scope->column[i].type == type && (!small || scope->column[i].small);
    if (!found)
        return NULL;
    which = grammar_below(g, found);
    for (size_t i = 0; i < scope->n; i++)
        if (scope->column[i].type == type &&
            (!small || scope->column[i].small) && which-- == 0)
            return &scope->column[i];
    return NULL;
}

const struct schema_table *
grammar_table(struct grammar *g, bool is_public)
{
    size_t found = 0, which;

    for (size_t i = 0; i < g->schema->n_tables; i++)
        found += g->schema->tables[i].is_public == is_public;
    if (!found)
        return NULL;
    which = grammar_below(g, found);
    for (size_t i = 0; i < g->schema->n_tables; i++)
        if (g->schema->tables[i].is_public == is_public && which-- == 0)
            return &g->schema->tables[i];
    return NULL;
}

/* --------------------------------------------------------------- templates -- */

/* Rarely one that was often rejected: the more rejections, the more other
   templates are tried instead. */
static size_t
pick_form(struct grammar *g, const struct form_list *list)
{
    size_t i = 0;

    for (int tried = 0; tried < FORMS_TRIED; tried++) {
        size_t at;
        uint32_t good, bad;

        i = grammar_below(g, list->n);
        at = list->first + i;
        good = g->accepted[at] + 8;
        bad = g->rejected[at];
        if (grammar_below(g, good + bad) < good)
            break;
    }
    return i;
}

void
grammar_form(struct grammar *g, const char *form, int depth)
{
    const char *offset = leaf_offset(g);

    for (const char *p = form; *p; p++) {
        if (p[0] != '$' || !p[1])
            buf_add(g->out, p, 1);
        else if (*++p == 'K')
            buf_add_text(g->out, offset);
        else
            grammar_expr(g, *p, depth - 1);
    }
}

void
grammar_expr(struct grammar *g, char type, int depth)
{
    struct form_list list;
    size_t at;

    if (type == 'n')
        type = "iiimrr"[grammar_below(g, 6)];
    if (type == 'T' && grammar_chance(g, 50))
        type = 'D';
    if (strchr("kxqsfplPgdCv", type) ||
        (!strchr("zcaoQSEu", type) &&
         (depth <= 0 || grammar_chance(g, LEAF_PERCENT)))) {
        grammar_leaf(g, type);
        return;
    }
    list = forms_of(type);
    at = pick_form(g, &list);
    g->used->bits[(list.first + at) / 64] |= (uint64_t)1
                                             << (list.first + at) % 64;
    grammar_form(g, list.form[at], depth);
}

void
grammar_learn(struct grammar *g, const struct form_set *used, bool accepted)
{
    for (size_t i = 0; i < GRAMMAR_FORMS_MAX; i++)
        if (used->bits[i / 64] >> i % 64 & 1)
            (accepted ? g->accepted : g->rejected)[i]++;
}

/* ------------------------------------------------------------------- query -- */

void
made_init(struct made *m)
{
    *m = (struct made){.epsilon = 1};
    buf_init(&m->head, NULL, GRAMMAR_TEXT_MAX);
    buf_init(&m->items, NULL, GRAMMAR_TEXT_MAX);
    buf_init(&m->tail, NULL, GRAMMAR_TEXT_MAX);
}

void
made_clear(struct made *m)
{
    buf_clear(&m->head);
    buf_clear(&m->items);
    buf_clear(&m->tail);
}

size_t
made_left(const struct made *m)
{
    size_t n = 0;

    for (size_t i = 0; i < m->n_items; i++)
        n += !m->dropped[i];
    return n;
}

void
made_write(const struct made *m, struct buf *out)
{
    bool first = true;

    buf_add_text(out, buf_text(&m->head));
    for (size_t i = 0; i < m->n_items; i++) {
        if (m->dropped[i])
            continue;
        buf_add_text(out, first ? "" : ", ");
        buf_add(out, buf_text(&m->items) + m->start[i],
                m->start[i + 1] - m->start[i]);
        first = false;
    }
    buf_add_text(out, buf_text(&m->tail));
}

size_t
made_item_at(const struct made *m, size_t byte)
{
    size_t at = m->head.len;

    for (size_t i = 0; i < m->n_items; i++) {
        size_t len = m->start[i + 1] - m->start[i];

        if (m->dropped[i])
            continue;
        if (byte >= at && byte < at + len)
            return i;
        at += len + 2;
    }
    return m->n_items;
}
