/* Prices and noise, in exact arithmetic. */
#include "synth/price.h"

#include <math.h>

#include "num/rat_double.h"

/* The largest r with r^2 <= x, bit by bit. */
static amount
root_down(amount x)
{
    amount r = 0;

    for (amount bit = (amount)1 << 63; bit; bit >>= 1)
        if ((r | bit) * (r | bit) <= x)
            r |= bit;
    return r;
}

void
price_variance(amount rho, uint64_t l2_squared, rat *out)
{
    rat half;

    CUSTOS_REQUIRE(rho > 0 && rho < PRICE_MAX && l2_squared > 0);
    rat_init(&half);
    amount_to_rat(rho, AMOUNT_LOSS, &half);
    rat_set_i128(out, (i128)l2_squared);
    rat_div(out, out, &half);
    rat_set_i64(&half, 1, 2);
    rat_mul(out, out, &half);
    rat_clear(&half);
}

void
price_epsilon(amount rho, rat *out)
{
    rat scale;

    CUSTOS_REQUIRE(rho > 0 && rho < PRICE_MAX);
    rat_init(&scale);
    rat_set_i64(&scale, 1, 10000000000U); /* the root of the unit 10^-20 */
    rat_set_i128(out, (i128)root_down(8 * rho));
    rat_mul(out, out, &scale);
    rat_clear(&scale);
}

void
price_spend(amount *left, amount rho)
{
    CUSTOS_REQUIRE(rho <= *left);
    *left -= rho;
}

double
price_sigma(amount rho, uint64_t l2_squared)
{
    double variance;
    rat x;

    rat_init(&x);
    price_variance(rho, l2_squared, &x);
    variance = rat_double(&x);
    rat_clear(&x);
    return sqrt(variance);
}

double
price_epsilon_double(amount rho)
{
    double epsilon;
    rat x;

    rat_init(&x);
    price_epsilon(rho, &x);
    epsilon = rat_double(&x);
    rat_clear(&x);
    return epsilon;
}

double
price_l1(uint64_t l2_squared)
{
    const amount root = root_down(l2_squared);

    return root * root == l2_squared ? (double)root
                                     : sqrt(2 * (double)l2_squared);
}
