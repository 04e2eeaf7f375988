/*
 * Lengths of time on the command line: "90d", "12h", "30m", "45s".
 */
#ifndef CLI_DURATION_H
#define CLI_DURATION_H

#include <stdint.h>

/* In microseconds; 0 where text is NULL. CLI_OK, or CLI_USAGE after its
   sentence. At most ten years. */
int duration_read(const char *text, const char *option, int64_t *us);

#endif
