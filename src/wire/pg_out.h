/*
 * Encodes what a PostgreSQL server sends (protocols 3.0 and 3.2) and appends it to
 * a buf. Except for values of rows, which can be out of range for their column,
 * only the buf can fail; the caller checks its failed bit once. What the protocol
 * has no room for (a list of more than 32,767 entries, a message of 2^31 bytes)
 * sets this bit too. A text ends at its first NUL.
 */
#ifndef WIRE_PG_OUT_H
#define WIRE_PG_OUT_H

#include "wire/pg_in.h"
#include "wire/pg_text.h"
#include "wire/pg_value.h"

/* ------------------------------------------------------------- login -- */

void pg_out_auth_ok(struct buf *out);

/* Which mechanisms are offered: SCRAM-SHA-256 alone, or, with TLS to bind to,
   both. */
enum pg_sasl { PG_SASL_PLAIN, PG_SASL_PLUS };
void pg_out_auth_sasl(struct buf *out, enum pg_sasl offer);
void pg_out_auth_sasl_continue(struct buf *out, str data);
void pg_out_auth_sasl_final(struct buf *out, str data);

void pg_out_parameter(struct buf *out, const char *name, const char *value);
/* key: PG_KEY_MIN bytes in protocol 3.0, up to PG_KEY_MAX in 3.2. */
void pg_out_key(struct buf *out, uint32_t process, str key);

/* The minor version that is used: 2 if the client asked for 2 or more, else 0
   (there is no 3.1). */
int pg_minor_spoken(const struct pg_startup *s);

/* True if the client asked for a version that we do not use, or for an option that
   begins with "_pq_.", since we know none of these. pg_out_negotiate then sends our
   version and the names of these options. */
bool pg_must_negotiate(const struct pg_startup *s);
void pg_out_negotiate(struct buf *out, const struct pg_startup *s);

/* ----------------------------------------------------------- queries -- */

enum pg_state {
    PG_IDLE = 'I',
    PG_IN_TRANSACTION = 'T',
    PG_IN_FAILED = 'E',
};
void pg_out_ready(struct buf *out, enum pg_state state);

struct pg_column {
    str name;
    struct pg_type type;
    enum pg_format format;
    uint32_t table; /* its OID, and the column's number in it; 0: no table */
    int16_t number;
};
void pg_out_row_description(struct buf *out, const struct pg_column *columns,
                            size_t n);
void
pg_out_parameter_description(struct buf *out, const uint32_t *types, size_t n);

/*
 * Writes a row: pg_row_begin, then a value for each column, then pg_row_end. The
 * later calls take what pg_row_begin returned. Fails like pg_value_write and
 * pg_text_write; the row's bytes are then removed from the buf.
 */
size_t pg_row_begin(struct buf *out, size_t n);
CUSTOS_MUST_USE custos_status pg_row_add(struct buf *out, size_t begin,
                                         const struct datum *value,
                                         const struct pg_column *column,
                                         custos_err *err);
/* Adds an array of n values, whose type is the OID `of`. */
CUSTOS_MUST_USE custos_status pg_row_add_array(struct buf *out, size_t begin,
                                               const struct datum *values,
                                               size_t n, uint32_t of,
                                               const struct pg_column *column,
                                               custos_err *err);
/* Adds a value that we hold as PostgreSQL's text for it (pg_text.h). */
CUSTOS_MUST_USE custos_status pg_row_add_text(struct buf *out, size_t begin,
                                              const struct pg_bytes *text,
                                              const struct pg_column *column,
                                              custos_err *err);
void pg_row_end(struct buf *out, size_t begin);

/* "SELECT 5", "SET", ... */
void pg_out_complete(struct buf *out, const char *tag);
void pg_out_complete_select(struct buf *out, uint64_t rows);

/* The messages that have no content. */
enum pg_word {
    PG_PARSE_COMPLETE = '1',
    PG_BIND_COMPLETE = '2',
    PG_CLOSE_COMPLETE = '3',
    PG_EMPTY_QUERY = 'I',
    PG_NO_DATA = 'n',
    PG_PORTAL_SUSPENDED = 's',
};
void pg_out_word(struct buf *out, enum pg_word word);

/* ------------------------------------------------ errors and notices -- */

enum pg_severity { PG_NOTICE, PG_WARNING, PG_ERROR, PG_FATAL };

struct pg_report {
    enum pg_severity severity;
    const char *sqlstate; /* five characters */
    str message;
    str detail, hint; /* empty: none */
    int position;     /* in characters, from 1; 0: none */
};

/* Writes an ErrorResponse for PG_ERROR and PG_FATAL, else a NoticeResponse. */
void pg_out_report(struct buf *out, const struct pg_report *report);

/* Describes an error found in `sql` (may be empty): the SQLSTATE of its code, its
   message, hint and position. Borrows from err. */
struct pg_report
pg_report_of(enum pg_severity severity, const custos_err *err, str sql);

#endif
