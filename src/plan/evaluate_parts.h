/*
 * What the files of the evaluator share: how each call is evaluated, by its row
 * of sql/functions.def. Functions are given the values of all arguments, and
 * *out as a NULL.
 */
#ifndef PLAN_EVALUATE_PARTS_H
#define PLAN_EVALUATE_PARTS_H

#include "plan/evaluate.h"

enum truth { NO, YES, UNKNOWN };

/* For which orders of its two arguments a comparison is true. */
enum ordering { LESS = 1, EQUAL = 2, GREATER = 4 };

/* A number as a double, and its interval. */
struct number {
    double x, low, high;
};

/* A date or timestamp, taken apart. */
struct moment {
    int64_t days, us;
    int year, month, day;
};

struct evaluator {
    /* False without memory; NULL: the call cannot be evaluated here. */
    bool (*value)(arena *a, const struct expr *e, const struct value *v,
                  struct value *out);
    bool numeric; /* it takes and returns numbers, and their intervals */
    /* What `value` needs to know of the call, by the column of its row: */
    enum truth (*truth)(const struct value *v);
    unsigned order;
    /* False: it has no value. b is not used by a call of one argument. */
    bool (*real)(const struct number *a, const struct number *b,
                 struct number *out);
    bool (*whole)(i128 a, i128 b, i128 *out);
    double (*round)(double x); /* monotone */
    bool (*text)(arena *a, const struct expr *e, const struct value *v,
                 struct value *out);
    int64_t (*part)(const struct moment *m);
};

extern const struct evaluator evaluators[N_CALLS];

/* evaluate_number.c */
bool
real_neg(const struct number *a, const struct number *b, struct number *out);
bool
real_add(const struct number *a, const struct number *b, struct number *out);
bool
real_sub(const struct number *a, const struct number *b, struct number *out);
bool
real_mul(const struct number *a, const struct number *b, struct number *out);
bool
real_div(const struct number *a, const struct number *b, struct number *out);
bool
real_abs(const struct number *a, const struct number *b, struct number *out);
bool
real_sign(const struct number *a, const struct number *b, struct number *out);
bool
real_round(const struct number *a, const struct number *b, struct number *out);
bool whole_neg(i128 a, i128 b, i128 *out);
bool whole_add(i128 a, i128 b, i128 *out);
bool whole_sub(i128 a, i128 b, i128 *out);
bool whole_mul(i128 a, i128 b, i128 *out);
bool whole_div(i128 a, i128 b, i128 *out);
bool whole_mod(i128 a, i128 b, i128 *out);
bool whole_abs(i128 a, i128 b, i128 *out);
bool whole_sign(i128 a, i128 b, i128 *out);
bool whole_same(i128 a, i128 b, i128 *out);
bool value_number(arena *a, const struct expr *e, const struct value *v,
                  struct value *out);
bool value_extreme(arena *a, const struct expr *e, const struct value *v,
                   struct value *out);
bool value_bucket(arena *a, const struct expr *e, const struct value *v,
                  struct value *out);

/* evaluate_text.c */
bool text_lower(arena *a, const struct expr *e, const struct value *v,
                struct value *out);
bool text_upper(arena *a, const struct expr *e, const struct value *v,
                struct value *out);
bool text_trim(arena *a, const struct expr *e, const struct value *v,
               struct value *out);
bool text_length(arena *a, const struct expr *e, const struct value *v,
                 struct value *out);
bool text_substring(arena *a, const struct expr *e, const struct value *v,
                    struct value *out);
bool text_joined(arena *a, const struct expr *e, const struct value *v,
                 struct value *out);
bool value_text(arena *a, const struct expr *e, const struct value *v,
                struct value *out);

/* evaluate_date.c */
int64_t part_year(const struct moment *m);
int64_t part_quarter(const struct moment *m);
int64_t part_month(const struct moment *m);
int64_t part_week(const struct moment *m);
int64_t part_day(const struct moment *m);
int64_t part_dow(const struct moment *m);
int64_t part_doy(const struct moment *m);
int64_t part_hour(const struct moment *m);
int64_t part_minute(const struct moment *m);
int64_t part_second(const struct moment *m);
bool value_part(arena *a, const struct expr *e, const struct value *v,
                struct value *out);
bool value_period(arena *a, const struct expr *e, const struct value *v,
                  struct value *out);

/* The day of a date or timestamp. */
int64_t datum_day(const struct datum *d);

/* False without memory. */
bool evaluate_cast(arena *a, const struct expr *e, const struct value *v,
                   struct value *out);

#endif
