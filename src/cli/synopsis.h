/* What the verbs of `custos synopsis` share. */
#ifndef CLI_SYNOPSIS_H
#define CLI_SYNOPSIS_H

#include <stddef.h>

/* The most memory that a synopsis takes, without its model. */
#define SYNOPSIS_ARENA_BYTES ((size_t)24 << 30)

#endif
