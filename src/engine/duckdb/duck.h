/*
 * The part of DuckDB that we use: databases, statements, and results as columns
 * of raw values that come in chunks. Only files of this folder include DuckDB's
 * header.
 *
 * The engine's messages may depend on the data, so every failure is one constant
 * sentence, and the original goes to err->noted.
 */
#ifndef ENGINE_DUCK_H
#define ENGINE_DUCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base.h"
#include "base/str.h"
#include "custos.h"
#include "engine/statement/rows.h"

struct duck;            /* a database */
struct duck_connection; /* used by one thread at a time */

enum duck_mode { DUCK_READ, DUCK_WRITE };

/* The version of the library that is loaded, such as "v1.4.4". */
const char *duck_version(void);

/* path NULL: in memory. May fail: CUSTOS_EIO, CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status duck_open(const char *path, enum duck_mode mode,
                                        struct duck **out, custos_err *err);
void duck_close(struct duck *d);

/* May fail: CUSTOS_EENGINE, CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status duck_connect(struct duck *d,
                                           struct duck_connection **out,
                                           custos_err *err);
void duck_disconnect(struct duck_connection *c);

/* Sets which prepared statements c reuses from now on. Reuse needs data that cannot
   change. DUCK_REUSE_OTHER_NUMBERS: also reuses a statement for a text that differs
   only in whole numbers; needs an engine with one thread (duck_numbers.h). */
enum duck_reuse {
    DUCK_REUSE_NONE,
    DUCK_REUSE_SAME_TEXT,
    DUCK_REUSE_OTHER_NUMBERS
};
void duck_reuse(struct duck_connection *c, enum duck_reuse keeps);

/* Interrupts the statement that another thread runs on c; it then fails. */
void duck_interrupt(struct duck_connection *c);

/* Runs a statement for its effect. May fail: CUSTOS_EENGINE. */
CUSTOS_MUST_USE custos_status duck_do(struct duck_connection *c,
                                      const char *sql, custos_err *err);

/* The same, but reports progress in percent from time to time. */
typedef void (*duck_progress)(void *ctx, unsigned percent);
CUSTOS_MUST_USE custos_status duck_do_slowly(struct duck_connection *c,
                                             const char *sql,
                                             duck_progress progress, void *ctx,
                                             custos_err *err);

/*
 * Runs a query. Rows come in chunks while it runs, in the engine's order (the
 * order of storage for scan, filter and projection of one table). On success
 * the caller frees *out. May fail: CUSTOS_EENGINE, CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status duck_ask(struct duck_connection *c,
                                       const char *sql, struct result **out,
                                       custos_err *err);

/* Gives only the names and types of a query's columns; the query does not run. */
CUSTOS_MUST_USE custos_status duck_describe(struct duck_connection *c,
                                            const char *sql,
                                            struct result **out,
                                            custos_err *err);
/* The result of a query that gives one whole number; NULL is 0. */
CUSTOS_MUST_USE custos_status duck_ask_whole(struct duck_connection *c,
                                             const char *sql, i128 *out,
                                             custos_err *err);

/*
 * From now on statements of c's database may call row_hash(text): the first
 * 128 bits of SHA-256 of salt and text, a UHUGEINT; NULL for NULL. May fail:
 * CUSTOS_EENGINE, CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status duck_hash_add(struct duck_connection *c, str salt,
                                            custos_err *err);

/*
 * From now on statements of c's database may call value_ordinal(column, row,
 * unit, value), a SMALLINT: the ordinal of the value (ordinals.h). Each of
 * `columns` columns has a state of its own. The statement fails if rows do not come
 * in order. May fail: CUSTOS_EENGINE, CUSTOS_ENOMEM.
 */
CUSTOS_MUST_USE custos_status duck_ordinal_add(struct duck_connection *c,
                                               size_t columns, custos_err *err);

/*
 * From now on statements of c's database may call our own total functions, as
 * printed expressions do: duck_own.h lists them. May fail: CUSTOS_EENGINE.
 */
CUSTOS_MUST_USE custos_status duck_own_add(struct duck_connection *c,
                                           custos_err *err);

/* Write 'text' and "name", with inner quotes doubled; a NUL sets b->failed. */
void duck_quote_text(struct buf *b, str text);
void duck_quote_name(struct buf *b, str name);

#endif
