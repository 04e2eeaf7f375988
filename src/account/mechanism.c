/*
 * Reads a word, then key=value pairs separated by colons, in any order, each at
 * most once. Two tables say which mechanism takes which keys; the rest of the
 * file checks the range of each number.
 */
#include "account/mechanism.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "num/batch.h"

enum {
    RATIO_LOG2 = 64,   /* epsilon and (D/sigma)^2 must be at least 2^-64 */
    EPSILON_LOG2 = 20, /* and below 2^20 */
};

#define COUNT_MAX ((uint64_t)1 << 63)

enum key {
    KEY_EPSILON = 1 << 0,
    KEY_DELTA = 1 << 1,
    KEY_SCALE = 1 << 2,
    KEY_SIGMA = 1 << 3,
    KEY_SENSITIVITY = 1 << 4,
    KEY_SENSITIVITY_SQUARED = 1 << 5,
    KEY_VALUES = 1 << 6,
    KEY_SAMPLE = 1 << 7,
    KEY_COUNT = 1 << 8,
};

static const struct {
    const char *name;
    enum key key;
} KEYS[] = {
    {"epsilon", KEY_EPSILON},
    {"delta", KEY_DELTA},
    {"scale", KEY_SCALE},
    {"sigma", KEY_SIGMA},
    {"sensitivity", KEY_SENSITIVITY},
    {"sensitivity-squared", KEY_SENSITIVITY_SQUARED},
    {"values", KEY_VALUES},
    {"sample", KEY_SAMPLE},
    {"count", KEY_COUNT},
};

#define KEYS_ALL (KEY_SAMPLE | KEY_COUNT)
#define KEYS_LAPLACE (KEY_EPSILON | KEY_SCALE | KEY_SENSITIVITY | KEYS_ALL)
#define KEYS_GAUSS                                                             \
    (KEY_SIGMA | KEY_SENSITIVITY | KEY_SENSITIVITY_SQUARED | KEYS_ALL)

static const struct kind {
    const char *name;
    enum mechanism_kind kind;
    unsigned needs;
    unsigned takes;
} KINDS[] = {
    {"laplace", MECHANISM_LAPLACE, 0, KEYS_LAPLACE},
    {"discrete-laplace", MECHANISM_DISCRETE_LAPLACE, 0, KEYS_LAPLACE},
    {"geometric", MECHANISM_DISCRETE_LAPLACE, 0, KEYS_LAPLACE},
    {"gaussian", MECHANISM_GAUSSIAN, KEY_SIGMA, KEYS_GAUSS},
    {"discrete-gaussian", MECHANISM_DISCRETE_GAUSSIAN, KEY_SIGMA, KEYS_GAUSS},
    {"randomized-response", MECHANISM_RESPONSE, KEY_EPSILON,
     KEY_EPSILON | KEY_VALUES | KEYS_ALL},
    {"exponential", MECHANISM_EXPONENTIAL, KEY_EPSILON, KEY_EPSILON | KEYS_ALL},
    {"permute-and-flip", MECHANISM_PERMUTE_FLIP, KEY_EPSILON,
     KEY_EPSILON | KEYS_ALL},
    {"noisy-max", MECHANISM_NOISY_MAX, KEY_EPSILON, KEY_EPSILON | KEYS_ALL},
    {"sparse-vector", MECHANISM_SPARSE_VECTOR, KEY_EPSILON,
     KEY_EPSILON | KEYS_ALL},
    {"generic", MECHANISM_GENERIC, KEY_EPSILON,
     KEY_EPSILON | KEY_DELTA | KEYS_ALL},
};

void
mechanism_init(struct mechanism *m)
{
    memset(m, 0, sizeof *m);
    rat_init(&m->epsilon);
    rat_init(&m->delta);
    rat_init(&m->sigma);
    rat_init(&m->sensitivity);
    rat_init(&m->sensitivity_squared);
    rat_init(&m->sample);
}

void
mechanism_clear(struct mechanism *m)
{
    rat_clear(&m->epsilon);
    rat_clear(&m->delta);
    rat_clear(&m->sigma);
    rat_clear(&m->sensitivity);
    rat_clear(&m->sensitivity_squared);
    rat_clear(&m->sample);
}

const char *
mechanism_name(enum mechanism_kind kind)
{
    for (size_t i = 0; i < COUNT_OF(KINDS); i++)
        if (KINDS[i].kind == kind)
            return KINDS[i].name;
    return "unknown"; /* UNREACHABLE: every kind is in the table */
}

bool
mechanism_is_sampled(const struct mechanism *m)
{
    return rat_cmp_i64(&m->sample, 1) < 0;
}

bool
mechanism_is_gaussian(const struct mechanism *m)
{
    return m->kind == MECHANISM_GAUSSIAN ||
           m->kind == MECHANISM_DISCRETE_GAUSSIAN;
}

/*
 * Cuts off the text before the first colon; *rest is NULL after the last part.
 */
static str
next_part(const char *text, const char **rest)
{
    const char *colon = strchr(text, ':');
    str part = {text, colon ? (size_t)(colon - text) : strlen(text)};

    *rest = colon ? colon + 1 : NULL;
    return part;
}

static custos_status
find_kind(str name, const struct kind **out, custos_err *err)
{
    for (size_t i = 0; i < COUNT_OF(KINDS); i++)
        if (str_equal(name, str_of(KINDS[i].name))) {
            *out = &KINDS[i];
            return CUSTOS_OK;
        }
    return custos_fail(err, CUSTOS_EINVAL, "unknown mechanism \"%.*s\"",
                       (int)(name.len < 40 ? name.len : 40), name.ptr);
}

static custos_status
find_key(const struct kind *kind, str name, size_t *out, custos_err *err)
{
    for (size_t i = 0; i < COUNT_OF(KEYS); i++)
        if (str_equal(name, str_of(KEYS[i].name)) &&
            (kind->takes & KEYS[i].key)) {
            *out = i;
            return CUSTOS_OK;
        }
    return custos_fail(err, CUSTOS_EINVAL, "%s has no key \"%.*s\"", kind->name,
                       (int)(name.len < 40 ? name.len : 40), name.ptr);
}

/* Reads an integer from `least` to `most`. */
static custos_status
read_whole(const char *text, const char *name, uint64_t least, uint64_t most,
           uint64_t *out, custos_err *err)
{
    uint64_t got = 0;
    custos_status st;
    bool good;
    rat x;

    rat_init(&x);
    st = rat_read(text, name, &x, err);
    good = !st && rat_is_whole(&x) && rat_sign(&x) >= 0 &&
           rat_floor_u64(&x, &got) && got >= least && got <= most;
    rat_clear(&x);
    if (!st && !good)
        return custos_fail(err, CUSTOS_ERANGE,
                           "%s must be a whole number from %llu to %llu, not "
                           "\"%.40s\"",
                           name, (unsigned long long)least,
                           (unsigned long long)most, text);
    if (good)
        *out = got;
    return st;
}

static custos_status
read_sample(const char *text, const char *name, rat *r, custos_err *err)
{
    custos_status st = rat_read_positive(text, name, r, err);

    if (!st && rat_cmp_i64(r, 1) > 0)
        st = custos_fail(err, CUSTOS_ERANGE,
                         "%s must lie in (0, 1], not \"%.40s\"", name, text);
    return st;
}

/* A scale is stored in sigma until all keys have been read. */
static custos_status
read_value(struct mechanism *m, enum key key, const char *text,
           const char *name, custos_err *err)
{
    switch (key) {
    case KEY_EPSILON: return rat_read_positive(text, name, &m->epsilon, err);
    case KEY_DELTA: return rat_read_delta(text, name, &m->delta, err);
    case KEY_SCALE:
    case KEY_SIGMA: return rat_read_positive(text, name, &m->sigma, err);
    case KEY_SENSITIVITY:
        return rat_read_positive(text, name, &m->sensitivity, err);
    case KEY_SENSITIVITY_SQUARED:
        return rat_read_positive(text, name, &m->sensitivity_squared, err);
    case KEY_VALUES:
        return read_whole(text, name, 2, UINT32_MAX, &m->values, err);
    case KEY_SAMPLE: return read_sample(text, name, &m->sample, err);
    case KEY_COUNT: break;
    }
    return read_whole(text, name, 1, COUNT_MAX, &m->count, err);
}

/* Reads one key=value; adds the key's bit to *seen. */
static custos_status
read_pair(struct mechanism *m, const struct kind *kind, str pair,
          unsigned *seen, custos_err *err)
{
    const char *equals = memchr(pair.ptr, '=', pair.len);
    char value[RAT_TEXT_MAX + 2], name[64];
    str key = {pair.ptr, equals ? (size_t)(equals - pair.ptr) : pair.len};
    size_t i = 0, len = pair.len - key.len;
    custos_status st = find_key(kind, key, &i, err);

    if (st)
        return st;
    if (!equals)
        return custos_fail(err, CUSTOS_EINVAL, "%s of %s has no value",
                           KEYS[i].name, kind->name);
    if (*seen & KEYS[i].key)
        return custos_fail(err, CUSTOS_EINVAL, "%s of %s is given twice",
                           KEYS[i].name, kind->name);
    *seen |= KEYS[i].key;
    len = len <= sizeof value ? len - 1 : sizeof value - 1;
    memcpy(value, equals + 1, len);
    value[len] = '\0';
    snprintf(name, sizeof name, "%s of %s", KEYS[i].name, kind->name);
    return read_value(m, KEYS[i].key, value, name, err);
}

/* Checks that a number is between 2^-64 and 2^20. */
static custos_status
check_reach(const rat *x, const char *what, const struct kind *kind,
            custos_err *err)
{
    long e = rat_log2_floor(x);

    if (e < -RATIO_LOG2 || e >= EPSILON_LOG2)
        return custos_fail(err, CUSTOS_ERANGE,
                           "%s of %s must lie between 2^-%d and 2^%d", what,
                           kind->name, (int)RATIO_LOG2, (int)EPSILON_LOG2);
    return CUSTOS_OK;
}

static custos_status
settle_laplace(struct mechanism *m, const struct kind *kind, unsigned seen,
               custos_err *err)
{
    unsigned both = seen & (KEY_EPSILON | KEY_SCALE);

    if (both != KEY_EPSILON && both != KEY_SCALE)
        return custos_fail(err, CUSTOS_EINVAL,
                           "%s needs either epsilon or scale", kind->name);
    if (m->kind == MECHANISM_DISCRETE_LAPLACE && !rat_is_whole(&m->sensitivity))
        return custos_fail(err, CUSTOS_ERANGE,
                           "sensitivity of %s must be a whole number",
                           kind->name);
    if (both == KEY_SCALE)
        rat_div(&m->epsilon, &m->sensitivity, &m->sigma);
    rat_set_i64(&m->sigma, 0, 1);
    return CUSTOS_OK;
}

static custos_status
settle_gauss(struct mechanism *m, const struct kind *kind, unsigned seen,
             custos_err *err)
{
    unsigned both = seen & (KEY_SENSITIVITY | KEY_SENSITIVITY_SQUARED);
    custos_status st;
    rat ratio;

    if (both == (KEY_SENSITIVITY | KEY_SENSITIVITY_SQUARED))
        return custos_fail(err, CUSTOS_EINVAL,
                           "%s takes sensitivity or its square, not both",
                           kind->name);
    if (both == KEY_SENSITIVITY_SQUARED)
        rat_set_i64(&m->sensitivity, 0, 1);
    else
        rat_mul(&m->sensitivity_squared, &m->sensitivity, &m->sensitivity);
    if (m->kind == MECHANISM_DISCRETE_GAUSSIAN &&
        !(rat_is_whole(&m->sensitivity_squared) &&
          rat_is_whole(&m->sensitivity)))
        return custos_fail(err, CUSTOS_ERANGE,
                           "sensitivity of %s must be a whole number",
                           kind->name);
    rat_init(&ratio);
    rat_div(&ratio, &m->sensitivity_squared, &m->sigma);
    rat_div(&ratio, &ratio, &m->sigma);
    st = check_reach(&ratio, "(sensitivity/sigma)^2", kind, err);
    rat_clear(&ratio);
    return st;
}

/* Checks the keys together and computes what follows from them. */
static custos_status
settle_keys(struct mechanism *m, const struct kind *kind, unsigned seen,
            custos_err *err)
{
    custos_status st = CUSTOS_OK;

    for (size_t i = 0; i < COUNT_OF(KEYS); i++)
        if (kind->needs & ~seen & KEYS[i].key)
            return custos_fail(err, CUSTOS_EINVAL, "%s needs %s", kind->name,
                               KEYS[i].name);
    if (mechanism_is_gaussian(m))
        st = settle_gauss(m, kind, seen, err);
    else if (kind->takes & KEY_SCALE)
        st = settle_laplace(m, kind, seen, err);
    if (!st && !mechanism_is_gaussian(m))
        st = check_reach(&m->epsilon, "epsilon", kind, err);
    if (!st && mechanism_is_sampled(m)) {
        st = check_reach(&m->sample, "sample", kind, err);
        if (!st && m->adjacency != CUSTOS_ADD_REMOVE)
            st = custos_fail(err, CUSTOS_EINVAL,
                             "sample of %s is priced under add/remove only",
                             kind->name);
    }
    return st;
}

static void
set_defaults(struct mechanism *m, enum mechanism_kind kind,
             custos_adjacency adjacency)
{
    m->kind = kind;
    m->adjacency = adjacency;
    rat_set_i64(&m->epsilon, 0, 1);
    rat_set_i64(&m->delta, 0, 1);
    rat_set_i64(&m->sigma, 0, 1);
    rat_set_i64(&m->sensitivity, 1, 1);
    rat_set_i64(&m->sensitivity_squared, 1, 1);
    rat_set_i64(&m->sample, 1, 1);
    m->values = 2;
    m->count = 1;
}

custos_status
mechanism_read(const char *text, custos_adjacency adjacency,
               struct mechanism *m, custos_err *err)
{
    const struct kind *kind = NULL;
    const char *rest = NULL;
    unsigned seen = 0;
    custos_status st;

    if (!text)
        return custos_fail(err, CUSTOS_EINVAL, "a mechanism must be given");
    if (adjacency != CUSTOS_ADD_REMOVE && adjacency != CUSTOS_CHANGE_ONE)
        return custos_fail(err, CUSTOS_EINVAL,
                           "adjacency must be add/remove or change-one");
    st = find_kind(next_part(text, &rest), &kind, err);
    if (st)
        return st;
    set_defaults(m, kind->kind, adjacency);
    while (!st && rest) {
        str pair = next_part(rest, &rest);

        st = read_pair(m, kind, pair, &seen, err);
    }
    return st ? st : settle_keys(m, kind, seen, err);
}
