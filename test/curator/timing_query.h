/*
 * Queries that aim to be slow for one person: only rows of one id reach the
 * expensive part. @ stands for the id.
 */
#ifndef TEST_TIMING_QUERY_H
#define TEST_TIMING_QUERY_H

#include <stdint.h>

#include "base/str.h"

static inline uint64_t
timing_draw(uint64_t *state, uint64_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (*state >> 33) % below;
}

/*
 * A pattern that is slow to match by backtracking: segments with _ and an end
 * that never matches.
 */
static inline void
timing_pattern(uint64_t *rng, struct buf *out)
{
    static const char *const segments[] = {"%a_",  "%_a", "%a",
                                           "%a_a", "%__", "_%a"};
    uint64_t n = 2 + timing_draw(rng, 10);

    for (; n > 0; n--)
        buf_add_text(out, segments[timing_draw(rng, 6)]);
    buf_add_text(out, timing_draw(rng, 2) ? "%b" : "b%");
}

/* A text made of the column note. */
static inline void
timing_text(uint64_t *rng, int depth, struct buf *out)
{
    static const char *const calls[] = {"lower(", "upper(", "btrim(",
                                        "substring("};
    uint64_t what = depth == 0 ? 0 : timing_draw(rng, 7);

    if (what == 0) {
        buf_add_text(out, "note");
    } else if (what < 3) {
        buf_add_text(out, "(");
        timing_text(rng, depth - 1, out);
        buf_add_text(out, " || ");
        timing_text(rng, depth - 1, out);
        buf_add_text(out, ")");
    } else {
        buf_add_text(out, calls[what - 3]);
        timing_text(rng, depth - 1, out);
        buf_add_text(out, what == 6 ? ", 2, 90)" : ")");
    }
}

static inline void
timing_number(uint64_t *rng, int depth, struct buf *out)
{
    static const char *const leaves[] = {
        "age",
        "weight",
        "id",
        "length(note)",
        "extract(year FROM born)",
        "extract(doy FROM (born + age))",
        "CAST(note AS integer)",
        "extract(month FROM date_trunc('month', born))",
        "width_bucket(weight, 0, 200, 50)",
        "CAST(city AS real)"};
    static const char *const ops[] = {" + ", " - ", " * "};

    if (depth == 0) {
        buf_add_text(out, leaves[timing_draw(rng, 10)]);
        return;
    }
    switch (timing_draw(rng, 4)) {
    case 0:
        buf_add_text(out, "abs(");
        timing_number(rng, depth - 1, out);
        buf_add_text(out, ")");
        return;
    case 1:
        buf_add_text(out, "round(");
        timing_number(rng, depth - 1, out);
        buf_add_text(out, ")");
        return;
    default:
        buf_add_text(out, "(");
        timing_number(rng, depth - 1, out);
        buf_add_text(out, ops[timing_draw(rng, 3)]);
        timing_number(rng, depth - 1, out);
        buf_add_text(out, ")");
    }
}

static inline void
timing_truth(uint64_t *rng, struct buf *out)
{
    switch (timing_draw(rng, 4)) {
    case 0:
        buf_add_text(out, "note ");
        buf_add_text(out, timing_draw(rng, 3) ? "LIKE '" : "ILIKE '");
        timing_pattern(rng, out);
        buf_add_text(out, "'");
        return;
    case 1:
        timing_text(rng, 4, out);
        buf_add_text(out, " LIKE '");
        timing_pattern(rng, out);
        buf_add_text(out, "'");
        return;
    case 2:
        buf_add_text(out, "length(");
        timing_text(rng, 5, out);
        buf_add_text(out, ") > 7");
        return;
    default: timing_number(rng, 2, out); buf_add_text(out, " > 7");
    }
}

/* A predicate over the rows of one table. */
static inline void
timing_predicate(uint64_t *rng, struct buf *out)
{
    switch (timing_draw(rng, 4)) {
    case 0:
    case 1:
        buf_add_text(out, "SELECT count(*) FROM people WHERE id = @ AND ");
        timing_truth(rng, out);
        return;
    case 2:
        buf_add_text(
            out, "SELECT count(*) FROM people WHERE CASE WHEN id = @ THEN ");
        timing_truth(rng, out);
        buf_add_text(out, " ELSE false END");
        return;
    default:
        buf_add_text(out, "SELECT sum(age) FROM people WHERE CASE WHEN id = @ "
                          "THEN ");
        timing_number(rng, 2, out);
        buf_add_text(out, " ELSE 0 END > 3");
    }
}

/* A join whose private side is one person, or empty. */
static inline void
timing_join(uint64_t *rng, struct buf *out)
{
    static const char *const meets[] = {
        " v JOIN wards a ON true", " v JOIN wards a ON a.floor <= v.age",
        " v JOIN wards a ON true JOIN wards b ON b.floor > a.floor",
        " v JOIN wards a ON v.city = a.name"};

    if (timing_draw(rng, 2)) {
        buf_add_text(out, "SELECT count(*) FROM (SELECT * FROM people WHERE id "
                          "= @)");
        buf_add_text(out, meets[timing_draw(rng, 4)]);
        buf_add_text(out, " WHERE ");
    } else {
        buf_add_text(out, "SELECT count(*) FROM people p JOIN visits v ON p.id "
                          "= v.person WHERE p.id = @ AND ");
    }
    timing_truth(rng, out);
}

#endif
