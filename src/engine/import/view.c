/*
 * The view is five nested projections, so that each layer can use the results of the
 * one below: typed, clamped, indexed, in the domain, on the grid. The engine merges
 * them into one.
 *
 * The engine's functions least and greatest skip NULL, hence the CASE around them.
 * They take NaN for larger than all numbers, so it becomes NULL first.
 */
#include "engine/import/view.h"

#include <stdio.h>

#include "base/base.h"
#include "engine/duckdb/duck_print.h"

bool
view_has_index(const struct policy_column *c)
{
    return c->type == TYPE_BOOL || c->n_values > 0;
}

/* Is the range so short that all its days or whole numbers are public keys? */
static bool
has_short_range(const struct policy_column *c)
{
    enum { SHORT = 1 << 12 };

    return c->has_range && (c->type == TYPE_INT || c->type == TYPE_DATE) &&
           c->upper.n - c->lower.n < SHORT;
}

bool
view_has_ordinal(const struct policy_table *t, size_t column)
{
    const struct policy_column *c = &t->columns[column];

    return !t->attached && !t->is_public && !t->unit_is_row &&
           column != t->unit_column && !view_has_index(c) &&
           c->type != TYPE_REAL && !has_short_range(c);
}

struct store_type
view_type(const struct policy_column *c)
{
    switch (c->type) {
    case TYPE_BOOL: return STORED(BOOL);
    case TYPE_INT: return STORED(I64);
    case TYPE_DECIMAL:
        return STORED_DECIMAL(view_is_narrow(c) ? DIGITS_NARROW : DIGITS_WIDE,
                              c->scale);
    case TYPE_REAL: return STORED(F64);
    case TYPE_DATE: return STORED(DATE);
    case TYPE_TIMESTAMP: return STORED(TIMESTAMP);
    case TYPE_TEXT:
    case TYPE_NULL: break;
    }
    return STORED(TEXT);
}

/* The type that values are read as, before they are clamped. */
static struct store_type
wide_type(const struct policy_column *c)
{
    if (c->type == TYPE_INT && c->has_range)
        return STORED(I128);
    if (c->type == TYPE_DECIMAL)
        return STORED_DECIMAL(DIGITS_WIDE, c->scale);
    return view_type(c);
}

static void
literal_as(const struct datum *d, struct store_type type, struct buf *out)
{
    struct buf text;

    buf_init(&text, &out->alloc, out->limit);
    datum_write(d, &text);
    buf_add_text(out, "CAST(");
    duck_quote_text(out, str_of(buf_text(&text)));
    buf_add_text(out, " AS ");
    duck_print_type(type, out);
    buf_add_text(out, ")");
    out->failed |= text.failed;
    buf_clear(&text);
}

void
view_literal(const struct policy_column *c, const struct datum *d,
             struct buf *out)
{
    literal_as(d, view_type(c), out);
}

static bool
is_whole(enum column_type type)
{
    return type == COLUMN_I8 || type == COLUMN_I16 || type == COLUMN_I32 ||
           type == COLUMN_I64 || type == COLUMN_I128 || type == COLUMN_U8 ||
           type == COLUMN_U16 || type == COLUMN_U32 || type == COLUMN_U64;
}

/*
 * Prints TRY_CAST of x to the wide type. The engine needs up to a hundred times as
 * long to read 128 bits as 64, so text is tried as 64 bits first; if both casts
 * succeed, they agree.
 */
static void
read_as_wide(const struct policy_column *c, enum column_type type,
             const char *x, struct buf *out)
{
    bool whole = c->type == TYPE_INT && c->has_range;
    bool both =
        type == COLUMN_TEXT &&
        (whole || (c->type == TYPE_DECIMAL && c->scale <= DIGITS_NARROW));

    if (both) {
        buf_printf(out, "coalesce(CAST(TRY_CAST(%s AS ", x);
        if (whole)
            buf_add_text(out, "BIGINT");
        else
            buf_printf(out, "DECIMAL(%d,%d)", DIGITS_NARROW, c->scale);
        buf_add_text(out, ") AS ");
        duck_print_type(wide_type(c), out);
        buf_add_text(out, "), ");
    }
    buf_printf(out, "TRY_CAST(%s AS ", x);
    duck_print_type(wide_type(c), out);
    buf_add_text(out, both ? "))" : ")");
}

/* Prints text as a whole number; NULL if it has a fraction other than 0. */
static void
whole_of_text(const struct policy_column *c, const char *x, struct buf *out)
{
    buf_printf(out,
               "CASE WHEN contains(%s, '.') OR contains(%s, 'e') OR "
               "contains(%s, 'E') THEN CASE WHEN TRY_CAST(%s AS "
               "DECIMAL(38,9)) %% 1 = 0 THEN TRY_CAST(%s AS ",
               x, x, x, x, x);
    duck_print_type(wide_type(c), out);
    buf_add_text(out, ") END ELSE ");
    read_as_wide(c, COLUMN_TEXT, x, out);
    buf_add_text(out, " END");
}

/* Prints the source's column as its declared type; NULL where that is impossible. */
static void
print_typed(const struct policy_column *c, enum column_type type,
            struct buf *out)
{
    struct buf name, text;

    buf_init(&name, &out->alloc, out->limit);
    buf_init(&text, &out->alloc, out->limit);
    duck_quote_name(&name, c->name);
    buf_printf(&text, "CAST(%s AS VARCHAR)", buf_text(&name));
    if (c->type == TYPE_TEXT) {
        buf_add_text(out, buf_text(&text));
    } else if (c->type == TYPE_INT && !is_whole(type)) {
        whole_of_text(c, buf_text(&text), out);
    } else {
        /* Our own function, since the engine also computes its date functions on
           the least and greatest values in its statistics, and may then fail. */
        bool day = c->type == TYPE_DATE || c->type == TYPE_TIMESTAMP;

        buf_add_text(out, day ? "calendar(" : "");
        read_as_wide(c, type, buf_text(&name), out);
        buf_add_text(out, day ? ")" : "");
    }
    out->failed |= name.failed || text.failed;
    buf_clear(&name);
    buf_clear(&text);
}

/* Is this a date or timestamp that is read from text? */
static bool
is_written_day(const struct policy_column *c, enum column_type type)
{
    return type == COLUMN_TEXT &&
           (c->type == TYPE_DATE || c->type == TYPE_TIMESTAMP);
}

/* Does v<i> need a CASE, because it may be invalid or is clamped? */
static bool
is_guarded(const struct policy_column *c, enum column_type type)
{
    return c->type == TYPE_REAL || c->type == TYPE_TEXT || c->has_range ||
           is_written_day(c, type);
}

/*
 * Prints the condition that v<i> is valid and not NULL. The engine takes 05/06/24
 * for 24 June of the year 5: such a year must be written 0005.
 */
static void
print_condition(const struct policy_column *c, enum column_type type, size_t i,
                struct buf *out)
{
    if (c->type == TYPE_REAL)
        buf_printf(out, "isfinite(v%zu)", i);
    else if (c->type == TYPE_TEXT)
        buf_printf(out, "strlen(v%zu) <= %zu", i, c->text_max);
    else if (is_written_day(c, type))
        buf_printf(out,
                   "v%zu >= CAST('0100-01-01' AS DATE) OR (v%zu IS NOT NULL "
                   "AND starts_with(s%zu, '00'))",
                   i, i, i);
    else
        buf_printf(out, "v%zu IS NOT NULL", i);
}

static void
print_clamped(const struct policy_column *c, enum column_type type, size_t i,
              struct buf *out)
{
    bool guarded = is_guarded(c, type);

    if (guarded) {
        buf_add_text(out, "CASE WHEN ");
        print_condition(c, type, i, out);
        buf_add_text(out, " THEN ");
    }
    if (c->has_range) {
        buf_printf(out, "CAST(greatest(least(v%zu, ", i);
        literal_as(&c->upper, wide_type(c), out);
        buf_add_text(out, "), ");
        literal_as(&c->lower, wide_type(c), out);
        buf_add_text(out, ") AS ");
        duck_print_type(view_type(c), out);
        buf_add_text(out, ")");
    } else {
        buf_printf(out, "v%zu", i);
    }
    if (guarded)
        buf_add_text(out, " END");
}

/* The engine finds a label of an ENUM by hashing; CASE would try one by one. */
static void
index_by_label(const struct policy_column *c, const char *expr, struct buf *out)
{
    struct buf text;

    buf_printf(out, "enum_code(TRY_CAST(CAST(%s AS VARCHAR) AS ENUM(", expr);
    for (size_t i = 0; i < c->n_values; i++) {
        buf_init(&text, &out->alloc, out->limit);
        datum_write(&c->values[i], &text);
        buf_add_text(out, i ? ", " : "");
        duck_quote_text(out, c->type == TYPE_TEXT ? c->values[i].text
                                                  : str_of(buf_text(&text)));
        out->failed |= text.failed;
        buf_clear(&text);
    }
    buf_add_text(out, ")))");
}

void
view_index(const struct policy_column *c, const char *expr, struct buf *out)
{
    if (c->n_values == 0) {
        buf_printf(out,
                   "CAST(CASE WHEN %s THEN 1 WHEN NOT %s THEN 0 END AS "
                   "UTINYINT)",
                   expr, expr);
        return;
    }
    if (c->type == TYPE_TEXT || c->type == TYPE_INT) {
        index_by_label(c, expr, out);
        return;
    }
    buf_printf(out, "CAST(CASE %s", expr);
    for (size_t i = 0; i < c->n_values; i++) {
        buf_add_text(out, " WHEN ");
        view_literal(c, &c->values[i], out);
        buf_printf(out, " THEN %zu", i);
    }
    buf_printf(out, " END AS %s)",
               c->n_values <= 256     ? "UTINYINT"
               : c->n_values <= 65536 ? "USMALLINT"
                                      : "UINTEGER");
}

/* Layer 4: a value that needs an index and has none becomes NULL. */
static void
select_domain(const struct policy_table *t, struct buf *out)
{
    for (size_t i = 0; i < t->n_columns; i++)
        if (view_has_index(&t->columns[i]))
            buf_printf(out,
                       ", CASE WHEN k%zu IS NOT NULL THEN d%zu END AS c%zu", i,
                       i, i);
        else
            buf_printf(out, ", d%zu AS c%zu", i, i);
}

/* Layer 3: indices. */
static void
select_index(const struct policy_table *t, struct buf *out)
{
    char name[32];

    for (size_t i = 0; i < t->n_columns; i++) {
        if (!view_has_index(&t->columns[i]))
            continue;
        snprintf(name, sizeof name, "d%zu", i);
        buf_add_text(out, ", ");
        view_index(&t->columns[i], name, out);
        buf_printf(out, " AS k%zu", i);
    }
}

/* Layers 2 (clamped) and 1 (typed). */
static void
select_clamped(const struct policy_table *t, const struct source *s,
               struct buf *out)
{
    buf_add_text(out, "SELECT *");
    for (size_t i = 0; i < t->n_columns; i++) {
        buf_add_text(out, ", ");
        print_clamped(&t->columns[i], s->types[i], i, out);
        buf_printf(out, " AS d%zu", i);
    }
    buf_add_text(out, " FROM (SELECT ");
    for (size_t i = 0; i < t->n_columns; i++) {
        buf_add_text(out, i ? ", " : "");
        print_typed(&t->columns[i], s->types[i], out);
        buf_printf(out, " AS v%zu, ", i);
        duck_quote_name(out, t->columns[i].name);
        buf_printf(out, " AS s%zu", i);
    }
    buf_printf(out, " FROM %s)", s->from);
}

void
view_select(const struct policy_table *t, const struct source *s,
            enum view_extra extra, struct buf *out)
{
    buf_add_text(out, "SELECT ");
    for (size_t i = 0; i < t->n_columns; i++) {
        buf_printf(out, "%sc%zu", i ? ", " : "", i);
        if (view_has_steps(&t->columns[i])) {
            buf_add_text(out, ", ");
            view_stepped(&t->columns[i], i, out);
            buf_printf(out, " AS g%zu", i);
        }
        if (view_has_index(&t->columns[i]))
            buf_printf(out, ", k%zu", i);
    }
    if (extra == VIEW_ALL)
        view_changes(t, s, out);
    buf_add_text(out, " FROM (SELECT *");
    select_domain(t, out);
    buf_add_text(out, " FROM (SELECT *");
    select_index(t, out);
    buf_add_text(out, " FROM (");
    select_clamped(t, s, out);
    buf_add_text(out, ")))");
    if (extra == VIEW_ALL)
        return;
    buf_add_text(out, " WHERE true");
    for (size_t i = 0; i < t->n_columns; i++)
        if (!t->columns[i].nullable)
            buf_printf(out, " AND c%zu IS NOT NULL", i);
}
