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
    X(EINTERNAL, 9, "XX000", 500, "internal error")

typedef enum custos_status {
#define CUSTOS_STATUS_ENUM(name, value, sqlstate, http, words)                 \
    CUSTOS_##name = value,
    CUSTOS_STATUS_LIST(CUSTOS_STATUS_ENUM)
#undef CUSTOS_STATUS_ENUM
} custos_status;

/* Two readers: the analyst reads `said`, the operator's log gets `noted`. */
typedef struct custos_err {
    custos_status code;
    int at;          /* byte offset in the text that was read, or -1 */
    char said[192];  /* never depends on the data */
    char noted[320]; /* for the operator only; empty when there is nothing */
} custos_err;

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

/* Copies n reals, bit by bit. NaN counts as 0, an infinity as the limit. */
CUSTOS_API CUSTOS_MUST_USE custos_status
custos_seal_reals(const custos_alloc *alloc, const double *values, size_t n,
                  custos_sealed **out, custos_err *err);

CUSTOS_API void custos_sealed_free(custos_sealed *sealed);

/* What two neighbouring data sets are. */
typedef enum custos_adjacency {
    CUSTOS_ADD_REMOVE = 1, /* one unit is there or not ("unbounded") */
    CUSTOS_CHANGE_ONE = 2  /* one unit is replaced ("bounded") */
} custos_adjacency;

/* -------------------------------------- additive noise (section: mech) -- */

/* ------------------------------------------ selection (section: select) -- */

/* -------------------------------------- sparse vector (section: sparse) -- */

/* ------------------------------------ partial sums (section: continual) -- */

/* ------------------------------------ unknown keys (section: threshold) -- */

/* ---------------------------------- sensitivities (section: sensitivity) -- */

/* ------------------------------------------- local model (section: local) -- */

#ifdef __cplusplus
}
#endif

#endif
