/*
 * What a reply shows, as numbers and as a hash.
 */
#include <libpq-fe.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "audit/hash.h"
#include "audit/stranger/client.h"
#include "base/datum.h"

/* Types of PostgreSQL's catalog that are numbers, or can be read as ones. */
enum {
    OID_INT8 = 20,
    OID_INT2 = 21,
    OID_INT4 = 23,
    OID_FLOAT4 = 700,
    OID_FLOAT8 = 701,
    OID_DATE = 1082,
    OID_TIMESTAMP = 1114,
    OID_NUMERIC = 1700
};

const char *
reply_cell(const struct reply *r, size_t row, size_t column)
{
    return PQgetisnull(r->result, (int)row, (int)column)
               ? NULL
               : PQgetvalue(r->result, (int)row, (int)column);
}

const char *
reply_column(const struct reply *r, size_t column)
{
    const char *name = PQfname(r->result, (int)column);

    return name ? name : "";
}

bool
reply_column_is_number(const struct reply *r, size_t column)
{
    switch (PQftype(r->result, (int)column)) {
    case OID_INT8:
    case OID_INT2:
    case OID_INT4:
    case OID_FLOAT4:
    case OID_FLOAT8:
    case OID_NUMERIC: return true;
    default: return false;
    }
}

double
reply_number(const struct reply *r, size_t row, size_t column)
{
    const char *text = reply_cell(r, row, column);
    Oid type = PQftype(r->result, (int)column);
    struct datum d;
    char *end;
    double x;

    if (!text)
        return NAN;
    if (type == OID_DATE || type == OID_TIMESTAMP)
        return datum_read(type == OID_DATE ? TYPE_DATE : TYPE_TIMESTAMP,
                          str_of(text), &d)
                   ? (double)d.n
                   : NAN;
    x = strtod(text, &end);
    return end > text ? x : NAN;
}

bool
reply_failed(const struct reply *r)
{
    return strcmp(r->sqlstate, "00000") != 0;
}

bool
reply_was_cached(const struct reply *r)
{
    return strstr(r->notices, "answered before") != NULL;
}

/* ------------------------------------------------------------------ notices -- */

/* Lines that differ between two askings of any question: "NOTICE 00000 cost
   epsilon 1; epsilon 9 left" and "receipt 12:0a1b...". */
static bool
line_differs_always(const char *line)
{
    const char *words = line;

    for (int i = 0; i < 2; i++) {
        words += strcspn(words, " \n");
        words += *words == ' ';
    }
    return !strncmp(line, "receipt ", 8) || !strncmp(words, "cost ", 5);
}

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

size_t
reply_notice_numbers(const struct reply *r, double *out, size_t room)
{
    size_t n = 0;

    for (const char *line = r->notices; *line;) {
        const char *end = line + strcspn(line, "\n");

        for (const char *s = line; s < end && !line_differs_always(line);) {
            char *after;

            if (!is_digit(*s)) {
                s++;
                continue;
            }
            if (n < room)
                out[n++] = strtod(s, &after);
            else
                return n;
            s = after;
        }
        line = *end ? end + 1 : end;
    }
    return n;
}

/* ------------------------------------------------------------------ hashing -- */

/* Every number counts as '#', every line that always differs not at all. */
static uint64_t
hash_notices(uint64_t h, const char *notices)
{
    for (const char *line = notices; *line;) {
        const char *end = line + strcspn(line, "\n");
        bool skip = line_differs_always(line), was_digit = false;

        for (const char *s = line; s < end && !skip; s++) {
            bool digit = is_digit(*s) || (was_digit && *s == '.');

            if (!digit || !was_digit)
                h = hash_byte(h, digit ? '#' : (unsigned char)*s);
            was_digit = digit;
        }
        h = hash_number(h, '\n');
        line = *end ? end + 1 : end;
    }
    return h;
}

uint64_t
reply_hash(const struct reply *r)
{
    uint64_t h = hash_text(HASH_BEGIN, r->sqlstate);

    h = hash_text(h, r->message);
    h = hash_text(h, r->detail);
    h = hash_text(h, r->hint);
    h = hash_number(h, r->rows);
    h = hash_number(h, r->columns);
    for (size_t i = 0; i < r->columns; i++) {
        h = hash_text(h, reply_column(r, i));
        h = hash_number(h, PQftype(r->result, (int)i));
    }
    h = hash_number(h, r->n_notices);
    return hash_notices(h, r->notices);
}
