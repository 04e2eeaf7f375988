/*
 * Replaces the literals in the text of a statement, and defines the function by
 * which the engine gets their numbers. Tested with duck_statements.c
 * (t_statements).
 */
#include "engine/duckdb/duck_numbers.h"

#include "base/base.h"
#include "engine/duckdb/duck_own.h"
#include "engine/duckdb/duck_printed.h"

static _Thread_local const struct duck_numbers *in_use;

void
duck_numbers_use(const struct duck_numbers *b)
{
    in_use = b;
}

bool
duck_numbers_take(const char *sql, struct buf *out, struct duck_numbers *to)
{
    const char *at = sql, *next;
    int64_t value;

    to->n = 0;
    /* Other statements run unchanged. statement_number is volatile: the engine would
       not push conditions that use it below a join, nor see that two keys or values
       are the same. */
    if (!duck_printed_is_scan(sql))
        return false;
    for (; *at; at = next) {
        next = duck_printed_whole(sql, at, &value);
        if (!next) {
            next = duck_printed_skip(at);
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
