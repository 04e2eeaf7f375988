/*
 * Weights, here and in sql/functions.def, are in steps per 16 bytes. The number
 * in each comment is what was measured, in nanoseconds per byte.
 */
#include "plan/cost/text_steps.h"

#include <string.h>

#include "base/base.h"
#include "plan/from/from.h"
#include "sql/text_limits.h"

enum {
    WEIGHT_BYTES = 16,
    READ = 4,          /* 0.05: from the store, uncompressed; else 0.25 */
    COMPARE = 4,       /* 0.10; IN a list hashes the value once: 0.22 */
    CHOOSE = 4,        /* 0.20: CASE, coalesce, least: a reference and a test */
    CAST = 96,         /* 5.3: a number with leading zeros */
    DISTINCT = 16,     /* 0.30: hashed and copied into a table */
    COPIED = 8,        /* 0.34: the build side of a join */
    NUMBERED = 32,     /* 2.0, and 3 bytes of memory: sorted rows */
    LIKE_PLAIN = 128,  /* 7.8: searching for up to 64 bytes between two %, */
    LIKE_PER_STEP = 4, /* and 0.01 more for each further byte */
};

static uint64_t
steps_for(uint64_t bytes, uint64_t weight)
{
    return from_times(bytes, weight) / WEIGHT_BYTES;
}

/* The most bytes of all text arguments together. */
static uint64_t
bytes_of(const struct expr *e)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < e->n_args; i++)
        if (e->args[i] && e->args[i]->type == TYPE_TEXT)
            bytes = from_plus(bytes, e->args[i]->text_max);
    return bytes;
}

static uint64_t
steps_plain(const struct expr *e, uint64_t bytes, unsigned weight)
{
    (void)e;
    return steps_for(bytes, weight);
}

/* lower and upper first replace a text by NULL if it is longer than
   TEXT_COMPUTED_MAX (sql/duckdb_call.c). */
static uint64_t
steps_cut(const struct expr *e, uint64_t bytes, unsigned weight)
{
    (void)e;
    return steps_for(bytes < TEXT_COMPUTED_MAX ? bytes : TEXT_COMPUTED_MAX,
                     weight);
}

/* An upper bound on the steps of our LIKE matcher, which gives up after
   LIKE_STEPS_MAX. */
static uint64_t
match_steps(const struct expr *e)
{
    const uint64_t most = LIKE_STEPS_MAX;
    uint64_t text = from_times(TEXT_CASE_GROWTH, e->args[0]->text_max);
    uint64_t steps = from_times(text, e->args[1]->text_max + 2);

    return steps < most ? steps : most;
}

/* Is a plain pattern compared only with the ends of the text, without a
   search? */
static bool
like_is_anchored(const struct expr *e)
{
    str pattern = e->args[1]->value.text;
    const char *first = memchr(pattern.ptr, '%', pattern.len);

    return !first || !memchr(first + 1, '%',
                             (size_t)(pattern.ptr + pattern.len - first - 1));
}

static uint64_t
steps_like(const struct expr *e, uint64_t bytes, unsigned weight)
{
    bool any_case = e->call == CALL_ILIKE || e->call == CALL_NOT_ILIKE;

    if (expr_like_is_plain(e) && like_is_anchored(e))
        return steps_for(bytes, COMPARE);
    if (expr_like_is_plain(e))
        return steps_for(bytes, weight + e->args[1]->text_max / LIKE_PER_STEP);
    return from_plus(match_steps(e), any_case ? steps_for(bytes, weight) : 0);
}

static const struct {
    uint64_t (*steps)(const struct expr *e, uint64_t bytes, unsigned weight);
    unsigned weight;
} rules[N_CALLS] = {
#define ROW(id, ...) [CALL_##id] = {__VA_ARGS__},
#define STEPS(...) __VA_ARGS__
#include "sql/functions.def"
};

static uint64_t
call_steps(const struct expr *e, uint64_t bytes)
{
    return rules[e->call].steps
               ? rules[e->call].steps(e, bytes, rules[e->call].weight)
               : UINT64_MAX;
}

uint64_t
text_steps(const struct expr *e)
{
    uint64_t bytes = bytes_of(e);

    if (bytes == 0)
        return 0;
    switch (e->kind) {
    case EXPR_CALL: return call_steps(e, bytes);
    case EXPR_CAST: return steps_for(bytes, CAST);
    case EXPR_CASE: return steps_for(bytes, CHOOSE);
    case EXPR_IN: return steps_for(bytes, COMPARE);
    case EXPR_IN_QUERY:
    case EXPR_AGGREGATE: return steps_for(bytes, DISTINCT);
    default: return UINT64_MAX; /* UNREACHABLE: these have no texts below */
    }
}

uint64_t
text_steps_copied(uint64_t bytes)
{
    return steps_for(bytes, COPIED);
}

uint64_t
text_steps_numbered(uint64_t bytes)
{
    return steps_for(bytes, NUMBERED);
}

uint64_t
text_steps_read(uint64_t bytes)
{
    return steps_for(bytes, READ);
}
