/*
 * SmartNoise metadata, parsed into the same nodes as policies. A table's
 * children that are maps are its columns, the others its options.
 *
 * SmartNoise has an (epsilon, delta) for each query; a policy has a budget for
 * all queries together, which the owner must fill in.
 */
#include "policy/import.h"

#include <stdarg.h>
#include <stdio.h>
#include <strings.h>

#include "base/base.h"
#include "policy/emit.h"
#include "policy/node.h"
#include "policy/policy.h"

enum { NOTE_MAX = 200 };

#define ROWS_MOST ((uint64_t)1 << 48)
#define COUNT_MOST ((uint64_t)1 << 31)

static const char *const table_keys[] = {
    "max_ids",       "row_privacy", "rows",
    "rows_exact",    "censor_dims", "clamp_counts",
    "clamp_columns", "use_dpsu",    "sample_max_ids",
};
static const char *const flag_keys[] = {"rows_exact", "clamp_columns",
                                        "use_dpsu", "sample_max_ids"};
static const char *const column_keys[] = {
    "type", "private_id",  "lower",         "upper",       "nullable",
    "name", "cardinality", "missing_value", "sensitivity",
};

static const struct {
    const char *word;
    enum data_type type;
} types[] = {
    {"int", TYPE_INT},
    {"float", TYPE_REAL},
    {"string", TYPE_TEXT},
    {"boolean", TYPE_BOOL},
    {"datetime", TYPE_TIMESTAMP},
    {"unknown", TYPE_NULL},
};

struct import {
    const struct reading *r;
    struct buf *out;
    struct buf note; /* the comment of the line that is being written */
};

CUSTOS_PRINTF(2, 3)
static void
add_note(struct import *m, const char *said, ...)
{
    char text[NOTE_MAX];
    va_list args;

    va_start(args, said);
    vsnprintf(text, sizeof text, said, args);
    va_end(args);
    buf_printf(&m->note, "%s%s", m->note.len ? "; " : " # ? ", text);
}

static void
end_line(struct import *m)
{
    buf_printf(m->out, "%s\n", buf_text(&m->note));
    m->out->failed = m->out->failed || m->note.failed;
    buf_clear(&m->note);
    buf_init(&m->note, NULL, NODE_BYTES_MAX);
}

/* Reads a flag; like Python's YAML loader, accepts True, true, yes and on. If
   the node is NULL, *out is unchanged. */
static custos_status
read_flag(const struct reading *r, const struct node *n, bool *out)
{
    static const char *const yes_words[] = {"true", "yes", "on", "1"};
    static const char *const no_words[] = {"false", "no", "off", "0"};

    if (!n)
        return CUSTOS_OK;
    for (size_t i = 0; n->kind == NODE_TEXT && i < COUNT_OF(yes_words); i++) {
        if (!strcasecmp(n->text.ptr, yes_words[i])) {
            *out = true;
            return CUSTOS_OK;
        }
        if (!strcasecmp(n->text.ptr, no_words[i])) {
            *out = false;
            return CUSTOS_OK;
        }
    }
    return reading_fail(r, n->line, "'%.*s' must be True or False",
                        SHOWN(n->key));
}

/*
 * SmartNoise ignores the case of names unless they are escaped ("x", `x`, [x]).
 * So unescaped names that are SQL words become lower-case, as SQL reads them.
 */
static void
add_name(struct buf *out, str name)
{
    struct buf lower;
    char first = name.len > 2 ? name.ptr[0] : '\0';
    char last = name.len > 2 ? name.ptr[name.len - 1] : '\0';

    if ((first == '"' && last == '"') || (first == '`' && last == '`') ||
        (first == '[' && last == ']')) {
        emit_name(out, (str){name.ptr + 1, name.len - 2});
        return;
    }
    buf_init(&lower, NULL, NODE_BYTES_MAX);
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];

        c = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
        buf_add(&lower, &c, 1);
    }
    if (is_sql_word(str_of(buf_text(&lower))))
        buf_add_text(out, buf_text(&lower));
    else
        emit_name(out, name);
    buf_clear(&lower);
}

/* -------------------------------------------------------------- columns -- */

static custos_status
read_type(const struct reading *r, const struct node *column,
          enum data_type *out)
{
    const struct node *n = node_find(column, "type");

    if (!n)
        return reading_fail(r, column->line, "column '%.*s' has no type",
                            SHOWN(column->key));
    for (size_t i = 0; i < COUNT_OF(types); i++)
        if (n->kind == NODE_TEXT && !strcasecmp(n->text.ptr, types[i].word)) {
            *out = types[i].type;
            return CUSTOS_OK;
        }
    return reading_fail(r, n->line,
                        "there is no type '%.*s'" HINT "there are int, float, "
                        "string, boolean, datetime and unknown",
                        SHOWN(n->text));
}

/* Writes the range if both lower and upper are given; they must have the
   column's type and be in order. If one is missing, adds a note. */
static custos_status
add_range(struct import *m, const struct node *column, enum data_type type)
{
    const struct node *ends[] = {node_find(column, "lower"),
                                 node_find(column, "upper")};
    struct datum limits[2];

    if (!ends[0] && !ends[1])
        return CUSTOS_OK;
    if (!data_type_is_number(type) && type != TYPE_TIMESTAMP)
        return reading_fail(m->r, ends[ends[0] ? 0 : 1]->line,
                            "lower and upper go with numbers" HINT
                            "column '%.*s' "
                            "is %s",
                            SHOWN(column->key), data_type_name(type));
    if (!ends[0] || !ends[1]) {
        add_note(m, "range: [lower, upper]; only one of them was given");
        return CUSTOS_OK;
    }
    for (int i = 0; i < 2; i++)
        if (ends[i]->kind != NODE_TEXT ||
            !datum_read(type, ends[i]->text, &limits[i]))
            return reading_fail(m->r, ends[i]->line, "'%.*s' is not a valid %s",
                                SHOWN(ends[i]->text), data_type_name(type));
    if (datum_cmp(&limits[0], &limits[1]) >= 0)
        return reading_fail(m->r, ends[0]->line, "lower must be below upper");
    buf_add_text(m->out, ", range: [");
    datum_write(&limits[0], m->out);
    buf_add_text(m->out, ", ");
    datum_write(&limits[1], m->out);
    buf_add_text(m->out, "]");
    return CUSTOS_OK;
}

/* Adds notes: questions to the owner, and metadata that a policy does not
   have. */
static custos_status
add_notes(struct import *m, const struct node *column, enum data_type type)
{
    const struct node *n = node_find(column, "cardinality");
    bool bounded = node_find(column, "lower") || node_find(column, "upper");
    uint64_t count = 0;
    custos_status st = CUSTOS_OK;

    if (n)
        st = node_count(m->r, n, "cardinality", 0, ROWS_MOST, &count);
    if (type == TYPE_TEXT)
        add_note(m, "values: [...], all that may be grouped by");
    else if (data_type_is_number(type) && !bounded)
        add_note(m, "range: [lower, upper], to sum it");
    else if (type == TYPE_TIMESTAMP && !bounded)
        add_note(m, "range: [first, last], to group by it");
    if (n)
        add_note(m, "cardinality was %llu", (unsigned long long)count);
    if (node_find(column, "missing_value"))
        add_note(m, "missing_value is not taken over: write coalesce(x, 0) in "
                    "queries");
    if (node_find(column, "sensitivity"))
        add_note(m, "sensitivity is not taken over: the range gives it");
    return st;
}

static custos_status
add_column(struct import *m, const struct node *column, bool is_unit)
{
    enum data_type type = TYPE_NULL;
    bool nullable = true;
    custos_status st = node_is_map(m->r, column, "a column", column_keys,
                                   COUNT_OF(column_keys));

    if (!st)
        st = read_type(m->r, column, &type);
    if (!st)
        st = read_flag(m->r, node_find(column, "nullable"), &nullable);
    if (st)
        return st;
    buf_add_text(m->out,
                 type == TYPE_NULL ? "      # of unknown type: " : "      ");
    add_name(m->out, column->key);
    if (type == TYPE_NULL) {
        end_line(m);
        return CUSTOS_OK;
    }
    buf_add_text(m->out, ": {");
    emit_type(m->out, type, 0);
    if (!is_unit) {
        st = add_range(m, column, type);
        if (!st)
            st = add_notes(m, column, type);
    }
    buf_printf(m->out, "%s}", nullable ? "" : ", nullable: false");
    end_line(m);
    return st;
}

/* --------------------------------------------------------------- tables -- */

/* Finds the column with private_id: True, or NULL. */
static custos_status
find_unit(const struct reading *r, const struct node *table,
          const struct node **out)
{
    custos_status st = CUSTOS_OK;

    *out = NULL;
    for (const struct node *c = table->first; c && !st; c = c->next) {
        bool private_id = false;

        if (c->kind == NODE_MAP)
            st = read_flag(r, node_find(c, "private_id"), &private_id);
        if (!st && private_id && *out)
            return reading_fail(r, c->line,
                                "a second private_id: people named by several "
                                "columns together have no unit here");
        if (private_id)
            *out = c;
    }
    return st;
}

static custos_status
add_unit(struct import *m, const struct node *table, const struct node *unit)
{
    const struct node *n = node_find(table, "max_ids");
    bool rows = false;
    uint64_t most = 1;
    custos_status st = read_flag(m->r, node_find(table, "row_privacy"), &rows);

    if (!st && n)
        st = node_count(m->r, n, "max_ids", 1, COUNT_MOST, &most);
    if (st)
        return st;
    if (rows && most > 1)
        return reading_fail(m->r, n->line,
                            "row_privacy: each row is somebody, so max_ids is "
                            "1");
    buf_add_text(m->out, "    unit: ");
    if (rows)
        buf_add_text(m->out, "row");
    else if (unit)
        add_name(m->out, unit->key);
    else
        buf_add_text(m->out, "TODO # ? neither row_privacy nor a private_id "
                             "was given");
    buf_printf(m->out, "\n    rows_per_unit: %llu # max_ids\n",
               (unsigned long long)most);
    return CUSTOS_OK;
}

/* Checks a table's options, and adds notes on those that have another meaning
   here. */
static custos_status
add_options(struct import *m, const struct node *table)
{
    const struct node *rows = node_find(table, "rows");
    bool censor = true, counts = false, exact = false, other = false;
    uint64_t count = 0;
    custos_status st = CUSTOS_OK;

    for (const struct node *n = table->first; n && !st; n = n->next) {
        bool known = n->kind == NODE_MAP;

        for (size_t i = 0; i < COUNT_OF(table_keys); i++)
            known = known || str_equal(n->key, str_of(table_keys[i]));
        if (!known)
            return reading_fail(
                m->r, n->key_line,
                "'%.*s' is not an option of a table in SmartNoise metadata",
                SHOWN(n->key));
    }
    for (size_t i = 0; i < COUNT_OF(flag_keys) && !st; i++)
        st = read_flag(m->r, node_find(table, flag_keys[i]), &other);
    if (!st)
        st = read_flag(m->r, node_find(table, "censor_dims"), &censor);
    if (!st)
        st = read_flag(m->r, node_find(table, "clamp_counts"), &counts);
    if (!st && rows)
        st = node_count(m->r, rows, "rows", 0, ROWS_MOST, &count);
    if (rows)
        buf_printf(m->out, "    # rows: %llu, by the metadata\n",
                   (unsigned long long)count);
    if (!st)
        st = read_flag(m->r, node_find(table, "rows_exact"), &exact);
    if (rows && exact)
        buf_printf(m->out,
                   "    # rows_exact: True; here exact_rows: %llu, if unit is "
                   "row and adjacency change-one\n",
                   (unsigned long long)count);
    if (node_find(table, "censor_dims"))
        buf_printf(m->out,
                   "    # censor_dims: %s; here groups come from the "
                   "values that are listed\n",
                   censor ? "True" : "False");
    if (counts)
        buf_add_text(m->out, "    # clamp_counts: True; here in the query: "
                             "greatest(count(*), 0)\n");
    return st;
}

static custos_status
add_table(struct import *m, const struct node *schema, const struct node *table)
{
    const struct node *unit = NULL;
    custos_status st;

    if (table->kind != NODE_MAP)
        return reading_fail(m->r, table->line,
                            "table '%.*s' must be a map of columns",
                            SHOWN(table->key));
    buf_add_text(m->out, "  ");
    add_name(m->out, table->key);
    buf_add_text(m->out, ": # of ");
    emit_name(m->out, schema->key);
    buf_add_text(m->out, "\n    source: TODO # ? which file it is in\n");
    st = find_unit(m->r, table, &unit);
    if (!st)
        st = add_unit(m, table, unit);
    if (!st)
        st = add_options(m, table);
    buf_add_text(m->out, "    columns:\n");
    for (const struct node *c = table->first; c && !st; c = c->next)
        if (c->kind == NODE_MAP)
            st = add_column(m, c, c == unit);
    buf_add_text(m->out, "\n");
    return st;
}

/* ---------------------------------------------------------- the nesting -- */

static custos_status
add_database(struct import *m, const struct node *database)
{
    custos_status st = CUSTOS_OK;

    for (const struct node *s = database->first; s && !st; s = s->next) {
        if (s->kind == NODE_TEXT && str_equal(s->key, str_of("engine")))
            continue;
        if (s->kind != NODE_MAP)
            return reading_fail(m->r, s->line,
                                "schema '%.*s' must be a map of tables",
                                SHOWN(s->key));
        for (const struct node *t = s->first; t && !st; t = t->next)
            st = add_table(m, s, t);
    }
    return st;
}

custos_status
policy_import(arena *a, str text, const char *path, struct buf *out,
              custos_err *err)
{
    const struct reading r = {.a = a, .path = path, .err = err};
    struct import m = {.r = &r, .out = out};
    struct node *root = NULL;
    custos_status st = node_load(&r, text, &root);

    if (st)
        return st;
    if (root->kind != NODE_MAP)
        return reading_fail(&r, root->line,
                            "metadata is a map: database, schema, table, "
                            "column");
    buf_init(&m.note, NULL, NODE_BYTES_MAX);
    buf_add_text(out, "# From SmartNoise's metadata. `# ?` are questions that "
                      "only the owner of the\n"
                      "# data can answer; TODO must be answered. See "
                      "custos-policy(5).\n\n");
    emit_head(out);
    buf_add_text(out, "tables:\n");
    for (const struct node *d = root->first; d && !st; d = d->next) {
        if (d->kind != NODE_MAP)
            st = reading_fail(&r, d->line,
                              "database '%.*s' must be a map of schemas",
                              SHOWN(d->key));
        else
            st = add_database(&m, d);
    }
    buf_clear(&m.note);
    return st;
}
