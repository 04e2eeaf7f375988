/*
 * Standard output: a buffer in front of write(2), so that a full disk is
 * noticed.
 *
 * Errors are sticky: the functions that write return nothing, and out_end
 * reports the first error.
 */
#ifndef CLI_OUT_H
#define CLI_OUT_H

#include <stdbool.h>
#include <stddef.h>

#include "custos.h"

enum { OUT_ROOM = 1 << 16 };

struct out {
    int fd;
    int error; /* errno of the first failed write, or 0 */
    size_t len;
    char text[OUT_ROOM];
};

void out_init(struct out *o, int fd);
void out_add(struct out *o, const char *ptr, size_t len);
void out_text(struct out *o, const char *text);
void out_printf(struct out *o, const char *format, ...) CUSTOS_PRINTF(2, 3);

/* Writes the rest of the buffer. CLI_OK, or CLI_FAILED after printing why. */
int out_end(struct out *o);

#endif
