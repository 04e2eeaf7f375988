/*
 * Sentences that go with an answer: what it cost, what is left, and its error
 * bars. All of them are computed after the release.
 */
#ifndef SERVE_BARS_H
#define SERVE_BARS_H

#include "serve/question.h"

/*
 * One line for each column with error bars (the narrowest and the widest over
 * its rows, or one if they are equal), then the answer's remarks and its
 * receipt; allocated in a. Empty if it is too long or there is no memory.
 */
str bars_write(arena *a, const struct answer *answer);

/* "cost epsilon 0.1, delta 1e-9; epsilon 0.4 left", or that it was free. */
enum { COST_MAX = 256 };
void cost_write(const struct question *q, char text[COST_MAX]);

#endif
