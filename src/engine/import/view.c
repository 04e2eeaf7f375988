/*
 * The view is five nested projections, so that each layer can use the results of the
 * one below: typed, clamped, indexed, in the domain, on the grid. The engine merges
 * them into one.
 *
 * The engine's functions least and greatest skip NULL, hence the CASE around them.
 * They take NaN for larger than all numbers, so it becomes NULL first.
 */
#include "engine/import/view.h"

#include "base/base.h"

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

static bool
is_whole(enum column_type type)
{
    return type == COLUMN_I8 || type == COLUMN_I16 || type == COLUMN_I32 ||
           type == COLUMN_I64 || type == COLUMN_I128 || type == COLUMN_U8 ||
           type == COLUMN_U16 || type == COLUMN_U32 || type == COLUMN_U64;
}

/*
 * x as the wide type, or NULL. The engine needs up to a hundred times as long to read
 * 128 bits as 64, so text is tried as 64 bits first; if both casts succeed, they
 * agree.
 */
static const struct term *
read_as_wide(struct builder *b, const struct policy_column *c,
             enum column_type type, const struct term *x)
{
    struct store_type wide = wide_type(c), narrow;
    const struct term *read = term_try_cast(b, x, wide);

    if (type != COLUMN_TEXT)
        return read;
    if (c->type == TYPE_INT && c->has_range)
        narrow = STORED(I64);
    else if (c->type == TYPE_DECIMAL && c->scale <= DIGITS_NARROW)
        narrow = STORED_DECIMAL(DIGITS_NARROW, c->scale);
    else
        return read;
    return term_call(b, TERM_COALESCE,
                     term_cast(b, term_try_cast(b, x, narrow), wide), read,
                     NULL);
}

static const struct term *
contains(struct builder *b, const struct term *x, const char *part)
{
    return term_call(b, TERM_CONTAINS, x, term_text(b, str_of(part)), NULL);
}

/* A text as a whole number; NULL if it has a fraction other than 0. */
static const struct term *
whole_of_text(struct builder *b, const struct policy_column *c,
              const struct term *x)
{
    const struct term *fraction =
        term_binary(b, term_try_cast(b, x, STORED_DECIMAL(DIGITS_WIDE, 9)),
                    TERM_MODULO, term_number(b, 1));
    const struct term *whole =
        term_if(b, term_binary(b, fraction, TERM_EQUAL, term_number(b, 0)),
                term_try_cast(b, x, wide_type(c)));

    return term_of(b, TERM_CASE,
                   term_of(b, TERM_ANY, contains(b, x, "."),
                           contains(b, x, "e"), contains(b, x, "E"), NULL),
                   whole, read_as_wide(b, c, COLUMN_TEXT, x), NULL);
}

/* v<i>: the source's column as its declared type; NULL where that is impossible. */
static const struct term *
typed(struct builder *b, const struct policy_column *c, enum column_type type)
{
    const struct term *x = term_column(b, c->name);
    const struct term *text = term_cast(b, x, STORED(TEXT));
    bool day = c->type == TYPE_DATE || c->type == TYPE_TIMESTAMP;

    if (c->type == TYPE_TEXT)
        return text;
    if (c->type == TYPE_INT && !is_whole(type))
        return whole_of_text(b, c, text);
    /* Our own function, since the engine also computes its date functions on the
       least and greatest values in its statistics, and may then fail. */
    x = read_as_wide(b, c, type, x);
    return day ? term_call(b, TERM_CALENDAR, x, NULL) : x;
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
 * Is v<i> valid and not NULL? The engine takes 05/06/24 for 24 June of the year 5:
 * such a year must be written 0005.
 */
static const struct term *
is_valid(struct builder *b, const struct policy_column *c,
         enum column_type type, size_t i)
{
    const struct term *v = term_name(b, NULL, "v%zu", i), *first, *written;

    if (c->type == TYPE_REAL)
        return term_call(b, TERM_IS_FINITE, v, NULL);
    if (c->type == TYPE_TEXT)
        return term_binary(b, term_call(b, TERM_BYTES, v, NULL), TERM_AT_MOST,
                           term_number(b, (i128)c->text_max));
    if (!is_written_day(c, type))
        return term_present(b, v);
    first = term_cast(b, term_text(b, str_of("0100-01-01")), STORED(DATE));
    written = term_call(b, TERM_STARTS_WITH, term_name(b, NULL, "s%zu", i),
                        term_text(b, str_of("00")), NULL);
    return term_of(b, TERM_ANY, term_binary(b, v, TERM_AT_LEAST, first),
                   term_of(b, TERM_ALL, term_present(b, v), written, NULL),
                   NULL);
}

/* d<i>: v<i> within its range, or NULL if it is not valid. */
static const struct term *
clamped(struct builder *b, const struct policy_column *c, enum column_type type,
        size_t i)
{
    const struct term *v = term_name(b, NULL, "v%zu", i);

    if (c->has_range) {
        struct store_type wide = wide_type(c);

        v = term_call(b, TERM_LEAST, v, term_value(b, &c->upper, wide), NULL);
        v = term_call(b, TERM_GREATEST, v, term_value(b, &c->lower, wide),
                      NULL);
        v = term_cast(b, v, view_type(c));
    }
    return is_guarded(c, type) ? term_if(b, is_valid(b, c, type, i), v) : v;
}

/* Its index among a few values that are compared one by one. */
static const struct term *
index_by_value(struct builder *b, const struct policy_column *c,
               const struct term *x)
{
    struct terms args = {.n = 0};

    terms_add(b, &args, x);
    for (size_t i = 0; i < c->n_values; i++) {
        terms_add(b, &args, term_value(b, &c->values[i], view_type(c)));
        terms_add(b, &args, term_number(b, (i128)i));
    }
    return term_cast(b, term_of_list(b, TERM_CHOOSE, &args),
                     c->n_values <= 256     ? STORED(U8)
                     : c->n_values <= 65536 ? STORED(U16)
                                            : STORED(U32));
}

/* k<i>: the index of x among the values of c; NULL if it is not one of them. */
static const struct term *
index_of(struct builder *b, const struct policy_column *c, const struct term *x)
{
    struct terms args = {.n = 0};

    if (c->n_values == 0)
        return term_cast(b,
                         term_of(b, TERM_CASE, x, term_number(b, 1),
                                 term_not(b, x), term_number(b, 0), NULL),
                         STORED(U8));
    if (c->type != TYPE_TEXT && c->type != TYPE_INT)
        return index_by_value(b, c, x);
    terms_add(b, &args, term_cast(b, x, STORED(TEXT)));
    for (size_t i = 0; i < c->n_values; i++)
        terms_add(b, &args, term_written(b, &c->values[i]));
    return term_of_list(b, TERM_LABELS, &args);
}

/* The next layer: all columns of the one below. */
static struct select *
layer_above(struct builder *b, const struct select *below)
{
    struct select *s = select_new(b, input_select(b, below));

    s->all = true;
    return s;
}

/* Layers 1 (typed) and 2 (clamped). */
static struct select *
select_clamped(struct builder *b, const struct policy_table *t,
               const struct source *from)
{
    struct select *s = select_new(b, input_file(b, &from->file));

    for (size_t i = 0; i < t->n_columns; i++) {
        const struct policy_column *c = &t->columns[i];

        select_add(b, s, typed(b, c, from->types[i]), "v%zu", i);
        select_add(b, s, term_column(b, c->name), "s%zu", i);
    }
    s = layer_above(b, s);
    for (size_t i = 0; i < t->n_columns; i++)
        select_add(b, s, clamped(b, &t->columns[i], from->types[i], i), "d%zu",
                   i);
    return s;
}

/* Layers 3 (indices) and 4: a value that needs an index and has none becomes NULL. */
static struct select *
select_domain(struct builder *b, const struct policy_table *t,
              const struct select *below)
{
    struct select *s = layer_above(b, below);

    for (size_t i = 0; i < t->n_columns; i++)
        if (view_has_index(&t->columns[i]))
            select_add(
                b, s,
                index_of(b, &t->columns[i], term_name(b, NULL, "d%zu", i)),
                "k%zu", i);
    s = layer_above(b, s);
    for (size_t i = 0; i < t->n_columns; i++) {
        const struct term *d = term_name(b, NULL, "d%zu", i);

        if (view_has_index(&t->columns[i]))
            d = term_if(b, term_present(b, term_name(b, NULL, "k%zu", i)), d);
        select_add(b, s, d, "c%zu", i);
    }
    return s;
}

const struct select *
view_select(struct builder *b, const struct policy_table *t,
            const struct source *from, enum view_extra extra)
{
    const struct select *below =
        select_domain(b, t, select_clamped(b, t, from));
    struct select *s = select_new(b, input_select(b, below));

    for (size_t i = 0; i < t->n_columns; i++) {
        select_add_bare(b, s, term_name(b, NULL, "c%zu", i));
        if (view_has_steps(&t->columns[i]))
            select_add(b, s, view_stepped(b, &t->columns[i], i), "g%zu", i);
        if (view_has_index(&t->columns[i]))
            select_add_bare(b, s, term_name(b, NULL, "k%zu", i));
    }
    if (extra == VIEW_ALL) {
        view_changes(b, t, from, s);
        return s;
    }
    select_where(b, s, term_true(b));
    for (size_t i = 0; i < t->n_columns; i++)
        if (!t->columns[i].nullable)
            select_where(b, s, term_present(b, term_name(b, NULL, "c%zu", i)));
    return s;
}
