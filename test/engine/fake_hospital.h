/*
 * The hospital's tables for the fake engine: values in their domains, units
 * resolved, rows ranked, as an import makes them, but computed here from the
 * arrays of hospital_data.h.
 */
#ifndef TEST_ENGINE_FAKE_HOSPITAL_H
#define TEST_ENGINE_FAKE_HOSPITAL_H

#include "fake_engine.h"
#include "hospital_data.h"

#include "engine/run/ordinals.h"
#include "engine/import/view.h"

enum { UNITS_MAX = 64 };

struct fake_hospital {
    struct fake_engine *f;
    const struct policy *p;
    struct datum units[UNITS_MAX]; /* of all tables, ascending */
    size_t n_units;
};

/* ------------------------------------------------------------- values -- */

static inline bool
is_listed(const struct policy_column *c, const struct datum *d, i128 *index)
{
    for (size_t i = 0; i < c->n_values; i++)
        if (datum_cmp(&c->values[i], d) == 0) {
            *index = (i128)i;
            return true;
        }
    *index = d->n;
    return c->n_values == 0;
}

static inline struct datum
value_in_domain(const struct policy_column *c, const char *text)
{
    struct datum d;
    i128 index;

    if (!*text || !datum_read(c->type, str_of(text), &d))
        return FAKE_NULL;
    if (c->has_range && datum_cmp(&d, &c->lower) < 0)
        d = c->lower;
    if (c->has_range && datum_cmp(&d, &c->upper) > 0)
        d = c->upper;
    d.type = c->type;
    if (c->type == TYPE_DECIMAL)
        d = fake_decimal(d, 38, c->scale);
    return is_listed(c, &d, &index) ? d : FAKE_NULL;
}

/* The value in whole steps of its column's grid. */
static inline struct datum
value_in_steps(const struct policy_column *c, struct datum d)
{
    struct grid g = grid_of_column(c);

    if (d.type == TYPE_NULL)
        return d;
    d.n *= fake_power(g.base, g.digits);
    return fake_int(fake_nearest(d));
}

/* -------------------------------------------------------------- units -- */

static inline const struct hospital_source *
source_of(const struct policy_table *t)
{
    for (size_t i = 0; i < COUNT_OF(hospital_sources); i++)
        if (str_equal(t->source, str_of(hospital_sources[i].file)))
            return &hospital_sources[i];
    fail_msg("no source %.*s", (int)t->source.len, t->source.ptr);
    return NULL;
}

/* The value of column i in row `row` of the source. */
static inline struct datum
source_value(const struct policy_table *t, size_t i, size_t row)
{
    const struct hospital_source *s = source_of(t);

    for (size_t k = 0; k < SOURCE_COLUMNS && s->cells[0][k]; k++)
        if (str_equal(t->columns[i].name, str_of(s->cells[0][k])))
            return value_in_domain(&t->columns[i], s->cells[row + 1][k]);
    fail_msg("%s has no column %.*s", s->file, (int)t->columns[i].name.len,
             t->columns[i].name.ptr);
    return FAKE_NULL;
}

/* The unit of a row, through the keys of parents; NULL: it has none. */
static inline struct datum
unit_of(const struct policy *p, const struct policy_table *t, size_t row)
{
    const struct policy_column *key = NULL;
    const struct policy_table *parent = policy_unit_parent(p, t, &key);
    struct datum own = source_value(t, t->unit_column, row), there;

    if (!parent || own.type == TYPE_NULL)
        return own;
    for (size_t i = 0; i < hospital_rows(source_of(parent)); i++) {
        there = source_value(parent, (size_t)(key - parent->columns), i);
        if (datum_cmp(&own, &there) == 0)
            return unit_of(p, parent, i);
    }
    return FAKE_NULL;
}

static inline bool
has_units(const struct policy_table *t)
{
    return !t->is_public && !t->unit_is_row;
}

static inline int
by_datum(const void *a, const void *b)
{
    return datum_cmp(a, b);
}

static inline void
number_units(struct fake_hospital *h)
{
    for (size_t i = 0; i < h->p->n_tables; i++) {
        const struct policy_table *t = &h->p->tables[i];

        for (size_t r = 0; has_units(t) && r < hospital_rows(source_of(t));
             r++) {
            struct datum unit = unit_of(h->p, t, r);
            size_t k = 0;

            while (k < h->n_units && datum_cmp(&h->units[k], &unit) != 0)
                k++;
            if (unit.type == TYPE_NULL || k < h->n_units)
                continue;
            assert_true(h->n_units < UNITS_MAX);
            h->units[h->n_units++] = unit;
        }
    }
    qsort(h->units, h->n_units, sizeof *h->units, by_datum);
}

static inline i128
unit_number(const struct fake_hospital *h, const struct datum *unit)
{
    size_t k = 0;

    while (datum_cmp(&h->units[k], unit) != 0)
        k++;
    return (i128)k + 1;
}

/* ------------------------------------------------------------- tables -- */

static inline void
name_column(struct fake_rows *r, const char *letter, size_t i)
{
    assert_true(r->width < FAKE_WIDTH);
    snprintf(r->columns[r->width++].name, FAKE_NAME, "%s%zu", letter, i);
}

/* The columns of the view, then those of sorted tables and two to sort by. */
static inline void
name_columns(const struct policy_table *t, bool sorted, struct fake_rows *r)
{
    static const char *const more[] = {"u", "r", "unit_value", "row_hash",
                                       "rowid"};

    for (size_t i = 0; i < t->n_columns; i++) {
        name_column(r, "c", i);
        if (view_has_steps(&t->columns[i]))
            name_column(r, "g", i);
        if (view_has_index(&t->columns[i]))
            name_column(r, "k", i);
        if (sorted && view_has_ordinal(t, i))
            name_column(r, "h", i);
    }
    /* An attached table has only the columns of its view. */
    for (size_t i = 0; i < COUNT_OF(more) && !t->attached; i++)
        snprintf(r->columns[r->width++].name, FAKE_NAME, "%s", more[i]);
}

static inline struct datum *
cell(struct fake_rows *r, size_t row, const char *letter, size_t i)
{
    char name[FAKE_NAME];

    snprintf(name, sizeof name, "%s%zu", letter, i);
    return &r->cells[row * r->width + fake_find(r, NULL, name)];
}

static inline struct datum *
cell_of(struct fake_rows *r, size_t row, const char *name)
{
    return &r->cells[row * r->width + fake_find(r, NULL, name)];
}

/* Adds a row of the source; false: it is not in the view. */
static inline bool
add_values(const struct policy_table *t, size_t from, struct fake_rows *r)
{
    for (size_t i = 0; i < t->n_columns; i++) {
        const struct policy_column *c = &t->columns[i];
        struct datum d = source_value(t, i, from);
        i128 index = 0;

        if (d.type == TYPE_NULL && !c->nullable)
            return false;
        *cell(r, r->n, "c", i) = d;
        if (view_has_steps(c))
            *cell(r, r->n, "g", i) = value_in_steps(c, d);
        if (view_has_index(c))
            *cell(r, r->n, "k", i) =
                d.type != TYPE_NULL && is_listed(c, &d, &index)
                    ? fake_int(index)
                    : FAKE_NULL;
    }
    return true;
}

static inline int
by_unit_and_hash(const void *a, const void *b, void *ctx)
{
    struct fake_rows *r = ctx;
    size_t u = fake_find(r, NULL, "u"), h = fake_find(r, NULL, "row_hash");
    const struct datum *x = a, *y = b;
    int order = datum_cmp(&x[u], &y[u]);

    return order ? order : datum_cmp(&x[h], &y[h]);
}

static inline struct datum
hash_of_row(struct fake_hospital *h, const struct policy_table *t,
            struct fake_rows *r, size_t row)
{
    struct builder b = {.a = h->f->a};
    struct fake_at at = {.f = h->f, .in = r, .row = row};
    const struct term *unit =
        term_cast(&b, term_name(&b, NULL, "unit_value"), STORED(TEXT));

    return fake_term(&at, view_rank(&b, t, unit));
}

/* Sorts by unit and hash; sets ranks and ordinals. */
static inline void
sort_rows(const struct policy_table *t, struct fake_rows *r)
{
    int64_t rank = 0;

    qsort_r(r->cells, r->n, r->width * sizeof *r->cells, by_unit_and_hash, r);
    for (size_t i = 0; i < r->n; i++) {
        bool next =
            i == 0 || cell_of(r, i, "u")->n != cell_of(r, i - 1, "u")->n;

        rank = next ? 1 : rank + 1;
        *cell_of(r, i, "r") = fake_int(rank);
    }
    for (size_t k = 0; k < t->n_columns; k++) {
        struct ordinals o = {0};
        int16_t ordinal = 0;

        for (size_t i = 0; view_has_ordinal(t, k) && i < r->n; i++) {
            struct datum key = *cell(r, i, "c", k);

            if (key.type != TYPE_TEXT && key.type != TYPE_NULL)
                key = fake_int(key.n);
            assert_true(ordinals_next(&o, (int64_t)i + 1,
                                      (int64_t)cell_of(r, i, "u")->n, &key,
                                      &ordinal));
            *cell(r, i, "h", k) = fake_int(ordinal);
        }
        ordinals_clear(&o);
    }
}

static inline void
make_table(struct fake_hospital *h, size_t number)
{
    const struct policy_table *t = &h->p->tables[number];
    struct fake_rows *r = &h->f->tables[number];
    struct engine_table *table = &h->f->is.tables[number];
    size_t n = hospital_rows(source_of(t));

    table->sorted = has_units(t) && !t->attached;
    name_columns(t, table->sorted, r);
    r->cells = arena_take(h->f->a, (n + 1) * r->width, sizeof *r->cells);
    table->counts =
        arena_take(h->f->a, t->n_columns + 1, sizeof *table->counts);
    table->cuts = arena_take(h->f->a, 1, sizeof *table->cuts);
    table->n_cuts = 1;
    assert_true(r->cells && table->counts && table->cuts);
    for (size_t i = 0; i < n; i++) {
        struct datum unit = table->sorted ? unit_of(h->p, t, i) : FAKE_NULL;

        if (!add_values(t, i, r) || (table->sorted && unit.type == TYPE_NULL))
            continue;
        if (!t->attached)
            *cell_of(r, r->n, "rowid") = fake_int((i128)i);
        if (table->sorted) {
            *cell_of(r, r->n, "u") = fake_int(unit_number(h, &unit));
            *cell_of(r, r->n, "unit_value") = unit;
            *cell_of(r, r->n, "row_hash") = hash_of_row(h, t, r, r->n);
        }
        r->n++;
    }
    if (table->sorted)
        sort_rows(t, r);
}

/* The same salt as the store's, so that both engines choose the same rows. */
static inline struct engine *
fake_hospital_open(const struct policy *p, const uint8_t *secret)
{
    struct fake_engine *f = calloc(1, sizeof *f);
    struct fake_hospital h = {.f = f, .p = p};

    assert_non_null(f);
    f->a = arena_new(NULL, (size_t)1 << 30);
    assert_non_null(f->a);
    f->is = (struct engine){.ops = &fake_ops, .policy = p, .lanes = 1};
    f->is.tables = arena_take(f->a, p->n_tables, sizeof *f->is.tables);
    f->tables = arena_take(f->a, p->n_tables, sizeof *f->tables);
    assert_true(f->is.tables && f->tables);
    for (size_t i = 0; i < STORE_SECRET_BYTES; i++)
        snprintf(f->salt + 2 * i, 3, "%02x", secret[i]);
    number_units(&h);
    for (size_t i = 0; i < p->n_tables; i++)
        make_table(&h, i);
    return &f->is;
}

#endif
