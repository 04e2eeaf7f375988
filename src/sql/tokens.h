/*
 * What the tokens of a query show before it is parsed: how deep it nests, and
 * where it has the two spellings of GoogleSQL that PostgreSQL's grammar lacks.
 */
#ifndef SQL_TOKENS_H
#define SQL_TOKENS_H

#include "base/str.h"
#include "custos.h"
#include "sql/pg.h"
#include "sql/tree.h"

/* Levels that the parser's recursion may need; 2 kB of stack each. */
enum { SQL_DEPTH_MAX = 200 };

/* Refuses a query that nests deeper than SQL_DEPTH_MAX: CUSTOS_EUNSUPPORTED. */
CUSTOS_MUST_USE custos_status tokens_check(const struct sql_token *tokens,
                                           size_t n, custos_err *err);

/*
 * Reads `WITH DIFFERENTIAL_PRIVACY [OPTIONS(...)]` after the outermost SELECT
 * into *out and writes as many blanks over it, so that positions in the text
 * stay the same. Also writes blanks over `*,` in `COUNT(*, epsilon => ...)`.
 * May fail: CUSTOS_ESYNTAX, CUSTOS_EUNSUPPORTED, CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status tokens_google(arena *a, char *sql,
                                            const struct sql_token *tokens,
                                            size_t n, struct query_options *out,
                                            custos_err *err);

/* Is the token spelled like this, in any case? */
bool token_is(const char *sql, const struct sql_token *t, const char *word);

#endif
