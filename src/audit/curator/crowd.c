/*
 * Every cell is a function of person, row and column, so both stores have the
 * same rows of everybody else without keeping any. The person's values are at
 * the ends of all ranges, where one person moves an answer furthest.
 */
#include "audit/curator/crowd.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/base.h"

enum {
    FIRST = 1000,
    PEOPLE = 40,
    ABSENT = 1008, /* in neither store, though within the range of ids */
    PUBLIC_ROWS = 12,
    PUBLIC_MANY = 900, /* of tables with a key, where tables are large */
    LARGE_ROWS = 122880 + 1,
    ROWS_MORE = 3, /* that a person has, of those that may count */
    ROWS_UNKNOWN = 6,
    ROWS_OTHERS = 4,
    ROWS_MANY = 3000, /* that the person has beyond them in large tables */
    BOUND_EASY = 32,  /* a bound that several people may exceed */
    ROW_SHORT = 64,   /* rows from here on have no long texts */
    OTHER_ROW = 4,
    TEXT_DEFAULT = 65536,
};

/* One cell to write. */
struct cell {
    const struct schema *schema;
    const struct schema_table *table;
    size_t t, c; /* table and column */
    int person;  /* 0 in public tables */
    int row;     /* of this person, or of the public table */
};

static uint64_t
mix(const struct cell *cell)
{
    uint64_t x = (uint64_t)cell->person * 1000003 +
                 (uint64_t)cell->row * 10007 + cell->t * 101 + cell->c;

    x = (x + 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

/* Does a column of any table refer to this one? Then its values are distinct. */
static bool
is_key(const struct schema *s, size_t table, size_t column)
{
    for (size_t t = 0; t < s->n_tables; t++)
        for (size_t c = 0; c < s->tables[t].n_columns; c++) {
            const struct schema_column *x = &s->tables[t].columns[c];

            if (x->references_table == (int)table &&
                x->references_column == (int)column)
                return true;
        }
    return false;
}

static bool
is_unit(const struct schema_table *t, size_t column)
{
    return !t->is_public && !t->unit_is_row && column == t->unit_column;
}

/* How many rows the table has of one person. */
static int
rows_of(const struct schema *s, size_t table, int person)
{
    const struct schema_table *t = &s->tables[table];
    int bound = t->rows_per_unit && t->rows_per_unit < 1000
                    ? (int)t->rows_per_unit
                    : ROWS_UNKNOWN;

    if (t->unit_is_row || (is_key(s, table, t->unit_column)))
        return 1;
    if (person == CROWD_PERSON)
        return bound + ROWS_MORE;
    if (person % 7 == 0 && bound <= BOUND_EASY)
        return bound + 1; /* one row too many: some row does not count */
    return person % (ROWS_OTHERS + 1);
}

/* How many more the person has in large tables: what does not count must not take
   time either. */
static int
rows_beyond(const struct schema *s, size_t table, enum crowd_size size)
{
    const struct schema_table *t = &s->tables[table];

    if (size != CROWD_LARGE || !t->rows_per_unit || t->unit_is_row ||
        is_key(s, table, t->unit_column) ||
        t->max_rows < (uint64_t)2 * ROWS_MANY)
        return 0;
    return ROWS_MANY;
}

/* ------------------------------------------------------------------ values -- */

static void
add_quoted(struct buf *out, str text)
{
    buf_add_text(out, "\"");
    for (size_t i = 0; i < text.len; i++)
        buf_add(out, text.ptr[i] == '"' ? "\"\"" : text.ptr + i,
                text.ptr[i] == '"' ? 2 : 1);
    buf_add_text(out, "\"");
}

static void
add_datum(struct buf *out, struct datum d)
{
    if (d.type == TYPE_TEXT)
        add_quoted(out, d.text);
    else
        datum_write(&d, out);
}

/* The ends of the range, what lies outside, and something within. The person has
   the ends, so that removing them moves a sum as far as it can. */
static void
add_within(const struct cell *cell, const struct schema_column *c, uint64_t x,
           struct buf *out)
{
    struct datum d = cell->person == CROWD_PERSON && cell->row % 4 ? c->upper
                     : x % 2                                       ? c->lower
                                                                   : c->upper;

    d.type = c->type;
    switch (x / 2 % 6) {
    case 0: d.n += 1; break;
    case 1: d.n -= 1; break;
    case 2:
        if (c->lower.scale == c->upper.scale)
            d.n = c->lower.n + (c->upper.n - c->lower.n) * (i128)(x % 97) / 97;
        break;
    default: break;
    }
    add_datum(out, d);
}

static void
add_long(struct buf *out, size_t bytes)
{
    /* letters whose case is slow to change */
    for (size_t i = 0; i + 4 <= bytes; i += 4)
        buf_add_text(out, i % 64 < 32 ? "\xc8\xba\xc3\xa9" : "aaaa");
}

static void
add_text(const struct cell *cell, const struct schema_column *c, uint64_t x,
         struct buf *out)
{
    static const char *const texts[] = {
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "Ann",
        "1_000_000",
        " 100 ",
        "99.5",
        "1e5",
        "inf",
        "2020-1-5",
        "20000-01-01",
        "\xc3\xa9",
        "\xef\xac\x83",
        "9223372036854775808",
        "yes",
        "-7",
    };
    size_t most = c->text_max ? c->text_max : TEXT_DEFAULT;

    if (cell->person == CROWD_PERSON && cell->row != 1 && !c->nullable)
        x = 0;
    if (cell->person == CROWD_PERSON && c->nullable && cell->row != 1 &&
        cell->row < ROW_SHORT) {
        buf_add_text(out, "\"");
        if (cell->row % 2)
            add_long(out, most);
        else
            for (size_t i = 0; i < most; i++)
                buf_add_text(out, "a");
        buf_add_text(out, "\"");
        return;
    }
    add_quoted(out, str_of(texts[x % COUNT_OF(texts)]));
}

static const char *
pick_value(enum data_type type, uint64_t x)
{
    static const char *const wholes[] = {"0",
                                         "1",
                                         "-1",
                                         "9223372036854775807",
                                         "-9223372036854775808",
                                         "4611686018427387904",
                                         "9007199254740993",
                                         "100"};
    static const char *const decimals[] = {"0",    "0.1",        "-0.1",
                                           "99.9", "0.00000001", "12.5"};
    static const char *const reals[] = {"0.1",  "1e308", "-1e308", "1e-320",
                                        "0",    "nan",   "inf",    "3.5",
                                        "1e18", "9.3e18"};
    /* those outside the years 1 to 9999 must not reach any query */
    static const char *const dates[] = {
        "0001-01-01",      "9999-12-31",         "1970-01-01", "2020-02-29",
        "20000-01-01",     "5877642-06-25 (BC)", "infinity",   "5881580-07-10",
        "0044-03-15 (BC)", "290310-01-01"};
    static const char *const moments[] = {
        "0001-01-01 00:00:00",          "9999-12-31 23:59:59.999999",
        "1970-01-01 00:00:00",          "2021-03-04 05:06:07",
        "20000-01-01 00:00:00",         "290309-12-22 (BC) 00:00:00",
        "294247-01-10 04:00:54.775806", "infinity",
        "0044-03-15 (BC) 00:00:00"};

    switch (type) {
    case TYPE_INT: return wholes[x % COUNT_OF(wholes)];
    case TYPE_DECIMAL: return decimals[x % COUNT_OF(decimals)];
    case TYPE_REAL: return reals[x % COUNT_OF(reals)];
    case TYPE_DATE: return dates[x % COUNT_OF(dates)];
    case TYPE_TIMESTAMP: return moments[x % COUNT_OF(moments)];
    default: return x % 3 ? "true" : "false";
    }
}

/* A key of a table: of a person, of its row, or of a public row. */
static void
add_key(const struct schema *s, size_t table, size_t column, int person,
        int row, struct buf *out)
{
    const struct schema_table *t = &s->tables[table];
    bool text = t->columns[column].type == TYPE_TEXT;

    if (is_unit(t, column))
        buf_printf(out, "%s%d", text ? "p" : "", person);
    else
        buf_printf(out, "%s%d", text ? "k" : "", person * 100 + row);
}

static void
add_cell(const struct cell *cell, struct buf *out)
{
    const struct schema_column *c = &cell->table->columns[cell->c];
    uint64_t x = mix(cell);

    if (c->references_table != SCHEMA_NONE) {
        const struct schema_table *to =
            &cell->schema->tables[c->references_table];
        int rows = to->is_public
                       ? PUBLIC_ROWS
                       : rows_of(cell->schema, (size_t)c->references_table,
                                 cell->person);

        add_key(cell->schema, (size_t)c->references_table,
                (size_t)c->references_column, to->is_public ? 0 : cell->person,
                rows ? (int)(x % (unsigned)rows) : 0, out);
    } else if (is_unit(cell->table, cell->c) ||
               is_key(cell->schema, cell->t, cell->c)) {
        add_key(cell->schema, cell->t, cell->c, cell->person, cell->row, out);
    } else if (c->nullable && x % 11 == 0) {
        /* an empty field is NULL */
    } else if (c->n_values) {
        add_datum(out, c->values[x % c->n_values]);
    } else if (c->has_range) {
        add_within(cell, c, x, out);
    } else if (c->type == TYPE_TEXT) {
        add_text(cell, c, x / 11, out);
    } else {
        buf_add_text(out, pick_value(c->type, x / 11));
    }
}

/* ------------------------------------------------------------------- files -- */

static void
add_row(const struct schema *s, size_t table, int person, int row,
        struct buf *out)
{
    struct cell cell = {s, &s->tables[table], table, 0, person, row};

    for (; cell.c < cell.table->n_columns; cell.c++) {
        buf_add_text(out, cell.c ? "," : "");
        add_cell(&cell, out);
    }
    buf_add_text(out, "\n");
}

/* A public table that nothing refers to. */
static size_t
large_table(const struct schema *s)
{
    for (size_t t = s->n_tables; t-- > 0;) {
        bool used = !s->tables[t].is_public;

        for (size_t c = 0; c < s->tables[t].n_columns; c++)
            used = used || is_key(s, t, c);
        if (!used)
            return t;
    }
    return s->n_tables;
}

/* How many rows a public table has. */
static int
public_rows(const struct schema *s, size_t table, enum crowd_size size)
{
    bool keyed = false;

    if (size != CROWD_LARGE)
        return PUBLIC_ROWS;
    if (large_table(s) == table)
        return LARGE_ROWS;
    for (size_t c = 0; c < s->tables[table].n_columns; c++)
        keyed = keyed || is_key(s, table, c);
    return keyed ? PUBLIC_MANY : PUBLIC_ROWS;
}

bool
crowd_can_be_large(const struct schema *schema)
{
    return large_table(schema) < schema->n_tables;
}

void
crowd_write(const struct schema *schema, size_t table, enum crowd_side side,
            enum crowd_size size, struct buf *out)
{
    const struct schema_table *t = &schema->tables[table];
    int public = t->is_public ? public_rows(schema, table, size) : 0;

    for (size_t c = 0; c < t->n_columns; c++) {
        buf_add_text(out, c ? "," : "");
        add_quoted(out, t->columns[c].name);
    }
    buf_add_text(out, "\n");
    for (int i = 0; i < public; i++)
        add_row(schema, table, 0, i, out);
    for (int p = FIRST; !t->is_public && p < FIRST + PEOPLE; p++) {
        bool other = p == CROWD_PERSON && side == CROWD_WITHOUT;
        int rows = rows_of(schema, table, p);

        if (p == ABSENT || (other && schema->adjacency == CUSTOS_ADD_REMOVE))
            continue;
        if (p == CROWD_PERSON)
            rows += rows_beyond(schema, table, size);
        for (int i = 0; !other && i < rows; i++)
            add_row(schema, table, p, i, out);
        if (other) /* under change-one the person has another row instead */
            add_row(schema, table, p, OTHER_ROW, out);
    }
}

void
crowd_person(const struct schema *schema, char out[32])
{
    bool text = false;

    for (size_t t = 0; t < schema->n_tables; t++) {
        const struct schema_table *x = &schema->tables[t];

        if (!x->is_public && !x->unit_is_row)
            text = x->columns[x->unit_column].type == TYPE_TEXT;
    }
    snprintf(out, 32, text ? "'p%d'" : "%d", CROWD_PERSON);
}
