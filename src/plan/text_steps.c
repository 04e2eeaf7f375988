/*
 * Weights are in steps per 16 bytes. The number in each comment is what was
 * measured, in nanoseconds per byte.
 */
#include "plan/text_steps.h"

#include <string.h>

#include "base/base.h"
#include "plan/from.h"
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

static const uint16_t weights[] = {
    [CALL_EQ] = COMPARE,
    [CALL_NE] = COMPARE,
    [CALL_LT] = COMPARE,
    [CALL_LE] = COMPARE,
    [CALL_GT] = COMPARE,
    [CALL_GE] = COMPARE,
    [CALL_IS_DISTINCT] = COMPARE,
    [CALL_IS_NOT_DISTINCT] = COMPARE,
    [CALL_BETWEEN] = COMPARE, /* 0.18 for two texts */
    [CALL_NOT_BETWEEN] = COMPARE,
    [CALL_IS_NULL] = CHOOSE,
    [CALL_IS_NOT_NULL] = CHOOSE,
    [CALL_LEAST] = CHOOSE,
    [CALL_GREATEST] = CHOOSE,
    [CALL_COALESCE] = CHOOSE,
    [CALL_NULLIF] = CHOOSE,
    [CALL_LOWER] = 176,    /* 10.3: letters of two bytes; ASCII 0.44 */
    [CALL_UPPER] = 176,    /* 9.6 */
    [CALL_TRIM] = 96,      /* 6.0 */
    [CALL_LENGTH] = 8,     /* 0.31 */
    [CALL_SUBSTRING] = 16, /* 0.95: combining characters */
    [CALL_CONCAT] = 4,     /* 0.15 */
    [CALL_LIKE] = LIKE_PLAIN,
    [CALL_NOT_LIKE] = LIKE_PLAIN,
    [CALL_ILIKE] = 176, /* lower on both sides, and our matcher */
    [CALL_NOT_ILIKE] = 176,
};

static uint64_t
steps_for(uint64_t bytes, uint64_t weight)
{
    return from_times(bytes, weight) / WEIGHT_BYTES;
}

/* The most bytes of all text arguments together. lower and upper replace a text
   by NULL first if it is longer than TEXT_COMPUTED_MAX (sql/duckdb_call.c). */
static uint64_t
bytes_of(const struct expr *e)
{
    bool cut = e->kind == EXPR_CALL &&
               (e->call == CALL_LOWER || e->call == CALL_UPPER);
    uint64_t bytes = 0;

    for (size_t i = 0; i < e->n_args; i++) {
        const struct expr *x = e->args[i];
        size_t most = x && x->type == TYPE_TEXT ? x->text_max : 0;

        bytes = from_plus(bytes, cut && most > TEXT_COMPUTED_MAX
                                     ? (size_t)TEXT_COMPUTED_MAX
                                     : most);
    }
    return bytes;
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
like_steps(const struct expr *e, uint64_t bytes)
{
    bool any_case = e->call == CALL_ILIKE || e->call == CALL_NOT_ILIKE;

    if (expr_like_is_plain(e) && like_is_anchored(e))
        return steps_for(bytes, COMPARE);
    if (expr_like_is_plain(e))
        return steps_for(bytes, weights[e->call] +
                                    e->args[1]->text_max / LIKE_PER_STEP);
    return from_plus(match_steps(e),
                     any_case ? steps_for(bytes, weights[e->call]) : 0);
}

static uint64_t
call_steps(const struct expr *e, uint64_t bytes)
{
    if (e->call >= CALL_LIKE && e->call <= CALL_NOT_ILIKE)
        return like_steps(e, bytes);
    if ((size_t)e->call >= COUNT_OF(weights) || !weights[e->call])
        return UINT64_MAX;
    return steps_for(bytes, weights[e->call]);
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
