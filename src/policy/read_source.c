/*
 * Reads where tables are: `sources:`, which names databases, and the keys of a
 * table that name a file (source) or one of these (from).
 */
#include <string.h>
#include <strings.h>

#include "base/base.h"
#include "policy/read.h"

enum { SOURCES_MAX = 100, LIST_MAX = 256 };

/* --------------------------------------------------------- named sources -- */

static const char *const keys[] = {"engine", "file", "secret_file"};

/* What somebody may write who looks for the place of a secret. */
static const char *const secret_keys[] = {"secret", "password", "key",
                                          "encryption_key", "token"};

static const struct {
    const char *word;
    enum source_engine engine;
} engines[] = {
    {"duckdb", ENGINE_DUCKDB},
};

static custos_status
fail_engine(const struct reading *r, int line, str name)
{
    custos_status st;
    struct buf list;

    buf_init(&list, NULL, LIST_MAX);
    for (size_t i = 0; i < COUNT_OF(engines); i++)
        buf_printf(&list, "%s%s", i ? ", " : "", engines[i].word);
    st = reading_fail(
        r, line, "there is no engine '%.*s' in this custos" HINT "it has: %s",
        SHOWN(name), buf_text(&list));
    buf_clear(&list);
    return st;
}

static custos_status
read_engine(const struct reading *r, const struct node *n,
            struct policy_source *s)
{
    custos_status st;
    str word;

    st = node_text(r, n, "engine", &word);
    if (st)
        return st;
    for (size_t i = 0; i < COUNT_OF(engines); i++)
        if (str_equal(word, str_of(engines[i].word))) {
            s->engine = engines[i].engine;
            return CUSTOS_OK;
        }
    return fail_engine(r, n->line, word);
}

/* Rejects secrets in the policy, which is stored and public to the planner. */
static custos_status
refuse_secrets(const struct reading *r, const struct node *map)
{
    for (size_t i = 0; i < COUNT_OF(secret_keys); i++) {
        const struct node *n = node_find(map, secret_keys[i]);

        if (n)
            return reading_fail(r, n->key_line,
                                "a policy has no secrets, and so no %s" HINT
                                "write it to a file that only you can read, "
                                "and name the file as secret_file",
                                secret_keys[i]);
    }
    return CUSTOS_OK;
}

static custos_status
read_named(const struct reading *r, const struct node *map,
           struct policy_source *s)
{
    const struct node *engine = node_find(map, "engine");
    const struct node *file = node_find(map, "file");
    const struct node *secret = node_find(map, "secret_file");
    custos_status st;

    s->name = map->key;
    s->line = map->key_line;
    s->file = s->secret_file = str_of("");
    /* the engine first: another one may have other keys */
    st = engine ? read_engine(r, engine, s) : CUSTOS_OK;
    if (!st)
        st = refuse_secrets(r, map);
    if (!st)
        st = node_is_map(r, map, "a source", keys, COUNT_OF(keys));
    if (!st && !engine)
        return reading_fail(r, map->line,
                            "source '%.*s' has no engine" HINT
                            "add engine: duckdb",
                            SHOWN(s->name));
    if (!st && !file)
        return reading_fail(r, map->line,
                            "source '%.*s' has no file" HINT
                            "name the DuckDB file that its tables are in",
                            SHOWN(s->name));
    if (!st)
        st = node_text(r, file, "file", &s->file);
    if (!st && secret)
        st = node_text(r, secret, "secret_file", &s->secret_file);
    return st;
}

custos_status
read_sources(const struct reading *r, const struct node *root, struct policy *p)
{
    const struct node *sources = node_find(root, "sources");
    custos_status st;

    if (!sources)
        return CUSTOS_OK;
    st = read_key_of_2(r, p, "sources", sources->key_line);
    if (!st)
        st = node_is_names(r, sources, "sources");
    if (!st && sources->n > SOURCES_MAX)
        return reading_fail(r, sources->line, "more than %d sources",
                            (int)SOURCES_MAX);
    if (st)
        return st;
    p->sources = arena_take(r->a, sources->n + 1, sizeof *p->sources);
    if (!p->sources)
        return reading_no_memory(r);
    for (const struct node *n = sources->first; n && !st; n = n->next)
        st = reading_go_on(r, read_named(r, n, &p->sources[p->n_sources++]));
    return st;
}

/* -------------------------------------------------------------- of tables -- */

static const struct {
    const char *word;
    enum source_kind kind;
} formats[] = {
    {"csv", SOURCE_CSV},
    {"parquet", SOURCE_PARQUET},
    {"duckdb", SOURCE_DUCKDB},
};

static const struct {
    const char *ending;
    enum source_kind kind;
} endings[] = {
    {".csv", SOURCE_CSV},         {".csv.gz", SOURCE_CSV},
    {".tsv", SOURCE_CSV},         {".csv.zst", SOURCE_CSV},
    {".parquet", SOURCE_PARQUET}, {".duckdb", SOURCE_DUCKDB},
    {".ddb", SOURCE_DUCKDB},
};

bool
policy_source_kind(str path, enum source_kind *out)
{
    for (size_t i = 0; i < COUNT_OF(endings); i++) {
        size_t len = strlen(endings[i].ending);

        if (path.len > len &&
            !strncasecmp(path.ptr + path.len - len, endings[i].ending, len)) {
            *out = endings[i].kind;
            return true;
        }
    }
    return false;
}

static custos_status
read_format(const struct reading *r, const struct node *n,
            struct policy_table *t)
{
    for (size_t i = 0; i < COUNT_OF(formats); i++)
        if (n->kind == NODE_TEXT &&
            str_equal(n->text, str_of(formats[i].word))) {
            t->source_kind = formats[i].kind;
            return CUSTOS_OK;
        }
    return reading_fail(r, n->line, "format must be csv, parquet or duckdb");
}

static custos_status
read_file(const struct reading *r, const struct node *map, const struct node *n,
          struct policy_table *t)
{
    const struct node *format = node_find(map, "format");
    custos_status st = node_text(r, n, "source", &t->source);

    if (!st && format)
        return read_format(r, format, t);
    if (!st && !policy_source_kind(t->source, &t->source_kind))
        return reading_fail(
            r, n->line,
            "the format of '%.*s' does not follow from its name" HINT
            "add format: csv, parquet or duckdb",
            SHOWN(t->source));
    return st;
}

static custos_status
read_from(const struct reading *r, const struct node *map, const struct node *n,
          const struct policy *p, struct policy_table *t)
{
    const struct node *format = node_find(map, "format");
    custos_status st;
    str name;

    st = node_text(r, n, "from", &name);
    if (st)
        return st;
    t->from = policy_source_find(p, name);
    if (!t->from)
        return reading_fail(r, n->line,
                            "there is no source '%.*s'" HINT
                            "name it under sources: of the policy, or give a "
                            "file as source:",
                            SHOWN(name));
    if (format)
        return reading_fail(r, format->key_line,
                            "format is only for files that source names");
    t->source = t->from->file;
    t->source_kind = SOURCE_DUCKDB;
    return CUSTOS_OK;
}

static custos_status
read_place(const struct reading *r, const struct node *map,
           const struct policy *p, struct policy_table *t)
{
    const struct node *source = node_find(map, "source");
    const struct node *from = node_find(map, "from");

    if (!source && !from)
        return reading_fail(r, map->line,
                            "table '%.*s' has no source" HINT
                            "name the file that it is in",
                            SHOWN(t->name));
    if (source && from)
        return reading_fail(r, from->key_line,
                            "table '%.*s' has both source and from" HINT
                            "keep source if it is in a file, from if it is in "
                            "one of the sources",
                            SHOWN(t->name));
    return source ? read_file(r, map, source, t)
                  : read_from(r, map, from, p, t);
}

custos_status
read_table_source(const struct reading *r, const struct node *map,
                  const struct policy *p, struct policy_table *t)
{
    custos_status st = read_place(r, map, p, t);
    const struct node *n = node_find(map, "source_table");

    if (!st && n && t->source_kind != SOURCE_DUCKDB)
        return reading_fail(r, n->line,
                            "source_table is only for DuckDB files");
    t->source_table = t->source_kind == SOURCE_DUCKDB ? t->name : str_of("");
    if (!st && n)
        st = node_text(r, n, "source_table", &t->source_table);
    n = node_find(map, "attach");
    if (!st && n)
        st = node_flag(r, n, "attach", &t->attached);
    t->facts = t->attached ? FACTS_ATTACHED : FACTS_IMPORTED;
    if (!st && t->attached && t->from && t->from->secret_file.len > 0)
        return reading_fail(r, n->line,
                            "table '%.*s' cannot be attached: each query would "
                            "need the secret of its source" HINT
                            "leave out attach, and it is imported",
                            SHOWN(t->name));
    return st;
}
