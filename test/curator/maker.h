/*
 * Shared by the generators of random queries: a fixed stream of numbers and a
 * buffer for the text.
 */
#ifndef TEST_CURATOR_MAKER_H
#define TEST_CURATOR_MAKER_H

#include "base/base.h"
#include "base/str.h"
#include "sql/functions.h"

enum { QUERY_MAX = 1 << 17, MAKER_DEPTH = 4 };

struct maker {
    uint64_t state;
    unsigned wrong; /* how many of 1000 expressions are wrong */
    const char *table;
    bool priced; /* the query states its own epsilon */
    struct buf b;
};

static inline uint64_t
maker_next(struct maker *m)
{
    uint64_t z = m->state += 0x9e3779b97f4a7c15;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static inline unsigned
below(struct maker *m, unsigned n)
{
    return (unsigned)(maker_next(m) % n);
}

static inline bool
chance(struct maker *m, unsigned percent)
{
    return below(m, 100) < percent;
}

static inline void
put(struct maker *m, const char *text)
{
    buf_add_text(&m->b, text);
}

static const bool numeric_calls[N_CALLS] = {
#define ROW(id, ...) [CALL_##id] = 0 __VA_ARGS__,
#define NUMBER(...) +1
#define ROUNDS(...) +1
#include "sql/functions.def"
};

static inline bool
takes_one_number(size_t call)
{
    return functions[call].least == 1 &&
           functions[call].form == FORM_FUNCTION && numeric_calls[call];
}

/* Puts the name of one of the functions of one number. */
static inline void
put_number_function(struct maker *m)
{
    unsigned n = 0, which;

    for (size_t i = 0; i < N_CALLS; i++)
        n += takes_one_number(i);
    which = below(m, n);
    for (size_t i = 0; i < N_CALLS; i++)
        if (takes_one_number(i) && which-- == 0)
            put(m, functions[i].word);
}

#define PUT_ONE(m, list) put(m, (list)[below(m, COUNT_OF(list))])

/* Puts one of the first `good` items, or of all if expressions may be wrong. */
#define PUT_GOOD(m, list, good)                                                \
    put(m, (list)[below(m, (m)->wrong ? COUNT_OF(list) : (good))])

#endif
