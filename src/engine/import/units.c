/*
 * One person, one unit: checks that the unit columns of all sources are read alike,
 * so that the same value is equal in all tables.
 *
 * THEOREM  unit-one-form
 *   Rows of any two tables belong to the same unit exactly if the values of
 *   their units are equal as values of the declared type.
 * SOURCE   doc/proofs/unit-of-a-row.md, "One form".
 * NEEDS    all unit columns have one declared type and scale (policy_read).
 * GIVES    CUSTOS_OK only if their sources are of types that are read alike.
 *          For units that are whole numbers, this holds for all types. Units
 *          that are texts are compared unchanged: texts and whole numbers are
 *          read alike, any other type only if all sources have it. Binary
 *          fractions are not rounded to decimals as written digits are, and
 *          timestamps with a time zone are shifted: such types are read alike
 *          only if all sources have the same one.
 * FAILS    CUSTOS_EPOLICY, which depends on the schemas of the sources alone.
 * TESTED   one_person_in_two_types mixed_sources_of_units_are_refused
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "engine/import/import.h"
#include "engine/refail.h"

enum { TYPE_NAME_MAX = 256 };

static bool
is_one_of(const char *name, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(name, list[i]))
            return true;
    return false;
}

static bool
is_text(const char *name)
{
    return !strcmp(name, "VARCHAR") || !strncmp(name, "ENUM(", 5);
}

static bool
is_whole(const char *name)
{
    static const char *const whole[] = {
        "TINYINT",  "SMALLINT",  "INTEGER",  "BIGINT",  "HUGEINT",
        "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"};

    return is_one_of(name, whole, COUNT_OF(whole));
}

/* True for the source types that are read alike as the declared type; any other type
   is read alike only with itself. */
static bool
is_plain(enum data_type declared, const char *name)
{
    if (declared == TYPE_INT || is_text(name))
        return true;
    switch (declared) {
    case TYPE_TEXT: return is_whole(name);
    case TYPE_DECIMAL: return is_whole(name) || !strncmp(name, "DECIMAL(", 8);
    case TYPE_DATE:
    case TYPE_TIMESTAMP:
        return !strcmp(name, "DATE") || !strcmp(name, "TIMESTAMP");
    default: return false; /* UNREACHABLE: reals and booleans are no units */
    }
}

/* Asks for the type of the unit column in a source. */
static custos_status
ask_unit(struct import *m, size_t table, struct result **out, custos_err *err)
{
    const struct policy_table *t = &m->policy->tables[table];
    struct select *unit, *s;
    struct builder b;
    custos_status st;

    builder_init(&b, NULL);
    unit = select_new(&b, input_file(&b, &m->sources[table].file));
    select_add_bare(&b, unit, term_column(&b, t->columns[t->unit_column].name));
    s = select_new(&b, input_columns(&b, unit));
    select_add_bare(&b, s, term_name(&b, NULL, "column_type"));
    st = import_ask(m, &b, s, out, err);
    builder_clear(&b);
    return st;
}

/* The engine's name of that type. */
static custos_status
ask_type(struct import *m, size_t table, char out[TYPE_NAME_MAX],
         custos_err *err)
{
    const struct policy_table *t = &m->policy->tables[table];
    struct column columns[1];
    struct result *rows = NULL;
    size_t n = 0;
    custos_status st = ask_unit(m, table, &rows, err);

    if (!st)
        st = result_next(rows, &n, columns, err);
    out[0] = '\0';
    if (!st && n == 1) {
        str name = column_text(&columns[0], 0);

        /* Two different long names must not look the same when cut short. */
        snprintf(out, TYPE_NAME_MAX, "%.*s", (int)name.len, name.ptr);
        if (name.len >= TYPE_NAME_MAX && !is_text(out))
            snprintf(out, TYPE_NAME_MAX, "nested type %zu", table);
    }
    result_free(rows);
    return st == CUSTOS_EENGINE
               ? refail(err, CUSTOS_EIO, "table '%.*s' cannot be read",
                        SHOWN(t->name))
               : st;
}

custos_status
import_units(struct import *m, custos_err *err)
{
    const struct policy *p = m->policy;
    const struct policy_table *first = NULL;
    char is[TYPE_NAME_MAX], was[TYPE_NAME_MAX] = "";

    for (size_t i = 0; i < p->n_tables; i++) {
        const struct policy_table *t = &p->tables[i];
        const struct policy_column *key;
        enum data_type type;
        custos_status st;

        if (t->is_public || t->unit_is_row || policy_unit_parent(p, t, &key))
            continue;
        st = ask_type(m, i, is, err);
        if (st)
            return st;
        type = t->columns[t->unit_column].type;
        if (first && strcmp(is, was) != 0 &&
            !(is_plain(type, is) && is_plain(type, was)))
            return custos_fail(err, CUSTOS_EPOLICY,
                               "one person could count as two: the unit is "
                               "%.20s in the source of '%.*s' and %.20s in "
                               "that of '%.*s', which are read differently "
                               "as %s",
                               was, SHOWN(first->name), is, SHOWN(t->name),
                               data_type_name(type));
        if (!first || !is_plain(type, is)) {
            first = t;
            memcpy(was, is, sizeof was);
        }
    }
    return CUSTOS_OK;
}
