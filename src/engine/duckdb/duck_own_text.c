/*
 * Functions on texts with results of bounded length, and LIKE in bounded time:
 * DuckDB's own LIKE backtracks on patterns with _ or ESCAPE.
 */
#include <string.h>

#include "engine/duckdb/duck_own.h"
#include "engine/like.h"
#include "sql/text_limits.h"

static void
text_concat(duckdb_function_info info, duckdb_data_chunk input,
            duckdb_vector output)
{
    struct own_call c = own_begin(input, output);
    char both[TEXT_COMPUTED_MAX];

    (void)info;
    for (size_t i = 0; i < c.n; i++) {
        str a, b;

        if (!own_is_valid(&c, i))
            continue;
        a = own_text(&c, 0, i);
        b = own_text(&c, 1, i);
        if (a.len > sizeof both || b.len > sizeof both - a.len) {
            own_set_null(&c, i);
            continue;
        }
        memcpy(both, a.ptr, a.len);
        memcpy(both + a.len, b.ptr, b.len);
        own_set_text(&c, i, (str){both, a.len + b.len});
    }
}

/* Not a macro in the catalog: the text of a macro would contain the argument twice,
   so nested calls would grow exponentially before they run. */
static void
text_short(duckdb_function_info info, duckdb_data_chunk input,
           duckdb_vector output)
{
    struct own_call c = own_begin(input, output);
    const int32_t *most = c.arg[1];

    (void)info;
    for (size_t i = 0; i < c.n; i++) {
        str a;

        if (!own_is_valid(&c, i))
            continue;
        a = own_text(&c, 0, i);
        if (most[i] < 0 || a.len > (size_t)most[i])
            own_set_null(&c, i);
        else
            own_set_text(&c, i, a);
    }
}

/* Patterns are literals: the same in every row, and compiled once per call. */
static void
text_like(duckdb_function_info info, duckdb_data_chunk input,
          duckdb_vector output)
{
    struct own_call c = own_begin(input, output);
    str last = {NULL, 0};
    struct like like;
    bool good = false;

    (void)info;
    for (size_t i = 0; i < c.n; i++) {
        enum like_result r = LIKE_TOO_LONG;
        str text, pattern;

        if (!own_is_valid(&c, i))
            continue;
        text = own_text(&c, 0, i);
        pattern = own_text(&c, 1, i);
        if (!last.ptr || !str_equal(last, pattern)) {
            good = like_compile(pattern, &like);
            last = pattern;
        }
        if (good)
            r = like_match(&like, text.ptr, text.len);
        if (r == LIKE_TOO_LONG)
            own_set_null(&c, i);
        else
            ((bool *)c.out)[i] = r == LIKE_YES;
    }
}

#define TEXT DUCKDB_TYPE_VARCHAR

const struct own_function own_text_functions[] = {
    {"text_concat", TEXT, {TEXT, TEXT}, text_concat},
    {"text_short", TEXT, {TEXT, DUCKDB_TYPE_INTEGER}, text_short},
    {"text_like", DUCKDB_TYPE_BOOLEAN, {TEXT, TEXT}, text_like},
    {.name = NULL},
};
