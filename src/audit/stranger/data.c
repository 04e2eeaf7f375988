/*
 * People and their rows. A person is a number; the texts of units and keys are
 * functions of it (value_add_distinct), and so is how many rows a person has in
 * a table, so that references can be written before the rows they point to.
 */
#include "audit/stranger/data.h"

#include <stdlib.h>

#include "audit/stranger/value.h"
#include "base/error.h"

enum {
    PEOPLE = 200,
    TABLE_MAX = 1 << 28,
    ROWS_MANY = 40, /* of one person, where a policy allows any number */
    KEYS_EACH = 64, /* keys that are set aside for each person */
    PUBLIC_ROWS = 24,
    ROWS_STREAM = 1, /* of coins; the fourth is free */
    CELLS_STREAM,
    PUBLIC_STREAM,
};

struct making {
    const struct schema *schema;
    const struct data_options *options;
    size_t people; /* the targets have the next numbers, then the substitute */
    struct generated *out;
    uint64_t *rows; /* of the whole table, with the longest target */
};

/* ------------------------------------------------------------------- counts -- */

static bool
is_key(const struct schema *s, size_t table, size_t column)
{
    for (size_t t = 0; t < s->n_tables; t++)
        for (size_t c = 0; c < s->tables[t].n_columns; c++) {
            const struct schema_column *from = &s->tables[t].columns[c];

            if (from->references_table == (int)table &&
                from->references_column == (int)column)
                return true;
        }
    return false;
}

static bool
is_target(const struct making *m, size_t person)
{
    return person >= m->people;
}

/* More than count in a query, often; one where the unit is a key. */
static size_t
row_count(const struct making *m, size_t table, size_t person)
{
    const struct schema_table *t = &m->schema->tables[table];
    uint64_t bound = t->rows_per_unit ? t->rows_per_unit : 4;
    struct coins coins;
    uint64_t n;

    if (t->is_public)
        return 0;
    coins_seed(&coins, m->options->seed,
               ROWS_STREAM + 4 * (4096 * person + table));
    if (t->unit_is_row)
        return 1;
    if (is_key(m->schema, table, t->unit_column))
        return is_target(m, person) || coins_below(&coins, 20);
    if (bound > ROWS_MANY)
        bound = ROWS_MANY;
    if (is_target(m, person))
        return bound + (coins_flip(&coins, 0.5) ? 2 : 0);
    switch (coins_below(&coins, 8)) {
    case 0: return 0;
    case 1: n = bound; break;
    case 2: n = bound + 1; break;
    case 3: n = coins_below(&coins, 16) ? 2 * bound : ROWS_MANY; break;
    default: n = 1 + coins_below(&coins, 3); break;
    }
    return n < KEYS_EACH ? n : KEYS_EACH;
}

/* A public table has a row for each listed value of a column that refers to it. */
static const struct schema_column *
listed_referrer(const struct schema *s, size_t table, size_t column)
{
    for (size_t t = 0; t < s->n_tables; t++)
        for (size_t c = 0; c < s->tables[t].n_columns; c++) {
            const struct schema_column *from = &s->tables[t].columns[c];

            if (from->references_table == (int)table &&
                from->references_column == (int)column && from->n_values)
                return from;
        }
    return NULL;
}

/* ------------------------------------------------------------------- columns -- */

/* The n-th value of a column that is a key or a unit: a listed one of who refers
   to it, if there are. */
static bool
add_distinct(const struct making *m, size_t table, size_t column, size_t n,
             struct buf *out)
{
    const struct schema_column *c = &m->schema->tables[table].columns[column];
    const struct schema_column *listed =
        listed_referrer(m->schema, table, column);

    if (listed && !c->n_values && n < listed->n_values)
        return value_add_distinct(out, listed, n);
    return value_add_distinct(out, c, n);
}

/* The key of a person's row, or of a row of a public table. A unit that refers
   to another table has that table's key. */
static bool
add_key(const struct making *m, size_t table, size_t column, size_t person,
        size_t row, struct buf *out)
{
    const struct schema *s = m->schema;

    for (size_t depth = 0; depth < s->n_tables; depth++) {
        const struct schema_table *t = &s->tables[table];
        const struct schema_column *c = &t->columns[column];

        if (t->is_public)
            return add_distinct(m, table, column, row, out);
        if (t->unit_is_row || column != t->unit_column)
            return add_distinct(m, table, column, person * KEYS_EACH + row,
                                out);
        if (c->references_table == SCHEMA_NONE)
            break;
        table = (size_t)c->references_table;
        column = (size_t)c->references_column;
        row = 0;
    }
    return add_distinct(m, table, column, person, out);
}

/* A reference points to a row of the same person, but now and then to somebody
   else's, or nowhere. A unit's own reference never leaves the person. */
static bool
add_reference(const struct making *m, const struct schema_column *c,
              size_t person, bool is_unit, struct coins *coins, struct buf *out)
{
    size_t table = (size_t)c->references_table;
    size_t column = (size_t)c->references_column, n;
    const struct schema_table *t = &m->schema->tables[table];

    if (!is_unit && coins_below(coins, 16) == 0)
        return value_add_distinct(out, c, 100000); /* or else it is NULL */
    if (!is_unit && coins_below(coins, 8) == 0)
        person = coins_below(coins, (uint32_t)m->people);
    n = t->is_public ? (c->n_values ? c->n_values : PUBLIC_ROWS)
                     : row_count(m, table, person);
    n = n ? coins_below(coins, (uint32_t)n) : 0;
    return add_key(m, table, column, person, n, out);
}

static enum value_style
style_of(const struct making *m, size_t person)
{
    return !is_target(m, person)           ? VALUE_ANY
           : (person - m->people) % 2 == 0 ? VALUE_UPPER
                                           : VALUE_LOWER;
}

/* False if there are no more distinct keys: then there is no such row. */
static bool
add_cell(const struct making *m, size_t table, size_t column, size_t person,
         size_t row, struct coins *coins, struct buf *out)
{
    const struct schema_table *t = &m->schema->tables[table];
    const struct schema_column *c = &t->columns[column];
    bool is_unit = !t->is_public && !t->unit_is_row && column == t->unit_column;

    if (is_key(m->schema, table, column))
        return add_key(m, table, column, person, row, out);
    if (c->references_table != SCHEMA_NONE)
        return add_reference(m, c, person, is_unit, coins, out) || !is_unit;
    if (is_unit)
        return value_add_distinct(out, c, person);
    value_add(out, c, style_of(m, person), m->options, coins);
    return true;
}

/* ---------------------------------------------------------------------- rows -- */

static void
add_row(const struct making *m, size_t table, size_t person, size_t row,
        struct coins *coins, struct buf *out)
{
    const struct schema_table *t = &m->schema->tables[table];
    struct buf line;
    bool whole = true;

    buf_init(&line, NULL, TABLE_MAX);
    for (size_t c = 0; c < t->n_columns && whole; c++) {
        if (c)
            buf_add_text(&line, ",");
        whole = add_cell(m, table, c, person, row, coins, &line);
    }
    buf_add_text(&line, "\n");
    if (whole)
        buf_add(out, buf_text(&line), line.len);
    out->failed = out->failed || line.failed;
    buf_clear(&line);
}

/* The rows of one person in one table, as far as max_rows allows. */
static void
add_person(struct making *m, size_t table, size_t person, struct buf *out)
{
    const struct schema_table *t = &m->schema->tables[table];
    size_t n = row_count(m, table, person);
    struct coins coins;

    coins_seed(&coins, m->options->seed,
               CELLS_STREAM + 4 * (4096 * person + table));
    for (size_t row = 0; row < n; row++) {
        if (t->max_rows && m->rows[table] >= t->max_rows)
            return;
        m->rows[table] += !is_target(m, person);
        add_row(m, table, person, row, &coins, out);
    }
}

static void
add_public(const struct making *m, size_t table, struct buf *out)
{
    const struct schema_table *t = &m->schema->tables[table];
    size_t n = PUBLIC_ROWS;
    struct coins coins;

    for (size_t c = 0; c < t->n_columns; c++) {
        const struct schema_column *listed =
            listed_referrer(m->schema, table, c);

        if (listed && listed->n_values > n)
            n = listed->n_values;
    }
    coins_seed(&coins, m->options->seed, PUBLIC_STREAM + 4 * table);
    for (size_t row = 0; row < n; row++)
        add_row(m, table, 0, row, &coins, out);
}

static void
fill_table(struct making *m, size_t table)
{
    const struct schema_table *t = &m->schema->tables[table];
    struct data_table *d = &m->out->tables[table];

    for (size_t c = 0; c < t->n_columns; c++) {
        if (c)
            buf_add_text(&d->head, ",");
        value_add_text(&d->head, t->columns[c].name);
    }
    buf_add_text(&d->head, "\n");
    if (t->is_public) {
        add_public(m, table, &d->others);
        return;
    }
    for (size_t k = 0; k <= m->out->n_targets; k++) {
        size_t n = row_count(m, table, m->people + k);

        m->rows[table] = n > m->rows[table] ? n : m->rows[table];
    }
    for (size_t p = 0; p < m->people; p++)
        add_person(m, table, p, &d->others);
    m->rows[table] = 0;
    for (size_t k = 0; k < m->out->n_targets; k++)
        add_person(m, table, m->people + k, &d->target[k]);
    add_person(m, table, m->people + m->out->n_targets, &d->substitute);
}

static bool
has_failed(const struct generated *g)
{
    bool failed = false;

    for (size_t t = 0; t < g->n_tables; t++) {
        const struct data_table *d = &g->tables[t];

        failed = failed || d->head.failed || d->others.failed ||
                 d->substitute.failed;
        for (size_t k = 0; k < g->n_targets; k++)
            failed = failed || d->target[k].failed;
    }
    return failed;
}

custos_status
data_make(const struct schema *schema, const struct data_options *options,
          struct generated *out, custos_err *err)
{
    struct generated g = {
        .n_tables = schema->n_tables,
        .n_targets = options->targets,
        .adjacency = schema->adjacency,
        .tables = calloc(schema->n_tables + 1, sizeof *g.tables),
    };
    struct making m = {
        .schema = schema,
        .options = options,
        .people = options->people ? options->people : PEOPLE,
        .out = &g,
        .rows = calloc(schema->n_tables + 1, sizeof *m.rows),
    };
    custos_status st = CUSTOS_OK;

    CUSTOS_REQUIRE(g.n_targets >= 1 && g.n_targets <= DATA_TARGETS_MAX);
    if (!g.tables || !m.rows)
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    for (size_t t = 0; !st && t < g.n_tables; t++) {
        struct data_table *d = &g.tables[t];

        buf_init(&d->head, NULL, TABLE_MAX);
        buf_init(&d->others, NULL, TABLE_MAX);
        buf_init(&d->substitute, NULL, TABLE_MAX);
        for (size_t k = 0; k < DATA_TARGETS_MAX; k++)
            buf_init(&d->target[k], NULL, TABLE_MAX);
        fill_table(&m, t);
    }
    if (!st && has_failed(&g))
        st = custos_fail(err, CUSTOS_ENOMEM,
                         "out of memory for the generated tables");
    free(m.rows);
    if (st)
        data_clear(&g);
    else
        *out = g;
    return st;
}

void
data_clear(struct generated *g)
{
    for (size_t t = 0; g->tables && t < g->n_tables; t++) {
        struct data_table *d = &g->tables[t];

        buf_clear(&d->head);
        buf_clear(&d->others);
        buf_clear(&d->substitute);
        for (size_t k = 0; k < DATA_TARGETS_MAX; k++)
            buf_clear(&d->target[k]);
    }
    free(g->tables);
    *g = (struct generated){0};
}

custos_status
data_write(const struct generated *g, int target, struct buf *csv,
           custos_err *err)
{
    custos_status st = CUSTOS_OK;

    for (size_t t = 0; t < g->n_tables; t++) {
        const struct data_table *d = &g->tables[t];
        const struct buf *own = target >= 0 ? &d->target[target]
                                : g->adjacency == CUSTOS_CHANGE_ONE
                                    ? &d->substitute
                                    : NULL;

        buf_init(&csv[t], NULL, TABLE_MAX);
        buf_add(&csv[t], buf_text(&d->head), d->head.len);
        buf_add(&csv[t], buf_text(&d->others), d->others.len);
        if (own)
            buf_add(&csv[t], buf_text(own), own->len);
        if (csv[t].failed)
            st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    }
    for (size_t t = 0; st && t < g->n_tables; t++)
        buf_clear(&csv[t]);
    return st;
}

/* -------------------------------------------------------------------- hints -- */

static bool
is_number_start(const char *sql, const char *at)
{
    bool after_word =
        at > sql &&
        ((at[-1] >= 'a' && at[-1] <= 'z') || (at[-1] >= 'A' && at[-1] <= 'Z') ||
         (at[-1] >= '0' && at[-1] <= '9') || at[-1] == '_' || at[-1] == '.');

    return *at >= '0' && *at <= '9' && !after_word;
}

size_t
data_hints_of(const char *sql, str hints[DATA_HINTS_MAX])
{
    size_t n = 0;

    for (const char *s = sql; *s && n < DATA_HINTS_MAX;) {
        size_t len = 1;

        if (*s == '\'') {
            len = strcspn(s + 1, "'");
            hints[n++] = (str){s + 1, len};
            len += s[len + 1] ? 2 : 1;
        } else if (is_number_start(sql, s)) {
            len = strspn(s, "0123456789.eE");
            hints[n++] = (str){s, len};
        }
        s += len;
    }
    return n;
}
