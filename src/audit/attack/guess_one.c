/*
 * Everybody else's count is known, so the guess is 1 if the answer is above it.
 */
#include "audit/attack/guess_one.h"

enum { OTHERS = 17 };

custos_status
guess_one(const char *epsilon, uint64_t trials, struct coins *coins,
          uint64_t *right, custos_err *err)
{
    struct attack_counts *counts = NULL;
    custos_status st = attack_counts_new(epsilon, 1, 1, &counts, err);

    *right = 0;
    for (uint64_t i = 0; i < trials && !st; i++) {
        bool bit = coins_flip(coins, 0.5);
        int64_t exact = OTHERS + bit, told = 0;

        st = attack_counts_release(counts, &exact, &told, err);
        *right += (told > OTHERS) == bit;
    }
    attack_counts_free(counts);
    return st;
}
