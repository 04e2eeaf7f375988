/*
 * Attacks as demonstrations, for owners who ask why exact or hardly noisy answers
 * are not enough. Each attack is run against a naive server, mostly also against
 * one with too little noise, and against custos, which is used as anyone uses it:
 * libcustos through custos.h, the curator by starting the command.
 *
 * A report is the same struct for every attack, so that one place prints it.
 * Shares come with Clopper-Pearson intervals. Where a theorem bounds what an
 * attacker of custos can reach, the row carries that ceiling.
 */
#ifndef AUDIT_ATTACK_ATTACK_H
#define AUDIT_ATTACK_ATTACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "audit/coins.h"
#include "custos.h"

enum {
    ATTACK_ROWS_MAX = 8,
    ATTACK_CURVES_MAX = 4,
    ATTACK_POINTS_MAX = 40,
    ATTACK_LABEL_MAX = 72,
    ATTACK_TEXT_MAX = 768,
};

/* Called now and then; done is 0 to 1. */
typedef void (*attack_progress)(void *context, double done);

struct attack_options {
    uint64_t seed; /* of secrets and of naive servers; custos takes none */
    const char *epsilon; /* the budget; NULL: the attack's own */
    bool quick;          /* smaller samples, for tests and `attack all` */
    const char *command; /* the custos program; NULL: no attack on a store */
    attack_progress progress; /* may be NULL */
    void *context;
};

/* Who answered. */
enum attack_server { SERVER_NAIVE, SERVER_WEAK, SERVER_CUSTOS };

/* What one attack reached. */
struct attack_row {
    char who[ATTACK_LABEL_MAX];
    const char *measure; /* of rows with the same measure a table is made */
    enum attack_server server;
    bool is_share;
    uint64_t hits, n;        /* of a share */
    double value, low, high; /* low and high: a 95 % interval; NAN if none */
    double ceiling;          /* what the promise allows; NAN if nothing */
};

struct attack_axis {
    char label[ATTACK_LABEL_MAX];
    double least, most;
    bool is_log;
};

struct attack_curve {
    char label[ATTACK_LABEL_MAX];
    double x[ATTACK_POINTS_MAX], y[ATTACK_POINTS_MAX];
    size_t n;
    bool faint; /* for comparison */
};

struct attack_report {
    char title[ATTACK_LABEL_MAX];
    char knows[ATTACK_TEXT_MAX]; /* what the attacker knows and does */
    struct attack_row rows[ATTACK_ROWS_MAX];
    size_t n_rows;
    char means[ATTACK_TEXT_MAX];         /* what it means */
    char picture[ATTACK_LABEL_MAX + 40]; /* the picture's subtitle */
    struct attack_axis x, y;
    struct attack_curve curves[ATTACK_CURVES_MAX];
    size_t n_curves; /* 0: the picture is the rows, as bars */
};

struct attack {
    const char *name;
    const char *summary; /* one line */
    /* May fail: CUSTOS_ENOMEM, CUSTOS_EIO, what custos.h fails with. */
    custos_status (*run)(const struct attack_options *options,
                         struct attack_report *out, custos_err *err);
};

extern const struct attack attack_floating_point;
extern const struct attack attack_reconstruction;
extern const struct attack attack_differencing;
extern const struct attack attack_averaging;
extern const struct attack attack_linkage;
extern const struct attack attack_timing;

/* The probability with which `attack_broken` blames a custos that keeps its
   promise, for one row. */
#define ATTACK_BLAME 1e-6

/* Whether a share or number of custos is above its ceiling beyond chance. */
bool attack_broken(const struct attack_row *row);

/* ------------------------------------------------ for the attacks only -- */

/* The budget of an attack: what was asked for, or its own. */
static inline const char *
attack_epsilon(const struct attack_options *o, const char *own)
{
    return o->epsilon ? o->epsilon : own;
}

static inline void
attack_step(const struct attack_options *o, double done)
{
    if (o->progress)
        o->progress(o->context, done);
}

/* A number of custos.h, "0.5" or "1/1024", as a double. */
double attack_number(const char *text);

/* A probability in per cent with one decimal, rounded up: what is allowed must not
   look like less. */
double attack_percent_up(double p);

/* 12345 as 12,345. */
enum { ATTACK_GROUPED = 32 };
void attack_grouped(uint64_t x, char text[ATTACK_GROUPED]);

/* Adds a row: a share of hits, or a number without an interval. */
struct attack_row *
attack_add_share(struct attack_report *r, enum attack_server server,
                 const char *measure, uint64_t hits, uint64_t n);
struct attack_row *
attack_add_number(struct attack_report *r, enum attack_server server,
                  const char *measure, double value);

/* Adds an empty curve; the label is copied. Curves are coloured in their order, so
   custos comes first in every attack, and the naive server second. */
struct attack_curve *
attack_add_curve(struct attack_report *r, const char *label);
void attack_add_point(struct attack_curve *c, double x, double y);

/* Adds a faint level line over the whole x axis. */
void attack_add_level(struct attack_report *r, const char *label, double y);

/*
 * The most often that anyone can guess a secret bit right, at even odds, after
 * answers that are (epsilon, delta)-DP: (e^epsilon + delta)/(1 + e^epsilon),
 * rounded up. May fail: as custos_risk_new.
 */
CUSTOS_MUST_USE custos_status attack_ceiling(const char *epsilon,
                                             const char *delta, double *out,
                                             custos_err *err);

/*
 * Releases n counts, of which one person moves `moves` (in l1), by libcustos'
 * discrete Laplace mechanism: epsilon covers them together. May fail: as
 * custos_mech_new and custos_release_ints.
 */
struct attack_counts;
CUSTOS_MUST_USE custos_status attack_counts_new(const char *epsilon,
                                                unsigned moves, size_t n,
                                                struct attack_counts **out,
                                                custos_err *err);
void attack_counts_free(struct attack_counts *counts);
CUSTOS_MUST_USE custos_status
attack_counts_release(struct attack_counts *counts, const int64_t *exact,
                      int64_t *out, custos_err *err);
double attack_counts_scale(const struct attack_counts *counts);

/* The 95 % error bar of one count. May fail: as custos_mech_error_i64. */
CUSTOS_MUST_USE custos_status attack_counts_error(
    const struct attack_counts *counts, int64_t *half_width, custos_err *err);

#endif
