/*
 * Features of outputs.
 */
#include "audit/feature.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "audit/hash.h"

size_t
features_of(const struct audit_target *target, struct feature out[FEATURES_MAX])
{
    static const enum feature_kind each[] = {
        FEATURE_VALUE,   FEATURE_SORTED,   FEATURE_DIFFERENCE,
        FEATURE_LOW_BIT, FEATURE_EXPONENT, FEATURE_RESIDUAL,
    };
    size_t n = 0, width = target->width;

    out[n++] = (struct feature){FEATURE_WHOLE, 0};
    out[n++] = (struct feature){FEATURE_LENGTH, 0};
    out[n++] = (struct feature){FEATURE_CODE, 0};
    if (target->timed)
        out[n++] = (struct feature){FEATURE_SECONDS, 0};
    if (target->prints) {
        out[n++] = (struct feature){FEATURE_FORM, 0};
        out[n++] = (struct feature){FEATURE_DIGITS, 0};
    }
    if (width > 1) {
        out[n++] = (struct feature){FEATURE_LAST, 0};
        out[n++] = (struct feature){FEATURE_SUM, 0};
        out[n++] = (struct feature){FEATURE_SPREAD, 0};
    }
    for (size_t k = 0; k < sizeof each / sizeof each[0]; k++)
        for (size_t i = 0; i < width; i++) {
            bool needs_others =
                each[k] == FEATURE_SORTED || each[k] == FEATURE_DIFFERENCE;

            if (!(needs_others && width == 1) &&
                !(each[k] == FEATURE_DIFFERENCE && i == 0))
                out[n++] = (struct feature){each[k], i};
        }
    return n;
}

/* 53 bits of a hash of what the output shows, as a whole number. */
static double
hash_of(const double *number, uint32_t length, uint32_t code)
{
    uint64_t hash = hash_number(hash_number(HASH_BEGIN, length), code);

    for (uint32_t i = 0; i < length; i++) {
        uint64_t word;

        memcpy(&word, &number[i], sizeof word);
        hash = hash_number(hash, word);
    }
    return (double)(hash >> 11);
}

void
feature_sort(const struct batch *batch, size_t i,
             double sorted[AUDIT_WIDTH_MAX])
{
    const double *number = batch->number + i * batch->width;
    uint32_t length = batch->length[i];

    for (size_t k = 0; k < batch->width; k++) {
        double x = k >= length        ? HUGE_VAL
                   : isnan(number[k]) ? -HUGE_VAL
                                      : number[k];
        size_t at = k;

        for (; at > 0 && sorted[at - 1] > x; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = x;
    }
}

static double
nth_smallest(const struct batch *batch, size_t i, size_t at)
{
    double sorted[AUDIT_WIDTH_MAX];

    feature_sort(batch, i, sorted);
    return sorted[at];
}

static double
low_bit(double x)
{
    int exponent;
    double fraction = frexp(x, &exponent);
    int64_t whole;

    if (x == 0 || !isfinite(x))
        return 2000;
    whole = (int64_t)ldexp(fabs(fraction), 53);
    return exponent - 53 + __builtin_ctzll((uint64_t)whole);
}

static double
of_all(enum feature_kind kind, const double *number, size_t n)
{
    double sum = 0, least = HUGE_VAL, most = -HUGE_VAL;

    for (size_t i = 0; i < n; i++) {
        sum += number[i];
        least = fmin(least, number[i]);
        most = fmax(most, number[i]);
    }
    return kind == FEATURE_SUM ? sum : n ? most - least : 0;
}

static double
raw_feature(struct feature feature, const struct batch *batch, size_t i)
{
    const double *number = batch->number + i * batch->width;
    uint32_t length = batch->length[i];
    size_t n = length < batch->width ? length : batch->width, at = feature.at;

    switch (feature.kind) {
    case FEATURE_WHOLE: return hash_of(number, (uint32_t)n, batch->code[i]);
    case FEATURE_LENGTH: return length;
    case FEATURE_CODE: return batch->code[i];
    case FEATURE_SECONDS: return batch->seconds[i];
    case FEATURE_FORM: return batch->written[i].form;
    case FEATURE_DIGITS: return batch->written[i].digits;
    case FEATURE_LAST: return n ? number[n - 1] : 0;
    case FEATURE_SUM:
    case FEATURE_SPREAD: return of_all(feature.kind, number, n);
    case FEATURE_VALUE: return number[at];
    case FEATURE_DIFFERENCE: return number[at] - number[at - 1];
    case FEATURE_SORTED: return nth_smallest(batch, i, at);
    case FEATURE_LOW_BIT: return low_bit(number[at]);
    case FEATURE_EXPONENT: return number[at] == 0 ? -2000 : logb(number[at]);
    case FEATURE_RESIDUAL: return number[at] - rint(number[at]);
    }
    return 0;
}

double
feature_of(struct feature feature, const struct batch *batch, size_t i)
{
    double x = raw_feature(feature, batch, i);

    return isnan(x) ? -HUGE_VAL : x;
}

bool
feature_is_name(struct feature feature)
{
    return feature.kind == FEATURE_WHOLE || feature.kind == FEATURE_CODE ||
           feature.kind == FEATURE_FORM;
}

void
feature_name(struct feature feature, char name[AUDIT_NAME_MAX])
{
    static const char *const words[] = {
        [FEATURE_WHOLE] = "the whole output",
        [FEATURE_LENGTH] = "how many numbers the output has",
        [FEATURE_CODE] = "the status of the output",
        [FEATURE_SECONDS] = "the run time in seconds",
        [FEATURE_FORM] = "the form in which numbers are written",
        [FEATURE_DIGITS] = "how many digits the output has",
        [FEATURE_LAST] = "the last number",
        [FEATURE_SUM] = "the sum of the numbers",
        [FEATURE_SPREAD] = "the largest number less the smallest",
        [FEATURE_VALUE] = "number %zu",
        [FEATURE_DIFFERENCE] = "number %zu less the one before",
        [FEATURE_SORTED] = "the smallest number but %zu",
        [FEATURE_LOW_BIT] = "the lowest set bit of number %zu, as a power of 2",
        [FEATURE_EXPONENT] = "the exponent of number %zu",
        [FEATURE_RESIDUAL] = "the distance of number %zu to a whole number",
    };
    size_t at = feature.kind == FEATURE_SORTED ? feature.at : feature.at + 1;

    if (feature.kind < FEATURE_VALUE)
        snprintf(name, AUDIT_NAME_MAX, "%s", words[feature.kind]);
    else if (feature.kind == FEATURE_SORTED && feature.at == 0)
        snprintf(name, AUDIT_NAME_MAX, "the smallest number");
    else
        /* The formats above have one %zu each. */
        snprintf(name, AUDIT_NAME_MAX, words[feature.kind], at);
}
