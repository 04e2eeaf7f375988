/*
 * What tables are about: columns with a public number of codes each, and sets of
 * columns. The marginal of a set is a table with a cell for each combination of
 * codes; the last column varies fastest, so loops are longest where the last
 * columns have the most codes.
 */
#ifndef SYNTH_DOMAIN_H
#define SYNTH_DOMAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SYNTH_COLUMNS_MAX = 128 };

struct domain {
    size_t n;
    const uint32_t *size; /* by column: its codes, at least 1; borrowed */
};

/* A set of columns. */
struct colset {
    uint64_t word[2];
};

static inline struct colset
colset_of(size_t column)
{
    struct colset s = {{0, 0}};

    s.word[column / 64] = (uint64_t)1 << column % 64;
    return s;
}

static inline bool
colset_has(struct colset s, size_t column)
{
    return s.word[column / 64] >> column % 64 & 1;
}

static inline struct colset
colset_or(struct colset a, struct colset b)
{
    return (struct colset){{a.word[0] | b.word[0], a.word[1] | b.word[1]}};
}

static inline struct colset
colset_and(struct colset a, struct colset b)
{
    return (struct colset){{a.word[0] & b.word[0], a.word[1] & b.word[1]}};
}

static inline struct colset
colset_minus(struct colset a, struct colset b)
{
    return (struct colset){{a.word[0] & ~b.word[0], a.word[1] & ~b.word[1]}};
}

static inline bool
colset_same(struct colset a, struct colset b)
{
    return a.word[0] == b.word[0] && a.word[1] == b.word[1];
}

static inline bool
colset_is_empty(struct colset s)
{
    return (s.word[0] | s.word[1]) == 0;
}

/* Whether a is a subset of b. */
static inline bool
colset_within(struct colset a, struct colset b)
{
    return colset_is_empty(colset_minus(a, b));
}

static inline size_t
colset_count(struct colset s)
{
    return (size_t)__builtin_popcountll(s.word[0]) +
           (size_t)__builtin_popcountll(s.word[1]);
}

/*
 * The first column of s that is at least `from`; SYNTH_COLUMNS_MAX if there is
 * none. For loops: for (c = colset_next(s, 0); c < SYNTH_COLUMNS_MAX;
 * c = colset_next(s, c + 1)).
 */
static inline size_t
colset_next(struct colset s, size_t from)
{
    for (size_t w = from / 64; w < 2; w++) {
        uint64_t left = s.word[w] & ~(uint64_t)0
                                        << (w == from / 64 ? from % 64 : 0);

        if (left)
            return 64 * w + (size_t)__builtin_ctzll(left);
    }
    return SYNTH_COLUMNS_MAX;
}

/* Any order of all sets, in which the empty one is the first. */
static inline int
colset_compare(struct colset a, struct colset b)
{
    if (a.word[1] != b.word[1])
        return a.word[1] < b.word[1] ? -1 : 1;
    return (a.word[0] > b.word[0]) - (a.word[0] < b.word[0]);
}

/* The subset of s after `part`, in binary order; after s itself, the empty one. */
static inline struct colset
colset_next_part(struct colset s, struct colset part)
{
    struct colset next = {{(part.word[0] - s.word[0]) & s.word[0], 0}};

    next.word[1] = next.word[0] == 0 ? (part.word[1] - s.word[1]) & s.word[1]
                                     : part.word[1];
    return next;
}

#define COLSET_EACH(c, s)                                                      \
    for (size_t c = colset_next(s, 0); c < SYNTH_COLUMNS_MAX;                  \
         c = colset_next(s, c + 1))

/* The subset of s that has its k-th column where bit k of bits is set. */
struct colset colset_pick(struct colset s, size_t bits);

/* The cells of the marginal of s; SIZE_MAX if there are 2^48 or more. */
size_t domain_cells(const struct domain *d, struct colset s);

/* All columns. */
struct colset domain_all(const struct domain *d);

#endif
