/*
 * Drafts: the schema as YAML, with questions. Guesses at units and references
 * are based on names and appear in comments only.
 */
#include "policy/draft.h"

#include <strings.h>

#include "base/base.h"
#include "policy/emit.h"

enum { WORD_MAX = 256 };

/* The file's name without folders and endings; for a DuckDB file, the table's
   name. */
static str
table_stem(const struct draft_table *t)
{
    str s = t->source;

    if (t->kind == SOURCE_DUCKDB)
        return t->source_table;
    for (size_t i = s.len; i > 0; i--)
        if (s.ptr[i - 1] == '/') {
            s = (str){s.ptr + i, s.len - i};
            break;
        }
    for (size_t i = 1; i < s.len; i++)
        if (s.ptr[i] == '.')
            s.len = i;
    return s;
}

static bool
ends_in(str text, const char *ending)
{
    str e = str_of(ending);

    return text.len >= e.len &&
           !strncasecmp(text.ptr + text.len - e.len, e.ptr, e.len);
}

/* Is it named like an identifier: id, patient_id, PatientID? */
static bool
looks_like_id(const struct draft_column *c)
{
    return (c->type == TYPE_INT || c->type == TYPE_TEXT ||
            c->type == TYPE_NULL) &&
           (ends_in(c->name, "_id") || ends_in(c->name, "ID") ||
            (c->name.len == 2 && ends_in(c->name, "id")));
}

static bool
has_column(const struct draft_table *t, str name)
{
    for (size_t i = 0; i < t->n_columns; i++)
        if (str_equal(t->columns[i].name, name))
            return true;
    return false;
}

/*
 * Guesses what a column references: patient_id may reference column id or
 * patient_id of a table patient or patients.
 */
static const struct draft_table *
find_parent(const struct draft_table *tables, size_t n,
            const struct draft_table *t, const struct draft_column *c, str *key)
{
    str base = c->name;

    if (!ends_in(base, "_id") || base.len == 3)
        return NULL;
    base.len -= 3;
    for (size_t i = 0; i < n; i++) {
        str name = table_stem(&tables[i]);

        if (name.len == base.len + 1 && ends_in(name, "s"))
            name.len--;
        *key = has_column(&tables[i], c->name) ? c->name : str_of("id");
        if (&tables[i] != t && name.len == base.len &&
            !strncasecmp(name.ptr, base.ptr, base.len) &&
            has_column(&tables[i], *key))
            return &tables[i];
    }
    return NULL;
}

static void
draft_question(const struct draft_table *tables, size_t n,
               const struct draft_table *t, const struct draft_column *c,
               struct buf *out)
{
    str key;
    const struct draft_table *to = find_parent(tables, n, t, c, &key);

    if (to) {
        buf_add_text(out, " # ? references: ");
        emit_word(out, table_stem(to));
        buf_add_text(out, ".");
        emit_name(out, key);
    } else if (looks_like_id(c)) {
        buf_add_text(out, " # ? references: TABLE.COLUMN");
    } else if (c->type == TYPE_TEXT) {
        buf_add_text(out, " # ? values: [...], all that may be grouped by");
    } else if (c->type == TYPE_DATE || c->type == TYPE_TIMESTAMP) {
        buf_add_text(out, " # ? range: [first, last], to group by it");
    } else if (data_type_is_number(c->type)) {
        buf_add_text(out, " # ? range: [lower, upper], to sum it");
    } else if (c->type == TYPE_NULL) {
        buf_add_text(out, " # ? and its range or values");
    }
    buf_add_text(out, "\n");
}

static void
draft_column(const struct draft_table *tables, size_t n,
             const struct draft_table *t, const struct draft_column *c,
             struct buf *out)
{
    bool lost = c->type == TYPE_NULL && t->kind != SOURCE_CSV;

    buf_add_text(out, lost ? "      # left out, of a type that is not read: "
                           : "      ");
    emit_name(out, c->name);
    if (lost) {
        buf_add_text(out, "\n");
        return;
    }
    buf_add_text(out, ": {");
    if (c->type == TYPE_NULL)
        buf_add_text(out, "type: TODO");
    else
        emit_type(out, c->type, c->scale);
    buf_add_text(out, "}");
    draft_question(tables, n, t, c, out);
}

static void
draft_columns(const struct draft_table *tables, size_t n,
              const struct draft_table *t, struct buf *out)
{
    buf_add_text(out, "    # ? Ranges and values are public: take them from "
                      "what is known of the\n"
                      "    #   subject, never from the data. nullable: false "
                      "where a value is always there.\n");
    if (t->kind == SOURCE_CSV)
        buf_add_text(out,
                     "    # ? A CSV file has no types: name one of boolean, "
                     "integer, decimal (with\n"
                     "    #   scale: 2), real, text, date and "
                     "timestamp.\n");
    buf_add_text(out, "    columns:\n");
    for (size_t i = 0; i < t->n_columns; i++)
        draft_column(tables, n, t, &t->columns[i], out);
}

static void
draft_unit(const struct draft_table *t, struct buf *out)
{
    const char *between = " perhaps ";

    buf_add_text(out, "    # ? Whom does a row belong to: a column, or row for "
                      "the row itself.\n"
                      "    #   Where it protects nobody: public: true instead "
                      "of these two lines.\n"
                      "    unit: TODO # ?");
    for (size_t i = 0; i < t->n_columns; i++)
        if (looks_like_id(&t->columns[i])) {
            buf_add_text(out, between);
            emit_name(out, t->columns[i].name);
            between = " or ";
        }
    buf_add_text(out,
                 "\n    rows_per_unit: TODO # ? how many rows of one unit "
                 "count at most; 1 where a unit has one row\n"
                 "    # ? The most rows this table may ever have. The "
                 "number becomes public, and\n"
                 "    #   reply times depend on it: choose it without looking "
                 "at the data. Without\n"
                 "    #   it every custos init charges for a noisy count.\n"
                 "    # max_rows: 1000000\n");
}

/* The table's name in the policy; equal names get a number. */
static void
draft_name(const struct draft_table *tables, size_t i, struct buf *out)
{
    struct buf name, other;
    size_t same = 1;

    buf_init(&name, NULL, WORD_MAX);
    emit_word(&name, table_stem(&tables[i]));
    for (size_t k = 0; k < i; k++) {
        buf_init(&other, NULL, WORD_MAX);
        emit_word(&other, table_stem(&tables[k]));
        same += str_equal(str_of(buf_text(&name)), str_of(buf_text(&other)));
        buf_clear(&other);
    }
    buf_add_text(out, buf_text(&name));
    if (same > 1)
        buf_printf(out, "_%zu", same);
    out->failed = out->failed || name.failed;
    buf_clear(&name);
}

void
policy_draft(const struct draft_table *tables, size_t n, struct buf *out)
{
    buf_add_text(
        out,
        "# A first policy, made from the names and types of columns; no value "
        "was used.\n"
        "# Lines with `# ?` are questions that only the owner of the data can "
        "answer;\n"
        "# TODO must be answered. custos-policy(5) explains the keys, and\n"
        "# `custos policy check` reads it and says what is missing or "
        "dangerous.\n\n");
    emit_head(out);
    buf_add_text(out, "tables:\n");
    for (size_t i = 0; i < n; i++) {
        const struct draft_table *t = &tables[i];
        enum source_kind kind;

        buf_add_text(out, "  ");
        draft_name(tables, i, out);
        buf_add_text(out, ":\n    source: ");
        emit_text(out, t->source);
        if (!policy_source_kind(t->source, &kind) || kind != t->kind)
            buf_printf(out, "\n    format: %s",
                       t->kind == SOURCE_CSV       ? "csv"
                       : t->kind == SOURCE_PARQUET ? "parquet"
                                                   : "duckdb");
        if (t->kind == SOURCE_DUCKDB) {
            buf_add_text(out, "\n    source_table: ");
            emit_text(out, t->source_table);
        }
        buf_add_text(out, "\n");
        draft_unit(t, out);
        draft_columns(tables, n, t, out);
        buf_add_text(out, "\n");
    }
    buf_add_text(
        out,
        "# ? Who may ask, what, and how much of the budget; the owner needs no "
        "entry.\n"
        "# analysts:\n"
        "#   ana: {budget: {epsilon: ..., delta: ...}, tables: {visits: "
        "[cost]}}\n");
}
