/*
 * Products of spectra. The frequencies are in the order that fft.h describes.
 */
#include "account/spectrum.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"

void
spectrum_clear(struct spectrum *s)
{
    const custos_alloc *a = &s->fft.alloc;

    if (s->all_re != s->re) {
        alloc_give(a, s->all_re, s->fft.n, sizeof *s->all_re);
        alloc_give(a, s->all_im, s->fft.n, sizeof *s->all_im);
    }
    alloc_give(a, s->re, s->fft.n, sizeof *s->re);
    alloc_give(a, s->im, s->fft.n, sizeof *s->im);
    s->re = s->im = s->all_re = s->all_im = NULL;
    fft_clear(&s->fft);
}

custos_status
spectrum_init(struct spectrum *s, const custos_alloc *alloc, size_t n,
              size_t parts)
{
    const custos_alloc *a = &s->fft.alloc;
    custos_status st;

    memset(s, 0, sizeof *s);
    st = fft_init(&s->fft, alloc, n);
    if (st)
        return st;
    s->re = alloc_take(a, n, sizeof *s->re);
    s->im = alloc_take(a, n, sizeof *s->im);
    s->all_re = parts == 1 ? s->re : alloc_take(a, n, sizeof *s->all_re);
    s->all_im = parts == 1 ? s->im : alloc_take(a, n, sizeof *s->all_im);
    if (!s->re || !s->im || !s->all_re || !s->all_im) {
        spectrum_clear(s);
        return CUSTOS_ENOMEM;
    }
    return CUSTOS_OK;
}

struct complex {
    double re, im;
};

static inline struct complex
product(struct complex a, struct complex b)
{
    return (struct complex){a.re * b.re - a.im * b.im,
                            a.re * b.im + a.im * b.re};
}

/* z^k; 0 if |z^k| is below e^-45, which is far below the other errors. */
static inline struct complex
power(struct complex z, uint64_t k, double nothing)
{
    struct complex r = {1, 0};

    if (z.re * z.re + z.im * z.im < nothing)
        return (struct complex){0, 0};
    for (;; z = product(z, z)) {
        if (k & 1)
            r = product(r, z);
        k >>= 1;
        if (k == 0)
            return r;
    }
}

/*
 * Separates a pair of mirrored frequencies into up and low, and multiplies
 * their powers into the product.
 */
static inline void
multiply_pair(struct spectrum *s, size_t a, size_t b, uint64_t k,
              double nothing, int begin)
{
    struct complex up = {(s->re[a] + s->re[b]) / 2, (s->im[a] - s->im[b]) / 2};
    struct complex low = {(s->im[a] + s->im[b]) / 2, (s->re[b] - s->re[a]) / 2};

    up = power(up, k, nothing);
    low = power(low, k, nothing);
    if (!begin) {
        up = product((struct complex){s->all_re[a], s->all_im[a]}, up);
        low = product((struct complex){s->all_re[b], s->all_im[b]}, low);
    }
    s->all_re[a] = up.re;
    s->all_im[a] = up.im;
    s->all_re[b] = low.re;
    s->all_im[b] = low.im;
}

static double
norm_of(const double *re, const double *im, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += re[i] * re[i] + im[i] * im[i];
    return sqrt(sum) * (1 + 0x1p-53 * 4 * (double)n);
}

void
spectrum_multiply(struct spectrum *s, uint64_t k)
{
    const double nothing = exp(-90 / (double)k);
    const int begin = s->counts == 0;

    s->norms += (double)k * norm_of(s->re, s->im, s->fft.n);
    s->counts += (double)k;
    fft_forward(&s->fft, s->re, s->im);
    for (size_t i = 0; i < 2; i++) { /* these are real: up in re, low in im */
        double up = power((struct complex){s->re[i], 0}, k, nothing).re;
        double low = power((struct complex){s->im[i], 0}, k, nothing).re;

        s->all_re[i] = begin ? up : s->all_re[i] * up;
        s->all_im[i] = begin ? low : s->all_im[i] * low;
    }
    for (size_t t = 2; t < s->fft.n; t *= 2)
        for (size_t i = 0; i < t / 2; i++)
            multiply_pair(s, t + i, 2 * t - 1 - i, k, nothing, begin);
}

/* Combines up and low into the spectrum of one complex law. */
static void
join_laws(struct spectrum *s)
{
    for (size_t i = 0; i < 2; i++) {
        s->re[i] = s->all_re[i];
        s->im[i] = s->all_im[i];
    }
    for (size_t t = 2; t < s->fft.n; t *= 2) {
        for (size_t i = 0; i < t / 2; i++) {
            size_t a = t + i, b = 2 * t - 1 - i;
            struct complex up = {s->all_re[a], s->all_im[a]};
            struct complex low = {s->all_re[b], s->all_im[b]};

            s->re[a] = up.re - low.im;
            s->im[a] = up.im + low.re;
            s->re[b] = up.re + low.im;
            s->im[b] = low.re - up.im;
        }
    }
}

/*
 * The terms of the error: every part's transform, amplified by its count (and
 * by the amount by which these errors let spectra exceed 1); powers and
 * products; the inverse transform; powers taken as 0.
 */
void
spectrum_invert(struct spectrum *s)
{
    const double n = (double)s->fft.n, e = fft_error(s->fft.n);
    double norm;

    join_laws(s);
    fft_inverse(&s->fft, s->re, s->im);
    for (size_t i = 0; i < s->fft.n; i++) {
        s->re[i] /= n;
        s->im[i] /= n;
    }
    norm = norm_of(s->re, s->im, s->fft.n);
    s->error = e * s->norms * exp(e * sqrt(n) * s->norms) +
               (2 * e + (5 * s->counts + 2) * 0x1p-53) * norm + 1e-18;
    for (size_t i = 0; i < s->fft.n; i++) {
        s->re[i] = s->re[i] > 0 ? s->re[i] : 0;
        s->im[i] = s->im[i] > 0 ? s->im[i] : 0;
    }
}
