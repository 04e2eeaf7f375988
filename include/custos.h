/*
 * custos.h: the public interface of libcustos, exact mechanisms for
 * differential privacy.
 *
 * Rules that hold for every function:
 *
 * - Privacy parameters are text: "0.1" is one tenth, "1/3" is one third,
 *   "1e-6" is a millionth. They are read as exact rationals and stay exact, or
 *   are rounded towards more privacy. No parameter is ever a double, except
 *   the arrays of custos_pld_of_arrays.
 * - Every handle is explicit; the library has no mutable globals, opens no
 *   file or socket and reads no clock. Unless its type says otherwise, a handle
 *   belongs to one thread at a time; functions that take it as const may run in
 *   several threads at once.
 * - Every function that can fail returns a custos_status. Outputs are set only
 *   on success, unless a function says otherwise. `err` may be NULL; success
 *   leaves it untouched. Its texts for analysts never depend on the data.
 * - Bad input never aborts the process. (GMP and MPFR abort when memory runs
 *   out; the library gives them only small operands.)
 * - Every _free accepts NULL. `alloc` may be NULL, which means malloc.
 * - Options structs begin with `size`: set it to the struct's sizeof. A field
 *   left zero takes its default, if it has one.
 * - So do structs that a function fills: start with their _INIT macro, as in
 *   custos_bound bound = CUSTOS_BOUND_INIT. The library writes no more than
 *   that size, so a program that was compiled with an older header works with a
 *   newer library, which may know more members. A member that the library is
 *   too old to know stays as it was. (Elements of arrays have no size, and never
 *   grow.)
 * - Whole numbers that may need more than 64 bits are a custos_wide. Functions
 *   whose results usually fit in 64 bits come in two forms, _i64 and _wide.
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
#else
#define CUSTOS_API
#define CUSTOS_MUST_USE
#define CUSTOS_PRINTF(f, a)
#endif

#define CUSTOS_VERSION "0.1.0"

/* The library's version at run time. Cannot fail. */
CUSTOS_API const char *custos_version(void);

/* -------------------------------------------------------------- status -- */

/* name, value, SQLSTATE, what it means */
#define CUSTOS_STATUS_LIST(X)                                                  \
    X(OK, 0, "00000", "success")                                               \
    X(EINVAL, 1, "22023", "invalid parameter")                                 \
    X(EPARSE, 2, "22P02", "malformed number")                                  \
    X(ERANGE, 3, "22003", "parameter outside the supported range")             \
    X(EOVERFLOW, 4, "54000", "a limit of the library is exceeded")             \
    X(ENOMEM, 5, "53200", "out of memory")                                     \
    X(EENTROPY, 6, "58000", "no randomness from the system")                   \
    X(ETAKEN, 7, "55000", "the sealed values were already released")           \
    X(ESPENT, 8, "53400", "the privacy budget is spent")                       \
    X(EINTERNAL, 9, "XX000", "internal error")                                 \
    X(ESYNTAX, 10, "42601", "SQL syntax error")                                \
    X(EUNSUPPORTED, 11, "0A000", "not part of the private SQL language")       \
    X(ENAME, 12, "42704", "no such name")                                      \
    X(EDENIED, 13, "42501", "not permitted")                                   \
    X(EPOLICY, 14, "F0000", "invalid policy")                                  \
    X(EIO, 15, "58030", "input/output error")                                  \
    X(ECORRUPT, 16, "XX001", "the store is damaged")                           \
    X(EBUSY, 17, "55P03", "in use by another process")                         \
    X(EENGINE, 18, "58000", "the query could not be completed")                \
    X(EPROTOCOL, 19, "08P01", "protocol violation")                            \
    X(EAUTH, 20, "28P01", "wrong name or password")

typedef enum custos_status {
#define CUSTOS_STATUS_ENUM(name, value, sqlstate, words) CUSTOS_##name = value,
    CUSTOS_STATUS_LIST(CUSTOS_STATUS_ENUM)
#undef CUSTOS_STATUS_ENUM
} custos_status;

/*
 * An error, for two readers. The analyst reads `said`, what is wrong, and
 * `hint`, what to do about it; neither depends on the data. `noted` is for
 * those who may see the data: it can quote values and queries. Show it to the
 * owner; never log it.
 *
 * Initialise it with CUSTOS_ERR_INIT: nothing is written if `size` is smaller
 * than the library's own struct, which is not to grow before the next soname.
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

/* -------------------------------------------------------- wide numbers -- */

/*
 * A whole number of 128 bits, in two's complement: high * 2^64 + low. The
 * words are in this order on every machine.
 */
typedef struct custos_wide {
    uint64_t low;
    int64_t high;
} custos_wide;

/*
 * Writes x in decimal, NUL-terminated; at most 40 characters and the NUL.
 * Returns the length. Cannot fail.
 */
CUSTOS_API size_t custos_wide_write(custos_wide x, char text[41]);

/* ---------------------------------------------------------- randomness -- */

/*
 * A source of random words: ChaCha20 keyed by the operating system. It is
 * re-keyed at every refill, so that earlier words cannot be recomputed; words
 * are wiped as they are used. After fork() the child draws a key of its own.
 * Threads may share a handle: their calls are serialised. It cannot be seeded.
 */
typedef struct custos_rng custos_rng;

/* May fail: CUSTOS_ENOMEM, CUSTOS_EENTROPY. */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_rng_new(custos_rng **out,
                                                        custos_err *err);

CUSTOS_API void custos_rng_free(custos_rng *rng);

/* --------------------------------------------------------------- noise -- */

/* The noise distributions (laws), sampled exactly. `a` is the parameter. */
typedef enum custos_law {
    CUSTOS_DISCRETE_LAPLACE = 1,  /* scale a: P[x] ~ exp(-|x|/a), x in Z */
    CUSTOS_DISCRETE_GAUSSIAN = 2, /* sigma a: P[x] ~ exp(-x^2/2a^2), x in Z */
    CUSTOS_GEOMETRIC = 3,         /* scale a: P[x] ~ exp(-x/a), x = 0, 1, ... */
    CUSTOS_TWO_SIDED_GEOMETRIC = 4, /* another name for discrete Laplace */
    CUSTOS_BERNOULLI = 5,           /* P[1] = a, 0 <= a <= 1 */
    CUSTOS_BERNOULLI_EXP = 6,       /* P[1] = exp(-a), 0 <= a <= 2^20 */
    CUSTOS_UNIFORM = 7              /* 0, ..., a-1; whole a, 1 to 2^64 */
} custos_law;

/*
 * A noise law with its tables. Immutable: threads may share it; it is fastest
 * if each thread has its own rng. Scales range from 2^-20 to 2^60.
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
 * 2^-50 per draw). May fail: CUSTOS_EENTROPY; out is then all zero.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_noise_draw_wide(const custos_noise *noise, custos_rng *rng,
                       custos_wide *out, size_t n, custos_err *err);

/*
 * The same for laws whose draws fit in 64 bits: the uniform law up to 2^63, the
 * others with scales up to 2^50. (A draw of theirs that does not fit would be
 * clamped; that has a probability below 2^-10000.) May also fail:
 * CUSTOS_ERANGE, for other laws.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_noise_draw_i64(const custos_noise *noise, custos_rng *rng, int64_t *out,
                      size_t n, custos_err *err);

/*
 * The error bar of a law: the smallest whole m such that n independent draws
 * all lie in [-m, m] (one-sided laws: [0, m]) with probability at least
 * 1 - beta, rounded up where the exact value cannot be decided.
 * May fail: CUSTOS_EPARSE, CUSTOS_ERANGE (beta outside (0, 1), n = 0),
 * CUSTOS_EINVAL (a law without an error bar); custos_noise_error_i64 also
 * CUSTOS_EOVERFLOW (m needs more than 64 bits).
 */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_noise_error_wide(const custos_noise *noise, const char *beta, size_t n,
                        custos_wide *m, custos_err *err);
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_noise_error_i64(const custos_noise *noise, const char *beta, size_t n,
                       int64_t *m, custos_err *err);

/* ------------------------------------------------------- sealed values -- */

/*
 * Exact values on their way to a release. Nothing prints, compares or copies
 * them. A mechanism opens them once; a second release from the same handle is
 * rejected (CUSTOS_ETAKEN), so that one charge pays for one answer. Wiped when
 * freed.
 */
typedef struct custos_sealed custos_sealed;

/* Copies n values (n >= 1). May fail: CUSTOS_EINVAL, CUSTOS_ENOMEM. */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_seal_ints(const custos_alloc *alloc, const int64_t *values, size_t n,
                 custos_sealed **out, custos_err *err);

/*
 * Copies n reals, bit by bit. On release NaN counts as 0, and a value beyond
 * +-2^123 grid steps, such as an infinity, as this limit. Sums must have been
 * computed exactly: with floating-point rounding one unit can move a sum
 * further than its sensitivity. May fail: as custos_seal_ints.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_seal_reals(const custos_alloc *alloc, const double *values, size_t n,
                  custos_sealed **out, custos_err *err);

/* As custos_seal_ints, for sums that do not fit in 64 bits (CUSTOS_WIDE). */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_seal_wide(const custos_alloc *alloc, const custos_wide *values, size_t n,
                 custos_sealed **out, custos_err *err);

CUSTOS_API void custos_sealed_free(custos_sealed *sealed);

/* How two neighbouring data sets differ. */
typedef enum custos_adjacency {
    CUSTOS_ADD_REMOVE = 1, /* one unit is present or absent ("unbounded") */
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
    CUSTOS_WIDE = 3   /* custos_wide, released as whole numbers to +-2^120 */
} custos_domain;

/*
 * How the Gaussian's sigma is chosen. The noise is always discrete, and the
 * promise is checked against the discrete law. The classical and the analytic
 * sigma come from theorems on the continuous law; where the discrete law needs
 * more, they are raised.
 */
typedef enum custos_calibration {
    CUSTOS_CALIBRATION_DEFAULT = 0, /* exact; CHANGES_SEVERAL: from about 5 grid
                                       steps on within 1 % of that */
    CUSTOS_CLASSICAL = 1, /* sqrt(2 ln(1.25/delta)) D/epsilon, epsilon < 1 */
    CUSTOS_ANALYTIC = 2,  /* Balle and Wang 2018; CHANGES_ONE only */
    CUSTOS_EXACT = 3,     /* the discrete law itself; CHANGES_ONE only */
    CUSTOS_ZCDP = 4       /* by concentrated DP; any changes */
} custos_calibration;

/*
 * How many of the values can differ between neighbours. It is one if there is
 * only one value, or in a histogram under add/remove if every unit has at most
 * one row.
 */
typedef enum custos_changes {
    CUSTOS_CHANGES_ONE = 1,
    CUSTOS_CHANGES_SEVERAL = 2 /* any of them */
} custos_changes;

typedef struct custos_mech_options {
    size_t size;
    custos_mech_kind kind;
    custos_domain domain;
    size_t values; /* in one release; 0 means 1 */
    /*
     * The promise. Laplace: epsilon or `scale`. Gaussian: two of epsilon,
     * delta and `scale`; or `rho` alone (below). The one left out is computed:
     * see custos_mech_facts.
     */
    const char *epsilon;
    const char *delta;
    /*
     * How far the values of neighbours can differ: in l1 for Laplace, in l2
     * for the Gaussian. For the Gaussian the square may be given instead: it
     * can be exact where the root is not ("2" for the root of 2).
     */
    const char *sensitivity;
    const char *sensitivity_squared;
    custos_changes changes;         /* 0: one if values is 1, else several */
    custos_calibration calibration; /* Gaussian only */
    const char *scale; /* Laplace scale or sigma, in units of the values */
    const char *grid;  /* reals: a power of two; NULL: from the parameters */
    const char *lower; /* after the noise, values are clamped to these */
    const char *upper; /* limits; NULL: the limits of the type */
    /*
     * Gaussian: the promise as rho-zCDP, without epsilon and delta. The
     * variance is D^2 / (2 rho), where D is the l2 sensitivity. No epsilon
     * bounds such a release: charge it with custos_charge_options.rho alone.
     */
    const char *rho;
} custos_mech_options;

/* An additive mechanism, immutable: threads may share it. */
typedef struct custos_mech custos_mech;

/*
 * What a mechanism promises, as text owned by it. Epsilon and delta are exact
 * or rounded up. Later versions may add members at the end.
 */
typedef struct custos_facts {
    const char *epsilon;     /* "infinity" where rho was given */
    const char *delta;       /* "0" for Laplace, and where rho was given */
    const char *scale;       /* Laplace scale or sigma, rounded down */
    const char *grid;        /* exact; "1" for ints */
    const char *sensitivity; /* l1 or l2, on the grid, rounded up */
    const char *theorem;     /* its id in doc/theorems.md */
    custos_law law;
    const char *rho; /* exact or rounded up, where it was given; else NULL */
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
 * Adds noise to each of the n sealed values; n must be the mechanism's number
 * of values. Sums saturate at the limits; they never wrap or fail. The sealed
 * handle is used up, even on CUSTOS_EENTROPY. Time does not depend on the
 * values. May fail: CUSTOS_EINVAL, CUSTOS_ETAKEN, CUSTOS_EENTROPY.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_release_ints(
    const custos_mech *mech, custos_rng *rng, custos_sealed *sealed,
    int64_t *out, size_t n, custos_err *err);

/* The same for wide ints. */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_release_wide(
    const custos_mech *mech, custos_rng *rng, custos_sealed *sealed,
    custos_wide *out, size_t n, custos_err *err);

/* The same for reals: multiples of the grid, exact below 2^53 grid steps. */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_release_reals(
    const custos_mech *mech, custos_rng *rng, custos_sealed *sealed,
    double *out, size_t n, custos_err *err);

/*
 * The error bar: n released values all lie within *half_width of the exact
 * ones with probability at least 1 - beta, if the exact values lie within the
 * limits. Rounded up; for reals it includes the rounding to the grid.
 * May fail: CUSTOS_EINVAL, CUSTOS_EPARSE, CUSTOS_ERANGE.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_mech_error(const custos_mech *mech, const char *beta, size_t n,
                  double *half_width, custos_err *err);

/*
 * The same as a whole number, for ints and wide ints: the smallest half width
 * with that coverage. May fail: as custos_mech_error; custos_mech_error_i64
 * also CUSTOS_EOVERFLOW (it needs more than 64 bits).
 */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_mech_error_wide(const custos_mech *mech, const char *beta, size_t n,
                       custos_wide *half_width, custos_err *err);
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_mech_error_i64(const custos_mech *mech, const char *beta, size_t n,
                      int64_t *half_width, custos_err *err);

/*
 * Gaussian calibration as numbers, for tables and comparisons: the sigma for an
 * epsilon and a delta, and the delta or the epsilon that a sigma gives. Each is
 * rounded up. There is no default calibration. CUSTOS_EXACT needs a whole
 * sensitivity and neighbours that differ in one value only. CUSTOS_CLASSICAL is
 * for custos_gauss_sigma only. May fail: CUSTOS_EINVAL, CUSTOS_EPARSE,
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
 * Makes the mechanism for such counts, on ints. The sensitivity is
 * rows_per_unit under add/remove. Under change-one, where rows can leave one
 * bin and enter another, it is twice that in l1 and sqrt(2) times that in l2.
 * May fail: as custos_mech_new.
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
    const char *score_unit;  /* what a sealed score of 1 is; NULL: "1" */
} custos_select_options;

/*
 * Chooses the candidate, 0 to n - 1, whose score is largest or close to it.
 * The n sealed scores are whole multiples of score_unit: 17 with a unit of
 * "1/4" is the score 4.25. A sensitivity that is not a multiple of the unit is
 * rounded up to one, so scores may be rounded to the unit before they are
 * sealed: all down, all up, or to the nearest with halves always up. (With
 * halves to even, or away from 0 as in round(), scores 1 apart can become 2
 * apart.) The sealed scores are used up. Time depends on n and the options
 * alone, except with probability n^2 2^-50.
 *
 * May fail: CUSTOS_EINVAL, CUSTOS_EPARSE, CUSTOS_ERANGE (the sampler does not
 * support this ratio of epsilon to sensitivity), CUSTOS_EOVERFLOW (n is too
 * large), CUSTOS_ENOMEM, CUSTOS_ETAKEN, CUSTOS_EENTROPY.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_select(const custos_alloc *alloc, const custos_select_options *options,
              custos_rng *rng, custos_sealed *scores, size_t n, size_t *winner,
              custos_err *err);

/* What a selection with some options promises. */
typedef struct custos_select_facts {
    size_t size;
    char epsilon[CUSTOS_NUMBER_MAX];     /* exact or rounded up */
    char sensitivity[CUSTOS_NUMBER_MAX]; /* a multiple of the unit, or above */
    /*
     * Of the noise on every score (noisy max) or of the weights exp(score /
     * scale), in the units of the scores. Rounded down.
     */
    char scale[CUSTOS_NUMBER_MAX];
    const char *theorem; /* its id in doc/theorems.md */
} custos_select_facts;

#define CUSTOS_SELECT_FACTS_INIT                                               \
    {                                                                          \
        sizeof(custos_select_facts), "", "", "", NULL                          \
    }

/*
 * Draws nothing and costs nothing. May fail: as custos_select on the same
 * options.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_select_report(const custos_select_options *options,
                     custos_select_facts *out, custos_err *err);

/* -------------------------------------- sparse vector (section: sparse) -- */

/*
 * Answers any number of questions "is this value at or above that threshold?".
 * The price covers `answers` answers "above"; answers "below" are free. After
 * the last "above" the handle answers nothing more; it cannot be reset.
 */
typedef struct custos_sparse custos_sparse;

typedef struct custos_sparse_options {
    size_t size;         /* sizeof(custos_sparse_options) */
    uint32_t answers;    /* >= 1; how many may be above */
    custos_scores moves; /* monotone: a unit moves all values one way */
    const char *epsilon; /* > 0; what all answers together cost */
    /*
     * How far one unit moves any value; NULL: "1". Rounded up to a whole
     * number, so values may be rounded before sealing, all down or all up.
     */
    const char *sensitivity;
    /*
     * > 0: a value found above is released too, with fresh noise, and the
     * total cost is epsilon + value_epsilon. NULL: only yes or no.
     */
    const char *value_epsilon;
} custos_sparse_options;

/*
 * Draws the noise on the threshold, once for all questions. May fail:
 * CUSTOS_EINVAL, CUSTOS_EPARSE, CUSTOS_ERANGE, CUSTOS_ENOMEM,
 * CUSTOS_EENTROPY.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_sparse_new(
    const custos_alloc *alloc, const custos_sparse_options *options,
    custos_rng *rng, custos_sparse **out, custos_err *err);

CUSTOS_API void custos_sparse_free(custos_sparse *sparse);

/*
 * One question, about one sealed whole number. *above says whether value plus
 * noise reached threshold plus noise. With value_epsilon, *value is the noisy
 * value clamped to 64 bits if above, else 0; without, value may be NULL and is
 * not touched. Success uses up the sealed handle, a failure does not. May
 * fail: CUSTOS_EINVAL, CUSTOS_ESPENT (no answers are left), CUSTOS_ETAKEN,
 * CUSTOS_EENTROPY.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_sparse_ask(
    custos_sparse *sparse, custos_rng *rng, custos_sealed *sealed,
    int64_t threshold, bool *above, int64_t *value, custos_err *err);

/* How many questions can still be answered "above"; 0 for NULL. */
CUSTOS_API uint32_t custos_sparse_left(const custos_sparse *sparse);

/*
 * What is promised, as text owned by the handle. Epsilons are exact or rounded
 * up, scales of the Laplace noise rounded down.
 */
typedef struct custos_sparse_facts {
    const char *epsilon;         /* of all answers and values together */
    const char *sensitivity;     /* whole */
    const char *threshold_scale; /* on the threshold, once */
    const char *query_scale;     /* on every value that is compared */
    const char *value_scale;     /* on released values; "0": none are */
    const char *theorem;         /* its id in doc/theorems.md */
    uint32_t answers;            /* how many may be above, in all */
} custos_sparse_facts;

/* NULL for NULL. */
CUSTOS_API const custos_sparse_facts *
custos_sparse_report(const custos_sparse *sparse);

/* ------------------------------------ partial sums (section: continual) -- */

/*
 * All prefix sums x_1, x_1 + x_2, ..., of n elements. Neighbours differ in one
 * element, by at most the sensitivity.
 */
typedef enum custos_sums_method {
    CUSTOS_EVERY_PREFIX = 1,  /* each sum has its own noise, scale n/eps */
    CUSTOS_EVERY_ELEMENT = 2, /* noise 1/eps on elements, then summed */
    CUSTOS_BINARY_TREE = 3,   /* noise on blocks of 1, 2, 4, ... elements */
    CUSTOS_SQUARE_ROOT = 4    /* Gaussian; square root of the sums' matrix */
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

/* A mechanism for partial sums; immutable: threads may share it. */
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
 * sensitivity refer to the numbers that the noise is added to: prefixes,
 * elements, blocks or the outputs of the matrix root.
 */
CUSTOS_API const custos_facts *custos_sums_facts(const custos_sums *sums);

/*
 * The n noisy sums of n sealed elements, clamped to 64 bits. The sealed handle
 * is used up, even on CUSTOS_EENTROPY. The square-root method takes time of
 * order n^2. Time does not depend on the elements. May fail: CUSTOS_EINVAL,
 * CUSTOS_ETAKEN, CUSTOS_ENOMEM, CUSTOS_EENTROPY.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_sums_release(
    const custos_sums *sums, custos_rng *rng, custos_sealed *elements,
    int64_t *out, size_t n, custos_err *err);

/*
 * The error bar of the sum of the first t elements (1 <= t <= n): the released
 * sum is within *half_width of the exact one with probability at least
 * 1 - beta, if the exact one fits in 64 bits. Rounded up. May fail:
 * CUSTOS_EINVAL, CUSTOS_EPARSE, CUSTOS_ERANGE; custos_sums_error_i64 also
 * CUSTOS_EOVERFLOW (it needs more than 64 bits).
 */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_sums_error_wide(const custos_sums *sums, size_t t, const char *beta,
                       custos_wide *half_width, custos_err *err);
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_sums_error_i64(const custos_sums *sums, size_t t, const char *beta,
                      int64_t *half_width, custos_err *err);

/*
 * The same sums while the elements arrive: what was added so far is released at
 * once, under one promise for all. Elements may depend on sums released before.
 */
typedef struct custos_stream custos_stream;

/* May fail: as custos_sums_new. */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_stream_new(const custos_alloc *alloc, const custos_sums_options *options,
                  custos_stream **out, custos_err *err);

CUSTOS_API void custos_stream_free(custos_stream *stream);

/*
 * Takes the next n sealed elements (n >= 1) and writes the n noisy sums that
 * end with them, clamped to 64 bits. A failure uses up neither the sealed
 * handle nor the stream. For the square-root method, an element takes time in
 * proportion to those before it. Time does not depend on the elements. May
 * fail: CUSTOS_EINVAL, CUSTOS_ESPENT (more elements than the options say),
 * CUSTOS_ETAKEN, CUSTOS_ENOMEM, CUSTOS_EENTROPY.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_stream_add(
    custos_stream *stream, custos_rng *rng, custos_sealed *elements,
    int64_t *out, size_t n, custos_err *err);

/* How many elements can still be added; 0 for NULL. */
CUSTOS_API size_t custos_stream_left(const custos_stream *stream);

/*
 * The mechanism, owned by the stream, for its facts and error bars; NULL for
 * NULL.
 */
CUSTOS_API const custos_sums *custos_stream_sums(const custos_stream *stream);

/* ------------------------------------ unknown keys (section: threshold) -- */

/*
 * Counts by key where the keys themselves come from the data: a key is
 * released only if its noisy count reaches a threshold. The threshold is so
 * high that for any one unit, with probability at least 1 - delta, all keys
 * that only this unit holds stay hidden.
 */
typedef struct custos_threshold_options {
    size_t size;
    custos_adjacency adjacency;
    uint64_t keys_per_unit; /* the maximum; a unit adds 1 to each; 0 means 1 */
    const char *epsilon;
    const char *delta;
} custos_threshold_options;

/* Immutable: threads may share it. */
typedef struct custos_threshold custos_threshold;

/* The handle owns the texts. */
typedef struct custos_threshold_facts {
    const char *epsilon;
    const char *delta; /* what this threshold needs, rounded up */
    const char *scale; /* of the Laplace noise, rounded down */
    const char *theorem;
    int64_t threshold; /* the least for which options.delta suffices */
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
 * Takes the sealed counts of all n keys in the data, in any order. If key i is
 * released, kept[i] is 1 and counts[i] its noisy count; else both are 0. Treat
 * a key that is not kept as absent: show neither it nor n. A count below 1 is
 * never kept. The sealed handle is used up. May fail: CUSTOS_EINVAL,
 * CUSTOS_ETAKEN, CUSTOS_EENTROPY.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_threshold_release(
    const custos_threshold *threshold, custos_rng *rng, custos_sealed *sealed,
    int64_t *counts, uint8_t *kept, size_t n, custos_err *err);

/* ---------------------------------- which keys to show (section: keys) -- */

/*
 * How to choose which keys of the data are released, from the number of units
 * that hold each. No rule releases a key that no unit holds.
 */
typedef enum custos_keys_rule {
    CUSTOS_KEYS_GEOMETRIC = 1, /* releases the most keys; no counts */
    CUSTOS_KEYS_LAPLACE = 2,   /* as custos_threshold: noisy counts too */
    CUSTOS_KEYS_GAUSSIAN = 3,  /* the same with Gaussian noise */
    CUSTOS_KEYS_WEIGHTED = 4   /* Gaussian; units with few keys weigh more;
                                  no counts */
} custos_keys_rule;

typedef struct custos_keys_options {
    size_t size;
    custos_keys_rule rule;
    custos_adjacency adjacency;
    uint64_t keys_per_unit; /* the maximum; a unit adds 1 to each (weighted:
                               custos_keys_weight); 0 means 1 */
    uint64_t min_units;     /* keys with fewer are not released; 0 means 1 */
    const char *epsilon;
    const char *delta;
} custos_keys_options;

/* Immutable: threads may share it. */
typedef struct custos_keys custos_keys;

/* The handle owns the texts. */
typedef struct custos_keys_facts {
    const char *epsilon;
    const char *delta; /* geometric: as asked; else what the threshold needs */
    const char *scale; /* of the noise (sigma), rounded down; "0": none */
    const char *theorem;
    custos_keys_rule rule;
    uint64_t least;    /* units that a key needs to be released at all */
    uint64_t half;     /* ... with probability 1/2 or more */
    uint64_t certain;  /* ... with probability 1; 0: no number suffices */
    int64_t threshold; /* of the noisy count or sum; 0: none */
    uint64_t steps;    /* the weight of a unit with one key. Weighted: least and
                          half are for units that hold no other key, and scale
                          is in this unit; others: 1 */
} custos_keys_facts;

/*
 * May fail: CUSTOS_EINVAL, CUSTOS_EPARSE, CUSTOS_ENOMEM, CUSTOS_ERANGE (also
 * when the rule does not support the parameters, but another rule may). The
 * geometric rule needs a delta per key of at least 2^-100, and an epsilon per
 * key at which 2^16 units suffice for certain release. The Gaussian rule allows
 * at most 256 keys per unit, and the weighted rule 64.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_keys_new(const custos_alloc *alloc, const custos_keys_options *options,
                custos_keys **out, custos_err *err);

CUSTOS_API void custos_keys_free(custos_keys *keys);

/* NULL for NULL. */
CUSTOS_API const custos_keys_facts *custos_keys_report(const custos_keys *keys);

/*
 * What a unit that holds `held` keys adds to the sum of each of them: for the
 * weighted rule about steps / sqrt(held), rounded down; for the others 1. 0 if
 * held is 0 or above keys_per_unit, or keys is NULL.
 */
CUSTOS_API uint64_t custos_keys_weight(const custos_keys *keys, uint64_t held);

/* A lower and an upper bound on a probability. */
typedef struct custos_chance {
    char low[CUSTOS_NUMBER_MAX];
    char high[CUSTOS_NUMBER_MAX];
} custos_chance;

/*
 * out[i]: the probability that a key held by units[i] units (weighted: that
 * hold no other key) is released, for comparing rules and for EXPLAIN. May fail:
 * CUSTOS_EINVAL.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_keys_chance(const custos_keys *keys, const uint64_t *units, size_t n,
                   custos_chance *out, custos_err *err);

/*
 * The least number of units (weighted: that hold no other key) with which a key
 * is released with this probability (between 0 and 1) or more. May fail: CUSTOS_EINVAL, CUSTOS_EPARSE,
 * CUSTOS_ERANGE (also if no number below 2^62 suffices).
 */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_keys_units(const custos_keys *keys, const char *chance, uint64_t *units,
                  custos_err *err);

/*
 * Takes all n keys in the data, in any order: `sealed` has the number of units
 * that hold each or, for the weighted rule, the sum of their weights. kept[i] is
 * 1 if key i is released, else 0. Treat a key that is not kept as absent: show
 * neither it nor n. For the geometric and the weighted rule counts must be NULL;
 * for the others it may be. Otherwise counts[i] is the noisy
 * number of units of a kept key, at no further cost, and 0 for other keys. Time
 * depends on n and the options alone. The sealed handle is used up. May fail:
 * CUSTOS_EINVAL, CUSTOS_ETAKEN, CUSTOS_EENTROPY.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_keys_release(
    const custos_keys *keys, custos_rng *rng, custos_sealed *sealed,
    int64_t *counts, uint8_t *kept, size_t n, custos_err *err);

/* --------------------------------------- quantiles (section: quantile) -- */

#define CUSTOS_QUANTILE_RANKS_MAX ((size_t)1024)

typedef struct custos_quantile_options {
    size_t size;
    custos_adjacency adjacency;
    uint64_t values_per_unit; /* the maximum; 0 means 1 */
    int64_t lower;            /* the domain, public: upper - lower < 2^62 */
    int64_t upper;
    size_t ranks;            /* how many quantiles */
    const char *const *rank; /* increasing, from 0 to 1: "0.5" is the median */
    const char *epsilon;     /* at most 1024; what all of them cost together */
    /*
     * Which position in the sorted values each rank means. The first and the
     * last `pad` of the n values are padding that does not depend on the data.
     * Quantile i is the value at position rank[i] (n - 2 pad) + pad + shift[i],
     * or at the nearest position that exists. Shifted positions give the ends
     * of an error bar; padding at both ends of the domain makes sure that they
     * exist. Neither costs anything; pad and |shift[i]| are at most 2^29.
     */
    uint64_t pad;
    const int64_t *shift; /* by rank; NULL: none */
} custos_quantile_options;

/* Immutable: threads may share it. */
typedef struct custos_quantile custos_quantile;

/* Texts are exact or rounded up; the handle owns them. */
typedef struct custos_quantile_facts {
    const char *epsilon;
    const char *rho; /* of the same release, as zCDP */
    const char *theorem;
    uint32_t levels; /* of the tree of quantiles; each gets epsilon/levels */
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
 * Writes the quantiles in the order of their ranks, never decreasing. `sealed`
 * holds `cells` wide ints: first the number of values (clamped to 0 ..
 * cells-1), then the values in ascending order (each clamped to the domain);
 * the rest is ignored, so that `cells` need not reveal the number of values.
 * Time depends on that number and the options alone; a caller whose time can
 * be observed must pad its time. The sealed handle is used up. May fail:
 * CUSTOS_EINVAL, CUSTOS_EOVERFLOW (2^32 cells or more), CUSTOS_ETAKEN,
 * CUSTOS_ENOMEM, CUSTOS_EENTROPY.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_quantile_release(
    const custos_quantile *quantile, custos_rng *rng, custos_sealed *sealed,
    size_t cells, int64_t *out, custos_err *err);

/*
 * The error bar of quantile i, in positions: among n values, n at most `values`
 * (0: 2^32 - 1), the released value is within *off positions of position
 * rank * n with probability at least 1 - beta. That is: at most rank n + off
 * values are below it, and at least rank n - off are not above it. With pad or
 * shift, the position that they give replaces rank * n; there must then be only
 * one rank, or these positions must be within 0 .. n and increase with the
 * rank. May fail: CUSTOS_EINVAL, CUSTOS_EPARSE, CUSTOS_ERANGE.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_quantile_error(
    const custos_quantile *quantile, size_t i, const char *beta,
    uint64_t values, uint64_t *off, custos_err *err);

/* ---------------------------------- sensitivities (section: sensitivity) -- */

/* Families of queries. All but the last are vectors of sums over the rows. */
typedef enum custos_family {
    CUSTOS_COUNT = 1,      /* rows with a property */
    CUSTOS_LINEAR = 2,     /* the sum of a value in [lower, upper] */
    CUSTOS_POINTS = 3,     /* rows in each of `count` disjoint cells */
    CUSTOS_THRESHOLDS = 4, /* rows up to each of the `count` domain values */
    CUSTOS_ATTRIBUTES = 5, /* sums of `count` columns with values in [0, 1] */
    CUSTOS_MARGINALS = 6,  /* every `ways`-way table of `count` attributes */
    CUSTOS_COUNTS = 7,     /* rows with each of `count` properties */
    CUSTOS_HAMMING = 8     /* rows to change until the data is in a set */
} custos_family;

typedef struct custos_query {
    size_t size;
    custos_family family;
    uint64_t count;
    uint64_t ways;
    const char *lower;
    const char *upper;
    const char *divisor; /* public; turns sums into means; NULL: 1 */
    /*
     * The most rows of a unit; 0 means 1. Under change-one, 1 means that every
     * unit has exactly one row; with more, a unit may have fewer rows or none.
     */
    uint64_t rows_per_unit;
} custos_query;

#define CUSTOS_SENSITIVITY_MAX 128

/* Exact numbers as text, ready for custos_mech_options. */
typedef struct custos_sensitivity {
    size_t size;
    char l1[CUSTOS_SENSITIVITY_MAX];
    char l2_squared[CUSTOS_SENSITIVITY_MAX];
} custos_sensitivity;

#define CUSTOS_SENSITIVITY_INIT                                                \
    {                                                                          \
        sizeof(custos_sensitivity), "", ""                                     \
    }

/*
 * How far the answers of neighbours can differ. May fail: CUSTOS_EINVAL,
 * CUSTOS_EPARSE, CUSTOS_ERANGE, CUSTOS_EOVERFLOW (past 2^64, or numbers too
 * long to write).
 */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_sensitivity_of(const custos_query *query, custos_adjacency adjacency,
                      custos_sensitivity *out, custos_err *err);

/*
 * The sensitivity of the maximum of n single-valued queries: the largest of
 * their sensitivities, of which the l1 texts are given. May fail:
 * CUSTOS_EINVAL, CUSTOS_EPARSE, CUSTOS_EOVERFLOW.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_sensitivity_max(
    const char *const *l1, size_t n, custos_sensitivity *out, custos_err *err);

/* ---------------------------------------- local model (section: local) -- */

/* Randomized response: the truth with probability p, else another value. */
typedef enum custos_rr_kind {
    CUSTOS_RR_TWO_COINS = 1, /* 0 or 1; heads: the truth, tails: a coin */
    CUSTOS_RR_GAMMA = 2,     /* 0 or 1; the truth with p = 1/2 + gamma */
    CUSTOS_RR_KARY = 3       /* 0 .. values-1; p as large as epsilon allows */
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
 * Randomizes n sealed truths into n reports. A truth below 0 counts as 0, one
 * past the last value as the last. The sealed handle is used up. May fail:
 * CUSTOS_EINVAL, CUSTOS_ETAKEN, CUSTOS_EENTROPY (reports are then all zero).
 */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_rr_answer(const custos_rr *rr, custos_rng *rng, custos_sealed *truths,
                 size_t n, int64_t *reports, custos_err *err);

/*
 * The functions below that take `text` write a number to it, NUL-terminated, in
 * `room` bytes; 1024 always suffice. May fail: CUSTOS_EINVAL, CUSTOS_EPARSE,
 * CUSTOS_ERANGE (n = 0, count > n), CUSTOS_EOVERFLOW (no room), CUSTOS_ENOMEM.
 */

/* What one report costs: epsilon, rounded up to 20 decimals. */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_rr_epsilon(const custos_rr *rr,
                                                           char *text,
                                                           size_t room,
                                                           custos_err *err);

/* exp(epsilon), exact: "3" for two coins. */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_rr_ratio(const custos_rr *rr,
                                                         char *text,
                                                         size_t room,
                                                         custos_err *err);

/*
 * Estimates for k values the share of people whose truth is that value, where
 * counts[i] of n reports name it. Unbiased and exact; may be below 0 or above
 * 1. For two coins it is 2 count/n - 1/2. Estimate i is written to text +
 * i * room. If it fails, earlier ones may have been written.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_rr_estimate(const custos_rr *rr, const uint64_t *counts, size_t k,
                   uint64_t n, char *text, size_t room, custos_err *err);

/*
 * An upper bound on the estimate's variance, exact: for 1/2 + gamma it is
 * 1/(16 gamma^2 n) - 1/(4 n).
 */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_rr_variance(
    const custos_rr *rr, uint64_t n, char *text, size_t room, custos_err *err);

/*
 * The error bar, valid for every n: with probability at least 1 - beta the
 * estimate from n reports differs from the true share by at most this. Pass
 * beta / k if it must hold for k values at once. Rounded up to 18 decimals.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_rr_error(const custos_rr *rr, uint64_t n, const char *beta, char *text,
                size_t room, custos_err *err);

/* ----------- accounting: filters and odometers (section: filter) -- */

/* Room for an amount as exact decimal text, the NUL included. */
#define CUSTOS_AMOUNT_MAX 44

/*
 * Two kinds of accounting, kept apart by types. A *filter* or *odometer* is
 * for queries whose parameters may depend on earlier answers: it takes charges
 * one at a time and keeps only sums. A *plan* (section: plan) is for parameters
 * fixed before the first answer, and has the sharper theorems. Nothing turns
 * one into the other.
 *
 * Amounts are counted exactly: epsilon and rho in units of 10^-20, delta in
 * units of 10^-36; what is spent is rounded up, limits are rounded down.
 */

/* What one release costs, in every currency; immutable. */
typedef struct custos_charge custos_charge;

typedef struct custos_charge_options {
    size_t size;
    /*
     * Either a mechanism, "laplace:epsilon=0.1" (see custos_plan_add), or its
     * amounts: epsilon and rho, one of which may be NULL (unbounded), and the
     * delta (NULL: 0) up to which both hold. If rho holds up to another delta,
     * delta_rho states that one: "0" for discrete Gaussian noise. An odometer
     * needs epsilon and rho to hold on the same component of the output
     * distribution, of weight 1 - delta; if delta_rho differs, it counts both.
     */
    const char *mechanism;
    const char *epsilon;
    const char *rho;
    const char *delta;
    /*
     * The adjacency of the promise that the charge counts towards; 0: either
     * one, as long as the sensitivities are those under it. Filters and
     * odometers only add up and do not know their adjacency. A sampled
     * mechanism, whose price holds only under add/remove, is therefore rejected
     * unless this is CUSTOS_ADD_REMOVE; use its charges only for promises under
     * add/remove.
     */
    custos_adjacency adjacency;
    const char *delta_rho; /* NULL: the same as delta */
} custos_charge_options;

/* Exact text, owned by the charge; "infinity" where there is no bound. */
typedef struct custos_charge_facts {
    const char *epsilon;
    const char *rho;
    const char *mu_squared; /* of Gaussian DP */
    const char *delta;      /* epsilon holds up to this */
    const char *delta_rho;  /* and rho up to this */
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
    CUSTOS_FILTER_BEST = 1, /* sum of epsilon or of rho: whichever still fits */
    CUSTOS_FILTER_PURE = 2, /* sums of epsilon and of delta */
    CUSTOS_FILTER_APPROX = 3, /* sum of epsilon^2: advanced composition */
    CUSTOS_FILTER_ZCDP = 4,   /* sum of rho */
    CUSTOS_FILTER_RDP = 5,    /* Renyi divergences, one order or a curve */
    CUSTOS_FILTER_GDP = 6     /* sum of mu^2; no discrete Gaussian */
} custos_filter_kind;

/*
 * The promise (epsilon, delta) for everything admitted together. The part
 * member_delta of delta (NULL: 0; pure: all of delta) is set aside for the
 * deltas of the admitted charges (members). The rest pays for the conversion:
 * delta - member_delta, or delta - 2 member_delta for CUSTOS_FILTER_BEST, which
 * has two sums of deltas, each with this limit: those up to which epsilon holds,
 * and those up to which rho holds.
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

/* The sums of the charges admitted so far, with their limits. */
typedef struct custos_filter custos_filter;

/* May fail: CUSTOS_EINVAL, CUSTOS_EPARSE, CUSTOS_ERANGE, CUSTOS_ENOMEM. */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_filter_new(
    const custos_alloc *alloc, const custos_filter_options *options,
    custos_filter **out, custos_err *err);

CUSTOS_API void custos_filter_free(custos_filter *filter);

/*
 * Counts the charge if the promise still holds with it. Call this *before* the
 * query runs. CUSTOS_ESPENT: the query must not run; nothing is counted, the
 * message says what is needed and what is left, and a smaller charge may still
 * be admitted. Takes the same time however many charges were admitted. May also
 * fail: CUSTOS_EINVAL.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_filter_admit(
    custos_filter *filter, const custos_charge *charge, custos_err *err);

/* What is promised and what is counted, as exact text. */
typedef struct custos_filter_facts {
    size_t size;
    char epsilon[CUSTOS_AMOUNT_MAX]; /* the promise */
    char delta[CUSTOS_AMOUNT_MAX];
    char spent[CUSTOS_AMOUNT_MAX]; /* in `currency` */
    char limit[CUSTOS_AMOUNT_MAX];
    const char *currency; /* "epsilon", "rho", ...; best: of the sum in force */
    char member_delta_spent[CUSTOS_AMOUNT_MAX]; /* beside that sum */
    char member_delta_limit[CUSTOS_AMOUNT_MAX];
    const char *theorem; /* its id in doc/theorems.md */
} custos_filter_facts;

#define CUSTOS_FILTER_FACTS_INIT                                               \
    {                                                                          \
        sizeof(custos_filter_facts), "", "", "", "", NULL, "", "", NULL        \
    }

/* May fail: CUSTOS_EINVAL. */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_filter_report(
    const custos_filter *filter, custos_filter_facts *out, custos_err *err);

/* A filter's state as bytes, in the same layout on all machines. */
#define CUSTOS_FILTER_BYTES 600

/* May fail: CUSTOS_EINVAL. */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_filter_save(const custos_filter *filter,
                   uint8_t bytes[CUSTOS_FILTER_BYTES], custos_err *err);

/* May fail: CUSTOS_EINVAL (not the bytes of a filter), CUSTOS_ENOMEM. */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_filter_load(const custos_alloc *alloc, const uint8_t *bytes, size_t len,
                   custos_filter **out, custos_err *err);

typedef struct custos_odometer_options {
    size_t size;
    const char *delta; /* of the odometer itself, above 0 */
    /* The bound is tight for sums of rho in this range; NULL: 1e-4 and 10. */
    const char *rho_least;
    const char *rho_most;
} custos_odometer_options;

/* What has been spent so far; may be read at any moment. */
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
 * What has been spent so far, valid even at a moment that was chosen by looking
 * at the answers. For every e and d fixed in advance, all neighbours and every
 * set S of transcripts up to the reading,
 *
 *     P[T in S, epsilon <= e, delta <= d] <= exp(e) P'[T in S] + d,
 *
 * where T is the transcript. So a run that ends before a reading exceeds (e, d)
 * is (e, d)-DP. `delta` is the odometer's own plus those of the charges. If no
 * charge has a delta, the privacy loss is also at most epsilon at all moments
 * at once, with probability 1 - delta. If a charge has a delta, this can fail:
 * the loss of an (epsilon, delta)-DP release can exceed epsilon with a
 * probability far above delta. Rounded up; "infinity" when there is no bound.
 */
typedef struct custos_odometer_facts {
    size_t size;
    char epsilon[CUSTOS_AMOUNT_MAX];
    char delta[CUSTOS_AMOUNT_MAX];
    char epsilon_sum[CUSTOS_AMOUNT_MAX];
    char rho_sum[CUSTOS_AMOUNT_MAX];
    const char *theorem;
} custos_odometer_facts;

#define CUSTOS_ODOMETER_FACTS_INIT                                             \
    {                                                                          \
        sizeof(custos_odometer_facts), "", "", "", "", NULL                    \
    }

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

/* A bound, with the theorem that gives it. */
typedef struct custos_bound {
    size_t size;
    char value[CUSTOS_NUMBER_MAX]; /* empty when there is none */
    const char *theorem;           /* its id in doc/theorems.md */
    const char *source;            /* the paper to cite */
    const char *reason;            /* why there is none; NULL when there is */
} custos_bound;

#define CUSTOS_BOUND_INIT                                                      \
    {                                                                          \
        sizeof(custos_bound), "", NULL, NULL, NULL                             \
    }

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
 * rounded up. If one currency does not bound the other, the value is empty and
 * reason says why. May fail: CUSTOS_EINVAL, CUSTOS_EPARSE, CUSTOS_ERANGE.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_convert(
    const custos_convert_options *options, custos_bound *out, custos_err *err);

/*
 * The inverse, rounded down: the largest amount in a currency (rho, mu, or the
 * divergence at `order`) that stays within (epsilon, delta)-DP. May fail: as
 * custos_convert.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_convert_budget(
    const char *epsilon, const char *delta, custos_currency to,
    const char *order, custos_bound *out, custos_err *err);

/* What a promise for one unit is worth for a group. */
typedef struct custos_group {
    size_t size;
    char epsilon[CUSTOS_NUMBER_MAX];        /* k epsilon, for k units */
    char delta[CUSTOS_NUMBER_MAX];          /* rounded up, at most 1 */
    char delta_textbook[CUSTOS_NUMBER_MAX]; /* k e^((k-1) epsilon) delta */
    char rho[CUSTOS_NUMBER_MAX];            /* custos_group_rho only */
    const char *theorem;
    const char *source;
} custos_group;

#define CUSTOS_GROUP_INIT                                                      \
    {                                                                          \
        sizeof(custos_group), "", "", "", "", NULL, NULL                       \
    }

/*
 * (epsilon, delta)-DP for `units` units at once; delta NULL is 0. May fail:
 * CUSTOS_EINVAL (no units), CUSTOS_EPARSE, CUSTOS_ERANGE.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_group_approx(const char *epsilon, const char *delta, uint64_t units,
                    custos_group *out, custos_err *err);

/* rho-zCDP for `units` units at once. May fail: as custos_group_approx. */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_group_rho(const char *rho,
                                                          uint64_t units,
                                                          custos_group *out,
                                                          custos_err *err);

/* --------------------------------- accounting: plans (section: plan) -- */

/*
 * A plan: mechanisms whose parameters are all fixed before the first answer.
 * Only then do the sharp composition theorems hold; for queries chosen after
 * seeing answers use a filter (section: filter). A plan takes mechanisms,
 * never a filter's history.
 */
typedef struct custos_plan custos_plan;

/* May fail: CUSTOS_EINVAL, CUSTOS_ENOMEM. */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_plan_new(const custos_alloc *alloc, custos_adjacency adjacency,
                custos_plan **out, custos_err *err);

CUSTOS_API void custos_plan_free(custos_plan *plan);

/*
 * Adds a mechanism by its text: a word, then key=value pairs, with colons in
 * between, such as "laplace:epsilon=0.1:count=3". Defaults in parentheses:
 *
 *     laplace            epsilon, or scale and sensitivity (1)
 *     discrete-laplace   the same, sensitivity whole; also named geometric
 *     gaussian           sigma; sensitivity (1) or sensitivity-squared, in l2
 *     discrete-gaussian  the same; the sensitivity that is given is whole
 *     randomized-response  epsilon, values (2)
 *     exponential, permute-and-flip, noisy-max, sparse-vector  epsilon
 *     generic            epsilon, delta (0)
 *
 * Each also takes count, the number of releases (from 1 to 2^63; 1), and
 * sample, the rate of a secret Poisson sample drawn afresh for each release
 * (add/remove only; 1). Numbers are exact. May fail: CUSTOS_EINVAL,
 * CUSTOS_EPARSE, CUSTOS_ERANGE, CUSTOS_ENOMEM; the message names mechanism and
 * key, and the plan is unchanged.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_plan_add(custos_plan *plan,
                                                         const char *mechanism,
                                                         custos_err *err);

typedef enum custos_theorem {
    CUSTOS_BY_BASIC = 1,    /* sums */
    CUSTOS_BY_PARALLEL = 2, /* each release on its own part of the data; a
                               plan under add/remove */
    CUSTOS_BY_ADVANCED = 3, /* Dwork, Rothblum, Vadhan 2010 */
    CUSTOS_BY_OPTIMAL = 4,  /* Kairouz, Oh, Viswanath 2015; equal releases */
    CUSTOS_BY_ZCDP = 5,
    CUSTOS_BY_RDP = 6,
    CUSTOS_BY_GDP = 7, /* continuous Gaussians only */
    /*
     * As CUSTOS_BY_PARALLEL, for a promise under change-one: a unit that
     * changes may leave one part and enter another. The plan itself is under
     * add/remove, because that is what each part sees.
     */
    CUSTOS_BY_PARALLEL_CHANGE = 8
} custos_theorem;

/*
 * The epsilon at which the whole plan is (epsilon, delta)-DP by one theorem,
 * rounded up to 17 digits. If the theorem does not apply, the value is empty
 * and reason says why. delta lies in [0, 1); most theorems need it above 0.
 * May fail: CUSTOS_EINVAL (also for an empty plan), CUSTOS_EPARSE,
 * CUSTOS_ERANGE.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_plan_epsilon(const custos_plan *plan, custos_theorem theorem,
                    const char *delta, custos_bound *out, custos_err *err);

/* ------- accounting: plans by their losses, calibration (section: pld) -- */

/* Decimal text that encloses a number: low rounded down, high rounded up. */
typedef struct custos_interval {
    size_t size;
    char low[CUSTOS_NUMBER_MAX];  /* empty when there is none */
    char high[CUSTOS_NUMBER_MAX]; /* the one to promise; may be "infinity" */
    const char *theorem;          /* its id in doc/theorems.md */
    const char *source;           /* the paper to cite */
    const char *reason;           /* why there is none; NULL when there is */
} custos_interval;

#define CUSTOS_INTERVAL_INIT                                                   \
    {                                                                          \
        sizeof(custos_interval), "", "", NULL, NULL, NULL                      \
    }

/*
 * A privacy-loss distribution: that of a plan, of arrays, or of several
 * composed. What one question computes is kept for the next.
 */
typedef struct custos_pld custos_pld;

/*
 * That of a plan. The plan is copied. May fail: CUSTOS_EINVAL (also for an
 * empty plan), CUSTOS_ENOMEM.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_pld_new(const custos_plan *plan,
                                                        custos_pld **out,
                                                        custos_err *err);

/*
 * That of n losses, rising, with their probabilities, and the probability of an
 * infinite loss; together they are 1, rounding apart, and what they lack to 1
 * counts as infinite loss. They must bound the mechanism in both orders of the
 * neighbours; then every composition with it is bounded too. The numbers are
 * taken as they are, so round them upwards. May fail: CUSTOS_EINVAL,
 * CUSTOS_ERANGE, CUSTOS_ENOMEM.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_pld_of_arrays(
    const custos_alloc *alloc, custos_adjacency adjacency, const double *losses,
    const double *probabilities, size_t n, double infinite, custos_pld **out,
    custos_err *err);

/*
 * The distribution of both together, or of `times` runs of one (1 to 2^40); the
 * arguments are unchanged. All parameters must be fixed before the first
 * answer, as in a plan. May fail: CUSTOS_EINVAL (also for two adjacencies),
 * CUSTOS_ENOMEM.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_pld_compose(const custos_pld *a,
                                                            const custos_pld *b,
                                                            custos_pld **out,
                                                            custos_err *err);
CUSTOS_API CUSTOS_MUST_USE custos_status custos_pld_self_compose(
    const custos_pld *pld, uint64_t times, custos_pld **out, custos_err *err);

CUSTOS_API void custos_pld_free(custos_pld *pld);

/*
 * What it costs, for the worse order of the two neighbours: epsilon at a delta
 * in (0, 1), or delta at an epsilon >= 0. The bounds are about `width` apart
 * (for delta: relative to it), if that is possible; NULL asks for a few parts
 * in ten thousand. If the distribution cannot be computed, both bounds are
 * empty and reason says why. May fail: CUSTOS_EINVAL, CUSTOS_EPARSE,
 * CUSTOS_ERANGE, CUSTOS_ENOMEM.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_pld_epsilon(custos_pld *pld, const char *delta, const char *width,
                   custos_interval *out, custos_err *err);
CUSTOS_API CUSTOS_MUST_USE custos_status custos_pld_delta(custos_pld *pld,
                                                          const char *epsilon,
                                                          const char *width,
                                                          custos_interval *out,
                                                          custos_err *err);

/*
 * The distribution as arrays that custos_pld_of_arrays takes: n losses, evenly
 * spaced from -top to top, whose curve is certainly above that of pld in both
 * orders, and sharpest near epsilon at `delta` (top is past it). More losses
 * are sharper; n is from 2 to 2^20 - 1. If it fails, the arrays may have
 * changed. May fail: CUSTOS_EINVAL, CUSTOS_EPARSE, CUSTOS_ERANGE (also if there
 * is no epsilon at delta), CUSTOS_ENOMEM.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_pld_arrays(
    custos_pld *pld, const char *delta, double *losses, double *probabilities,
    size_t n, double *infinite, custos_err *err);

/*
 * Makes a plan of the same releases for a group of units, which together move
 * each statistic further: the cost of *out for one unit is the cost of the plan
 * for a group of `size` units. The caller frees *out. May fail: CUSTOS_EINVAL
 * (also for a sampled mechanism, which has no price for groups), CUSTOS_ERANGE
 * (the group is too large), CUSTOS_ENOMEM.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_plan_group(
    const custos_plan *plan, uint64_t size, custos_plan **out, custos_err *err);

/* A plan made to fit a promise. */
typedef struct custos_calibrated {
    size_t size;
    char factor[CUSTOS_NUMBER_MAX];  /* by which all noise is multiplied */
    uint64_t count;                  /* how often the whole plan may run */
    char epsilon[CUSTOS_NUMBER_MAX]; /* what that costs, rounded up */
    const char *theorem;             /* its id in doc/theorems.md */
} custos_calibrated;

#define CUSTOS_CALIBRATED_INIT                                                 \
    {                                                                          \
        sizeof(custos_calibrated), "", 0, "", NULL                             \
    }

/*
 * The least noise for a promise: all scales and sigmas are multiplied by one
 * factor (epsilons are divided by it; deltas stay). The factor is certain to
 * keep the promise, and within about a ten-thousandth of the least that does (a
 * hundredth for a plan of more than 32 mechanisms). delta may be 0. May fail:
 * CUSTOS_EINVAL, CUSTOS_EPARSE, CUSTOS_ENOMEM, CUSTOS_ERANGE (also if no factor
 * from 2^-40 to 2^40 suffices).
 */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_calibrate_noise(
    const custos_plan *plan, const char *epsilon, const char *delta,
    custos_calibrated *out, custos_err *err);

/*
 * How often the whole plan may run within a promise, at most 2^40. If it may
 * not run even once, count is 0 and epsilon empty. May fail: as
 * custos_calibrate_noise.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_calibrate_count(
    const custos_plan *plan, const char *epsilon, const char *delta,
    custos_calibrated *out, custos_err *err);

/* How many mechanisms a plan has; 0 for NULL. */
CUSTOS_API size_t custos_plan_size(const custos_plan *plan);

/* Room for a mechanism's text, the NUL included. */
#define CUSTOS_MECHANISM_MAX 320

/*
 * The text of mechanism i with its noise multiplied by factor (NULL: 1).
 * Numbers have 17 digits, rounded towards more noise. May fail: CUSTOS_EINVAL,
 * CUSTOS_EPARSE, CUSTOS_ERANGE.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_plan_write(const custos_plan *plan, size_t i, const char *factor,
                  char text[CUSTOS_MECHANISM_MAX], custos_err *err);

/* ----------------- accounting: what it means (section: risk) -- */

/*
 * What a promise means for one person, against an attacker who knows
 * everything except whether their data (or which of two versions of it) was
 * used. A risk is one or more promises (epsilon, delta) that hold for the same
 * release; each bound below uses the best of them, unless it says otherwise.
 */
typedef struct custos_risk custos_risk;

/* delta NULL is 0. May fail: CUSTOS_EINVAL, CUSTOS_EPARSE, CUSTOS_ERANGE,
   CUSTOS_ENOMEM. */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_risk_new(const custos_alloc *alloc, const char *epsilon,
                const char *delta, custos_risk **out, custos_err *err);

CUSTOS_API void custos_risk_free(custos_risk *risk);

/*
 * Adds a promise that the same release keeps, such as another point of its
 * privacy curve. May fail: as custos_risk_new.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status custos_risk_add(custos_risk *risk,
                                                         const char *epsilon,
                                                         const char *delta,
                                                         custos_err *err);

/*
 * The trade-off curve at n points: a test of whether the person's data was
 * used, with the false positive rate fpr[i], has a false negative rate of at
 * least fnr[i]. Rounded down. If it fails, earlier points may have been
 * written. May fail: CUSTOS_EINVAL, CUSTOS_EPARSE, CUSTOS_ERANGE (a rate not in
 * [0, 1]).
 */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_risk_fnr(const custos_risk *risk, const char *const *fpr, size_t n,
                char (*fnr)[CUSTOS_NUMBER_MAX], custos_err *err);

typedef struct custos_risk_corner {
    char fpr[CUSTOS_NUMBER_MAX];
    char fnr[CUSTOS_NUMBER_MAX];
} custos_risk_corner;

/*
 * The corners of the trade-off curve, from fpr 0 to fpr 1. The straight lines
 * between them are the curve, rounded down, and nowhere above it. *n is the
 * number of corners, at most 2 per promise and 2 more; the first `room` of them
 * are written. May fail: CUSTOS_EINVAL, CUSTOS_ENOMEM.
 */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_risk_corners(const custos_risk *risk, custos_risk_corner *corners,
                    size_t room, size_t *n, custos_err *err);

/*
 * Rounded up, except posterior_least, which is rounded down. All but advantage
 * and guess are computed from the first promise. The posterior bounds and
 * utility_factor can fail to hold, but only with the probability delta of that
 * promise, in an event that does not depend on the data.
 */
typedef struct custos_risk_facts {
    size_t size;
    char utility_factor[CUSTOS_NUMBER_MAX]; /* e^epsilon */
    char advantage[CUSTOS_NUMBER_MAX];      /* true minus false positive rate */
    char guess[CUSTOS_NUMBER_MAX]; /* chance to guess right at even odds */
    char posterior_most[CUSTOS_NUMBER_MAX]; /* what a belief `prior` becomes */
    char posterior_least[CUSTOS_NUMBER_MAX];
    char posterior_shift[CUSTOS_NUMBER_MAX]; /* any belief: min(1, 2 epsilon) */
    char exposed[CUSTOS_NUMBER_MAX]; /* people * delta; "" when not asked */
    int delta_too_large;             /* people * delta >= 1 */
} custos_risk_facts;

#define CUSTOS_RISK_FACTS_INIT                                                 \
    {                                                                          \
        sizeof(custos_risk_facts), "", "", "", "", "", "", "", 0               \
    }

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
