/*
 * Replaces the literals in the text of a statement, and defines the function by
 * which the engine gets their numbers. Tested with duck_statements.c
 * (t_statements).
 */
#include "engine/duckdb/duck_numbers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "engine/duckdb/duck_own.h"

static _Thread_local const struct duck_numbers *in_use;

void
duck_numbers_use(const struct duck_numbers *b)
{
    in_use = b;
}

/* Where the literal at `at` ends; NULL: none begins there. TRY_CAST(...) is not a
   literal. */
static const char *
literal_end(const char *sql, const char *at, int64_t *value)
{
    static const char before[] = "CAST('", after[] = "' AS BIGINT)";
    char *end;

    if (strncmp(at, before, sizeof before - 1) != 0 ||
        (at > sql && at[-1] == '_'))
        return NULL;
    at += sizeof before - 1;
    if (*at != '-' && (*at < '0' || *at > '9'))
        return NULL;
    errno = 0;
    *value = strtoll(at, &end, 10);
    if (errno || end == at || strncmp(end, after, sizeof after - 1) != 0)
        return NULL;
    return end + sizeof after - 1;
}

/* Skips a quoted text or name, or one character. An inner quote is doubled: it
   reads as the end of one quoted text and the beginning of the next. */
static const char *
skip_quoted(const char *at)
{
    const char *end = *at == '\'' || *at == '"' ? strchr(at + 1, *at) : at;

    return end ? end + 1 : at + strlen(at);
}

bool
duck_numbers_take(const char *sql, struct buf *out, struct duck_numbers *to)
{
    /* These statements run unchanged. statement_number is volatile: the engine would
       not push conditions that use it below a join, nor see that two keys or values
       are the same. */
    static const char *const more[] = {" JOIN ", " GROUP BY ", " ORDER BY ",
                                       "DISTINCT ", " OVER "};
    const char *at = sql, *next;
    int64_t value;

    to->n = 0;
    for (size_t i = 0; i < COUNT_OF(more); i++)
        if (strstr(sql, more[i]))
            return false;
    for (; *at; at = next) {
        next = literal_end(sql, at, &value);
        if (!next) {
            next = skip_quoted(at);
            buf_add(out, at, (size_t)(next - at));
            continue;
        }
        if (to->n == DUCK_NUMBERS_MAX)
            return false;
        buf_printf(out, "statement_number(%zu)", to->n);
        to->values[to->n++] = value;
    }
    return to->n > 0 && !out->failed;
}

static void
statement_number(duckdb_function_info info, duckdb_data_chunk input,
                 duckdb_vector output)
{
    struct own_call c = own_begin(input, output);
    const int32_t *number = c.arg[0];

    (void)info;
    for (size_t i = 0; i < c.n; i++) {
        if (in_use && number[i] >= 0 && (size_t)number[i] < in_use->n)
            ((int64_t *)c.out)[i] = in_use->values[number[i]];
        else
            own_set_null(&c, i);
    }
}

const struct own_function own_bound[] = {
    {"statement_number",
     DUCKDB_TYPE_BIGINT,
     {DUCKDB_TYPE_INTEGER},
     statement_number},
    {.name = NULL},
};
