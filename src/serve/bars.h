/*
 * Sentences that go with an answer: what it cost, what is left, and its error
 * bars. They are computed from the released answer and the ledger, not from data.
 */
#ifndef SERVE_BARS_H
#define SERVE_BARS_H

#include "serve/question.h"

/*
 * One line for each column that has error bars, with the narrowest and the
 * widest of them (or one, if they are equal); then the answer's remarks and, unless it
 * is public, its receipt. Allocated in a. Empty if it is too long or there is no memory.
 */
str bars_write(arena *a, const struct answer *answer);

/* Writes "cost epsilon 0.1, delta 1e-9; epsilon 0.4 left" (or "cost rho 0.005; ...",
   if no epsilon bounds the answer), or that the answer was
   free. */
enum { COST_MAX = 256 };
void cost_write(const struct question *q, char text[COST_MAX]);

#endif
