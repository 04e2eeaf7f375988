/*
 * Amounts: the fixed-point integers in which budgets are counted. The unit is
 * 10^-20 for epsilon, rho and the other losses, and 10^-36 for delta. Sums are
 * therefore exact, never grow in size and cost one addition: ten charges of
 * 0.1 exhaust a budget of 1 exactly. A value between two amounts is rounded up
 * if it is spent and down if it is a limit.
 *
 * AMOUNT_INFINITE means "no bound"; a sum that exceeds the largest amount
 * becomes infinite and stays so.
 */
#ifndef ACCOUNT_AMOUNT_H
#define ACCOUNT_AMOUNT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/base.h"
#include "base/str.h"
#include "num/rat.h"

typedef u128 amount;

#define AMOUNT_INFINITE (~(amount)0)

enum amount_unit {
    AMOUNT_LOSS = 20,  /* 10^-20: epsilon, rho, mu squared, divergences */
    AMOUNT_DELTA = 36, /* 10^-36 */
};

/* Bytes of an amount's text, the NUL included. */
enum { AMOUNT_TEXT_MAX = 44 };

/*
 * The least amount >= a; AMOUNT_INFINITE if that is 2^127 units or more. Needs
 * a >= 0.
 */
amount amount_from_rat_up(const rat *a, enum amount_unit unit);

/* The largest amount <= a; false if it is 2^127 units or more. Needs a >= 0. */
bool amount_from_rat_down(const rat *a, enum amount_unit unit, amount *out);

void amount_to_rat(amount a, enum amount_unit unit, rat *out);

/* a + b, or AMOUNT_INFINITE. */
static inline amount
amount_add(amount a, amount b)
{
    amount sum;

    return __builtin_add_overflow(a, b, &sum) ? AMOUNT_INFINITE : sum;
}

/* a - b, or 0. Needs b finite. */
static inline amount
amount_left(amount a, amount b)
{
    return a > b ? a - b : 0;
}

/* Exact decimal text, "infinity" for AMOUNT_INFINITE. Returns the length. */
size_t
amount_write(amount a, enum amount_unit unit, char text[AMOUNT_TEXT_MAX]);

/* Reads exactly what amount_write writes; false for any other text. */
bool amount_read(str text, enum amount_unit unit, amount *out);

#endif
