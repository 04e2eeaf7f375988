/*
 * The list of libcustos' mechanisms, and what making any of them has in common.
 */
#include "audit/library/library.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "audit/library/part.h"
#include "base/base.h"
#include "base/error.h"
#include "base/nearest.h"

enum { SAMPLES_LEAST = 200 };

const struct library_entry library_entries[] = {
    {"laplace", "discrete Laplace noise on a whole number", false, false, 1,
     make_laplace},
    {"laplace-reals", "Laplace noise on a real number, on a grid", false, false,
     1, make_laplace_reals},
    {"laplace-wide", "discrete Laplace noise on a 128-bit sum", false, false, 1,
     make_laplace_wide},
    {"gaussian", "discrete Gaussian noise, exact calibration", true, false, 1,
     make_gaussian},
    {"gaussian-reals", "Gaussian noise on a real number, on a grid", true,
     false, 1, make_gaussian_reals},
    {"gaussian-rho", "discrete Gaussian noise for rho-zCDP", false, true, 1,
     make_gaussian_rho},
    {"histogram", "counts of 4 bins with Laplace noise, add/remove", false,
     false, 1, make_histogram},
    {"histogram-change", "counts of 4 bins with Laplace noise, change-one",
     false, false, 1, make_histogram_change},
    {"histogram-gaussian", "counts of 4 bins with Gaussian noise, add/remove",
     true, false, 1, make_histogram_gaussian},
    {"noise-laplace", "draws of the discrete Laplace law, added", false, false,
     1, make_noise_laplace},
    {"noise-gaussian", "draws of the discrete Gaussian law, added", false, true,
     1, make_noise_gaussian},
    {"exponential", "selection by the exponential mechanism", false, false, 1,
     make_exponential},
    {"permute-and-flip", "selection by permute-and-flip", false, false, 1,
     make_permute_and_flip},
    {"permute-and-flip-monotone", "the same for monotone scores", false, false,
     1, make_permute_monotone},
    {"noisy-max", "selection by noisy max", false, false, 5, make_noisy_max},
    {"sparse-vector", "sparse vector, 2 answers above", false, false, 2,
     make_sparse_vector},
    {"sparse-vector-values", "sparse vector that releases values", false, false,
     2, make_sparse_values},
    {"sums-every-prefix", "8 partial sums, noise on each", false, false, 1,
     make_sums_prefixes},
    {"sums-every-element", "8 partial sums, noise on the elements", false,
     false, 1, make_sums_elements},
    {"sums-binary-tree", "8 partial sums by the binary tree", false, false, 1,
     make_sums_tree},
    {"sums-square-root", "8 partial sums by the matrix root", true, false, 1,
     make_sums_root},
    {"stream-binary-tree", "8 partial sums as elements arrive", false, false, 5,
     make_stream_tree},
    {"stream-square-root", "the same by the matrix root", true, false, 100,
     make_stream_root},
    {"threshold", "keys of the data by a noisy threshold", true, false, 1,
     make_threshold},
    {"keys-geometric", "which keys to show, the optimal rule", true, false, 1,
     make_keys_geometric},
    {"keys-laplace", "which keys to show, with noisy counts", true, false, 1,
     make_keys_laplace},
    {"keys-gaussian", "the same with Gaussian noise", true, false, 1,
     make_keys_gaussian},
    {"quantile", "three quartiles of values from 0 to 100", false, false, 1,
     make_quantile},
    {"randomized-response", "two coins: epsilon is ln 3", false, false, 1,
     make_two_coins},
    {"randomized-response-gamma", "the truth with probability 3/4", false,
     false, 1, make_response_gamma},
    {"randomized-response-kary", "one of 5 values", false, false, 1,
     make_response_kary},
};

const size_t library_n_entries = COUNT_OF(library_entries);

const struct library_entry *
library_find(const char *name)
{
    for (size_t i = 0; i < library_n_entries; i++)
        if (!strcmp(library_entries[i].name, name))
            return &library_entries[i];
    return NULL;
}

uint64_t
library_samples(const struct library_entry *entry, uint64_t n)
{
    uint64_t fewer = entry->slowness > 1 ? n / entry->slowness : n;

    return fewer < SAMPLES_LEAST ? SAMPLES_LEAST : fewer;
}

static custos_status
fail_name(const char *name, custos_err *err)
{
    const char *names[COUNT_OF(library_entries)], *guess;

    for (size_t i = 0; i < library_n_entries; i++)
        names[i] = library_entries[i].name;
    guess = nearest(name, names, library_n_entries);
    if (guess)
        return custos_fail(err, CUSTOS_ENAME,
                           "libcustos has no mechanism %.60s" HINT
                           "did you mean %s?",
                           name, guess);
    return custos_fail(err, CUSTOS_ENAME,
                       "libcustos has no mechanism %.60s" HINT
                       "custos audit --list prints all names",
                       name);
}

custos_status
library_make(const char *name, const struct library_options *options,
             struct library_target *out, custos_err *err)
{
    const struct library_entry *entry = library_find(name);
    struct library_options given = *options;
    struct library_target made = {0};
    custos_status st;

    if (!entry)
        return fail_name(name, err);
    given.epsilon = given.epsilon ? given.epsilon : "1";
    given.delta = given.delta ? given.delta : "1e-5";
    given.rho = given.rho ? given.rho : "1/8";
    st = entry->make(&given, &made, err);
    if (st) {
        library_clear(&made);
        return st;
    }
    made.target.name = entry->name;
    made.target.self = made.handle;
    made.target.open = part_open;
    made.target.close = part_close;
    *out = made;
    return CUSTOS_OK;
}

void
library_clear(struct library_target *target)
{
    if (target->handle && target->clear)
        target->clear(target->handle);
    free(target->handle);
    pairs_clear(&target->pairs);
    *target = (struct library_target){0};
}

int64_t
part_int(double x)
{
    if (!(x < 0x1p63)) /* NaN too */
        return x > 0 ? INT64_MAX : 0;
    return x < -0x1p63 ? INT64_MIN : (int64_t)rint(x);
}

custos_status
part_seal_ints(const struct data *data, size_t n, custos_sealed **out,
               custos_err *err)
{
    int64_t values[AUDIT_WIDTH_MAX];

    CUSTOS_REQUIRE(n <= AUDIT_WIDTH_MAX);
    for (size_t i = 0; i < n; i++)
        values[i] = i < data->n ? part_int(data->value[i]) : 0;
    return custos_seal_ints(NULL, values, n, out, err);
}

custos_status
part_open(const struct audit_target *target, void **state, custos_err *err)
{
    custos_rng *rng = NULL;
    custos_status st = custos_rng_new(&rng, err);

    (void)target;
    *state = rng;
    return st;
}

void
part_close(void *state)
{
    custos_rng_free(state);
}

custos_status
part_begin(struct library_target *out, size_t size, void (*clear)(void *handle),
           custos_err *err)
{
    out->handle = calloc(1, size);
    out->clear = clear;
    return out->handle ? CUSTOS_OK
                       : custos_fail(err, CUSTOS_ENOMEM, "out of memory");
}

custos_status
part_keep(char to[PART_TEXT_MAX], const char *name, const char *text,
          custos_err *err)
{
    if (strlen(text) >= PART_TEXT_MAX)
        return custos_fail(err, CUSTOS_ERANGE,
                           "%s must have at most %d characters", name,
                           PART_TEXT_MAX - 1);
    memcpy(to, text, strlen(text) + 1);
    return CUSTOS_OK;
}

double
part_number(const char *text)
{
    char *end;
    double x = strtod(text, &end);

    if (*end == '/')
        x /= strtod(end + 1, NULL);
    return nextafter(x, INFINITY);
}

struct claim
part_claim(const char *epsilon, const char *delta)
{
    double d = strtod(delta, NULL);

    return (struct claim){.epsilon = part_number(epsilon),
                          .delta = d > 0 ? part_number(delta) : 0};
}
