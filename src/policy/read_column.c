/*
 * Reads one column: its type, and its public domain, if it has one: a range, a
 * list of values, or both, of the column's type.
 */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/ck.h"
#include "policy/read.h"

/* The limit on a text's bytes: its default and its largest value. Longer texts
   become NULL. */
enum { TEXT_BYTES = 64 << 10, TEXT_BYTES_MOST = 1 << 20 };
enum { SCALE_MAX = 18, VALUES_MAX = 65535 };

static const char *const keys[] = {
    "type",       "scale",   "range",     "values",     "nullable",
    "references", "comment", "max_bytes", "find_range",
};

static custos_status
read_type(const struct reading *r, const struct node *map,
          struct policy_column *c)
{
    const struct node *n = node_find(map, "type");
    const struct node *scale = node_find(map, "scale");
    uint64_t digits = 0;
    custos_status st;
    str text;

    if (!n)
        return reading_fail(r, map->line, "column '%.*s' has no type",
                            SHOWN(c->name));
    st = node_text(r, n, "type", &text);
    if (st)
        return st;
    if (!data_type_find(text, &c->type) || c->type == TYPE_NULL)
        return reading_fail(r, n->line,
                            "there is no type '%.*s'" HINT "there are boolean, "
                            "integer, decimal, real, text, date and timestamp",
                            SHOWN(text));
    if (scale && c->type != TYPE_DECIMAL)
        return reading_fail(r, scale->line,
                            "only a decimal has a scale, and this column is %s",
                            data_type_name(c->type));
    if (!scale && c->type == TYPE_DECIMAL)
        return reading_fail(r, n->line,
                            "a decimal column needs a scale, the number of "
                            "digits after the point" HINT
                            "add, for example, scale: 2");
    if (scale)
        st = node_count(r, scale, "scale", 0, SCALE_MAX, &digits);
    c->scale = (int)digits;
    return st;
}

/* Converts a decimal to the column's scale; false if digits would be lost. */
static bool
rescale(struct datum *d, int scale)
{
    for (; d->scale > scale; d->scale--) {
        if (d->n % 10 != 0)
            return false;
        d->n /= 10;
    }
    for (; d->scale < scale; d->scale++)
        if (!ck_mul_i128(d->n, 10, &d->n))
            return false;
    return true;
}

static bool
fits_type(const struct policy_column *c, struct datum *d)
{
    i128 most = 1;

    if (c->type == TYPE_DECIMAL) {
        for (int i = 0; i < 36; i++)
            most *= 10;
        return rescale(d, c->scale) && d->n < most && d->n > -most;
    }
    if (c->type == TYPE_INT || c->type == TYPE_TIMESTAMP)
        return d->n >= INT64_MIN && d->n <= INT64_MAX;
    return c->type != TYPE_DATE || (d->n >= INT32_MIN && d->n <= INT32_MAX);
}

static custos_status
read_datum(const struct reading *r, const struct node *n,
           const struct policy_column *c, const char *what, struct datum *out)
{
    if (n->kind != NODE_TEXT)
        return reading_fail(r, n->line, "%s must be single values", what);
    if (n->plain && (n->text.len == 0 || str_equal(n->text, str_of("null")) ||
                     str_equal(n->text, str_of("~"))))
        return reading_fail(r, n->line,
                            "NULL cannot be one of %s" HINT
                            "use nullable, or put the word in quotes",
                            what);
    if (!datum_read(c->type, n->text, out) || !fits_type(c, out)) {
        if (c->type == TYPE_DECIMAL)
            return reading_fail(r, n->line,
                                "'%.*s' is not a decimal with at most %d "
                                "digits after the point",
                                SHOWN(n->text), c->scale);
        return reading_fail(r, n->line, "'%.*s' is not a valid %s",
                            SHOWN(n->text), data_type_name(c->type));
    }
    return CUSTOS_OK;
}

static custos_status
read_range(const struct reading *r, const struct node *n,
           struct policy_column *c)
{
    custos_status st;

    if (!data_type_is_number(c->type) && c->type != TYPE_DATE &&
        c->type != TYPE_TIMESTAMP)
        return reading_fail(r, n->line, "a %s has no range" HINT "%s",
                            data_type_name(c->type),
                            c->type == TYPE_TEXT ? "list its values" : "");
    if (n->kind != NODE_LIST || n->n != 2)
        return reading_fail(r, n->line,
                            "range must be [lower, upper], the limits of "
                            "column '%.*s'",
                            SHOWN(c->name));
    st = read_datum(r, n->first, c, "the limits of a range", &c->lower);
    if (!st)
        st = read_datum(r, n->first->next, c, "the limits of a range",
                        &c->upper);
    if (!st && datum_cmp(&c->lower, &c->upper) >= 0)
        return reading_fail(r, n->line,
                            "the lower limit of a range must be below the "
                            "upper one");
    c->has_range = true;
    return st;
}

struct value {
    struct datum datum;
    int line;
};

static int
value_cmp(const void *a, const void *b)
{
    const struct value *x = a, *y = b;

    return datum_cmp(&x->datum, &y->datum);
}

static custos_status
check_values(const struct reading *r, const struct policy_column *c,
             const struct value *sorted, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct value *v = &sorted[i];

        if (i > 0 && value_cmp(v - 1, v) == 0)
            return reading_fail(r, v->line > v[-1].line ? v->line : v[-1].line,
                                "the values of column '%.*s' are not distinct",
                                SHOWN(c->name));
        if (c->has_range && (datum_cmp(&v->datum, &c->lower) < 0 ||
                             datum_cmp(&v->datum, &c->upper) > 0))
            return reading_fail(r, v->line,
                                "a value of column '%.*s' lies outside its "
                                "range",
                                SHOWN(c->name));
    }
    return CUSTOS_OK;
}

static custos_status
read_values(const struct reading *r, const struct node *n,
            struct policy_column *c)
{
    struct value *sorted;
    custos_status st = CUSTOS_OK;
    size_t i = 0;

    if (c->type == TYPE_BOOL)
        return reading_fail(r, n->line, "a boolean needs no list of values");
    if (c->type == TYPE_REAL)
        return reading_fail(r, n->line,
                            "a real has no list of values, only a range" HINT
                            "a "
                            "decimal has both");
    if (n->kind != NODE_LIST || n->n == 0 || n->n > VALUES_MAX)
        return reading_fail(r, n->line,
                            "values must be a list of 1 to %d values",
                            (int)VALUES_MAX);
    sorted = arena_take(r->a, n->n, sizeof *sorted);
    c->values = arena_take(r->a, n->n, sizeof *c->values);
    if (!sorted || !c->values)
        return reading_no_memory(r);
    for (const struct node *v = n->first; v && !st; v = v->next, i++) {
        sorted[i].line = v->line;
        st = read_datum(r, v, c, "the values", &sorted[i].datum);
    }
    if (st)
        return st;
    qsort(sorted, n->n, sizeof *sorted, value_cmp);
    for (i = 0; i < n->n; i++)
        c->values[i] = sorted[i].datum;
    c->n_values = n->n;
    return check_values(r, c, sorted, n->n);
}

/* Sets how long a text can be: the length of the longest listed value, or
   max_bytes, or the default. */
static custos_status
read_length(const struct reading *r, const struct node *map,
            struct policy_column *c)
{
    const struct node *n = node_find(map, "max_bytes");
    uint64_t most = TEXT_BYTES;
    custos_status st = CUSTOS_OK;

    if (n && (c->type != TYPE_TEXT || c->n_values > 0))
        return reading_fail(r, n->line,
                            "max_bytes is for text whose values are not "
                            "listed");
    if (n)
        st = node_count(r, n, "max_bytes", 1, TEXT_BYTES_MOST, &most);
    if (c->n_values > 0)
        most = 0;
    for (size_t i = 0; i < c->n_values; i++)
        if (c->values[i].text.len > most)
            most = c->values[i].text.len;
    c->text_max = c->type == TYPE_TEXT ? (size_t)most : 0;
    return st;
}

static custos_status
read_find_range(const struct reading *r, const struct node *n,
                struct policy_column *c)
{
    if (!data_type_is_number(c->type))
        return reading_fail(r, n->line,
                            "find_range is for numbers, and this column is %s",
                            data_type_name(c->type));
    if (c->n_values > 0)
        return reading_fail(r, n->line,
                            "a column with values has a public range, so "
                            "find_range has no use");
    return node_flag(r, n, "find_range", &c->find_range);
}

custos_status
read_column(const struct reading *r, const struct node *map,
            struct policy_column *c)
{
    const struct node *range, *values, *n;
    custos_status st;

    c->line = map->key_line;
    c->nullable = true;
    c->comment = c->references_table = c->references_column = str_of("");
    st = node_is_map(r, map, "a column", keys, COUNT_OF(keys));
    if (!st)
        st = read_type(r, map, c);
    range = node_find(map, "range");
    if (!st && range)
        st = read_range(r, range, c);
    values = node_find(map, "values");
    if (!st && values)
        st = read_values(r, values, c);
    if (!st)
        st = read_length(r, map, c);
    n = node_find(map, "find_range");
    if (!st && n)
        st = read_find_range(r, n, c);
    n = node_find(map, "nullable");
    if (!st && n)
        st = node_flag(r, n, "nullable", &c->nullable);
    n = node_find(map, "comment");
    if (!st && n)
        st = node_text(r, n, "comment", &c->comment);
    return st;
}
