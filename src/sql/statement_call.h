/*
 * Statements that look like queries: settings made or shown by a SELECT.
 */
#ifndef SQL_STATEMENT_CALL_H
#define SQL_STATEMENT_CALL_H

#include "sql/pg.h"
#include "sql/statement.h"

/* True if the SELECT is such a call; *out then says what it shows or sets. */
bool statement_call_read(arena *a, const PgQuery__SelectStmt *s,
                         struct statement *out);

/* Is it a setting of custos, which the catalog does not know? */
bool setting_is_ours(const char *name);

#endif
