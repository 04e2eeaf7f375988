#include "release/schema.h"

#include "base/ck.h"
#include "base/error.h"
#include "base/utf8.h"
#include "engine/engine.h"
#include "engine/refail.h"

enum { CODES_MAX = 1 << 16 };

static custos_status
no_memory(custos_err *err)
{
    return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
}

/* Does the column identify a unit or a row, so that synthetic rows number it? A
   reference does, unless its values are public: then they are categories. */
static bool
is_key(const struct relation *from, size_t slot)
{
    const struct relation_column *c = &from->columns[slot];
    const struct policy_column *is = &from->as->columns[slot];

    return (!from->as->unit_is_row && from->as->unit_column == slot) ||
           c->names || c->unique ||
           (is->references_table.len > 0 && is->n_values == 0 &&
            is->type != TYPE_BOOL);
}

/* ------------------------------------------------------------ one column -- */

static custos_status
fail_without_domain(const struct policy_column *c, str name, str table,
                    custos_err *err)
{
    const bool range = data_type_is_number(c->type) || c->type == TYPE_DATE ||
                       c->type == TYPE_TIMESTAMP;

    return custos_fail(err, CUSTOS_EPOLICY,
                       "column %.*s of %.*s has no public domain" HINT
                       "add %s to it in the policy, or leave it out by "
                       "--columns",
                       (int)name.len, name.ptr, (int)table.len, table.ptr,
                       range ? "range: [LOW, HIGH] or values: [...]"
                             : "values: [...]");
}

static custos_status
fail_too_wide(str name, custos_err *err)
{
    return custos_fail(err, CUSTOS_EOVERFLOW,
                       "column %.*s has too many values to be modelled" HINT
                       "leave it out by --columns, or declare fewer values",
                       (int)name.len, name.ptr);
}

/* Whoever has the synopsis may see its values on a terminal. */
static custos_status
check_values_are_lines(const struct policy_column *c, str name, custos_err *err)
{
    for (size_t k = 0; c->type == TYPE_TEXT && k < c->n_values; k++)
        if (!utf8_is_line(c->values[k].text))
            return custos_fail(err, CUSTOS_EPOLICY,
                               "a declared value of column %.*s has a control "
                               "character" HINT
                               "leave the column out by --columns, or release "
                               "a view that maps its values",
                               (int)name.len, name.ptr);
    return CUSTOS_OK;
}

static custos_status
values_make(arena *a, const struct policy_column *c, struct schema_column *out,
            custos_err *err)
{
    out->coding = SCHEMA_VALUES;
    out->ordered = c->type != TYPE_TEXT;
    if (c->n_values > 0) {
        if (c->n_values >= CODES_MAX)
            return fail_too_wide(out->name, err);
        out->n = (uint32_t)c->n_values;
        out->values = c->values;
        return check_values_are_lines(c, out->name, err);
    }
    out->n = 2;
    out->values = arena_take(a, 2, sizeof *out->values);
    if (!out->values)
        return no_memory(err);
    for (int i = 0; i < 2; i++)
        out->values[i] = (struct datum){.type = TYPE_BOOL, .n = i};
    return CUSTOS_OK;
}

/* The range in steps of the column's grid; false if 64 bits do not hold them. */
static bool
range_of(const struct policy_column *c, i128 *lower, i128 *upper)
{
    *lower = c->lower.n;
    *upper = c->upper.n;
    if (data_type_is_number(c->type) && !view_steps(c, lower, upper))
        return false;
    return *lower > INT64_MIN && *upper < INT64_MAX;
}

/* A range of up to `all` steps is cut at each of them, a longer one into `runs`. */
static custos_status
cuts_make(arena *a, const struct policy_column *c, int all, int runs,
          struct schema_column *out, custos_err *err)
{
    const struct grid g = grid_of_column(c);
    i128 lower, upper, steps, run;

    if (!range_of(c, &lower, &upper))
        return fail_too_wide(out->name, err);
    steps = upper - lower + 1;
    run = steps <= all ? 1 : (steps + runs - 1) / runs;
    out->coding = SCHEMA_CUTS;
    out->ordered = true;
    out->base = g.base;
    out->digits = g.digits;
    out->n = (uint32_t)((steps + run - 1) / run);
    out->cuts = arena_take(a, (size_t)out->n + 1, sizeof *out->cuts);
    if (!out->cuts)
        return no_memory(err);
    for (uint32_t k = 0; k < out->n; k++)
        out->cuts[k] = lower + run * k;
    out->cuts[out->n] = upper + 1;
    return CUSTOS_OK;
}

custos_status
schema_cut_finely(arena *a, const struct policy_column *c,
                  struct schema_column *out, custos_err *err)
{
    return cuts_make(a, c, SCHEMA_FINE, SCHEMA_FINE, out, err);
}

custos_status
schema_column_make(arena *a, const struct policy_column *c, str name, str table,
                   struct schema_column *out, custos_err *err)
{
    *out = (struct schema_column){.name = name,
                                  .type = c->type,
                                  .scale = c->scale,
                                  .nullable = c->nullable};
    if (c->n_values > 0 || c->type == TYPE_BOOL)
        return values_make(a, c, out, err);
    if (c->has_range)
        return cuts_make(a, c, SCHEMA_STEPS_MAX, SCHEMA_RUNS, out, err);
    return fail_without_domain(c, name, table, err);
}

static custos_status
column_make(arena *a, const struct relation *from,
            const struct relation_name *n, struct schema_column *out,
            custos_err *err)
{
    const struct policy_column *c = &from->as->columns[n->slot];
    const bool nullable = c->nullable || from->columns[n->slot].outer;
    custos_status st;

    if (is_key(from, n->slot)) {
        *out = (struct schema_column){.name = n->name,
                                      .type = c->type,
                                      .scale = c->scale,
                                      .coding = SCHEMA_NUMBER,
                                      .nullable = nullable};
        return CUSTOS_OK;
    }
    st = schema_column_make(a, c, n->name, relation_shown(from), out, err);
    out->nullable = nullable;
    return st;
}

/* ------------------------------------------------------------ all columns -- */

/* Files of a release are read by what knows no case of names. */
static custos_status
check_names(const struct schema *s, custos_err *err)
{
    for (size_t i = 0; i < s->n; i++)
        for (size_t k = 0; k < i; k++)
            if (str_equal_but_case(s->columns[i].name, s->columns[k].name))
                return custos_fail(
                    err, CUSTOS_EINVAL,
                    "columns %.*s and %.*s of %.*s differ in nothing but "
                    "case" HINT "leave one out by --columns, or give it "
                    "another name in the view",
                    SHOWN(s->columns[k].name), SHOWN(s->columns[i].name),
                    SHOWN(s->table));
    return CUSTOS_OK;
}

/* Numbers the columns that are modelled. */
static custos_status
domain_make(arena *a, struct schema *s, const size_t *slots, size_t *field,
            custos_err *err)
{
    uint32_t *size = arena_take(a, s->n + 1, sizeof *size);

    s->column = arena_take(a, s->n + 1, sizeof *s->column);
    if (!size || !s->column)
        return no_memory(err);
    s->domain = (struct domain){.n = 0, .size = size};
    for (size_t i = 0; i < s->n; i++) {
        struct schema_column *c = &s->columns[i];

        if (c->coding == SCHEMA_NUMBER)
            continue;
        if (s->domain.n == SYNTH_COLUMNS_MAX)
            return custos_fail(err, CUSTOS_EOVERFLOW,
                               "a release has at most %d columns" HINT
                               "choose some by --columns",
                               SYNTH_COLUMNS_MAX);
        c->place = s->domain.n;
        size[c->place] = schema_codes(c);
        s->column[c->place] = i;
        field[c->place] = slots[i];
        s->domain.n++;
    }
    if (s->domain.n == 0)
        return custos_fail(err, CUSTOS_EINVAL,
                           "no column of %.*s can be modelled" HINT
                           "identifying columns cannot be released; choose "
                           "others by --columns",
                           (int)s->table.len, s->table.ptr);
    return CUSTOS_OK;
}

custos_status
schema_make(arena *a, const struct relation *from, const bool *chosen,
            struct schema **out, size_t **field, custos_err *err)
{
    struct schema *s = arena_take(a, 1, sizeof *s);
    size_t *slots = arena_take(a, from->n_names + 1, sizeof *slots);
    custos_status st = CUSTOS_OK;

    *field = arena_take(a, from->n_names + 1, sizeof **field);
    if (s)
        s->columns = arena_take(a, from->n_names + 1, sizeof *s->columns);
    if (!s || !slots || !*field || !s->columns)
        return no_memory(err);
    s->table = relation_shown(from);
    for (size_t i = 0; !st && i < from->n_names; i++) {
        if (from->names[i].hidden || (chosen && !chosen[i]))
            continue;
        slots[s->n] = from->names[i].slot;
        st = column_make(a, from, &from->names[i], &s->columns[s->n++], err);
    }
    if (!st)
        st = check_names(s, err);
    if (!st)
        st = domain_make(a, s, slots, *field, err);
    if (!st)
        *out = s;
    return st;
}
