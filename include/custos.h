/*
 * custos.h: the public interface of libcustos, exact mechanisms for
 * differential privacy.
 *
 * The rules of the whole interface:
 *
 * - Privacy parameters are text: "0.1" is one tenth, "1/3" is one third,
 *   "1e-6" is a millionth. They are read as exact rationals and stay exact, or
 *   are rounded towards more privacy. No double carries a parameter.
 * - Every handle is explicit; the library has no mutable globals, opens no
 *   file or socket and reads no clock. A handle belongs to one thread at a
 *   time, except where it is passed as const: const handles may be shared.
 * - Every function that can fail returns a custos_status. Outputs are set on
 *   success only. `err` may be NULL; it is untouched on success. Its text
 *   never depends on the data.
 * - Bad input never aborts. (One exception, not ours to change: GMP and MPFR
 *   abort when memory runs out; the operands given to them are small.)
 * - Every _free accepts NULL. `alloc` may be NULL, which means malloc.
 * - Options structs begin with `size`: set it to sizeof of the struct; fields
 *   left zero take their defaults.
 */
#ifndef CUSTOS_H
#define CUSTOS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define CUSTOS_API __attribute__((visibility("default")))
#define CUSTOS_MUST_USE __attribute__((warn_unused_result))
#define CUSTOS_PRINTF(f, a) __attribute__((format(printf, f, a)))
__extension__ typedef __int128 custos_int;
#else
#error "custos needs a compiler with __int128 (gcc or clang)"
#endif

#define CUSTOS_VERSION "0.1.0"

/* The library's version at run time. Cannot fail. */
CUSTOS_API const char *custos_version(void);

/* -------------------------------------------------------------- status -- */

/* name, value, SQLSTATE, HTTP status, what it means */
#define CUSTOS_STATUS_LIST(X)                                                  \
    X(OK, 0, "00000", 200, "success")                                          \
    X(EINVAL, 1, "22023", 400, "invalid parameter")                            \
    X(EPARSE, 2, "22P02", 400, "text that is not a number")                    \
    X(ERANGE, 3, "22003", 400, "parameter outside the supported range")        \
    X(EOVERFLOW, 4, "54000", 400, "more than the library's limits allow")      \
    X(ENOMEM, 5, "53200", 503, "out of memory")                                \
    X(EENTROPY, 6, "58000", 503, "no randomness from the system")              \
    X(ETAKEN, 7, "55000", 409, "this release has been taken already")          \
    X(ESPENT, 8, "53400", 409, "no answers are left")                          \
    X(EINTERNAL, 9, "XX000", 500, "internal error")                            \
    X(ESYNTAX, 10, "42601", 400, "text that is not SQL")                       \
    X(EUNSUPPORTED, 11, "0A000", 400, "not part of the private SQL language")  \
    X(ENAME, 12, "42704", 404, "no such name")                                 \
    X(EDENIED, 13, "42501", 403, "not permitted")                              \
    X(EPOLICY, 14, "F0000", 400, "a policy that cannot be used")               \
    X(EIO, 15, "58030", 503, "the disk failed")                                \
    X(ECORRUPT, 16, "XX001", 500, "the store is damaged")                      \
    X(EBUSY, 17, "55P03", 503, "in use by another process")                    \
    X(EENGINE, 18, "58000", 500, "the query could not be completed")           \
    X(EPROTOCOL, 19, "08P01", 400, "a message that is not of the protocol")    \
    X(EAUTH, 20, "28P01", 401, "the name or the password is wrong")

typedef enum custos_status {
#define CUSTOS_STATUS_ENUM(name, value, sqlstate, http, words)                 \
    CUSTOS_##name = value,
    CUSTOS_STATUS_LIST(CUSTOS_STATUS_ENUM)
#undef CUSTOS_STATUS_ENUM
} custos_status;

/*
 * An error, for two readers. The analyst reads `said`, what is wrong, and
 * `hint`, what to do about it; neither depends on the data. `noted` is for
 * whoever may see the data itself: it can quote values and queries. Print it to
 * the owner, never into a log.
 *
 * Initialise it with CUSTOS_ERR_INIT. `size` tells the library how much of the
 * struct there is; nothing is written where that is less than it knows.
 */
typedef struct custos_err {
    size_t size;
    custos_status code;
    int at;          /* byte offset in the text that was read, or -1 */
    char said[256];  /* never cut within a character */
    char hint[256];  /* empty when there is none */
    char noted[320]; /* may quote data; empty when there is nothing */
} custos_err;

#define CUSTOS_ERR_INIT                                                        \
    {                                                                          \
        sizeof(custos_err), CUSTOS_OK, -1, "", "", ""                          \
    }

/* What a status means, in words. Cannot fail. */
CUSTOS_API const char *custos_status_words(custos_status status);

/* The five-character SQLSTATE of a status. Cannot fail. */
CUSTOS_API const char *custos_status_sqlstate(custos_status status);

/* The HTTP status code of a status. Cannot fail. */
CUSTOS_API int custos_status_http(custos_status status);

/* -------------------------------------------------------------- memory -- */

/*
 * Where handles get their memory. `take` returns NULL when there is none;
 * `give` gets back what take returned, with its size. The struct is copied;
 * ctx is borrowed until the last handle made with it is freed.
 */
typedef struct custos_alloc {
    void *(*take)(void *ctx, size_t bytes);
    void (*give)(void *ctx, void *p, size_t bytes);
    void *ctx;
} custos_alloc;

/* ---------------------------------------------------------- randomness -- */

/*
 * A source of random words: ChaCha20 keyed by the operating system, re-keyed
 * with every refill so that the past cannot be recomputed, wiped as it is
 * used. After fork() the child draws a key of its own. Calls on one handle
 * from several threads are serialised. There is no way to seed it.
 */
typedef struct custos_rng custos_rng;

/* May fail: CUSTOS_ENOMEM, CUSTOS_EENTROPY. */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_rng_new(custos_rng **out,
                                                        custos_err *err);

CUSTOS_API void custos_rng_free(custos_rng *rng);

/* --------------------------------------------------------------- noise -- */

/* The laws, each exact. `a` is the parameter. */
typedef enum custos_law {
    CUSTOS_DISCRETE_LAPLACE = 1,  /* scale a: P[x] ~ exp(-|x|/a), x in Z */
    CUSTOS_DISCRETE_GAUSSIAN = 2, /* sigma a: P[x] ~ exp(-x^2/2a^2), x in Z */
    CUSTOS_GEOMETRIC = 3,         /* scale a: P[x] ~ exp(-x/a), x = 0, 1, ... */
    CUSTOS_TWO_SIDED_GEOMETRIC = 4, /* another name of discrete Laplace */
    CUSTOS_BERNOULLI = 5,           /* P[1] = a, 0 <= a <= 1 */
    CUSTOS_BERNOULLI_EXP = 6,       /* P[1] = exp(-a), 0 <= a <= 2^20 */
    CUSTOS_UNIFORM = 7              /* 0, ..., a-1; whole a, 1 to 2^64 */
} custos_law;

/*
 * A noise law with its tables, immutable: any number of threads may draw from
 * one handle, each with its own rng. Scales reach from 2^-20 to 2^60.
 */
typedef struct custos_noise custos_noise;

/* May fail: CUSTOS_EPARSE, CUSTOS_ERANGE, CUSTOS_EINVAL, CUSTOS_ENOMEM. */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_noise_new(const custos_alloc *alloc, custos_law law,
                 const char *parameter, custos_noise **out, custos_err *err);

CUSTOS_API void custos_noise_free(custos_noise *noise);

/*
 * Draws n independent values. Time, branches and addresses do not depend on
 * the values drawn (THREATS.md states the exception, of probability below
 * 2^-50 a draw). May fail: CUSTOS_EENTROPY, and then out is all zero.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_noise_draw(const custos_noise *noise, custos_rng *rng, custos_int *out,
                  size_t n, custos_err *err);

/*
 * The error bar of a law: the smallest whole m such that n independent draws
 * all lie in [-m, m] (one-sided laws: [0, m]) with probability at least
 * 1 - beta, rounded up where the exact value cannot be decided.
 * May fail: CUSTOS_EPARSE, CUSTOS_ERANGE (beta outside (0, 1), n = 0),
 * CUSTOS_EINVAL (a law without error bar).
 */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_noise_error(const custos_noise *noise, const char *beta, size_t n,
                   custos_int *m, custos_err *err);

/*
 * Writes x in decimal, NUL-terminated; at most 40 characters and the NUL.
 * Returns the length. Cannot fail.
 */
CUSTOS_API size_t custos_int_write(custos_int x, char text[41]);

/* ------------------------------------------------------- sealed values -- */

/*
 * Exact values on their way to a release. Nothing prints, compares or copies
 * them; a mechanism opens them once, and a second release from the same
 * handle is refused (CUSTOS_ETAKEN): what is paid for once is answered once.
 * Wiped when freed.
 */
typedef struct custos_sealed custos_sealed;

/* Copies n values (n >= 1). May fail: CUSTOS_EINVAL, CUSTOS_ENOMEM. */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_seal_ints(const custos_alloc *alloc, const int64_t *values, size_t n,
                 custos_sealed **out, custos_err *err);

/*
 * Copies n reals, bit by bit. NaN counts as 0, an infinity as the limit. Sums
 * must have been added up exactly: in floating point, one unit can move a sum
 * further than its sensitivity.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_seal_reals(const custos_alloc *alloc, const double *values, size_t n,
                  custos_sealed **out, custos_err *err);

/* As custos_seal_ints, for sums that 64 bits do not hold (CUSTOS_WIDE). */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_seal_wide(const custos_alloc *alloc, const custos_int *values, size_t n,
                 custos_sealed **out, custos_err *err);

CUSTOS_API void custos_sealed_free(custos_sealed *sealed);

/* What two neighbouring data sets are. */
typedef enum custos_adjacency {
    CUSTOS_ADD_REMOVE = 1, /* one unit is there or not ("unbounded") */
    CUSTOS_CHANGE_ONE = 2  /* one unit is replaced ("bounded") */
} custos_adjacency;

/* -------------------------------------- additive noise (section: mech) -- */

/* Room for a number that the library writes, the NUL included. */
#define CUSTOS_NUMBER_MAX 32

typedef enum custos_mech_kind {
    CUSTOS_LAPLACE = 1, /* epsilon-DP from the l1 sensitivity */
    CUSTOS_GAUSSIAN = 2 /* (epsilon, delta)-DP from the l2 sensitivity */
} custos_mech_kind;

typedef enum custos_domain {
    CUSTOS_INTS = 1,  /* int64_t, released as whole numbers */
    CUSTOS_REALS = 2, /* double, released as multiples of a public grid */
    CUSTOS_WIDE = 3   /* custos_int, released as whole numbers to +-2^120 */
} custos_domain;

/*
 * How sigma is found for the Gaussian. The noise is discrete whatever is
 * chosen, and the promise is checked against the discrete law: where the
 * classical or analytic sigma, which are theorems on the continuous law, is
 * not enough, it is raised until it is.
 */
typedef enum custos_calibration {
    CUSTOS_CALIBRATION_DEFAULT = 0, /* exact for one change, else zCDP */
    CUSTOS_CLASSICAL = 1, /* sqrt(2 ln(1.25/delta)) D/epsilon, epsilon < 1 */
    CUSTOS_ANALYTIC = 2,  /* Balle and Wang 2018; one change */
    CUSTOS_EXACT = 3,     /* the discrete law itself; one change */
    CUSTOS_ZCDP = 4       /* by concentrated DP; any change */
} custos_calibration;

/* How many of the values can differ between neighbours. */
typedef enum custos_changes {
    CUSTOS_CHANGES_ONE = 1,    /* a scalar; a histogram under add/remove */
    CUSTOS_CHANGES_SEVERAL = 2 /* any of them */
} custos_changes;

typedef struct custos_mech_options {
    size_t size;
    custos_mech_kind kind;
    custos_domain domain;
    size_t values; /* in one release; 0 means 1 */
    /*
     * The promise. Laplace: epsilon. Gaussian: epsilon and delta. With
     * `scale` the one left out is worked out and told by custos_mech_facts.
     */
    const char *epsilon;
    const char *delta;
    /*
     * How much the values of neighbours can differ: in l1 for Laplace, in l2
     * for the Gaussian, which also takes the square (exact where the root is
     * not: "2").
     */
    const char *sensitivity;
    const char *sensitivity_squared;
    custos_changes changes;         /* 0: one of one value, else several */
    custos_calibration calibration; /* Gaussian only */
    const char *scale; /* Laplace scale or sigma, in units of the values */
    const char *grid;  /* reals: a power of two; NULL: from the parameters */
    const char *lower; /* what is released is cut to these limits, after */
    const char *upper; /* the noise; NULL: the limits of the type */
} custos_mech_options;

/* An additive mechanism, immutable: threads may share it. */
typedef struct custos_mech custos_mech;

/*
 * What a mechanism promises, as text owned by it. Epsilon and delta are exact
 * or rounded up. Later versions may add members at the end.
 */
typedef struct custos_facts {
    const char *epsilon;
    const char *delta;       /* "0" for Laplace */
    const char *scale;       /* Laplace scale or sigma, rounded down */
    const char *grid;        /* exact; "1" for ints */
    const char *sensitivity; /* l1 or l2, on the grid, rounded up */
    const char *theorem;     /* its id in doc/theorems.md */
    custos_law law;
} custos_facts;

/*
 * May fail: CUSTOS_EINVAL, CUSTOS_EPARSE, CUSTOS_ERANGE (also when the noise
 * scale is not between 2^-20 and 2^60 grid steps), CUSTOS_ENOMEM.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_mech_new(const custos_alloc *alloc, const custos_mech_options *options,
                custos_mech **out, custos_err *err);

CUSTOS_API void custos_mech_free(custos_mech *mech);

/* NULL for NULL. */
CUSTOS_API const custos_facts *custos_mech_facts(const custos_mech *mech);

/*
 * Value plus noise for each of the n sealed values; n must be the mechanism's
 * number of values. Sums stop at the limits, they never wrap or fail. The
 * sealed handle is used up, also by CUSTOS_EENTROPY. Time does not depend on
 * the values. May fail: CUSTOS_EINVAL, CUSTOS_ETAKEN, CUSTOS_EENTROPY.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_release_ints(
    const custos_mech *mech, custos_rng *rng, custos_sealed *sealed,
    int64_t *out, size_t n, custos_err *err);

/* The same for wide ints. */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_release_wide(
    const custos_mech *mech, custos_rng *rng, custos_sealed *sealed,
    custos_int *out, size_t n, custos_err *err);

/* The same for reals: multiples of the grid, exact below 2^53 steps. */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_release_reals(
    const custos_mech *mech, custos_rng *rng, custos_sealed *sealed,
    double *out, size_t n, custos_err *err);

/*
 * The error bar: n released values all lie within *half_width of the exact
 * ones with probability at least 1 - beta, as far as they lie within the
 * limits. Rounded up; for reals it counts the rounding to the grid too.
 * May fail: CUSTOS_EINVAL, CUSTOS_EPARSE, CUSTOS_ERANGE.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_mech_error(const custos_mech *mech, const char *beta, size_t n,
                  double *half_width, custos_err *err);

/*
 * The same as a whole number, for ints and wide ints: the narrowest interval
 * of the law that covers. May fail: as custos_mech_error.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_mech_error_wide(const custos_mech *mech, const char *beta, size_t n,
                       custos_int *half_width, custos_err *err);

/*
 * Gaussian calibration as numbers, for tables and choices: the sigma that
 * gives epsilon and delta, the delta and the epsilon that a sigma gives, each
 * rounded up. CUSTOS_EXACT is for a whole sensitivity in one coordinate.
 * CUSTOS_CLASSICAL has a sigma only. May fail: CUSTOS_EINVAL, CUSTOS_EPARSE,
 * CUSTOS_ERANGE.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_gauss_sigma(custos_calibration calibration, const char *epsilon,
                   const char *delta, const char *sensitivity_squared,
                   char sigma[CUSTOS_NUMBER_MAX], custos_err *err);

CUSTOS_API CUSTOS_MUST_USE custos_status
custos_gauss_delta(custos_calibration calibration, const char *sigma,
                   const char *epsilon, const char *sensitivity_squared,
                   char delta[CUSTOS_NUMBER_MAX], custos_err *err);

CUSTOS_API CUSTOS_MUST_USE custos_status
custos_gauss_epsilon(custos_calibration calibration, const char *sigma,
                     const char *delta, const char *sensitivity_squared,
                     char epsilon[CUSTOS_NUMBER_MAX], custos_err *err);

/*
 * Counts of rows by bin. A unit has at most rows_per_unit rows (0 means 1),
 * in any bins.
 */
typedef struct custos_histogram_options {
    size_t size;
    custos_mech_kind kind;
    custos_adjacency adjacency;
    size_t bins;
    uint64_t rows_per_unit;
    const char *epsilon;
    const char *delta;
    custos_calibration calibration;
} custos_histogram_options;

/*
 * The mechanism for such counts, on ints: sensitivity rows_per_unit under
 * add/remove; under change-one, where rows leave one bin and enter another,
 * twice that in l1 and sqrt(2) times in l2. May fail: as custos_mech_new.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_histogram_new(
    const custos_alloc *alloc, const custos_histogram_options *options,
    custos_mech **out, custos_err *err);

/* ------------------------------------------ selection (section: select) -- */

/* How a winner is chosen. Each is epsilon-DP. */
typedef enum custos_select_rule {
    CUSTOS_PERMUTE_AND_FLIP = 0, /* never worse than the exponential rule */
    CUSTOS_EXPONENTIAL = 1,      /* P[i] ~ exp(epsilon score_i / 2 sens.) */
    CUSTOS_NOISY_MAX = 2         /* discrete Laplace noise on every score */
} custos_select_rule;

/* How scores can differ between neighbours. */
typedef enum custos_scores {
    CUSTOS_SCORES_GENERAL = 0, /* some may rise while others fall */
    CUSTOS_SCORES_MONOTONE = 1 /* all rise or all fall: half the noise */
} custos_scores;

#define CUSTOS_SELECT_MAX ((size_t)1 << 32) /* candidates */

typedef struct custos_select_options {
    size_t size; /* sizeof(custos_select_options) */
    custos_select_rule rule;
    custos_scores scores;
    const char *epsilon;     /* > 0 */
    const char *sensitivity; /* how far one unit moves any score; NULL: "1" */
    const char *score_unit;  /* scores are sealed as multiples; NULL: "1" */
} custos_select_options;

/*
 * Names the candidate, 0 to n - 1, whose score is largest, or nearly so. The
 * n scores are sealed whole numbers that count score_unit: 17 with a unit of
 * "1/4" is the score 4.25. A sensitivity that is no multiple of the unit is
 * rounded up to one, so scores may have been rounded to the unit, all down or
 * all up. (To the nearest only where halves always go up: to even, or away
 * from 0 as round() does, 1 apart can become 2.) Takes the scores: they can be
 * released no second time. Beside events of probability n^2 2^-50 time depends
 * on n alone.
 *
 * May fail: CUSTOS_EINVAL, CUSTOS_EPARSE, CUSTOS_ERANGE (epsilon over
 * sensitivity beyond the sampler), CUSTOS_EOVERFLOW (n), CUSTOS_ENOMEM,
 * CUSTOS_ETAKEN, CUSTOS_EENTROPY.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_select(const custos_alloc *alloc, const custos_select_options *options,
              custos_rng *rng, custos_sealed *scores, size_t n, size_t *winner,
              custos_err *err);

/* -------------------------------------- sparse vector (section: sparse) -- */

/*
 * Any number of questions "is this value at or above that threshold?", of
 * which the first `answers` that are found above are paid for together, and
 * all that are not found above are free. After the last of them the handle
 * answers nothing any more; there is no way to reset it.
 */
typedef struct custos_sparse custos_sparse;

typedef struct custos_sparse_options {
    size_t size;         /* sizeof(custos_sparse_options) */
    uint32_t answers;    /* >= 1; how many may be above */
    custos_scores moves; /* monotone: one unit moves all values one way */
    const char *epsilon; /* > 0; what all answers together cost */
    /*
     * How far one unit moves any value; NULL: "1". Rounded up to a whole
     * number, so values may have been rounded, all down or all up.
     */
    const char *sensitivity;
    /*
     * > 0: a value found above is released too, with fresh noise, and the
     * whole costs epsilon + value_epsilon. NULL: only yes or no.
     */
    const char *value_epsilon;
} custos_sparse_options;

/*
 * Draws the noise of the threshold, once for all questions. May fail:
 * CUSTOS_EINVAL, CUSTOS_EPARSE, CUSTOS_ERANGE, CUSTOS_ENOMEM,
 * CUSTOS_EENTROPY.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_sparse_new(
    const custos_alloc *alloc, const custos_sparse_options *options,
    custos_rng *rng, custos_sparse **out, custos_err *err);

CUSTOS_API void custos_sparse_free(custos_sparse *sparse);

/*
 * One question, about one sealed whole number. *above says whether value plus
 * noise reached threshold plus noise. With value_epsilon, *value is the value
 * with noise, cut to 64 bits, when above, and 0 when not; without, value may
 * be NULL and is not touched. May fail: CUSTOS_EINVAL, CUSTOS_ESPENT (no
 * answers are left; the seal stays whole), CUSTOS_ETAKEN, CUSTOS_EENTROPY
 * (the seal stays whole).
 */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_sparse_ask(
    custos_sparse *sparse, custos_rng *rng, custos_sealed *sealed,
    int64_t threshold, bool *above, int64_t *value, custos_err *err);

/* How many questions may still be answered with above; 0 for NULL. */
CUSTOS_API uint32_t custos_sparse_left(const custos_sparse *sparse);

/* ------------------------------------ partial sums (section: continual) -- */

/*
 * All sums x_1, x_1 + x_2, ..., of n elements. Neighbours differ in one
 * element, by at most the sensitivity.
 */
typedef enum custos_sums_method {
    CUSTOS_EVERY_PREFIX = 1,  /* each sum has its own noise, scale n/eps */
    CUSTOS_EVERY_ELEMENT = 2, /* noise 1/eps on elements, then summed */
    CUSTOS_BINARY_TREE = 3,   /* noise on blocks of 1, 2, 4, ... elements */
    CUSTOS_SQUARE_ROOT = 4    /* Gaussian noise on the root of the sums */
} custos_sums_method;

#define CUSTOS_SUMS_ROOT_MAX ((size_t)1 << 16) /* n for the square root */

typedef struct custos_sums_options {
    size_t size; /* sizeof(custos_sums_options) */
    custos_sums_method method;
    size_t elements;         /* n, 1 to 2^32 */
    const char *epsilon;     /* > 0; what all sums together cost */
    const char *delta;       /* the square root: > 0; the others: NULL */
    const char *sensitivity; /* whole, 1 to 2^64 - 1; NULL: "1" */
} custos_sums_options;

/* A way to release partial sums; immutable: threads may share it. */
typedef struct custos_sums custos_sums;

/*
 * May fail: CUSTOS_EINVAL, CUSTOS_EPARSE, CUSTOS_ERANGE, CUSTOS_EOVERFLOW (n
 * too large), CUSTOS_ENOMEM.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_sums_new(const custos_alloc *alloc, const custos_sums_options *options,
                custos_sums **out, custos_err *err);

CUSTOS_API void custos_sums_free(custos_sums *sums);

/*
 * What is promised, as text owned by the handle; NULL for NULL. Scale and
 * sensitivity are of what gets the noise: prefixes, elements, blocks or the
 * root.
 */
CUSTOS_API const custos_facts *custos_sums_facts(const custos_sums *sums);

/*
 * The n sums of n sealed elements, with noise, cut to 64 bits. The square
 * root takes time of order n^2. Time does not depend on the elements. May
 * fail: CUSTOS_EINVAL, CUSTOS_ETAKEN, CUSTOS_ENOMEM, CUSTOS_EENTROPY; the
 * last uses the seal up.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_sums_release(
    const custos_sums *sums, custos_rng *rng, custos_sealed *elements,
    int64_t *out, size_t n, custos_err *err);

/*
 * The error bar of the sum of the first t elements (1 <= t <= n): it is
 * within *half_width of the exact one with probability at least 1 - beta, as
 * far as it lies within 64 bits. Rounded up. May fail: CUSTOS_EINVAL,
 * CUSTOS_EPARSE, CUSTOS_ERANGE.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_sums_error(const custos_sums *sums, size_t t, const char *beta,
                  custos_int *half_width, custos_err *err);

/* ------------------------------------ unknown keys (section: threshold) -- */

/*
 * Counts by key where the keys themselves come from the data: a key is
 * released only if its noisy count reaches a threshold, so high that a key
 * held by one unit alone comes out with probability at most delta in all.
 */
typedef struct custos_threshold_options {
    size_t size;
    custos_adjacency adjacency;
    uint64_t keys_per_unit; /* at most; a unit adds 1 to each; 0 means 1 */
    const char *epsilon;
    const char *delta;
} custos_threshold_options;

/* Immutable: threads may share it. */
typedef struct custos_threshold custos_threshold;

/* As text owned by the handle. */
typedef struct custos_threshold_facts {
    const char *epsilon;
    const char *delta; /* of this threshold exactly, rounded up */
    const char *scale; /* of the Laplace noise, rounded down */
    const char *theorem;
    int64_t threshold; /* the smallest whole one whose delta is not above */
} custos_threshold_facts;

/* May fail: CUSTOS_EINVAL, CUSTOS_EPARSE, CUSTOS_ERANGE, CUSTOS_ENOMEM. */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_threshold_new(
    const custos_alloc *alloc, const custos_threshold_options *options,
    custos_threshold **out, custos_err *err);

CUSTOS_API void custos_threshold_free(custos_threshold *threshold);

/* NULL for NULL. */
CUSTOS_API const custos_threshold_facts *
custos_threshold_report(const custos_threshold *threshold);

/*
 * For the n keys of the data, in any order, their sealed counts: kept[i] is 1
 * and counts[i] the noisy count where key i is released, else both are 0. A
 * key that is not kept must be treated as one that is not there: neither it
 * nor n may be shown. A count below 1 is never kept. The sealed handle is used
 * up. May fail: CUSTOS_EINVAL, CUSTOS_ETAKEN, CUSTOS_EENTROPY.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_threshold_release(
    const custos_threshold *threshold, custos_rng *rng, custos_sealed *sealed,
    int64_t *counts, uint8_t *kept, size_t n, custos_err *err);

/* ---------------------------------- which keys to show (section: keys) -- */

/*
 * How keys that come from the data are chosen for release, from the number of
 * units that hold each. All rules let a key of no unit never come out.
 */
typedef enum custos_keys_rule {
    CUSTOS_KEYS_GEOMETRIC = 1, /* the most keys that can be; no counts */
    CUSTOS_KEYS_LAPLACE = 2,   /* custos_threshold's rule: noisy counts too */
    CUSTOS_KEYS_GAUSSIAN = 3   /* the same with Gaussian noise */
} custos_keys_rule;

typedef struct custos_keys_options {
    size_t size;
    custos_keys_rule rule;
    custos_adjacency adjacency;
    uint64_t keys_per_unit; /* at most; a unit adds 1 to each; 0 means 1 */
    uint64_t min_units;     /* keys of fewer never come out; 0 means 1 */
    const char *epsilon;
    const char *delta;
} custos_keys_options;

/* Immutable: threads may share it. */
typedef struct custos_keys custos_keys;

/* As text owned by the handle, and numbers of units. */
typedef struct custos_keys_facts {
    const char *epsilon;
    const char *delta; /* geometric: as asked; else what the threshold needs */
    const char *scale; /* of the noise (sigma), rounded down; "0": none */
    const char *theorem;
    custos_keys_rule rule;
    uint64_t least;    /* units a key needs to come out at all: min_units */
    uint64_t half;     /* to come out with probability 1/2 or more */
    uint64_t certain;  /* to come out always; 0: never quite */
    int64_t threshold; /* of the noisy count; 0: none */
} custos_keys_facts;

/*
 * May fail: CUSTOS_EINVAL, CUSTOS_EPARSE, CUSTOS_ENOMEM, CUSTOS_ERANGE. The
 * last also where a rule is not made for the parameters: the geometric one
 * where delta for a key is below 2^-100 or epsilon for a key so small that
 * certainty would take more than 2^16 units, the Gaussian one for more than
 * 256 keys per unit. Another rule then serves.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_keys_new(const custos_alloc *alloc, const custos_keys_options *options,
                custos_keys **out, custos_err *err);

CUSTOS_API void custos_keys_free(custos_keys *keys);

/* NULL for NULL. */
CUSTOS_API const custos_keys_facts *custos_keys_report(const custos_keys *keys);

/*
 * The probability that a key held by this many units comes out, enclosed: for
 * comparing rules, and for what EXPLAIN says. May fail: CUSTOS_EINVAL.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_keys_chance(
    const custos_keys *keys, uint64_t units, char low[CUSTOS_NUMBER_MAX],
    char high[CUSTOS_NUMBER_MAX], custos_err *err);

/*
 * The least number of units from which a key comes out with this probability
 * (between 0 and 1) or more. May fail: CUSTOS_EINVAL, CUSTOS_EPARSE,
 * CUSTOS_ERANGE (also: no number below 2^62 suffices).
 */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_keys_units(const custos_keys *keys, const char *chance, uint64_t *units,
                  custos_err *err);

/*
 * For the n keys of the data, in any order, their sealed numbers of units:
 * kept[i] is 1 where key i comes out, else 0, and then it must be treated as
 * one that is not there: neither it nor n may be shown. counts may be NULL;
 * otherwise counts[i] is the noisy number of units of a key that is kept, at
 * no further cost, and 0 of the others (not for the geometric rule, which has
 * none). Time depends on n and the options alone. The sealed handle is used
 * up. May fail: CUSTOS_EINVAL, CUSTOS_ETAKEN, CUSTOS_EENTROPY.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_keys_release(
    const custos_keys *keys, custos_rng *rng, custos_sealed *sealed,
    int64_t *counts, uint8_t *kept, size_t n, custos_err *err);

/* ------------------------------------------- quantiles (section: quantile) -- */

#define CUSTOS_QUANTILE_RANKS_MAX ((size_t)1024)

typedef struct custos_quantile_options {
    size_t size;
    custos_adjacency adjacency;
    uint64_t values_per_unit; /* at most; 0 means 1 */
    int64_t lower;            /* the domain, public: upper - lower < 2^62 */
    int64_t upper;
    size_t ranks;            /* how many quantiles, at one price */
    const char *const *rank; /* increasing, from 0 to 1: "0.5" is the median */
    const char *epsilon;     /* at most 1024; what all of them cost */
    /*
     * Which places are wanted. Of n values the first and the last `pad` are
     * padding, the same in all data, and quantile i is the value at place
     * rank[i] (n - 2 pad) + pad + shift[i], or the nearest that there is. With
     * pad values at either end of the domain a place is always there: the
     * ends of an error bar need it. Both cost nothing; at most 2^29.
     */
    uint64_t pad;
    const int64_t *shift; /* by rank; NULL: none */
} custos_quantile_options;

/* Immutable: threads may share it. */
typedef struct custos_quantile custos_quantile;

/* As text owned by the handle, exact or rounded up. */
typedef struct custos_quantile_facts {
    const char *epsilon;
    const char *rho; /* of the same release, as zCDP */
    const char *theorem;
    uint32_t levels; /* the quantiles of one level share its part of epsilon */
} custos_quantile_facts;

/*
 * May fail: CUSTOS_EINVAL, CUSTOS_EPARSE, CUSTOS_ERANGE (also when the ranks
 * have no common denominator up to 2^30), CUSTOS_ENOMEM.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_quantile_new(
    const custos_alloc *alloc, const custos_quantile_options *options,
    custos_quantile **out, custos_err *err);

CUSTOS_API void custos_quantile_free(custos_quantile *quantile);

/* NULL for NULL. */
CUSTOS_API const custos_quantile_facts *
custos_quantile_report(const custos_quantile *quantile);

/*
 * The quantiles, in the order of their ranks, never falling. The sealed wide
 * ints: the first says how many values there are (it is cut to 0 .. cells-1),
 * then come the values, in rising order (each is cut to the domain); what
 * follows is not looked at. So no number of values shows in `cells` that the
 * caller does not want to show. Time depends on the number of values and on
 * the options alone; whoever shows it must pad it. The sealed handle is used
 * up. May fail: CUSTOS_EINVAL, CUSTOS_EOVERFLOW (2^32 cells or more),
 * CUSTOS_ETAKEN, CUSTOS_EENTROPY.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_quantile_release(
    const custos_quantile *quantile, custos_rng *rng, custos_sealed *sealed,
    size_t cells, int64_t *out, custos_err *err);

/*
 * The error bar of quantile i in values: of n values, as many as `values` at
 * most (0: 2^32 - 1), the value at place rank * n lies no further than *off
 * places from the released one, with probability at least 1 - beta. (That is:
 * at most rank n + off values are below what is released, and at least
 * rank n - off are not above it.) With pad or shift it is the place they say,
 * as long as that lies within 0 .. n for all ranks, or there is one. May fail: CUSTOS_EINVAL, CUSTOS_EPARSE,
 * CUSTOS_ERANGE.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_quantile_error(
    const custos_quantile *quantile, size_t i, const char *beta,
    uint64_t values, uint64_t *off, custos_err *err);

/* ---------------------------------- sensitivities (section: sensitivity) -- */

/* Families of queries, as vectors of sums over the rows. */
typedef enum custos_family {
    CUSTOS_COUNT = 1,      /* rows with a property */
    CUSTOS_LINEAR = 2,     /* the sum of a value in [lower, upper] */
    CUSTOS_POINTS = 3,     /* rows in each of `count` disjoint cells */
    CUSTOS_THRESHOLDS = 4, /* rows up to each of the `count` domain values */
    CUSTOS_ATTRIBUTES = 5, /* sums of `count` values in [0, 1] of a row */
    CUSTOS_MARGINALS = 6,  /* every `ways`-way table of `count` attributes */
    CUSTOS_COUNTS = 7,     /* rows with each of `count` properties */
    CUSTOS_HAMMING = 8     /* rows to change until the data lie in a set */
} custos_family;

typedef struct custos_query {
    size_t size;
    custos_family family;
    uint64_t count;
    uint64_t ways;
    const char *lower;
    const char *upper;
    const char *divisor; /* public; makes means of sums; NULL is 1 */
    /*
     * At most; 0 means 1. Under change-one 1 means exactly one row, while
     * units of several rows may also have fewer or none.
     */
    uint64_t rows_per_unit;
} custos_query;

#define CUSTOS_SENSITIVITY_MAX 128

/* Exact numbers as text, ready for custos_mech_options. */
typedef struct custos_sensitivity {
    char l1[CUSTOS_SENSITIVITY_MAX];
    char l2_squared[CUSTOS_SENSITIVITY_MAX];
} custos_sensitivity;

/*
 * How much the answers of neighbours can differ. May fail: CUSTOS_EINVAL,
 * CUSTOS_EPARSE, CUSTOS_ERANGE, CUSTOS_EOVERFLOW (past 2^64, or numbers too
 * long to write).
 */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_sensitivity_of(const custos_query *query, custos_adjacency adjacency,
                      custos_sensitivity *out, custos_err *err);

/*
 * Of the largest of n single-valued queries: the largest of theirs (l1 is
 * read). May fail: CUSTOS_EINVAL, CUSTOS_EPARSE, CUSTOS_EOVERFLOW.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_sensitivity_max(const custos_sensitivity *each, size_t n,
                       custos_sensitivity *out, custos_err *err);

/* ------------------------------------------- local model (section: local) -- */

/* Randomized response: the truth with probability p, else another value. */
typedef enum custos_rr_kind {
    CUSTOS_RR_TWO_COINS = 1, /* 0 or 1; heads: the truth, tails: a coin */
    CUSTOS_RR_GAMMA = 2,     /* 0 or 1; the truth with 1/2 + gamma */
    CUSTOS_RR_KARY = 3       /* 0 .. values-1; p the most epsilon allows */
} custos_rr_kind;

typedef struct custos_rr_options {
    size_t size; /* sizeof(custos_rr_options) */
    custos_rr_kind kind;
    const char *gamma;   /* CUSTOS_RR_GAMMA: between 0 and 1/2 */
    const char *epsilon; /* CUSTOS_RR_KARY: > 0 */
    uint64_t values;     /* CUSTOS_RR_KARY: 2 to 2^32 */
} custos_rr_options;

/* Randomizer and estimator of one law; immutable. */
typedef struct custos_rr custos_rr;

/* May fail: CUSTOS_EINVAL, CUSTOS_EPARSE, CUSTOS_ERANGE, CUSTOS_ENOMEM. */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_rr_new(const custos_alloc *alloc, const custos_rr_options *options,
              custos_rr **out, custos_err *err);

CUSTOS_API void custos_rr_free(custos_rr *rr);

/*
 * Randomizes n truths, one report each, and takes them. A truth below 0
 * counts as 0, one past the last value as the last. May fail: CUSTOS_EINVAL,
 * CUSTOS_ETAKEN, CUSTOS_EENTROPY; reports are then all zero or untouched.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_rr_answer(const custos_rr *rr, custos_rng *rng, custos_sealed *truths,
                 size_t n, int64_t *reports, custos_err *err);

/*
 * What follows writes numbers as text, NUL-terminated, into room bytes; 1024
 * always suffice. May fail: CUSTOS_EINVAL, CUSTOS_ERANGE (n = 0, count > n),
 * CUSTOS_EOVERFLOW (no room), CUSTOS_ENOMEM.
 */

/* What one report costs: epsilon, rounded up to 20 decimals. */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_rr_epsilon(const custos_rr *rr,
                                                           char *text,
                                                           size_t room,
                                                           custos_err *err);

/* The same before the logarithm, exact: two coins have "3". */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_rr_ratio(const custos_rr *rr,
                                                         char *text,
                                                         size_t room,
                                                         custos_err *err);

/*
 * The share of people whose truth is some value, when count of n reports name
 * it: unbiased, exact, possibly below 0 or above 1. For two coins
 * 2 count/n - 1/2.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_rr_estimate(const custos_rr *rr, uint64_t count, uint64_t n, char *text,
                   size_t room, custos_err *err);

/* The same as a fraction; CUSTOS_EOVERFLOW when wider than 128 bits. */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_rr_estimate_parts(const custos_rr *rr, uint64_t count, uint64_t n,
                         custos_int *num, custos_int *den, custos_err *err);

/*
 * An upper bound of the estimate's variance, exact: for 1/2 + gamma it is
 * 1/(16 gamma^2 n) - 1/(4 n).
 */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_rr_variance(
    const custos_rr *rr, uint64_t n, char *text, size_t room, custos_err *err);

/*
 * The error bar: the estimate from n reports is within it of the true share
 * with probability at least 1 - beta, for every n. For k values at once ask
 * for beta / k. Rounded up to 18 decimals.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_rr_error(const custos_rr *rr, uint64_t n, const char *beta, char *text,
                size_t room, custos_err *err);

/* ----------- accounting: filters and odometers (section: filter) -- */

/* Room for an amount as exact decimal text, the NUL included. */
#define CUSTOS_AMOUNT_MAX 44

/*
 * Two worlds, kept apart by types. A *filter* or *odometer* is for queries
 * whose parameters may depend on the answers before: it takes charges one at
 * a time and keeps only sums. A *plan* (section: plan) is for parameters fixed
 * before the first answer, and has the sharper theorems. Nothing turns one
 * into the other.
 *
 * Amounts are counted exactly: epsilon and rho in units of 10^-20, delta in
 * units of 10^-36; what is spent is rounded up, limits are rounded down.
 */

/* What one release costs, in every currency; immutable. */
typedef struct custos_charge custos_charge;

typedef struct custos_charge_options {
    size_t size;
    /*
     * Either a mechanism, "laplace:epsilon=0.1" (see custos_plan_add for the
     * words), or its amounts: epsilon and rho, of which one may be NULL for
     * none, and delta, NULL for 0, up to which both hold. An odometer needs
     * them to hold on one and the same part of the law, 1 - delta of it.
     */
    const char *mechanism;
    const char *epsilon;
    const char *rho;
    const char *delta;
    /*
     * The neighbours of the promise the charge is for; 0: either, the
     * sensitivities being meant for them. Filters and odometers only add up
     * and do not know theirs, so a sampled mechanism, whose price holds under
     * add/remove only, is refused unless that is said here; such charges may
     * go only where the promise is one under add/remove.
     */
    custos_adjacency adjacency;
} custos_charge_options;

/* Exact text, owned by the charge; "infinity" where there is no bound. */
typedef struct custos_charge_facts {
    const char *epsilon;
    const char *rho;
    const char *mu_squared; /* of Gaussian DP */
    const char *delta;
} custos_charge_facts;

/* May fail: CUSTOS_EINVAL, CUSTOS_EPARSE, CUSTOS_ERANGE, CUSTOS_ENOMEM. */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_charge_new(
    const custos_alloc *alloc, const custos_charge_options *options,
    custos_charge **out, custos_err *err);

CUSTOS_API void custos_charge_free(custos_charge *charge);

/* NULL for NULL. */
CUSTOS_API const custos_charge_facts *
custos_charge_report(const custos_charge *charge);

typedef enum custos_filter_kind {
    CUSTOS_FILTER_BEST = 1, /* sum of epsilon or sum of rho, whichever holds */
    CUSTOS_FILTER_PURE = 2, /* sums of epsilon and of delta */
    CUSTOS_FILTER_APPROX = 3, /* advanced composition's constants, adaptive */
    CUSTOS_FILTER_ZCDP = 4,   /* sum of rho */
    CUSTOS_FILTER_RDP = 5,    /* Renyi divergences, one order or a curve */
    CUSTOS_FILTER_GDP = 6     /* sum of mu^2; no discrete Gaussian */
} custos_filter_kind;

/*
 * The promise (epsilon, delta) for everything admitted together. Of delta,
 * member_delta (NULL: 0; pure: all of delta) is set aside for the members'
 * own deltas, and the rest pays for the conversion: delta - member_delta, and
 * delta - 2 member_delta for CUSTOS_FILTER_BEST, whose theorem counts the
 * members' deltas twice.
 */
typedef struct custos_filter_options {
    size_t size;
    custos_filter_kind kind; /* 0: CUSTOS_FILTER_BEST */
    const char *epsilon;
    const char *delta;
    const char *member_delta;
    const char *order; /* Renyi: 5/4, 3/2, 2, 3, 4, 6 ... 512; NULL: chosen */
    const char *like;  /* Renyi: instead of epsilon, a mechanism's curve */
} custos_filter_options;

/* The sums of queries admitted so far, with their limits. */
typedef struct custos_filter custos_filter;

/* May fail: CUSTOS_EINVAL, CUSTOS_EPARSE, CUSTOS_ERANGE, CUSTOS_ENOMEM. */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_filter_new(
    const custos_alloc *alloc, const custos_filter_options *options,
    custos_filter **out, custos_err *err);

CUSTOS_API void custos_filter_free(custos_filter *filter);

/*
 * Counts the charge if the promise holds with it. Ask *before* the query
 * runs. CUSTOS_ESPENT: it may not run; nothing is counted, the message says
 * what is needed and left, and a smaller one may follow. Constant time.
 * May fail also: CUSTOS_EINVAL.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_filter_admit(
    custos_filter *filter, const custos_charge *charge, custos_err *err);

/* What is promised and what is counted, as exact text. */
typedef struct custos_filter_facts {
    char epsilon[CUSTOS_AMOUNT_MAX]; /* the promise */
    char delta[CUSTOS_AMOUNT_MAX];
    char spent[CUSTOS_AMOUNT_MAX]; /* in `currency` */
    char limit[CUSTOS_AMOUNT_MAX];
    const char *currency; /* "epsilon", "rho", ...; best: the lane in force */
    char member_delta_spent[CUSTOS_AMOUNT_MAX];
    char member_delta_limit[CUSTOS_AMOUNT_MAX];
    const char *theorem; /* its id in doc/theorems.md */
} custos_filter_facts;

/* May fail: CUSTOS_EINVAL. */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_filter_report(
    const custos_filter *filter, custos_filter_facts *out, custos_err *err);

/* The whole state in bytes of one layout on all machines, for a ledger. */
#define CUSTOS_FILTER_BYTES 600

/* May fail: CUSTOS_EINVAL. */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_filter_save(const custos_filter *filter,
                   uint8_t bytes[CUSTOS_FILTER_BYTES], custos_err *err);

/* May fail: CUSTOS_EINVAL (not such bytes), CUSTOS_ENOMEM. */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_filter_load(const custos_alloc *alloc, const uint8_t *bytes, size_t len,
                   custos_filter **out, custos_err *err);

typedef struct custos_odometer_options {
    size_t size;
    const char *delta; /* its own, above 0 */
    /* Where the bound shall be tight: sums of rho; NULL: 1e-4 and 10. */
    const char *rho_least;
    const char *rho_most;
} custos_odometer_options;

/* How much has been spent, at any moment, however it was chosen. */
typedef struct custos_odometer custos_odometer;

/* May fail: CUSTOS_EINVAL, CUSTOS_EPARSE, CUSTOS_ERANGE, CUSTOS_ENOMEM. */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_odometer_new(
    const custos_alloc *alloc, const custos_odometer_options *options,
    custos_odometer **out, custos_err *err);

CUSTOS_API void custos_odometer_free(custos_odometer *odometer);

/* May fail: CUSTOS_EINVAL. */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_odometer_add(
    custos_odometer *odometer, const custos_charge *charge, custos_err *err);

/*
 * What was spent so far; valid at a moment chosen by looking at the answers.
 * For every e and d that are fixed beforehand, all neighbours and every set S
 * of what may have been seen up to the reading,
 *
 *     P[seen in S, epsilon <= e, delta <= d] <= exp(e) P'[seen in S] + d.
 *
 * So a run that ends before a reading passes (e, d) is (e, d)-DP. `delta` is
 * the odometer's own plus the members'. Where no member has a delta, the
 * privacy loss is also at most epsilon at all moments at once, with
 * probability 1 - delta. With members' deltas that is not so: the loss of an
 * (epsilon, delta)-DP release can exceed epsilon far more often than delta.
 * Rounded up; "infinity" when there is no bound.
 */
typedef struct custos_odometer_facts {
    char epsilon[CUSTOS_AMOUNT_MAX];
    char delta[CUSTOS_AMOUNT_MAX];
    char epsilon_sum[CUSTOS_AMOUNT_MAX];
    char rho_sum[CUSTOS_AMOUNT_MAX];
    const char *theorem;
} custos_odometer_facts;

/* May fail: CUSTOS_EINVAL. */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_odometer_read(const custos_odometer *odometer,
                     custos_odometer_facts *out, custos_err *err);

/* --------------- accounting: groups, conversions (section: convert) -- */

typedef enum custos_currency {
    CUSTOS_IN_PURE = 1,   /* epsilon */
    CUSTOS_IN_APPROX = 2, /* epsilon at a delta */
    CUSTOS_IN_ZCDP = 3,   /* rho */
    CUSTOS_IN_RDP = 4,    /* Renyi divergence at an order */
    CUSTOS_IN_GDP = 5     /* mu */
} custos_currency;

/* A number rounded up, with the theorem that gives it. */
typedef struct custos_bound {
    char value[CUSTOS_NUMBER_MAX]; /* empty when there is none */
    const char *theorem;           /* its id in doc/theorems.md */
    const char *source;            /* the paper, for a reader */
    const char *reason;            /* why there is none; NULL when there is */
} custos_bound;

typedef struct custos_convert_options {
    size_t size;
    custos_currency from;
    const char *amount;
    const char *delta; /* from approximate DP: its delta */
    const char *order; /* from Renyi DP: its order, above 1 */
    custos_currency to;
    const char *to_delta; /* to approximate DP: the delta wanted */
    const char *to_order; /* to Renyi DP: the order wanted */
} custos_convert_options;

/*
 * What a promise in one currency is worth in another, by the best bound known,
 * rounded up. Where a currency does not bound the other, the value is empty
 * and reason says why. May fail: CUSTOS_EINVAL, CUSTOS_EPARSE, CUSTOS_ERANGE.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_convert(
    const custos_convert_options *options, custos_bound *out, custos_err *err);

/*
 * The other way, rounded down: the most of a currency (rho, mu, or the
 * divergence at `order`) that stays within (epsilon, delta)-DP. May fail: as
 * custos_convert.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_convert_budget(
    const char *epsilon, const char *delta, custos_currency to,
    const char *order, custos_bound *out, custos_err *err);

/* What a promise for one unit is worth for a group. */
typedef struct custos_group {
    char epsilon[CUSTOS_NUMBER_MAX];        /* size * epsilon */
    char delta[CUSTOS_NUMBER_MAX];          /* rounded up, at most 1 */
    char delta_textbook[CUSTOS_NUMBER_MAX]; /* size e^((size-1) eps) delta */
    char rho[CUSTOS_NUMBER_MAX];            /* custos_group_rho only */
    const char *theorem;
    const char *source;
} custos_group;

/*
 * (epsilon, delta)-DP, for `size` units at once; delta NULL is 0. May fail:
 * CUSTOS_EINVAL (size 0), CUSTOS_EPARSE, CUSTOS_ERANGE.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_group_approx(const char *epsilon, const char *delta, uint64_t size,
                    custos_group *out, custos_err *err);

/* rho-zCDP. May fail: as custos_group_approx. */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_group_rho(const char *rho,
                                                          uint64_t size,
                                                          custos_group *out,
                                                          custos_err *err);

/* --------------------------------- accounting: plans (section: plan) -- */

/*
 * A plan: mechanisms whose parameters are all fixed before the first answer.
 * Only then do the sharp composition theorems hold; for queries chosen along
 * the way use a filter (section: filter). A plan takes mechanisms, never a
 * filter's history.
 */
typedef struct custos_plan custos_plan;

/* May fail: CUSTOS_EINVAL, CUSTOS_ENOMEM. */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_plan_new(const custos_alloc *alloc, custos_adjacency adjacency,
                custos_plan **out, custos_err *err);

CUSTOS_API void custos_plan_free(custos_plan *plan);

/*
 * Adds a mechanism by its text: a word, then key=value pairs between colons.
 *
 *     laplace            epsilon, or scale and sensitivity (1)
 *     discrete-laplace   the same, at a whole sensitivity; also: geometric
 *     gaussian           sigma; sensitivity (1) or sensitivity-squared, in l2
 *     discrete-gaussian  the same, whole
 *     randomized-response  epsilon, values (2)
 *     exponential, permute-and-flip, noisy-max, sparse-vector  epsilon
 *     generic            epsilon, delta (0)
 *
 * Each also takes count (1 to 2^63) and sample, the rate of a Poisson sample
 * drawn anew for each release, kept secret (add/remove only). Numbers are
 * exact. May fail: CUSTOS_EINVAL, CUSTOS_EPARSE, CUSTOS_ERANGE, CUSTOS_ENOMEM;
 * the message names mechanism and key, and the plan is as before.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_plan_add(custos_plan *plan,
                                                         const char *mechanism,
                                                         custos_err *err);

typedef enum custos_theorem {
    CUSTOS_BY_BASIC = 1,    /* sums */
    CUSTOS_BY_PARALLEL = 2, /* each release on its own part of the data; a
                               plan under add/remove */
    CUSTOS_BY_ADVANCED = 3, /* Dwork, Rothblum, Vadhan 2010 */
    CUSTOS_BY_OPTIMAL = 4,  /* Kairouz, Oh, Viswanath 2015; all alike */
    CUSTOS_BY_ZCDP = 5,
    CUSTOS_BY_RDP = 6,
    CUSTOS_BY_GDP = 7, /* continuous Gaussians only */
    /*
     * As CUSTOS_BY_PARALLEL, for a promise under change-one: a unit that
     * changes may leave one part and enter another. The plan is one under
     * add/remove all the same, for that is what each part sees.
     */
    CUSTOS_BY_PARALLEL_CHANGE = 8
} custos_theorem;

/*
 * The epsilon at which the whole plan is (epsilon, delta)-DP by one theorem,
 * rounded up to 17 digits. Where the theorem does not apply the value is empty
 * and reason says why. delta lies in [0, 1); most theorems need it above 0.
 * May fail: CUSTOS_EINVAL (also: an empty plan), CUSTOS_EPARSE,
 * CUSTOS_ERANGE.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_plan_epsilon(const custos_plan *plan, custos_theorem theorem,
                    const char *delta, custos_bound *out, custos_err *err);

/* ------- accounting: plans by their losses, calibration (section: pld) -- */

/* Decimal text that encloses a number: low rounded down, high rounded up. */
typedef struct custos_interval {
    char low[CUSTOS_NUMBER_MAX];  /* empty when there is none */
    char high[CUSTOS_NUMBER_MAX]; /* the one to promise; may be "infinity" */
    const char *theorem;          /* its id in doc/theorems.md */
    const char *source;           /* the paper, for a reader */
    const char *reason;           /* why there is none; NULL when there is */
} custos_interval;

/*
 * The cost of a plan by its privacy-loss distribution, in the worse order of
 * neighbours: epsilon at a delta in (0, 1), or delta at an epsilon >= 0. The
 * bounds are about `width` apart (for delta: as a part of it), if that can be
 * reached; NULL asks for a few parts in ten thousand. Where the distribution
 * is out of reach, both are empty and reason says why. May fail:
 * CUSTOS_EINVAL, CUSTOS_EPARSE, CUSTOS_ERANGE, CUSTOS_ENOMEM.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_plan_pld_epsilon(
    const custos_plan *plan, const char *delta, const char *width,
    custos_interval *out, custos_err *err);
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_plan_pld_delta(const custos_plan *plan, const char *epsilon,
                      const char *width, custos_interval *out, custos_err *err);

/*
 * The same releases as a group of people sees them, who move each statistic
 * further: the cost of *out for one is the cost of the plan for `size`
 * together. The caller frees it. May fail: CUSTOS_EINVAL (also: a sampled
 * mechanism, which is not priced for groups), CUSTOS_ERANGE (too large a
 * group), CUSTOS_ENOMEM.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_plan_group(
    const custos_plan *plan, uint64_t size, custos_plan **out, custos_err *err);

/* A plan made to fit a promise. */
typedef struct custos_calibrated {
    char factor[CUSTOS_NUMBER_MAX];  /* what all noise is multiplied by */
    uint64_t count;                  /* how often the whole plan may run */
    char epsilon[CUSTOS_NUMBER_MAX]; /* what that costs, rounded up */
    const char *theorem;             /* which says so */
} custos_calibrated;

/*
 * The least noise for a promise: all scales and sigmas are multiplied by one
 * factor (epsilons are divided by it; deltas stay). The factor found fits,
 * certainly, and is within about a ten-thousandth of the least. delta may be
 * 0. May fail: CUSTOS_EINVAL, CUSTOS_EPARSE, CUSTOS_ENOMEM, CUSTOS_ERANGE (no
 * factor from 2^-40 to 2^40 fits).
 */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_calibrate_noise(
    const custos_plan *plan, const char *epsilon, const char *delta,
    custos_calibrated *out, custos_err *err);

/*
 * How often the whole plan may run within a promise; 0 when not even once,
 * and then epsilon is empty. At most 2^40. May fail: the same.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_calibrate_count(
    const custos_plan *plan, const char *epsilon, const char *delta,
    custos_calibrated *out, custos_err *err);

/* How many mechanisms it has. 0 for NULL. */
CUSTOS_API size_t custos_plan_size(const custos_plan *plan);

/* Room for a mechanism's text, the NUL included. */
#define CUSTOS_MECHANISM_MAX 320

/*
 * The text of mechanism i, its noise multiplied by factor (NULL: 1), numbers
 * in 17 digits, rounded towards more noise. May fail: CUSTOS_EINVAL,
 * CUSTOS_EPARSE, CUSTOS_ERANGE.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_plan_write(const custos_plan *plan, size_t i, const char *factor,
                  char text[CUSTOS_MECHANISM_MAX], custos_err *err);

/* ----------------- accounting: what it means (section: risk) -- */

/*
 * What a promise means for one person, against an attacker who knows
 * everything but whether (or which of two) data of theirs went in. A risk is
 * one or more promises (epsilon, delta) that hold for the same release; every
 * bound below uses the one that is best for it.
 */
typedef struct custos_risk custos_risk;

/* delta NULL is 0. May fail: CUSTOS_EINVAL, CUSTOS_EPARSE, CUSTOS_ERANGE,
   CUSTOS_ENOMEM. */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_risk_new(const custos_alloc *alloc, const char *epsilon,
                const char *delta, custos_risk **out, custos_err *err);

CUSTOS_API void custos_risk_free(custos_risk *risk);

/*
 * A further promise that the same release keeps, such as another point of its
 * privacy-loss distribution. May fail: as custos_risk_new.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_risk_add(custos_risk *risk,
                                                         const char *epsilon,
                                                         const char *delta,
                                                         custos_err *err);

/*
 * The trade-off curve: a test for the person's data that errs with
 * probability fpr when they are absent misses them with at least fnr when
 * they are present. Rounded down. May fail: CUSTOS_EINVAL, CUSTOS_EPARSE,
 * CUSTOS_ERANGE (fpr not in [0, 1]).
 */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_risk_fnr(const custos_risk *risk, const char *fpr,
                char fnr[CUSTOS_NUMBER_MAX], custos_err *err);

typedef struct custos_risk_corner {
    char fpr[CUSTOS_NUMBER_MAX];
    char fnr[CUSTOS_NUMBER_MAX];
} custos_risk_corner;

/*
 * The corners of the trade-off curve, from fpr 0 to fpr 1: the straight lines
 * between them are the curve, rounded down, and nowhere above it. *n is how
 * many there are, at most 2 for every promise and 2 more; the first `room` of
 * them are written. May fail: CUSTOS_EINVAL, CUSTOS_ENOMEM.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_risk_corners(const custos_risk *risk, custos_risk_corner *corners,
                    size_t room, size_t *n, custos_err *err);

/*
 * Rounded up, but for posterior_least, which is rounded down. The posterior
 * bounds and utility_factor are of the first promise; with probability delta
 * (a coin that does not depend on the data) they may not hold.
 */
typedef struct custos_risk_facts {
    char utility_factor[CUSTOS_NUMBER_MAX]; /* e^epsilon */
    char advantage[CUSTOS_NUMBER_MAX];      /* true less false positive rate */
    char guess[CUSTOS_NUMBER_MAX]; /* right, when both were as likely */
    char posterior_most[CUSTOS_NUMBER_MAX]; /* of a belief `prior` before */
    char posterior_least[CUSTOS_NUMBER_MAX];
    char posterior_shift[CUSTOS_NUMBER_MAX]; /* of any belief: 2 epsilon */
    char exposed[CUSTOS_NUMBER_MAX]; /* people * delta; "" when not asked */
    int delta_too_large;             /* people * delta >= 1 */
} custos_risk_facts;

/*
 * prior NULL is 1/2; people NULL: not asked. May fail: CUSTOS_EINVAL,
 * CUSTOS_EPARSE, CUSTOS_ERANGE.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_risk_report(const custos_risk *risk, const char *prior,
                   const char *people, custos_risk_facts *out, custos_err *err);

#ifdef __cplusplus
}
#endif

#endif
