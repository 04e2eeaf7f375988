/*
 * A thin layer over SQLite, and its only user: a file in WAL mode that syncs on
 * every commit, statements prepared once, and our own error messages.
 *
 * A query remembers its first failure. So begin it, put the parameters in
 * order, step through the rows, and check once, at query_end. Texts and bytes
 * that it returns are borrowed until the next step.
 */
#ifndef LEDGER_SQLITE_H
#define LEDGER_SQLITE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "custos.h"

struct db;

/* DB_NEW: an empty file that becomes a ledger. DB_THERE: a ledger. DB_READ: a
   ledger on a read-only disk. */
enum db_opening { DB_NEW, DB_THERE, DB_READ };

/* May fail: CUSTOS_EIO, CUSTOS_ECORRUPT, CUSTOS_EBUSY, CUSTOS_ENOMEM,
   CUSTOS_EINVAL (the path is too long). */
CUSTOS_MUST_USE custos_status db_open(const char *path, enum db_opening how,
                                      struct db **out, custos_err *err);

/* Never checkpoints: that happens under the lock only. */
void db_close(struct db *d);

/* Runs statements that have no parameters and return no rows. */
CUSTOS_MUST_USE custos_status db_run(struct db *d, const char *sql,
                                     custos_err *err);

/* Begins and ends a transaction; DB_READING sees one moment of the file.
   db_rollback rolls back an open transaction, if there is one, and cannot
   fail. */
enum db_transaction { DB_READING, DB_WRITING };
CUSTOS_MUST_USE custos_status db_begin(struct db *d, enum db_transaction how,
                                       custos_err *err);
CUSTOS_MUST_USE custos_status db_commit(struct db *d, custos_err *err);
void db_rollback(struct db *d);

/* Number of rows changed since d was opened. */
int64_t db_changes(const struct db *d);

/* Pages in the log after the last commit of this connection. */
int db_log_pages(const struct db *d);

/* DB_EMPTY_LOG: checkpoints the whole log and truncates it. */
enum db_checkpoint { DB_SOME, DB_EMPTY_LOG };
CUSTOS_MUST_USE custos_status db_checkpoint(struct db *d,
                                            enum db_checkpoint how,
                                            custos_err *err);

/* SQLite's own check of its pages and indexes. */
CUSTOS_MUST_USE custos_status db_check(struct db *d, custos_err *err);

/* Copies the database, as of one moment, into the empty file at path. */
CUSTOS_MUST_USE custos_status db_copy(struct db *d, const char *path,
                                      custos_err *err);

struct query {
    struct db *db;
    void *statement;
    int code; /* SQLite's first error code */
    int put;  /* number of parameters so far */
};

/* sql: a literal; it is prepared once for each db. */
void query_begin(struct query *q, struct db *d, const char *sql);
void query_put_int(struct query *q, int64_t x);
void query_put_text(struct query *q, str text);
void query_put_bytes(struct query *q, const void *ptr, size_t len);

/* The next row; false at the end, or after a failure. */
bool query_next(struct query *q);
int64_t query_int(struct query *q, int column);
str query_bytes(struct query *q, int column);

/* Exactly `len` bytes, or false. */
bool query_fixed(struct query *q, int column, void *out, size_t len);

CUSTOS_MUST_USE custos_status query_end(struct query *q, custos_err *err);

#endif
