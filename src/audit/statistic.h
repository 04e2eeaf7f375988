/*
 * A statistic: one number of an output by which the two arms are told apart. It
 * is a feature, or is learned from several: the sum of their log-likelihood
 * ratios (the best statistic if they are independent), or the pair of bins that
 * two of them fall into.
 */
#ifndef AUDIT_STATISTIC_H
#define AUDIT_STATISTIC_H

#include "audit/bins.h"
#include "audit/feature.h"
#include "audit/outputs.h"

enum statistic_kind {
    STATISTIC_FEATURE, /* one feature */
    STATISTIC_RATIO,   /* sum of log ratios of its features */
    STATISTIC_JOINT,   /* two features together, as a name */
};

/* A feature, with what was learned about it. */
struct part {
    struct feature feature;
    struct bins bins;
    double *score; /* of each bin: the log of how much likelier it is in A */
};

struct statistic {
    enum statistic_kind kind;
    size_t n;
    struct part part[AUDIT_WIDTH_MAX]; /* a feature has one, without bins */
};

/* An unlearned statistic. */
struct statistic statistic_of_feature(struct feature feature);
struct statistic
statistic_of_joint(struct feature first, struct feature second);

/* The log ratios of all features of a kind, a difference with number 1. */
struct statistic
statistic_of_ratios(const struct audit_target *target, enum feature_kind kind);

/* Learns the parts from outputs of both arms. May fail: CUSTOS_ENOMEM. */
CUSTOS_MUST_USE custos_status statistic_learn(struct statistic *statistic,
                                              const struct batch arms[ARMS],
                                              custos_err *err);
void statistic_clear(struct statistic *statistic);

double statistic_value(const struct statistic *statistic,
                       const struct batch *batch, size_t i);
bool statistic_is_name(const struct statistic *statistic);
void
statistic_name(const struct statistic *statistic, char name[AUDIT_NAME_MAX]);

/* The bins of the two parts that a value of a joint statistic stands for. */
void statistic_split(double value, size_t bin[2]);

#endif
