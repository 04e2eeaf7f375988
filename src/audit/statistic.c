/*
 * Statistics, and how their parts are learned.
 */
#include "audit/statistic.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum {
    RATIO_BINS = 32, /* few, so that the error of each ratio is small */
    JOINT_BINS = 24,
    SORTED_MOST = 1 << 14, /* values of an arm that bins are learned from */
    JOINT_STEP = 1 << 12,  /* more than a part of a joint statistic has bins */
};

struct statistic
statistic_of_feature(struct feature feature)
{
    return (struct statistic){
        .kind = STATISTIC_FEATURE, .n = 1, .part = {{.feature = feature}}};
}

struct statistic
statistic_of_joint(struct feature first, struct feature second)
{
    return (struct statistic){
        .kind = STATISTIC_JOINT,
        .n = 2,
        .part = {{.feature = first}, {.feature = second}},
    };
}

struct statistic
statistic_of_ratios(const struct audit_target *target, enum feature_kind kind)
{
    struct statistic s = {.kind = STATISTIC_RATIO};

    for (size_t i = 0; i < target->width; i++) {
        bool first = kind == FEATURE_DIFFERENCE && i == 0;

        s.part[s.n++].feature =
            (struct feature){first ? FEATURE_VALUE : kind, i};
    }
    return s;
}

/* Averages neighbours, which halves the variance: what the sum of many ratios
   says at its ends is the sum of their errors, too. */
static void
smooth_scores(double *score, size_t n)
{
    double before = score[0];

    for (size_t k = 0; k < n; k++) {
        double here = score[k], after = k + 1 < n ? score[k + 1] : here;

        score[k] = (before + 2 * here + after) / 4;
        before = here;
    }
}

/* Counts of both arms in each bin, into the score of the bins. */
static custos_status
score_part(struct part *part, const struct batch arms[ARMS], custos_err *err)
{
    uint32_t *count = calloc(2 * part->bins.n, sizeof *count);
    size_t n = part->bins.n;

    part->score = calloc(n, sizeof *part->score);
    if (!count || !part->score) {
        free(count);
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    }
    for (int arm = 0; arm < ARMS; arm++)
        for (size_t i = 0; i < arms[arm].n; i++)
            count[(size_t)arm * n +
                  bins_find(&part->bins,
                            feature_of(part->feature, &arms[arm], i))]++;
    for (size_t k = 0; k < n; k++)
        part->score[k] = log((count[k] + 1.0) / (count[n + k] + 1.0));
    if (!part->bins.names && n >= RATIO_BINS / 2)
        smooth_scores(part->score, n);
    free(count);
    return CUSTOS_OK;
}

static custos_status
learn_part(struct part *part, const struct batch arms[ARMS], size_t want,
           custos_err *err)
{
    size_t step = arms[ARM_A].n / SORTED_MOST + 1, n = 0;
    double *values = calloc(ARMS * (arms[ARM_A].n / step + 1), sizeof *values);
    custos_status st;

    if (!values)
        return custos_fail(err, CUSTOS_ENOMEM, "out of memory");
    for (int arm = 0; arm < ARMS; arm++)
        for (size_t i = 0; i < arms[arm].n; i += step)
            values[n++] = feature_of(part->feature, &arms[arm], i);
    st = bins_learn(&part->bins, values, n, want,
                    feature_is_name(part->feature), err);
    free(values);
    return st ? st : score_part(part, arms, err);
}

custos_status
statistic_learn(struct statistic *s, const struct batch arms[ARMS],
                custos_err *err)
{
    custos_status st = CUSTOS_OK;

    if (s->kind == STATISTIC_FEATURE)
        return CUSTOS_OK;
    for (size_t i = 0; i < s->n && !st; i++)
        st = learn_part(&s->part[i], arms,
                        s->kind == STATISTIC_JOINT ? JOINT_BINS : RATIO_BINS,
                        err);
    return st;
}

void
statistic_clear(struct statistic *s)
{
    for (size_t i = 0; i < s->n; i++) {
        bins_clear(&s->part[i].bins);
        free(s->part[i].score);
        s->part[i].score = NULL;
    }
}

static size_t
part_bin(const struct part *part, const struct batch *batch, size_t i)
{
    return bins_find(&part->bins, feature_of(part->feature, batch, i));
}

/* The sum of the scores of all numbers, sorted once. */
static double
sorted_ratio(const struct statistic *s, const struct batch *batch, size_t i)
{
    double sorted[AUDIT_WIDTH_MAX], sum = 0;

    feature_sort(batch, i, sorted);
    for (size_t k = 0; k < s->n; k++)
        sum += s->part[k].score[bins_find(&s->part[k].bins, sorted[k])];
    return sum;
}

double
statistic_value(const struct statistic *s, const struct batch *batch, size_t i)
{
    double sum = 0;

    switch (s->kind) {
    case STATISTIC_FEATURE: return feature_of(s->part[0].feature, batch, i);
    case STATISTIC_JOINT:
        return (double)(part_bin(&s->part[0], batch, i) * JOINT_STEP +
                        part_bin(&s->part[1], batch, i) % JOINT_STEP);
    case STATISTIC_RATIO:
        if (s->part[0].feature.kind == FEATURE_SORTED)
            return sorted_ratio(s, batch, i);
        for (size_t k = 0; k < s->n; k++)
            sum += s->part[k].score[part_bin(&s->part[k], batch, i)];
        return sum;
    }
    return 0;
}

bool
statistic_is_name(const struct statistic *s)
{
    return s->kind == STATISTIC_JOINT || (s->kind == STATISTIC_FEATURE &&
                                          feature_is_name(s->part[0].feature));
}

void
statistic_name(const struct statistic *s, char name[AUDIT_NAME_MAX])
{
    char first[AUDIT_NAME_MAX], second[AUDIT_NAME_MAX];
    static const char *const ratios[] = {
        [FEATURE_VALUE] = "the sum of the log ratios of the numbers",
        [FEATURE_DIFFERENCE] = "the sum of the log ratios of the differences",
        [FEATURE_SORTED] = "the sum of the log ratios of the sorted numbers",
    };

    feature_name(s->part[0].feature, first);
    if (s->kind == STATISTIC_RATIO) {
        enum feature_kind kind = s->part[s->n - 1].feature.kind;

        snprintf(name, AUDIT_NAME_MAX, "%s", ratios[kind]);
    } else if (s->kind == STATISTIC_JOINT) {
        feature_name(s->part[1].feature, second);
        snprintf(name, AUDIT_NAME_MAX, "%.28s with %.28s", first, second);
    } else {
        snprintf(name, AUDIT_NAME_MAX, "%s", first);
    }
}

void
statistic_split(double value, size_t bin[2])
{
    size_t whole = (size_t)value;

    bin[0] = whole / JOINT_STEP;
    bin[1] = whole % JOINT_STEP;
}
