/*
 * What the verbs on a store share.
 */
#ifndef CLI_AT_STORE_H
#define CLI_AT_STORE_H

#include <stdint.h>

#include "curator/curator.h"

#define STORE_DEFAULT "custos.store"
#define STORE_HELP "the store's folder (" STORE_DEFAULT ")"
#define AS_HELP "ask as this analyst of the policy (default: the owner)"

/* Returns given, or the default store if it is NULL. */
const char *store_given(const char *given);

/* Now, in microseconds since 1970. Except for progress bars, no file of cli/
   reads another clock. */
int64_t clock_us(void);

/* Turns off core dumps: exact values and secrets must not reach the disk. */
void forbid_cores(void);

#endif
