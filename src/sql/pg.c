/*
 * The calls into libpg_query. Its state belongs to the thread and is cleaned up
 * when the thread ends; its results are freed here.
 *
 * Its error positions count characters from 1, ours bytes from 0.
 */
#include "sql/pg.h"

#include <pg_query.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"

static_assert(PG_VERSION_NUM >= 150000 && PG_VERSION_NUM < 180000,
              "sql/ knows the trees of libpg_query 15 to 17");

/* The byte at which the character number `position` (from 1) begins. */
static int
byte_of(const char *sql, int position)
{
    int at = 0;

    for (int i = 1; i < position && sql[at]; i++) {
        at++;
        while (((unsigned char)sql[at] & 0xC0) == 0x80)
            at++;
    }
    return at;
}

custos_status
fail_unnamed(int at, custos_err *err)
{
    return custos_fail_at(err, CUSTOS_ESYNTAX, at,
                          "a subquery in FROM needs a name" HINT
                          "write (SELECT ...) AS x");
}

/* Passes libpg_query's message on: it quotes nothing but the query. Since version 16
   the grammar takes a subquery without a name, which read_from.c then rejects; before,
   it is an error here. Both get the same message, at the same place. */
static custos_status
fail_parse(const char *sql, const PgQueryError *e, custos_err *err)
{
    int at = byte_of(sql, e->cursorpos);

    if (e->message &&
        !strcmp(e->message, "subquery in FROM must have an alias"))
        return fail_unnamed(at + (int)strspn(sql + at, "( \t\n"), err);
    return custos_fail_at(err, CUSTOS_ESYNTAX, at, "%.150s",
                          e->message ? e->message : "not SQL");
}

static custos_status
tokens_copy(arena *a, const PgQuery__ScanResult *scan, struct sql_token **out,
            size_t *n, custos_err *err)
{
    struct sql_token *tokens =
        arena_take(a, scan->n_tokens + 1, sizeof *tokens);

    if (!tokens)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    *out = tokens;
    *n = 0;
    for (size_t i = 0; i < scan->n_tokens; i++) {
        const PgQuery__ScanToken *t = scan->tokens[i];

        if (t->token == PG_QUERY__TOKEN__SQL_COMMENT ||
            t->token == PG_QUERY__TOKEN__C_COMMENT)
            continue;
        tokens[(*n)++] = (struct sql_token){
            .at = t->start,
            .end = t->end,
            .kind = (int)t->token,
            .keyword = (int)t->keyword_kind,
        };
    }
    return CUSTOS_OK;
}

custos_status
pg_scan(arena *a, const char *sql, struct sql_token **out, size_t *n,
        custos_err *err)
{
    PgQueryScanResult result = pg_query_scan(sql);
    PgQuery__ScanResult *scan = NULL;
    custos_status st;

    if (result.error) {
        st = fail_parse(sql, result.error, err);
        goto out;
    }
    scan = pg_query__scan_result__unpack(NULL, result.pbuf.len,
                                         (const uint8_t *)result.pbuf.data);
    if (!scan) {
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
        goto out;
    }
    st = tokens_copy(a, scan, out, n, err);
out:
    if (scan)
        pg_query__scan_result__free_unpacked(scan, NULL);
    pg_query_free_scan_result(result);
    return st;
}

static custos_status
parse_with(ProtobufCAllocator *allocator, const char *sql,
           PgQuery__ParseResult **out, custos_err *err)
{
    PgQueryProtobufParseResult result = pg_query_parse_protobuf(sql);
    custos_status st = CUSTOS_OK;

    if (result.error) {
        st = fail_parse(sql, result.error, err);
        goto out;
    }
    *out =
        pg_query__parse_result__unpack(allocator, result.parse_tree.len,
                                       (const uint8_t *)result.parse_tree.data);
    if (!*out)
        st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
out:
    pg_query_free_protobuf_parse_result(result);
    return st;
}

custos_status
pg_parse(const char *sql, PgQuery__ParseResult **out, custos_err *err)
{
    return parse_with(NULL, sql, out, err);
}

static void *
arena_alloc(void *a, size_t size)
{
    return arena_take(a, size, 1);
}

static void
arena_leave(void *a, void *pointer)
{
    (void)a;
    (void)pointer;
}

custos_status
pg_parse_into(arena *a, const char *sql, PgQuery__ParseResult **out,
              custos_err *err)
{
    ProtobufCAllocator allocator = {arena_alloc, arena_leave, a};

    return parse_with(&allocator, sql, out, err);
}

custos_status
pg_deparse(arena *a, const PgQuery__ParseResult *tree, const char **out,
           custos_err *err)
{
    PgQueryProtobuf packed = {
        .len = pg_query__parse_result__get_packed_size(tree)};
    PgQueryDeparseResult result;
    custos_status st = CUSTOS_OK;

    packed.data = arena_take(a, packed.len + 1, 1);
    if (!packed.data)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    pg_query__parse_result__pack(tree, (uint8_t *)packed.data);
    result = pg_query_deparse_protobuf(packed);
    if (result.error) {
        st = custos_fail(err, CUSTOS_EUNSUPPORTED,
                         "not supported in catalog queries");
        custos_note(err, "%s",
                    result.error->message ? result.error->message : "");
    } else {
        *out = arena_copy(a, str_of(result.query));
        if (!*out)
            st = custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    }
    pg_query_free_deparse_result(result);
    return st;
}

void
pg_parse_free(PgQuery__ParseResult *tree)
{
    if (tree)
        pg_query__parse_result__free_unpacked(tree, NULL);
}
