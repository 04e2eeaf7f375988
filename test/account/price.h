/*
 * The price of a mechanism that is given as text.
 */
#ifndef TEST_ACCOUNT_PRICE_H
#define TEST_ACCOUNT_PRICE_H

#include "account/charge.h"
#include "account/mechanism.h"
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

#endif
