/*
 * PostgreSQL's parser. pg.c is the only caller of libpg_query; the files that
 * read its tree know the types of its nodes.
 */
#ifndef SQL_PG_H
#define SQL_PG_H

#include <stdbool.h>
#include <stddef.h>

#include <protobuf-c/protobuf-c.h>
#include <pg_query/pg_query.pb-c.h>

#include "base/arena.h"
#include "custos.h"

typedef PgQuery__Node pg_node;

struct sql_token {
    int at, end; /* bytes of the text */
    int kind;    /* PG_QUERY__TOKEN__... */
    int keyword; /* PG_QUERY__KEYWORD_KIND__... */
};

/*
 * The tokens of sql without comments. The scanner does not recurse, so it is
 * safe for any text. May fail: CUSTOS_ESYNTAX, CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status pg_scan(arena *a, const char *sql,
                                      struct sql_token **out, size_t *n,
                                      custos_err *err);

/*
 * The tree of sql. The parser recurses, with 2 kB of stack per level: call it
 * only for texts that passed tokens_check. On success the caller frees *out.
 * May fail: CUSTOS_ESYNTAX, CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status pg_parse(const char *sql,
                                       PgQuery__ParseResult **out,
                                       custos_err *err);
void pg_parse_free(PgQuery__ParseResult *tree);

/*
 * pg_parse_into: as pg_parse, but the tree is in an arena and can be changed.
 * pg_deparse: the text of such a tree. CUSTOS_EUNSUPPORTED: it cannot be
 * printed.
 */
CUSTOS_MUST_USE custos_status pg_parse_into(arena *a, const char *sql,
                                            PgQuery__ParseResult **out,
                                            custos_err *err);
CUSTOS_MUST_USE custos_status pg_deparse(arena *a,
                                         const PgQuery__ParseResult *tree,
                                         const char **out, custos_err *err);

/* Rejects a subquery in FROM that has no name. */
custos_status fail_unnamed(int at, custos_err *err);

#endif
