/*
 * The greedy matcher. A step compares one unit of the pattern (a byte or a _), or
 * passes over one byte or character of the text, in constant time.
 *
 * THEOREM  like-steps
 *   Matching takes at most n(L + 1) + 2p steps, where n is the length of
 *   the text in bytes, L that of the longest segment and p that of the pattern,
 *   and never more than LIKE_STEPS_MAX. The answer is that of LIKE.
 * SOURCE   doc/proofs/like-steps.md
 * NEEDS    text that is UTF-8; otherwise only the bound holds.
 * GIVES    a cost per value that is bounded by its length and the pattern's.
 * FAILS    never; past LIKE_STEPS_MAX the answer is LIKE_TOO_LONG, a function
 *          of pattern and text.
 * TESTED   exhaustive_patterns_match_the_reference,
 *          random_patterns_match_the_reference, steps_stay_in_their_bound
 */
#include "engine/like.h"

#include <assert.h>
#include <string.h>

#include "base/base.h"

enum { LIKE_ANY = 256 };

static_assert(LIKE_PATTERN_MAX <= UINT16_MAX, "places fit their type");

static bool
is_continuation(unsigned int byte)
{
    return (byte & 0xc0u) == 0x80u;
}

/* -------------------------------------------------------------- compile -- */

/* Ends the segment that begins at units[start]; an empty one is left out. */
static void
add_segment(struct like *l, size_t start)
{
    struct like_segment *s = &l->segments[l->n_segments];
    size_t skip = 0, characters = 0;

    if (start == l->n_units)
        return;
    while (start + skip < l->n_units && l->units[start + skip] == LIKE_ANY)
        skip++;
    for (size_t i = start; i < l->n_units; i++)
        characters += l->units[i] == LIKE_ANY || !is_continuation(l->units[i]);
    *s = (struct like_segment){(uint16_t)start, (uint16_t)(l->n_units - start),
                               (uint16_t)skip, (uint16_t)characters};
    l->n_segments++;
}

bool
like_compile(str pattern, struct like *out)
{
    size_t start = 0, percents = 0;
    bool last_is_percent = false;

    if (pattern.len > LIKE_PATTERN_MAX)
        return false;
    *out = (struct like){0};
    for (size_t i = 0; i < pattern.len; i++) {
        unsigned char c = (unsigned char)pattern.ptr[i];

        last_is_percent = c == '%';
        if (last_is_percent) {
            add_segment(out, start);
            start = out->n_units;
            percents++;
            continue;
        }
        out->at_start = out->at_start || i == 0;
        if (c == '\\') {
            if (++i == pattern.len)
                return false;
            c = (unsigned char)pattern.ptr[i];
            out->units[out->n_units++] = c;
        } else {
            out->units[out->n_units++] = c == '_' ? LIKE_ANY : c;
        }
    }
    add_segment(out, start);
    out->whole = percents == 0;
    out->at_end = !last_is_percent && !out->whole;
    return true;
}

/* ---------------------------------------------------------------- match -- */

struct scan {
    const unsigned char *text;
    size_t lo; /* text[lo .. hi) is still to be matched */
    size_t hi;
    size_t left; /* steps that may still be taken */
};

/* The position after the character at i. Needs i < hi. */
static size_t
next_character(const unsigned char *text, size_t i, size_t hi)
{
    size_t end = i + 1;

    while (end < hi && end - i < TEXT_CHARACTER_MAX &&
           is_continuation(text[end]))
        end++;
    return end;
}

/* The position of the character before i. Needs i > lo. */
static size_t
previous_character(const unsigned char *text, size_t i, size_t lo)
{
    size_t at = i - 1;

    while (at > lo && i - at < TEXT_CHARACTER_MAX && is_continuation(text[at]))
        at--;
    return at;
}

/* Does the segment, without its first `from` units, match at text[at]? If so, *end
   is where the match ends. */
static enum like_result
compare_segment(struct scan *s, const struct like *l,
                const struct like_segment *g, size_t from, size_t at,
                size_t *end)
{
    const uint16_t *unit = l->units + g->start;
    size_t left = s->left;
    enum like_result result = LIKE_YES;

    for (size_t k = from; k < g->len; k++) {
        if (left == 0)
            result = LIKE_TOO_LONG;
        else if (at == s->hi || (unit[k] != LIKE_ANY && unit[k] != s->text[at]))
            result = LIKE_NO;
        left -= left > 0;
        if (result != LIKE_YES)
            break;
        at = unit[k] == LIKE_ANY ? next_character(s->text, at, s->hi) : at + 1;
    }
    s->left = left;
    *end = at;
    return result;
}

static enum like_result
pass_characters(struct scan *s, size_t n)
{
    for (; n > 0; n--) {
        if (s->left == 0)
            return LIKE_TOO_LONG;
        s->left--;
        if (s->lo == s->hi)
            return LIKE_NO;
        s->lo = next_character(s->text, s->lo, s->hi);
    }
    return LIKE_YES;
}

/* Moves lo to the next byte of this value. */
static enum like_result
find_byte(struct scan *s, int byte)
{
    size_t all = s->hi - s->lo;
    size_t window = all < s->left ? all : s->left;
    const unsigned char *found = memchr(s->text + s->lo, byte, window);
    size_t passed = found ? (size_t)(found - (s->text + s->lo)) : window;

    s->lo += passed;
    s->left -= passed;
    if (found)
        return LIKE_YES;
    return window < all ? LIKE_TOO_LONG : LIKE_NO;
}

/*
 * Finds the first match of a segment that follows a %. Its leading _ are skipped
 * first, since %_ and _% mean the same. The rest begins with a byte that can be
 * searched for. It is the first byte of a character, and in UTF-8 such a byte never
 * occurs inside another character, so a match begins at a character.
 */
static enum like_result
find_segment(struct scan *s, const struct like *l, const struct like_segment *g)
{
    enum like_result result = pass_characters(s, g->skip);

    while (result == LIKE_YES && g->skip < g->len) {
        size_t end;

        result = find_byte(s, l->units[g->start + g->skip]);
        if (result != LIKE_YES)
            break;
        result = compare_segment(s, l, g, g->skip, s->lo, &end);
        if (result == LIKE_YES) {
            s->lo = end;
            break;
        }
        if (result == LIKE_NO) {
            s->lo++;
            result = LIKE_YES;
        }
    }
    return result;
}

/* Matches the last segment, which follows a %, at the end of the text. */
static enum like_result
match_end(struct scan *s, const struct like *l, const struct like_segment *g)
{
    size_t at = s->hi, end;
    enum like_result result;

    for (size_t n = g->characters; n > 0; n--) {
        if (s->left == 0)
            return LIKE_TOO_LONG;
        s->left--;
        if (at == s->lo)
            return LIKE_NO;
        at = previous_character(s->text, at, s->lo);
    }
    result = compare_segment(s, l, g, 0, at, &end);
    if (result == LIKE_YES && end != s->hi)
        return LIKE_NO;
    s->hi = at;
    return result;
}

static enum like_result
match_segments(struct scan *s, const struct like *l)
{
    size_t first = l->at_start ? 1 : 0;
    size_t last = l->n_segments - (l->at_end ? 1 : 0);
    enum like_result result = LIKE_YES;

    /* Every unit matches at least one byte. */
    if (s->hi < l->n_units)
        return LIKE_NO;
    if (l->n_segments == 0)
        return l->whole && s->hi > 0 ? LIKE_NO : LIKE_YES;
    if (l->at_start)
        result = compare_segment(s, l, &l->segments[0], 0, 0, &s->lo);
    if (l->whole)
        return result == LIKE_YES && s->lo != s->hi ? LIKE_NO : result;
    if (result == LIKE_YES && l->at_end)
        result = match_end(s, l, &l->segments[last]);
    for (size_t i = first; i < last && result == LIKE_YES; i++)
        result = find_segment(s, l, &l->segments[i]);
    return result;
}

enum like_result
like_match_counted(const struct like *l, const char *text, size_t len,
                   size_t *steps)
{
    struct scan s = {(const unsigned char *)text, 0, len, LIKE_STEPS_MAX};
    enum like_result result = match_segments(&s, l);

    *steps = LIKE_STEPS_MAX - s.left;
    return result;
}

enum like_result
like_match(const struct like *l, const char *text, size_t len)
{
    size_t steps;

    return like_match_counted(l, text, len, &steps);
}
