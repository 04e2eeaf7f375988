/*
 * The columns of functions.def for reading and writing, and the checks that
 * every row has the columns that every function needs. A file that looks up
 * such a column by its call therefore always finds one.
 */
#include "sql/functions.h"

#include <assert.h>
#include <string.h>
#include <strings.h>

const struct function functions[N_CALLS] = {
#define ROW(id, ...) [CALL_##id] = {__VA_ARGS__},
#define CALLED(fewest, most_of_all, ...)                                       \
    .least = fewest, .most = most_of_all, .names = {__VA_ARGS__},
#define TEXT(written, ...) .form = FORM_##written, TEXT_WORDS(__VA_ARGS__, NULL)
#define TEXT_WORDS(first, second, ...) .word = first, .field = second,
#define TWICE(i) .twice = i + 1,
#define EXAMPLE(sql, text) .example = sql, .value = text,
#include "sql/functions.def"
#undef TEXT_WORDS
};

#define ROW(id, ...) static_assert(0 __VA_ARGS__ == 1, #id " needs one TEXT");
#define TEXT(...) +1
#include "sql/functions.def"

#define ROW(id, ...) static_assert(0 __VA_ARGS__ == 1, #id " needs one DUCKDB");
#define DUCKDB(...) +1
#include "sql/functions.def"

#define ROW(id, ...) static_assert(0 __VA_ARGS__ == 1, #id " needs one TYPES");
#define TYPES(...) +1
#include "sql/functions.def"

#define ROW(id, ...)                                                           \
    static_assert(0 __VA_ARGS__ == 1, #id " needs RANGE, LIMITS or ROUNDS");
#define RANGE(...) +1
#define LIMITS(...) +1
#define ROUNDS(...) +1
#include "sql/functions.def"

#define ROW(id, ...)                                                           \
    static_assert(0 __VA_ARGS__ == 1, #id " needs one evaluator, or "          \
                                          "NO_VALUE");
#define TRUTH(...) +1
#define ORDER(...) +1
#define NUMBER(...) +1
#define ROUNDS(...) +1
#define NUMERIC(...) +1
#define PART(...) +1
#define TEXTUAL(...) +1
#define VALUE(...) +1
#define NO_VALUE(...) +1
#include "sql/functions.def"

#define ROW(id, ...)                                                           \
    static_assert(0 __VA_ARGS__ >= 1, #id " needs a DOC, or an ALSO");
#define DOC(...) +1
#define ALSO(...) +1
#include "sql/functions.def"

#define ROW(id, ...)                                                           \
    static_assert(0 __VA_ARGS__ == 1, #id " needs one EXAMPLE");
#define EXAMPLE(...) +1
#include "sql/functions.def"

bool
function_find(const char *name, enum call *out)
{
    for (size_t i = 0; i < N_CALLS; i++)
        for (const char *const *n = functions[i].names; *n; n++)
            if (!strcmp(*n, name)) {
                *out = (enum call)i;
                return true;
            }
    return false;
}

bool
function_written(enum form form, const char *word, const char *field,
                 enum call *out)
{
    for (size_t i = 0; i < N_CALLS; i++) {
        const struct function *f = &functions[i];

        if (f->form == form && !strcmp(f->word, word) &&
            (!field || !strcasecmp(f->field, field))) {
            *out = (enum call)i;
            return true;
        }
    }
    return false;
}
