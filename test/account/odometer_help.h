/*
 * Shared by the tests of the odometer: prices of mechanisms, and what it reads.
 */
#ifndef TEST_ACCOUNT_ODOMETER_HELP_H
#define TEST_ACCOUNT_ODOMETER_HELP_H

#include "account/charge.h"
#include "account/mechanism.h"
#include "account/odometer.h"
#include "support/support.h"

static inline struct charge
price(const char *text)
{
    struct mechanism m;
    struct charge c;

    mechanism_init(&m);
    assert_int_equal(mechanism_read(text, CUSTOS_ADD_REMOVE, &m, NULL),
                     CUSTOS_OK);
    charge_of_mechanism(&m, &c);
    mechanism_clear(&m);
    return c;
}

static inline double
reading(const struct odometer *o)
{
    double r;
    rat x;

    rat_init(&x);
    amount_to_rat(odometer_epsilon(o), AMOUNT_LOSS, &x);
    r = mpq_get_d(x.q);
    rat_clear(&x);
    return r;
}

#endif
