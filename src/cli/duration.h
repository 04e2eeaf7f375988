/*
 * Lengths of time on the command line: "90d", "12h", "30m", "45s".
 */
#ifndef CLI_DURATION_H
#define CLI_DURATION_H

#include <stdint.h>

/* In microseconds, at most ten years; 0 if text is NULL. CLI_OK, or CLI_USAGE
   after printing why. */
int duration_read(const char *text, const char *option, int64_t *us);

#endif
