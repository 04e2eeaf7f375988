/*
 * A store of made-up data, for benchmarks of queries.
 */
#ifndef BENCH_MADE_H
#define BENCH_MADE_H

#include "custos.h"

/* Says what failed, and ends the program. */
_Noreturn void made_stop(const char *what, const custos_err *err);

/* folder/store from the files that lie in the folder, under this policy. */
void made_store(const char *folder, const char *policy);

#endif
