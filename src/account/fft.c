/*
 * The forward transform decimates in frequency, the inverse in time, so that
 * one does the steps of the other in reverse. Real and imaginary parts are
 * stored in separate arrays, so vector instructions need no shuffling.
 */
#include "account/fft.h"

#include <math.h>

#include "base/alloc.h"
#include "base/base.h"

/* cos and sin of 2 pi k / n for k / n in [0, 1/8], where both are accurate. */
static void
octant_twiddle(size_t k, size_t n, double *c, double *s)
{
    long double a = 2 * 3.14159265358979323846264338327950288L *
                    (long double)k / (long double)n;

    *c = (double)cosl(a);
    *s = (double)sinl(a);
}

/*
 * Twiddle k of the pass with halves of length `half` is at index half + k, so
 * each pass reads its own twiddles in order. The twiddles of the largest pass
 * come from one octant by exact swaps and sign changes; each smaller pass takes
 * every second twiddle of the next larger pass.
 */
static void
fill_twiddles(struct fft *f)
{
    const size_t half = f->n / 2, quarter = f->n / 4;
    double *cos = f->cos + half, *sin = f->sin + half;

    for (size_t j = 0; j <= f->n / 8; j++) {
        double c, s;

        octant_twiddle(j, f->n, &c, &s);
        cos[j] = c, sin[j] = s;
        cos[quarter + j] = -s, sin[quarter + j] = c;
        cos[quarter - j] = s, sin[quarter - j] = c;
        if (j > 0)
            cos[half - j] = -c, sin[half - j] = s;
    }
    for (size_t pass = half / 2; pass > 0; pass /= 2) {
        for (size_t k = 0; k < pass; k++) {
            f->cos[pass + k] = f->cos[2 * pass + 2 * k];
            f->sin[pass + k] = f->sin[2 * pass + 2 * k];
        }
    }
}

custos_status
fft_init(struct fft *f, const custos_alloc *alloc, size_t n)
{
    CUSTOS_REQUIRE(n >= 4 && n <= (size_t)1 << FFT_LOG2_MAX);
    CUSTOS_REQUIRE((n & (n - 1)) == 0);
    f->alloc = alloc_or_default(alloc);
    f->n = n;
    f->cos = alloc_take(&f->alloc, n, sizeof *f->cos);
    f->sin = alloc_take(&f->alloc, n, sizeof *f->sin);
    if (!f->cos || !f->sin) {
        fft_clear(f);
        return CUSTOS_ENOMEM;
    }
    fill_twiddles(f);
    return CUSTOS_OK;
}

void
fft_clear(struct fft *f)
{
    alloc_give(&f->alloc, f->cos, f->n, sizeof *f->cos);
    alloc_give(&f->alloc, f->sin, f->n, sizeof *f->sin);
    f->cos = f->sin = NULL;
}

/* Two doubles: x86-64 and ARM64 have vector instructions for them. */
typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));

static inline pair
load_pair(const double *p)
{
    return *(const pair *)p;
}

static inline void
store_pair(double *p, pair x)
{
    *(pair *)p = x;
}

/* One pass over 2 * half values; half is even. */
static void
forward_pass(const struct fft *f, double *ar, double *ai, size_t half)
{
    const double *cos = f->cos + half, *sin = f->sin + half;
    double *br = ar + half, *bi = ai + half;

    for (size_t k = 0; k < half; k += 2) {
        pair xr = load_pair(ar + k), xi = load_pair(ai + k);
        pair yr = load_pair(br + k), yi = load_pair(bi + k);
        pair c = load_pair(cos + k), s = load_pair(sin + k);
        pair dr = xr - yr, di = xi - yi;

        store_pair(ar + k, xr + yr);
        store_pair(ai + k, xi + yi);
        store_pair(br + k, dr * c + di * s);
        store_pair(bi + k, di * c - dr * s);
    }
}

static void
inverse_pass(const struct fft *f, double *ar, double *ai, size_t half)
{
    const double *cos = f->cos + half, *sin = f->sin + half;
    double *br = ar + half, *bi = ai + half;

    for (size_t k = 0; k < half; k += 2) {
        pair xr = load_pair(ar + k), xi = load_pair(ai + k);
        pair yr = load_pair(br + k), yi = load_pair(bi + k);
        pair c = load_pair(cos + k), s = load_pair(sin + k);
        pair tr = yr * c - yi * s, ti = yr * s + yi * c;

        store_pair(ar + k, xr + tr);
        store_pair(ai + k, xi + ti);
        store_pair(br + k, xr - tr);
        store_pair(bi + k, xi - ti);
    }
}

/*
 * The last two passes forward and the first two of the inverse, whose only
 * twiddles are 1 and -i or i.
 */
static void
forward_four(double *r, double *i)
{
    double ar = r[0] + r[2], ai = i[0] + i[2], br = r[1] + r[3];
    double bi = i[1] + i[3], cr = r[0] - r[2], ci = i[0] - i[2];
    double dr = i[1] - i[3], di = r[3] - r[1]; /* times -i */

    r[0] = ar + br, i[0] = ai + bi;
    r[1] = ar - br, i[1] = ai - bi;
    r[2] = cr + dr, i[2] = ci + di;
    r[3] = cr - dr, i[3] = ci - di;
}

static void
inverse_four(double *r, double *i)
{
    double ar = r[0] + r[1], ai = i[0] + i[1], br = r[0] - r[1];
    double bi = i[0] - i[1], cr = r[2] + r[3], ci = i[2] + i[3];
    double dr = i[3] - i[2], di = r[2] - r[3]; /* times i */

    r[0] = ar + cr, i[0] = ai + ci;
    r[2] = ar - cr, i[2] = ai - ci;
    r[1] = br + dr, i[1] = bi + di;
    r[3] = br - dr, i[3] = bi - di;
}

/* Recursion by halves: the smaller transforms stay in the cache. */
static void
forward_part(const struct fft *f, double *re, double *im, size_t n)
{
    if (n == 4) {
        forward_four(re, im);
        return;
    }
    forward_pass(f, re, im, n / 2);
    forward_part(f, re, im, n / 2);
    forward_part(f, re + n / 2, im + n / 2, n / 2);
}

static void
inverse_part(const struct fft *f, double *re, double *im, size_t n)
{
    if (n == 4) {
        inverse_four(re, im);
        return;
    }
    inverse_part(f, re, im, n / 2);
    inverse_part(f, re + n / 2, im + n / 2, n / 2);
    inverse_pass(f, re, im, n / 2);
}

void
fft_forward(const struct fft *f, double *re, double *im)
{
    forward_part(f, re, im, f->n);
}

void
fft_inverse(const struct fft *f, double *re, double *im)
{
    inverse_part(f, re, im, f->n);
}

double
fft_error(size_t n)
{
    const double u = 0x1p-53, m = 4 * u, g = 4 * u / (1 - 4 * u);
    double log2n = 0;
    double tl;

    for (size_t k = n; k > 1; k /= 2)
        log2n++;
    tl = (m + g * (1.4142135623730952 + m)) * log2n;
    return tl / (1 - tl) * (1 + 0x1p-40);
}
