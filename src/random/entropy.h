/*
 * Fresh randomness from the operating system. It is in a file of its own so
 * that tests can link a version that fails.
 */
#ifndef RANDOM_ENTROPY_H
#define RANDOM_ENTROPY_H

#include <stddef.h>

#include "custos.h"

/* Fills p. May fail: CUSTOS_EENTROPY. */
CUSTOS_MUST_USE custos_status entropy_fill(void *p, size_t bytes);

#endif
