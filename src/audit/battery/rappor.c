/*
 * RAPPOR (Erlingsson, Pihur and Korolova 2014): a value sets bits of a Bloom
 * filter, and the bits are answered at random. With h hashes one report costs at
 * most 2h ln(q*(1-p*)/(p*(1-q*)))/2, reached by values that share no bit.
 */
#include "audit/battery/mechanism.h"

enum { FILTER_BITS = 20, FILTER_HASHES = 4 };

uint32_t
rappor_filter(double value)
{
    uint32_t filter = 0;

    for (uint64_t i = 0; i < FILTER_HASHES; i++) {
        uint64_t z = ((uint64_t)(int64_t)value << 8) + i;

        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        filter |= 1u << ((z ^ (z >> 31)) % FILTER_BITS);
    }
    return filter;
}

/* Steps 1 and 2: each bit is replaced by a fair coin with probability f. */
static bool
permanent_response(const struct mechanism *m, struct coins *coins, bool bit)
{
    double u = coins_uniform(coins);

    return u <= m->flip ? u <= m->flip / 2 : bit;
}

static uint32_t
answer_once(const struct mechanism *m, struct coins *coins,
            const struct data *data, double *out)
{
    uint32_t filter = rappor_filter(data->n ? data->value[0] : 0);

    for (uint32_t i = 0; i < FILTER_BITS; i++)
        out[i] = permanent_response(m, coins, (filter >> i) & 1);
    return FILTER_BITS;
}

/* Step 3 too: a 1 is reported as 1 with probability q, a 0 with probability p. */
static uint32_t
answer_report(const struct mechanism *m, struct coins *coins,
              const struct data *data, double *out)
{
    uint32_t filter = rappor_filter(data->n ? data->value[0] : 0);

    for (uint32_t i = 0; i < FILTER_BITS; i++) {
        bool bit = permanent_response(m, coins, (filter >> i) & 1);

        out[i] = coins_flip(coins, bit ? m->high : m->low);
    }
    return FILTER_BITS;
}

const struct audit_target battery_rappor = {
    .name = "rappor",
    .width = FILTER_BITS,
    .self = &(const struct mechanism){.flip = 0.75,
                                      .low = 0.45,
                                      .high = 0.55,
                                      .most = 1,
                                      .answer = answer_report},
    .sample = mechanism_sample,
};

const struct audit_target battery_rappor_once = {
    .name = "rappor-once",
    .width = FILTER_BITS,
    .self = &(
        const struct mechanism){.flip = 0.95, .most = 1, .answer = answer_once},
    .sample = mechanism_sample,
};
