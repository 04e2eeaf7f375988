/*
 * What the files of the evaluator share: how each call is evaluated, by its row
 * of sql/functions.def. Functions are given the values of all arguments, and
 * *out as a NULL.
 */
#ifndef EVALUATE_EVALUATE_PARTS_H
#define EVALUATE_EVALUATE_PARTS_H

#include "evaluate/evaluate.h"

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

/* For each column of a row that names a function, its declaration. */
#define ROW(id, ...) __VA_ARGS__
#define NUMBER(of_reals, of_wholes)                                            \
    bool of_reals(const struct number *a, const struct number *b,              \
                  struct number *out);                                         \
    bool of_wholes(i128 a, i128 b, i128 *out);
#define NUMERIC(rule)                                                          \
    bool rule(arena *a, const struct expr *e, const struct value *v,           \
              struct value *out);
#define TEXTUAL(rule) NUMERIC(rule)
#define VALUE(rule) NUMERIC(rule)
#define PART(rule) int64_t rule(const struct moment *m);
#include "sql/functions.def"

/* The `value` of numbers, texts and parts of dates. */
bool value_number(arena *a, const struct expr *e, const struct value *v,
                  struct value *out);
bool value_text(arena *a, const struct expr *e, const struct value *v,
                struct value *out);
bool value_part(arena *a, const struct expr *e, const struct value *v,
                struct value *out);

/* The day of a date or timestamp. */
int64_t datum_day(const struct datum *d);

/* False without memory. */
bool evaluate_cast(arena *a, const struct expr *e, const struct value *v,
                   struct value *out);

#endif
