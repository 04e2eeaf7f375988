/*
 * LIKE in time bounded by the lengths of pattern and text. DuckDB matches by
 * backtracking, which takes exponential time on a pattern with several % and _, so
 * that one person's text could make a query slow. This matcher is greedy: it splits
 * the pattern at its % into segments, and searches for each segment after the match
 * of the one before. It allocates nothing and cannot fail.
 *
 * The pattern is PostgreSQL's: % stands for any text, _ for one character (a
 * code point), and a backslash makes the character after it an ordinary one.
 * ILIKE is LIKE on the lower-case pattern and text.
 */
#ifndef ENGINE_LIKE_H
#define ENGINE_LIKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "sql/text_limits.h"

enum like_result {
    LIKE_NO,
    LIKE_YES,
    LIKE_TOO_LONG, /* undecided after LIKE_STEPS_MAX steps: NULL in SQL */
};

/* units[start .. start + len) of the pattern, none of them a %. The first `skip` of
   these are _. */
struct like_segment {
    uint16_t start;
    uint16_t len;
    uint16_t skip;
    uint16_t characters;
};

struct like {
    uint16_t units[LIKE_PATTERN_MAX]; /* a byte, or LIKE_ANY for _ */
    struct like_segment segments[LIKE_PATTERN_MAX / 2 + 1];
    size_t n_units;
    size_t n_segments;
    bool at_start; /* the first segment begins the text */
    bool at_end;   /* the last segment ends it */
    bool whole;    /* no %: the one segment is the whole text */
};

/* False, with *out unset, for a pattern that is longer than LIKE_PATTERN_MAX or
   ends with a backslash that escapes nothing. Patterns are public. */
bool like_compile(str pattern, struct like *out);

/* Cannot fail, whatever the bytes; a character of invalid UTF-8 is a byte with
   the continuation bytes (0x80 to 0xbf) after it, at most TEXT_CHARACTER_MAX
   bytes in all. */
enum like_result like_match(const struct like *l, const char *text, size_t len);

/* The same; *steps is how many steps it took. */
enum like_result like_match_counted(const struct like *l, const char *text,
                                    size_t len, size_t *steps);

#endif
