/*
 * Draws for callers without i128: as two words, or as an int64_t if the law's
 * draws fit. The numbers pass through a small buffer, which is wiped.
 */
#include <string.h>

#include "base/ck.h"
#include "base/error.h"
#include "base/wide.h"
#include "noise/noise.h"

enum { CHUNK = 256 };

/* Where the draws go: one of the two is not NULL. */
struct draws_out {
    custos_wide *wide;
    int64_t *narrow;
};

static void
write_draws(const struct draws_out *to, size_t from, const i128 *draws,
            size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (to->wide)
            to->wide[from + i] = wide_of(draws[i]);
        else
            to->narrow[from + i] =
                (int64_t)clamp_i128(draws[i], INT64_MIN, INT64_MAX);
}

static void
zero_draws(const struct draws_out *to, size_t n)
{
    if (to->wide)
        memset(to->wide, 0, n * sizeof *to->wide);
    else
        memset(to->narrow, 0, n * sizeof *to->narrow);
}

static custos_status
draw_into(const struct draws_out *to, const custos_noise *noise,
          custos_rng *rng, size_t n, custos_err *err)
{
    custos_status st = CUSTOS_OK;
    i128 draws[CHUNK];
    size_t now = 0;

    if (!noise || !rng || (!to->wide && !to->narrow && n > 0))
        return custos_fail(err, CUSTOS_EINVAL,
                           "noise, rng and out must not be NULL");
    for (size_t from = 0; from < n && !st; from += now) {
        now = n - from < CHUNK ? n - from : CHUNK;
        st = noise_draw(noise, rng, draws, now);
        write_draws(to, from, draws, now);
    }
    wipe(draws, sizeof draws);
    if (st) {
        zero_draws(to, n);
        custos_fail(err, st, "%s", custos_status_words(st));
    }
    return st;
}

custos_status
custos_noise_draw_wide(const custos_noise *noise, custos_rng *rng,
                       custos_wide *out, size_t n, custos_err *err)
{
    return draw_into(&(struct draws_out){.wide = out}, noise, rng, n, err);
}

/*
 * Whether draws fit in 64 bits: at a scale of 2^50, P[|x| >= 2^63] is at most
 * exp(-2^13), and the Gaussian's is smaller.
 */
static bool
fits_i64(const custos_noise *noise)
{
    const custos_law law = noise_law(noise);
    bool fits;
    rat most;

    rat_init(&most);
    rat_set_pow2(&most, law == CUSTOS_UNIFORM ? 63
                        : law == CUSTOS_DISCRETE_GAUSSIAN
                            ? 2 * 50 /* variance */
                            : 50);
    fits = rat_cmp(noise_parameter(noise), &most) <= 0;
    rat_clear(&most);
    return fits;
}

custos_status
custos_noise_draw_i64(const custos_noise *noise, custos_rng *rng, int64_t *out,
                      size_t n, custos_err *err)
{
    if (noise && !fits_i64(noise))
        return custos_fail(err, CUSTOS_ERANGE,
                           "draws of this law may need more than 64 bits" HINT
                           "call custos_noise_draw_wide");
    return draw_into(&(struct draws_out){.narrow = out}, noise, rng, n, err);
}
