/*
 * Converts amounts to exact rationals to compare and add them.
 */
#include "policy/amounts.h"

#include "base/base.h"

void
amounts_add(rat *sum, str amount)
{
    rat x;

    rat_init(&x);
    CUSTOS_REQUIRE(!rat_read(amount.ptr, "amount", &x, NULL));
    rat_add(sum, sum, &x);
    rat_clear(&x);
}

int
amounts_cmp(str a, str b)
{
    rat x, y;
    int order;

    rat_init(&x);
    rat_init(&y);
    amounts_add(&x, a);
    amounts_add(&y, b);
    order = rat_cmp(&x, &y);
    rat_clear(&x);
    rat_clear(&y);
    return order;
}
